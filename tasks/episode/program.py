"""What an episode of a benchmark does in one step, seen from the scheduler: a generator from state to events.

Nothing that matters lives in a generator frame between steps: `step` is given the folded state and starts afresh.
"""

from __future__ import annotations

from typing import Protocol

from tasks.episode.actions import Steps
from tasks.episode.state import State


class Program(Protocol):
    """The rules of one episode."""

    def step(self, state: State) -> Steps:
        """Make one step: one policy move and what comes of it. Yields events and Asks."""
        ...
