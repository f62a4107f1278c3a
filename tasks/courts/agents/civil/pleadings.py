"""What parties plead in a civil trial, read as a court hears it: claims and the sums in them, the answer to them.

Readers of free text: total, linear, and content with any wording. What they cannot read gives nothing. Sums are in
yuan, with cents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from store.text.normalise import fold_width
from store.text.numerals import to_decimal
from tasks.courts.agents.trial.exhibits import LONGEST, MOST
from tasks.courts.scores.bigrams import bigrams, recall

Kind = Literal["pay", "perform", "declare", "costs"]
Position = Literal["admit", "partly", "deny"]

_ORDINAL = "一二三四五六七八九十"
_ITEM = re.compile(
    rf"(?:^|(?<=[\n；;。：:，,]))\s*(?:[{_ORDINAL}]{{1,3}}[、.．]|第?[{_ORDINAL}]{{1,3}}[，,：:](?=[^元])"
    rf"|[0-9]{{1,2}}[、.．)）](?![0-9])"
    rf"|[（(][{_ORDINAL}0-9]{{1,3}}[）)][、.]?)\s*"
)
_CLAIMS_BEGIN = re.compile(r"诉讼请求(?:如下|是|为|有|包括)?[^：:。，,；;\n]{0,8}[：:]?")
_CLAIMS_END = re.compile(r"(?:主要)?(?:所依据的)?事实(?:和|与|及|、)?理由|事实依据|理由(?:如下|是)")
_ASKS = re.compile(r"判令|判决|请求|要求|确认|准予|撤销|解除|支付|返还|退还|赔偿|归还|负担|承担|停止|履行|分割|抚养")
_COSTS = re.compile(r"诉讼费|受理费|保全费")
_DECLARE = re.compile(r"确认|解除|撤销|离婚|无效|终止|变更|抚养权|由(?:原告|被告)(?:直接)?抚养")
_PERFORM = re.compile(r"出具|办理|交付|腾|停止|排除|协助|道歉|恢复原状|继续履行|更换|修复|拆除")
_LEAD = re.compile(r"^(?:请求|依法|判令|判决|请法院|人民法院|要求|请|、|，|：)+")
_NOTE = re.compile(r"[（(][^（）()]{0,300}[）)]")
_PARTS = re.compile(r"[，,]其中[^；;。]*")
_ON = re.compile(r"[，,；;]?(?:并|以及)?(?:支付|给付)?自[^，,；;。]{0,40}(?:实际|清偿|付清|还清)[^。；;]{0,60}")
_IDLE = re.compile(
    r"判令|判决|请求|依法|原告|被告|我方|向|支付|给付|偿还|归还|返还|退还|赔偿|人民币|共计|合计|承担|负担|订立|因此"
    r"|应当|[0-9,.]+ ?万?元"
    r"|[0-9]{4} ?年[0-9]{1,2} ?月(?:[0-9]{1,2} ?日)?|[的、，。；：（）()《》“”]"
)
_ON_CLAIM = re.compile(
    rf"(?:[，。；\n]|^)(?:[{_ORDINAL}]{{1,3}}[、.])?(?:关于|针对|对于?)?(?:原告)?(?:的"
    rf"|提出的)?第(?P<numbers>[{_ORDINAL}0-9]{{1,3}}(?:[、，,和及至到][{_ORDINAL}0-9]{{1,3}}){{0,12}})项(?:诉讼"
    rf"|诉)?(?:请求|诉请)?[，,：:]?"
)
_NUMBER = re.compile(rf"[{_ORDINAL}]{{1,3}}|[0-9]{{1,2}}")
_DENIES = re.compile(
    r"不同意|不认可|不予认可|不应|驳回|不承担|没有(?:事实|法律|合同)?(?:和法律)?依据|不成立|不能成立|拒绝|不属实"
    r"|否认|无权|不存在|不构成"
)
_ADMITS = re.compile(r"没有异议|无异议|(?<!不)同意|(?<!不予)(?<!不)认可|(?<!不)属实|(?<!不)愿意")
_PARTLY = re.compile(r"部分|其余|但|扣除|扣减|调减|减少|过高|超出|剔除|最多")
_SENTENCE = re.compile(r"[^。；;！!？?\n]+")

_SUM = re.compile(
    r"(?P<n>(?<![0-9.,])[0-9][0-9,]{0,15}(?:\.[0-9]{1,2})? ?[万亿]?"
    r"|[一二三四五六七八九十百千万两壹贰叁肆伍陆柒捌玖拾佰仟]{1,16}) ?(?:余)?元"
)
_GOES_ON = re.compile(
    r"[,;]?(?:并|以及|及)?(?:支付|给付)?自[^,;。]{0,30}(?:起|日)[^,;。]{0,12}(?:实际|清偿|付清|还清|履行)"
    r"|[,;](?:并|以及|及)?(?:支付|给付)?(?:此后|之后|其后)[^;。]{0,60}?(?:实际|清偿|付清|还清|履行)"
)
_NO_CLAIM = re.compile(r"(?:为(?:基数|本金|限)|的(?:[一二三四五六七八九十两0-9]|利息|基数|标准)|/|每)")
_ACT = re.compile(r"办理|协助|配合|出具|腾退|停止|排除|恢复原状|更换")
_PAY = re.compile(r"支付|给付|返还|退还|归还|偿还|赔偿|补偿|清偿|交纳")
_TOTAL = re.compile(r"(?:合计|共计|总计|共)(?:人民币)?:?$")


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim as heard. number: its place from 1; amount: as reckoned by the plaintiff, if it names any."""

    number: int
    text: str
    kind: Kind
    amount: float | None

    @property
    def brief(self) -> str:
        """The claim without notes, heads and the interest that runs on: 被告归还原告借款本金200000元."""
        return _ON.sub("", _PARTS.sub("", _NOTE.sub("", _LEAD.sub("", self.text)))).strip("，,；;。 ") or self.text

    @property
    def order(self) -> str:
        """What a court would order by it: without its heads and notes, with the interest that runs on."""
        return _PARTS.sub("", _NOTE.sub("", _LEAD.sub("", self.text))).strip("，,；;。 ")

    @property
    def topic(self) -> frozenset[str]:
        """What it is about, in pairs of characters."""
        return bigrams(_IDLE.sub("", self.brief)) or bigrams(self.brief)


@dataclass(frozen=True, slots=True)
class Point:
    """A point of the answer. claims: numbers of those it answers; none: the suit as a whole."""

    text: str
    claims: frozenset[int]
    position: Position


def claims_in(text: str) -> list[Claim]:
    """The claims that a plaintiff states."""
    text = text[:LONGEST]
    if begin := _CLAIMS_BEGIN.search(text):
        text = text[begin.end() :]
    if (end := _CLAIMS_END.search(text)) and end.start() > 4:
        text = text[: end.start()]
    items = [item for item in _items(text) if _ASKS.search(item)] or [
        part.strip() for part in _SENTENCE.findall(text) if _ASKS.search(part)
    ]
    return [_claim(number, item) for number, item in enumerate(items[:MOST], 1)]


def facts_in(text: str) -> list[str]:
    """The sentences of facts and reasons beside the claims."""
    match = _CLAIMS_END.search(text[:LONGEST])
    told = text[match.end() : LONGEST] if match else text[:LONGEST]
    return [part.strip("：: ") for part in re.findall(r"[^。\n]+", told) if len(part.strip()) > 5]


def _items(text: str) -> list[str]:
    marks = list(_ITEM.finditer(text))
    ends = _ends(marks, text)
    found = [text[mark.end() : end].strip("；;。，, \n") for mark, end in zip(marks, ends, strict=True)]
    return [item for item in found if len(item) > 2]


def _ends(marks: Sequence[re.Match[str]], text: str) -> list[int]:
    """Where the words behind each mark end."""
    return [*(mark.start() for mark in marks[1:]), len(text)] if marks else []


def _claim(number: int, text: str) -> Claim:
    amount = claimed(text)
    if _COSTS.search(text) and amount is None:
        return Claim(number, text, "costs", None)
    if amount is not None:
        return Claim(number, text, "pay", amount)
    declares = _DECLARE.search(text) and not _PERFORM.search(text)
    return Claim(number, text, "declare" if declares else "perform", None)


def points_in(text: str, claims: Sequence[Claim]) -> list[Point]:
    """The points of an answer and the claims that each of them meets."""
    text = text[:LONGEST]
    if marks := list(_ON_CLAIM.finditer(text)):
        ends = _ends(marks, text)
        found = []
        for mark, end in zip(marks, ends, strict=True):
            paragraphs = [part for part in text[mark.end() : end].strip("；;。，,： \n").split("\n") if len(part) > 1]
            on = frozenset(_numbers(mark["numbers"]))
            found += [Point(part, on, position(part)) for part in paragraphs[:1]]
            found += [_free(part, claims) for part in paragraphs[1:]]
        before = text[: marks[0].start()]
        return [*(_free(part, claims) for part in _SENTENCE.findall(before) if len(part) > 12), *found][:MOST]
    parts = _items(text) or [part.strip() for part in re.findall(r"[^。\n]+", text) if len(part.strip()) > 5]
    return [_free(part, claims) for part in parts[:MOST]]


def _numbers(text: str) -> Iterator[int]:
    last = 0
    for match in re.finditer(rf"([至到]?)[、，,和及]?({_NUMBER.pattern})", text):
        value = int(to_decimal(match[2]) or 0)
        if match[1] and last:
            yield from range(last + 1, min(value, MOST) + 1)
        else:
            yield value
        last = value


def _free(text: str, claims: Sequence[Claim]) -> Point:
    said = bigrams(text)
    likeness = {claim.number: recall(claim.topic, said) for claim in claims if claim.kind != "costs"}
    best = max(likeness.values(), default=0.0)
    about = frozenset(number for number, like in likeness.items() if like >= max(0.25, best * 0.75))
    return Point(text.strip(), about, position(text))


def position(text: str) -> Position:
    """Whether words admit a claim, admit it in part, or deny it."""
    if re.match(r"\s*(?:我方|被告)?部分(?:认可|同意|承认)", text):
        return "partly"
    denies, admits = _DENIES.search(text), _ADMITS.search(text)
    if admits and not denies:
        return "partly" if _PARTLY.search(text) else "admit"
    return "partly" if admits and denies and admits.start() < denies.start() and _PARTLY.search(text) else "deny"


def _sums(text: str) -> list[tuple[float, re.Match[str]]]:
    """The sums of a text in their order, with the words that say them."""
    read = ((to_decimal(match["n"].replace(" ", "")), match) for match in _SUM.finditer(text))
    return [(float(value), match) for value, match in read if value]


def sums(text: str) -> list[float]:
    """The sums of a text in their order."""
    return [value for value, _ in _sums(text)]


def claimed(text: str) -> float | None:
    """What a claim asks for as far as it is reckoned: the total it names, else its last sum outside of notes."""
    plain = _NOTE.sub("", fold_width(text))
    if match := _GOES_ON.search(plain):
        plain = plain[: match.start()] or plain
    found = [(value, said) for value, said in _sums(plain) if not _NO_CLAIM.match(plain, said.end())]
    before = plain[: found[0][1].start()] if found else ""
    if _ACT.search(before) and not _PAY.search(before):
        return None
    total = next((value for value, said in found if _TOTAL.search(plain[: said.start()])), None)
    return total if total is not None else found[-1][0] if found else None
