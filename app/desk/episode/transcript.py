"""The record of an episode: a virtual view over stored events with a cursor on blocks, folding and search.

Below the record stands the open turn, which is no part of it: rows without an owner, made anew as it grows, while
those of the record stay. The view follows the tail only while the reader is at the tail; otherwise it says how much
is new. Nothing here runs code of an episode: it shows blocks, and tells which one the reader looks at.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen

from app.desk.bindings import bindings
from app.desk.episode.open_turn import OpenTurn, turn_rows
from app.desk.episode.renderers import EventBlock, Line, Piece, label_width
from app.desk.widgets.find_bar import FindBar
from app.desk.widgets.lines import DisplayRow, LineView, slice_pieces, wrapped
from app.strings import t
from app.terminal import clean, pad
from app.terminal import width as cells


@dataclass(frozen=True, slots=True)
class SearchMatch:
    """One place where the searched words stand: block, and which of the block's places it is."""

    block: int
    nth: int


@dataclass(frozen=True, slots=True)
class WrappedBlock:
    """The rows of a block, and what they were made from."""

    width: int
    index: int
    block: EventBlock
    rows: list[DisplayRow]


EXACT = 1500
"""Characters up to which hidden lines are counted by wrapping them; above, by their width."""
SAMPLE = 400
"""Characters whose width stands for that of a longer text."""


class Transcript(LineView):
    """Blocks under each other, a rule at each step; one is under the cursor, and all can be searched."""

    help_id = "transcript"
    BINDINGS: ClassVar[list[BindingType]] = bindings("transcript")

    class BlockHighlighted(Message):
        """The reader looks at a block."""

        def __init__(self, block: EventBlock) -> None:
            super().__init__()
            self.block = block

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.blocks: list[EventBlock] = []
        self.cursor = -1
        self.unfolded: set[int] = set()
        self.hits: list[SearchMatch] = []
        self.hit = -1
        self._query: re.Pattern[str] | None = None
        self._wrapped: dict[int, WrappedBlock] = {}
        self.unseen = 0
        self.follows = True
        self.turn: OpenTurn | None = None
        self.margin_cells: int | None = None
        self.ruled = True
        self._stepless = False
        self._by_people: Collection[int] = frozenset()
        self.about = ""
        self._now = 0.0
        self._fixed = self._turns = 0

    # content

    def show(self, blocks: Sequence[EventBlock], *, at: int | None = None) -> None:
        """Show these blocks instead; the cursor goes to the block with this sequence number, else to the last."""
        self.blocks = list(blocks)
        self.unseen = 0
        self.search()
        where = next((i for i, block in enumerate(self.blocks) if block.seq == at), len(self.blocks) - 1)
        self.rebuild()
        self._announce()
        self.move_to(where, tail=at is None)

    def extend(self, blocks: Sequence[EventBlock], turn: OpenTurn | None = None, now: float = 0.0) -> None:
        """Blocks that just happened, and the turn that is open now; the view moves only if the reader was at the
        tail."""
        if not blocks:
            return self.speak(turn, now)
        tail = self.at_tail
        self.turn, self._now = turn, now
        self.blocks += blocks
        self.search()
        self.rebuild()
        if tail:
            self.move_to(len(self.blocks) - 1, tail=True)
        else:
            self.unseen += len(blocks)
        self._announce()
        return None

    def speak(self, turn: OpenTurn | None, now: float = 0.0) -> None:
        """The open turn as it stands at a moment, or none; only its own rows are made and painted anew."""
        if turn is None and self.turn is None:
            return
        tail = self.at_tail
        self.turn, self._now = turn, now
        if self._stale:
            return
        before = self.rows[self._fixed :]
        fresh = list(self._turn_rows(self.room))
        same = next(
            (i for i, pair in enumerate(zip(before, fresh, strict=False)) if pair[0] != pair[1]),
            min(len(before), len(fresh)),
        )
        if same == len(before) == len(fresh):
            return
        first = self._fixed + same
        self.rows[self._fixed :] = fresh
        for key in [key for key in self._strips.keys() if key[0] >= first]:  # noqa: SIM118
            self._strips.discard(key)
        self.refresh_lines(first, max(len(before), len(fresh)) - same)
        if len(fresh) != len(before):
            self.virtual_size = Size(self.room, len(self.rows))
            if tail:
                self.follows = True
                self.scroll_end(animate=False, force=True, immediate=True, x_axis=False)
                self.call_after_refresh(self._settle)
        self._announce()

    @property
    def at_tail(self) -> bool:
        return self.cursor >= len(self.blocks) - 1 and (
            self.scroll_offset.y >= self.max_scroll_y - 1 or not self.size.height
        )

    @property
    def current(self) -> EventBlock | None:
        return self.blocks[self.cursor] if 0 <= self.cursor < len(self.blocks) else None

    def relabel(self, blocks: Sequence[EventBlock]) -> None:
        self.blocks = list(blocks)
        self._wrapped.clear()
        self.search()
        self.rebuild()
        self._announce()
        self.call_after_refresh(self._settle)

    # rows

    def rebuild(self) -> None:
        super().rebuild()
        if not self._stale:
            self._fixed = len(self.rows) - self._turns

    def describe_steps(self, stepless: bool, by_people: Collection[int]) -> None:
        """Whether what is shown was played elsewhere, and came without its steps; the steps that a person made."""
        if (stepless, by_people) != (self._stepless, self._by_people):
            self._stepless, self._by_people = stepless, by_people
            self.rebuild()

    def heading(self, step: int) -> str:
        if step and self._stepless:
            return t("failures.imported")
        person = f" · {t('event.person')}" if step in self._by_people else ""
        return t("event.step", step=step) + person if step else t("event.setting")

    def build(self, width: int) -> Iterator[DisplayRow]:
        step = -1
        for index, block in enumerate(self.blocks):
            if block.step != step:
                step = block.step
                if self.ruled:
                    yield self._rule(self.heading(step), width)
            known = self._wrapped.get(block.seq)
            if known is None or known.width != width or known.index != index or known.block is not block:
                rows = list(self._block_rows(index, block, width))
                known = self._wrapped[block.seq] = WrappedBlock(width, index, block, rows)
            yield from known.rows
        turn = list(self._turn_rows(width))
        self._turns = len(turn)
        yield from turn

    def _rule(self, words: str, width: int, owner: int = -1, role: str = "rule") -> DisplayRow:
        title = f"── {words} "
        return DisplayRow((("  ", "rule"), (title, role), ("─" * max(0, width - 3 - cells(title)), "rule")), owner)

    @property
    def _margin(self) -> int:
        return label_width() if self.margin_cells is None else self.margin_cells

    def _turn_rows(self, width: int) -> Iterator[DisplayRow]:
        turn = self.turn
        if turn is None:
            return
        if self.ruled and (not self.blocks or self.blocks[-1].step != turn.step):
            yield self._rule(self.heading(turn.step), width)
        gutter = self._margin
        tone = "warn" if turn.phase == "stopped" else "label"
        phase = t(f"turn.{turn.phase}")
        if cells(phase) > gutter:
            yield DisplayRow((("  ", "text"), (" " * gutter, tone), (" ", "text"), (phase, tone)), -1)
            phase = ""
        for number, row in enumerate(turn_rows(turn, max(8, width - gutter - 3), self._now)):
            label = pad(phase if number == 0 else "", gutter)
            yield DisplayRow((("  ", "text"), (label, tone), (" ", "text"), *row), -1)

    def on_resize(self, event: object) -> None:
        if self.virtual_size.width != self.room or self._stale:
            self.rebuild()
        self.call_after_refresh(self._settle)

    def _block_rows(self, index: int, block: EventBlock, width: int) -> Iterator[DisplayRow]:
        gutter = self._margin
        if block.heading:
            words = "".join(text for line in block.lines for text, _ in line)
            yield self._rule(words, width, index, block.tone)
            return
        body = max(8, width - gutter - 3)
        unfolded = block.seq in self.unfolded
        lines = block.whole if unfolded else block.lines
        limit = ALL_ROWS if unfolded else block.fold + 1
        enough = limit * body
        rows = _take((self.with_marks(tuple(slice_pieces(line, 0, enough))) for line in lines), body, limit)
        hidden = 0
        if not unfolded and len(rows) > block.fold:
            hidden = _count(block.lines, body) - block.fold
        if hidden > 1:
            rows = rows[: block.fold] + [[(t("event.more_lines", n=hidden), "dim")]]
        elif hidden == 1:
            rows = _take(map(self.with_marks, block.lines), body, ALL_ROWS)
        elif unfolded and (block.full is not None or len(rows) > block.fold + 1):
            rows.append([(t("event.fold"), "dim")])
        for number, row in enumerate(rows):
            label = pad(block.label if number == 0 else "", gutter)
            yield DisplayRow(((" ", "text"), (" ", "text"), (label, block.tone), (" ", "text"), *row), index)

    # search

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
        if self.hits:
            self.hit = (self.hit + by) % len(self.hits)
            self._go_to_hit()

    def search(self) -> None:
        self.hits, self.hit = [], -1
        if self._query is None:
            return
        for index, block in enumerate(self.blocks):
            texts = ("".join(part for part, _ in line) for line in block.whole)
            found = sum(1 for text in texts for _ in self._query.finditer(text))
            self.hits += [SearchMatch(index, nth) for nth in range(found)]

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

    # cursor

    def marked(self, y: int) -> bool:
        return self.rows[y].owner == self.cursor and self.cursor >= 0

    def move_to(self, index: int, *, tail: bool = False, row: int | None = None) -> None:
        if not self.blocks:
            self.cursor = -1
            return
        index = min(max(index, 0), len(self.blocks) - 1)
        changed = index != self.cursor
        self.cursor = index
        self.follows = tail
        self.refresh()
        if tail:
            self.unseen = 0
            self._announce()
            self.scroll_end(animate=False, force=True, immediate=True, x_axis=False)
            self.call_after_refresh(self._settle)
        else:
            self._reveal(row)
        if changed or tail:
            self.post_message(self.BlockHighlighted(self.blocks[index]))

    def _settle(self) -> None:
        """Find the reader's place again: the layout may have changed only now."""
        if self.follows:
            self.scroll_end(animate=False, force=True, immediate=True, x_axis=False)
        else:
            self._reveal()

    def on_mouse_scroll_up(self) -> None:
        self.follows = False

    def on_show(self) -> None:
        self.rebuild()
        self.call_after_refresh(self._settle)

    def _reveal(self, row: int | None = None) -> None:
        own = [y for y, candidate in enumerate(self.rows) if candidate.owner == self.cursor]
        if not own:
            return
        first, last = (own[0], own[-1]) if row is None else (row, row)
        height = max(1, self.scrollable_content_region.height)
        top = self.scroll_offset.y
        if first <= top:
            target = max(0, first - 1)
        elif last >= top + height:
            target = min(first - 1, last - height + 1) if last - first >= height else last - height + 1
        else:
            return
        self.scroll_to(y=target, animate=False, force=True, immediate=True)

    def action_cursor(self, by: int) -> None:
        """Move the cursor by so many blocks; inside a long block, scroll first."""
        own = [y for y, row in enumerate(self.rows) if row.owner == self.cursor]
        height = max(1, self.scrollable_content_region.height)
        top = self.scroll_offset.y
        if own and by > 0 and own[-1] >= top + height:
            return self.scroll_to(y=min(top + height // 2, own[-1] - height + 1), animate=False)
        if own and by < 0 and own[0] < top:
            return self.scroll_to(y=max(top - height // 2, own[0] - 1), animate=False)
        self.move_to(self.cursor + by)
        if self.cursor == len(self.blocks) - 1 and by > 0:
            self.move_to(self.cursor, tail=True)
        return None

    def action_edge(self, end: bool) -> None:
        self.move_to(len(self.blocks) - 1 if end else 0, tail=end)

    def action_fold(self) -> None:
        if self.current is not None:
            self.unfolded ^= {self.current.seq}
            self._wrapped.pop(self.current.seq, None)
            self.rebuild()
            self._reveal()

    def fold_all(self) -> None:
        """Unfold every block, or fold them again where all are."""
        every = {block.seq for block in self.blocks}
        self.unfolded = set() if every <= self.unfolded else every
        self._wrapped.clear()
        self.rebuild()
        self._reveal()

    def on_click(self, event: Click) -> None:
        y = event.get_content_offset_capture(self).y + self.scroll_offset.y
        if 0 <= y < len(self.rows) and self.rows[y].owner >= 0:
            twice = self.rows[y].owner == self.cursor and event.chain == 2
            self.move_to(self.rows[y].owner)
            if twice:
                self.action_fold()

    def _announce(self) -> None:
        """Under the border: what is new below, for a reader who is elsewhere."""
        speaks = self.turn is not None and self.turn.under_way and not self.at_tail
        below = t("episode.unseen", n=self.unseen) if self.unseen else t("episode.speaks") if speaks else ""
        if self.border_subtitle != below:
            self.border_subtitle = below


ALL_ROWS = 1_000_000


def _take(lines: Iterable[Line], body: int, limit: int) -> list[list[Piece]]:
    """The first rows of lines; no more text is wrapped than is needed."""
    rows: list[list[Piece]] = []
    for line in lines:
        enough = (limit - len(rows)) * body
        if sum(len(part) for part, _ in line) > enough:
            line = tuple(slice_pieces(line, 0, enough))
        rows += wrapped(line, body)
        if len(rows) >= limit:
            break
    return rows


def _count(lines: Sequence[Line], body: int) -> int:
    """Rows of lines: exact for short texts, from their length for long ones."""
    texts = ["".join(part for part, _ in line) for line in lines]
    if sum(map(len, texts)) <= EXACT:
        return len(_take(lines, body, ALL_ROWS))
    return sum(max(1, math.ceil(_long(text) / body)) for text in texts)


def _long(text: str) -> float:
    """Cells of a text, from a sample of a long one."""
    return cells(text) if len(text) <= SAMPLE else cells(text[:SAMPLE]) * len(text) / SAMPLE


class FindingScreen(Screen[None]):
    """A screen that holds one `Transcript` and one `FindBar`."""

    def action_find(self) -> None:
        self.query_one(FindBar).open()

    @on(FindBar.QueryChanged)
    def _find(self, event: FindBar.QueryChanged) -> None:
        self.query_one(Transcript).find(clean(event.words, multiline=False))
        self._found()

    @on(FindBar.MatchRequested)
    def _find_next(self, event: FindBar.MatchRequested) -> None:
        self.query_one(Transcript).find_next(event.by)
        self._found()

    @on(FindBar.Closed)
    def _find_left(self) -> None:
        self.query_one(Transcript).find("")
        self.query_one(Transcript).focus()

    def _found(self) -> None:
        record = self.query_one(Transcript)
        self.query_one(FindBar).count(record.hit + 1, len(record.hits))
