"""The bottom line: which keys do what here and now. A click does the same as the key."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.dom import DOMNode
from textual.events import Click
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from app.desk.bindings import KEYS, TYPING, Key, bar_keys
from app.desk.widgets.lines import ink
from app.strings import t
from app.terminal import width

ESSENTIAL = ("help", "quit")
"""Keys that are always there, however narrow the window."""


def areas_of(screen: Screen[object]) -> list[str]:
    """The areas of the keys that work now, from the focused widget outwards; where one types, letters are text."""
    bound = ((one.binding.id or "").partition(".")[0] for one in screen.active_bindings.values())
    found = list(dict.fromkeys(area for area in bound if area in KEYS))
    return [found[0], found[-1]] if len(found) > 1 and found[0] in TYPING else found


class KeyBar(Widget):
    """Keys of the given areas; those that have no meaning at the moment are dim or absent. While a dialog lies over
    the screen, the keys of the dialog.

    `also` are keys of these areas without a place of their own: they are shown before those that are always there,
    while there is room.
    """

    COMPONENT_CLASSES = {"key-bar--key", "key-bar--off"}
    DEFAULT_CSS = """
    KeyBar {
        height: 1;
        background: $panel;
        color: $foreground;
        padding: 0 1;
        & > .key-bar--key { color: $text-accent; text-style: bold; }
        & > .key-bar--off { color: $foreground 40%; }
    }
    """

    def __init__(self, areas: Sequence[str], *, also: Sequence[str] = (), id: str | None = None) -> None:
        super().__init__(id=id)
        self._areas = tuple(areas)
        self._also = tuple(also)
        self._spans: list[tuple[int, int, Key, str]] = []

    def on_mount(self) -> None:
        self.app.screen_change_signal.subscribe(self, lambda screen: self.refresh())

    def areas(self, *areas: str) -> None:
        self._areas = areas
        self.refresh()

    def render(self) -> Text:
        keys = self._fitting(self.content_size.width)
        text = Text(no_wrap=True, end="")
        self._spans = []
        on = ink(self, "key-bar--key")
        off = ink(self, "key-bar--off")
        for key, area in keys:
            if text:
                text.append("  ")
            start = width(text.plain)
            enabled = self._enabled(key)
            text.append(key.shown, on if enabled else off)
            text.append(f" {key.label}", "" if enabled else off)
            self._spans.append((start, width(text.plain), key, area))
        return text

    def _fitting(self, room: int) -> list[tuple[Key, str]]:
        areas = self._areas if self._top is self.screen else [one for one in areas_of(self._top) if one != "app"]
        keys = [pair for pair in bar_keys(*areas) if self._check(pair[0]) is not False]
        if any(area in TYPING for area in areas[:1]):
            keys = [pair for pair in keys if len(pair[0].keys.split(",")[0]) > 1]
        extra = [(key, area) for area in areas for key in KEYS[area] if key.id in self._also]
        place = next((index for index, (_, area) in enumerate(keys) if area == "app"), len(keys))
        keys[place:place] = extra
        while keys and sum(width(key.shown) + width(key.label) + 3 for key, _ in keys) - 2 > room:
            spare = [pair for pair in keys if pair[0].id not in ESSENTIAL]
            if not spare:
                break
            keys.remove(next((pair for pair in reversed(keys) if pair in extra), spare[-1]))
        return keys

    @property
    def _top(self) -> Screen[object]:
        return self.app.screen

    def _check(self, key: Key) -> bool | None:
        return self._top.check_action(key.action.split("(")[0], ())

    def _enabled(self, key: Key) -> bool:
        return self._check(key) is True

    async def on_click(self, event: Click) -> None:
        x = event.get_content_offset_capture(self).x
        for start, end, key, area in self._spans:
            if start <= x < end and self._enabled(key):
                await self.app.run_action(key.action, self._target(area))

    def _target(self, area: str) -> DOMNode:
        if area == "app":
            return self.app
        around = self.screen.focused.ancestors_with_self if self.screen.focused else []
        return next((node for node in around if getattr(node, "help_id", "") == area), self.screen)


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

    class TabActivated(Message):
        """A pane was chosen."""

        def __init__(self, tabs: ViewTabs, index: int) -> None:
            super().__init__()
            self.tabs = tabs
            self.index = index

        @property
        def control(self) -> ViewTabs:
            return self.tabs

    def __init__(self, names: Sequence[str] = VIEWS, prefix: str = "view", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._names = tuple(names)
        self._prefix = prefix
        self._at = 0

    def offer(self, names: Sequence[str], prefix: str = "view") -> None:
        self._names, self._prefix = tuple(names), prefix
        self.refresh()

    def show(self, index: int) -> None:
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
                self.post_message(self.TabActivated(self, index))
            at = end + GAP
