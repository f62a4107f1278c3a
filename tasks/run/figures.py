"""What a run came to, figure by figure, for plots: made from its metric rows and remembered as long as its file stays
as it is, so that a board reads no run twice.

Scores are points from 0 to 100; seconds are machine time, tokens as engines and providers counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import fmean, stdev

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import PydanticSerializationError

from store import run_index
from tasks.episode.with_tools import SEAT
from tasks.run.comparing import side_of
from tasks.run.engines import run_path
from tasks.run.header import is_fictional, release, size_of, tested
from tasks.run.rescoring import StoredRun, read_stored, summary_of
from tasks.scoring.metrics import RULES, Metric, Summary
from tasks.scoring.result import degenerate

SOLVED = 1.0


BESIDE = {"turns": ("mean",), "graded": ()}
"""What else the papers print of a group: section -> its measures, () for all of them."""
SECTIONS = ("", "stages", *BESIDE)
"""What is plotted: scores, how far trials went, how long they were, how simulated people kept to their roles."""
POINTS = 100.0


class _CachedModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Figure(_CachedModel):
    """A score of a group of tasks. label: what the group is called, Chinese and English; down: less is better; main:
    whether a brief view shows it; why: why there is no value, waits: for a grader; count: a plain number, no
    points."""

    section: str
    rule: str
    name: str
    group: str
    label: tuple[str, str]
    whole: bool
    tasks: int | None
    n: int
    count: bool
    value: float | None = None
    low: float | None = None
    high: float | None = None
    floor: float | None = None
    ceiling: float | None = None
    down: bool = False
    main: bool = False
    waits: bool = False
    why: str = ""

    @property
    def measure(self) -> str:
        """The name among all that a run has: of a section of its own `turns.mean`, else its own."""
        return f"{self.section}.{self.name}" if self.section in BESIDE else self.name


class RepeatStats(_CachedModel):
    """What the repeats of tasks that were each played k times came to, by one rule. spread: the standard deviation
    between the means of the repeats; all_solved: the share of tasks solved every time (pass^k); flips: the share
    solved at one time and not at another."""

    rule: str
    k: int
    tasks: int
    spread: float
    all_solved: float
    flips: float


class Figures(_CachedModel):
    """A run in figures. tasks: sha256 of its task file, file: what that is called; size: parameters of the tested
    model in billions; tokens, seconds: all of them, 0 where nobody counted; estimated: whether tokens are so;
    measured: the seat that the run measures; replies: see `tasks.scoring.result`; release: of Moot, that made
    them."""

    run: str
    benchmark: str
    agent: str
    model: str
    source: str
    pack: str
    tasks: str
    file: str
    fictional: bool
    size: float | None
    n: int
    epochs: int
    outcomes: dict[str, int]
    tokens: int
    estimated: bool = False
    seconds: float
    measured: str
    replies: dict[str, dict[str, int]]
    repeats: tuple[RepeatStats, ...]
    rows: tuple[Figure, ...]
    release: str

    @property
    def degenerate(self) -> float:
        """The share of its replies in which nothing is said; 0 where no model sits there."""
        return degenerate(self.replies.get(self.measured, {}))

    def of(self, rule: str, measure: str, group: str) -> Figure | None:
        """A figure by one of the rules, if there is one; what no rule changes is the same by both."""
        found = (row for row in self.rows if row.section != "stages" and row.rule in (rule, ""))
        return next((row for row in found if (row.measure, row.group) == (measure, group)), None)

    def wholes(self, rule: str) -> list[Figure]:
        """The scores that sum up the run by a rule: one, or one a domain; [] where nothing does."""
        rows = [row for row in self.rows if row.whole and row.rule == rule and not row.section]
        rows.sort(key=lambda row: not row.main)
        return [row for row in rows if row.name == rows[0].name]


def figures_of(name: str | Path) -> Figures:
    """The figures of a run: those that are remembered of its file as it is, else made now.

    Raises:
        StoreError, TaskError: the run or its task file cannot be read.
    """
    path = run_path(name)
    file = run_index.run_file(path)
    with suppress(ValidationError):
        if (text := run_index.figures(file)) is not None:
            kept = Figures.model_validate_json(text)
            if kept.release == release():  # another one may have other scorers
                return kept
    made = _made(read_stored(path))
    if run_index.run_file(path) == file:  # else somebody wrote while it was read
        with suppress(PydanticSerializationError):  # a name that is no text
            run_index.remember_figures(file, made.model_dump_json())
    return made


def _made(run: StoredRun) -> Figures:
    header, summary = run.header, summary_of(run)
    tally, (agent, model) = summary.tally, tested(header)
    return Figures(
        run=str(header["run"]), benchmark=run.bench.name, agent=agent, model=model,
        source=str(header.get("imported", {}).get("file", "")), pack=str(header["pack"]["name"]),
        tasks=str(header["tasks"]["sha256"]), file=str(header["tasks"]["file"]), fictional=is_fictional(header),
        size=size_of(header), n=tally.n, epochs=tally.epochs,
        outcomes={name: count for name, count in tally.outcomes.items() if count},
        tokens=sum(tally.tokens), estimated=tally.estimated > 0, seconds=tally.seconds,
        measured=named if (named := header["spec"].get("measured")) in tally.replies else SEAT,
        replies={seat: dict(own) for seat, own in tally.replies.items()},
        repeats=tuple(_again(run.path)) if tally.epochs > 1 else (),
        rows=tuple(figure for row in summary.rows if (figure := _figure(summary, row)) is not None),
        release=release(),
    )  # fmt: skip


def _figure(summary: Summary, row: Metric) -> Figure | None:
    measure, group = row.measure, row.group
    top, wanted = measure.unit.top, BESIDE.get(measure.section)
    if measure.section not in SECTIONS or (wanted and measure.name not in wanted):
        return None
    if not wanted and top not in (1.0, POINTS):
        return None
    scale = POINTS / top if math.isfinite(top) else 1.0

    def points(value: float | None) -> float | None:
        return None if value is None else scale * value

    ends = (row.interval.low, row.interval.high) if row.interval else (None, None)
    return Figure(
        section=measure.section, rule=measure.rule, name=measure.name, group=group.name, label=group.label,
        whole=group.whole, tasks=group.n, n=row.n, count=not math.isfinite(top), value=points(row.value),
        low=points(ends[0]), high=points(ends[1]),
        floor=points(row.limit("floor")), ceiling=points(row.limit("reference")),
        down=measure.better == "down", main=row.main, waits=row.waits, why=row.why,
    )  # fmt: skip


def _again(path: Path) -> Sequence[RepeatStats]:
    """What the repeats of a run came to, by each rule under which tasks have one score."""
    side, _ = side_of(path)
    found = []
    for rule in RULES:
        values: dict[str, list[float]] = {}
        for task, attempts in side.tasks.items():
            for one in attempts:
                if (value := one.whole(rule)) is not None:
                    values.setdefault(task, []).append(value)
        if made := repeats(rule, values):
            found.append(made)
    return found


def repeats(rule: str, values: Mapping[str, Sequence[float]]) -> RepeatStats | None:
    """What the repeats of each task came to, in their order; None without two of any.

    Only tasks that were played as often as any count: a mean over other tasks would differ for that alone.
    """
    k = max((len(own) for own in values.values()), default=0)
    full = [own for own in values.values() if len(own) == k]
    if k < 2:
        return None
    solved = [[value == SOLVED for value in own] for own in full]
    return RepeatStats(
        rule=rule,
        k=k,
        tasks=len(full),
        spread=POINTS * stdev(fmean(times) for times in zip(*full, strict=True)),
        all_solved=POINTS * (math.fsum(map(all, solved)) / len(full)),
        flips=POINTS * (math.fsum(any(own) and not all(own) for own in solved) / len(full)),
    )


def main_rows(figures: Figures) -> list[tuple[Figure | None, Figure | None]]:
    """What a plot of one run shows, by the strict and by the published rule: the measures that a brief view shows, in
    every group that has them; what sums up the run comes first."""
    names = {row.name for row in figures.rows if row.main and not row.section}
    rows = [row for row in figures.rows if row.name in names and not row.section]
    places = dict.fromkeys((row.group, row.name) for row in sorted(rows, key=lambda row: not row.whole))
    return [(figures.of("strict", name, group), figures.of("compat", name, group)) for group, name in places]
