"""What scorers are handed and what they give back: plain frozen values, so that any source of answers can be scored.

An episode of a run and a line of a prediction file become the same `Result`. Beyond it a scorer may look at the pack,
and at what a grader said: what cannot be computed without is missing, never guessed. Tokens as the engine or provider
counted.

How the replies of each seat came out is counted over an episode, added up over a run. calls and tokens of models;
spoken: what was said aloud, the fixed line apart; echo, recital, repeat, speaks_for: see `tasks.agents.degenerate`;
repetition, length: a loop or a limit ended the reply; repaired, rejected: how it was read.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from store.journal import ScoreRow
from store.pack import Pack
from tasks.episode.events import FAULTS, ActionParsed, Event, ModelCalled, Record, Said
from tasks.episode.with_tools import SEAT
from tasks.run.spec import RunSpec

ENDS = ("repetition", "length")
FIGURES = ("calls", "spoken", *FAULTS, *ENDS, "repaired", "rejected", "evaluated", "reused", "generated")
READ = ("evaluated", "reused")
"""Figures that depend on what the engine had read before: no part of a score block."""
DEGENERATE = (*FAULTS, "repetition")
"""Figures of replies in which nothing is said."""
Replies = Mapping[str, Mapping[str, int]]
"""Seat -> figure -> how often."""


def replies_of(records: Iterable[Record]) -> Replies:
    """The figures of every seat in which a model sat."""
    found: dict[str, Counter[str]] = {}
    spoken: dict[str, Counter[str]] = {}
    for event in (record.event for record in records):
        match event:
            case ModelCalled(human=False):
                own = found.setdefault(event.seat, Counter())
                own.update(
                    calls=1, evaluated=event.evaluated, reused=event.reused, generated=event.generated,
                )  # fmt: skip
                own[event.finish] += event.finish in ENDS
            case Said(turn=turn) if turn > 0:
                spoken.setdefault(event.seat, Counter()).update(filter(None, ("spoken", event.fault)))
            case ActionParsed(result="repaired" | "rejected"):
                spoken.setdefault(event.seat, Counter())[event.result] += 1
    return {
        seat: {name: own[name] + spoken.get(seat, Counter())[name] for name in FIGURES} for seat, own in found.items()
    }


def degenerate(figures: Mapping[str, int]) -> float:
    """The share of replies in which nothing is said: of those that the seat spoke, or else made."""
    found = sum(figures.get(name, 0) for name in DEGENERATE)
    return min(1.0, found / max(1, figures.get("spoken", 0) or figures.get("calls", 0)))


def total(parts: Iterable[Replies]) -> Replies:
    """The sum over episodes, seat by seat, the tested one first."""
    found: dict[str, Counter[str]] = {SEAT: Counter()}
    for part in parts:
        for seat, figures in part.items():
            found.setdefault(seat, Counter()).update(figures)
    return {seat: {name: figures[name] for name in FIGURES} for seat, figures in found.items() if figures}


Grade = Mapping[str, float | None]
"""Name of a verdict -> 0 to 1, None where the grading failed."""


@dataclass(frozen=True, slots=True)
class ScoreContext:
    """pack: the pack of the run, where it is at hand; graded:
    (task id, epoch) -> the newest grade of the grader's seat; spec: what was run."""

    pack: Pack | None = None
    graded: Mapping[tuple[str, int], Grade] = field(default_factory=dict)
    spec: RunSpec | None = None


NOTHING = ScoreContext()


T = TypeVar("T")
OWN = "moot"
"""Author of the rows of a benchmark's own scorers."""

INFRASTRUCTURE = frozenset({"error", "cancelled"})
"""Outcomes that say nothing about the agent: compat counts them as 0, strict leaves them out and shows both
bounds."""


@dataclass(frozen=True, slots=True)
class Result:
    """What an episode came to.

    `outcome` is one of `tasks.episode.events.OUTCOMES`; `res` the answer, `summary` the answer with every detail;
    `observations` are the texts that tools really returned, in order; `epoch` numbers repeats of a task from 0.
    `actions` says how each reply of a model was read, in order: ok, repaired or rejected. `heard` is what was said
    aloud and what the controller made of it, for benchmarks that score a dialogue. `seconds` is machine time, 0 where
    nobody measured. `replies` counts how those of each model came out.
    """

    task_id: str
    outcome: str
    res: str
    summary: str
    tokens: int = 0
    flags: frozenset[str] = frozenset()
    observations: tuple[str, ...] = ()
    epoch: int = 0
    actions: tuple[str, ...] = ()
    heard: tuple[Event, ...] = ()
    seconds: float = 0.0
    replies: Replies = field(default_factory=dict)

    @property
    def scored(self) -> bool:
        """Whether the agent had its chance: errors of the machinery and cancelled episodes are not scored
        strictly."""
        return self.outcome not in INFRASTRUCTURE

    def light(self) -> Result:
        """The same without its texts, for whoever keeps many: what they say is scored already."""
        task, outcome = sys.intern(self.task_id), sys.intern(self.outcome)  # many repeats, one text
        seen = ("",) if self.observations else ()
        return replace(self, task_id=task, outcome=outcome, res="", summary="", observations=seen, heard=())


@dataclass(frozen=True, slots=True)
class HumanSteps:
    """What a person did in an episode. steps: seat -> the steps in which one answered there; counted: whether the
    episode enters the figures of its run: not where a person answered for who is tested or measured."""

    episode: str
    steps: Mapping[str, Sequence[int]]
    counted: bool = True

    @property
    def text(self) -> str:
        """For a cell: SEAT:STEP of each."""
        return " ".join(f"{seat}:{step}" for seat, steps in self.steps.items() for step in steps)


@dataclass(frozen=True, slots=True)
class Score:
    """One score of one attempt, ready for the append-only table of the journal.

    `value` maps the name of a rate to a number from 0 to 1 (None where there is nothing to rate), `evidence` says
    why.
    """

    scorer: str
    version: str
    settings: Mapping[str, object]
    value: dict[str, float | None]
    evidence: Sequence[Mapping[str, object]] = field(default_factory=list)

    def row(self, attempt: int) -> ScoreRow:
        """The same as a row of the journal."""
        return ScoreRow(attempt, self.scorer, self.version, self.settings, self.value, self.evidence, OWN)


def newest(rows: Iterable[ScoreRow]) -> dict[str, ScoreRow]:
    """Scorer -> its newest row; rows of one attempt come oldest first, as the journal gives them."""
    return {row.scorer: row for row in rows}


@dataclass(frozen=True, slots=True)
class ScoredAttempt:
    """An attempt and its score rows: what a summary is made of. rows: see `newest`; attempt: its id in the journal;
    ended: whether it is over."""

    result: Result
    rows: Mapping[str, ScoreRow] = field(default_factory=dict)
    attempt: int = 0
    ended: bool = True

    def light(self) -> ScoredAttempt:
        """The same without its texts."""
        return replace(self, result=self.result.light())

    def values(self, scorer: str) -> dict[str, float | None]:
        """The values that a scorer gave by name, its only one by its own; what is no number is none."""
        value = self.rows[scorer].value if scorer in self.rows else {}
        found = value if isinstance(value, dict) else {scorer: value}
        return {name: float(value) if isinstance(value, int | float) else None for name, value in found.items()}

    def evidence(self, scorer: str) -> list[Mapping[str, Any]]:
        """What a scorer gave its values for."""
        found = self.rows[scorer].evidence if scorer in self.rows else ()
        return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list | tuple) else []


def with_versions(attempts: Iterable[ScoredAttempt], versions: dict[str, str]) -> Iterator[ScoredAttempt]:
    """The attempts, looked at once; on the way it is noted which scorers gave their rows: scorer -> version."""
    for one in attempts:
        versions.update((row.scorer, row.version) for row in one.rows.values() if row.author == OWN)
        yield one


class HasId(Protocol):
    """A question with an id."""

    @property
    def id(self) -> str:
        """Id as a string."""
        ...


def complete(questions: Iterable[HasId], attempts: Iterable[ScoredAttempt]) -> Iterator[ScoredAttempt]:
    """The attempts at these questions, looked at once; a question without any is one error without scores. Attempts
    at no question are left out."""
    missing = {question.id: True for question in questions}
    for one in attempts:
        if one.result.task_id in missing:
            missing[one.result.task_id] = False
            yield one
    yield from (ScoredAttempt(Result(name, "error", "", "")) for name, still in missing.items() if still)


@dataclass(frozen=True, slots=True)
class Grading:
    """What a grader is asked about one attempt.

    prompt: name of the prompt file; text: the prompt filled; schema: of the reply; read: the reply as named verdicts
        from 0
    to 1 and what is kept as evidence.
    """

    prompt: str
    text: str
    schema: Mapping[str, Any]
    read: Callable[[Mapping[str, Any]], tuple[dict[str, float | None], dict[str, object]]]
    failed: Mapping[str, float | None]
    """The verdicts of a grading that failed."""


NAMED = 10
"""At most so many ids, or lines of one, are named in one message."""


@dataclass(frozen=True, slots=True)
class PredictedAnswer:
    """The answer to one task; `failed`: it stands for an exception of whoever ran it, not for an answer."""

    res: str
    summary: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class TokenCount:
    """Tokens of one task as the provider counted them."""

    prompt: int
    generated: int


@dataclass(frozen=True, slots=True)
class Predictions:
    """By task id; `notes` for a person. A task without an answer counts as an error."""

    answers: Mapping[str, PredictedAnswer]
    notes: tuple[str, ...] = ()
    tokens: Mapping[str, TokenCount] = field(default_factory=dict)


def last_of_each(
    asked: Collection[str], lines: Iterable[tuple[str, int, T]]
) -> tuple[dict[str, T], list[str], list[str]]:
    """Of lines as (id, number, value): id -> the last value of each task that was asked; the ids that came more than
    once, and those of no task, each with the lines on which it stands (0 is a line that nobody knows)."""
    chosen: dict[str, T] = {}
    twice: list[str] = []
    strangers: list[str] = []
    places: dict[str, list[str]] = {}
    for name, line, value in lines:
        places.setdefault(name, []).extend([str(line)] * bool(line))
        if name not in asked:
            strangers.append(name)
            continue
        twice += [name] * (name in chosen)
        chosen[name] = value
    named = {name: f"{name} (line {', '.join(own[:NAMED])})" if own else name for name, own in places.items()}
    return chosen, [named[name] for name in twice], [named[name] for name in strangers]
