"""Which text of one list became which of another: articles of two versions, clauses of two wordings.

Lists are laid side by side in order so that likeness adds up to the most; what is left over may be matched where it
is nearly the same. Likeness is from 0 to 1 over characters, blanks and invisible characters left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

ALIKE = 0.5
"""Two texts that share less are not the same rule revised."""
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


def likenesses(old: Sequence[str], new: Sequence[str]) -> Any:
    """How much each pair of texts has in common, as an array [old, new]; 0 below `ALIKE`."""
    from rapidfuzz import process
    from rapidfuzz.distance import Indel

    rows, columns = ([squeezed(text)[:_CUT] for text in texts] for texts in (old, new))
    return process.cdist(rows, columns, scorer=Indel.normalized_similarity, score_cutoff=ALIKE)


def in_order(values: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Pairs (row, column) that both ascend, for the largest sum of their values."""
    rows, columns = len(values), len(values[0]) if values else 0
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i, line in enumerate(values, 1):
        above, here = best[i - 1], best[i]
        for j, value in enumerate(line, 1):
            here[j] = max(above[j], here[j - 1], above[j - 1] + value if value else 0.0)
    pairs: list[tuple[int, int]] = []
    i, j = rows, columns
    while i and j:
        value = values[i - 1][j - 1]
        if value and best[i][j] == best[i - 1][j - 1] + value:
            pairs.append((i - 1, j - 1))
            i, j = i - 1, j - 1
        elif best[i][j] == best[i - 1][j]:
            i -= 1
        else:
            j -= 1
    return pairs[::-1]


def matched(values: Sequence[Sequence[float]], elsewhere: float) -> list[tuple[int, int, float]]:
    """Pairs (row, column, value): first in order, then what is left over and has a value of at least `elsewhere`."""
    pairs = [(i, j, values[i][j]) for i, j in in_order(values)]
    used_rows, used_columns = {i for i, _, _ in pairs}, {j for _, j, _ in pairs}
    rest = sorted(
        (-value, i, j)
        for i, line in enumerate(values)
        if i not in used_rows
        for j, value in enumerate(line)
        if value >= elsewhere and j not in used_columns
    )
    for value, i, j in rest:
        if i not in used_rows and j not in used_columns:
            used_rows.add(i)
            used_columns.add(j)
            pairs.append((i, j, -value))
    return sorted(pairs)
