"""Solved episodes of the fictional pack, damaged by a program in a known way, a class of failure at a time.

Written from the definitions of the classes alone (`tasks.scoring.failures.CLASSES`), never from the detectors. What a
damaged call comes to is what the real tools answer to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from store.journal import ScoreRow
from tasks.episode.events import (
    ActionParsed,
    Answered,
    AttemptStarted,
    Event,
    LimitHit,
    Planned,
    Record,
    Seated,
    StepEnded,
    Stopped,
)
from tasks.episode.state import State, fold

MANY = 24
"""Episodes of a class and a benchmark, at most."""
UNSURE = ("根据已有的信息无法确定。", "抱歉，没有查到相关内容。", "暂时不能回答这个问题。")
ENDS = {"turn_limit": "limit of 10 turns reached", "context_full": "the context of the model is full"}


@dataclass(frozen=True)
class Call:
    tool: str
    input: Any
    returns: Mapping[str, Any] | None = None
    """What it comes to, where that is not asked of the tool."""


@dataclass(frozen=True)
class Refused:
    note: str = "没有 JSON"


@dataclass(frozen=True)
class Script:
    """An episode to be: its plan, moves, answer (None: none), end."""

    moves: Sequence[Call | Refused]
    answer: str | None
    plan: Sequence[str] = ()
    outcome: str = "finished"


@dataclass(frozen=True)
class Injected:
    """A damaged episode: the class that was put in, how, the question, what became of it."""

    benchmark: str
    expected: str
    how: str
    question: Any
    state: State
    rows: Sequence[ScoreRow] = ()


@dataclass
class Writer:
    """Writes the records of an episode."""

    records: list[Record] = field(default_factory=list)
    step: int = 0

    def add(self, event: Event, parent: int | None = None) -> int:
        self.records.append(Record(len(self.records), self.step, parent, 0.0, event))
        return len(self.records) - 1

    @property
    def state(self) -> State:
        return fold(self.records)


def played(name: str, question: Any, script: Script, call: Callable[[Writer, Call], None]) -> State:
    """The state of an episode that goes by a script."""
    writer = Writer()
    writer.add(AttemptStarted(benchmark=name, task_id=question.id, attempt=1, seed=0, card=question.card))
    writer.add(Seated(seat="agent", policy="react/1", engine="toy:x"))
    writer.step = 1
    if script.plan:
        writer.add(Planned(seat="agent", steps=tuple(script.plan), tools=tuple(script.plan)))
    for number, move in enumerate(script.moves, 1):
        writer.step = number
        if isinstance(move, Refused):
            writer.add(ActionParsed(seat="agent", result="rejected", note=move.note))
        else:
            writer.add(ActionParsed(seat="agent", result="ok"))
            call(writer, move)
        writer.add(StepEnded())
    if script.answer is not None:
        writer.step += bool(script.moves)
        writer.add(Answered(seat="agent", res=script.answer, summary=script.answer))
    if script.outcome == "turn_limit":
        writer.add(LimitHit(kind="turns", limit=10, used=10))
    writer.add(
        Stopped.model_validate({"outcome": script.outcome, "reason": ENDS.get(script.outcome, script.outcome)})
    )
    writer.add(StepEnded())
    return writer.state
