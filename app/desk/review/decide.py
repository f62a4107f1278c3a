"""The dialog in which a reviewer decides about a task: accept, correct or reject it, with reasons from a list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Select, Static

from app.desk.bindings import bindings
from app.desk.models.dialogs import Tick
from app.desk.plain import LineInput
from app.desk.widgets.answer_box import AnswerText
from app.desk.widgets.field import choice
from app.strings import t
from app.terminal import clean
from app.words import cause_words
from tasks.scoring.human import LONGEST_NAME
from tasks.verifying.decisions import VERDICTS, causes
from tasks.verifying.taskset import Text


@dataclass(frozen=True, slots=True)
class Word:
    """What was typed: as `tasks.verifying.decisions.decide` takes it."""

    verdict: str
    author: str
    why: tuple[str, ...]
    note: str
    fields: Mapping[str, Text]
    consensus: bool


class DecideScreen(ModalScreen[Word | None]):
    """Gives what a reviewer decides; the pane checks it and writes it down."""

    CSS_PATH = ["../dialogs/dialog.tcss", "decide.tcss"]
    help_id = "review_task"
    BINDINGS: ClassVar[list[BindingType]] = bindings("dialog")

    def __init__(
        self, task_id: str, texts: Mapping[str, Text], author: str, *, disputed: bool, word: Word | None
    ) -> None:
        """Ask about a task.

        Args:
            task_id: of the task.
            texts: what it says now.
            author: who decided last at this desk.
            disputed: whether a consensus can be given.
            word: what was typed before and could not be taken.
        """
        super().__init__()
        self._about, self._disputed = task_id, disputed
        self._texts = {**texts, **(word.fields if word else {})}
        self._word = word or Word("accept", author, (), "", {}, False)
        self._lists = {name for name, value in texts.items() if not isinstance(value, str)}

    def compose(self) -> ComposeResult:
        word = self._word
        with Vertical(classes="dialog") as box:
            box.border_title = clean(t("review_screen.decide", task=self._about), multiline=False)
            with VerticalScroll(id="asked"):
                yield Label(t("review_screen.verdict"), markup=False)
                yield choice([(t(f"verify.verdict.{name}"), name) for name in VERDICTS], "verdict", word.verdict)
                yield Label(t("review_screen.why"), markup=False, classes="why")
                with Vertical(id="why", classes="why"):
                    for code in causes():
                        yield Tick(Content(cause_words(code)), code in word.why, id=f"why-{code}", compact=True)
                for name, value in self._texts.items():
                    yield Label(t(f"verify.field.{name}"), markup=False, classes="text")
                    text = value if isinstance(value, str) else "\n".join(value)
                    yield AnswerText(clean(text), id=f"text-{name}", classes="text", compact=True)
                yield Label(t("review_screen.note"), markup=False)
                yield AnswerText(word.note, id="note", compact=True)
                yield Label(t("verify.first"), markup=False)
                yield LineInput(word.author, id="author", max_length=LONGEST_NAME)
                if self._disputed:
                    yield Tick(t("review_screen.as_consensus"), word.consensus, id="consensus", compact=True)
            yield Static("", id="said", markup=False)
            with Horizontal(classes="buttons"):
                yield Button(t("review_screen.decide.yes"), variant="primary", id="yes", compact=True)
                yield Button(t("new.cancel"), id="cancel", compact=True)

    def on_mount(self) -> None:
        self._fit()
        self.query_one("#verdict" if self._word.author else "#author").focus()

    def on_select_changed(self) -> None:
        self._fit()

    def _fit(self) -> None:
        verdict = self._verdict
        for node in self.query(".why"):
            node.display = verdict != "accept"
        for node in self.query(".text"):
            node.display = verdict == "correct"

    @property
    def _verdict(self) -> str:
        return str(self.query_one("#verdict", Select).value)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "cancel":
            self.dismiss(None)
        else:
            self.action_confirm()

    def action_confirm(self) -> None:
        author, verdict = " ".join(self.query_one("#author", Input).value.split()), self._verdict
        if not author:
            self.query_one("#said", Static).update(t("review_screen.bad.author", n=LONGEST_NAME))
            self.query_one("#author").focus()
            return
        consensus = self._disputed and self.query_one("#consensus", Tick).value
        ticked = [code for code in causes() if self.query_one(f"#why-{code}", Tick).value]
        why = tuple(ticked) if verdict != "accept" else ()
        fields = {name: self._typed(name) for name in self._texts} if verdict == "correct" else {}
        self.dismiss(Word(verdict, author, why, self.query_one("#note", AnswerText).text, fields, consensus))

    def _typed(self, name: str) -> Text:
        text = self.query_one(f"#text-{name}", AnswerText).text
        return tuple(line for line in text.splitlines() if line.strip()) if name in self._lists else text

    def action_cancel(self) -> None:
        self.dismiss(None)
