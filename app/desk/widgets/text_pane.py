"""A pane of a few styled lines, wrapped as Chinese typesetting wants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.desk.episode.renderers import Line
from app.desk.widgets.lines import LineView, Row, wrapped


class TextPane(LineView, can_focus=False):
    """Shows lines; nothing to choose."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: Sequence[Line] = ()
        self._hang = 0

    def show(self, lines: Sequence[Line], hang: int = 0) -> None:
        """Show these lines; continuations are moved in by `hang` cells."""
        self._lines, self._hang = lines, hang
        self.rebuild()

    def build(self, width: int) -> Iterable[Row]:
        """The lines, wrapped."""
        return (Row(tuple(row)) for line in self._lines for row in wrapped(line, width, self._hang))
