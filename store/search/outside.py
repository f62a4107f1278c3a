"""What the window hides: the article that a question is plainly about, when it did not apply on the day asked for.

Beside the answer the same question is ranked without its window. When the first article there did not apply, and what
did stands clearly behind it (`MARGIN`), a note says so before all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np

from store.search.catalogue import Booleans, Catalogue
from store.search.fusion import CONSTANT, FUSION, fuse_weighted
from store.search.query import Span
from store.statutes.book import NotYet, Repealed, StatuteBook
from store.statutes.model import ArticleNumber

MARGIN = 1.5
"""So many times the score of the best article of the day has the winner, at least. On the 772 STARD dev
questions, each asked in the middle of the validity of the newest version of its first article's law, 7 got a note
(0.9 %)."""


def winner(
    catalogue: Catalogue, rankings: Mapping[str, Sequence[int]], inside: Booleans, unsure: Booleans
) -> tuple[int, float] | None:
    """The first row of a ranking without window and how many times the score of the best article of the day it has;
    None where the first article is one of the day. `unsure` are rows of which nobody knows whether they applied:
    their articles say nothing for or against, unless one of them is plainly what is asked about."""
    firsts: dict[str, list[int]] = {}
    for channel, rows in rankings.items():
        articles = catalogue.article[catalogue.places(rows)]
        firsts[channel] = [rows[place] for place in np.sort(np.unique(articles, return_index=True)[1])]
    by_article: dict[int, tuple[float, int]] = {}
    left_out = set(catalogue.article[unsure].tolist())
    for row, score in fuse_weighted(firsts, FUSION, CONSTANT):
        article = int(catalogue.article[row - 1])
        known = by_article.get(article)
        by_article[article] = (score + (known[0] if known else 0.0), known[1] if known else row)
    doubtful = max((by_article.pop(article)[0] for article in left_out & by_article.keys()), default=0.0)
    if not by_article:
        return None
    best, row = max(by_article.values(), key=lambda one: (one[0], -one[1]))
    if MARGIN * best < doubtful:
        return None
    applied = set(catalogue.article[inside].tolist())
    if int(catalogue.article[row - 1]) in applied:
        return None
    next_ = max((score for article, (score, _) in by_article.items() if article in applied), default=0.0)
    return row, best / next_ if next_ else float("inf")


def note(catalogue: Catalogue, book: StatuteBook, row: int, span: Span) -> str:
    """What the statute book says of a row on the day: later:…, later_near:… or ended:… with law, article, day, the
    day on which it begins or ended, and the article beside it that applied; nothing where the book says neither."""
    day = span.last if span.first == date.min else span.first
    version = catalogue.versions[int(catalogue.version[row - 1])]
    number = ArticleNumber(*catalogue.parts(int(catalogue.number[row - 1])))
    answer = book.on(version.law, number, day)
    said = f"{version.law}:{number.chinese}:{day.isoformat()}"
    if isinstance(answer, NotYet) and answer.first.valid_from:
        begins = answer.first.valid_from.isoformat()
        near = ArticleNumber(number.number)
        if number.sub and answer.current and near in book.numbers(version.law, answer.current.label):
            return f"later_near:{said}:{begins}:{near.chinese}"
        return f"later:{said}:{begins}"
    if isinstance(answer, Repealed) and answer.last.valid_to:
        return f"ended:{said}:{answer.last.valid_to.isoformat()}"
    return ""
