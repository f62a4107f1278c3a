"""Which article of a new version is which article of the old one, where a revision numbers a law afresh.

Procedure laws are renumbered at each revision, so that the same number is another rule; the Criminal Law keeps its numbers
and inserts 之一. Which of the two happened is read from the texts: the old and the new list are laid side by side in order,
so that likeness adds up to the most, and what is left over is matched where it is nearly the same. Every link made here is
marked as inferred. Likeness is from 0 to 1 over characters, blanks left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from store.statutes.model import Article, ArticleNumber, Link

ALIKE = 0.5
"""Two texts that share less are not the same rule revised."""
SAME_ELSEWHERE = 0.8
"""An article that changed its place among the others must be this much alike."""
KEPT_SHARE = 0.8
"""A version keeps its numbers when this share of the articles with the same number is alike."""
FEWEST = 5
"""Fewer comparable articles decide nothing."""
LARGEST = 4_000_000
"""Pairs of texts that are compared at most."""

_CUT = 800
_UNSEEN = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))


def squeezed(text: str) -> str:
    """A text without blanks and characters that show nothing, for comparing."""
    return "".join(text.translate(_UNSEEN).split())


def alike(one: str, other: str) -> float:
    """How much of two texts is common, from 0 to 1."""
    from rapidfuzz.distance import Indel

    return float(Indel.normalized_similarity(squeezed(one)[:_CUT], squeezed(other)[:_CUT]))


def links_between(old: Sequence[Article], new: Sequence[Article], on: date) -> list[Link]:
    """Links for the articles whose number changed from one version to the next; none where numbers were kept.

    Args:
        old, new: the articles of two versions of one law; those without text are left out.
        on: the first day of the new version.
    """
    before, after = _with_text(old), _with_text(new)
    if keeps_numbers(before, after) is not False or len(before) * len(after) > LARGEST:
        return []
    found = []
    for i, j, likeness in _matched(_likeness(before, after)):
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


def _likeness(before: list[Article], after: list[Article]) -> object:
    from rapidfuzz import process
    from rapidfuzz.distance import Indel

    rows = [squeezed(article.text or "")[:_CUT] for article in before]
    columns = [squeezed(article.text or "")[:_CUT] for article in after]
    return process.cdist(rows, columns, scorer=Indel.normalized_similarity, score_cutoff=ALIKE)


def _matched(likeness: Any) -> list[tuple[int, int, float]]:
    """Pairs (row, column, likeness): first in order, for the largest sum; then what is left and nearly the same."""
    values: list[list[float]] = likeness.tolist()
    rows, columns = len(values), len(values[0])
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i, line in enumerate(values, 1):
        above, here = best[i - 1], best[i]
        for j, value in enumerate(line, 1):
            here[j] = max(above[j], here[j - 1], above[j - 1] + value if value else 0.0)
    pairs: list[tuple[int, int, float]] = []
    i, j = rows, columns
    while i and j:
        value = values[i - 1][j - 1]
        if value and best[i][j] == best[i - 1][j - 1] + value:
            pairs.append((i - 1, j - 1, value))
            i, j = i - 1, j - 1
        elif best[i][j] == best[i - 1][j]:
            i -= 1
        else:
            j -= 1
    used_rows, used_columns = {i for i, _, _ in pairs}, {j for _, j, _ in pairs}
    rest = sorted(
        (-value, i, j)
        for i, line in enumerate(values)
        if i not in used_rows
        for j, value in enumerate(line)
        if value >= SAME_ELSEWHERE and j not in used_columns
    )
    for value, i, j in rest:
        if i not in used_rows and j not in used_columns:
            used_rows.add(i)
            used_columns.add(j)
            pairs.append((i, j, -value))
    return sorted(pairs)
