"""What parties say in a civil trial, read as a court hears it: claims, answers to them, exhibits, opinions on
exhibits.

Readers of free text: total, linear, and content with any wording. What they cannot read gives nothing. Sums are in
yuan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from store.text.numerals import chinese_to_int, int_to_chinese
from tasks.courts.agents.civil.sums import claimed
from tasks.courts.scores.bigrams import bigrams, recall

MOST = 30
"""Claims, points and exhibits that are read of one side."""
LONGEST = 6_000
"""Characters of a reply that are read."""

Kind = Literal["pay", "perform", "declare", "costs"]
Position = Literal["admit", "partly", "deny"]
Aspect = Literal["truth", "legality", "relevance", "weight"]
ASPECTS: tuple[tuple[Aspect, str], ...] = (
    ("truth", "真实性"), ("legality", "合法性"), ("relevance", "关联性"), ("weight", "证明目的"),
)  # fmt: skip

_ORDINAL = "一二三四五六七八九十"
_ITEM = re.compile(
    rf"(?:^|(?<=[\n；;。：:，,]))\s*(?:[{_ORDINAL}]{{1,3}}[、.．]|第?[{_ORDINAL}]{{1,3}}[，,：:](?=[^元])|[0-9]{{1,2}}[、.．)）](?![0-9])"
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
    r"判令|判决|请求|依法|原告|被告|我方|向|支付|给付|偿还|归还|返还|退还|赔偿|人民币|共计|合计|承担|负担|订立|因此|应当|[0-9,.]+ ?万?元"
    r"|[0-9]{4} ?年[0-9]{1,2} ?月(?:[0-9]{1,2} ?日)?|[的、，。；：（）()《》“”]"
)
_ON_CLAIM = re.compile(
    rf"(?:[，。；\n]|^)(?:[{_ORDINAL}]{{1,3}}[、.])?(?:关于|针对|对于?)?(?:原告)?(?:的|提出的)?第(?P<numbers>[{_ORDINAL}0-9]{{1,3}}(?:[、，,和及至到][{_ORDINAL}0-9]{{1,3}}){{0,12}})项(?:诉讼|诉)?(?:请求|诉请)?[，,：:]?"
)
_NUMBER = re.compile(rf"[{_ORDINAL}]{{1,3}}|[0-9]{{1,2}}")
_DENIES = re.compile(
    r"不同意|不认可|不予认可|不应|驳回|不承担|没有(?:事实|法律|合同)?(?:和法律)?依据|不成立|不能成立|拒绝|不属实|否认|无权|不存在|不构成"
)
_ADMITS = re.compile(r"没有异议|无异议|(?<!不)同意|(?<!不予)(?<!不)认可|(?<!不)属实|(?<!不)愿意")
_PARTLY = re.compile(r"部分|其余|但|扣除|扣减|调减|减少|过高|超出|剔除|最多")
_EXHIBIT = re.compile(rf"证据\s*(?P<n>[{_ORDINAL}]{{1,3}}|[0-9]{{1,2}})\s*(?:[：:、，,.]|是|为|系|(?=《))")
_ABOUT = re.compile(
    rf"(?:^|[\n。；;])\s*(?:对于?|针对|关于)?(?:原告|被告|对方)?(?:的|提交的|出示的)?证据\s*(?P<n>[{_ORDINAL}]{{1,3}}|[0-9]{{1,2}})"
)
_TITLE_END = re.compile(r"[，,。；;（(\n：:]")
_OFFERS = re.compile(r"(?:出示|提交|举示|提供)(?:的)?(?:证据)?(?:有|是|为)?[：:]?(?P<title>[^，,。；;\n]{2,60})")
_PURPOSE = re.compile(r"(?:拟证明|用以证明|用于证明|用来证明|证明目的[是为：:]+)(?P<purpose>[^\n。]{2,300})")
_PROVES = re.compile(r"(?:^|[，,；;。])(?:能够|可以)?证明(?P<purpose>[^\n。]{2,300})")
_EXCERPT = re.compile(r"(?:载明|内容)[^“\n]{0,6}“(?P<excerpt>[^”\n]{2,600})”")
_NONE_LEFT = re.compile(
    r"(?:出示|举证|提交|提供|举示)(?:均|都|已|已经|全部)*完毕|(?:没有|无|再无|不再)(?:其他|别的|更多|新的|任何|提交|补充)*的?证据"
    r"|证据.{0,8}(?:没有了|到此为止|就这些)|^\s*(?:没有了?|无|没了|完毕|不提交)[了。！.]*\s*$"
)
_NEGATIVE = re.compile(
    r"不(?:予)?认可|有异议|持异议|不真实|不合法|无关|不具有|不能(?:证明|达到|看出|反映|说明|代表)|不予|否认|不承认|无法(?:确认|核实|证明)|不符|伪造"
)
_POSITIVE = re.compile(r"无异议|没有异议|认可|属实|没有意见|无意见|不持异议")
_NAMED: tuple[tuple[re.Pattern[str], tuple[Aspect, ...]], ...] = (
    (re.compile(r"三性"), ("truth", "legality", "relevance")), (re.compile(r"真实"), ("truth",)),
    (re.compile(r"合法"), ("legality",)), (re.compile(r"关联|相关性"), ("relevance",)),
    (re.compile(r"证明目的|证明力|证明内容|证明对象|证明事项"), ("weight",)),
)  # fmt: skip
_SENTENCE = re.compile(r"[^。；;！!？?\n]+")
_COUNTED = re.compile(rf"[{_ORDINAL}两0-9第]")


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


@dataclass(frozen=True, slots=True)
class Offer:
    """An exhibit as a side offered it, in words of its own."""

    side: str
    number: int
    title: str
    purpose: str = ""
    excerpt: str = ""
    words: str = ""

    @property
    def name(self) -> str:
        """证据一借条一张, 证据二《购销合同》: 《》 only where the document has a title of its own."""
        return numbered(self.number, self.title)

    @property
    def says(self) -> str:
        """All that it is said to show."""
        return f"{self.title}。{self.purpose}。{self.excerpt or self.words}"


@dataclass(frozen=True, slots=True)
class Opinion:
    """What the other side says on an exhibit: aspect -> its objection; an aspect without one is not contested."""

    against: dict[Aspect, str] = field(default_factory=dict)
    words: str = ""


def numbered(number: int, title: str) -> str:
    """证据一借条一张; a title that begins with a number stands in brackets: 证据三（2020年的照片）."""
    return f"证据{int_to_chinese(number)}" + (f"（{title}）" if _COUNTED.match(title) else title)


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
        value = _number(match[2])
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


def offers_in(text: str, side: str, before: int = 0) -> list[Offer]:
    """The exhibits that a side offers in a reply; `before`: how many it has offered already, for those without
    numbers."""
    text = text[:LONGEST]
    marks = [mark for mark in _EXHIBIT.finditer(text) if not _quoted(text, mark.start())]
    if not marks:
        if _NONE_LEFT.search(text) or not (match := _OFFERS.search(text)):
            return []
        return [_offer(side, before + 1, match["title"], text)]
    ends = _ends(marks, text)
    found: dict[int, Offer] = {}
    for mark, end in zip(marks, ends, strict=True):
        words = text[mark.end() : end].strip()
        number = _number(mark["n"])
        if words and number not in found:
            found[number] = _offer(side, number, _title(words), words)
    return list(found.values())[:MOST]


def segments(text: str) -> list[tuple[int, str]]:
    """A text on several exhibits, cut where it names the next: number and words."""
    text = text[:LONGEST]
    marks = [mark for mark in _ABOUT.finditer(text) if not _quoted(text, mark.start())]
    ends = _ends(marks, text)
    return [(_number(mark["n"]), text[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)]


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else chinese_to_int(text) or 0


def _quoted(text: str, at: int) -> bool:
    return text.rfind("“", 0, at) > text.rfind("”", 0, at)


def _title(words: str) -> str:
    depth = 0
    for at, character in enumerate(words[:120]):
        depth += (character == "《") - (character == "》")
        if depth <= 0 and _TITLE_END.match(character) and not (character in "（(" and at < 40):
            return words[:at]
    return words[:60]


def _offer(side: str, number: int, title: str, words: str) -> Offer:
    bare = title.strip("，,。；;：: 、")
    rest = words.replace(title, "", 1)
    excerpt = _EXCERPT.search(rest)
    plain = rest.replace(excerpt[0], "") if excerpt else rest
    purpose = _PURPOSE.search(plain) or _PROVES.search(plain)
    return Offer(
        side, number, bare, purpose["purpose"].strip("；;，, ") if purpose else "", excerpt["excerpt"] if excerpt else "",
        words[:800],
    )  # fmt: skip


def none_left(text: str, offered: bool = False) -> bool:
    """Whether a side says that it has no (further) exhibits; beside an offer only its last sentence can say so."""
    parts = [part for part in _SENTENCE.findall(text[:LONGEST]) if part.strip()]
    if offered:
        return bool(parts) and bool(_NONE_LEFT.search(parts[-1])) and "证明" not in parts[-1]
    return any(_NONE_LEFT.search(part) for part in parts)


def opinion_in(text: str) -> Opinion:
    """What a side says on one exhibit."""
    against: dict[Aspect, str] = {}
    for sentence in _SENTENCE.findall(text[:LONGEST]):
        clauses = re.split(r"[，,]", sentence)
        named = [aspect for pattern, aspects in _NAMED for aspect in aspects if pattern.search(sentence)]
        negative = _NEGATIVE.search(sentence)
        if not negative or re.search(r"(?:均|都)?(?:无|没有)异议$", sentence.strip()):
            continue
        hit = next((clause for clause in clauses if _NEGATIVE.search(clause)), sentence)
        meant = [aspect for pattern, aspects in _NAMED for aspect in aspects if pattern.search(hit)]
        why = "，".join(clause for clause in clauses if clause is not hit).strip() or sentence.strip()
        for aspect in meant or [one for one in named if one == "weight"] or ["weight"]:
            against.setdefault(aspect, why[:160])
    if (
        not against
        and not _POSITIVE.search(text)
        and len(text.strip()) > 20
        and re.search(r"没有|不是|单方|未", text)
    ):
        against["weight"] = text.strip()[:160]
    return Opinion(against, text[:800])
