"""Metric rows: what a run came to, figure by figure. Boards, reports, panes and exports read rows and nothing else.

A `Measure` is a line of a benchmark's table: what is measured, by which rule, in which unit. A `Metric` is its figure
in a `Group` of the run, with all that is needed to judge it; figures, intervals and limits are in the unit of the
measure. A `Summary` holds the rows of a run; `Summary.block` is the published JSON, and is made of them. Benchmarks
whose blocks were published in another shape have a summary of their own that says which.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import ClassVar, Literal

from tasks.episode.events import OUTCOMES
from tasks.scoring.names import Names, called, names_of
from tasks.scoring.result import READ, HumanSteps, Replies, Result, total
from tasks.scoring.statistics import Interval

Kind = Literal["own", "count", "limit", "spread", "published"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure with its interval; `text` stands in its place, `note` behind it; `count`: a whole number."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    text: str = ""
    note: str = ""
    count: bool = False


EMPTY = Cell(text=" ")
"""A column that does not apply."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """heads: what the row is, one text a head of the table; kind: whose figures they are."""

    heads: tuple[str, ...]
    cells: tuple[Cell, ...]
    kind: Kind = "own"


@dataclass(frozen=True, slots=True)
class Table:
    """key: its name for programs; heads: of the first columns; plot: an SVG fragment for HTML."""

    key: str
    title: str
    heads: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    notes: tuple[str, ...] = ()
    places: int = 2
    plot: str = ""

    def data(self) -> dict[str, object]:
        """As JSON data, figures in full precision."""
        return {
            "key": self.key,
            "title": self.title,
            "columns": list(self.columns),
            "rows": [
                {
                    "kind": row.kind, **dict(zip(self.heads, row.heads, strict=True)),
                    "values": {name: _data(cell) for name, cell in zip(self.columns, row.cells, strict=True)
                        if cell is not EMPTY},
                }
                for row in self.rows
            ],
            "notes": list(self.notes),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class CollapsibleText:
    """A long text that a page folds away: its lines, and what is said of the part that was cut off."""

    title: str
    lines: tuple[str, ...]
    cut: str = ""


def _data(cell: Cell) -> object:
    if cell.text:
        return cell.text
    if cell.low is None or cell.high is None:
        return cell.value
    return {"value": cell.value, "interval": [cell.low, cell.high]}


Rule = Literal["compat", "strict"]
RULES: tuple[Rule, ...] = ("compat", "strict")
Value = float | None
Limit = Literal["floor", "reference"]
"""What says nothing earns; what the gold answer earns."""
LIMITS: tuple[Limit, ...] = ("floor", "reference")
Tree = dict[str, object]
"""A part of the published JSON."""
Pick = Callable[["Metric"], object]
"""What a tree of the JSON says of a row."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A scale: its best value, and the decimals that tables show of it from 0 to 100; counts as they are."""

    top: float
    places: int


SHARE, POINTS = Unit(1.0, 2), Unit(100.0, 2)
COUNT = Unit(float("inf"), 0)
DISTANCE = Unit(float("inf"), 2)
"""Of logarithms: no best value that a scale could end at."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured. rule: '' where both agree; label: what it is called, '' for the word that all reports have;
    section: '' for scores, else what else is measured (turns, consistency)."""

    rule: Rule | Literal[""]
    name: str
    label: Names = ("", "")
    unit: Unit = SHARE
    better: Literal["up", "down"] = "up"
    section: str = ""
    answered: bool = True
    """Whether a right answer earns all of it; what is earned on the way has the gold path as its ceiling alone."""

    @property
    def names(self) -> Names:
        """What it is called in both languages, without its rule."""
        return self.label if any(self.label) else names_of(self.name)

    def called(self, language: str) -> str:
        """What it is called in one of them, or its code where codes are wanted."""
        return called(self.name, self.names, language)


@dataclass(frozen=True, slots=True)
class Group:
    """Attempts that belong together. n: how many, None for a mean over other groups; whole: whether it sums up a run.

    clusters, design_effect, effective_n: how far the attempts are independent draws, None where that is not known.
    """

    name: str
    label: Names
    n: int | None
    clusters: int | None = None
    design_effect: Value = None
    effective_n: Value = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure. n: attempts behind it. limits: those that there are; one may have no value. bounds: the value if all
    that is missing were 0, and if it were 1. why: why there is no value, or what it leaves out; waits: a grader has
    yet to speak.
    main: whether a brief view shows it."""

    measure: Measure
    group: Group
    value: Value
    n: int
    interval: Interval | None = None
    limits: Mapping[Limit, Value] = field(default_factory=dict)
    bounds: tuple[Value, Value] | None = None
    why: str = ""
    waits: bool = False
    main: bool = False

    def limit(self, name: Limit) -> Value:
        """A limit as people read it; None where there is none, or where it limits nothing."""
        return None if name == "reference" and not self.measure.answered else self.limits.get(name)


@dataclass(frozen=True, slots=True)
class AttemptCounts:
    """What was counted over the attempts of a run. outcomes add up to n; flags: those of the benchmark, present or
    not, and others that occurred; tokens: of each attempt, as engine or provider counted; seconds: machine time of
    all; replies: of each model's seat."""

    n: int
    epochs: int
    outcomes: Mapping[str, int]
    flags: Mapping[str, int]
    tokens: Sequence[int]
    seconds: float = 0.0
    replies: Replies = field(default_factory=dict)

    @classmethod
    def of(cls, results: Sequence[Result], flags: Sequence[str]) -> AttemptCounts:
        """The counts of all attempts; `flags` are counted in any case."""
        return cls(
            len(results),
            max((one.epoch for one in results), default=0) + 1,
            counted((one.outcome for one in results), OUTCOMES),
            counted((flag for one in results for flag in one.flags), flags),
            [one.tokens for one in results],
            math.fsum(one.seconds for one in results),
            total(one.replies for one in results),
        )

    @property
    def estimated(self) -> int:
        """Attempts with calls whose tokens nobody counted, so that they are estimated."""
        return self.flags.get("tokens_estimated", 0)


def counted(names: Iterable[str], always: Sequence[str]) -> dict[str, int]:
    """How often each name occurs: first those of `always`, present or not."""
    count = Counter(names)
    return {name: count.get(name, 0) for name in dict.fromkeys((*always, *sorted(count)))}


@dataclass(frozen=True)
class Summary:
    """What a run came to. rows: measure by measure in the order of tables; scorers: scorer -> its version; across:
    how a table for a terminal is laid out, with groups as columns or as rows, or with a line a metric below each
    group; people: what people did in its episodes, those that no figure counts among them."""

    run: str
    benchmark: str
    tally: AttemptCounts
    groups: Sequence[Group]
    rows: Sequence[Metric]
    limits: ClassVar[Mapping[Limit, Names]] = {}
    """What the limits of this benchmark are called, where reports have no word of their own."""
    scorers: Mapping[str, str] = field(default_factory=dict)
    across: Literal["groups", "rules", "metrics"] = "groups"
    people: Sequence[HumanSteps] = field(default=(), kw_only=True)

    @cached_property
    def _places(self) -> Mapping[tuple[str, str, str, str], Metric]:
        return {(row.measure.section, row.measure.rule, row.group.name, row.measure.name): row for row in self.rows}

    @property
    def scores(self) -> list[Metric]:
        """The rows that are scores by one of the rules."""
        return self.section("")

    @property
    def wholes(self) -> list[Group]:
        """The groups that sum up a run; all where none does."""
        return [group for group in self.groups if group.whole] or list(self.groups)

    def section(self, section: str) -> list[Metric]:
        """The rows of a section."""
        return [row for row in self.rows if row.measure.section == section]

    def row(self, rule: str, group: str, name: str, section: str = "") -> Metric | None:
        """The row of a measure in a group; None where it has none."""
        return self._places.get((section, rule, group, name))

    def value(self, rule: str, group: str, name: str, section: str = "") -> Value:
        """Its value; None where there is none."""
        row = self.row(rule, group, name, section)
        return None if row is None else row.value

    def versions(self, rule: str) -> str:
        """The versions of the scorers of a rule."""
        own = (version for name, version in self.scorers.items() if rule and name.endswith(rule))
        return " ".join(dict.fromkeys(own))

    def tree(self, rows: Iterable[Metric], pick: Pick) -> Tree:
        """Rows of one rule as they stand in the JSON: group -> measure -> what is picked."""
        return nested((row.group.name, row.measure.name, pick(row)) for row in rows)

    def by_rule(self, pick: Pick, where: Callable[[Metric], bool] = lambda row: True) -> dict[str, Tree]:
        """The trees of both rules."""
        return {
            rule: self.tree([row for row in self.scores if row.measure.rule == rule and where(row)], pick)
            for rule in RULES
        }

    def limit(self, name: Limit) -> dict[str, Tree]:
        """The trees of a limit."""
        return self.by_rule(lambda row: row.limits[name], lambda row: name in row.limits)

    def block(self) -> Tree:
        """The score block: JSON data as the command line prints it."""
        tally, tokens = self.tally, self.tally.tokens
        counted = [group for group in self.groups if group.n is not None]
        return {
            "run": self.run,
            "benchmark": self.benchmark,
            "n": tally.n,
            "groups": {group.name: group.n for group in counted},
            "epochs": tally.epochs,
            "outcomes": dict(tally.outcomes),
            "flags": dict(tally.flags),
            "replies": {
                seat: {name: figures[name] for name in figures if name not in READ}
                for seat, figures in tally.replies.items()
            },
            **self.by_rule(lambda row: row.value),
            "intervals": self.by_rule(ends),
            "interval_methods": self.by_rule(method),
            "floor": self.limit("floor"),
            "ceiling": self.limit("reference"),
            "clusters": {group.name: group.clusters for group in self.groups if group.clusters is not None},
            "design_effect": {group.name: group.design_effect for group in counted},
            "effective_n": {group.name: group.effective_n for group in counted},
            "tokens": {
                "total": sum(tokens),
                "mean": sum(tokens) / len(tokens) if tokens else None,
                "tasks": sum(count > 0 for count in tokens),
                **({"estimated": tally.estimated} if tally.estimated else {}),
            },
            "scorers": dict(self.scorers),
            **({"people": [asdict(one) for one in self.people]} if self.people else {}),
            **(
                {"added": {row.measure.name: _added(row) for row in added}}
                if (added := self.section("added"))
                else {}
            ),
        }

    def notes(self, language: str) -> list[tuple[str, str]]:
        """What a report says beside the rows: key of a label, text in the language; empty texts are left out."""
        return []

    def tables(self, reports: Sequence[Report], language: str) -> list[Table]:
        """The tables that reports of this benchmark have together; all `reports` are of it."""
        return []


@dataclass(frozen=True, slots=True)
class Report:
    """What a run came to, with its header ({} when there is none).

    failures: of why its attempts failed class -> main reason of how many; tables: what a reader of the run's file
    adds, such as the spread over repeats; folded: transcripts of episodes.
    """

    summary: Summary
    header: Mapping[str, object] = field(default_factory=dict)
    failures: Mapping[str, int] = field(default_factory=dict)
    tables: Sequence[Table] = ()
    folded: Sequence[CollapsibleText] = ()


def _added(row: Metric) -> Tree:
    """The figure of a scorer from elsewhere; its group is its version."""
    return {"version": row.group.name, "value": row.value, "interval": ends(row), "n": row.n, "why": row.why}


def ends(row: Metric) -> list[float] | None:
    """[low, high] of a row."""
    return None if row.interval is None else [row.interval.low, row.interval.high]


def method(row: Metric) -> str | None:
    """How the interval of a row was made."""
    return None if row.interval is None else row.interval.method


def nested(cells: Iterable[tuple[str, str, object]]) -> Tree:
    """(outer, inner, what) as outer -> inner -> what."""
    made: dict[str, Tree] = {}
    for outer, inner, what in cells:
        made.setdefault(outer, {})[inner] = what
    return dict(made)


def in_points(interval: Interval | None, digits: int = 10) -> Interval | None:
    """An interval of shares on a scale to 100."""
    if interval is None:
        return None
    return Interval(round(100 * interval.low, digits), round(100 * interval.high, digits), interval.method)
