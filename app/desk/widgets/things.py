"""A list of things of a few lines each, made of lines: runs, episodes, metrics, cases, fields of a case.

A thing that is higher than the view is read through before the cursor goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from app.desk.episode.renderers import Line
from app.desk.widgets.choice import Choice
from app.desk.widgets.lines import LineView, Row, wrapped
from app.terminal import width as cells

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
        """How many things there are."""
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
        """Headings and things."""
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


class LinesPane(LineView):
    """Lines that one scrolls through."""

    def __init__(self, help_id: str, *, id: str) -> None:
        super().__init__(id=id)
        self.help_id = help_id
        self._lines: Sequence[Line] = ()
        self._hang = 0

    def show(self, lines: Sequence[Line], hang: int = 0) -> None:
        """Show these lines from the first on."""
        self._lines, self._hang = lines, hang
        self.rebuild()
        self.scroll_home(animate=False, immediate=True)

    def build(self, width: int) -> Iterable[Row]:
        """The lines, wrapped."""
        return (Row(tuple(row)) for line in self._lines for row in wrapped(line, width, self._hang))


def rule(title: str, width: int) -> Row:
    """A heading with a line across."""
    head = f"── {title} "
    return Row(((head, "label"), ("─" * max(0, width - cells(head)), "rule")))
