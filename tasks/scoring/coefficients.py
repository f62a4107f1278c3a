"""How far raters agree beyond chance: weighted kappa for two, Krippendorff's alpha for any number, differences of
two.

Ratings are numbers on one scale; a kappa and the interval alpha take distances from the values themselves, the
ordinal alpha from their ranks. Intervals are at 95 % from whole clusters drawn with replacement. What cannot be
computed is None and says why.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tasks.scoring.statistics import DRAWS, FEW_CLUSTERS, Z95, Interval, cluster_bootstrap

Weights = Literal["nominal", "linear", "quadratic"]
Level = Literal["interval", "ordinal"]
Reason = Literal[
    "", "one_rater", "not_two_raters", "nothing_in_common", "one_unit", "no_variation", "no_spread", "one_cluster"
]
"""Why there is no value or no interval; '' where nothing is missing. no_spread: every draw says the same, as in full
agreement."""

ENOUGH = 0.9
"""Share of the draws that must have a value for an interval: in the others nothing varied."""
_TINY = 1e-12
_Floats = NDArray[np.float64]
_WEIGHTED: dict[Weights, Callable[[_Floats], _Floats]] = {
    "nominal": lambda distance: np.ceil(distance),
    "linear": lambda distance: distance,
    "quadratic": lambda distance: distance**2,
}
"""Weights -> what a distance from 0 to 1 counts."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A value with its interval; `reason` says which of the two is missing and why."""

    value: float | None
    interval: Interval | None = None
    reason: Reason = ""


@dataclass(frozen=True, slots=True)
class Differences:
    """First rater minus second (Bland and Altman 1986): their mean, the limits mean -+ 1.96 SD, and (mean,
    difference) a unit."""

    mean: Coefficient
    limits: tuple[float, float] | None
    points: tuple[tuple[float, float], ...]


def weighted_kappa(
    first: Sequence[float], second: Sequence[float], weights: Weights, clusters: Sequence[Hashable] | None = None,
    *, draws: int = DRAWS, seed: int = 0,
) -> Coefficient:  # fmt: skip
    """Cohen's weighted kappa (1968): disagreement is |x - y|, or its square, over what the two marginals alone would
    give.

    Nominal weights count any difference alike: Cohen's kappa (1960).

    Args:
        first: values of one rater, a unit each.
        second: values of the other for the same units.
        weights: nominal, linear or quadratic.
        clusters: a name a unit; units that share it are drawn together. None: each stands alone.
        draws: of the bootstrap.
        seed: of the bootstrap.
    """
    if len(first) < 2:
        return Coefficient(None, reason="one_unit" if first else "nothing_in_common")
    values, place = np.unique(np.asarray([first, second], dtype=np.float64), return_inverse=True)
    if len(values) < 2:
        return Coefficient(None, reason="no_variation")
    distance = np.abs(values[:, None] - values[None, :]) / (values[-1] - values[0])
    distance = _WEIGHTED[weights](distance)
    one, two = place.reshape(2, -1)
    gave = np.eye(len(values))

    def kappas(times: _Floats) -> _Floats:
        n = times.sum(axis=1)
        expected = ((times @ gave[one] @ distance) * (times @ gave[two])).sum(axis=1) / n
        return _beyond_chance(times @ distance[one, two] / n, expected / n)

    return _interval_around(kappas, clusters or range(len(first)), draws, seed)


def alpha(
    table: ArrayLike, level: Level, clusters: Sequence[Hashable] | None = None, *, draws: int = DRAWS, seed: int = 0
) -> Coefficient:
    """Krippendorff's alpha (2011) of a table of raters by units, nan where one did not rate; units rated once say
    nothing.

    Value and draws are computed together by the definition; the tests hold them to the library `krippendorff`.
    """
    ratings = np.asarray(table, dtype=np.float64)
    if len(ratings) < 2:
        return Coefficient(None, reason="one_rater")
    names = list(clusters) if clusters is not None else list(range(ratings.shape[1]))
    twice = (~np.isnan(ratings)).sum(axis=0) >= 2
    ratings = ratings[:, twice]
    if ratings.shape[1] < 2:
        return Coefficient(None, reason="one_unit" if ratings.shape[1] else "nothing_in_common")
    values = np.unique(ratings[~np.isnan(ratings)])
    if len(values) < 2:
        return Coefficient(None, reason="no_variation")
    kept = [name for name, keep in zip(names, twice, strict=True) if keep]
    return _interval_around(lambda times: alphas(ratings, values, level, times), kept, draws, seed)


def alphas(ratings: _Floats, values: _Floats, level: Level, times: _Floats) -> _Floats:
    """Alpha of many draws at once, nan where nothing varies.

    Args:
        ratings: raters by units, each unit rated twice or more.
        values: the distinct ratings, rising.
        level: interval, or ordinal, whose distance of two values is that of their mean ranks in the draw.
        times: draws by units: how often a unit was drawn.
    """
    counts = (ratings.T[:, :, None] == values).sum(axis=1).astype(np.float64)
    raters = counts.sum(axis=1)
    given = times @ counts
    n = given.sum(axis=1)
    scaled = (values - values[0]) / (values[-1] - values[0])
    places = (
        np.broadcast_to(scaled, given.shape)
        if level == "interval"
        else (given.cumsum(axis=1) - given / 2) / n[:, None]
    )
    inside = (raters * (places**2 @ counts.T) - (places @ counts.T) ** 2) / (raters - 1)
    overall = (n * (given * places**2).sum(axis=1) - (given * places).sum(axis=1) ** 2) / (n - 1)
    return _beyond_chance((times * inside).sum(axis=1) / n, overall / n)


def differences(
    first: Sequence[float], second: Sequence[float], clusters: Sequence[Hashable] | None = None,
    *, draws: int = DRAWS, seed: int = 0,
) -> Differences:  # fmt: skip
    """Mean difference and limits of agreement of two raters; arguments as for `weighted_kappa`."""
    apart = [x - y for x, y in zip(first, second, strict=True)]
    points = tuple(((x + y) / 2, x - y) for x, y in zip(first, second, strict=True))
    if not apart:
        return Differences(Coefficient(None, reason="nothing_in_common"), None, ())
    names = clusters or range(len(apart))
    mean = math.fsum(apart) / len(apart)
    count = len(set(names))
    if count < 2:
        return Differences(Coefficient(mean, reason="one_cluster"), None, points)
    spread = Z95 * float(np.std(apart, ddof=1))
    around = _between(mean, *cluster_bootstrap(apart, names, draws, seed), _method(draws, seed, count))
    return Differences(around, (mean - spread, mean + spread), points)


def _beyond_chance(seen: _Floats, expected: _Floats) -> _Floats:
    found = np.full(seen.shape, np.nan)
    np.divide(seen, expected, out=found, where=expected > _TINY)
    return 1 - found


def _interval_around(
    statistic: Callable[[_Floats], _Floats], clusters: Sequence[Hashable], draws: int, seed: int
) -> Coefficient:
    """The statistic of the units as they are, with the percentiles of the draws."""
    place: dict[Hashable, int] = {}
    member = [place.setdefault(name, len(place)) for name in clusters]
    own = float(statistic(np.ones((1, len(member))))[0])
    if math.isnan(own):
        return Coefficient(None, reason="no_variation")
    count = len(place)
    if count < 2:
        return Coefficient(own, reason="one_cluster")
    drawn = np.random.default_rng(seed).multinomial(count, np.full(count, 1.0 / count), size=draws)
    found = statistic(drawn[:, member].astype(np.float64))
    found = found[~np.isnan(found)]
    if len(found) < ENOUGH * draws:
        return Coefficient(own, reason="no_variation")
    low, high = np.quantile(found, [0.025, 0.975])
    return _between(own, float(low), float(high), _method(draws, seed, count))


def _between(value: float, low: float, high: float, method: str) -> Coefficient:
    """An interval without width would claim certainty: there is none instead."""
    if high - low < _TINY:
        return Coefficient(value, reason="no_spread")
    return Coefficient(value, Interval(low, high, method))


def _method(draws: int, seed: int, clusters: int) -> str:
    few = f", only {clusters} clusters" if clusters < FEW_CLUSTERS else ""
    return f"cluster bootstrap, {draws} draws, seed {seed}{few}"
