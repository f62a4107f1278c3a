"""Which part of an episode is on the screen: its head, or an earlier step. Reads stored records, runs no code.

Steps count from 0 (the setting up); step k shows everything up to the end of step k.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from app.desk.episode.renderers import Block, render
from tasks.episode.events import Record, StepEnded

Maker = Callable[[Sequence[Record]], Mapping[int, Block | None]]
"""Records that came together -> their blocks by sequence number, in the order in which they are shown."""


def each(records: Sequence[Record]) -> dict[int, Block | None]:
    """Every record as its event looks by itself."""
    return {record.seq: render(record) for record in records}


class Shown:
    """The records of one episode and the step that is looked at; `at` is None at the head.

    `make` may be exchanged for what a benchmark shows; `relabel` makes all blocks anew with it.
    """

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.at: int | None = None
        self.make: Maker = each
        self._blocks: dict[int, Block | None] = {}

    def reset(self, records: Sequence[Record]) -> None:
        """Another episode, at its head."""
        self.records = list(records)
        self.at = None
        self._blocks.clear()

    def extend(self, records: Sequence[Record]) -> list[Record]:
        """Records that just happened; returns those that are new."""
        fresh = [record for record in records if record.seq >= len(self.records)]
        self.records += fresh
        return fresh

    @property
    def total(self) -> int:
        """Completed steps."""
        return sum(isinstance(record.event, StepEnded) for record in self.records)

    @property
    def step(self) -> int:
        """The step that is looked at."""
        return self.total if self.at is None else self.at

    @property
    def back(self) -> bool:
        """Whether an earlier step is looked at."""
        return self.at is not None

    def visible(self) -> list[Record]:
        """The records of the looked-at state."""
        return self.records if self.at is None else [record for record in self.records if record.step <= self.at]

    def blocks(self) -> list[Block]:
        """What the looked-at state shows."""
        return self.blocks_of(self.visible())

    def blocks_of(self, records: Sequence[Record]) -> list[Block]:
        """The blocks of some of the records; each is made once, so that views can keep what they made of it."""
        fresh = [record for record in records if record.seq not in self._blocks]
        if fresh:
            self._blocks |= self.make(fresh)
        wanted = {record.seq for record in records}
        return [block for seq, block in self._blocks.items() if block is not None and seq in wanted]

    def relabel(self) -> None:
        """Another language: make the blocks anew."""
        self._blocks.clear()

    def go(self, by: int) -> bool:
        """Look so many steps later or earlier; False when there is no such step. The last step is the head."""
        target = self.step + by
        if not 0 <= target <= self.total or target == self.step:
            return False
        self.at = None if target == self.total else target
        return True

    def go_to_head(self) -> None:
        """Look at the head again."""
        self.at = None


def blocks_of(records: Sequence[Record]) -> list[Block]:
    """The blocks of records, without those that show nothing."""
    return [block for block in map(render, records) if block is not None]
