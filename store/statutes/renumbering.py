"""Which article of a new version is which article of the old one, where a revision numbers a law afresh.

Procedure laws are renumbered at each revision, so that the same number is another rule; the Criminal Law keeps its
numbers and inserts 之一. Which of the two happened is read from the texts: the old and the new list are laid side by
side in order, so that likeness adds up to the most, and what is left over is matched where it is nearly the same.
Every link made here is marked as inferred.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from store.statutes.model import Article, ArticleNumber, Link
from store.text.alignment import ALIKE, LARGEST, alike, likenesses, matched

SAME_ELSEWHERE = 0.8
"""An article that changed its place among the others must be this much alike."""
KEPT_SHARE = 0.8
"""A version keeps its numbers when this share of the articles with the same number is alike."""
FEWEST = 5
"""Fewer comparable articles decide nothing."""


def links_between(old: Sequence[Article], new: Sequence[Article], on: date) -> list[Link]:
    """Links for the articles whose number changed from one version to the next; none where numbers were kept.

    Args:
        old, new: the articles of two versions of one law; those without text are left out.
        on: the first day of the new version.
    """
    before, after = _with_text(old), _with_text(new)
    if keeps_numbers(before, after) is not False or len(before) * len(after) > LARGEST:
        return []
    values = likenesses([article.text or "" for article in before], [article.text or "" for article in after])
    found = []
    for i, j, likeness in matched(values.tolist(), SAME_ELSEWHERE):
        start, end = before[i], after[j]
        if start.number != end.number:
            basis = f"inferred: texts alike {likeness:.2f}"
            found.append(Link("renumbered", start.law, start.number, end.law, end.number, on, basis))
    return found


def keeps_numbers(old: Sequence[Article], new: Sequence[Article]) -> bool | None:
    """Whether a number means the same rule in both lists; None where too few texts can be compared."""
    texts: dict[ArticleNumber, str] = {article.number: article.text for article in new if article.text}
    pairs = [(article.text, texts[article.number]) for article in old if article.text and article.number in texts]
    if len(pairs) < FEWEST:
        return None
    same = sum(1 for one, other in pairs if one == other or alike(one, other) >= ALIKE)
    return same >= KEPT_SHARE * len(pairs)


def _with_text(articles: Sequence[Article]) -> list[Article]:
    return [article for article in articles if article.text]
