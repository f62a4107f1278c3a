"""Dialogs: what all have in common, and those that any screen may open: questions, progress, help, problems."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, TypeVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.message import Message
from textual.screen import ModalScreen, Screen
from textual.types import CSSPathType
from textual.widget import Widget
from textual.widgets import Button, ProgressBar, Static

from app.desk.bindings import KEYS, bindings
from app.desk.episode.renderers import one
from app.desk.jobs import OnDesk
from app.desk.widgets.key_bar import areas_of
from app.strings import known, t
from app.strings.sentences import translated
from app.terminal import pad
from app.wrapping import wrap

Result = TypeVar("Result")
SHEET = Path(__file__).with_name("dialog.tcss")
WIDTH = 58
"""Cells of a line of text in a dialog, within frame and padding (dialog.tcss)."""


class Dialog(OnDesk, ModalScreen[Result]):
    """A box over the screen. Enter and every button confirm; Escape and the button `cancel` give None."""

    CSS_PATH: ClassVar[CSSPathType | None] = SHEET
    help_id = "dialog"
    BINDINGS: ClassVar[list[BindingType]] = bindings("dialog")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.pressed(event.button.id or "")

    def pressed(self, button: str) -> None:
        if button == "cancel":
            self.action_cancel()
        else:
            self.action_confirm()

    def action_confirm(self) -> Any:
        self.dismiss(None)

    def action_cancel(self) -> None:
        self.dismiss(None)


def buttons(yes: str, id: str = "yes") -> Horizontal:
    """The button that confirms, and the one that cancels."""
    return Horizontal(
        Button(yes, variant="primary", id=id, compact=True),
        Button(t("new.cancel"), id="cancel", compact=True),
        classes="buttons",
    )


class ConfirmScreen(Dialog[bool]):
    """Gives whether the person agreed. Enter agrees where `ready` says so: what is asked for does no harm."""

    def __init__(self, title: str, text: str, hint: str, yes: str, *, ready: bool = False) -> None:
        super().__init__()
        self._ready = ready
        self._title = title
        self._text = text
        self._hint = hint
        self._yes = yes

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = self._title
            yield Static(_lines(self._text, WIDTH), classes="dialog--text", markup=False)
            yield Static(_lines(self._hint, WIDTH), classes="dialog--hint", markup=False)
            with Horizontal(classes="buttons"):
                yield Button(self._yes, id="yes", compact=True)
                yield Button(t("new.cancel"), id="no", compact=True)

    def on_mount(self) -> None:
        self.query_one("#yes" if self._ready else "#no").focus()

    def pressed(self, button: str) -> None:
        self.dismiss(button == "yes")

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


class QuitScreen(Dialog[str]):
    """Gives `background`, `stop`, or nothing where the person stays. A run with a person in it cannot go on without
    him."""

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

    def pressed(self, button: str) -> None:
        self.dismiss(button if button != "stay" else None)

    def action_confirm(self) -> None:
        self.query(Button).first().press()


class ProgressScreen(ModalScreen[None]):
    """A bar; whoever pushed the screen takes it away."""

    CSS_PATH = "dialog.tcss"

    class Updated(Message):
        """So much is done; `total` None means unknown."""

        def __init__(self, what: str, done: int, total: int | None) -> None:
            super().__init__()
            self.what = what
            self.done = done
            self.total = total

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, ProgressScreen.Updated)

    def tell(self, what: str, done: int, total: int | None) -> None:
        """So much is done; may be called by any thread."""
        self.post_message(self.Updated(what, done, total))

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

    def on_progress_screen_updated(self, event: Updated) -> None:
        self.query_one(ProgressBar).update(total=event.total, progress=event.done)
        keys = (f"{table}.{event.what}" for table in ("corpus_screen.shelf", "progress.what"))
        words = next((t(key) for key in keys if known(key)), one(translated(event.what)))
        self.query_one("#what", Static).update(words)


ROOM = 68
"""Cells of a line of text on a screen of 80 columns, beside frame and scrollbar (help.tcss)."""
KEY = 8
"""Cells before what a key does."""


def help_id(focused: Widget | None, screen: Screen[object]) -> str:
    """The nearest thing that has help, from the focused widget outwards."""
    node = focused
    while node is not None:
        name = getattr(node, "about", "") or getattr(node, "help_id", "")
        if name:
            return str(name)
        node = node.parent if isinstance(node.parent, Widget) else None
    return str(getattr(screen, "help_id", "runs"))


def _lines(text: str, room: int) -> str:
    """The text broken into lines as Chinese typesetting wants; Textual would break it at its blanks only."""
    return "\n".join(line[a:b] for line in text.split("\n") for a, b in wrap(line, room))


class HelpScreen(ModalScreen[None]):
    """Prose and a table of keys."""

    CSS_PATH = ["dialog.tcss", "help.tcss"]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,q,enter", "close", "close", show=False, id="help.close", tooltip="key.close.tip")
    ]

    def __init__(self, screen: Screen[object], focused: Widget | None) -> None:
        super().__init__()
        self._about = help_id(focused, screen)
        self._areas = areas_of(screen)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = t("help.title", pane=t(f"help.{self._about}.title"))
            box.border_subtitle = t("help.close")
            with VerticalScroll():
                if known(f"help.{self._about}"):
                    yield Static(_lines(t(f"help.{self._about}"), ROOM), classes="dialog--text", markup=False)
                for area in self._areas:
                    yield Static(t(f"help.area.{area}"), classes="help--area", markup=False)
                    yield Static(self._keys(area), classes="help--keys")

    def _keys(self, area: str) -> Text:
        text = Text(end="")
        for number, key in enumerate(KEYS[area]):
            if number:
                text.append("\n")
            text.append(pad(key.shown, KEY), "bold")
            text.append(_lines(key.tip, ROOM - KEY).replace("\n", "\n" + " " * KEY))
        return text

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def action_close(self) -> None:
        self.dismiss()


class ProblemScreen(Dialog[None]):
    """A title, a hint, one button."""

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
