"""The three panes of the corpus: the tree, rows that are read while one scrolls, and the record with its links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from app.desk.bindings import bindings
from app.desk.corpus.places import PAGE, BrowseState, TreeEntry, cell_text, column_name, shown_columns, what
from app.desk.episode.renderers import Piece, one
from app.desk.widgets.choice import Choice
from app.desk.widgets.lines import DisplayRow as Line
from app.desk.widgets.lines import ink, rows_of
from app.strings import t, term
from app.terminal import pad, truncate, width
from store.schema import UNKNOWN, Row
from tasks.legalagentbench.construct.tree import RecordLink

NARROWEST, WIDEST = 6, 30
"""Cells of a column."""


def tree_rows(entries: Sequence[TreeEntry], room: int) -> Iterator[Line]:
    """What can be opened, under its headings."""
    at = 0
    for entry in entries:
        if not entry.opens:
            yield Line(((one(entry.text), "label"),))
            continue
        number = str(entry.rows) if entry.dataset else ""
        space = max(4, room - width(number) - 2)
        role = "text" if entry.tool or entry.rows else "rule"
        yield Line(((f" {pad(truncate(one(entry.text), space), space)}", role), (number, "dim")), at)
        at += 1


class RowsView(Choice):
    """Rows of a place; only pages that are seen are asked for. The first line names the columns."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("corpus_rows")
    DEFAULT_CSS = """
    RowsView {
        background: $background;
        & > .rows--head { color: $text-accent; text-style: bold; }
        & > .rows--cursor { background: $accent 30%; color: $foreground; }
    }
    """
    heads = 1

    class PageRequested(Message):
        """A page is seen that was not read."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("corpus_rows", id=id)
        self.place: BrowseState | None = None
        self._pages: dict[int, Sequence[Row]] = {}
        self._asked: set[int] = set()
        self._first = 0

    def show(self, place: BrowseState, total: int, first: Sequence[Row]) -> None:
        if self.place is None or self.place.dataset != place.dataset:
            self._first = 0
        self.place, self.things = place, range(total)
        self._pages, self._asked = {place.cursor // PAGE: first}, {place.cursor // PAGE}
        self.rebuild()
        self.move_to(place.cursor)

    def rebuild(self) -> None:
        self._stale = False
        self.virtual_size = Size(self.room, self.count + self.heads)
        self.refresh()

    def own(self) -> tuple[int, int] | None:
        return self.cursor, self.cursor

    def thing_at(self, y: int) -> int:
        return y if 0 <= y < self.count else -1

    def take(self, place: BrowseState | None, number: int, rows: Sequence[Row]) -> None:
        if place is self.place:
            self._pages[number] = rows
            self.refresh()
            if number == self.cursor // PAGE:
                self.move_to(self.cursor)

    def row(self, index: int) -> Row | None:
        page = self._pages.get(index // PAGE)
        if page is None:
            if index // PAGE not in self._asked and 0 <= index < self.count:
                self._asked.add(index // PAGE)
                self.post_message(self.PageRequested(index // PAGE))
            return None
        return page[index % PAGE] if index % PAGE < len(page) else None

    def _columns(self, room: int) -> list[tuple[str, int]]:
        """The columns that fit, with their widths; the first stays when one goes to the right."""
        assert self.place is not None
        names = shown_columns(self.place)
        names = (names[0], *names[1 + self._first :])
        rows = [row for page in list(self._pages.values())[:2] for row in page[:40]]
        fit: list[tuple[str, int]] = []
        for name in names:
            widest = max((width(one(cell_text(row, name)[:60])) for row in rows), default=0)
            cells = min(max(widest, width(column_name(name)), NARROWEST), WIDEST)
            if fit and room < NARROWEST:
                break
            fit.append((name, min(cells, room)))
            room -= cells + 1
        if len(fit) == len(names) and room > 0:
            fit[-1] = (fit[-1][0], fit[-1][1] + room)
        return fit

    def render_line(self, y: int) -> Strip:
        room = self.scrollable_content_region.width
        base = self.rich_style
        text, style = "", base
        index = y - 1 + self.scroll_offset.y
        if self.place is not None and self.count and (y == 0 or index < self.count):
            columns = self._columns(room)
            if y == 0 or index == self.cursor:
                style = base + self.get_component_rich_style("rows--head" if y == 0 else "rows--cursor")
            row = None if y == 0 else self.row(index)
            if y == 0:
                cells = [self._head(name) for name, _ in columns]
            elif row is None:
                cells = ["…"]
            else:
                cells = [one(cell_text(row, name)[:200]) for name, _ in columns]
            text = " ".join(pad(truncate(cell, size), size) for cell, (_, size) in zip(cells, columns, strict=False))
        elif y == 0 and self.place is not None:
            text, style = t("corpus_screen.empty"), base + ink(self, "lines--dim")
        return Strip([Segment(text, style)]).adjust_cell_length(room, base)

    def _head(self, name: str) -> str:
        assert self.place is not None
        order = self.place.order
        return column_name(name) + ("" if order.column != name else "▼" if order.down else "▲")

    def action_column(self, by: int) -> None:
        if self.place is not None:
            self._first = min(max(self._first + by, 0), max(0, len(shown_columns(self.place)) - 2))
            self.refresh()


def by_columns(row: Row, links: Iterable[RecordLink]) -> list[RecordLink]:
    """Links in the order of the columns that they start from."""
    columns = list(row.cells)
    return sorted(links, key=lambda link: columns.index(link.columns[-1]))


def record_rows(row: Row | None, links: Sequence[RecordLink], room: int) -> Iterator[Line]:
    """All cells of a row, below each where its value leads."""
    if row is None:
        yield from rows_of(((t("corpus_screen.no_record"), "dim"),), room)
        return
    yield Line(((f"● {term('mark', row.provenance)}", "mark"), (f"  {row.table} #{row.number}", "dim")))
    for column, cell in row.cells.items():
        if cell in (None, "") or column == "sub":
            continue
        text = one(cell_text(row, column))
        role = "rule" if cell is UNKNOWN else "value"
        yield from rows_of(((f"{column_name(column)}　", "label"), (text, role)), room, 2)
        for at, link in enumerate(links):
            if link.columns[-1] == column:
                yield from rows_of(_link_line(link, cell), room, 4, at)


def _link_line(link: RecordLink, cell: object) -> tuple[Piece, ...]:
    asked = "" if link.values == (cell,) else f"{'、'.join(link.values)} "
    return (("  → ", "mark"), (f"{one(asked)}{what(link.tool)} ", "tool"), (f"{len(link.rows)} · {link.tool}", "dim"))
