"""Two wordings of an article side by side, clause by clause, with their days and labels; colour alone shows what
differs.

What is gone has its colour on the left, what is new on the right; both sides can be read out as they stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual.binding import BindingType

from app.cli.law_words import clause_sides
from app.desk.bindings import bindings
from app.desk.episode.renderers import Line, one
from app.desk.law.events import days_words
from app.desk.law.shelf import Comparison
from app.desk.widgets.beside import ROLES, beside
from app.desk.widgets.lines import LineView, Row, wrapped
from app.strings import t
from store.statutes.comparing import Compared, Part, articles_of
from store.statutes.timeline import Entry
from store.text.alignment import squeezed


def comparable(entries: Sequence[Entry]) -> list[int]:
    """Places of the entries whose words are known."""
    return [
        place for place, entry in enumerate(entries) if entry.article is not None and entry.article.text is not None
    ]


def first_sides(entries: Sequence[Entry], place: int) -> tuple[int, int] | None:
    """The wording at a place against the one before it; where none is before, against the one after.

    A wording alone stands against the version after it, or before it, whose articles may have taken its words.
    """
    known = comparable(entries)
    if len(known) < 2:
        beside_it = [n for n in (known[0] + 1, known[0] - 1) if 0 <= n < len(entries)] if known else []
        near = next((n for n in beside_it if entries[n].change == "absent"), None)
        return None if near is None else (min(known[0], near), max(known[0], near))
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
        """Heads of both sides, then clause by clause."""
        comparison = self.comparison
        if comparison is None:
            for line in self._said:
                yield from (Row(tuple(row)) for row in wrapped(line, width))
            return
        found, column = comparison.found, (width - 3) // 2
        heads = (_head("old", comparison.old, found.old), _head("new", comparison.new, found.new))
        yield from beside(*heads, column)
        yield Row((("─" * (column + 1) + "┼" + "─" * (width - column - 2), "rule"),))
        notes: list[Line] = [((t("law.uncertain"), "warn"),)] if comparison.uncertain else []
        notes.append(_summary(found))
        for note in notes:
            yield from (Row(tuple(row)) for row in wrapped(note, width))
        yield Row((("─" * (column + 1) + "┬" + "─" * (width - column - 2), "rule"),))
        shown = ["", ""]
        for row in found.rows:
            sides: list[list[Line]] = [[], []]
            for at, (parts, own) in enumerate(((found.old, row.old), (found.new, row.new))):
                number = parts[own[0]].article.number.chinese if own and len(articles_of(parts)) > 1 else shown[at]
                sides[at].append(((number if number != shown[at] else " ", "label"),))
                shown[at] = number
            if all(side == [((" ", "label"),)] for side in sides):
                sides = [[], []]
            for side, pieces in clause_sides(row).items():
                line = tuple((one(piece.text), ROLES[piece.kind]) for piece in pieces)
                sides[side == "new"].append(line)
            yield from beside(sides[0], sides[1], column)


def _head(side: str, entry: Entry, parts: tuple[Part, ...]) -> list[Line]:
    version = entry.version
    numbers: list[Line] = [
        ((article.number.chinese, "label"), (f"　{one(article.title)}".rstrip("　"), "text"))
        for article in articles_of(parts)
    ]
    days = days_words(version.valid_from, version.valid_to)
    return [
        ((f"{t(f'law_screen.side.{side}')}　", "removed" if side == "old" else "added"), (days, "question")),
        ((one(version.label), "dim"),),
        *numbers,
    ]


def _summary(found: Compared) -> Line:
    if found.same:
        return ((t("law.same"), "good"),)
    counts = {
        kind: sum(len(squeezed(piece.text)) for row in found.rows for piece in row.pieces if piece.kind == kind)
        for kind in ("removed", "added")
    }
    removed, added = (t(f"law_screen.{kind}", n=count) for kind, count in counts.items())
    return ((removed, "removed"), ("　", "dim"), (added, "added"))
