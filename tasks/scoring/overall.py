"""What sums up a run in a list: one figure by each rule, from the score rows of its journal alone, without its task
file.

Rows come in the order of episodes, those of one attempt together, and are looked at once: memory does not grow with
them. Figures are shares from 0 to 1. A benchmark whose runs are summed up otherwise has a method `overall` of its
own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
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


@dataclass(slots=True)
class Mean:
    """A mean that is made as values come; None among them is none."""

    total: float = 0.0
    n: int = 0

    def add(self, value: Value) -> None:
        """One more."""
        if value is not None:
            self.total += value
            self.n += 1

    @property
    def value(self) -> Value:
        """The mean so far."""
        return self.total / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class Means:
    """The means of both rules."""

    compat: Mean = field(default_factory=Mean)
    strict: Mean = field(default_factory=Mean)

    def add(self, compat: Value, strict: Value) -> None:
        """One more attempt."""
        self.compat.add(compat)
        self.strict.add(strict)


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


def by_task(rows: Iterable[ScoreRow]) -> Mapping[str, Means]:
    """Task -> the means over its attempts; only those that were scored count."""
    made: dict[str, Means] = {}
    for task, *both in scored_attempts(rows):
        made.setdefault(task, Means()).add(*both)
    return made


def mean_of(rows: Iterable[ScoreRow]) -> Overall | None:
    """The mean over all attempts, whatever their tasks."""
    made, scored = Means(), False
    for _, *both in scored_attempts(rows):
        made.add(*both)
        scored = True
    return Overall("", made.compat.value, made.strict.value) if scored else None
