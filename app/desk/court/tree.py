"""The programme of a hearing, the topics of a consultation, the parts of a draft: a tree with ticks, a cursor and
folding.

Who does not look at it is shown where the episode is; who does keeps the place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.events import Click
from textual.message import Message

from app.desk.bindings import bindings
from app.desk.court.programme import Item
from app.desk.episode.plan_pane import fact_rows
from app.desk.episode.renderers import Piece, one
from app.desk.widgets.lines import LineView, Row, wrapped
from app.strings import t
from app.terminal import pad, width

MARKS = {
    "done": ("✔", "good"), "now": ("▶", "label"), "partly": ("◐", "seat"), "open": ("☐", "dim"),
    "failed": ("✘", "bad"),
}  # fmt: skip
"""How far -> sign and role."""
Shown = tuple[Item, int]
"""An item and its depth."""


class ProgrammePane(LineView):
    """Shows items; Enter unfolds one, or goes to the record it came true with."""

    help_id = "programme"
    BINDINGS: ClassVar[list[BindingType]] = bindings("programme")

    class Chosen(Message):
        """An item was chosen: the record it came true with."""

        def __init__(self, seq: int) -> None:
            super().__init__()
            self.seq = seq

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._items: Sequence[Item] = ()
        self._facts: Sequence[tuple[str, str]] = ()
        self._notice = ""
        self._unfolded: dict[str, bool] = {}
        self._key = ""
        self.flat: list[Shown] = []

    # content

    def show(self, items: Sequence[Item], facts: Sequence[tuple[str, str]], notice: str = "") -> None:
        """Show items, and facts (name, value) under them; `notice` says why there are no more, or none."""
        self._items, self._facts, self._notice = items, facts, notice
        self.rebuild()

    def forget(self) -> None:
        """Another episode: nothing was unfolded by hand."""
        self._unfolded.clear()
        self._key = ""

    def rebuild(self) -> None:
        """Make the rows again, and keep the place."""
        self.flat = list(self._flat(self._items, 0))
        super().rebuild()
        if not self.has_focus:
            self._key = self._current()
        self.call_after_refresh(self._reveal)

    def _flat(self, items: Sequence[Item], depth: int) -> Iterator[Shown]:
        for item in items:
            yield item, depth
            if item.children and self._unfolded.get(item.key, item.unfolded):
                yield from self._flat(item.children, depth + 1)

    def _current(self) -> str:
        """Where the episode is: the first thing that is still open in the current part, else the part."""
        at = next((index for index, (item, _) in enumerate(self.flat) if item.mark == "now"), None)
        if at is None:
            return self.flat[0][0].key if self.flat else ""
        depth = self.flat[at][1]
        for item, below in self.flat[at + 1 :]:
            if below <= depth:
                break
            if item.mark in ("now", "open", "partly") and not item.optional:
                return item.key
        return self.flat[at][0].key

    @property
    def cursor(self) -> int:
        """Index of the item under the cursor, -1 without any."""
        return next(
            (index for index, (item, _) in enumerate(self.flat) if item.key == self._key), 0 if self.flat else -1
        )

    def build(self, width_: int) -> Iterable[Row]:
        """The items, then the facts."""
        if self._notice:
            yield from (
                Row(tuple(row)) for row in wrapped(((self._notice, "warn" if self._items else "dim"),), width_)
            )
        for index, (item, depth) in enumerate(self.flat):
            yield from self._rows(index, item, depth, width_)
        yield from fact_rows(self._facts, width_)

    def _rows(self, index: int, item: Item, depth: int, room: int) -> Iterator[Row]:
        sign, tone = MARKS[item.mark]
        lead = "  " * depth
        role = (
            "bad"
            if item.fault or item.mark == "failed"
            else "dim"
            if item.optional
            else "question"
            if depth == 0
            else "text"
        )
        tail: list[Piece] = []
        if item.count is not None:
            tail.append((f"{item.count[0]}/{item.count[1]}", "good" if item.count[0] == item.count[1] else "dim"))
        if item.faults:
            tail.append((f" ✘{item.faults}", "bad"))
        text: list[Piece] = [(one(item.text), role)]
        if item.left:
            text.append((f"（{item.left}）", "warn"))
        size = sum(width(part) for part, _ in tail)
        body = max(4, room - len(lead) - 2 - (size + 1 if size else 0))
        note = item.note
        for number, row in enumerate(wrapped(tuple(text), body)):
            pieces: list[Piece] = [
                (lead, "text"),
                (f"{sign} " if number == 0 else "  ", "dim" if item.optional else tone),
                *row,
            ]
            used = sum(width(part) for part, _ in row)
            if number == 0 and tail:
                pieces += [(pad("", body - used + 1), "text"), *tail]
            elif number == 0 and note and used + width(note) < body and len(row) == 1:
                pieces.append((pad("", body - used - width(note)) + note, "dim"))
                note = ""
            yield Row(tuple(pieces), index)
        for row in wrapped(((note, "dim"),), max(4, room - len(lead) - 2)) if note else ():
            yield Row(((f"{lead}  ", "text"), *row), index)

    # cursor

    def marked(self, y: int) -> bool:
        """Rows of the item under the cursor, for who looks at it."""
        return self.has_focus and self.rows[y].owner == self.cursor >= 0

    def on_focus(self) -> None:
        self._strips.clear()
        self.refresh()

    def on_blur(self) -> None:
        self.on_focus()

    def action_cursor(self, by: int) -> None:
        if self.flat:
            self._key = self.flat[min(max(self.cursor + by, 0), len(self.flat) - 1)][0].key
            self.refresh()
            self._reveal()

    def action_edge(self, end: bool) -> None:
        self.action_cursor(len(self.flat) if end else -len(self.flat))

    def action_choose(self) -> None:
        """Unfold or fold what has parts, else go to the record."""
        if not self.flat:
            return
        item = self.flat[self.cursor][0]
        if item.children:
            self._unfolded[item.key] = not self._unfolded.get(item.key, item.unfolded)
            self.rebuild()
        elif item.seq is not None:
            self.post_message(self.Chosen(item.seq))
        else:
            self.app.notify(t("court.not_yet"), markup=False)

    def on_click(self, event: Click) -> None:
        y = event.get_content_offset_capture(self).y + self.scroll_offset.y
        if 0 <= y < len(self.rows) and self.rows[y].owner >= 0:
            self._key = self.flat[self.rows[y].owner][0].key
            self.refresh()
            self.action_choose()

    def _reveal(self) -> None:
        own = [y for y, row in enumerate(self.rows) if row.owner == self.cursor >= 0]
        height = max(1, self.scrollable_content_region.height)
        if not own or not self.size.height:
            return
        top = self.scroll_offset.y
        if own[0] < top:
            self.scroll_to(y=own[0], animate=False, force=True, immediate=True)
        elif own[-1] >= top + height:
            self.scroll_to(y=own[-1] - height + 1, animate=False, force=True, immediate=True)
