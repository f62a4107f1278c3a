"""The dialog in which a person asks a question about the fictional jurisdiction, and watches it being solved."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, OptionList, Static

from app.desk.bindings import bindings
from app.desk.episode.renderers import one
from app.desk.plain import LineInput
from app.ready import lacking
from app.strings import t
from models.llama import shipped
from tasks.legalagentbench.asking import LONGEST


class AskScreen(ModalScreen[str | None]):
    """Gives the question; None when nothing is asked. The examples are of the kinds that the model knows."""

    CSS_PATH = "../dialogs/dialog.tcss"
    help_id = "ask"
    BINDINGS: ClassVar[list[BindingType]] = bindings("dialog")

    def __init__(self) -> None:
        super().__init__()
        about = shipped.card()
        self._examples = [kind.example for kind in about.kinds] if about is not None else []

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = t("ask.title")
            yield Static(t("ask.text" if self._examples else "ask.text.rules"), classes="dialog--text", markup=False)
            yield LineInput(id="question", placeholder=t("ask.empty"), max_length=LONGEST)
            yield OptionList(*(Content(one(example)) for example in self._examples), id="examples", compact=True)
            yield Static(one(lacking() or t("ask.live")), classes="dialog--hint", markup=False)
            with Horizontal(classes="buttons"):
                yield Button(t("ask.yes"), variant="primary", id="yes", compact=True)
                yield Button(t("new.cancel"), id="cancel", compact=True)

    def on_mount(self) -> None:
        self.query_one("#examples").display = bool(self._examples)
        self.query_one(Input).focus()

    @on(OptionList.OptionSelected)
    def _taken(self, event: OptionList.OptionSelected) -> None:
        """An example comes into the line, where names can be changed."""
        line = self.query_one(Input)
        line.value = self._examples[event.option_index]
        line.focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(None) if event.button.id == "cancel" else self.action_confirm()

    @on(Input.Submitted)
    def action_confirm(self) -> None:
        if question := self.query_one(Input).value.strip():
            self.dismiss(question)

    def action_cancel(self) -> None:
        self.dismiss(None)
