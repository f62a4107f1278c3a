"""Choosing an engine: a list of what is there, and a line for a SPEC typed by hand. Used wherever a model takes a
seat."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Select, Static

from app.desk.engines_offered import Offer
from app.desk.episode.renderers import one
from app.desk.widgets.field import Field, choice, line, plain
from app.strings import t
from app.terminal import truncate

TYPED = ""
"""The value of the list's last line: a SPEC is typed by hand."""
ROOM = 44
"""Cells of a line of the list."""


class EngineField(Vertical):
    """Gives a SPEC. What can be offered comes later, from a worker: `offer`."""

    DEFAULT_CSS = """
    EngineField {
        height: auto;
        width: 1fr;
        & #no-models { display: none; width: 1fr; height: auto; padding: 0 0 0 12; color: $text-muted; }
        &.-no-models #no-models { display: block; }
    }
    """

    def __init__(self, chosen: str = "", *, id: str = "engine") -> None:
        super().__init__(id=id)
        self._chosen = chosen
        self._offers: list[Offer] = []

    def compose(self) -> ComposeResult:
        yield Field(t("engine.field"), choice(self._options(), "offers"), id="offers-field")
        yield Field("", line("spec", self._chosen, t("engine.placeholder")), id="spec-field")
        yield Static(t("engine.empty"), id="no-models", markup=False)

    def on_mount(self) -> None:
        self._show()

    def _options(self) -> list[tuple[str, str]]:
        return [
            *((truncate(one(offer.label), ROOM), offer.spec) for offer in self._offers),
            (t("engine.typed"), TYPED),
        ]

    def offer(self, offers: Sequence[Offer]) -> None:
        """Put these in the list; what was chosen stays chosen."""
        self._offers = list(offers)
        select = self.query_one("#offers", Select)
        select.set_options(plain(self._options()))
        known = [offer.spec for offer in offers]
        self.set_class(not any(spec.startswith("llama:") for spec in known), "-no-models")
        typed = self.query_one("#spec", Input).value.strip()
        if typed in known:
            select.value = typed
        elif not typed and known:
            select.value = known[0]
        else:
            select.value = TYPED
        self._show()

    @property
    def spec(self) -> str:
        """The SPEC as it stands; '' while none is chosen."""
        chosen = self.query_one("#offers", Select).value
        return str(chosen) if isinstance(chosen, str) and chosen else self.query_one("#spec", Input).value.strip()

    @property
    def typed(self) -> bool:
        """Whether the SPEC is typed by hand."""
        return self.query_one("#offers", Select).value in (TYPED, Select.NULL)

    def fault(self, sentence: str) -> None:
        """Say what is wrong with the engine."""
        self.query_one("#spec-field" if self.typed else "#offers-field", Field).fault(sentence)

    def focus_control(self) -> None:
        """Put the cursor where the engine is chosen."""
        self.query_one("#spec" if self.typed else "#offers").focus()

    def on_select_changed(self) -> None:
        self._show()

    def _show(self) -> None:
        self.query_one("#spec-field").display = self.typed
