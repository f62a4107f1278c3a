"""Who agrees with whom about the episodes of a run: graders and people, metric by metric.

A rater is a person or one grader, that is one engine under one prompt. Values are shares from 0 to 1. Where a metric
is scored more than once an episode (`topic:T3`), each is a unit and the episode is drawn whole.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from store.errors import StoreError
from store.journal import Journal, ScoreRow
from tasks.benchmark import benchmark
from tasks.episode.state import fold
from tasks.errors import TaskError
from tasks.run.header import HeaderData
from tasks.run.plan import stored_task_file
from tasks.run.reading import GRADER, read_episode
from tasks.scoring.human import SCORER, Group, group_of
from tasks.scoring.statistics import DRAWS, FEW_CLUSTERS, Z95, Interval, cluster_bootstrap, rate_interval

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


Ratings = Mapping[str, Mapping[str, float | None]]
"""Rater -> unit -> value; None or not there: not rated."""
_Rater = tuple[str, ...]
"""A person's name, or SPEC, engine, prompt and its hash of a grader; the scorer first."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far some raters agree on one metric.

    n: units that all of a pair, or any two of more, have rated; clusters: of these. raw: share of them with equal
    ratings. difference: first minus second, of a pair; None of more.
    """

    group: str
    metric: str
    raters: tuple[str, ...]
    n: int
    clusters: int
    raw: Coefficient
    kappa_linear: Coefficient
    kappa_quadratic: Coefficient
    alpha_interval: Coefficient
    alpha_ordinal: Coefficient
    difference: Differences | None

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class MetricRatings:
    """What was said of one metric in one group; `clusters` names the cluster of each unit."""

    ratings: Ratings
    clusters: Mapping[str, str]


def of_journal(
    journal: Journal, clusters: Mapping[str, str] | None = None, *, draws: int = DRAWS, seed: int = 0
) -> list[Agreement]:
    """The agreement of all raters of a run, by group and metric: of each pair, then of all where they are more than
    two.

    Args:
        journal: of the run.
        clusters: task id -> its cluster; a task that is not there stands alone.
        draws: of the bootstrap.
        seed: of the bootstrap.
    """
    return [
        row
        for (name, about), rated in ratings_of(journal, clusters=clusters).items()
        for row in compare(rated.ratings, rated.clusters, name, about, draws=draws, seed=seed)
    ]


def compare(
    ratings: Ratings, clusters: Mapping[str, Hashable] | None = None, group: str = "", metric: str = "",
    *, draws: int = DRAWS, seed: int = 0,
) -> list[Agreement]:  # fmt: skip
    """Each pair of raters in their order, and all together where they are more than two; a lone rater is one row of
    reasons."""
    raters = list(ratings)
    sets: list[tuple[str, ...]] = (
        list(combinations(raters, 2)) if len(raters) > 1 else [tuple(raters)] if raters else []
    )
    if len(raters) > 2:
        sets.append(tuple(raters))
    return [
        _agreement({who: ratings[who] for who in chosen}, clusters or {}, group, metric, draws, seed)
        for chosen in sets
    ]


def _agreement(
    ratings: Ratings, clusters: Mapping[str, Hashable], group: str, metric: str, draws: int, seed: int
) -> Agreement:
    raters, rated = tuple(ratings), [given for given in ratings.values()]
    every = dict.fromkeys(unit for given in rated for unit in given)
    values = {unit: [given.get(unit) for given in rated] for unit in every}
    shared = {unit: row for unit, row in values.items() if sum(value is not None for value in row) >= 2}
    names = [clusters.get(unit, unit) for unit in shared]
    table = np.array(list(shared.values()), dtype=np.float64).reshape(len(shared), len(rated)).T
    settings: dict[str, Any] = {"draws": draws, "seed": seed}
    none = Coefficient(None, reason="not_two_raters" if len(raters) > 2 else "one_rater")
    linear, quadratic, apart = none, none, None
    if len(raters) == 2:
        first, second = table.tolist()
        linear = weighted_kappa(first, second, "linear", names, **settings)
        quadratic = weighted_kappa(first, second, "quadratic", names, **settings)
        apart = differences(first, second, names, **settings)
    return Agreement(
        group, metric, raters, len(shared), len(set(names)), _raw(list(shared.values()), names, len(raters)), linear,
        quadratic, alpha(table, "interval", names, **settings), alpha(table, "ordinal", names, **settings), apart,
    )  # fmt: skip


def _raw(rows: Sequence[Sequence[float | None]], names: Sequence[Hashable], raters: int) -> Coefficient:
    hits = [len({round(value, 9) for value in row if value is not None}) == 1 for row in rows]
    if not hits:
        return Coefficient(None, reason="nothing_in_common" if raters > 1 else "one_rater")
    return Coefficient(sum(hits) / len(hits), rate_interval(hits, names))


def ratings_of(
    journal: Journal, group: Group = group_of, clusters: Mapping[str, str] | None = None
) -> dict[tuple[str, str], MetricRatings]:
    """(group, metric) -> who said what of the last attempts; people come before graders, the newest word of each
    counts."""
    by_attempt: dict[int, list[ScoreRow]] = {}
    for score in journal.scores():
        if score.scorer in (SCORER, GRADER) and isinstance(score.value, Mapping):
            by_attempt.setdefault(score.attempt, []).append(score)
    said: dict[tuple[str, str], dict[_Rater, dict[str, float]]] = {}
    cluster_of: dict[tuple[str, str], dict[str, str]] = {}
    for row in journal.episodes():
        given = by_attempt.get(journal.attempts(row.id)[-1].id, [])
        name = group(row.task_id, fold(read_episode(journal, row.id)).card) if given else ""
        for score in given:
            for verdict, value in score.value.items():
                if isinstance(value, int | float) and math.isfinite(value):
                    metric, _, part = str(verdict).partition(":")
                    unit = f"{row.id}/{part}" if part else row.id
                    said.setdefault((name, metric), {}).setdefault(_rater(score), {})[unit] = float(value)
                    cluster_of.setdefault((name, metric), {})[unit] = (clusters or {}).get(row.task_id, row.task_id)
    return {about: MetricRatings(_named(ratings), cluster_of[about]) for about, ratings in said.items()}


def _rater(score: ScoreRow) -> _Rater:
    if score.scorer == SCORER:
        return SCORER, score.author
    settings = score.settings if isinstance(score.settings, Mapping) else {}
    return (
        GRADER,
        score.author,
        str(settings.get("engine", ""))[:8],
        score.version,
        str(settings.get("prompt", ""))[:8],
    )


def _named(ratings: Mapping[_Rater, dict[str, float]]) -> dict[str, dict[str, float]]:
    """`human NAME`, `grader SPEC`; all that is known of the grader where one SPEC stands for several of them."""
    several = {who for who, count in Counter(rater[:2] for rater in ratings).items() if count > 1}
    order = sorted(ratings, key=lambda rater: (rater[0] != SCORER, rater))
    return {" ".join(rater if rater[:2] in several else rater[:2]): ratings[rater] for rater in order}


def clusters_of(header: HeaderData) -> dict[str, str]:
    """Task id -> its cluster, from the task file of a run; nothing where the file is gone or changed."""
    try:
        questions = benchmark(str(header["spec"]["benchmark"])).load(stored_task_file(dict(header)))
    except (StoreError, TaskError, KeyError):
        return {}
    return {question.id: question.cluster or question.id for question in questions}
