"""How far a run is: one line that is written over on a terminal, elsewhere a line every now and then. On stderr.

Episodes a minute, what is left at that rate, how episodes ended other than well, tokens that models wrote a second.
"""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TextIO

from app.engine_away import away_text
from app.strings import duration, t
from app.terminal import clean, pad
from tasks.episode.events import ModelCalled, Stopped
from tasks.episode.watcher import Committed, EngineAway, Notice

OFTEN, SELDOM = 0.2, 30.0
"""Seconds between two looks of a line that is written over, and between two lines."""


class Progress:
    """Counts over episodes that still are to be played.

    Args:
        total: episodes that are not over yet.
        stream: where to write; a terminal is written over.
        clock: seconds.
    """

    def __init__(self, total: int, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._stream = stream
        self._clock = clock
        self._over = stream.isatty()
        self._began = self._told = clock()
        self._outcomes: Counter[str] = Counter()
        self._tokens = 0
        self._open = False

    def notify(self, notice: Notice) -> None:
        if isinstance(notice, EngineAway):
            self.say(away_text(notice))
        if not isinstance(notice, Committed):
            return
        for record in notice.records:
            if isinstance(record.event, ModelCalled) and not record.event.human:
                self._tokens += record.event.generated if record.event.origin != "cached" else 0
            elif isinstance(record.event, Stopped):
                self._outcomes[record.event.outcome] += 1
        self._look()

    def count(self, outcomes: Mapping[str, int], tokens: int) -> None:
        """Figures that somebody else has counted, all so far."""
        self._outcomes, self._tokens = Counter(outcomes), tokens
        self._look()

    def say(self, sentence: str) -> None:
        """A sentence of its own, above the line."""
        self._end_line()
        self._write(clean(f"moot: {sentence}", multiline=False) + "\n")

    def _look(self) -> None:
        done = self._outcomes.total() == self._total
        if done and not self._over:
            return  # the summary follows
        if done or self._clock() - self._told >= (OFTEN if self._over else SELDOM):
            self._tell()
            if done:
                self._end_line()

    def line(self) -> str:
        """Figures so far; rates only where there is something to divide."""
        seconds, done = self._clock() - self._began, self._outcomes.total()
        parts = [f"{done}/{self._total}"]
        if done and seconds > 0:
            parts.append(t("progress.rate", rate=f"{done / seconds * 60:.1f}"))
        if 0 < done < self._total:
            parts.append(t("progress.left", time=duration(seconds / done * (self._total - done))))
        if self._tokens and seconds > 0:
            parts.append(t("progress.tokens", rate=f"{self._tokens / seconds:.0f}"))
        parts += [f"{t(f'outcome.{kind}')} {n}" for kind, n in sorted(self._outcomes.items()) if kind != "finished"]
        return " · ".join(parts)

    def _tell(self) -> None:
        self._told = self._clock()
        if self._over:
            self._open = True
            self._write("\r" + pad(self.line(), max(20, shutil.get_terminal_size().columns - 1)))
        else:
            self._write(f"{self.line()}\n")

    def _end_line(self) -> None:
        if self._open:
            self._open = False
            self._write("\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
