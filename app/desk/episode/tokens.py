"""Tokens of an episode: how unsure the model was at each, and what a trainer would make of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import Label
from textual.worker import Worker

from app.desk.bindings import bindings
from app.desk.episode.renderers import one
from app.desk.episode.token_view import TokenView, head_lines
from app.desk.messages import RunFacts
from app.desk.widgets.key_bar import KeyBar
from app.desk.widgets.text_pane import TextPane
from app.ports import OnDesk
from app.strings import t
from app.terminal import truncate
from tasks.episode.events import Record

if TYPE_CHECKING:
    from app.desk.episode.entropies import Tokens


class TokensScreen(OnDesk, Screen[None]):
    """A head, then the tokens; read in a worker."""

    CSS_PATH = "tokens.tcss"
    area = "tokens"
    help_id = "tokens"
    BINDINGS: ClassVar[list[BindingType]] = bindings("tokens")

    def __init__(self, facts: RunFacts, episode: str, records: Sequence[Record]) -> None:
        super().__init__()
        self.facts, self.episode, self.records = facts, episode, records
        self.tokens: Tokens | None = None
        self.listed = True

    def compose(self) -> ComposeResult:
        """Title, head, tokens, keys."""
        yield Label("", id="title", markup=False)
        yield TextPane(id="head")
        yield TokenView(id="tokens")
        yield KeyBar(("tokens", "app"), id="keys")

    def on_mount(self) -> None:
        """Read the run."""
        self.query_one(TokenView).focus()
        self.retranslate()
        self.run_worker(self._read, name="tokens", group="tokens", thread=True, exclusive=True, exit_on_error=False)

    def _read(self) -> Tokens:
        from app.desk.episode.entropies import read_tokens

        return read_tokens(self.facts, self.episode, self.records)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """The tokens, or why they cannot be read."""
        if not self.desk.worker_failed(event) and event.worker.result is not None:
            self.tokens = event.worker.result
            self.retranslate()

    def on_resize(self) -> None:
        """Another width fits."""
        self.call_after_refresh(self._title)

    def retranslate(self) -> None:
        """All words in the current language."""
        self._title()
        self.query_one("#head", TextPane).show(head_lines(self.tokens) if self.tokens else [])
        self.query_one(TokenView).show(self.tokens, self.listed)
        self.query_one(KeyBar).refresh()

    def _title(self) -> None:
        words = f"{t('tokens.title')} · {one(self.episode)}"
        self.query_one("#title", Label).update(truncate(words, max(20, self.size.width - 2)))

    def action_as_text(self) -> None:
        """As a list, or as the text they make."""
        self.listed = not self.listed
        self.retranslate()

    def action_leave(self) -> None:
        """Back to the record."""
        self.dismiss()
