"""What is wrong with the versions of a law: its life with the holes, then what the check found and what to do about
it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import ClassVar

from textual.binding import BindingType

from app.cli.law_words import finding_data
from app.desk.bindings import bindings
from app.desk.episode.renderers import Line, one
from app.desk.law.bar import FULL, HOLE, law_bar, with_years, years_width
from app.desk.law.shelf import Faults
from app.desk.widgets.lines import LineView, Row, wrapped
from app.strings import t
from store.statutes.names import short_name

TONES = {"certain": "bad", "likely": "warn", "possible": "dim"}
HANG = 4


class FaultsView(LineView):
    """Shows the findings about one law."""

    help_id = "law_faults"
    BINDINGS: ClassVar[list[BindingType]] = bindings("pane")

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.faults: Faults | None = None
        self._said: tuple[Line, ...] = ()

    def show(self, faults: Faults | None, said: tuple[Line, ...] = ()) -> None:
        """Show findings; None: say what is going on instead."""
        self.faults, self._said = faults, said
        self.rebuild()
        self.scroll_home(animate=False, immediate=True)

    def build(self, width: int) -> Iterable[Row]:
        """The life of the law, then kind by kind."""
        lines = self._said if self.faults is None else _lines(self.faults, width)
        for line in lines:
            hang = HANG if line and line[0][0].startswith("  ") else 0
            yield from (Row(tuple(row)) for row in wrapped(line, width, hang))


def _lines(faults: Faults, room: int) -> Iterator[Line]:
    law = one(short_name(faults.law.name))
    yield (
        (law, "question"),
        (f"　{t('law_screen.faults_head', versions=faults.versions, n=len(faults.findings))}", "dim"),
    )
    if faults.life is not None:
        yield tuple(with_years(law_bar(faults.life, min(40, max(8, room - years_width(faults.life)))), faults.life))
        legend = [(f"{FULL} ", "label"), (t("law_screen.legend.any"), "dim")]
        yield (*legend, (f"　{HOLE} ", "bad"), (t("law_screen.legend.hole"), "dim"))
    yield (("─" * room, "rule"),)
    if not faults.findings:
        yield (("✔ ", "good"), (t("law.sound"), "good"))
    for kind, found in groupby(faults.findings, key=lambda finding: finding.kind):
        mine = list(found)
        yield ((t(f"law.kind.{kind}"), "label"), (f" {len(mine)}", "dim"))
        for finding in mine:
            data = finding_data(finding)
            tone = TONES[finding.sure]
            yield (("  ● ", tone), (f"{data['certainty']}　", tone), (one(data["what"]), "text"))
        yield (("  → ", "label"), (t(f"law.todo.{kind}"), "dim"))
