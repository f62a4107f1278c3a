"""A run that another process plays, on the desk: a thread reads what that process commits and posts the messages that
a run in motion here would post, all but the open turn. Nothing can be done to it here but to ask that it stops.

Times are in seconds.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from app import log
from app.desk.live import fresh_number
from app.desk.messages import Closed, Ended, Failed, Happened, LiveMessage, Moving, Progressed, RunOpened, Watched
from app.library import read_records
from store.writer import ask_to_stop, writer_of
from tasks.episode.state import fold
from tasks.episode.watcher import Committed, EpisodeEnded, Notice
from tasks.run.following import Follower

POLL = 0.3
"""Seconds between two looks."""


class FollowedRun:
    """One run and the thread that reads it. `post` takes messages from any thread."""

    def __init__(self, path: Path, post: Callable[[LiveMessage], object], *, episode: str = "") -> None:
        self.number = fresh_number()
        self.path = path
        self.closed = threading.Event()
        self._post = post
        self._wanted: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._watched = ""
        self._wanted.put(episode)

    def watch(self, episode: str) -> None:
        """Send the messages of this episode from now on."""
        self._wanted.put(episode)

    def ask_to_stop(self) -> bool:
        """Ask the process that plays the run to stop it; whether there was one."""
        return ask_to_stop(self.path) is not None

    def close(self) -> None:
        """End the thread; the run goes on. Calling it again does no harm."""
        self.closed.set()
        self._wanted.put(None)

    def work(self, cancelled: Callable[[], bool] = lambda: False) -> None:
        """The body of the thread."""
        try:
            follower = Follower(self.path, [self])
            follower.look()
            while not self.closed.is_set() and not cancelled():
                playing = writer_of(self.path) is not None
                with suppress(queue.Empty):
                    if (episode := self._wanted.get(timeout=POLL)) is not None:
                        self._show(episode)
                if follower.look():
                    self._post(Progressed(self.number, len(follower.outcomes), follower.n))
                if not playing:
                    break
        except Exception as error:
            log.failed(error)
            title = getattr(error, "title", None) or f"{type(error).__name__}: {error}"
            self._post(Failed(self.number, str(title), str(getattr(error, "hint", "")), True))
        finally:
            self.closed.set()
            self._post(Closed(self.number))

    def notify(self, notice: Notice) -> None:
        match notice:
            case Committed(episode, _, state) if episode == self._watched:
                self._post(Happened(self.number, episode, state))
            case EpisodeEnded(episode, stopped) if episode == self._watched:
                self._post(Ended(self.number, episode, stopped))

    def _show(self, episode: str) -> None:
        first = not self._watched
        facts, episodes, self._watched, records = read_records(self.path, episode)
        if first:
            self._post(RunOpened(self.number, facts, episodes))
            self._post(Moving(self.number, "followed"))
        self._post(Watched(self.number, self._watched, fold(records), None))
