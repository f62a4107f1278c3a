"""Feasts and days of the Chinese calendar in a year: wide enough for what people mean by them, and marked as a
reading."""

from __future__ import annotations

from datetime import date, timedelta

from store.search.period import Period, numeral

_FEASTS: dict[str, tuple[str, int, int, int]] = {
    "元旦": ("solar", 1, 1, 1), "清明": ("solar", 4, 4, 2), "五一": ("solar", 5, 1, 1), "劳动节": ("solar", 5, 1, 1),
    "六一": ("solar", 6, 1, 1), "七一": ("solar", 7, 1, 1), "八一": ("solar", 8, 1, 1), "国庆": ("solar", 10, 1, 7),
    "十一": ("solar", 10, 1, 7), "圣诞": ("solar", 12, 25, 1), "双十一": ("solar", 11, 11, 1),
    "春节": ("lunar", 1, 1, 7), "过年": ("lunar", 1, 1, 7), "除夕": ("eve", 1, 1, 1), "元宵": ("lunar", 1, 15, 1),
    "端午": ("lunar", 5, 5, 1), "七夕": ("lunar", 7, 7, 1), "中秋": ("lunar", 8, 15, 1), "重阳": ("lunar", 9, 9, 1),
    "腊八": ("lunar", 12, 8, 1), "小年": ("lunar", 12, 23, 2),
}  # fmt: skip
"""Name -> calendar, month, day, and how many days it lasts."""

FEAST = "(?:" + "|".join(sorted(_FEASTS, key=len, reverse=True)) + ")(?!月)节?(?:夜|假期|期间|当天|那天|长假)*"
"""Pattern of a feast behind its year."""
_MONTHS = {"正": 1, "冬": 11, "腊": 12}


def feast(year: int, words: str) -> Period:
    """The days of a feast in a year; those of the Chinese calendar by its year. ValueError where that is not
    known."""
    name = max((name for name in _FEASTS if words.startswith(name)), key=len)
    calendar, month, day, length = _FEASTS[name]
    first = date(year, month, day) if calendar == "solar" else _solar(year, month, day)
    first -= timedelta(days=calendar == "eve")
    return Period(first, first + timedelta(days=length - 1), 0, 0, "", calendar != "solar" or length > 1)


def lunar_day(year: int, month: str, day: int) -> date | None:
    """A day of the Chinese calendar (month as written: 八, 闰四, 腊); None where there is no such day."""
    number = _MONTHS.get(month) or numeral(month.removeprefix("闰")) or 0
    try:
        return _solar(year, number, day, leap=month.startswith("闰"))
    except ValueError:
        return None


def _solar(year: int, month: int, day: int, *, leap: bool = False) -> date:
    from lunardate import LunarDate  # a table of two centuries, needed by few questions

    day_of_ours: date = LunarDate(year, month, day, leap).to_solar_date()
    return day_of_ours
