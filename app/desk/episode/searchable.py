"""Search over blocks: where the words stand, which place the reader is at, and the marks in the lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.desk.episode.renderers import Block, Line, Piece
from app.desk.widgets.lines import LineView, Row


@dataclass(frozen=True, slots=True)
class Hit:
    """One place where the searched words stand: block, and which of the block's places it is."""

    block: int
    nth: int


@dataclass(frozen=True, slots=True)
class Wrapped:
    """The rows of a block, and what they were made from."""

    width: int
    index: int
    block: Block
    rows: list[Row]


class Searchable(LineView):
    """Blocks that can be searched; the widget says how the cursor moves."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.blocks: list[Block] = []
        self.cursor = -1
        self.unfolded: set[int] = set()
        self.hits: list[Hit] = []
        self.hit = -1
        self._query: re.Pattern[str] | None = None
        self._wrapped: dict[int, Wrapped] = {}

    def move_to(self, index: int, *, tail: bool = False, row: int | None = None) -> None:
        """Put the cursor on a block and bring it, or one of its rows, into view."""
        raise NotImplementedError

    def find(self, words: str) -> None:
        """Mark every place where these words stand and go to the first one from the cursor on; '' ends the search."""
        marked = {self.blocks[hit.block].seq for hit in self.hits}
        self._query = re.compile(re.escape(words), re.IGNORECASE) if words else None
        self.search()
        for seq in marked | {self.blocks[hit.block].seq for hit in self.hits}:
            self._wrapped.pop(seq, None)
        self.rebuild()
        if self.hits:
            self.hit = next((i for i, hit in enumerate(self.hits) if hit.block >= self.cursor), 0)
            self._go_to_hit()

    def find_next(self, by: int) -> None:
        """The next place, or the one before; at the end it begins again."""
        if self.hits:
            self.hit = (self.hit + by) % len(self.hits)
            self._go_to_hit()

    def search(self) -> None:
        """Find all places again: the blocks changed."""
        self.hits, self.hit = [], -1
        if self._query is None:
            return
        for index, block in enumerate(self.blocks):
            texts = ("".join(part for part, _ in line) for line in block.whole)
            found = sum(1 for text in texts for _ in self._query.finditer(text))
            self.hits += [Hit(index, nth) for nth in range(found)]

    def _go_to_hit(self) -> None:
        hit = self.hits[self.hit]
        block = self.blocks[hit.block]
        folded = block.full is not None and block.seq not in self.unfolded
        if folded or len(self._places(hit.block)) <= hit.nth:
            self.unfolded.add(block.seq)
            self._wrapped.pop(block.seq, None)
            self.rebuild()
        places = self._places(hit.block)
        self.move_to(hit.block, row=places[min(hit.nth, len(places) - 1)] if places else None)

    def _places(self, block: int) -> list[int]:
        return [
            y for y, row in enumerate(self.rows) if row.owner == block for _, role in row.pieces if role == "match"
        ]

    def with_marks(self, line: Line) -> Line:
        """The line with the places found as pieces of their own."""
        if self._query is None:
            return line
        pieces: list[Piece] = []
        text = "".join(part for part, _ in line)
        spans = [match.span() for match in self._query.finditer(text) if match.end() > match.start()]
        at = 0
        for part, role in line:
            cuts = sorted({0, len(part), *(min(max(edge - at, 0), len(part)) for span in spans for edge in span)})
            for a, b in zip(cuts, cuts[1:], strict=False):
                inside = any(start <= at + a < end for start, end in spans)
                pieces.append((part[a:b], "match" if inside else role))
            at += len(part)
        return tuple(pieces)
