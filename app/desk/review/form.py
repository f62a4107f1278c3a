"""Where a reviewer writes: a value on its scale, who writes, and why. F5 submits; Enter begins a new line.

What is typed waits as a draft of its own while something else is looked at. The author stays as long as the desk is
open.
"""

from __future__ import annotations

import math
import unicodedata
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input, Label, Static

from app.desk.bindings import bindings
from app.desk.widgets.answer_box import AnswerText
from app.desk.widgets.field import LineInput
from app.strings import t
from tasks.scoring.human import LONGEST_NAME, LONGEST_REASON

BOXES = ("value", "author", "reason")
Draft = tuple[str, str]
"""Value and reason as typed."""


class ReviewForm(Vertical):
    """Posts what was written once it is complete."""

    help_id = "review_form"
    BINDINGS: ClassVar[list[BindingType]] = bindings("review_form")
    DEFAULT_CSS = """
    ReviewForm {
        height: auto;
        & Horizontal { height: 1; }
        & Label { width: 10; color: $text-muted; }
        & Input { height: 1; width: 1fr; padding: 0 1; background: $panel; color: $foreground; }
        & #value { width: 9; }
        & #scale { width: 1fr; padding: 0 0 0 1; }
        & Input:focus, & AnswerText:focus { background: $accent 25%; background-tint: $background 0%; }
        & AnswerText { height: 4; border: none; padding: 0 1; background: $panel; }
        & #said { height: auto; color: $text-muted; &.-bad { color: $text-error; } }
    }
    """

    class EntrySubmitted(Message):
        """A complete entry."""

        def __init__(self, value: float, author: str, reason: str) -> None:
            super().__init__()
            self.value, self.author, self.reason = value, author, reason

    class AuthorChanged(Message):
        """Somebody else writes."""

    class Cancelled(Message):
        """Back to what is reviewed."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._scale = 10.0
        self._key: object = None
        self._drafts: dict[object, Draft] = {}

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Label("", id="value-label", markup=False)
            yield LineInput(id="value", max_length=12)
            yield Label("", id="scale", markup=False)
        with Horizontal():
            yield Label("", id="author-label", markup=False)
            yield LineInput(id="author", select_on_focus=False, max_length=LONGEST_NAME)
        yield Label("", id="reason-label", markup=False)
        yield AnswerText(id="reason", compact=True, highlight_cursor_line=False)
        yield Static("", id="said", markup=False)

    def retranslate(self) -> None:
        for name in BOXES:
            self.query_one(f"#{name}-label", Label).update(t(f"review_screen.score.{name}"))
        self.query_one("#author", Input).placeholder = t("review_screen.author.hint")
        self.query_one("#scale", Label).update(t("review_screen.scale", top=f"{self._scale:g}"))
        self.say("")

    def open(self, key: object, scale: float = 10.0) -> None:
        """Write about something else; what was typed about it before stands there again."""
        self._keep()
        self._key, self._scale = key, scale
        value, reason = self._drafts.pop(key, ("", ""))
        self._fill(value, reason)
        self.retranslate()

    @property
    def author(self) -> str:
        return " ".join(self.query_one("#author", Input).value.split())

    @author.setter
    def author(self, name: str) -> None:
        box = self.query_one("#author", Input)
        if box.value != name:
            box.value = name

    def say(self, sentence: str, bad: bool = False) -> None:
        """A sentence below the form; '' is how to use it."""
        label = self.query_one("#said", Static)
        label.set_class(bad, "-bad")
        label.update(sentence or t("review_screen.score.hint"))

    def focus_first(self) -> None:
        empty = [name for name in BOXES if not self._text(name)]
        self.query_one(f"#{(empty or ['reason'])[0]}").focus()

    def clear(self) -> None:
        """It was taken: nothing stands there any more, but for the author."""
        self._drafts.pop(self._key, None)
        self._fill("", "")
        self.say("")

    def _text(self, name: str) -> str:
        box = self.query_one(f"#{name}")
        return (box.text if isinstance(box, AnswerText) else box.value if isinstance(box, Input) else "").strip()

    def _keep(self) -> None:
        typed = (self._text("value"), self._text("reason"))
        if any(typed) and self._key is not None:
            self._drafts[self._key] = typed

    def _fill(self, value: str, reason: str) -> None:
        self.query_one("#value", Input).value = value
        box = self.query_one("#reason", AnswerText)
        box.text = reason
        box.move_cursor(box.document.end)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.query_one("#said").has_class("-bad"):
            self.say("")
        if event.input.id == "author":
            self.post_message(self.AuthorChanged())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.screen.focus_next()

    def action_submit(self) -> None:
        value, author, reason = number_in(self._text("value")), self.author, self._text("reason")
        if value is None or not 0 <= value <= self._scale:
            return self._wrong("value", t("review_screen.bad.value", top=f"{self._scale:g}"))
        if not author:
            return self._wrong("author", t("review_screen.bad.author", n=LONGEST_NAME))
        if not reason:
            return self._wrong("reason", t("review_screen.bad.reason"))
        if len(reason) > LONGEST_REASON:
            return self._wrong("reason", t("review_screen.bad.reason_long", n=LONGEST_REASON))
        self.post_message(self.EntrySubmitted(value, author, reason))
        return None

    def _wrong(self, name: str, sentence: str) -> None:
        self.say(sentence, bad=True)
        self.query_one(f"#{name}").focus()

    def action_leave(self) -> None:
        self.post_message(self.Cancelled())


def number_in(text: str) -> float | None:
    """The number that a person typed, full-width digits included; None where it is none."""
    try:
        value = float(unicodedata.normalize("NFKC", text))
    except ValueError:
        return None
    return value if math.isfinite(value) else None
