"""What a screen says when there is nothing to show: what this place is for and what to do next."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static


class Empty(Vertical):
    """A title and a few sentences, in the middle."""

    DEFAULT_CSS = """
    Empty {
        align: center middle;
        height: 1fr;
        & > .empty--title { width: 1fr; text-align: center; color: $text-accent; text-style: bold; margin-bottom: 1; }
        & > .empty--text { width: 1fr; text-align: center; color: $text-muted; }
    }
    """

    def __init__(self, title: str = "", text: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        yield Static(self._title, classes="empty--title", markup=False)
        yield Static(self._text, classes="empty--text", markup=False)

    def say(self, title: str, text: str) -> None:
        """Say something else."""
        self.query_one(".empty--title", Static).update(title)
        self.query_one(".empty--text", Static).update(text)
