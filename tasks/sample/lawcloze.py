"""Questions that blank out one quantity of an article which an amendment changed: what stood there in a year?

The options are the quantities of both versions and two that never stood there. The year is one in which the article
read the same from the first day to the last.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from random import Random

from store.statutes.model import Article, LawVersion
from store.text.numerals import chinese_to_int, int_to_chinese
from tasks.legalsearch.construct.book import Book
from tasks.legalsearch.construct.changes import QUANTITY, Change
from tasks.legalsearch.construct.travel import clause

BLANK = "（　　）"
_NUMERAL = re.compile("[一二三四五六七八九十百千万亿两]+")
_SHIFTS = (1, -1, 2, -2, 3, 4)
_LAST_YEAR = 2024


@dataclass(frozen=True, slots=True)
class Cloze:
    """A question with its options; `answer` is one of them. It is about `article` in `year`."""

    text: str
    options: tuple[str, ...]
    answer: str
    article: Article
    year: int


def cloze(book: Book, change: Change, rng: Random) -> Cloze | None:
    """A question about one side of a change; None where more than one quantity changed, or no whole year is
    covered."""
    sides = [(change.before, change.old, change.after), (change.after, change.new, change.before)]
    article, version, other = rng.choice(sides)
    own, beside = (clause(a.text or "", b.text or "") for a, b in ((article, other), (other, article)))
    values, others = QUANTITY.findall(own), QUANTITY.findall(beside)
    if QUANTITY.sub("□", own) != QUANTITY.sub("□", beside):
        return None
    differing = [place for place, pair in enumerate(zip(values, others, strict=True)) if pair[0] != pair[1]]
    years = _whole_years(version)
    if len(differing) != 1 or own.count(values[differing[0]]) != 1 or not years:
        return None
    right, wrong = values[differing[0]], others[differing[0]]
    shown = clause_shown(own, right)
    stood = {_value(right), _value(wrong)}
    never = [text for text in _near(right) if _value(text) not in stood]
    if len(never) < 2 or not shown:
        return None
    options = [right, wrong, *rng.sample(never[:4], 2)]
    rng.shuffle(options)
    year = rng.choice(years)
    where = f"《{article.law}》{article.number.chinese}"
    text = f"在{year}年的时间背景下，{where}规定：“{shown}。”括号中应当填入："
    return Cloze(text, tuple(options), right, article, year)


def clause_shown(own: str, right: str) -> str:
    """The clause with the blank; '' where it only leads to a list that would be missing."""
    return "" if own.endswith("：") else own.replace(right, BLANK)


def _whole_years(version: LawVersion) -> list[int]:
    """Years of which the version was in force on every day."""
    return [
        year
        for year in range((version.valid_from or date.max).year, _LAST_YEAR + 1)
        if version.covers(date(year, 1, 1)) and version.covers(date(year, 12, 31))
    ]


def _value(quantity: str) -> tuple[str, int | None]:
    """A quantity as unit and number: 二年 is 两年."""
    match = list(_NUMERAL.finditer(quantity))[-1]
    return quantity[: match.start()] + quantity[match.end() :], chinese_to_int(match[0])


def _near(quantity: str) -> list[str]:
    """The same unit with other numbers of the same size; 百分之 stays below a hundred."""
    match = list(_NUMERAL.finditer(quantity))[-1]
    value = chinese_to_int(match[0])
    if value is None:
        return []
    step = 10 ** (len(str(value)) - len(str(value).rstrip("0"))) if value >= 10 else 1
    step = step // 2 if step >= 10 and value < 5 * step else step
    most = min(3 * value, 95) if quantity.startswith("百分之") else 3 * value
    found = [value + shift * step for shift in _SHIFTS]
    return [quantity[: match.start()] + int_to_chinese(n) + quantity[match.end() :] for n in found if 0 < n <= most]
