"""Watchers: whoever wants to see a run. They are told after the facts are on disk, never before.

The desk, the plain-text player and the JSON log are three watchers of the same scheduler.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from models.engine import Ask, Delta, EngineError
from tasks.episode.events import Record, Stopped
from tasks.episode.state import State


@dataclass(frozen=True, slots=True)
class Committed:
    """Records of an episode that are now durable, and the state after them."""

    episode: str
    records: tuple[Record, ...]
    state: State


@dataclass(frozen=True, slots=True)
class Waiting:
    """A human holds the seat; the episode goes on when the scheduler is given an answer."""

    episode: str
    ask: Ask


@dataclass(frozen=True, slots=True)
class EpisodeEnded:
    """An episode is over."""

    episode: str
    stopped: Stopped


@dataclass(frozen=True, slots=True)
class Streaming:
    """News of a call in flight: the open turn, not on disk and soon replaced by the committed one."""

    delta: Delta


@dataclass(frozen=True, slots=True)
class EngineAway:
    """Nobody answers at an engine. seconds: until it is tried again; None: it was given up, and its episodes stand
    still."""

    spec: str
    error: EngineError
    seconds: float | None


Notice = Committed | Waiting | EpisodeEnded | Streaming | EngineAway


class Watcher(Protocol):
    """Receives notices in the thread of the scheduler; it must not block for long."""

    def notify(self, notice: Notice) -> None:
        """Take note."""
        ...
