"""The text of a judgment in its parts, and what every part may hold: numbered lists, sentences, rulings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Literal

from store.text.dates import parse_date
from store.text.normalise import fold_width
from store.text.numerals import chinese_to_int, to_decimal

Env = Literal["CI", "CR"]
LONGEST = 20_000
"""Characters of one field of a case file."""
STARTS = r"(?:^|(?<=[。;:!?\n]))[ \t]*"


@dataclass(frozen=True, slots=True)
class Judgment:
    """A judgment in its parts; what was not found is empty.

    head: lines before the course of the case; course: how it came to trial; parts: claims, answer, charge, evidence
    and the like; reason: from 本院认为 to the laws; laws: the clause that names them; ruled: from 判决如下 on; tail:
    notice of appeal, bench, day.
    """

    env: Env
    text: str = ""
    head: tuple[str, ...] = ()
    course: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    laws: str = ""
    ruled: str = ""
    tail: str = ""

    def part(self, key: str) -> str:
        """The words of a part, or nothing."""
        return self.parts.get(key, "")

    def all_of(self, keys: str) -> str:
        """The words of several parts, those there are."""
        return "\n".join(filter(None, map(self.part, keys.split())))


def procedure_in(course: str) -> str:
    """The procedure under which a text says that the case was tried, "" where it says none."""
    course = fold_width(course)
    if re.search(r"转(?:为|换为)?(?:适用)?普通程序", course):
        return "普通程序"
    named = {"小额诉讼": "小额诉讼程序", **{name: name for name in ("速裁程序", "简易程序", "普通程序")}}
    return next((name for word, name in named.items() if word in course), "")


def clipped(text: str, name: str, notes: list[str]) -> str:
    """A text that fits into a field; a cut is noted."""
    text = text.strip()
    if len(text) > LONGEST:
        notes.append(f"{name}: cut at {LONGEST} characters")
    return text[:LONGEST].strip()


_RULING = re.compile(r"(?:^|(?<=[。;\n]))[ \t]*(?=[一二三四五六七八九十]{1,3}、)", re.MULTILINE)


def ruled_lines(ruled: str) -> list[str]:
    """判决主文, a paragraph or an item an entry, with their numbers."""
    cuts = [0, *(match.start() for match in _RULING.finditer(fold_width(ruled))), len(ruled)]
    parts = (ruled[start:end] for start, end in zip(cuts, cuts[1:], strict=False))
    return [line[:LONGEST] for part in parts for line in map(str.strip, part.split("\n")) if line]


_ROUND_DIGITS = "⓪①②③④⑤⑥⑦⑧⑨⑩"
_FAMILIES = (
    re.compile(rf"{STARTS}(?P<n>[一二三四五六七八九十]{{1,3}})、", re.MULTILINE),
    re.compile(
        rf"(?:{STARTS}|(?<=[有为下,]))(?P<n>[0-9]{{1,2}})[、.](?![0-9]+(?:[万亿]?元|%|[米克吨倍亩]))", re.MULTILINE
    ),
    re.compile(rf"{STARTS}\((?P<n>[0-9]{{1,2}}|[一二三四五六七八九十]{{1,3}})\)[、,.]?", re.MULTILINE),
    re.compile(r"(?P<n>[①②③④⑤⑥⑦⑧⑨⑩])"),
    re.compile(rf"{STARTS}证据(?P<n>[一二三四五六七八九十]{{1,3}}|[0-9]{{1,2}})[、,:.]?", re.MULTILINE),
    re.compile(rf"(?:{STARTS}|(?<=,))(?P<n>[一二三四五六七八九])是", re.MULTILINE),
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


_HAN = "零〇○一二三四五六七八九十百千万亿两壹贰叁肆伍陆柒捌玖拾佰仟"
_SUM = re.compile(
    r"(?P<sum>(?<![0-9.,])[0-9][0-9,]{0,18}(?:\.[0-9]{1,4})? ?[千百]?[万亿]?(?:[0-9]{1,4}(?=元))?"
    rf"|[{_HAN}]{{1,20}}) ?余?元(?!/)(?=(?P<after>[^,。;、]{{0,6}}))"
)
_BASE = re.compile(r"(?:以|按|基数为?|每[日天月年]|超过|低于|上限为?|扣除|其中|标准为?)(?:人民币|¥)?$")
_NO_SUM = re.compile(
    r"为(?:基数|本金|标准|限)|的(?:基数|标准|[0-9.]{1,4}[倍%‰]|[一二三四五六七八九十两]{1,3}倍)|每[日天月年]"
)
_NOTE = re.compile(r"\([^()]{0,300}\)")
_TOTAL = re.compile(r"(?:合计|共计|总计|总额|共)(?:为|人民币|¥|:)*$")
_DAY = re.compile(
    r"(?P<full>[0-9]{4} ?年 ?[0-9]{1,2} ?月 ?[0-9]{1,2} ?[日号]"
    r"|[〇零○一二三四五六七八九]{4}年[一二三四五六七八九十]{1,3}月[一二三四五六七八九十]{1,3}日)"
    r"|同年 ?(?P<month>[0-9]{1,2}) ?月 ?(?P<day>[0-9]{1,2}) ?[日号]"
    r"|(?:同月|(?<=[,;、。])当月) ?(?P<only>[0-9]{1,2}) ?[日号]"
    r"|(?P<next>次日|翌日)|(?P<same>同日|同一日|当日)"
)
_ROUND = re.compile(r"(?<=[〇零○一二三四五六七八九])[Oo0](?=[〇零○一二三四五六七八九Oo0])")
_NUMBER = rf"(?:[0-9]{{1,3}}|[{_HAN}]{{1,4}})"
_TERM = re.compile(rf"(?:(?P<years>{_NUMBER}) ?年(?P<half>半)?)?(?:零|又)?(?:(?P<months>{_NUMBER}) ?个?月)?")
TERM = re.sub(r"\?P<\w+>", "?:", _TERM.pattern)
"""A term without named groups, to stand in larger patterns; it may match nothing."""
_MOST = 1e13


@dataclass(frozen=True, slots=True)
class Day:
    """A day that a text names, and where."""

    day: date
    start: int
    end: int


def days(text: str) -> Iterator[Day]:
    """Days in order; 同年, 同月, 次日 and 同日 are reckoned from the one before."""
    last: date | None = None
    for match in _DAY.finditer(_ROUND.sub("〇", fold_width(text))):
        found = _day(match, last)
        if found is not None:
            last = found
            yield Day(found, match.start(), match.end())


def _day(match: re.Match[str], last: date | None) -> date | None:
    if match["full"]:
        return parse_date(match["full"].replace(" ", ""))
    if last is None:
        return None
    try:
        if match["month"]:
            return last.replace(month=int(match["month"]), day=int(match["day"]))
        if match["only"]:
            return last.replace(day=int(match["only"]))
        return last + timedelta(days=1) if match["next"] else last
    except (ValueError, OverflowError):
        return None


def sums(text: str) -> list[float]:
    """Sums that a text names, notes in brackets and bases of interest aside."""
    return [amount for amount, _ in _sums(text)]


def one_sum(text: str) -> float | None:
    """The one sum that a text is about: the only one, or the total of several; else none."""
    found = _sums(text)
    totals = [amount for amount, label in found if _TOTAL.search(label)]
    if len(totals) == 1 and len(found) > 1:
        return totals[0]
    return found[0][0] if len(found) == 1 else None


def _sums(text: str) -> list[tuple[float, str]]:
    folded = _NOTE.sub("", fold_width(text))
    found = []
    start = 0
    for match in _SUM.finditer(folded):
        label = folded[start : match.start()]
        amount = to_decimal(match["sum"].replace(" ", ""))
        start = match.end("sum") + 1
        if amount is None or _BASE.search(label) or _NO_SUM.match(match["after"]) or not 0 <= amount < _MOST:
            continue
        found.append((round(float(amount), 2), label))
    return found


def months(text: str) -> int | None:
    """Months of a text that is a term and nothing else: 一年六个月 is 18."""
    match = _TERM.fullmatch(fold_width(text).strip())
    if match is None or not (match["years"] or match["months"]):
        return None
    years, rest = (to_decimal(part) if part else 0 for part in (match["years"], match["months"]))
    if years is None or rest is None:
        return None
    total = int(years) * 12 + int(rest) + (6 if match["half"] else 0)
    return total if 0 < total <= 300 else None
