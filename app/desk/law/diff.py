"""Two wordings of an article side by side, by words and numerals, with their days and labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType

from app.desk.bindings import bindings
from app.desk.episode.renderers import Line, one
from app.desk.law.events import days_words
from app.desk.widgets.beside import aligned, beside
from app.desk.widgets.lines import LineView, Row, wrapped
from app.strings import t
from app.terminal import clean
from store.statutes.timeline import Entry
from store.text.difference import MARKS, difference
from store.text.difference import Piece as Run


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two entries of a timeline and what differs; `sides` are their places in it."""

    law: str
    old: Entry
    new: Entry
    sides: tuple[int, int]
    runs: tuple[Run, ...]
    uncertain: bool

    @property
    def same(self) -> bool:
        """Whether the words are the same."""
        return all(run.kind == "same" for run in self.runs)


def compare(law: str, entries: Sequence[Entry], sides: tuple[int, int]) -> Comparison:
    """Compare two entries that have texts."""
    old, new = entries[sides[0]], entries[sides[1]]
    assert old.article is not None and new.article is not None
    runs = tuple(difference(clean(old.article.text or ""), clean(new.article.text or "")))
    between = entries[min(sides) + 1 : max(sides) + 1]
    return Comparison(law, old, new, sides, runs, any(entry.uncertain for entry in between))


def comparable(entries: Sequence[Entry]) -> list[int]:
    """Places of the entries whose words are known."""
    return [
        place for place, entry in enumerate(entries) if entry.article is not None and entry.article.text is not None
    ]


def first_sides(entries: Sequence[Entry], place: int) -> tuple[int, int] | None:
    """The wording at a place against the one before it; where none is before, against the one after."""
    known = comparable(entries)
    if len(known) < 2:
        return None
    at = max((n for n in known if n <= place), default=known[0])

    def words(n: int) -> str:
        article = entries[n].article
        return article.text or "" if article else ""

    earlier = [n for n in known if n < at]
    later = [n for n in known if n > at]
    before = next((n for n in reversed(earlier) if words(n) != words(at)), None)
    after = next((n for n in later if words(n) != words(at)), None)
    if before is not None:
        return before, at
    if after is not None:
        return at, after
    return (earlier[-1], at) if earlier else (at, later[0])


class DiffView(LineView):
    """Shows a comparison."""

    help_id = "law_diff"
    BINDINGS: ClassVar[list[BindingType]] = bindings("pane")

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.comparison: Comparison | None = None
        self._said: tuple[Line, ...] = ()

    def show(self, comparison: Comparison | None, said: tuple[Line, ...] = ()) -> None:
        """Show two wordings, or why there are none."""
        self.comparison, self._said = comparison, said
        self.rebuild()
        self.scroll_home(animate=False, immediate=True)

    def build(self, width: int) -> Iterable[Row]:
        """Heads of both sides, then sentence by sentence."""
        found = self.comparison
        if found is None:
            for line in self._said:
                yield from (Row(tuple(row)) for row in wrapped(line, width))
            return
        column = (width - 3) // 2
        yield from beside(_head(found, "old"), _head(found, "new"), column)
        yield Row((("─" * (column + 1) + "┼" + "─" * (width - column - 2), "rule"),))
        notes: list[Line] = [((t("law.uncertain"), "warn"),)] if found.uncertain else []
        notes.append(_summary(found))
        for note in notes:
            yield from (Row(tuple(row)) for row in wrapped(note, width))
        yield Row((("─" * (column + 1) + "┬" + "─" * (width - column - 2), "rule"),))
        for left, right in aligned(found.runs):
            yield from beside(left, right, column)


def _head(found: Comparison, side: str) -> list[Line]:
    entry = found.old if side == "old" else found.new
    version, article = entry.version, entry.article
    assert article is not None
    days = days_words(version.valid_from, version.valid_to)
    return [
        ((f"{t(f'law_screen.side.{side}')}　", "removed" if side == "old" else "added"), (days, "question")),
        ((one(version.label), "dim"),),
        ((article.number.chinese, "label"), (f"　{one(article.title)}".rstrip("　"), "text")),
    ]


def _summary(found: Comparison) -> Line:
    if found.same:
        return ((t("law.same"), "good"),)
    counts = {
        kind: sum(len("".join(run.text.split())) for run in found.runs if run.kind == kind)
        for kind in ("removed", "added")
    }
    return (
        (t("law_screen.removed", n=counts["removed"], begin=MARKS["removed"][0], end=MARKS["removed"][1]), "removed"),
        ("　", "dim"),
        (t("law_screen.added", n=counts["added"], begin=MARKS["added"][0], end=MARKS["added"][1]), "added"),
    )
