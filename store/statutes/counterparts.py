"""Where the rule of an article stands in the law that took over the matter of its own: 合同法第一百零七条 in the
Civil Code.

No table of such pairs is kept. The articles of the old law are laid over those of the new one so that what each says,
and the order in which they stand, fit best: a step to the next article, or a little further, is likely, a jump is
allowed. An article says its text, or where the pack has none its heading (条标); its chapter counts beside it.
Nothing here was checked by a person: `margin` tells how much worse the next best place is, and `sure` what that was
worth on known pairs (`tests/measure/measure_counterparts.py`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from store.statutes.model import Article, ArticleNumber, BookRows
from store.text.alignment import likenesses, squeezed

LIKELY, POSSIBLE = 0.24, 0.1
"""Margins from which a counterpart is likely, or offered at all."""
_NEXT, _NEAR, _REACH = 0.5, 0.3, 4
"""What a step to the next article adds, and one that stays or goes at most so far."""
_CHAPTER = 0.5
"""Weight of the chapter beside the words of an article."""
_UNIT = re.compile(r"第[一二三四五六七八九十百]+(?:分编|编|章|节)")

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Counterpart:
    """The article of the law that followed. by: what was compared, texts or a heading; heading: that one; on: the
    first day of the law that followed."""

    law: str
    number: ArticleNumber
    on: date
    sure: Literal["likely", "possible"]
    by: Literal["text", "title"]
    heading: str = ""


class Counterparts:
    """The counterparts of a book, derived once for each pair of laws."""

    def __init__(self, book: BookRows) -> None:
        self._book = book
        self._known: dict[tuple[str, str], dict[ArticleNumber, Counterpart]] = {}

    def of(self, law: str, number: ArticleNumber, day: date) -> Counterpart | None:
        """Where the rule of an article stands, if its law (name or alias) had ended on a day; None where that cannot
        be told."""
        entry, versions = self._book.law(law), self._book.versions(law)
        if entry is None or not versions or any(v.valid_to is None or day <= v.valid_to for v in versions):
            return None
        for link in self._book.successors(entry.name, None, day):
            key = (entry.name, link.to_law)
            if key not in self._known:
                old, new = self._worded(entry.name, titles=True), self._worded(link.to_law, titles=False)
                self._known[key] = counterparts(old, new, link.on)
            if found := self._known[key].get(number):
                return found
        return None

    def _worded(self, law: str, *, titles: bool) -> list[Article]:
        """The articles of the newest version of a law that has any texts, or headings where those will do."""
        for version in reversed(self._book.versions(law)):
            articles = self._book.articles(law, version.label)
            if any(article.text or (titles and article.title) for article in articles):
                return articles
        return []


def counterparts(old: Sequence[Article], new: Sequence[Article], on: date) -> dict[ArticleNumber, Counterpart]:
    """The counterparts of the articles of a law that ended, as far as they can be told.

    Args:
        old: its articles in their order; those with neither heading nor text have none.
        new: the articles of the law that followed, in their order; only those with text are looked at.
        on: its first day.
    """
    before = [article for article in old if article.number.number and (article.title or article.text)]
    after = [article for article in new if article.number.number and article.text]
    if not before or len(after) < 2:
        return {}
    margins, places = _best(_alike(before, after))
    return {
        article.number: Counterpart(
            after[place].law,
            after[place].number,
            on,
            "likely" if margin >= LIKELY else "possible",
            "text" if article.text else "title",
            article.title,
        )
        for article, margin, place in zip(before, margins.tolist(), places.tolist(), strict=True)
        if margin >= POSSIBLE
    }


def _alike(before: Sequence[Article], after: Sequence[Article]) -> Values:
    """How well each old article fits each new one by its words and its chapter."""
    texts = [article.text or "" for article in after]
    values = _covered([article.title for article in before], [_pairs(text) for text in texts])
    having = [place for place, article in enumerate(before) if article.text]
    if having:
        values[having] = np.asarray(likenesses([before[place].text or "" for place in having], texts))
    chapters = [_pairs(" ".join(_headings(article))) for article in after]
    own = [(_headings(article) or [""])[-1] for article in before]
    return values + _CHAPTER * _covered(own, chapters)


def _covered(short: Sequence[str], long: Sequence[frozenset[str]]) -> Values:
    """The share of the pairs of characters of each short text that stand in each long one, rare pairs counting
    more."""
    columns: dict[str, list[int]] = {}
    for place, pairs in enumerate(long):
        for pair in pairs:
            columns.setdefault(pair, []).append(place)
    found = np.zeros((len(short), len(long)))
    for row, text in zip(found, short, strict=True):
        weights = {pair: math.log((len(long) + 1) / (len(columns.get(pair, ())) + 1)) for pair in _pairs(text)}
        for pair, weight in weights.items():
            row[columns.get(pair, [])] += weight
        row /= sum(weights.values()) or 1.0
    return found


def _pairs(text: str) -> frozenset[str]:
    plain = re.sub(r"\W", "", squeezed(text))
    return frozenset(plain[at : at + 2] for at in range(len(plain) - 1))


def _headings(article: Article) -> list[str]:
    headings = (article.part, article.chapter, article.section)
    return [name for heading in headings if (name := squeezed(_UNIT.sub("", heading)))]


def _best(values: Values) -> tuple[Values, Any]:
    """For each row the best column over all ways through the rows, and how much worse the best way through another
    is."""
    through = _ways(values) + _ways(values[::-1, ::-1])[::-1, ::-1] - values
    places = through.argmax(axis=1)
    rows = np.arange(len(values))
    best = through[rows, places]
    through[rows, places] = -np.inf
    return best - through.max(axis=1), places


def _ways(values: Values) -> Values:
    """The most that a way through the rows up to each cell adds up to."""
    sums = values.copy()
    for row in range(1, len(values)):
        before = sums[row - 1]
        best = np.full(values.shape[1], before.max())
        for step in range(min(_REACH + 1, values.shape[1])):
            came = before[: len(before) - step] + (_NEXT if step == 1 else _NEAR)
            np.maximum(best[step:], came, out=best[step:])
        sums[row] += best
    return sums
