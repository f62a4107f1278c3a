"""What sums up a run in a list: one figure by each rule, from the score rows of its journal alone, without its task
file.

Rows come in the order of episodes, those of one attempt together, and are looked at once. Figures are shares from 0
to 1. A benchmark whose runs are summed up otherwise has a method `overall` of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from store.journal import ScoreRow
from tasks.scoring.metrics import RULES

Value = float | None
Rates = tuple[str, Value, Value]
"""Of one attempt: the task that its rows name, and the rate under each rule."""


@dataclass(frozen=True, slots=True)
class Overall:
    """The figures of a run by rule, None where nothing has a value. measure: what they are, '' for the answer
    rate."""

    measure: str
    compat: Value
    strict: Value


Summing = Callable[[Iterable[ScoreRow]], Overall | None]
"""From the rows of the last attempts to the figures of the run; None where nothing was scored."""


def mean(values: Iterable[Value]) -> Value:
    """The mean of the values that there are."""
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else None


def rates(rows: Iterable[ScoreRow]) -> Rates | None:
    """The newest rate of one attempt under each rule, after the task that its rows name ('' where they name none).

    What the machinery broke has no strict rate, whatever its row says.
    """
    found: dict[str, Value] = {}
    task = ""
    for row in rows:
        if row.scorer in RULES and isinstance(row.value, dict):
            settings = row.settings if isinstance(row.settings, dict) else {}
            broken = row.scorer == "strict" and settings.get("scored") is False
            found[row.scorer] = None if broken else row.value.get("score", row.value.get("success"))
            task = str(settings.get("task", ""))
    return (task, found.get("compat"), found.get("strict")) if found else None


def scored_attempts(rows: Iterable[ScoreRow]) -> Iterator[Rates]:
    """The rates of the attempts that were scored."""
    for _, own in groupby(rows, key=lambda row: row.attempt):
        if found := rates(own):
            yield found


def by_task(rows: Iterable[ScoreRow]) -> Mapping[str, tuple[Value, Value]]:
    """Task -> the means of both rules over its attempts; only those that were scored count."""
    made: dict[str, list[Rates]] = {}
    for one in scored_attempts(rows):
        made.setdefault(one[0], []).append(one)
    return {task: (mean(one[1] for one in own), mean(one[2] for one in own)) for task, own in made.items()}


def mean_of(rows: Iterable[ScoreRow]) -> Overall | None:
    """The mean over all attempts, whatever their tasks."""
    made = list(scored_attempts(rows))
    return Overall("", mean(one[1] for one in made), mean(one[2] for one in made)) if made else None
