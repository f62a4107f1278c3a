"""How fast steps follow each other by themselves: never faster than a step, and slowly enough to read what was said
aloud.

Times are in seconds, speeds in characters a second.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from tasks.episode.events import Record, Said


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast steps follow each other by themselves: the least time between two, and a reader's characters a
    second."""

    seconds: float
    reads: float

    def pause(self, records: Iterable[Record], spent: float = 0.0) -> float:
        """Seconds to wait after a step with these records; `spent` went by while it was being made, before
        everybody's eyes."""
        said = sum(len(record.event.text) for record in records if isinstance(record.event, Said))
        reading = min(said / self.reads, LONGEST) if self.reads else 0.0
        return max(self.seconds, reading - spent)


PACES = (Pace(1.6, 6.0), Pace(0.8, 12.0), Pace(0.35, 30.0), Pace(0.1, 120.0), Pace(0.0, 0.0))
"""From reading aloud to as fast as it goes; a speed of 0 waits for no reader."""
LONGEST = 45.0
"""Seconds that an utterance stays at most: a judgment is longer than anybody watches a still screen."""


@dataclass(frozen=True, slots=True)
class Made:
    """The last step that was made: what it brought, how long it took, and when it was over."""

    records: tuple[Record, ...] = ()
    spent: float = 0.0
    ended: float = 0.0

    @classmethod
    def of(cls, records: Sequence[Record], began: float, ended: float) -> Made:
        """The last step of an episode with these records."""
        step = records[-1].step if records else 0
        return cls(tuple(takewhile(lambda record: record.step == step, reversed(records))), ended - began, ended)

    def rest(self, pace: int, now: float) -> float:
        """Seconds until the next step comes by itself."""
        return self.ended + PACES[pace].pause(self.records, self.spent) - now
