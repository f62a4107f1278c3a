"""Who agrees with whom about the episodes of a run: graders and people, metric by metric.

A rater is a person or one grader, that is one engine under one prompt. Values are shares from 0 to 1. Where a metric
is scored more than once an episode (`topic:T3`), each is a unit and the episode is drawn whole.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from store.errors import StoreError
from store.journal import Journal, ScoreRow
from tasks.benchmark import benchmark
from tasks.episode.state import fold
from tasks.errors import TaskError
from tasks.run.header import HeaderData
from tasks.run.plan import stored_task_file
from tasks.run.reading import GRADER, read_episode
from tasks.scoring.coefficients import Coefficient, Differences, alpha, differences, weighted_kappa
from tasks.scoring.human import SCORER, Group, group_of
from tasks.scoring.statistics import DRAWS, rate_interval

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
class Rated:
    """What was said of one metric in one group; `clusters` names the cluster of each unit."""

    ratings: Ratings
    clusters: Mapping[str, str]


def of_journal(
    journal: Journal, group: Group = group_of, clusters: Mapping[str, str] | None = None, metric: str | None = None,
    *, draws: int = DRAWS, seed: int = 0,
) -> list[Agreement]:  # fmt: skip
    """The agreement of all raters of a run, by group and metric: of each pair, then of all where they are more than
    two.

    Args:
        journal: of the run.
        group: tells the groups apart.
        clusters: task id -> its cluster; a task that is not there stands alone.
        metric: this one only.
        draws: of the bootstrap.
        seed: of the bootstrap.
    """
    found = ratings_of(journal, group, clusters or {})
    return [
        row
        for (name, about), rated in found.items()
        if metric in (None, about)
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
) -> dict[tuple[str, str], Rated]:
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
    return {about: Rated(_named(ratings), cluster_of[about]) for about, ratings in said.items()}


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
