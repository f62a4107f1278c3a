"""Two runs of the same tasks beside each other: what they may be compared in, task by task and on the whole.

Scores are read from the run files. Values are shares from 0 to 1; of a task that was played more than once the mean
over its repeats counts.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import groupby, islice
from pathlib import Path
from typing import Literal, cast, get_args

from store.journal import Journal, ScoreRow
from tasks.benchmark import Benchmark, Question, benchmark
from tasks.episode.events import (
    ActionParsed,
    Answered,
    EngineFailed,
    Event,
    LimitHit,
    Planned,
    Record,
    Said,
    Stopped,
    Thought,
    ToolCalled,
    ToolReturned,
    ToolsChosen,
)
from tasks.episode.scheduler import UNFINISHED
from tasks.episode.with_tools import SEAT
from tasks.errors import UsageError
from tasks.run.engines import run_path
from tasks.run.header import HeaderData, header_of, tested, unchanged
from tasks.run.plan import stored_task_file
from tasks.run.reading import human_steps, read_episode, rows_of, steps_by_people, stopped_of
from tasks.scoring.metrics import RULES, Group, Measure, Rule
from tasks.scoring.names import Names
from tasks.scoring.paired import PairedResult, holm, paired

DONE: tuple[type[Event], ...] = (
    Planned, ToolsChosen, Thought, ActionParsed, ToolCalled, ToolReturned, Said, Answered, EngineFailed, LimitHit,
    Stopped,
)  # fmt: skip
"""What was done, said and found."""


@dataclass(frozen=True, slots=True)
class RecordPair:
    """A record of either side, or of one alone (None: the other has nothing here)."""

    first: Record | None
    second: Record | None

    @property
    def same(self) -> bool:
        """Whether both did the same, times aside."""
        return (
            self.first is not None
            and self.second is not None
            and self.first.event.essence() == self.second.event.essence()
        )


@dataclass(frozen=True, slots=True)
class StepPair:
    """A step of either side, its records paired in order; people: whether a person made it, by side."""

    number: int
    pairs: Sequence[RecordPair]
    people: tuple[bool, bool] = (False, False)

    @property
    def same(self) -> bool:
        """Whether both did the same in it."""
        return all(pair.same for pair in self.pairs)


def aligned(first: Sequence[Record], second: Sequence[Record]) -> list[StepPair]:
    """The steps of two records by their numbers; in a step, records of one kind stand beside each other."""
    left, right = (_by_step(records) for records in (first, second))
    one, other = (steps_by_people(records) for records in (first, second))
    return [
        StepPair(
            number, tuple(_paired(left.get(number, ()), right.get(number, ()))), (number in one, number in other)
        )
        for number in sorted(left.keys() | right.keys())
    ]


def steps_of(comparison: Comparison, line: TaskLine) -> list[StepPair]:
    """The steps of a task in both runs, of its first repeat, read from their files."""
    records = []
    for side, episode in zip((comparison.first, comparison.second), line.episodes, strict=True):
        with Journal.open(side.path) as journal:
            records.append(read_episode(journal, episode))
    return aligned(*records)


def parting(steps: Sequence[StepPair]) -> int | None:
    """The number of the first step in which they differ; None where they did the same to the end."""
    return next((step.number for step in steps if not step.same), None)


def _by_step(records: Sequence[Record]) -> dict[int, list[Record]]:
    done = [record for record in records if isinstance(record.event, DONE) and record.step > 0]
    return {number: list(members) for number, members in groupby(done, key=lambda record: record.step)}


def _paired(first: Sequence[Record], second: Sequence[Record]) -> Iterator[RecordPair]:
    from rapidfuzz.distance import Indel

    kinds = ([record.event.tag for record in records] for records in (first, second))
    for part in Indel.opcodes(*kinds):
        if part.tag == "equal":
            pairs = zip(first[part.src_start : part.src_end], second[part.dest_start : part.dest_end], strict=True)
            yield from (RecordPair(a, b) for a, b in pairs)
        else:
            yield from (RecordPair(a, None) for a in first[part.src_start : part.src_end])
            yield from (RecordPair(None, b) for b in second[part.dest_start : part.dest_end])


Key = tuple[Rule, str]
"""A rule and what is measured by it."""
WHOLES = ("overall", "success", "score")
"""Names of what sums up an attempt: shown first, and in every group."""
FIRST, GROWS = 100, 4
"""Episodes of each run after which a comparison that grows is told first, and how much more are read each time."""
OWN = frozenset({"env"})
"""Settings that choose tasks and change nothing about them."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The last attempt of an episode: how it ended, and its values as shares (None: not scored, or nothing to score).
    repeat: from 0; people: what people did in it, by seat and step."""

    episode: str
    repeat: int
    outcome: str
    values: Mapping[Key, float | None]
    people: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def whole(self, rule: Rule) -> float | None:
        """What sums it up; None where nothing does."""
        found = (self.values.get((rule, name)) for name in WHOLES)
        return next((value for value in found if value is not None), None)


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One of the runs: its header, and its attempts by task in the order of their repeats. left_out: those in which a
    person answered for the policy that is tested; they are not among `tasks`, so that no figure counts them."""

    run: str
    path: Path
    header: HeaderData
    bench: Benchmark
    tasks: Mapping[str, Sequence[Attempt]]
    versions: Mapping[str, str]
    """Scorer -> version."""
    left_out: Mapping[str, Sequence[Attempt]] = field(default_factory=dict)

    @property
    def people(self) -> int:
        """Episodes in which a person answered from the tested seat."""
        every = itertools.chain(*self.tasks.values(), *self.left_out.values())
        return sum(SEAT in one.people for one in every)

    def mean(self, task: str, key: Key) -> float | None:
        """The mean over the repeats of a task that have a value."""
        found = [value for one in self.tasks[task] if (value := one.values.get(key)) is not None]
        return math.fsum(found) / len(found) if found else None

    def whole(self, task: str, rule: Rule) -> float | None:
        """The mean of what sums up the task."""
        found = (self.mean(task, (rule, name)) for name in WHOLES)
        return next((value for value in found if value is not None), None)


@dataclass(frozen=True, slots=True)
class MeasureComparison:
    """A measure in a group of tasks; holm: p adjusted for all runs that are compared with the first."""

    measure: Measure
    group: Group
    found: PairedResult
    holm: float


@dataclass(frozen=True, slots=True)
class TaskLine:
    """A task that both runs played: its group and what that is called, how each attempt ended, the values of what
    sums it up, by rule."""

    task: str
    group: str
    label: Names
    episodes: tuple[str, str]
    outcomes: tuple[str, str]
    values: Mapping[Rule, tuple[float | None, float | None]]

    @property
    def differs(self) -> bool:
        """Whether the runs came to different scores."""
        return self.ended and any(a != b for a, b in self.values.values())

    @property
    def ended(self) -> bool:
        """Whether both runs are done with it."""
        return UNFINISHED not in " ".join(self.outcomes).split()


Why = Literal["unscored", "open", "human", "missing", "around"]


@dataclass(frozen=True, slots=True)
class DroppedTask:
    """A task that a run played and no figure of a comparison counts. why: `missing`: the other run did not play it;
    `human`: a person answered for the policy that is tested; `around`: in one run alone a person sat around that;
    `open`: it has not ended; `unscored`. side: 0 or 1, the run of which it is so; None: both."""

    task: str
    why: Why
    side: int | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run against the first one. differences: what was different about the runs, as (what, first, second); read:
    how many episodes of each were looked at where there are more, 0 where it is whole; dropped: all tasks of either
    run that `main` does not count, () before it is whole."""

    first: ComparedRun
    second: ComparedRun
    rows: Sequence[MeasureComparison]
    tasks: Sequence[TaskLine]
    dropped: Sequence[DroppedTask] = ()
    differences: Sequence[tuple[str, str, str]] = field(default_factory=tuple)
    read: int = 0

    @property
    def main(self) -> MeasureComparison:
        """What sums up all tasks, by the strict rule where it says anything."""
        return next((row for row in self.rows if row.measure.rule == "strict"), self.rows[0])


def compare(names: Sequence[str | Path], *, seed: int = 0) -> list[Comparison]:
    """Compare runs with the first of them.

    Args:
        names: paths or ids, at least two.
        seed: of drawn signs.

    Raises:
        UsageError: they cannot be compared; the sentence names the difference.
        StoreError, TaskError: a run or its task file cannot be read.
    """
    first, questions = side_of(names[0])
    made = []
    for name in names[1:]:
        second, _ = side_of(name, questions)
        _refuse(first, second)
        made.append(_compared(first, second, questions, seed))
    return _with_holm(made)


def growing(first: str | Path, second: str | Path, *, seed: int = 0) -> Iterator[Comparison]:
    """The comparison of two runs as it becomes: of their first `FIRST` episodes, of `GROWS` times as many, at last of
    all of them. What has nothing to compare yet is left out.

    Raises:
        UsageError: they cannot be compared; the sentence names the difference.
        StoreError, TaskError: a run or its task file cannot be read.
    """
    with _reading(first) as (one, questions, left), _reading(second, questions) as (other, _, right):
        read, some = 0, FIRST
        while True:
            more = [sum(1 for _ in islice(rest, some)) == some for rest in (left, right)]
            _refuse(one, other)
            if not any(more):
                break
            read += some
            some = (GROWS - 1) * read
            with suppress(UsageError):  # nothing in common so far
                yield replace(_compared(one, other, questions, seed), dropped=(), read=read)
        yield _compared(one, other, questions, seed)


def side_of(name: str | Path, questions: Sequence[Question] = ()) -> tuple[ComparedRun, Sequence[Question]]:
    """A run and the questions of its task file; `questions` are taken for those where they are given.

    Raises:
        StoreError, TaskError: the run or its task file cannot be read.
    """
    with _reading(name, questions) as (side, questions, rest):
        deque(rest, 0)
    return side, questions


@contextmanager
def _reading(
    name: str | Path, questions: Sequence[Question] = ()
) -> Iterator[tuple[ComparedRun, Sequence[Question], Iterator[Attempt]]]:
    """A run of which nothing was read yet, the questions, and its attempts; each joins the run when it is drawn."""
    path = run_path(name)
    with Journal.open(path) as journal:
        header = header_of(journal)
        bench = benchmark(str(header["spec"]["benchmark"]))
        if not questions:
            tasks = stored_task_file(header)
            with unchanged(tasks):
                questions = bench.load(tasks)
        tasks_of: dict[str, list[Attempt]] = {}
        left_out: dict[str, list[Attempt]] = {}
        versions: dict[str, str] = {}

        def attempts() -> Iterator[Attempt]:
            by_people = human_steps(journal)
            known = {question.id: question for question in questions}
            for row, tries in journal.walk():
                last = tries[-1].id
                rows = _by_rules(rows_of(journal, bench, row, last, known.get(row.task_id)))
                outcome = _told(rows[-1]) if rows else _ended(journal, last)
                versions.update((one.scorer, one.version) for one in rows)
                person = by_people.get(last)
                attempt = Attempt(row.id, row.epoch, outcome, _values(bench, rows), person.steps if person else {})
                joined = tasks_of if person is None or person.counted else left_out
                joined.setdefault(row.task_id, []).append(attempt)
                yield attempt

        side = ComparedRun(str(header["run"]), path, header, bench, tasks_of, versions, left_out)
        yield side, questions, attempts()


def _ended(journal: Journal, attempt: int) -> str:
    stopped = stopped_of(journal, attempt)
    return UNFINISHED if stopped is None else stopped.outcome


def _by_rules(rows: Mapping[str, ScoreRow]) -> list[ScoreRow]:
    """The rows of the rules: those of graders and people are somebody's word."""
    return [row for row in rows.values() if _rule(row) and isinstance(row.value, dict)]


def _rule(row: ScoreRow) -> Rule | None:
    return next((rule for rule in RULES if row.scorer == rule or row.scorer.endswith(f"_{rule}")), None)


def _scored(row: ScoreRow) -> bool:
    return not isinstance(row.settings, dict) or row.settings.get("scored") is not False


def _told(row: ScoreRow) -> str:
    return str(row.settings.get("outcome", "")) if isinstance(row.settings, dict) else ""


def _values(bench: Benchmark, rows: Sequence[ScoreRow]) -> dict[Key, float | None]:
    """All values of an attempt; what stands in a file and is no number is none, and strictly an error says
    nothing."""
    rows = [row for row in rows if _rule(row) == "compat" or _scored(row)]
    return {
        key: float(value) if isinstance(value, int | float) else None for key, value in bench.values(rows).items()
    }


def _refuse(first: ComparedRun, second: ComparedRun) -> None:
    """Only the same tasks, on the same corpora, by the same rules say which answers are better."""
    for what, *path in (
        ("the benchmarks differ", "spec", "benchmark"),
        ("the task files differ", "tasks", "sha256"),
        ("the packs differ", "pack", "hash"),
    ):
        a, b = (_at(side.header, path) for side in (first, second))
        if a != b and (path[0] != "pack" or (a and b)):
            raise UsageError(
                f"runs '{first.run}' and '{second.run}' cannot be compared: {what}: {_short(a)} and {_short(b)}",
                "Compare runs of the same tasks and pack.",
            )
    for scorer in sorted(first.versions.keys() & second.versions.keys()):
        if first.versions[scorer] != second.versions[scorer]:
            raise UsageError(
                f"runs '{first.run}' and '{second.run}' were scored by different rules: {scorer} is"
                f" {first.versions[scorer]} and {second.versions[scorer]}",
                "Score both again: moot score RUN.",
            )
    own = first.bench.settings.model_fields
    for name, a, b in _settings(first, second):
        if name in own and name not in OWN:
            raise UsageError(
                f"runs '{first.run}' and '{second.run}' were played by different rules: {name} is {a} and {b}",
                "Compare runs with the same settings; `moot report` shows each alone.",
            )


def _settings(first: ComparedRun, second: ComparedRun) -> list[tuple[str, str, str]]:
    """Settings of the benchmark that differ, those alone that both runs have."""
    both = [side.header["spec"] for side in (first, second)]
    if any("imported" in side.header for side in (first, second)):
        return []
    names = [name for name in first.bench.settings.model_fields if all(name in spec for spec in both)]
    return [(name, str(both[0][name]), str(both[1][name])) for name in names if both[0][name] != both[1][name]]


FACTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("imported", ("imported", "file")),
    ("calls", ("spec", "calls")), ("paper", ("spec", "paper")), ("seed", ("spec", "seed")),
    ("task_seed", ("spec", "task_seed")), ("epochs", ("spec", "epochs")), ("parent", ("parent", "run")),
    ("pack", ("pack", "name")), ("moot", ("versions", "moot")),
)  # fmt: skip
"""What tells two runs apart beside their settings -> where it stands in the header."""


PARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("seats", ("spec", "seats")), ("limits", ("limits",)), ("prompts", ("prompts",)),
)  # fmt: skip
"""The same of what has parts of its own."""


def _differences(first: ComparedRun, second: ComparedRun) -> list[tuple[str, str, str]]:
    sides = (first.header, second.header)
    who = zip(("agent", "model"), *map(tested, sides), strict=True)
    told = [(name, _short(a), _short(b)) for name, a, b in who]
    told += [(name, _short(_at(sides[0], path)), _short(_at(sides[1], path))) for name, path in FACTS]
    for part, path in PARTS:
        held = [found if isinstance(found := _at(side, path), Mapping) else {} for side in sides]
        told += [
            (f"{part}.{name}", _short(held[0].get(name)), _short(held[1].get(name)))
            for name in sorted({*held[0], *held[1]})
        ]
    return [(name, a, b) for name, a, b in told if a != b] + _settings(first, second)


def _at(header: HeaderData, path: Iterable[str]) -> object:
    found: object = header
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def _short(value: object) -> str:
    text = "–" if value in (None, "") else str(value)
    return text[:12] if len(text) == 64 and text.isalnum() else text


def _compared(first: ComparedRun, second: ComparedRun, questions: Sequence[Question], seed: int) -> Comparison:
    both = [
        question
        for question in questions
        if question.id in first.tasks
        and question.id in second.tasks
        and _helped(first, question.id) == _helped(second, question.id)
    ]
    if not both:
        n = len(first.left_out) + len(second.left_out)
        raise UsageError(
            f"runs '{first.run}' and '{second.run}' have no task in common",
            f"{n} of their tasks were answered by a person, which enters no figure."
            if n
            else "Compare runs of the same tasks.",
        )
    labels = labels_of(first.bench, both)
    lines = [
        TaskLine(
            question.id, question.group, labels[question.group],
            (first.tasks[question.id][0].episode, second.tasks[question.id][0].episode),
            (_outcomes(first, question.id), _outcomes(second, question.id)),
            {rule: (first.whole(question.id, rule), second.whole(question.id, rule)) for rule in RULES},
        )
        for question in both
    ]  # fmt: skip
    rows = list(_rows(first, second, both, labels, seed))
    if not rows:
        raise UsageError(
            f"runs '{first.run}' and '{second.run}' have no scored task in common", "Score them: moot score RUN."
        )
    made = Comparison(first, second, rows, lines, (), _differences(first, second))
    of = made.main.measure
    lost = dropped(first, second, [question.id for question in questions], cast(Key, (of.rule, of.name)))
    return replace(made, dropped=lost)


def dropped(first: ComparedRun, second: ComparedRun, tasks: Iterable[str], key: Key) -> list[DroppedTask]:
    """The tasks of either run that a figure of both does not count, and why, in the order of `tasks`."""
    found = []
    for task in tasks:
        helped = _helped(first, task), _helped(second, task)
        whys = [_why_not(side, task, key) for side in (first, second)]
        if helped[0] != helped[1] and "missing" not in whys:
            whys = ["around" if own else None for own in helped]
        worst = max((why for why in whys if why), key=get_args(Why).index, default=None)
        if worst and whys != ["missing", "missing"]:
            found.append(DroppedTask(task, worst, None if whys[0] == whys[1] else whys.index(worst)))
    return found


def _helped(side: ComparedRun, task: str) -> bool:
    """Whether a person sat around the tested seat in a task."""
    return any(one.people.keys() - {SEAT} for one in side.tasks.get(task, ()))


def _why_not(side: ComparedRun, task: str, key: Key) -> Why | None:
    if task not in side.tasks:
        return "human" if task in side.left_out else "missing"
    if side.mean(task, key) is not None:
        return None
    return "open" if any(one.outcome == UNFINISHED for one in side.tasks[task]) else "unscored"


def _outcomes(side: ComparedRun, task: str) -> str:
    return " ".join(dict.fromkeys(one.outcome for one in side.tasks[task]))


def labels_of(bench: Benchmark, questions: Sequence[Question]) -> dict[str, Names]:
    """Group -> what the benchmark calls it, in its order; others behind, as the tasks have them."""
    some = {question.group: question for question in reversed(questions)}
    called = {group.name: group.label for group in bench.summary("", list(some.values()), []).groups}
    there = dict.fromkeys(question.group for question in questions)
    return {name: called.get(name, (name, name)) for name in dict.fromkeys((*called, *there)) if name in there}


def _rows(
    first: ComparedRun, second: ComparedRun, both: Sequence[Question], labels: Mapping[str, Names], seed: int
) -> Iterable[MeasureComparison]:
    """A row a measure and group: what sums up attempts in every group, all else where it occurs."""
    groups = list(labels)
    keys = dict.fromkeys(
        key for side in (first, second) for question in both for one in side.tasks[question.id] for key in one.values
    )
    for rule, name in sorted(keys, key=lambda key: (key[1] not in WHOLES, RULES.index(key[0]))):
        for group in ("all", *groups) if len(groups) > 1 else ("all",):
            members = [question for question in both if group in ("all", question.group)]
            pairs = [
                (a, b, question.cluster)
                for question in members
                if (a := first.mean(question.id, (rule, name))) is not None
                and (b := second.mean(question.id, (rule, name))) is not None
            ]
            if pairs and (name in WHOLES or group == "all"):
                left, right, clusters = zip(*pairs, strict=True)
                found = paired(left, right, clusters, seed=seed)
                label = ("全部", "All") if group == "all" else labels[group]
                yield MeasureComparison(Measure(rule, name), Group(group, label, len(members)), found, found.p)


def _with_holm(made: Sequence[Comparison]) -> list[Comparison]:
    """Every measure and group is one family: the first run against each of the others."""
    families: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
    for place, one in enumerate(made):
        for at, row in enumerate(one.rows):
            families.setdefault((row.measure.rule, row.measure.name, row.group.name), []).append((place, at))
    rows = [list(one.rows) for one in made]
    for members in families.values():
        for (place, at), value in zip(members, holm([rows[p][a].found.p for p, a in members]), strict=True):
            rows[place][at] = replace(rows[place][at], holm=value)
    return [replace(one, rows=own) for one, own in zip(made, rows, strict=True)]
