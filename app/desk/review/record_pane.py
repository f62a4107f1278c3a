"""The record of an ended episode for a scorer: utterances under their stages, scrolled to the words that a metric is
about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.events import Resize

from app.desk.review.record import Entry
from app.desk.widgets.lines import Row, wrapped
from app.desk.widgets.things import LinesPane, rule


class RecordPane(LinesPane):
    """Shows entries; the owner of a row is the place of its entry."""

    def __init__(self, help_id: str, *, id: str) -> None:
        super().__init__(help_id, id=id)
        self._entries: Sequence[Entry] = ()
        self._place = -1
        self._waits = False

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Show another record."""
        self._entries = entries
        self.rebuild()

    def go_to(self, place: int) -> None:
        """Bring the beginning of an entry to the top."""
        self._place, self._waits = place, True
        self.call_after_refresh(self._reveal)

    def rebuild(self) -> None:
        """Make the rows again; a view that was hidden goes where it was sent."""
        super().rebuild()
        if self._waits:
            self.call_after_refresh(self._reveal)

    def on_resize(self, event: Resize) -> None:
        top = self.rows[self.scroll_offset.y].owner if self.scroll_offset.y < len(self.rows) else -1
        super().on_resize(event)
        if not self._waits and self.scroll_offset.y:
            self.go_to(top if top >= 0 else self._place)

    def _reveal(self) -> None:
        if self.rows and not self._stale:
            self._waits = False
            top = next((y for y, row in enumerate(self.rows) if row.owner == self._place >= 0), 0)
            self.scroll_to(y=top, animate=False, force=True, immediate=True)

    def build(self, width: int) -> Iterable[Row]:
        """Headings and utterances."""
        for entry in self._entries:
            if entry.heading:
                yield rule(entry.heading, width)
            for number, line in enumerate(entry.lines):
                start = (("  ", "text"),) if number else ()
                for row in wrapped((*start, *line), width, 2):
                    yield Row(tuple(row), entry.place)
