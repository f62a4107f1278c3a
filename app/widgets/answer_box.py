"""Where a person in a seat types. F5 or Ctrl+Enter sends; Enter sends too when there is one line that is not empty.

An input method commits its candidate with Enter before the box sees anything, so a line is never sent half typed.
"""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.events import Key as KeyPress
from textual.message import Message
from textual.widgets import Label, TextArea

from app.bindings import bindings
from app.strings import t


class AnswerText(TextArea):
    """A plain text box; the box around it decides what Enter means."""

    async def _on_key(self, event: KeyPress) -> None:
        if event.key == "enter" and self.text.strip() and "\n" not in self.text:
            event.stop()
            event.prevent_default()
            self.post_message(AnswerBox.Enter())
            return
        await super()._on_key(event)


class AnswerBox(Vertical):
    """Posts what was said."""

    help_id = "answer"
    BINDINGS: ClassVar[list[BindingType]] = bindings("answer")
    DEFAULT_CSS = """
    AnswerBox {
        height: 6;
        display: none;
        border: round $accent;
        background: $surface;
        & Label { width: 1fr; color: $text-muted; padding: 0 1; }
        & TextArea { height: 1fr; border: none; padding: 0 1; background: $surface; }
        & TextArea:focus { border: none; }
        &.-open { display: block; }
    }
    """

    class Enter(Message):
        """Enter was pressed at the end of one line."""

    class Said(Message):
        """The person said this."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def compose(self) -> ComposeResult:
        """The box, and a line that says how to use it."""
        yield AnswerText(soft_wrap=True, show_line_numbers=False, tab_behavior="focus", highlight_cursor_line=False)
        yield Label("", markup=False)

    def open(self, seat: str) -> None:
        """Show the box for a seat and put the cursor in it."""
        self.border_title = t("answer.title", seat=seat)
        self.query_one(Label).update(t("answer.hint"))
        self.add_class("-open")
        self.query_one(AnswerText).focus()

    def close(self) -> None:
        """Put the box away."""
        self.remove_class("-open")

    @property
    def is_open(self) -> bool:
        """Whether it is shown."""
        return self.has_class("-open")

    def restore(self, text: str) -> None:
        """Give back what was typed, after a failure."""
        self.query_one(AnswerText).text = text

    def on_answer_box_enter(self, event: Enter) -> None:
        """Enter on one line."""
        event.stop()
        self.action_send()

    def action_send(self) -> None:
        """Send what is typed, unless it is empty."""
        box = self.query_one(AnswerText)
        text = box.text.strip()
        if text:
            box.text = ""
            self.post_message(self.Said(text))

    def action_leave(self) -> None:
        """Back to the record; the box stays open."""
        self.screen.focus_next()
