"""The parts of a first-instance judgment, found by the words with which courts open them.

Text is matched in its folded form, whose length is that of the text, and cut from the text as it stands. What opens a
part is data: a table for civil and one for criminal judgments (《人民法院民事裁判文书制作规范》,
法院刑事诉讼文书样式).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from store.text.normalise import fold_width
from store.text.numerals import chinese_to_int

Env = Literal["CI", "CR"]

_PLAINTIFF = r"(?:原告|原、被告|双方当事人|当事人|双方)"
_NAMED = r"(?!原告|被告|第三人|反诉|上诉)[^。:;,\n]{1,40}?"
"""A party by name alone, as the form of 2016 has it (《民事诉讼文书样式》): 张某向本院提出诉讼请求, 李某辩称."""
_PROSECUTION = r"(?:[^。\n:;,]{0,40}?(?:人民检察院|公诉机关|检察机关|公诉人))"
ANCHORS: Mapping[Env, tuple[tuple[str, str], ...]] = {
    "CI": (
        ("claims", r"(?:原告[^。:\n]{0,40}?)?(?:向本院)?提出(?:如下|以下|的)*诉讼请求(?:如下)?[:,]|诉讼请求(?:如下)?:"
         rf"|{_NAMED}向本院提出(?:如下|以下|的)*诉讼请求(?:如下)?[:,]"),
        ("told", r"原告[^。:;\n]{0,40}?(?:起诉称|诉称|诉请)[:,]?"),
        ("complaint", r"事实[和与及、]?理由:"),
        ("answer", r"被告[^。:;\n]{0,40}?"
         r"(?:辩称|答辩称|答辩如下|答辩:|书面答辩|未(?:作|提交|提供|进行|发表|到庭)|未答辩|拒不到庭)"
         rf"|{_NAMED}(?:(?:答辩|辩)称[:,]|未(?:作|提交|提供)[^。,:;\n]{{0,6}}答辩)"),
        ("evidence",
         rf"{_PLAINTIFF}[^。:;\n]{{0,30}}?(?:围绕[^。\n]{{0,20}}?提交"
         r"|为(?:证明|支持)[^。\n]{0,30}?(?:提交|提供|举示|出示)|(?:提交|提供|举示|出示)了?[^。:\n]{0,12}?证据)"
         r"|被告[^。:;\n]{0,30}?(?:提交|提供|举示|出示)了?[^。:\n]{0,12}?证据|(?:经|本院)(?:组织"
         r"|庭审)[^。\n]{0,20}?质证"
         r"|(?:以上|上述)(?:查明的)?事实,(?:有|由)"
            r"|对(?:当事人|双方)[^。\n]{0,12}?(?:无异议|有争议|有异议)的(?:证据|事实)"),
        ("issues", r"(?:(?:根据|综合|结合)[^。\n]{0,40}?,)?(?:本院(?:确定|归纳|认为)?,?)?"
         r"本案(?:的)?(?:主要)?争议(?:的)?焦点"),
        ("found",
         r"(?:另查明|又查明|再查明|经审理查明|经(?:庭审|开庭审理|公开审理|本院)?(?:审理)?,?(?:本院)?(?:审理)?查明"
         r"|本院(?:经审理)?(?:查明|认定(?:以下|如下)?事实|审理查明)"
         r"|根据[^。\n]{0,50}?(?:认定|确认|查明)(?:以下|如下)?(?:事实|如下))"),
    ),
    "CR": (
        ("charge", r"(?:[^。\n:;,]{0,40}?(?:人民检察院|公诉机关|检察机关|起诉书))[^。\n:;,]{0,20}?"
         r"指控(?:的(?:犯罪)?事实)?(?=:|,|称|如下|被告人[^。,]{1,12}?[于在自]?[0-9]{4}年)"),
        ("opinion", rf"(?:(?:据此|为此|综上|故|针对上述[^。\n,]{{0,12}}),?)?{_PROSECUTION}(?:当庭|据此)?"
         r"(?:认为|建议|提请|提出[^。\n]{0,10}?量刑建议)|指控认为"),
        ("defence",
         r"(?:(?:庭审中|审理中),?)?(?:被告人[^。\n:;,]{0,12}?的?|其)?(?<!及其)(?:指定|委托)?辩护人[^。\n:;]{0,20}?"
         r"(?:提出|辩称|认为|辩护|的?意见|对[^。\n]{0,40}?异议|称|发表|建议|请求)"),
        ("plea",
         r"(?:(?:庭审中|审理中|在庭审中|在开庭审理过程中),?)?被告人[^。\n:;,]{0,12}?(?:及其辩护人)?"
         r"(?:对[^。\n]{0,60}?(?:异议|意见|供认)|辩称|辩解|当庭|在庭审|在开庭|自愿认罪|认罪|均?(?:无|没有)异议|否认"
         r"|称(?=公诉|指控|起诉|,|:|其(?:行为|没有|不))"
         r"|表示(?:自愿|认罪|无异议|没有异议|对))"),
        ("found", r"(?:另|又|再)查明|经(?:本院)?(?:依法)?(?:公开)?(?:开庭)?(?:庭审)?(?:审理)?,?(?:本院)?查明"
         r"|本院(?:经审理)?(?:查明|认定如下)|审理查明"),
        ("evidence",
         r"对?(?:上述|以上|前述|认定上述|证明上述|认定以上)[^。\n,;:]{0,6}?(?:犯罪)?事实(?!,?(?:清楚|成立))"
         r"|(?:上述|以上)证据|认定[^。\n]{0,10}?事实的证据"
         r"|(?:(?:为|针对|就)[^。\n,]{0,16},)?(?:公诉机关|公诉人|检察机关)[^。\n]{0,40}?(?:提交|出示|宣读|举示|提供"
         r"|列举)[^。\n]{0,200}?证据"),
    ),
}  # fmt: skip
"""What opens a part, at the head of a sentence."""
_STARTS = r"(?:^|(?<=[。;:!?\n]))[ \t]*"
_RULES = re.compile(r"判决如下[ \t]*[:;,。]?")
_REASON = re.compile(rf"{_STARTS}(?:本院(?:经审理|经审查|经评议|依法)?认为)[:,]?", re.MULTILINE)
_TAIL = re.compile(
    rf"{_STARTS}(?:如不服本|如对本判决不服|不服本判决|当事人不服"
    r"|(?:审判长|独任审判员|代理审判员|审判员|书记员)[ :]|本判决为终审)"
    r"|^(?:审判长|代理审判员|审判员|人民陪审员)(?=[\u4e00-\u9fff]{2,4}$)",
    re.MULTILINE,
)
_BASIS = re.compile(r"(?:依照|依据|根据|按照|适用)(?=[^。;\n《]{0,20}《|[^。;\n《]{0,30}(?:法|条例|规定|解释)第)")
_LEAD = re.compile(r"[,;]?(?:综上(?:所述)?|据此|为此|故|现|并)?[,;]?$")
_COURSE = re.compile(
    r"^(?:原告.{0,160}?(?:一案|纠纷案)|[^\n]{0,60}?(?:人民检察院)[^\n]{0,40}?(?:起诉书|指控|提起公诉)"
    r"|[^\n]{0,80}?(?:一案)[^\n]{0,20}?(?:本院|现已))",
    re.MULTILINE,
)
"""The paragraph that tells the course of the case: the parties are named before it."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A judgment in its parts; parts that were not found are empty.

    head: lines before the course of the case; course: how it came to trial; parts: by the keys of `ANCHORS`; reason:
    from 本院认为 to the laws; laws: the clause that names them; ruled: from 判决如下 on; tail: notice of appeal,
    bench, day.
    """

    env: Env
    text: str
    head: tuple[str, ...]
    course: str
    parts: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    laws: str = ""
    ruled: str = ""
    tail: str = ""

    def part(self, key: str) -> str:
        """The words of a part, or nothing."""
        return self.parts.get(key, "")


def taken_apart(text: str, env: Env) -> Paper:
    """A judgment in its parts; the text holds 判决如下."""
    folded = fold_width(text)
    rules = list(_RULES.finditer(folded))
    ruled_from, ruled = rules[-1].span() if rules else (len(text), len(text))
    end = _TAIL.search(folded, ruled)
    stop = end.start() if end else len(text)
    found = [(key, start) for key, start in _anchored(folded, env) if start < ruled_from]
    begin = _reason_start(folded, ruled_from, max((start for key, start in found if key == "found"), default=0))
    first = min([start for _, start in found] + [begin])
    head, course = _head_and_course(text[:first], folded[:first])
    reason, laws = _reason_and_laws(text[begin:ruled_from])
    return Paper(
        env, text, head, course, _parts(text[:begin], [place for place in found if place[1] < begin]), reason, laws,
        text[ruled : stop].strip().lstrip("：:；;，,。 "), text[stop:].strip(),
    )  # fmt: skip


def _anchored(folded: str, env: Env) -> list[tuple[str, int]]:
    """Parts and where they begin. What tells why somebody stayed away before any claim belongs to the course of the
    case."""
    pattern = re.compile(
        _STARTS + "(?:" + "|".join(f"(?P<{key}>{words})" for key, words in ANCHORS[env]) + ")", re.MULTILINE
    )
    found = [(match.lastgroup or "", match.start()) for match in pattern.finditer(folded)]
    openings = {"CI": ("claims", "told", "complaint"), "CR": ("charge", "found")}[env]
    first = next((place for place, (key, _) in enumerate(found) if key in openings), None)
    return [] if first is None else found[first:]


def _reason_start(folded: str, stop: int, after: int) -> int:
    """Where 本院认为 begins: the first at the head of a paragraph behind the facts, else the first behind them."""
    places = [match.start() for match in _REASON.finditer(folded, after, stop)]
    heads = [place for place in places if place == 0 or folded[place - 1] == "\n"]
    if heads or places:
        return (heads or places)[0]
    plain = folded.rfind("本院认为", after, stop)
    return plain if plain >= 0 else stop


def _head_and_course(text: str, folded: str) -> tuple[tuple[str, ...], str]:
    match = _COURSE.search(folded)
    start = match.start() if match else len(text)
    return tuple(filter(None, map(str.strip, text[:start].split("\n")))), text[start:].strip()


def _parts(text: str, found: list[tuple[str, int]]) -> dict[str, str]:
    parts: dict[str, list[str]] = {}
    ends = [start for _, start in found[1:]] + [len(text)] * bool(found)
    for (key, start), end in zip(found, ends, strict=True):
        parts.setdefault(key, []).append(text[start:end].strip())
    return {key: "\n".join(filter(None, pieces)) for key, pieces in parts.items()}


def _reason_and_laws(text: str) -> tuple[str, str]:
    """The reasons and the clause 依照《…》第…条 at their end."""
    folded = fold_width(text)
    floor = max(0, len(folded) - 3000)
    for match in reversed(list(_BASIS.finditer(folded, floor))):
        behind = folded[match.start() :]
        if behind.rstrip("。;,:\n 之的规定").count("。") == 0 and "条" in behind:
            start = match.start()
            # A list of laws goes on: the clause begins at the first 依照 of its sentence.
            sentence = max(folded.rfind(sign, 0, start) for sign in "。\n;") + 1
            first = _BASIS.search(folded, sentence)
            start = first.start() if first else start
            lead = _LEAD.search(folded[:start])
            return _bare(text[: lead.start() if lead else start]), text[start:].strip(" \t\n，,：:")
    return _bare(text), ""


def _bare(reason: str) -> str:
    match = _REASON.match(fold_width(reason))
    return (reason[match.end() :] if match else reason).strip(" \t\n：:，,")


# --- lists inside a part --------------------------------------------------------------------------------------------

_ROUND_DIGITS = "⓪①②③④⑤⑥⑦⑧⑨⑩"
_FAMILIES = (
    re.compile(rf"{_STARTS}(?P<n>[一二三四五六七八九十]{{1,3}})、", re.MULTILINE),
    re.compile(
        rf"(?:{_STARTS}|(?<=[有为下,]))(?P<n>[0-9]{{1,2}})[、.](?![0-9]+(?:[万亿]?元|%|[米克吨倍亩]))", re.MULTILINE
    ),
    re.compile(rf"{_STARTS}\((?P<n>[0-9]{{1,2}}|[一二三四五六七八九十]{{1,3}})\)[、,.]?", re.MULTILINE),
    re.compile(r"(?P<n>[①②③④⑤⑥⑦⑧⑨⑩])"),
    re.compile(rf"{_STARTS}证据(?P<n>[一二三四五六七八九十]{{1,3}}|[0-9]{{1,2}})[、,:.]?", re.MULTILINE),
    re.compile(rf"(?:{_STARTS}|(?<=,))(?P<n>[一二三四五六七八九])是", re.MULTILINE),
)


def items(text: str, least: int = 2) -> tuple[str, list[str]]:
    """What stands before a numbered list, and its items without their numbers; no items where there is no list.

    Only numbers that count on from one belong to a list, whatever else looks like one. `least`: how many make a list.
    """
    folded = fold_width(text)
    for pattern in _FAMILIES:
        marks: list[re.Match[str]] = []
        for mark in pattern.finditer(folded):
            if _value(mark["n"]) == len(marks) + 1:
                marks.append(mark)
        if len(marks) < least:
            continue
        ends = [mark.start() for mark in marks[1:]] + [len(text)]
        found = [text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)]
        return text[: marks[0].start()].strip(), [item for item in found if item]
    return text, []


def _value(number: str) -> int:
    if number.isascii():
        return int(number)
    if number in _ROUND_DIGITS:
        return _ROUND_DIGITS.index(number)
    return chinese_to_int(number) or 0


_SENTENCE = re.compile(r"[^。！？\n]*[。！？]?[”』」]?")


def sentences(text: str) -> list[str]:
    """Sentences with the signs that end them."""
    return [found for match in _SENTENCE.finditer(text) if (found := match[0].strip())]


def lead_of(text: str, env: Env, key: str) -> int:
    """Length of the words that open a part."""
    words = dict(ANCHORS[env])[key]
    match = re.match(rf"[ \t]*(?:{words})[ \t:,]*", fold_width(text))
    return match.end() if match else 0
