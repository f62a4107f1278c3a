"""No text of the desk is markup, wherever it came from: what a pack, a run or a person wrote cannot colour the
screen, break it, or do something when it is clicked.

Textual reads titles of frames and whatever else it makes of a bare string as markup; here a string is what it says.
Whoever wants colours gives `Content` or `Text`. Lines that are typed or pasted have a largest length, in characters.
"""

from __future__ import annotations

from typing import Any

from textual.content import Content
from textual.events import Paste
from textual.widget import Widget
from textual.widgets import Input, TextArea

from app.strings import t
from app.terminal import clean

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
