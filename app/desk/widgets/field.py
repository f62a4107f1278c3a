"""A line of a form: what is asked, where it is answered, and beside it a hint or what is wrong with the answer."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input, Label, Select, Static

from app.desk.plain import LONGEST_FIELD, LineInput
from app.strings.sentences import said


class Field(Horizontal):
    """A label, a control and room for one sentence. A fault is shown until the answer changes."""

    DEFAULT_CSS = """
    Field {
        height: auto;
        width: 1fr;
        & > .field--label { width: 12; color: $text-muted; padding: 0 1 0 0; }
        &.-at > .field--label { color: $text-accent; text-style: bold; }
        & Select { width: 1fr; }
        & Input { width: 1fr; padding: 0 1 0 0; background: $panel; color: $foreground; }
        & SelectCurrent { background: $panel; }
        & SelectOverlay:focus > .option-list--option-highlighted {
            background: $accent; color: $background; text-style: bold;
        }
        & Input:focus, & Select:focus SelectCurrent { background: $accent 25%; background-tint: $background 0%; }
        & > .field--note { width: 1fr; height: auto; padding: 0 0 0 1; color: $text-muted; }
        &.-wide > .field--note { display: none; padding: 0 0 0 12; }
        &.-wide { layout: grid; grid-size: 2; grid-columns: 12 1fr; grid-rows: auto; height: auto; }
        &.-wide > .field--note { column-span: 2; }
        &.-short Input { width: 12; }
        &.-bad > .field--note { display: block; color: $text-error; }
        &.-bad > .field--label { color: $text-error; }
    }
    """

    def __init__(self, label: str, control: Widget, *, note: str = "", id: str, short: bool = False) -> None:
        """Make the line.

        Args:
            label: what is asked.
            control: where it is answered.
            note: a hint beside a short control.
            id: name of the line.
            short: whether the control is a number, so that the note fits beside it; else a fault stands below.
        """
        super().__init__(id=id, classes="-short" if short else "-wide")
        self.control = control
        self._label = label
        self._note = note

    def compose(self) -> ComposeResult:
        yield Label(self._label, classes="field--label", markup=False)
        yield self.control
        yield Static(self._note, classes="field--note", markup=False)

    def relabel(self, label: str) -> None:
        """Ask in other words."""
        self._label = label
        self.query_one(".field--label", Label).update(label)

    def fault(self, sentence: str) -> None:
        """Say what is wrong ('' = nothing)."""
        self.set_class(bool(sentence), "-bad")
        self.query_one(".field--note", Static).update(said(sentence) or self._note)

    def on_descendant_focus(self) -> None:
        self.add_class("-at")

    def on_descendant_blur(self) -> None:
        self.remove_class("-at")

    @property
    def bad(self) -> bool:
        """Whether a fault is shown."""
        return self.has_class("-bad")

    def on_input_changed(self) -> None:
        self.fault("")

    def on_select_changed(self) -> None:
        self.fault("")


def plain(options: Iterable[tuple[str, str]]) -> list[tuple[Text, str]]:
    """Options of a list as shown: no markup, and found by typing (Textual looks in `Text`, not in `Content`)."""
    return [(Text(text), value) for text, value in options]


def choice(options: list[tuple[str, str]], name: str | None, value: str | None = None) -> Select[str]:
    """A compact drop-down list of (text, value); texts are never markup."""
    known = [chosen for _, chosen in options]
    shown = plain(options)
    if value in known:
        return Select(shown, allow_blank=False, id=name, compact=True, value=value)
    return Select(shown, allow_blank=not options, id=name, compact=True)


def line(name: str, value: str = "", placeholder: str = "") -> Input:
    """A compact line of text."""
    return LineInput(value, id=name, placeholder=placeholder, max_length=LONGEST_FIELD)
