"""A run of days that a text names, and the arithmetic of calendars and numerals that its readers share."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import date, timedelta

from store.text.numerals import chinese_to_int

HAN_DIGITS = "〇零○一二三四五六七八九"
BLANK = r"[ \t\u00a0]{0,2}"
MONTH = r"(?:1[0-2]|0?[1-9]|\d{2}|十[一二]|[〇零]?[一二三四五六七八九十元正]|[〇零])"
DAY = (
    r"(?:\d{1,2}|[〇零][一二三四五六七八九]|[二三]?十[一二三四五六七八九]?"
    r"|廿[一二三四五六七八九]?|卅一?|初?[一二三四五六七八九十])"
)
"""Patterns of the numerals in a date."""


@dataclass(frozen=True, slots=True)
class Period:
    """A run of days that a text names at [start, end); said: its words; about: its ends are a sensible reading, not
    told."""

    first: date
    last: date
    start: int
    end: int
    said: str
    about: bool = False

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
    """年初, 年中, 年底 and the seasons: the first quarter, four months of summer, the last quarter, three months."""
    months = {"初": (1, 3), "中": (5, 8), "春": (3, 5), "夏": (6, 8), "秋": (9, 11)}.get(part, (10, 12))
    if part == "冬":
        return Period(date(year, 12, 1), date(year + 1, 3, 1) - _DAY, 0, 0, "", True)
    return replace(months_of(year, *months), about=True)


def tenth_of(days: Period, part: str | None) -> Period:
    """The ten days of a month that 上旬, 中旬, 下旬, 初 or 底 names; the month itself without such a word."""
    if not part:
        return days
    first = {"上": 1, "初": 1, "中": 11}.get(part[0], 21)
    last = {"上旬": 10, "初": 10, "上中旬": 20, "中旬": 20, "中": 20}.get(part, days.last.day)
    about = part in ("初", "底", "末", "中")
    return replace(days, first=days.first.replace(day=first), last=days.last.replace(day=last), about=about)


def widened(days: Period) -> Period:
    """前后 and 左右: a week on both sides of a day or two, a month on both sides of a month, else a year."""
    length = (days.last - days.first).days
    if days.is_open:
        return replace(days, about=True)
    try:
        if length < 27:
            first, last = days.first - 7 * _DAY, days.last + 7 * _DAY
        elif length < 32:
            after = days.last + _DAY
            first, last = (days.first - _DAY).replace(day=1), month_of(after.year, after.month).last
        else:
            first, last = days.first.replace(year=days.first.year - 1), days.last.replace(year=days.last.year + 1)
    except (ValueError, OverflowError):
        return replace(days, about=True)
    return replace(days, first=first, last=last, about=True)


def plain_numerals(text: str) -> str:
    """贰零壹陆年陆月 as 二〇一六年六月, where years, months and days are counted; nothing changes its place."""
    return _FORMAL.sub(lambda match: match.group().translate(_PLAIN), text)


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


_DAY = timedelta(days=1)
_PLAIN = str.maketrans("零○壹贰貳弍叁參弎肆伍陆陸柒捌玖拾", "〇〇一二二二三三三四五六六七八九十")
_FORMAL = re.compile(r"[零〇○壹贰貳弍叁參弎肆伍陆陸柒捌玖拾]{1,4}(?=[ \t]{0,2}[年月日号])")
_DIGITS = {character: place for character, place in zip(HAN_DIGITS, (0, 0, 0, *range(1, 10)), strict=True)}
