"""Calendar dates as the tables (2014年05月12日) and people (2014-5-12, 二〇一四年五月十二日) write them."""

from __future__ import annotations

import re
from datetime import date

from store.text.normalise import fold_width
from store.text.numerals import chinese_to_int

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
