"""Long work: what is being done and how far it is."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import ProgressBar, Static

from app.desk.episode.renderers import one
from app.strings import known, t
from app.strings.sentences import said


class ProgressScreen(ModalScreen[None]):
    """A bar; whoever pushed the screen takes it away."""

    CSS_PATH = "dialog.tcss"

    class Came(Message):
        """So much is done; `total` None means unknown."""

        def __init__(self, what: str, done: int, total: int | None) -> None:
            super().__init__()
            self.what = what
            self.done = done
            self.total = total

        def can_replace(self, message: Message) -> bool:
            """Only the newest matters."""
            return isinstance(message, ProgressScreen.Came)

    def tell(self, what: str, done: int, total: int | None) -> None:
        """So much is done; may be called by any thread."""
        self.post_message(self.Came(what, done, total))

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = self._title
            yield Static(self._text, classes="dialog--text", markup=False)
            yield ProgressBar(show_eta=False)
            yield Static("", classes="dialog--hint", id="what", markup=False)

    def on_progress_screen_came(self, event: Came) -> None:
        self.query_one(ProgressBar).update(total=event.total, progress=event.done)
        keys = (f"{table}.{event.what}" for table in ("corpus_screen.shelf", "progress.what"))
        words = next((t(key) for key in keys if known(key)), one(said(event.what)))
        self.query_one("#what", Static).update(words)
