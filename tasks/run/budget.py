"""What a run may spend in all. When it is spent no step begins any more; those in flight are brought to their ends,
so somewhat more is spent than was given. The run stands where it is, and goes on with more.

Tokens are those that models read, reused ones included, and wrote, in everything that the record holds, abandoned
attempts too; what came from the cache of replies cost nothing. Seconds are those of a clock on the wall, of each
sitting at the run: a run that is taken up again has them anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from store.journal import Journal
from tasks.episode.events import ModelCalled
from tasks.episode.records import record_of
from tasks.episode.watcher import Committed, Notice
from tasks.errors import TaskError


class Budget:
    """Tokens and seconds, None for as many as it takes. Watches the run whose budget it is."""

    def __init__(
        self,
        tokens: int | None = None,
        seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.tokens, self.seconds = tokens, seconds
        self._clock = clock
        self._used = 0
        self._began: float | None = None

    def having(self, tokens: int | None, seconds: float | None) -> Budget:
        """Another one, with what is given here in place of what was given before."""
        return Budget(tokens or self.tokens, seconds or self.seconds, self._clock)

    def begin(self, journal: Journal) -> bool:
        """Count what the record of the run holds, and begin the sitting. False where that was done before."""
        if self._began is not None:
            return False
        self._began = self._clock()
        self._used = _recorded(journal) if self.tokens is not None else 0
        return True

    def notify(self, notice: Notice) -> None:
        """Count what is on disk."""
        if isinstance(notice, Committed):
            self._used += sum(_tokens(record.event) for record in notice.records)

    def spent(self) -> TaskError | None:
        """What is spent, in a sentence; None while something is left."""
        if self.tokens is not None and self._used >= self.tokens:
            return TaskError(
                f"the budget of the run is spent: {self._used} of {self.tokens} tokens",
                "Raise it with --budget-tokens.",
            )
        if self.seconds is not None and self._began is not None and self._clock() - self._began >= self.seconds:
            return TaskError(
                f"the time of the run is over: {self.seconds:g} seconds",
                "It has them anew when it is taken up again.",
            )
        return None


def _recorded(journal: Journal) -> int:
    """Tokens of all calls; one that a later attempt took over from an earlier one, with its time, is counted once."""
    used = 0
    for row in journal.episodes():
        entries = (e for attempt in journal.attempts(row.id) for e in journal.entries(attempt.id, ModelCalled.tag))
        used += sum(_tokens(event) for event in {(e.at, e.seq): record_of(e).event for e in entries}.values())
    return used


def _tokens(event: object) -> int:
    if not isinstance(event, ModelCalled) or event.origin == "cached":
        return 0
    return event.evaluated + event.reused + event.generated
