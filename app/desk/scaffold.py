"""Screens of panes: a title line, panes with titles, the key bar, and when all of it is shown anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Label

from app.desk.jobs import OnDesk
from app.desk.widgets.key_bar import KeyBar
from app.desk.widgets.lines import LineView
from app.strings import t
from app.terminal import truncate


class PanesScreen(OnDesk, Screen[None]):
    """Panes between a title line and the key bar. What they show is made of the state by `show`, again whenever the
    state, the size or the language changes."""

    area: ClassVar[str]
    """Area of its keys."""
    FIRST: ClassVar[str]
    """Selector of what has the cursor at first."""
    TITLES: ClassVar[Mapping[str, str]] = {}
    """Selector of a pane -> key of its title."""
    ALSO: ClassVar[Sequence[str]] = ()
    """Keys without a place in the key bar that are there while there is room."""
    ABSENT: ClassVar[frozenset[str]] = frozenset()
    """Actions that are left out where they make no sense; others are dim then."""

    def panes(self) -> ComposeResult:
        """What stands between title and key bar."""
        raise NotImplementedError

    def show(self) -> None:
        """Show the state."""
        raise NotImplementedError

    def reload(self) -> None:
        """Read what may have changed while another screen was shown."""

    def possible(self) -> Mapping[str, object]:
        """Actions that do not always make sense -> whether they do now."""
        return {}

    def compose(self) -> ComposeResult:
        yield Label("", id="title", markup=False)
        yield from self.panes()
        yield KeyBar((self.area, "app"), also=self.ALSO, id="keys")

    def on_mount(self) -> None:
        self.retranslate()
        self.query_one(self.FIRST).focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self.show)

    def on_screen_resume(self) -> None:
        self.reload()

    def retranslate(self) -> None:
        """All words in the current language."""
        for selector, key in self.TITLES.items():
            self.query_one(selector).border_title = t(key)
        self.show()

    def show_title(self, *words: str) -> None:
        """The title line, and which keys make sense."""
        self.query_one("#title", Label).update(truncate(" · ".join(words), max(20, self.size.width - 2)))
        self.query_one(KeyBar).refresh()

    def action_wide(self) -> None:
        """The pane with the focus alone, or all of them again."""
        if self.maximized is not None:
            self.minimize()
        elif isinstance(self.focused, LineView):
            self.maximize(self.focused)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if self.possible().get(action, True):
            return True
        return False if action in self.ABSENT else None
