"""Choosing how a model is asked (`tasks.agents.modes`); only modes that the method has."""

from __future__ import annotations

from contextlib import suppress

from textual.widgets import Select
from textual.widgets.select import InvalidSelectValueError

from app.desk.widgets.field import Field, choice, plain
from app.strings import t
from tasks.agents.modes import CALLS, MODES
from tasks.benchmark import Benchmark


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
        """The chosen mode."""
        value = self._select.value
        return value if isinstance(value, str) else MODES[0]

    @property
    def flags(self) -> dict[str, object]:
        """As a RunSpec says it."""
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
