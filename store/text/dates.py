"""Calendar dates as the tables (2014年05月12日) and people (2014-5-12, 二〇一四年五月十二日) write them, days that a
text names one after another, and terms in months."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from store.text.normalise import fold_width
from store.text.numerals import chinese_to_int, to_decimal

_ARABIC = re.compile(
    r"(?P<year>[0-9]{4}) ?(?:年 ?(?P<m1>[0-9]{1,2}) ?月 ?(?P<d1>[0-9]{1,2}) ?[日号]"
    r"|(?P<mark>[-/.])(?P<m2>[0-9]{1,2})(?P=mark)(?P<d2>[0-9]{1,2}))"
)
_CHINESE = re.compile(
    r"(?P<year>[零〇○一二三四五六七八九]{4})年(?P<m>[一二三四五六七八九十]{1,2})月"
    r"(?P<d>[一二三四五六七八九十廿卅]{1,3})[日号]"
)


def parse_date(text: str) -> date | None:
    """The day a text names, or None when it is not exactly one date."""
    text = fold_width(text[:41]).strip()
    match = _ARABIC.fullmatch(text) or _CHINESE.fullmatch(text)
    return _day(match) if match and len(text) <= 40 else None


def _day(match: re.Match[str]) -> date | None:
    named = match.groupdict()
    parts = [named["year"], *(named.get(f"{part}1") or named.get(f"{part}2") or named.get(part) for part in "md")]
    numbers = [int(part) if part.isdecimal() and part.isascii() else chinese_to_int(part) for part in parts if part]
    try:
        year, month, day = numbers
        return date(year or 0, month or 0, day or 0)
    except ValueError:
        return None


def plain_date(day: date | str | None) -> str:
    """The day as courts write it, 2024年5月20日; '' for none, and for what is no day in the form of ISO 8601."""
    if isinstance(day, str):
        try:
            day = date.fromisoformat(day) if len(day) == 10 else None
        except ValueError:
            return ""
    return f"{day.year}年{day.month}月{day.day}日" if day else ""


def days_between(first: date, second: date) -> int:
    """Days from the first to the second; negative when the second comes earlier."""
    return (second - first).days


# --- in a text ------------------------------------------------------------------------------------------------------

_NAMED = re.compile(
    r"(?P<full>[0-9]{4} ?年 ?[0-9]{1,2} ?月 ?[0-9]{1,2} ?[日号]"
    r"|[〇零○一二三四五六七八九]{4}年[一二三四五六七八九十]{1,3}月[一二三四五六七八九十]{1,3}日)"
    r"|同年 ?(?P<month>[0-9]{1,2}) ?月 ?(?P<day>[0-9]{1,2}) ?[日号]"
    r"|(?:同月|(?<=[,;、。])当月) ?(?P<only>[0-9]{1,2}) ?[日号]"
    r"|(?P<next>次日|翌日)|(?P<same>同日|同一日|当日)"
)
_ROUND = re.compile(r"(?<=[〇零○一二三四五六七八九])[Oo0](?=[〇零○一二三四五六七八九Oo0])")


@dataclass(frozen=True, slots=True)
class DayMention:
    """A day that a text names, and where."""

    day: date
    start: int
    end: int


def days(text: str) -> Iterator[DayMention]:
    """Days in order; 同年, 同月, 次日 and 同日 are reckoned from the one before."""
    last: date | None = None
    for match in _NAMED.finditer(_ROUND.sub("〇", fold_width(text))):
        found = _reckoned(match, last)
        if found is not None:
            last = found
            yield DayMention(found, match.start(), match.end())


def _reckoned(match: re.Match[str], last: date | None) -> date | None:
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


# --- terms ----------------------------------------------------------------------------------------------------------

_HAN = "零〇○一二三四五六七八九十百千万亿两壹贰叁肆伍陆柒捌玖拾佰仟"
_NUMBER = rf"(?:[0-9]{{1,3}}|[{_HAN}]{{1,4}})"
LONGEST = 300
"""Months of the longest term (刑法第六十九条)."""
TERM = rf"(?:(?P<years>{_NUMBER}) ?年(?P<half>半)?)?(?:零|又|,)? ?(?:(?P<months>{_NUMBER}|半) ?个?月)?"
"""A term in years and months, to stand in larger patterns; it may match nothing."""
ANY_TERM = re.sub(r"\?P<\w+>", "?:", TERM)
"""The same without named groups."""


def months_of(match: re.Match[str]) -> int:
    """Months of a `TERM` that was found: 一年六个月 is 18."""
    years, months = (to_decimal(match[part]) if match[part] else 0 for part in ("years", "months"))
    return int(years or 0) * 12 + int(months or 0) + (6 if match["half"] else 0)


def months_in(text: str) -> int | None:
    """Months of a text that is a term and nothing else; None where it is none, or longer than any."""
    match = re.fullmatch(TERM, fold_width(text).strip())
    months = months_of(match) if match else 0
    return months if 0 < months <= LONGEST else None
