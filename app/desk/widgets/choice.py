"""Rows that belong to things one can choose: a cursor goes from thing to thing, Enter or a click takes one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.events import Click, Resize
from textual.message import Message
from textual.widgets import Static

from app.desk.bindings import bindings
from app.desk.episode.renderers import Line
from app.desk.widgets.lines import LineView, Row, rule, wrapped


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
        raise NotImplementedError

    def marked(self, y: int) -> bool:
        return self.cursor >= 0 and self.rows[y].owner == self.cursor

    def move_to(self, index: int, *, tell: bool = True) -> None:
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


Make = Callable[[int], Iterable[Line]]
"""Cells of a row -> the lines of a thing."""


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing; `heading` stands above it with a line across, `hang` moves in what a line continues."""

    make: Make
    heading: str = ""
    hang: int = 2


def fixed(*lines: Line) -> Make:
    """Lines that are the same for every width."""
    return lambda width: lines


class Things(Choice):
    """Shows things; without any, what to do next."""

    def __init__(self, help_id: str, *, id: str) -> None:
        super().__init__(id=id)
        self.help_id = help_id
        self._things: Sequence[Thing] = ()
        self._said: Sequence[Line] = ()
        self._above: Sequence[Line] = ()

    @property
    def count(self) -> int:
        return len(self._things)

    def show(
        self, things: Sequence[Thing], said: Sequence[Line] = (), *, at: int | None = None, above: Sequence[Line] = ()
    ) -> None:  # fmt: skip
        """Show these instead; the cursor goes to `at`, or stays where it is.

        `said` is shown where there is nothing, `above` are the names of columns.
        """
        self._things, self._said, self._above = things, said, above
        cursor = self.cursor if at is None else at
        self.cursor = min(max(cursor, 0), len(things) - 1)
        self.rebuild()

    def build(self, width: int) -> Iterable[Row]:
        if not self._things:
            yield from (Row(tuple(row)) for line in self._said for row in wrapped(line, width))
        yield from (Row(((" ", "text"), *line)) for line in self._above)
        for number, thing in enumerate(self._things):
            if thing.heading:
                yield rule(thing.heading, width)
            for line in thing.make(width - 1):
                for row in wrapped(line, width - 1, thing.hang):
                    yield Row(((" ", "text"), *row), number)

    def action_cursor(self, by: int) -> None:
        """Up or down; a thing that is higher than the view is scrolled first."""
        own = [y for y, row in enumerate(self.rows) if row.owner == self.cursor]
        height, top = max(1, self.scrollable_content_region.height), self.scroll_offset.y
        if own and by > 0 and own[-1] >= top + height:
            return self.scroll_to(y=min(top + height // 2, own[-1] - height + 1), animate=False)
        if own and by < 0 and own[0] < top:
            return self.scroll_to(y=max(top - height // 2, own[0]), animate=False)
        return super().action_cursor(by)

    def _reveal(self) -> None:
        own = [y for y, row in enumerate(self.rows) if row.owner == self.cursor]
        height, top = max(1, self.scrollable_content_region.height), self.scroll_offset.y
        if own and len(own) > height and own[0] <= top + height - 1 and own[-1] >= top and own[0] < top:
            return
        super()._reveal()


class Empty(Vertical):
    """A title and a few sentences, in the middle."""

    DEFAULT_CSS = """
    Empty {
        align: center middle;
        height: 1fr;
        & > .empty--title { width: 1fr; text-align: center; color: $text-accent; text-style: bold; margin-bottom: 1; }
        & > .empty--text { width: 1fr; text-align: center; color: $text-muted; }
    }
    """

    def __init__(self, title: str = "", text: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        yield Static(self._title, classes="empty--title", markup=False)
        yield Static(self._text, classes="empty--text", markup=False)

    def say(self, title: str, text: str) -> None:
        self.query_one(".empty--title", Static).update(title)
        self.query_one(".empty--text", Static).update(text)
