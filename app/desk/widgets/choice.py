"""Rows that belong to things one can choose: a cursor goes from thing to thing, Enter or a click takes one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.events import Click, Resize
from textual.message import Message
from textual.widgets import Static

from app.desk.bindings import bindings
from app.desk.episode.renderers import Line
from app.desk.widgets.lines import DisplayRow, LineView, Make, rows_of, rule, wrapped


class Choice(LineView):
    """The owner of a row is the index of its thing; rows without one are passed over."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("law_choice")

    class Highlighted(Message):
        """The cursor came to a thing."""

        def __init__(self, view: Choice, index: int) -> None:
            super().__init__()
            self.view, self.index = view, index

    class Selected(Highlighted):
        """A thing was taken."""

    help_id = ""
    heads = 0
    """Lines above that are not scrolled."""
    AT_ONCE = False
    """Whether one click takes a thing; else the first one only goes there."""

    def __init__(self, help_id: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.help_id = help_id or self.help_id
        self.things: Sequence[Any] = ()
        self.cursor = -1

    @property
    def count(self) -> int:
        return len(self.things)

    @property
    def chosen(self) -> Any:
        """The thing at the cursor, None where there is none."""
        return self.things[self.cursor] if 0 <= self.cursor < self.count else None

    def offer(self, things: Sequence[Any], make: Make, *, at: int | None = None, top: bool = False) -> None:
        """Show these things by the rows of `make`; the cursor goes to `at`, or stays where it is."""
        self.things = things
        self.cursor = min(max(self.cursor if at is None else at, 0), len(things) - 1)
        self.draw(make, top=top)

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
            self.post_message(self.Highlighted(self, self.cursor))

    @property
    def seen(self) -> int:
        """Lines that are seen of those that are scrolled."""
        return max(1, self.scrollable_content_region.height - self.heads)

    def own(self) -> tuple[int, int] | None:
        """First and last row of the thing at the cursor."""
        mine = [y for y, row in enumerate(self.rows) if row.owner == self.cursor]
        return (mine[0], mine[-1]) if mine else None

    def _reveal(self) -> None:
        own = self.own()
        if own is None:
            return
        top = 0 if self.cursor == 0 else own[0]
        bottom = min(own[1], top + self.seen - 1)
        if top < self.scroll_offset.y:
            self.scroll_to(y=top, animate=False, immediate=True)
        elif bottom >= self.scroll_offset.y + self.seen:
            self.scroll_to(y=bottom - self.seen + 1, animate=False, immediate=True)

    def rebuild(self) -> None:
        super().rebuild()
        if not self._stale:
            self.call_after_refresh(self._reveal)

    def on_resize(self, event: Resize) -> None:
        super().on_resize(event)
        self.call_after_refresh(self._reveal)

    def action_cursor(self, by: int) -> None:
        """To another thing; where there is none, the lines are scrolled."""
        if self.count:
            self.move_to(self.cursor + by)
        else:
            self.scroll_relative(y=by, animate=False)

    def action_edge(self, last: bool) -> None:
        self.move_to(self.count - 1 if last else 0)

    def action_page(self, by: int) -> None:
        each = max(1, len(self.rows) // max(1, self.count))
        self.move_to(self.cursor + by * max(1, self.seen // each))

    def action_choose(self) -> None:
        if 0 <= self.cursor < self.count:
            self.post_message(self.Selected(self, self.cursor))

    def thing_at(self, y: int) -> int:
        """Place of the thing in a row, -1 where there is none."""
        return self.rows[y].owner if 0 <= y < len(self.rows) else -1

    def on_click(self, event: Click) -> None:
        owner = self.thing_at(event.get_content_offset_capture(self).y - self.heads + self.scroll_offset.y)
        if owner < 0:
            return
        again = owner == self.cursor
        self.move_to(owner)
        if self.AT_ONCE or again or event.chain > 1:
            self.action_choose()


Lines = Callable[[int], Iterable[Line]]
"""Cells of a row -> the lines of a thing."""


@dataclass(frozen=True, slots=True)
class ChoiceItem:
    """One thing; `heading` stands above it with a line across, `hang` moves in what a line continues."""

    make: Lines
    heading: str = ""
    hang: int = 2


def fixed(*lines: Line) -> Lines:
    """Lines that are the same for every width."""
    return lambda width: lines


class ChoiceList(Choice):
    """Shows things; without any, what to do next."""

    def show(
        self,
        things: Sequence[ChoiceItem],
        said: Sequence[Line] = (),
        *,
        at: int | None = None,
        above: Sequence[Line] = (),
    ) -> None:
        """Show these instead; the cursor goes to `at`, or stays where it is.

        `said` is shown where there is nothing, `above` are the names of columns.
        """
        self.offer(things, partial(_thing_rows, things, said, above), at=at)

    def action_cursor(self, by: int) -> None:
        """Up or down; a thing that is higher than the view is scrolled first."""
        own, top = self.own(), self.scroll_offset.y
        if own and by > 0 and own[1] >= top + self.seen:
            return self.scroll_to(y=min(top + self.seen // 2, own[1] - self.seen + 1), animate=False)
        if own and by < 0 and own[0] < top:
            return self.scroll_to(y=max(top - self.seen // 2, own[0]), animate=False)
        return super().action_cursor(by)

    def _reveal(self) -> None:
        own, top = self.own(), self.scroll_offset.y
        if own is None or own[1] - own[0] < self.seen or not own[0] < top <= own[1]:
            super()._reveal()


def _thing_rows(
    things: Sequence[ChoiceItem], said: Sequence[Line], above: Sequence[Line], width: int
) -> Iterator[DisplayRow]:
    for line in () if things else said:
        yield from rows_of(line, width)
    yield from (DisplayRow(((" ", "text"), *line)) for line in above)
    for number, thing in enumerate(things):
        if thing.heading:
            yield rule(thing.heading, width)
        for line in thing.make(width - 1):
            yield from (DisplayRow(((" ", "text"), *row), number) for row in wrapped(line, width - 1, thing.hang))


class EmptyState(Vertical):
    """A title and a few sentences, in the middle."""

    DEFAULT_CSS = """
    EmptyState {
        align: center middle;
        height: 1fr;
        & > .empty--title { width: 1fr; text-align: center; color: $text-accent; text-style: bold; margin-bottom: 1; }
        & > .empty--text { width: 1fr; text-align: center; color: $text-muted; }
    }
    """

    def compose(self) -> ComposeResult:
        yield Static("", classes="empty--title", markup=False)
        yield Static("", classes="empty--text", markup=False)

    def say(self, title: str, text: str) -> None:
        self.query_one(".empty--title", Static).update(title)
        self.query_one(".empty--text", Static).update(text)
