"""Something went wrong: what, and what helps. One dialog for every failure."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from app.desk.bindings import bindings
from app.strings import t


class ProblemScreen(ModalScreen[None]):
    """A title, a hint, one button."""

    CSS_PATH = "dialog.tcss"
    help_id = "dialog"
    BINDINGS: ClassVar[list[BindingType]] = bindings("dialog")

    def __init__(self, title: str, hint: str) -> None:
        super().__init__()
        self._title = title
        self._hint = hint

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -problem") as box:
            box.border_title = t("problem.title")
            yield Static(self._title, classes="dialog--text", markup=False)
            if self._hint:
                yield Static(self._hint, classes="dialog--hint", markup=False)
            yield Button(t("problem.close"), variant="primary", compact=True)

    def on_button_pressed(self) -> None:
        self.dismiss()

    def action_confirm(self) -> None:
        self.dismiss()

    def action_cancel(self) -> None:
        self.dismiss()
