"""The dialog that asks for the path of a task file."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static

from app.desk.bindings import bindings
from app.desk.widgets.field import Field, line
from app.desk.widgets.path_completion import PathCompletion
from app.strings import t

LONGEST_PATH = 1000


class PathScreen(ModalScreen[str | None]):
    """Gives the path of the tasks to verify; the Review screen reads them."""

    CSS_PATH = ["../dialogs/dialog.tcss", "path.tcss"]
    help_id = "review_path"
    BINDINGS: ClassVar[list[BindingType]] = bindings("dialog")

    def compose(self) -> ComposeResult:
        box_of_path = line("path", placeholder=t("models.add.path.empty"))
        box_of_path.max_length = LONGEST_PATH
        box_of_path.suggester = PathCompletion("")
        with Vertical(classes="dialog") as box:
            box.border_title = t("review_screen.ask.title")
            yield Static(t("review_screen.ask.text"), classes="dialog--text", markup=False)
            yield Field(t("models.add.path"), box_of_path, id="path-field")
            with Horizontal(classes="buttons"):
                yield Button(t("review_screen.ask.yes"), variant="primary", id="yes", compact=True)
                yield Button(t("new.cancel"), id="cancel", compact=True)

    def on_mount(self) -> None:
        self.query_one("#path").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "cancel":
            self.dismiss(None)
        else:
            self.action_confirm()

    def on_input_submitted(self) -> None:
        self.action_confirm()

    def action_confirm(self) -> None:
        if path := self.query_one("#path", Input).value.strip():
            self.dismiss(path)
        else:
            self.query_one("#path-field", Field).fault(t("review_screen.no_path"))

    def action_cancel(self) -> None:
        self.dismiss(None)
