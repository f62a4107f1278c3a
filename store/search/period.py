"""A run of days that a text names, and the arithmetic of calendars and numerals that its readers share."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import date

from store.text.numerals import chinese_to_int

HAN_DIGITS = "〇零○一二三四五六七八九"
BLANK = r"[ \t\u00a0]{0,2}"
MONTH = r"(?:1[0-2]|0?[1-9]|\d{2}|十[一二]|[一二三四五六七八九十元正])"
DAY = r"(?:\d{1,2}|[二三]?十[一二三四五六七八九]?|廿[一二三四五六七八九]?|卅一?|初?[一二三四五六七八九十])"
"""Patterns of the numerals in a date."""


@dataclass(frozen=True, slots=True)
class Period:
    """A run of days that a text names at [start, end); said: its words."""

    first: date
    last: date
    start: int
    end: int
    said: str

    @property
    def is_open(self) -> bool:
        """Whether only one end is named."""
        return self.first == date.min or self.last == date.max


def at(period: Period, match: re.Match[str]) -> Period:
    """The period at the place of its words."""
    return replace(period, start=match.start(), end=match.end(), said=match.group().strip())


def months_of(year: int, first: int, last: int) -> Period:
    """The months `first` to `last` of a year, without a place in a text."""
    return Period(date(year, first, 1), date(year, last, monthrange(year, last)[1]), 0, 0, "")


def month_of(year: int, number: int) -> Period:
    """One month of a year; ValueError when there is none of this number."""
    if not 1 <= number <= 12:
        raise ValueError(number)
    return months_of(year, number, number)


def year_part(year: int, part: str) -> Period:
    """年初, 年中 or 年底: the first quarter, four months of summer, the last quarter."""
    return {"初": months_of(year, 1, 3), "中": months_of(year, 5, 8)}.get(part) or months_of(year, 10, 12)


def tenth_of(days: Period, part: str | None) -> Period:
    """The ten days of a month that 上旬, 中旬, 下旬, 初 or 底 names; the month itself without such a word."""
    if not part:
        return days
    first = {"上": 1, "初": 1, "中": 11}.get(part[0], 21)
    last = days.last.day if first == 21 else first + 9
    return replace(days, first=days.first.replace(day=first), last=days.first.replace(day=last))


def numeral(text: str) -> int | None:
    """A numeral of a date: 2012, 二〇一二, 十二, 廿五, 初三, 元, 正."""
    text = text.removeprefix("初")
    if text.isascii():
        return int(text) if text.isdigit() else None
    if text in ("元", "正"):
        return 1
    if all(character in HAN_DIGITS for character in text):
        return int("".join(str(_DIGITS[character]) for character in text))
    return chinese_to_int(text.replace("廿", "二十").replace("卅", "三十"))


_DIGITS = {character: place for character, place in zip(HAN_DIGITS, (0, 0, 0, *range(1, 10)), strict=True)}
