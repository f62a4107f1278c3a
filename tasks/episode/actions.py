"""What a policy may decide in one move. The environment carries it out and yields the events that follow.

A move is a generator: it yields `Event`s (thoughts, plans) and `Ask`s, and returns one `Action`. Yielding an event
sends back its sequence number (to use as a parent), yielding an Ask sends back a `Reply`; `emit` and `ask` give both
a type.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Literal

from models.engine import Ask, Reply
from tasks.episode.events import Event


@dataclass(frozen=True, slots=True)
class CausedEvent:
    """An event together with the sequence number of its cause."""

    event: Event
    parent: int


Yield = Event | CausedEvent | Ask
Sent = int | Reply | None


@dataclass(frozen=True, slots=True)
class CallTool:
    """Call a tool with this input (JSON data)."""

    tool: str
    input: Any


@dataclass(frozen=True, slots=True)
class Answer:
    """End the task with this answer; `summary` defaults to the answer. `outcome` says how the search had ended,
    `abstained` that the words say why there is no answer."""

    res: str
    summary: str = ""
    outcome: Literal["finished", "turn_limit", "token_limit"] = "finished"
    abstained: bool = False


@dataclass(frozen=True, slots=True)
class Nothing:
    """The move brought no action (an illegal action format, say): the step is consumed."""


@dataclass(frozen=True, slots=True)
class Say:
    """Say something aloud. `to`: roles addressed, () for everybody; `stage`: the stage that the speaker declares, if
    any.

    `routed` says where the addressees come from: a field of the reply, a marker or the words of the text, or nowhere.
    `unfinished`: a limit of tokens ended the words.
    """

    text: str
    to: tuple[str, ...] = ()
    stage: str = ""
    routed: Literal["field", "marker", "words", ""] = "field"
    unfinished: bool = False


Action = CallTool | Answer | Say | Nothing
Move = Generator[Yield, Sent, Action]
Steps = Generator[Yield, Sent, None]


def emit(event: Event, parent: int | None = None) -> Generator[Yield, Sent, int]:
    """Yield an event; returns its sequence number."""
    sent = yield event if parent is None else CausedEvent(event, parent)
    assert isinstance(sent, int)
    return sent


def ask(question: Ask) -> Generator[Yield, Sent, Reply]:
    """Yield an Ask; returns the Reply."""
    sent = yield question
    assert isinstance(sent, Reply)
    return sent
