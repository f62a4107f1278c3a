"""A pane of styled lines to read: a case file, a list of exhibits, a document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual.binding import BindingType

from app.desk.bindings import bindings
from app.desk.episode.renderers import Line
from app.desk.widgets.lines import LineView, Row, wrapped


class Sheet(LineView):
    """Shows lines; continued ones are moved in. Another `key` begins at the top again."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("pane")

    def __init__(self, about: str, *, id: str | None = None, hang: int = 2) -> None:
        super().__init__(id=id)
        self.help_id = about
        self._lines: Sequence[Line] = ()
        self._key = ""
        self._hang = hang

    @property
    def text(self) -> str:
        """What is shown, as text."""
        return "\n".join("".join(text for text, _ in line).rstrip() for line in self._lines)

    def show(self, lines: Sequence[Line], key: str = "") -> None:
        """Show these lines."""
        changed = key != self._key
        if not changed and lines == self._lines:
            return
        self._lines, self._key = lines, key
        self.rebuild()
        if changed:
            self.scroll_home(animate=False, immediate=True)

    def build(self, width: int) -> Iterable[Row]:
        """The lines, wrapped."""
        return (Row(tuple(row)) for line in self._lines for row in wrapped(line, width, self._hang))
