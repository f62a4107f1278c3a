"""A question before something is taken away: what, and what is lost. The cursor stands on the answer that changes
nothing."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from app.desk.bindings import bindings
from app.desk.episode.renderers import one
from app.strings import t


class ConfirmScreen(ModalScreen[bool]):
    """Gives whether the person agreed."""

    CSS_PATH = "dialog.tcss"
    help_id = "dialog"
    BINDINGS: ClassVar[list[BindingType]] = bindings("dialog")

    def __init__(self, title: str, text: str, hint: str, yes: str) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._hint = hint
        self._yes = yes

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = self._title
            yield Static(self._text, classes="dialog--text", markup=False)
            yield Static(self._hint, classes="dialog--hint", markup=False)
            with Horizontal(classes="buttons"):
                yield Button(self._yes, id="yes", compact=True)
                yield Button(t("new.cancel"), variant="primary", id="no", compact=True)

    def on_mount(self) -> None:
        self.query_one("#no").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")

    def action_confirm(self) -> None:
        self.dismiss(True)

    def action_cancel(self) -> None:
        self.dismiss(False)


class HostScreen(ConfirmScreen):
    """Asks whether a host beyond this machine may be reached. It comes by itself: the key that the person was about
    to press for something else must not say yes, so it only goes to the button."""

    def __init__(self, host: str, run: str) -> None:
        text = t("hosts.dialog.run", run=one(run), host=one(host)) if run else t("hosts.dialog", host=one(host))
        super().__init__(t("hosts.title"), text, t("hosts.hint"), t("hosts.yes"))

    def action_confirm(self) -> None:
        self.query_one("#yes").focus()
