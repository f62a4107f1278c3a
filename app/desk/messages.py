"""What the thread of a run tells the desk. Facts in the past tense; all are posted, none waits for an answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from textual.message import Message

from models.engine import Ask
from tasks.episode.events import Stopped
from tasks.episode.state import State
from tasks.run.header import HeaderData


@dataclass(frozen=True)
class EpisodeLine:
    """One episode in a list: its id, task, number of completed steps and outcome ('' while it is open), tokens and
    seconds that it took, why it ended."""

    id: str
    task_id: str
    steps: int
    outcome: str
    tokens: int = 0
    seconds: float = 0.0
    reason: str = ""


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


@dataclass(eq=False)
class LiveMessage(Message, bubble=False):
    """Something the thread of a run tells; `live` is the number of that thread, so that late news are recognised."""

    live: int


@dataclass(eq=False)
class RunOpened(LiveMessage):
    """A run is open, with these episodes."""

    run: RunFacts
    episodes: tuple[EpisodeLine, ...]


@dataclass(eq=False)
class Watched(LiveMessage):
    """The thread now tells about this episode, which stands at this state; `ask` is an open question to a person, if
    any."""

    episode: str
    state: State
    ask: Ask | None


@dataclass(eq=False)
class Happened(LiveMessage):
    """Something of an episode came to disk; the state after it holds all records."""

    episode: str
    state: State


@dataclass(eq=False)
class Streamed(LiveMessage):
    """There is news of the open turn of an episode: `LiveRun.turn` gives it, and until it is read no more such
    messages."""

    episode: str


@dataclass(eq=False)
class HumanAsked(LiveMessage):
    """A person holds the seat and has to say something."""

    episode: str
    ask: Ask


@dataclass(eq=False)
class Ended(LiveMessage):
    """An episode is over."""

    episode: str
    stopped: Stopped


@dataclass(eq=False)
class Moving(LiveMessage):
    """Whether the thread goes on by itself: 'paused', 'auto' (one episode) or 'all'."""

    mode: str


@dataclass(eq=False)
class Progressed(LiveMessage):
    """How many episodes of a run are over."""

    done: int
    total: int

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, Progressed)


@dataclass(eq=False)
class Away(LiveMessage):
    """Nobody answers at an engine, or at one of its servers, which is tried again: one sentence."""

    text: str


@dataclass(eq=False)
class Failed(LiveMessage):
    """Something went wrong in the thread; one sentence and what helps. `fatal` when the run is closed."""

    title: str
    hint: str
    fatal: bool


@dataclass(eq=False)
class Closed(LiveMessage):
    """The run is stored and its file closed."""
