"""Which engines a person can choose on the desk: models of the library, recorded runs, or any SPEC typed by hand.

Slow (files are read): called from workers. A damaged file is left out of the list, never a failure of the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Select, Static
from textual.widgets.select import InvalidSelectValueError

from app import library
from app.desk.episode.renderers import one, player_name
from app.desk.models.listing import models
from app.desk.widgets.field import Field, choice, line, plain
from app.library import RunLine
from app.strings import t
from app.terminal import truncate
from models.errors import BadEngine
from store.errors import MootError
from tasks.agents.modes import CALLS, MODES
from tasks.benchmark import Benchmark, benchmark
from tasks.run.cast import Cast
from tasks.run.engines import open_engine
from tasks.run.opened import check_calls
from tasks.run.spec import RunSpec

MOST_RUNS = 20
"""Recorded runs that are offered, newest first."""


@dataclass(frozen=True)
class EngineOption:
    """One engine to choose: its SPEC and how it is called in a list."""

    spec: str
    label: str


def offered(runs: Iterable[RunLine] | None = None) -> list[EngineOption]:
    """Models of the library by name, then recorded runs of models, newest first."""
    return [*_models(), *_recorded(library.runs() if runs is None else runs)]


def _models() -> list[EngineOption]:
    try:
        lines = models()
    except BadEngine:
        return []
    able = [line for line in lines if not line.fault and not line.is_embedding]
    able.sort(key=lambda line: line.entry.shipped)  # nobody measures the one for demonstration by not choosing
    return [EngineOption(f"llama:{line.name}", line.summary) for line in able]


def _recorded(runs: Iterable[RunLine]) -> list[EngineOption]:
    played = [line for line in runs if line.model and not line.error and line.finished][:MOST_RUNS]
    return [EngineOption(f"recorded:{line.id}", _run_label(line)) for line in played]


def _run_label(line: RunLine) -> str:
    try:
        when = f"{datetime.fromisoformat(line.created).astimezone():%m-%d %H:%M}"
    except ValueError:
        when = one(line.id)
    return t("engine.recorded", when=when, policy=player_name(line))


def refusal(spec: RunSpec) -> str:
    """Why those who sit in a run cannot play with their engines, in one sentence; '' when they can.

    The engines are opened, one after the other, and closed again.
    """
    try:
        cast = Cast.of(benchmark(spec.benchmark), spec)
        for wanted in cast.engines:
            engine = open_engine(wanted)
            try:
                check_calls([sits for sits in (cast.tested, *cast.others) if sits.engine == wanted], {wanted: engine})
            finally:
                engine.close()
    except MootError as error:
        return one(error.title)
    except OSError as error:
        return one(error.strerror or str(error))
    return ""


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

    def __init__(self, chosen: str = "", *, offers: Sequence[EngineOption] = (), id: str = "engine") -> None:
        super().__init__(id=id)
        self._chosen = chosen
        self._offers = list(offers)

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

    def offer(self, offers: Sequence[EngineOption]) -> None:
        self._offers = list(offers)
        select = self.query_one("#offers", Select)
        kept = select.value
        select.set_options(plain(self._options()))
        known = [offer.spec for offer in offers]
        self.set_class(not any(spec.startswith("llama:") for spec in known), "-no-models")
        typed = self.query_one("#spec", Input).value.strip()
        if kept in known:
            select.value = kept
        elif typed in known:
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
        return self.query_one("#offers", Select).value in (TYPED, Select.NULL)

    def fault(self, sentence: str) -> None:
        self.query_one("#spec-field" if self.typed else "#offers-field", Field).fault(sentence)

    def focus_control(self) -> None:
        self.query_one("#spec" if self.typed else "#offers").focus()

    def on_select_changed(self) -> None:
        self._show()

    def _show(self) -> None:
        self.query_one("#spec-field").display = self.typed


class ModeField(Field):
    """Gives a mode, and the fields of a RunSpec that say the same."""

    def __init__(self, chosen: str = MODES[0], *, id: str = "mode-field") -> None:
        super().__init__(t("new.mode"), choice(_options(MODES), "mode", chosen), id=id)
        self._preferred: str = MODES[0]

    def offer(self, bench: Benchmark, agent: str) -> None:
        """Offer the modes of this agent; what was chosen stays chosen where it can."""
        policy, _ = bench.agents.get(agent, ("", False))
        known = bench.modes(policy) or MODES[:1]
        select, kept = self._select, self.mode
        select.set_options(plain(_options(known)))
        select.value = kept if kept in known else known[0]

    def prefer(self, mode: str) -> None:
        """Take the mode that the chosen engine was trained for; with another engine it goes again."""
        before, self._preferred = self._preferred, mode
        if mode != before and (mode != MODES[0] or self.mode == before):
            with suppress(InvalidSelectValueError):
                self._select.value = mode

    @property
    def mode(self) -> str:
        value = self._select.value
        return value if isinstance(value, str) else MODES[0]

    @property
    def flags(self) -> dict[str, object]:
        return flags_of(self.mode)

    @property
    def _select(self) -> Select[str]:
        return self.query_one("#mode", Select)


def flags_of(mode: str) -> dict[str, object]:
    """The fields of a RunSpec that mean a mode."""
    calls = mode if mode in CALLS else CALLS[0]
    return {"paper": mode == "paper", "calls": calls}


def _options(modes: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(t(f"mode.{mode}"), mode) for mode in MODES if mode in modes]
