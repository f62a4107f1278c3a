"""What the thread of a run posts to the desk: notices of its scheduler as they are, and facts about the thread.

None waits for an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from models.engine import Ask
from tasks.episode.scheduler import Notice
from tasks.episode.state import State
from tasks.run.header import HeaderData


@dataclass(frozen=True)
class EpisodeLine:
    """One episode in a list: its id, task, number of completed steps and outcome ('' while it is open), tokens and
    seconds that it took, why it ended, the steps that a person made."""

    id: str
    task_id: str
    steps: int
    outcome: str
    tokens: int = 0
    seconds: float = 0.0
    reason: str = ""
    people: Collection[int] = ()


@dataclass(frozen=True)
class RunFacts:
    """What never changes about a run."""

    id: str
    path: Path
    header: HeaderData

    @property
    def benchmark(self) -> str:
        return str(self.header.get("spec", {}).get("benchmark", ""))

    @property
    def pack(self) -> str:
        return str(self.header.get("pack", {}).get("name", ""))


@dataclass(frozen=True, slots=True)
class RunOpened:
    """A run is open, with these episodes."""

    run: RunFacts
    episodes: tuple[EpisodeLine, ...]


@dataclass(frozen=True, slots=True)
class EpisodeWatched:
    """News are of this episode from now on, which is at this state; `ask` is an open question to a person, if any."""

    episode: str
    state: State
    ask: Ask | None


@dataclass(frozen=True, slots=True)
class OpenTurnChanged:
    """The open turn of an episode has changed: `LiveRun.turn` gives it, and until it is read no more such news."""

    episode: str


@dataclass(frozen=True, slots=True)
class PlayMode:
    """Whether the thread goes on by itself: 'paused', 'auto' (one episode), 'all', or 'followed'."""

    mode: str


@dataclass(frozen=True, slots=True)
class EpisodesFinished:
    """How many episodes of a run are over."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class EngineRetry:
    """An engine, or one of its servers, does not answer and is tried again: one sentence."""

    text: str


@dataclass(frozen=True, slots=True)
class RunFailed:
    """Something went wrong in the thread: one sentence and what helps."""

    title: str
    hint: str


@dataclass(frozen=True, slots=True)
class RunClosed:
    """The run is stored and its file closed."""


Fact = (
    RunOpened | EpisodeWatched | OpenTurnChanged | PlayMode | EpisodesFinished | EngineRetry | RunFailed | RunClosed
)
Post = Callable[[int, Notice | Fact], object]
"""Takes a notice or fact from any thread, with the number of the thread, so that late ones of another are known."""
