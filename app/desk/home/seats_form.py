"""Who sits beside the tested seat, as lines of a form that is folded until somebody asks: rules, unless another is
chosen."""

from __future__ import annotations

from collections.abc import Sequence

from textual.widgets import Collapsible, Select

from app.desk.engines_offered import Offer
from app.desk.episode.renderers import one, policy_name, seat_name
from app.desk.widgets.engine_field import ROOM
from app.desk.widgets.field import Field, choice, plain
from app.strings import t
from app.terminal import truncate
from tasks.benchmark import Benchmark, Choices

RULES = "rules"


class SeatsForm(Collapsible):
    """The seats of one benchmark beside the tested one; `values` reads them."""

    DEFAULT_CSS = """
    SeatsForm { border: none; padding: 0; background: transparent; & > Contents { padding: 0; } }
    """

    def __init__(self, bench: Benchmark) -> None:
        self.bench = bench
        self._fields = {
            role: Field(seat_name(role), choice(_among(who), None, RULES), id=f"{bench.name}-{role}-seat-field")
            for role, who in bench.roles.items()
            if len(who) > 1
        }
        super().__init__(*self._fields.values(), title=t("new.seats"), collapsed=True)

    def offer(self, offers: Sequence[Offer]) -> None:
        """Engines that can be had, for every seat that a model may take; what was chosen stays chosen."""
        models = [(truncate(one(offer.label), ROOM), offer.spec) for offer in offers]
        for role, field in self._fields.items():
            if "model" in self.bench.roles[role]:
                select = field.query_one(Select)
                kept = select.value
                select.set_options(plain([*_among(self.bench.roles[role]), *models]))
                select.value = kept

    def values(self) -> dict[str, str]:
        """Role -> who sits there, where that is not the rules."""
        chosen = {role: field.query_one(Select).value for role, field in self._fields.items()}
        return {role: value for role, value in chosen.items() if isinstance(value, str) and value != RULES}


def _among(who: Choices) -> list[tuple[str, str]]:
    return [(policy_name(name), name) for name in who if name != "model"]
