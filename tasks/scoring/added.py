"""Scorers of other packages: figures beside those of the benchmark, never among them.

A `Scorer` says of one attempt a share from 0 to 1. The journal keeps its values with its version; a run has its mean
with an interval over clusters. What is published of a benchmark does not change. One that fails says nothing, and
why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import fsum
from typing import Literal

from store.journal import ScoreRow
from tasks import registry
from tasks.errors import UsageError
from tasks.scoring.metrics import SHARE, Group, Measure, Metric, Summary
from tasks.scoring.names import Names
from tasks.scoring.result import Result
from tasks.scoring.statistics import mean_interval

SECTION = "added"


@dataclass(frozen=True, slots=True)
class Scorer:
    """A scorer from elsewhere.

    Args:
        name: name and version, "brevity/1"; a changed rule is a new version.
        score: from a question (with its gold) and what came of it to a share, None where it has nothing to say.
        label: Chinese, English.
        better: whether more of it is better.
        benchmarks: whose attempts it scores; none: of every benchmark.
    """

    name: str
    score: Callable[[object, Result], float | None]
    label: Names
    better: Literal["up", "down"] = "up"
    benchmarks: tuple[str, ...] = ()

    def of(self, question: object, result: Result) -> tuple[float | None, str]:
        """The value, and why there is none."""
        try:
            value = self.score(question, result)
        except Exception as error:  # it is somebody else's: the run is scored without it, and says so
            return None, f"{type(error).__name__}: {error}"[:200]
        if value is None or (isinstance(value, int | float) and 0 <= value <= 1):
            return None if value is None else float(value), ""
        return None, f"{value!r:.80} is no share from 0 to 1"


def scorers_of(benchmark: str) -> list[Scorer]:
    """The scorers that packages have added to a benchmark."""
    found = []
    for name in registry.names("scorers"):
        with suppress(UsageError):
            scorer = registry.load("scorers", name)
            if isinstance(scorer, Scorer) and (not scorer.benchmarks or benchmark in scorer.benchmarks):
                found.append(scorer)
    return found


def added_rows(benchmark: str, attempt: int, question: object, result: Result) -> list[ScoreRow]:
    """The values of one attempt, for the journal."""
    rows = []
    for scorer in scorers_of(benchmark):
        name, _, version = scorer.name.partition("/")
        value, why = scorer.of(question, result)
        rows.append(ScoreRow(attempt, name, version, {"failed": why} if why else {}, value, [], scorer.name))
    return rows


def with_added(summary: Summary, clusters: Mapping[str, tuple[object, str]], results: Sequence[Result]) -> Summary:
    """A summary with the rows of added scorers; `clusters`: id -> question and its cluster."""
    rows: list[Metric] = []
    for scorer in scorers_of(summary.benchmark):
        name, _, version = scorer.name.partition("/")
        values, members, whys = [], [], []
        for result in results:
            question, cluster = clusters[result.task_id]
            value, why = scorer.of(question, result) if result.scored else (None, "")
            whys += [why] if why else []
            if value is not None:
                values.append(value)
                members.append(cluster)
        mean = fsum(values) / len(values) if values else None
        measure = Measure("", name, scorer.label, SHARE, scorer.better, SECTION)
        group = Group(version, ("全部", "all"), len(values))
        rows.append(
            Metric(measure, group, mean, len(values), mean_interval(values, members), why=whys[0] if whys else "")
        )
    return replace(summary, rows=[*summary.rows, *rows]) if rows else summary
