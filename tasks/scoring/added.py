"""Scorers of other packages: figures beside those of the benchmark, never among them.

A `Scorer` says of one attempt a share from 0 to 1. The journal keeps its values with its version; a run has its mean
with an interval over clusters. What is published of a benchmark does not change. One that fails says nothing, and
why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import fsum
from typing import Literal

from store.journal import ScoreRow
from tasks import registry
from tasks.scoring.metrics import SHARE, Group, Measure, Metric, Summary
from tasks.scoring.names import Names
from tasks.scoring.result import Result, ScoredAttempt
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
    every = registry.offered("scorers", Scorer).values()
    return [scorer for scorer in every if not scorer.benchmarks or benchmark in scorer.benchmarks]


def added_rows(benchmark: str, attempt: int, question: object, result: Result) -> list[ScoreRow]:
    """The values of one attempt, for the journal."""
    rows = []
    for scorer in scorers_of(benchmark):
        name, _, version = scorer.name.partition("/")
        value, why = scorer.of(question, result)
        rows.append(ScoreRow(attempt, name, version, {"failed": why} if why else {}, value, [], scorer.name))
    return rows


def with_added(
    summary: Summary, clusters: Mapping[str, str], attempts: Callable[[], Iterable[ScoredAttempt]]
) -> Summary:
    """A summary with the means of added scorers, from the rows of its attempts; `clusters`: id of a task -> its
    cluster."""
    scorers = {scorer.name.partition("/")[0]: scorer for scorer in scorers_of(summary.benchmark)}
    if not scorers:
        return summary
    found: dict[str, list[tuple[float, str]]] = {name: [] for name in scorers}
    whys = dict.fromkeys(scorers, "")
    for one in attempts():
        for name, scorer in scorers.items() if one.result.scored else ():
            row = one.rows.get(name)
            if row is None or row.author != scorer.name:  # its author: added later, or changed since
                whys[name] = whys[name] or f"not scored by {scorer.name} yet: moot score RUN"
            elif (value := one.values(name).get(name)) is not None:
                found[name].append((value, clusters[one.result.task_id]))
            else:
                whys[name] = whys[name] or str(row.settings.get("failed", ""))
    rows = []
    for name, scorer in scorers.items():
        values, members = [value for value, _ in found[name]], [cluster for _, cluster in found[name]]
        mean = fsum(values) / len(values) if values else None
        measure = Measure("", name, scorer.label, SHARE, scorer.better, SECTION)
        group = Group(scorer.name.partition("/")[2], ("全部", "all"), len(values))
        rows.append(Metric(measure, group, mean, len(values), mean_interval(values, members), why=whys[name]))
    return replace(summary, rows=[*summary.rows, *rows])
