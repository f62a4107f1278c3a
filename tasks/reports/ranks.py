"""Whether two sets of scores rank the same things alike: Kendall's tau-b and Spearman's rho, ties counted as ties."""

from __future__ import annotations

import math
from collections.abc import Sequence


def kendall(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Kendall's tau-b (1945), from -1 to 1; None where one of the two does not rank at all, or for fewer than two."""
    pairs = [(i, j) for i in range(len(first)) for j in range(i)]
    signs = [(_sign(first[i] - first[j]), _sign(second[i] - second[j])) for i, j in pairs]
    ranked = math.sqrt(sum(a != 0 for a, _ in signs) * sum(b != 0 for _, b in signs))
    return sum(a * b for a, b in signs) / ranked if ranked else None


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rho: the correlation of ranks, equal values share the mean of theirs; None as for `kendall`."""
    a, b = ranks(first), ranks(second)
    middle = (len(a) + 1) / 2
    over = sum((x - middle) * (y - middle) for x, y in zip(a, b, strict=True))
    under = math.sqrt(sum((x - middle) ** 2 for x in a) * sum((y - middle) ** 2 for y in b))
    return over / under if under else None


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1 (the least), ties at the mean of their places."""
    return [sum(other < value for other in values) + (values.count(value) + 1) / 2 for value in values]


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
