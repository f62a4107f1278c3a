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
    r"(?P<year>[零〇○一二三四五六七八九]{4})年(?P<month>[一二三四五六七八九十]{1,2})月(?P<day>[一二三四五六七八九十廿卅]{1,3})[日号]"
)


def parse_date(text: str) -> date | None:
    """The day a text names, or None when it is not exactly one date."""
    if len(text) > 40:
        return None
    text = fold_width(text).strip()
    if match := _ARABIC.fullmatch(text):
        parts = [match["year"], match["m1"] or match["m2"], match["d1"] or match["d2"]]
        numbers: list[int | None] = [int(part) for part in parts]
    elif match := _CHINESE.fullmatch(text):
        numbers = [chinese_to_int(match[name]) for name in ("year", "month", "day")]
    else:
        return None
    year, month, day = numbers
    if year is None or month is None or day is None:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def format_date(day: date) -> str:
    """The day as the tables write it: YYYY年MM月DD日."""
    return f"{day.year:04d}年{day.month:02d}月{day.day:02d}日"


def days_between(first: date, second: date) -> int:
    """Days from the first to the second; negative when the second comes earlier."""
    return (second - first).days
