"""Statistics for small benchmarks whose tasks are not independent.

Tasks that share a solution path rise and fall together, so the unit of sampling is the cluster, not the task. Rates
are shares from 0 to 1, intervals are (low, high) at 95 % unless said otherwise. Every draw is seeded.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Z95 = NormalDist().inv_cdf(0.975)
DRAWS = 2000
MANY_CLUSTERS = 40
"""From here on the percentile bootstrap over clusters is used, below it t with G - 1 degrees of freedom."""
FEW_CLUSTERS = 10
"""Below this an interval is marked: its width itself is uncertain."""

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval and the method that made it, in words for a table."""

    low: float
    high: float
    method: str


def wilson(k: float, n: float, z: float = Z95) -> tuple[float, float]:
    """Wilson's interval for k of n; both may be fractions (an effective n). (0, 1) when n is 0."""
    if n <= 0:
        return 0.0, 1.0
    rate = k / n
    spread = z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    middle = rate + z * z / (2 * n)
    scale = 1 + z * z / n
    low = 0.0 if k <= 0 else max(0.0, (middle - spread) / scale)
    return low, 1.0 if k >= n else min(1.0, (middle + spread) / scale)


def _grouped(values: Sequence[float], clusters: Sequence[Hashable]) -> tuple[_Floats, _Floats]:
    """Sum and size of each cluster, in order of first appearance."""
    if len(values) != len(clusters):
        raise ValueError(f"{len(values)} values but {len(clusters)} cluster names")
    place: dict[Hashable, int] = {}
    member = np.fromiter((place.setdefault(name, len(place)) for name in clusters), dtype=np.intp, count=len(values))
    sums = np.bincount(member, weights=np.asarray(values, dtype=np.float64), minlength=len(place)).astype(np.float64)
    return sums, np.bincount(member, minlength=len(place)).astype(np.float64)


def cluster_sums(values: Sequence[float], clusters: Sequence[Hashable]) -> _Floats:
    """The sum of the values of each cluster, in order of first appearance."""
    return _grouped(values, clusters)[0]


def cluster_bootstrap(
    values: Sequence[float],
    clusters: Sequence[Hashable],
    draws: int = DRAWS,
    seed: int = 0,
    strata: Sequence[Hashable] | None = None,
    level: float = 0.95,
) -> tuple[float, float]:
    """Percentile interval of the mean over tasks; whole clusters are drawn with replacement, within strata if
    given."""
    if not values:
        raise ValueError("no values")
    strata = strata if strata is not None else [0] * len(values)
    generator = np.random.default_rng(seed)
    total, size = np.zeros(draws), np.zeros(draws)
    for stratum in dict.fromkeys(strata):
        chosen = [i for i, name in enumerate(strata) if name == stratum]
        sums, sizes = _grouped([values[i] for i in chosen], [clusters[i] for i in chosen])
        count = len(sums)
        drawn = generator.multinomial(count, np.full(count, 1.0 / count), size=draws)
        total += drawn @ sums
        size += drawn @ sizes
    tail = (1 - level) / 2
    low, high = np.quantile(total / size, [tail, 1 - tail])
    return float(low), float(high)


def cluster_error(values: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """Standard error of the mean, robust to clusters (with the G / (G - 1) correction); nan for a single cluster."""
    sums, sizes = _grouped(values, clusters)
    count, n = len(sums), len(values)
    if count < 2:
        return math.nan
    residual = sums - sizes * (sums.sum() / n)
    return math.sqrt(count / (count - 1) * float(residual @ residual)) / n


def design_effect(values: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """Variance of the mean with clusters over its variance if all tasks were independent; 1 when nothing varies."""
    n = len(values)
    naive = float(np.var(np.asarray(values, dtype=np.float64), ddof=1)) / n if n > 1 else 0.0
    error = cluster_error(values, clusters)
    return error * error / naive if naive > 1e-18 and not math.isnan(error) else 1.0


def independent_at_least(clusters: Sequence[Hashable]) -> float:
    """How many independent tasks these are worth if all of a cluster come out alike (Kish 1965): n squared over the
    squared sizes of the clusters."""
    sizes = Counter(clusters).values()
    return sum(sizes) ** 2 / sum(size * size for size in sizes) if sizes else 0.0


def intraclass_correlation(values: Sequence[float], clusters: Sequence[Hashable]) -> float | None:
    """ICC(1) by one-way analysis of variance; None when no cluster has two tasks or nothing varies."""
    sums, sizes = _grouped(values, clusters)
    count, n = len(sums), len(values)
    if count < 2 or n <= count:
        return None
    data = np.asarray(values, dtype=np.float64)
    between = float((sizes * (sums / sizes - data.mean()) ** 2).sum()) / (count - 1)
    within = (float((data**2).sum()) - float((sums**2 / sizes).sum())) / (n - count)
    typical = (n - float((sizes**2).sum()) / n) / (count - 1)
    below = between + (typical - 1) * within
    return (between - within) / below if below > 1e-18 else None


def effective_n(values: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """How many independent tasks carry as much information; never more than there are tasks."""
    return len(values) / max(1.0, design_effect(values, clusters))


def t_quantile(probability: float, df: int) -> float:
    """Student's t, two closed forms and Hill's algorithm 396 (1970), good to about six digits."""
    if df < 1 or not 0.5 <= probability < 1:
        raise ValueError("needs df >= 1 and 0.5 <= probability < 1")
    tails = 2 * (1 - probability)
    if df == 1:
        return 1 / math.tan(tails * math.pi / 2)
    if df == 2:
        return math.sqrt(2 / (tails * (2 - tails)) - 2)
    a = 1 / (df - 0.5)
    b = 48 / (a * a)
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * math.sqrt(a * math.pi / 2) * df
    y = (d * tails) ** (2 / df)
    if y > 0.05 + a:
        x = NormalDist().inv_cdf(tails / 2)
        y = x * x
        if df < 5:
            c += 0.3 * (df - 4.5) * (x + 0.6)
        c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
        y = math.expm1(a * y * y)
    else:
        y = ((1 / (((df + 6) / (df * y) - 0.089 * d - 0.822) * (df + 2) * 3) + 0.5 / (df + 4)) * y - 1) * (
            (df + 1) / (df + 2)
        ) + 1 / y
    return math.sqrt(df * y)


def cluster_t(values: Sequence[float], clusters: Sequence[Hashable], level: float = 0.95) -> tuple[float, float]:
    """Mean plus and minus t with G - 1 degrees of freedom times the clustered error, cut to 0..1; needs two
    clusters."""
    count = len(set(clusters))
    if count < 2:
        raise ValueError("needs two clusters")
    mean = math.fsum(values) / len(values)
    width = t_quantile((1 + level) / 2, count - 1) * cluster_error(values, clusters)
    return max(0.0, mean - width), min(1.0, mean + width)


def mean_interval(
    values: Sequence[float],
    clusters: Sequence[Hashable],
    strata: Sequence[Hashable] | None = None,
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> Interval | None:
    """The interval that fits the number of clusters; None for no values.

    Where all values agree there is no spread to learn from: Wilson over clusters says what so few of them can
    exclude.
    """
    if not values:
        return None
    count = len(set(clusters))
    few = f", only {count} clusters" if count < FEW_CLUSTERS else ""
    if count < 2 or max(values) - min(values) < 1e-12:
        low, high = wilson(math.fsum(values) / len(values) * count, count)
        return Interval(low, high, f"Wilson over {count} clusters (no spread){few}")
    if count < MANY_CLUSTERS:
        low, high = cluster_t(values, clusters)
        return Interval(low, high, f"clustered t, {count - 1} df{few}")
    low, high = cluster_bootstrap(values, clusters, draws, seed, strata)
    return Interval(low, high, f"cluster bootstrap, {draws} draws, seed {seed}{', by group' if strata else ''}")


def rate_interval(hits: Sequence[bool], clusters: Sequence[Hashable]) -> Interval | None:
    """Wilson for a yes-or-no rate on the effective number of tasks; None for no tasks."""
    if not hits:
        return None
    values = [float(hit) for hit in hits]
    n = effective_n(values, clusters)
    low, high = wilson(sum(values) / len(values) * n, n)
    return Interval(low, high, f"Wilson, effective n {n:.1f}")
