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
        """Name of the benchmark."""
        return str(self.header.get("spec", {}).get("benchmark", ""))

    @property
    def pack(self) -> str:
        """Name of the pack."""
        return str(self.header.get("pack", {}).get("name", ""))


class LiveMessage(Message, bubble=False):
    """Something the thread of a run tells; `live` is the number of that thread, so that late news are recognised."""

    def __init__(self, live: int) -> None:
        super().__init__()
        self.live = live


class RunOpened(LiveMessage):
    """A run is open, with these episodes."""

    def __init__(self, live: int, run: RunFacts, episodes: tuple[EpisodeLine, ...]) -> None:
        super().__init__(live)
        self.run = run
        self.episodes = episodes


class Watched(LiveMessage):
    """The thread now tells about this episode, which stands at this state; `ask` is an open question to a person, if
    any."""

    def __init__(self, live: int, episode: str, state: State, ask: Ask | None) -> None:
        super().__init__(live)
        self.episode = episode
        self.state = state
        self.ask = ask


class Happened(LiveMessage):
    """Something of an episode came to disk; the state after it holds all records."""

    def __init__(self, live: int, episode: str, state: State) -> None:
        super().__init__(live)
        self.episode = episode
        self.state = state


class Streamed(LiveMessage):
    """There is news of the open turn of an episode: `LiveRun.turn` gives it, and until it is read no more such
    messages."""

    def __init__(self, live: int, episode: str) -> None:
        super().__init__(live)
        self.episode = episode


class HumanAsked(LiveMessage):
    """A person holds the seat and has to say something."""

    def __init__(self, live: int, episode: str, ask: Ask) -> None:
        super().__init__(live)
        self.episode = episode
        self.ask = ask


class Ended(LiveMessage):
    """An episode is over."""

    def __init__(self, live: int, episode: str, stopped: Stopped) -> None:
        super().__init__(live)
        self.episode = episode
        self.stopped = stopped


class Moving(LiveMessage):
    """Whether the thread goes on by itself: 'paused', 'auto' (one episode) or 'all'."""

    def __init__(self, live: int, mode: str) -> None:
        super().__init__(live)
        self.mode = mode


class Progressed(LiveMessage):
    """How many episodes of a run are over."""

    def __init__(self, live: int, done: int, total: int) -> None:
        super().__init__(live)
        self.done = done
        self.total = total

    def can_replace(self, message: Message) -> bool:
        """Only the newest count matters."""
        return isinstance(message, Progressed)


class Away(LiveMessage):
    """Nobody answers at an engine, or at one of its servers, which is tried again: one sentence."""

    def __init__(self, live: int, text: str) -> None:
        super().__init__(live)
        self.text = text


class Failed(LiveMessage):
    """Something went wrong in the thread; one sentence and what helps. `fatal` when the run is closed."""

    def __init__(self, live: int, title: str, hint: str, fatal: bool) -> None:
        super().__init__(live)
        self.title = title
        self.hint = hint
        self.fatal = fatal


class Closed(LiveMessage):
    """The run is stored and its file closed."""
