"""Means of attempts with their intervals, and the overall score: values from 0 to 100, clusters of cases drawn
whole."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tasks.courts.casefile.case import Env
from tasks.courts.scores.of_run.columns import FINISHED_ONLY, averaged, family, scale
from tasks.courts.scores.of_run.members import Rated
from tasks.scoring.metrics import Rule, Value
from tasks.scoring.names import DISTANCES
from tasks.scoring.statistics import DRAWS, FEW_CLUSTERS, Interval, mean_interval

DIGITS = 10
Members = Mapping[Env, Sequence[Rated]]
NO_GRADER = "no grader"
UNFINISHED = "no dialogue reached every topic"
NOTHING_SCORED = "no attempt was scored"
NOTHING_TO_RATE = "nothing to rate"
ALIKE = "scaled over the trials of this run: one alone, or all alike, comes to 0 whatever it is"


@dataclass(frozen=True, slots=True)
class Column:
    """A metric of an environment. value: mean, None with the `reason`; n: attempts behind it; note: what is left out
    of a value that is there; points: (share, cluster) of these attempts; bounds: if errors and missing grades were 0,
    or 1; waits: a grader has yet to speak."""

    value: Value
    n: int
    reason: str = ""
    note: str = ""
    points: tuple[tuple[float, str], ...] = ()
    interval: Interval | None = None
    bounds: tuple[float, float] | None = None
    waits: bool = False


def column(members: Sequence[Rated], rule: Rule, metric: str) -> Column:
    """The mean of a metric over attempts.

    Where some attempts wait for a grader and none has got its word, the rest would be a selection of failures: no
    mean.
    """
    points = tuple(
        (value, one.case.cluster) for one in members if (value := one.values[rule].get(metric)) is not None
    )
    needs = [need for one in members if (need := _need(one, rule, metric))]
    failed, ungraded = needs.count("failed"), needs.count("ungraded")
    lacking = [f"{failed} gradings failed"] * bool(failed) + [f"{ungraded} not graded"] * bool(ungraded)
    bounds = _bounds(members, metric) if rule == "strict" else None
    if (failed or ungraded) and "graded" not in needs:
        return Column(None, 0, NO_GRADER if not failed else ", ".join(lacking), bounds=bounds, waits=True)
    if not points:
        return Column(None, 0, _why_nothing(members, rule), bounds=bounds)
    values, clusters = [value for value, _ in points], [cluster for _, cluster in points]
    return Column(
        _percent(math.fsum(values) / len(values), metric), len(points), "", ", ".join(lacking), points,
        None if metric in DISTANCES else mean_interval(values, clusters), bounds, bool(lacking),
    )  # fmt: skip


def _need(one: Rated, rule: Rule, metric: str) -> str:
    """How the grading of a metric stands; '' where it needs none, or where the attempt does not count anyway."""
    dropped = rule == "compat" and metric in FINISHED_ONLY and not one.finished
    need = "" if dropped else one.needs.get(metric, "")
    there = one.values[rule].get(metric) is not None
    return need if there == (need == "graded") else ""


def _why_nothing(members: Sequence[Rated], rule: Rule) -> str:
    if not any(one.result.scored for one in members):
        return NOTHING_SCORED
    return UNFINISHED if rule == "compat" and not any(one.finished for one in members) else NOTHING_TO_RATE


def _bounds(members: Sequence[Rated], metric: str) -> tuple[float, float] | None:
    """The mean if all that is missing were 0, and if it were 1."""
    if metric in DISTANCES:
        return None
    pairs = [
        (value, value) if (value := one.values["strict"].get(metric)) is not None else one.bounds.get(metric)
        for one in members
    ]
    known = [pair for pair in pairs if pair is not None]
    if not known:
        return None
    low, high = (_percent(math.fsum(pair[side] for pair in known) / len(known), metric) for side in (0, 1))
    return low, high


def _percent(share: float, metric: str) -> float:
    return round(scale(metric) * share, DIGITS)


@dataclass(frozen=True, slots=True)
class Overall:
    """Mean of the columns of the published main table except VER (paper §4.2), of those environments that ran.

    by_env: the mean of the means of environments; columns, missing: (environment, metric) that are in it and that
        lack."""

    value: Value
    by_env: Value
    columns: tuple[tuple[Env, str], ...]
    missing: tuple[tuple[Env, str], ...]
    interval: Interval | None = None


def overall(made: Mapping[tuple[Env, str], Column], envs: Sequence[Env]) -> Overall:
    """The overall score of some columns."""
    wanted = [(env, metric) for env in envs for metric in averaged(env)]
    there = [key for key in wanted if key in made and made[key].value is not None]
    values = {key: float(made[key].value or 0.0) for key in there}
    by_env = [
        math.fsum(mine) / len(mine)
        for env in envs
        if (mine := [value for key, value in values.items() if key[0] == env])
    ]
    return Overall(
        round(math.fsum(values.values()) / len(values), DIGITS) if values else None,
        round(math.fsum(by_env) / len(by_env), DIGITS) if by_env else None,
        tuple(there),
        tuple(key for key in wanted if key not in there),
        _drawn([(family(env), made[env, metric].points) for env, metric in there]),
    )


def mean_of(made: Mapping[tuple[Env, str], Column], columns: Sequence[tuple[Env, str]]) -> Value:
    """The mean of those of these columns that are there: what a limit comes to where a run has only them."""
    known = [value for key in columns if key in made and (value := made[key].value) is not None]
    return round(math.fsum(known) / len(known), DIGITS) if known else None


def _drawn(columns: Sequence[tuple[str, Sequence[tuple[float, str]]]]) -> Interval | None:
    """Percentile interval of a mean of column means: clusters are drawn within a family, for all its columns
    together.

    None where all draws agree: there is no spread to learn from.
    """
    if not columns:
        return None
    generator = np.random.default_rng(0)
    total, count = np.zeros(DRAWS), 0
    for name in dict.fromkeys(name for name, _ in columns):
        mine = [points for own, points in columns if own == name]
        place = {
            cluster: number for number, cluster in enumerate(dict.fromkeys(c for points in mine for _, c in points))
        }
        size = len(place)
        count += size
        weights = generator.multinomial(size, np.full(size, 1.0 / size), size=DRAWS)
        for points in mine:
            sums, sizes = np.zeros(size), np.zeros(size)
            for value, cluster in points:
                sums[place[cluster]] += value
                sizes[place[cluster]] += 1
            drawn = weights @ sizes
            # A draw that misses a thin column altogether says nothing of it: the column's own mean stands in.
            total += np.where(drawn > 0, weights @ sums / np.maximum(drawn, 1.0), sums.sum() / sizes.sum())
    low, high = np.quantile(total / len(columns), [0.025, 0.975])
    if high - low < 1e-12:
        return None
    few = f", only {count} clusters" if count < FEW_CLUSTERS else ""
    return Interval(float(low), float(high), f"cluster bootstrap, {DRAWS} draws, seed 0, by group{few}")
