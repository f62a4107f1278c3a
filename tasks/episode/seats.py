"""Seats: the policies that sit in them, the View each is given, what a policy may decide in one move, and the rules
of an episode seen from the scheduler.

A policy receives a View of its seat, never the task: gold lives in another object that only scorers (and the `gold`
reference, by explicit grant) are handed. A move is a generator: it yields `Event`s (thoughts, plans) and `Ask`s, and
returns one `Action`, which the environment carries out and answers with the events that follow. Yielding an event
sends back its sequence number (to use as a parent), yielding an Ask sends back a `Reply`; `emit` and `ask` give both
a type.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from models.engine import Ask, Reply
from tasks.episode.events import Event, Record
from tasks.episode.state import State

Card = Mapping[str, Any]
"""What everybody may know of a task: JSON data of its benchmark."""


@dataclass(frozen=True, slots=True)
class View:
    """What a seat may see: the public card of the task, its own history, how far the episode has come."""

    seat: str
    card: Card
    history: tuple[Record, ...]
    step: int
    """Number of the step about to be made, from 1."""
    max_turns: int | None = None


class Policy(Protocol):
    """Makes the moves of a seat. All that matters between moves is in the View; a policy keeps no memory of its
    own."""

    name: str
    """Name and version, "rules/1"."""

    def move(self, view: View) -> Move:
        """One move: yields events and Asks, returns an Action."""
        ...


class Program(Protocol):
    """The rules of one episode. Nothing that matters lives in a generator frame between steps: `step` is given the
    folded state and starts afresh."""

    def step(self, state: State) -> Steps:
        """Make one step: one policy move and what comes of it. Yields events and Asks."""
        ...


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
