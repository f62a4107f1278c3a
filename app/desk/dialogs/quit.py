"""The question before the desk is left while a run goes on: in the background, stopped, or not at all."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from app.desk.bindings import bindings
from app.strings import t


class QuitScreen(ModalScreen[str]):
    """Gives `background`, `stop`, or nothing where the person stays. A run with a person in it cannot go on without
    him."""

    CSS_PATH = "dialog.tcss"
    help_id = "dialog"
    BINDINGS: ClassVar[list[BindingType]] = bindings("dialog")

    def __init__(self, *, person: bool) -> None:
        super().__init__()
        self._person = ".person" if person else ""

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = t("quit.title")
            yield Static(t(f"quit.text{self._person}"), classes="dialog--text", markup=False)
            yield Static(t(f"quit.hint{self._person}"), classes="dialog--hint", markup=False)
            with Horizontal(classes="buttons"):
                if not self._person:
                    yield Button(t("quit.background"), variant="primary", id="background", compact=True)
                yield Button(t("quit.stop"), id="stop", compact=True)
                yield Button(t("quit.stay"), id="stay", compact=True)

    def on_mount(self) -> None:
        self.query(Button).first().focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id if event.button.id != "stay" else None)

    def action_confirm(self) -> None:
        self.query(Button).first().press()

    def action_cancel(self) -> None:
        self.dismiss(None)
