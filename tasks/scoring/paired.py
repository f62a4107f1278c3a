"""Two sets of answers to the same tasks: by how much they differ, and whether chance alone could do it.

Values are shares from 0 to 1, a difference is the second minus the first, from -1 to 1. The unit of sampling is the
cluster, as everywhere (`statistics`): whole clusters change sides, never single tasks of one. p values are two-sided,
draws are seeded.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tasks.scoring.statistics import Interval, cluster_error, cluster_sums, t_quantile, wilson

FLIPS = 20_000
"""Draws of signs where all of them are too many to go through."""
POWER = 0.8
"""How often a difference that is called detectable would be found."""
_MOST_WHOLE = 5000
"""Clusters that differ by whole numbers up to which every choice of signs is counted; chances below 1e-300 are
none."""
_MOST_EXACT = 14
"""Other clusters that differ, up to which every choice of signs is gone through."""


@dataclass(frozen=True, slots=True)
class Fourfold:
    """Tasks that both sides solved, only the first, only the second, none."""

    both: int
    first: int
    second: int
    none: int

    @property
    def mcnemar(self) -> float:
        """McNemar's test, exact: as if all tasks were independent."""
        n, least = self.first + self.second, min(self.first, self.second)
        return min(1.0, 2 * sum(math.comb(n, k) for k in range(least + 1)) / 2**n) if n else 1.0


@dataclass(frozen=True, slots=True)
class PairedResult:
    """What n pairs in so many clusters say.

    p: of the test by signs of whole clusters; detectable: the difference that a comparison of this size and spread
    finds with `POWER`; None where a single cluster says nothing about spread. fourfold: where every value is 0 or 1.
    """

    n: int
    clusters: int
    first: float
    second: float
    difference: float
    interval: Interval
    p: float
    test: str
    detectable: float | None
    fourfold: Fourfold | None


def paired(
    first: Sequence[float], second: Sequence[float], clusters: Sequence[Hashable], *, seed: int = 0
) -> PairedResult:
    """Compare two lists of values of the same tasks in the same order.

    Raises:
        ValueError: there is no pair, or the lists differ in length.
    """
    if not first or not len(first) == len(second) == len(clusters):
        raise ValueError(f"{len(first)} and {len(second)} values in {len(clusters)} clusters are no pairs")
    differences = [b - a for a, b in zip(first, second, strict=True)]
    n = len(first)
    p, test = sign_flip(differences, clusters, seed=seed)
    return PairedResult(
        n, len(set(clusters)), math.fsum(first) / n, math.fsum(second) / n, math.fsum(differences) / n,
        difference_interval(differences, clusters), p, test, detectable(differences, clusters),
        _fourfold(first, second),
    )  # fmt: skip


def difference_interval(differences: Sequence[float], clusters: Sequence[Hashable]) -> Interval:
    """The 95 % interval of the mean difference: t over clusters.

    Where no pair differs, or all by the same, there is no spread to learn from: Wilson over clusters says how rare it
    must be that one turns out otherwise. One cluster says nothing.
    """
    count, mean = len(set(clusters)), math.fsum(differences) / len(differences)
    if count < 2:
        return Interval(-1.0, 1.0, "a single cluster says nothing")
    if max(differences) - min(differences) < 1e-12:
        rare = wilson(0, count)[1]
        low, high = sorted((mean, mean * (1 - 2 * rare))) if mean else (-rare, rare)
        return Interval(low, high, f"Wilson over {count} clusters (no spread)")
    width = t_quantile(0.975, count - 1) * cluster_error(differences, clusters)
    return Interval(max(-1.0, mean - width), min(1.0, mean + width), f"clustered t, {count - 1} df")


def detectable(differences: Sequence[float], clusters: Sequence[Hashable]) -> float | None:
    """The smallest true difference that a comparison with this spread would find at 5 % with `POWER`."""
    count = len(set(clusters))
    error = cluster_error(differences, clusters) if count > 1 else 0.0
    if not error:
        return None
    return error * (t_quantile(0.975, count - 1) + t_quantile(POWER, count - 1))


def detectable_before(n: float, disagree: float) -> float:
    """The smallest difference of two success rates that n independent tasks would find at 5 % with `POWER`.

    Args:
        n: tasks, or their effective number.
        disagree: the share of tasks that only one of both is expected to solve.
    """
    normal = NormalDist()
    z, power = normal.inv_cdf(0.975), normal.inv_cdf(POWER)
    least, most = 0.0, disagree
    for _ in range(60):  # Connor 1987: z sqrt(psi) + z' sqrt(psi - d^2) = d sqrt(n), solved by halving
        d = (least + most) / 2
        found = z * math.sqrt(disagree) + power * math.sqrt(max(0.0, disagree - d * d)) <= d * math.sqrt(n)
        least, most = (least, d) if found else (d, most)
    return most


def sign_flip(
    differences: Sequence[float], clusters: Sequence[Hashable], *, draws: int = FLIPS, seed: int = 0
) -> tuple[float, str]:
    """The p value and the name of the test: if both sides were alike, every cluster could as well have turned out the
    other way round.

    All choices of signs are counted where clusters differ by whole numbers (yes-or-no values), which for clusters of
    one task is McNemar's exact test, and where they are few; else they are drawn, and the choice that was seen counts
    as one of them.
    """
    sums = cluster_sums(differences, clusters)
    sums = np.abs(sums[np.abs(sums) > 1e-12])
    seen = abs(math.fsum(differences))
    if not len(sums):
        return 1.0, "no cluster differs"
    whole = np.rint(sums)
    if len(sums) <= _MOST_WHOLE and np.allclose(sums, whole, atol=1e-9):
        return _all_signs(whole.astype(np.int64), round(seen)), "sign flips of clusters, exact"
    if len(sums) <= _MOST_EXACT:
        signs = (np.arange(2 ** len(sums))[:, None] >> np.arange(len(sums)) & 1) * 2 - 1
        return float((np.abs(signs @ sums) >= seen - 1e-9).mean()), "sign flips of clusters, exact"
    generator = np.random.default_rng(seed)
    reached, left = 0, draws
    while left:
        some = min(left, max(1, 4_000_000 // len(sums)))
        kept = generator.integers(0, 2, (some, len(sums)), dtype=np.int8) @ sums
        reached += int((np.abs(2 * kept - sums.sum()) >= seen - 1e-9).sum())
        left -= some
    return (reached + 1) / (draws + 1), f"sign flips of clusters, {draws:,} draws, seed {seed}"


def _all_signs(sums: NDArray[np.int64], seen: int) -> float:
    """The share of all choices of signs whose sum is at least as far from 0: by adding one cluster after the
    other."""
    chances, reach = np.ones(1), 0
    for size in map(int, sums):
        wider = np.zeros(len(chances) + 2 * size)
        wider[: len(chances)] += chances / 2
        wider[2 * size :] += chances / 2
        chances, reach = wider, reach + size
    far = np.abs(np.arange(-reach, reach + 1)) >= seen
    return min(1.0, float(chances[far].sum()))


def holm(values: Sequence[float]) -> list[float]:
    """The p values of several comparisons, adjusted so that all of them together err in 5 % (Holm 1979)."""
    adjusted, least = [0.0] * len(values), 0.0
    for rank, place in enumerate(sorted(range(len(values)), key=lambda place: values[place])):
        least = max(least, min(1.0, (len(values) - rank) * values[place]))
        adjusted[place] = least
    return adjusted


def _fourfold(first: Sequence[float], second: Sequence[float]) -> Fourfold | None:
    if any(value not in (0.0, 1.0) for value in (*first, *second)):
        return None
    kinds = list(zip(first, second, strict=True))
    return Fourfold(*(kinds.count(kind) for kind in ((1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0))))
