"""Lines set for an audience: centred or left, with air between them where there is room."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from textual.events import Resize

from app.desk.episode.renderers import Line
from app.desk.widgets.lines import LineView, Row, row_text, wrapped
from app.terminal import width as cells

Maker = Callable[[int], Sequence[Line]]
"""Lines for a width in cells."""
BLANK = Row((("", "text"),))


class Board(LineView):
    """Shows what a maker gives for the width.

    `align`: of lines that are shorter than the board. `fall`: what is lower than the board stands at its bottom.
    """

    def __init__(
        self, *, id: str | None = None, align: Literal["left", "centre"] = "left", fall: bool = False
    ) -> None:
        super().__init__(id=id)
        self._make: Maker = lambda room: ()
        self._key: object = None
        self._airy, self._hang = False, 0
        self._align, self._fall = align, fall

    def show(self, make: Maker, key: object = None, *, airy: bool = False, hang: int = 0) -> None:
        """Show these lines, another `key` from the top; `airy`: paragraphs, every row apart where that fits.

        `hang`: cells by which continued rows are moved in.
        """
        changed = key != self._key
        self._make, self._key, self._airy, self._hang = make, key, airy, hang
        self.rebuild()
        if changed:
            self.scroll_home(animate=False, immediate=True)

    def on_resize(self, event: Resize) -> None:
        self.rebuild()

    @property
    def text(self) -> str:
        """What is shown, as text."""
        return "\n".join(row_text(row).rstrip() for row in self.rows)

    @property
    def beyond(self) -> int:
        """Rows that cannot be seen without scrolling."""
        return max(0, len(self.rows) - max(1, self.scrollable_content_region.height))

    def build(self, width: int) -> Iterable[Row]:
        """The lines, wrapped and set."""
        lines = [[Row(tuple(row)) for row in wrapped(line, width, self._hang)] for line in self._make(width)]
        height = self.scrollable_content_region.height
        rows = _apart(lines, 1) if self._airy else [row for line in lines for row in line]
        if self._airy and len(rows) > height:
            rows = _apart(lines, 0)
        if self._align == "centre":
            rows = [_centred(row, width) for row in rows]
        return [BLANK] * max(0, height - len(rows)) + rows if self._fall else rows


def _apart(lines: Sequence[Sequence[Row]], gap: int) -> list[Row]:
    """The rows of paragraphs with so many blank rows between them, and one more between paragraphs."""
    rows: list[Row] = []
    for line in lines:
        rows += [BLANK] if rows else []
        for number, row in enumerate(line):
            rows += [BLANK] * gap if number else []
            rows.append(row)
    return rows


def _centred(row: Row, room: int) -> Row:
    left = max(0, room - cells(row_text(row).rstrip())) // 2
    return Row(((" " * left, "text"), *row.pieces))
