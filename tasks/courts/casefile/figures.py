"""Days, sums and terms as judgments write them. Sums are in yuan, terms in months; a text that has none gives
none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from store.text.dates import parse_date
from store.text.normalise import fold_width
from store.text.numerals import to_decimal

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
