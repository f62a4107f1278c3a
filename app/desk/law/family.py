"""The laws around one: what it interprets, implements, amends or repeals, and what does so to it, each with its
basis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.cli.law_words import Kin
from app.desk.episode.renderers import Line, one
from app.desk.law.events import STATES
from app.desk.law.shelf import Family
from app.desk.widgets.choice import Choice
from app.desk.widgets.lines import Row, wrapped
from app.strings import t

LONGEST_BASIS = 90
"""Characters of the words behind a relation."""


class FamilyView(Choice):
    """A tree of one level: kinds of relation, under each its laws; one can be taken to be read."""

    help_id = "law_family"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.family: Family | None = None
        self._kin: list[Kin] = []
        self._said: tuple[Line, ...] = ()

    @property
    def count(self) -> int:
        """How many laws there are."""
        return len(self._kin)

    @property
    def chosen(self) -> Kin | None:
        """The law at the cursor."""
        return self._kin[self.cursor] if 0 <= self.cursor < self.count else None

    def show(self, family: Family | None, said: tuple[Line, ...] = ()) -> None:
        """Show a family; None: say what is going on instead."""
        self.family, self._said = family, said
        self._kin = [kin for found in family.kin.values() for kin in found] if family else []
        self.cursor = 0 if self._kin else -1
        self.rebuild()
        self.scroll_home(animate=False, immediate=True)

    def build(self, width: int) -> Iterable[Row]:
        """The law, then kind by kind."""
        if self.family is None:
            lines: Iterable[Line] = self._said
        else:
            lines = [((f"《{one(self.family.law)}》", "question"),)]
            if not self._kin:
                lines = [*lines, ((t("law.no_family"), "dim"),)]
        for line in lines:
            yield from (Row(tuple(row)) for row in wrapped(line, width))
        owner = 0
        groups = list(self.family.kin.items()) if self.family else []
        for place, (kind, kin) in enumerate(groups):
            last = place == len(groups) - 1
            branch: Line = (("└─ " if last else "├─ ", "rule"), (t(f"law.relation.{kind}", n=len(kin)), "label"))
            yield Row(branch)
            stem = "   " if last else "│  "
            for number, found in enumerate(kin, 1):
                yield from _rows(found, stem, number == len(kin), width, owner)
                owner += 1


def _rows(kin: Kin, stem: str, last: bool, width: int, owner: int) -> Iterator[Row]:
    """A law with its state and what says so; the lines of the tree go on beside all its rows."""
    basis = one(kin.basis)
    shown = f"{basis[:LONGEST_BASIS]}…" if len(basis) > LONGEST_BASIS else basis
    line = ((one(kin.name), "text"), (f"　{kin.word}", STATES.get(kin.state, "dim")), (f"　〔{shown}〕", "dim"))
    first = f"{stem}{'└─ ' if last else '├─ '}"
    then = f"{stem}{'   ' if last else '│  '}"
    for row in wrapped(line, max(8, width - len(first))):
        yield Row(((first, "rule"), *row), owner)
        first = then
