"""A line of a form: what is asked, where it is answered, and beside it a hint or what is wrong with the answer."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Paste
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input, Label, Select, Static, TextArea

from app.strings import t
from app.strings.sentences import translated
from app.terminal import clean

MOST = 5000
"""Names of a folder that are looked at."""


class PathCompletion(Suggester):
    """Suggests folders, and files that end in `suffix`. Folders are listed in a thread, never on the screen's own."""

    def __init__(self, suffix: str) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._suffix = suffix

    async def get_suggestion(self, value: str) -> str | None:
        return await asyncio.to_thread(complete, value, self._suffix) if value.strip() else None


def complete(value: str, suffix: str) -> str | None:
    """The typed beginning of a path, completed to the first name that fits; a leading `~` stays as typed."""
    head, tail = os.path.split(value)
    try:
        with os.scandir(Path(head or ".").expanduser()) as found:
            names = sorted(_names(found, tail, suffix))
    except (OSError, ValueError, RuntimeError):
        return None
    return os.path.join(head, names[0]) if names and names[0] != tail else None


def _names(found: Iterable[os.DirEntry[str]], tail: str, suffix: str) -> list[str]:
    names: list[str] = []
    for number, item in enumerate(found):
        if number >= MOST:
            break
        if not item.name.startswith(tail) or (item.name.startswith(".") and not tail.startswith(".")):
            continue
        if item.is_dir():
            names.append(item.name + os.sep)
        elif item.name.lower().endswith(suffix):
            names.append(item.name)
    return names


LONGEST_LINE = 400
"""Characters of a line that is searched for again with every key."""
LONGEST_FIELD = 5_000
"""Characters of a field: the longest path, and what stands around it in a SPEC."""
LONGEST_TEXT = 100_000
"""Characters of a text, above which a box is slow to type in."""


def read_no_markup() -> None:
    """From now on, in this process."""
    Widget.render_str = _as_it_is  # type: ignore[method-assign,assignment]


def _as_it_is(_: Widget, text_content: str | Content) -> Content:
    return text_content if isinstance(text_content, Content) else Content(text_content)


class LineInput(Input):
    """One line of text. What is pasted is cut to the room that is left, and says so."""

    def __init__(self, value: str | None = None, *, max_length: int = LONGEST_LINE, **options: Any) -> None:
        super().__init__(value, max_length=max_length, compact=True, **options)

    def _on_paste(self, event: Paste) -> None:
        event.stop()
        event.prevent_default()
        assert self.max_length is not None
        room = max(0, self.max_length - len(self.value) + len(self.selected_text))
        first = event.text[: room + 1].splitlines()[:1]
        for line in first:
            if len(line) > room:
                self.notify(t("paste.cut", n=f"{self.max_length:,}"), severity="warning", markup=False)
            self.replace(clean(line, multiline=False)[:room], *self.selection)


class LongText(TextArea):
    """Lines of text. What is pasted keeps its lines, loses what would act on a terminal, and is cut as there."""

    async def _on_paste(self, event: Paste) -> None:
        event.stop()
        event.prevent_default()
        room = max(0, LONGEST_TEXT - len(self.text) + len(self.selected_text))
        if len(event.text) > room:
            self.notify(t("paste.cut", n=f"{LONGEST_TEXT:,}"), severity="warning", markup=False)
        await super()._on_paste(Paste(clean(event.text[:room])[:room]))


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
        self._label = label
        self.query_one(".field--label", Label).update(label)

    def fault(self, sentence: str) -> None:
        """Say what is wrong ('' = nothing)."""
        self.set_class(bool(sentence), "-bad")
        self.query_one(".field--note", Static).update(translated(sentence) or self._note)

    def on_descendant_focus(self) -> None:
        self.add_class("-at")

    def on_descendant_blur(self) -> None:
        self.remove_class("-at")

    @property
    def bad(self) -> bool:
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
