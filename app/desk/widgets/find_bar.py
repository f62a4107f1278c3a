"""Search in the record: a line at the bottom that marks places while one types."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Label

from app.desk.bindings import bindings
from app.desk.widgets.field import LineInput
from app.strings import t


class FindBar(Horizontal):
    """Posts what to look for; the screen says how much was found. placeholder: the key of what an empty box says."""

    help_id = "find"
    BINDINGS: ClassVar[list[BindingType]] = bindings("find")
    DEFAULT_CSS = """
    FindBar {
        height: 1;
        display: none;
        background: $surface;
        padding: 0 1;
        & Label { width: auto; color: $text-accent; }
        & Label.count { color: $text-muted; min-width: 12; text-align: right; }
        & Input { width: 1fr; height: 1; padding: 0 1; background: $surface; }
        &.-open { display: block; }
    }
    """

    class QueryChanged(Message):
        """Look for these words."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    class MatchRequested(Message):
        """Go to the next place (1) or the one before (-1)."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    class Closed(Message):
        """The search is over."""

    def __init__(self, placeholder: str = "find.placeholder", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.placeholder = placeholder

    def compose(self) -> ComposeResult:
        yield Label("/", markup=False)
        yield LineInput(placeholder=t(self.placeholder), select_on_focus=False)
        yield Label("", classes="count", markup=False)

    def open(self) -> None:
        self.add_class("-open")
        box = self.query_one(Input)
        box.placeholder = t(self.placeholder)
        box.focus()
        if box.value:
            self.post_message(self.QueryChanged(box.value))

    def clear(self) -> None:
        self.query_one(Input).value = ""

    def count(self, at: int, total: int) -> None:
        words = self.query_one(Input).value
        text = t("find.count", at=at, total=total) if total else t("find.none") if words else ""
        self.query_one(".count", Label).update(text)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.QueryChanged(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.MatchRequested(1))

    def action_next(self, by: int) -> None:
        self.post_message(self.MatchRequested(by))

    def action_close(self) -> None:
        """End the search; the words stay in the box for the next time."""
        self.remove_class("-open")
        self.post_message(self.Closed())
