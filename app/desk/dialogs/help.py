"""F1: what the focused pane is for, and every key that works there."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

from app.desk.bindings import KEYS
from app.strings import known, t
from app.terminal import pad
from app.wrapping import wrap

ROOM = 68
"""Cells of a line of text on a screen of 80 columns, beside frame and scrollbar (help.tcss)."""
KEY = 8
"""Cells before what a key does."""

AREAS: dict[str, tuple[str, ...]] = {
    "transcript": ("transcript", "episode", "app"),
    "plan": ("pane", "episode", "app"),
    "evidence": ("pane", "episode", "app"),
    "scores": ("scores", "episode", "app"),
    "grounds": ("grounds", "law_choice", "app"),
    "programme": ("programme", "episode", "app"),
    "file": ("pane", "episode", "app"),
    "exhibits": ("pane", "episode", "app"),
    "document": ("pane", "episode", "app"),
    "court": ("transcript", "episode", "app"),
    "court_answer": ("answer", "app"),
    "prompt": ("prompt", "transcript", "app"),
    "presenter": ("presenter",),
    "presenter_answer": ("answer", "presenter"),
    "presenter_seat": ("presenter_seat",),
    "find": ("find", "app"),
    "answer": ("answer", "app"),
    "runs": ("home", "app"),
    "packs": ("home", "app"),
    "episodes": ("run", "app"),
    "plots": ("pane", "run", "app"),
    "board": ("board", "app"),
    "compared": ("compare", "pane", "app"),
    "compared_steps": ("compare_steps", "pane", "app"),
    "dialog": ("dialog",),
    "new_run": ("dialog",),
    "seat": ("dialog",),
    "models": ("models", "app"),
    "law": ("law", "app"),
    "law_box": ("law_box", "app"),
    "law_hits": ("law_choice", "law", "app"),
    "law_article": ("pane", "law", "app"),
    "law_timeline": ("law_choice", "law", "app"),
    "law_diff": ("pane", "law", "app"),
    "review": ("review", "law_choice", "app"),
    "review_score": ("law_choice", "review", "app"),
    "review_record": ("pane", "review", "app"),
    "review_reference": ("pane", "review", "app"),
    "review_form": ("review_form", "app"),
    "review_path": ("dialog",),
    "review_task": ("law_choice", "review", "app"),
    "add_model": ("dialog",),
    "check_model": ("dialog",),
}
"""What may be focused -> the areas of keys that work there."""


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

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = t("help.title", pane=t(f"help.{self._about}.title"))
            box.border_subtitle = t("help.close")
            with VerticalScroll():
                if known(f"help.{self._about}"):
                    yield Static(_lines(t(f"help.{self._about}"), ROOM), classes="dialog--text", markup=False)
                for area in AREAS.get(self._about, ("app",)):
                    yield Static(t(f"help.area.{area}"), classes="help--area", markup=False)
                    yield Static(self._keys(area), classes="help--keys")

    def _keys(self, area: str) -> Text:
        """Key and sentence, one a line."""
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
