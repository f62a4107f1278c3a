"""The state of an episode: a fold of its events, nothing else. Pure functions, no input or output.

Units: tokens as the engine counts them, milliseconds of machine time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import reduce
from hashlib import sha256
from json import dumps
from typing import Any

from models.engine import remedies
from tasks.episode.events import (
    ActionParsed,
    Answered,
    AttemptStarted,
    Event,
    Leaked,
    ModelCalled,
    Planned,
    Record,
    Said,
    Seated,
    StepEnded,
    Stopped,
    TokensReported,
    ToolCalled,
    ToolReturned,
)


@dataclass(frozen=True)
class State:
    """What an episode has come to. `steps` counts completed steps; `records` is the whole history in order; of flags
    `human` says that a person answered from the tested seat, `human_role` that one did from another."""

    records: tuple[Record, ...] = ()
    card: dict[str, Any] = field(default_factory=dict)
    benchmark: str = ""
    task_id: str = ""
    seed: int = 0
    seats: dict[str, Seated] = field(default_factory=dict)
    steps: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    generated_tokens: int = 0
    milliseconds: float = 0.0
    plan: Planned | None = None
    answered: Answered | None = None
    stopped: Stopped | None = None
    flags: frozenset[str] = frozenset()

    @property
    def tokens(self) -> int:
        """Prompt and generated tokens of all calls, reused ones included (as providers count)."""
        return self.prompt_tokens + self.generated_tokens


IMPORTED = "imported/"
"""How the policy of answers that were made elsewhere begins."""


def imported(state: State) -> bool:
    """Whether an attempt is an answer made elsewhere of which no call is recorded: it has no steps, and nothing was
    seen."""
    sits = state.seats.get("agent")
    if sits is None or not sits.policy.startswith(IMPORTED):
        return False
    return not any(isinstance(record.event, ToolCalled | ModelCalled) for record in state.records)


def apply(state: State, record: Record) -> State:
    """The state after one more record."""
    return _after(replace(state, records=(*state.records, record)), record.event)


def _after(state: State, event: Event) -> State:
    """The state with what an event changes, its history apart."""
    match event:
        case AttemptStarted():
            return replace(state, card=event.card, benchmark=event.benchmark, task_id=event.task_id, seed=event.seed)
        case Seated():
            return replace(state, seats={**state.seats, event.seat: event})
        case Planned():
            return replace(state, plan=event)
        case ModelCalled():
            return replace(
                state,
                calls=state.calls + 1,
                prompt_tokens=state.prompt_tokens + event.evaluated + event.reused,
                generated_tokens=state.generated_tokens + event.generated,
                flags=state.flags
                | ({"human" if event.seat == "agent" else "human_role"} if event.human else set())
                | remedies(event.note)
                | ({event.finish} & {"length", "repetition"}),
            )
        case TokensReported():
            return replace(
                state,
                prompt_tokens=state.prompt_tokens + event.prompt,
                generated_tokens=state.generated_tokens + event.generated,
            )
        case ActionParsed(result="repaired" | "rejected"):
            return replace(state, flags=state.flags | {event.result})
        case Leaked():
            return replace(state, flags=state.flags | {"leak"})
        case Said(fault=fault) if fault:
            return replace(state, flags=state.flags | {fault}) if event.seat == "agent" else state
        case ToolReturned():
            outside = event.status == "outside_pack" or event.unknown > 0 or not event.complete
            return replace(state, flags=state.flags | {"outside_pack"}) if outside else state
        case Answered():
            return replace(
                state, answered=event, flags=state.flags | {"abstained"} if event.abstained else state.flags
            )
        case StepEnded():
            return replace(state, steps=state.steps + 1, milliseconds=state.milliseconds + event.milliseconds)
        case Stopped():
            return replace(state, stopped=event)
        case _:
            return state


def fold(records: Iterable[Record]) -> State:
    """The state after all records."""
    history = tuple(records)
    return replace(reduce(_after, (record.event for record in history), State()), records=history)


def completed(records: Iterable[Record], steps: int | None = None) -> list[Record]:
    """The records up to the end of the last completed step, or of step `steps` (0 = only the setting up)."""
    kept: list[Record] = []
    tail: list[Record] = []
    for record in records:
        if steps is not None and record.step > steps:
            break
        tail.append(record)
        if record.step == 0 or isinstance(record.event, StepEnded | Stopped | Seated):
            kept += tail
            tail = []
    return kept


def digest(records: Iterable[Record]) -> str:
    """Hash of an episode over its events without times: equal for two runs that did the same."""
    running = sha256()
    for record in records:
        line = [record.seq, record.step, record.parent, record.event.tag, record.event.essence()]
        running.update(dumps(line, ensure_ascii=False, sort_keys=True).encode())
        running.update(b"\n")
    return running.hexdigest()
