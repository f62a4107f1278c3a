"""What screens with a record and a find bar share: typing marks places, Enter goes through them, Esc ends it."""

from __future__ import annotations

from textual import on
from textual.screen import Screen

from app.desk.episode.transcript import Transcript
from app.desk.widgets.find_bar import FindBar
from app.terminal import clean


class FindingScreen(Screen[None]):
    """A screen that holds one `Transcript` and one `FindBar`."""

    def action_find(self) -> None:
        self.query_one(FindBar).open()

    @on(FindBar.Changed)
    def _find(self, event: FindBar.Changed) -> None:
        self.query_one(Transcript).find(clean(event.words, multiline=False))
        self._found()

    @on(FindBar.Went)
    def _find_next(self, event: FindBar.Went) -> None:
        self.query_one(Transcript).find_next(event.by)
        self._found()

    @on(FindBar.Left)
    def _find_left(self) -> None:
        self.query_one(Transcript).find("")
        self.query_one(Transcript).focus()

    def _found(self) -> None:
        record = self.query_one(Transcript)
        self.query_one(FindBar).count(record.hit + 1, len(record.hits))
