"""Two records of a task beside each other, step by step: what both did alike, and where they part.

Steps count from 1, as the records have them; what only measures (calls of models, times, tokens) is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from store.journal import Journal
from tasks.episode.events import (
    ActionParsed,
    Answered,
    EngineFailed,
    Event,
    LimitHit,
    Planned,
    Record,
    Said,
    Stopped,
    Thought,
    ToolCalled,
    ToolReturned,
    ToolsChosen,
)
from tasks.run.comparing import Comparison, TaskLine
from tasks.run.reading import read_episode

DONE: tuple[type[Event], ...] = (
    Planned, ToolsChosen, Thought, ActionParsed, ToolCalled, ToolReturned, Said, Answered, EngineFailed, LimitHit,
    Stopped,
)  # fmt: skip
"""What was done, said and found."""


@dataclass(frozen=True, slots=True)
class Both:
    """A record of either side, or of one alone (None: the other has nothing here)."""

    first: Record | None
    second: Record | None

    @property
    def same(self) -> bool:
        """Whether both did the same, times aside."""
        return (
            self.first is not None
            and self.second is not None
            and self.first.event.essence() == self.second.event.essence()
        )


@dataclass(frozen=True, slots=True)
class Step:
    """A step of either side, its records paired in order."""

    number: int
    pairs: Sequence[Both]

    @property
    def same(self) -> bool:
        """Whether both did the same in it."""
        return all(pair.same for pair in self.pairs)


def aligned(first: Sequence[Record], second: Sequence[Record]) -> list[Step]:
    """The steps of two records by their numbers; in a step, records of one kind stand beside each other."""
    left, right = (_by_step(records) for records in (first, second))
    return [
        Step(number, tuple(_paired(left.get(number, ()), right.get(number, ()))))
        for number in sorted(left.keys() | right.keys())
    ]


def steps_of(comparison: Comparison, line: TaskLine) -> list[Step]:
    """The steps of a task in both runs, of its first repeat, read from their files."""
    records = []
    for side, episode in zip((comparison.first, comparison.second), line.episodes, strict=True):
        with Journal.open(side.path) as journal:
            records.append(read_episode(journal, episode))
    return aligned(*records)


def parting(steps: Sequence[Step]) -> int | None:
    """The number of the first step in which they differ; None where they did the same to the end."""
    return next((step.number for step in steps if not step.same), None)


def _by_step(records: Sequence[Record]) -> dict[int, list[Record]]:
    done = [record for record in records if isinstance(record.event, DONE) and record.step > 0]
    return {number: list(members) for number, members in groupby(done, key=lambda record: record.step)}


def _paired(first: Sequence[Record], second: Sequence[Record]) -> Iterator[Both]:
    from rapidfuzz.distance import Indel

    kinds = ([record.event.tag for record in records] for records in (first, second))
    for part in Indel.opcodes(*kinds):
        if part.tag == "equal":
            pairs = zip(first[part.src_start : part.src_end], second[part.dest_start : part.dest_end], strict=True)
            yield from (Both(a, b) for a, b in pairs)
        else:
            yield from (Both(a, None) for a in first[part.src_start : part.src_end])
            yield from (Both(None, b) for b in second[part.dest_start : part.dest_end])
