"""What construction reads: any book of versioned statutes, and which version alone was in force on a day."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from datetime import date, timedelta
from random import Random
from typing import Protocol

from store.statutes.model import Article, Law, LawVersion, Link

OPEN_YEARS = 2
"""A version that is still in force is asked about within so many years of its first day, where the book has no later
day."""
_TRIES = 40


class Book(Protocol):
    """The part of `store.statutes.book.StatuteBook` that construction needs."""

    def laws(self) -> Sequence[Law]:
        """All laws."""
        ...

    def versions(self, law: str) -> Sequence[LawVersion]:
        """The versions of a law, by their first day."""
        ...

    def articles(self, law: str, label: str) -> Sequence[Article]:
        """The articles of a version, in their order."""
        ...

    def links(self, law: str) -> Sequence[Link]:
        """Renumbering and succession of a law."""
        ...


def in_force(book: Book, law: str, day: date) -> LawVersion | None:
    """The version of a law on a day; None where there is none, or more than one."""
    covering = [version for version in book.versions(law) if version.covers(day)]
    return covering[0] if len(covering) == 1 else None


def draw_day(book: Book, version: LawVersion, rng: Random, as_of: date) -> date | None:
    """A day inside the window of a version on which no other version of the law claims to be in force.

    The end of an open window is `as_of`, or some time after its start where it starts later.
    """
    first = version.valid_from
    if first is None:
        return None
    last = version.valid_to or max(as_of, first)
    if version.valid_to is None and last == first:
        last = first + timedelta(days=365 * OPEN_YEARS)
    for _ in range(_TRIES):
        day = first + timedelta(days=rng.randint(0, (last - first).days))
        if in_force(book, version.law, day) == version:
            return day
    return None


def whole_month(book: Book, version: LawVersion, day: date) -> bool:
    """Whether the version alone was in force on every day of the month."""
    length = calendar.monthrange(day.year, day.month)[1]
    return all(in_force(book, version.law, day.replace(day=n)) == version for n in (1, length)) and not any(
        other.valid_from and day.replace(day=1) < other.valid_from <= day.replace(day=length)
        for other in book.versions(version.law)
    )


def written(day: date, *, month_only: bool = False) -> str:
    """2019年4月7日, or 2019年4月."""
    return f"{day.year}年{day.month}月" if month_only else f"{day.year}年{day.month}月{day.day}日"
