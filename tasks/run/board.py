"""Runs of the same tasks beside each other, and beside what their paper printed: which there are, and what is shown
of each.

Scores are points from 0 to 100.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from models.llama.shipped import is_shipped
from tasks.benchmark import benchmark
from tasks.errors import UsageError
from tasks.run.figures import Figure, Figures
from tasks.run.listing import RunLine
from tasks.scoring.names import Names
from tasks.scoring.published import Place, PublishedRow

POINTS = 100.0


@dataclass(frozen=True, slots=True)
class TaskFileRuns:
    """Runs of one task file, newest first."""

    benchmark: str
    tasks: str
    lines: Sequence[RunLine]

    @property
    def compared(self) -> TaskFileRuns:
        """Without the runs of the model that comes with Moot: it is for demonstration, and no benchmark."""
        return replace(self, lines=[line for line in self.lines if not is_shipped(line.model)])


def fields(lines: Iterable[RunLine]) -> list[TaskFileRuns]:
    """The runs by their tasks, those with most runs first; what has not begun, or cannot be read, is in none."""
    found: dict[tuple[str, str], list[RunLine]] = {}
    for line in lines:
        if not line.error and line.finished and line.tasks:
            found.setdefault((line.benchmark, line.tasks), []).append(line)
    return sorted((TaskFileRuns(*key, own) for key, own in found.items()), key=lambda one: -len(one.lines))


def printed(name: str) -> Sequence[PublishedRow]:
    """What the paper of a benchmark printed; nothing where it has none, or is not installed."""
    try:
        bench = benchmark(name)
    except UsageError:
        return ()
    return bench.published()


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A row of the board. Own runs have a line, and figures once they are read; rows of papers have neither. n:
    attempts behind the figure."""

    line: RunLine | None
    figures: Figures | None
    paper: PublishedRow | None
    strict: Figure | None
    compat: Figure | None
    n: int | None
    of: int | None = None
    """What belongs behind it: all tasks that a run of the board has there, as often as this one played each; None
    where nothing is missing."""

    @property
    def reading(self) -> bool:
        """Whether its figures are still being read."""
        return self.line is not None and self.figures is None

    @property
    def value(self) -> tuple[float | None, float | None]:
        """The strict figure and the published one; until figures are read those of the list."""
        if self.paper is not None or self.figures is not None or self.line is None:
            return self.strict.value if self.strict else None, self.compat.value if self.compat else None
        both = (self.line.strict, self.line.compat)
        return tuple(None if value is None else POINTS * value for value in both)  # type: ignore[return-value]

    @property
    def solved(self) -> float:
        """Tasks' worth of score by the strict rule, over all groups: what costs are divided by."""
        return successes(self.figures) if self.figures is not None else 0.0


def successes(figures: Figures) -> float:
    """How many tasks' worth of score a run came to by the strict rule; by the published one where that says
    nothing."""
    found = (figures.wholes(rule) for rule in ("strict", "compat"))
    rows = next((own for own in found if any(row.value is not None for row in own)), [])
    return math.fsum(row.value / POINTS * row.n for row in rows if row.value is not None)


def places(found: Iterable[Figures]) -> dict[Place, Names]:
    """What can be looked at: measure and group -> what the group is called. What sums up a run comes first, then what
    a brief view shows."""
    rows = [row for figures in found for row in figures.rows if row.section != "stages"]
    rows.sort(key=lambda row: (bool(row.section), not row.whole, not row.main))
    names = dict.fromkeys(row.measure for row in rows)
    return {(row.measure, row.group): row.label for name in names for row in rows if row.measure == name}


def entries(
    field: TaskFileRuns, figures: Mapping[Path, Figures], paper: Sequence[PublishedRow], place: Place | None
) -> list[BoardRow]:
    """The rows of the board for a measure and group, own runs first, both from the best to the worst."""
    known = [figures[line.path] for line in field.lines if line.path in figures] if place is not None else []
    most = max((tasks_of(one, place) for one in known if place is not None), default=0)
    own = [_own(line, figures.get(line.path), place, most) for line in field.lines]
    there = [one for one in paper if place in one.values]
    rows = [BoardRow(None, None, one, None, _printed(one, place), one.tasks) for one in there if place is not None]
    return [*sorted(own, key=_rank), *sorted(rows, key=_rank)]


def _rank(entry: BoardRow) -> tuple[bool, float]:
    strict, compat = entry.value
    value = compat if strict is None else strict
    shown = entry.strict or entry.compat
    return value is None, (value if shown is not None and shown.down else -value) if value is not None else 0.0


def _own(line: RunLine, figures: Figures | None, place: Place | None, most: int) -> BoardRow:
    if figures is None or place is None:
        return BoardRow(line, None, None, None, None, line.n)
    strict, compat = (figures.of(rule, *place) for rule in ("strict", "compat"))
    shown = strict or compat
    n, whole = shown.n if shown else None, most * figures.epochs
    return BoardRow(line, figures, None, strict, compat, n, whole if n is not None and n < whole else None)


def tasks_of(figures: Figures, place: Place) -> int:
    """The tasks of a run that belong behind a figure, each once."""
    found = (figures.of(rule, *place) for rule in ("compat", "strict"))
    figure = next((figure for figure in found if figure), None)
    return 0 if figure is None else (figure.n if figure.tasks is None else figure.tasks) // figures.epochs


def _printed(one: PublishedRow, place: Place) -> Figure:
    name, group = place
    return Figure(
        section="", rule="compat", name=name, group=group, label=(group, group), whole=False, tasks=one.tasks,
        n=one.tasks or 0, count=False, value=one.values[place],
    )  # fmt: skip
