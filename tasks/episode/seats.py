"""Seats, the policies that sit in them, the View each is given, and the rules of an episode seen from the
scheduler.

A policy receives a View of its seat, never the task: gold lives in another object that only scorers (and the `gold`
reference, by explicit grant) are handed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tasks.episode.actions import Move, Steps
from tasks.episode.events import Record
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
