"""Rows that belong to things one can choose: a cursor goes from thing to thing, Enter or a click takes one."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType
from textual.events import Click, Resize
from textual.message import Message

from app.desk.bindings import bindings
from app.desk.widgets.lines import LineView


class Choice(LineView):
    """The owner of a row is the index of its thing; rows without one are passed over."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("law_choice")

    class Looked(Message):
        """The cursor came to a thing."""

        def __init__(self, view: Choice, index: int) -> None:
            super().__init__()
            self.view, self.index = view, index

    class Chosen(Looked):
        """A thing was taken."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.cursor = -1

    @property
    def count(self) -> int:
        """How many things there are."""
        raise NotImplementedError

    def marked(self, y: int) -> bool:
        """The rows of the thing at the cursor."""
        return self.cursor >= 0 and self.rows[y].owner == self.cursor

    def move_to(self, index: int, *, tell: bool = True) -> None:
        """Put the cursor on a thing and bring all its rows into view."""
        if not self.count:
            self.cursor = -1
            return
        self.cursor = min(max(index, 0), self.count - 1)
        self._reveal()
        self.refresh()
        if tell:
            self.post_message(self.Looked(self, self.cursor))

    def _reveal(self) -> None:
        mine = [y for y, row in enumerate(self.rows) if row.owner == self.cursor]
        if not mine:
            return
        top, bottom, height = mine[0], mine[-1], max(1, self.scrollable_content_region.height)
        if self.cursor == 0:
            top = 0
        bottom = min(bottom, top + height - 1)
        if top < self.scroll_offset.y:
            self.scroll_to(y=top, animate=False, immediate=True)
        elif bottom >= self.scroll_offset.y + height:
            self.scroll_to(y=bottom - height + 1, animate=False, immediate=True)

    def rebuild(self) -> None:
        """Make the rows again; the cursor stays in view."""
        super().rebuild()
        if not self._stale:
            self.call_after_refresh(self._reveal)

    def on_resize(self, event: Resize) -> None:
        super().on_resize(event)
        self.call_after_refresh(self._reveal)

    def action_cursor(self, by: int) -> None:
        self.move_to(self.cursor + by)

    def action_edge(self, last: bool) -> None:
        self.move_to(self.count - 1 if last else 0)

    def action_page(self, by: int) -> None:
        each = max(1, len(self.rows) // max(1, self.count))
        self.move_to(self.cursor + by * max(1, self.scrollable_content_region.height // each))

    def action_choose(self) -> None:
        if 0 <= self.cursor < self.count:
            self.post_message(self.Chosen(self, self.cursor))

    def on_click(self, event: Click) -> None:
        y = event.get_content_offset_capture(self).y + self.scroll_offset.y
        owner = self.rows[y].owner if 0 <= y < len(self.rows) else -1
        if owner < 0:
            return
        again = owner == self.cursor
        self.move_to(owner)
        if again or event.chain > 1:
            self.action_choose()
