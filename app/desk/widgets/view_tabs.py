"""On a narrow screen one pane is shown at a time: this line says which, and a click chooses."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from app.desk.widgets.ink import ink
from app.strings import t
from app.terminal import width

VIEWS = ("record", "plan", "evidence")
"""Ids of the panes, in the order in which `v` goes through them."""
GAP = 3
"""Cells between two names."""


class ViewTabs(Widget):
    """One line of names."""

    COMPONENT_CLASSES = {"view-tabs--on", "view-tabs--off"}
    DEFAULT_CSS = """
    ViewTabs {
        height: 1;
        padding: 0 1;
        background: $surface;
        & > .view-tabs--on { color: $text-accent; text-style: bold underline; }
        & > .view-tabs--off { color: $foreground 65%; }
    }
    """

    class Chosen(Message):
        """A pane was chosen."""

        def __init__(self, tabs: ViewTabs, index: int) -> None:
            super().__init__()
            self.tabs = tabs
            self.index = index

        @property
        def control(self) -> ViewTabs:
            """The tabs, so that a screen may have several."""
            return self.tabs

    def __init__(self, names: Sequence[str] = VIEWS, prefix: str = "view", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._names = tuple(names)
        self._prefix = prefix
        self._at = 0

    def offer(self, names: Sequence[str], prefix: str = "view") -> None:
        """Other tabs from now on."""
        self._names, self._prefix = tuple(names), prefix
        self.refresh()

    def show(self, index: int) -> None:
        """This pane is shown."""
        self._at = index
        self.refresh()

    def render(self) -> Text:
        text = Text(no_wrap=True, end="")
        for index, name in enumerate(self._names):
            if index:
                text.append(" " * GAP)
            style = "view-tabs--on" if index == self._at else "view-tabs--off"
            text.append(t(f"{self._prefix}.{name}"), ink(self, style))
        return text

    def on_click(self, event: Click) -> None:
        x = event.get_content_offset_capture(self).x
        at = 0
        for index, name in enumerate(self._names):
            end = at + width(t(f"{self._prefix}.{name}"))
            if at <= x < end:
                self.post_message(self.Chosen(self, index))
            at = end + GAP
