"""Follows a run that another process plays, by reading what it has committed: nothing is spoken between the two.

A follower tells watchers what the scheduler there told its own, after the fact and without the open turn. It keeps no
file open between two looks, so that the writer can close its journal as if nobody looked on. Times are in seconds.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from store.journal import Journal
from store.writer import Writer
from tasks.episode.events import Stopped, record_of
from tasks.episode.scheduler import EpisodeEnded, RecordsCommitted, Watcher
from tasks.episode.state import fold

POLL = 0.5
"""Seconds between two looks."""


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is: how many of its n episodes ended how, and how many a minute since its writer began."""

    outcomes: dict[str, int]
    n: int
    rate: float | None = None

    @property
    def ended(self) -> int:
        """Episodes that are over."""
        return sum(self.outcomes.values())


def standing(path: Path, writer: Writer | None = None) -> RunProgress:
    """How far a run is as it lies on disk; the rate only where somebody plays it.

    Raises:
        StoreError: the file cannot be read.
    """
    with Journal.open(path) as journal:
        n = len(journal.episodes())
        ends = journal.endings(Stopped.tag)
    fresh = sum(at >= writer.since for _, at, _ in ends) if writer else 0
    minutes = (time.time() - writer.since) / 60 if writer else 0.0
    outcomes = Counter(_outcome(data) for _, _, data in ends)
    return RunProgress(dict(outcomes), n, fresh / minutes if fresh and minutes > 0 else None)


def _outcome(data: object) -> str:
    return str(data.get("outcome", "")) if isinstance(data, dict) else ""


class Follower:
    """Tells watchers what has come to disk since the last look; the first look tells nothing.

    Attributes:
        n: episodes of the run.
        outcomes: episode -> how its last attempt ended, for those that are over.
    """

    def __init__(self, path: Path, watchers: Sequence[Watcher] = ()) -> None:
        self.path = path
        self.watchers = list(watchers)
        self.n = 0
        self.outcomes: dict[str, str] = {}
        self._begun = False
        self._mark = 0
        self._known: dict[int, int] = {}

    def look(self) -> bool:
        """Read what is new, and tell it; whether anything was.

        Raises:
            StoreError: the file is gone, or cannot be read.
        """
        with Journal.open(self.path) as journal:
            if not self._begun:
                self._begin(journal)
                return True
            return self._go_on(journal)

    def _begin(self, journal: Journal) -> None:
        self._begun = True
        self.n = len(journal.episodes())
        self._mark, grown = journal.grown()
        self._known = {one.attempt: one.events for one in grown}
        self.outcomes = {episode: _outcome(data) for episode, _, data in journal.endings(Stopped.tag)}

    def _go_on(self, journal: Journal) -> bool:
        self._mark, grown = journal.grown(self._mark)
        for one in grown:
            records = [record_of(entry) for entry in journal.entries(one.attempt)]
            fresh = tuple(records[self._known.get(one.attempt, 0) :])
            self._known[one.attempt] = len(records)
            if not fresh:
                continue
            state = fold(records)
            self._tell(RecordsCommitted(one.episode, fresh, state))
            if state.stopped is None:
                self.outcomes.pop(one.episode, None)
            else:
                self.outcomes[one.episode] = state.stopped.outcome
                if any(isinstance(record.event, Stopped) for record in fresh):
                    self._tell(EpisodeEnded(one.episode, state.stopped))
        return bool(grown)

    def _tell(self, notice: RecordsCommitted | EpisodeEnded) -> None:
        for watcher in self.watchers:
            watcher.notify(notice)
