"""What repeats of the same tasks say: how far runs of one agent lie apart, and how often one task turns out both
ways.

Values are shares from 0 to 1; a task is solved where its value is 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

SOLVED = 1.0


@dataclass(frozen=True, slots=True)
class Repeats:
    """Of tasks that were each played k times. spread: the standard deviation between the means of the repeats;
    all_solved: the share of tasks solved every time (pass^k); flips: the share solved at one time and not at
    another."""

    k: int
    tasks: int
    spread: float
    all_solved: float
    flips: float


def repeats(values: Mapping[str, Sequence[float]]) -> Repeats | None:
    """What the repeats of each task came to, in their order; None without two of any.

    Only tasks that were played as often as any count: a mean over other tasks would differ for that alone.
    """
    k = max((len(own) for own in values.values()), default=0)
    full = [own for own in values.values() if len(own) == k]
    if k < 2:
        return None
    solved = [[value == SOLVED for value in own] for own in full]
    return Repeats(
        k, len(full), stdev(fmean(times) for times in zip(*full, strict=True)),
        math.fsum(map(all, solved)) / len(full), math.fsum(any(own) and not all(own) for own in solved) / len(full),
    )  # fmt: skip
