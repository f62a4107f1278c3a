"""The three panes of the corpus: the tree, rows that are read while one scrolls, and the record with its links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.binding import BindingType
from textual.events import Click, Resize
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from app.desk.bindings import bindings
from app.desk.corpus.places import PAGE, Entry, Place, cell_text, column_name, shown_columns, what
from app.desk.episode.renderers import Piece, one
from app.desk.widgets.choice import Choice
from app.desk.widgets.lines import Row as Line
from app.desk.widgets.lines import wrapped
from app.strings import known, t
from app.terminal import pad, truncate, width
from store.schema import UNKNOWN, Row
from tasks.legalagentbench.links import Link

NARROWEST, WIDEST = 6, 30
"""Cells of a column."""


class TreeView(Choice):
    """What can be opened."""

    help_id = "corpus_tree"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.entries: Sequence[Entry] = ()
        self.things: list[Entry] = []

    @property
    def count(self) -> int:
        return len(self.things)

    def show(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        self.things = [entry for entry in entries if entry.shelf or entry.tool]
        self.cursor = min(max(self.cursor, 0), len(self.things) - 1)
        self.rebuild()

    def build(self, room: int) -> Iterable[Line]:
        at = 0
        for entry in self.entries:
            if not entry.shelf and not entry.tool:
                yield Line(((one(entry.text), "label"),))
                continue
            number = str(entry.rows) if entry.shelf else ""
            space = max(4, room - width(number) - 2)
            role = "text" if entry.tool or entry.rows else "rule"
            yield Line(((f" {pad(truncate(one(entry.text), space), space)}", role), (number, "dim")), at)
            at += 1


class RowsView(ScrollView, can_focus=True):
    """Rows of a place; only pages that are seen are asked for. The first line names the columns."""

    help_id = "corpus_rows"
    BINDINGS: ClassVar[list[BindingType]] = bindings("corpus_rows")
    COMPONENT_CLASSES = {"rows--head", "rows--cursor", "rows--dim"}
    DEFAULT_CSS = """
    RowsView {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        scrollbar-color: $foreground 25%;
        scrollbar-background: $background;
        background: $background;
        & > .rows--head { color: $text-accent; text-style: bold; }
        & > .rows--cursor { background: $accent 30%; color: $foreground; }
        & > .rows--dim { color: $foreground 50%; }
    }
    """

    class Wanted(Message):
        """A page is seen that was not read."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class Looked(Message):
        """The cursor came to a row."""

        def __init__(self, row: Row) -> None:
            super().__init__()
            self.row = row

    class Chosen(Looked):
        """A row was taken."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.place: Place | None = None
        self.total = 0
        self.cursor = 0
        self._pages: dict[int, Sequence[Row]] = {}
        self._asked: set[int] = set()
        self._first = 0

    def show(self, place: Place, total: int, first: Sequence[Row]) -> None:
        if self.place is None or self.place.shelf != place.shelf:
            self._first = 0
        self.place, self.total = place, total
        self._pages, self._asked = {place.cursor // PAGE: first}, {place.cursor // PAGE}
        self.virtual_size = Size(1, total + 1)
        self.move_to(place.cursor)
        self.refresh()

    def take(self, place: Place | None, number: int, rows: Sequence[Row]) -> None:
        if place is self.place:
            self._pages[number] = rows
            self.refresh()
            if number == self.cursor // PAGE:
                self.move_to(self.cursor)

    def row(self, index: int) -> Row | None:
        page = self._pages.get(index // PAGE)
        if page is None:
            if index // PAGE not in self._asked and 0 <= index < self.total:
                self._asked.add(index // PAGE)
                self.post_message(self.Wanted(index // PAGE))
            return None
        return page[index % PAGE] if index % PAGE < len(page) else None

    def move_to(self, index: int) -> None:
        self.cursor = min(max(index, 0), max(0, self.total - 1))
        seen = max(1, self.scrollable_content_region.height - 1)
        if self.cursor < self.scroll_offset.y:
            self.scroll_to(y=self.cursor, animate=False, immediate=True)
        elif self.cursor >= self.scroll_offset.y + seen:
            self.scroll_to(y=self.cursor - seen + 1, animate=False, immediate=True)
        self.refresh()
        if (row := self.row(self.cursor)) is not None:
            self.post_message(self.Looked(row))

    def on_resize(self, event: Resize) -> None:
        self.call_after_refresh(self.move_to, self.cursor)

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
        if self.place is not None and self.total and (y == 0 or index < self.total):
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
            text, style = t("corpus_screen.empty"), base + self.get_component_rich_style("rows--dim")
        return Strip([Segment(text, style)]).adjust_cell_length(room, base)

    def _head(self, name: str) -> str:
        assert self.place is not None
        order = self.place.order
        return column_name(name) + ("" if order.column != name else "▼" if order.down else "▲")

    def action_cursor(self, by: int) -> None:
        self.move_to(self.cursor + by)

    def action_edge(self, last: bool) -> None:
        self.move_to(self.total - 1 if last else 0)

    def action_page(self, by: int) -> None:
        self.move_to(self.cursor + by * max(1, self.scrollable_content_region.height - 2))

    def action_column(self, by: int) -> None:
        if self.place is not None:
            self._first = min(max(self._first + by, 0), max(0, len(shown_columns(self.place)) - 2))
            self.refresh()

    def action_choose(self) -> None:
        if (row := self.row(self.cursor)) is not None:
            self.post_message(self.Chosen(row))

    def on_click(self, event: Click) -> None:
        y = event.get_content_offset_capture(self).y - 1 + self.scroll_offset.y
        if not 0 <= y < self.total:
            return
        again = y == self.cursor
        self.move_to(y)
        if again:
            self.action_choose()


class RecordView(Choice):
    """All cells of a row, below each where its value leads."""

    help_id = "corpus_record"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.row: Row | None = None
        self.links: Sequence[Link] = ()
        self._order: list[Link] = []

    @property
    def count(self) -> int:
        return len(self._order)

    def show(self, row: Row | None, links: Sequence[Link] = ()) -> None:
        """Show a record, first without its links, which take longer."""
        if row is None or self.row is None or (row.table, row.number) != (self.row.table, self.row.number):
            self.scroll_home(animate=False, immediate=True)
        self.row = row
        columns = list(row.cells) if row is not None else []
        self._order = sorted(links, key=lambda link: columns.index(link.columns[-1]))
        self.cursor = 0 if self._order else -1
        self.rebuild()

    @property
    def link(self) -> Link | None:
        return self._order[self.cursor] if 0 <= self.cursor < len(self._order) else None

    def build(self, room: int) -> Iterable[Line]:
        row = self.row
        if row is None:
            yield from (Line(tuple(r)) for r in wrapped(((t("corpus_screen.no_record"), "dim"),), room))
            return
        key = f"mark.{row.provenance}"
        yield Line(
            ((f"● {t(key) if known(key) else row.provenance}", "mark"), (f"  {row.table} #{row.number}", "dim"))
        )
        for column, cell in row.cells.items():
            if cell in (None, "") or column == "sub":
                continue
            text = one(cell_text(row, column))
            role = "rule" if cell is UNKNOWN else "value"
            for part in wrapped(((f"{column_name(column)}　", "label"), (text, role)), room, 2):
                yield Line(tuple(part))
            for at, link in enumerate(self._order):
                if link.columns[-1] == column:
                    yield from (Line(tuple(part), at) for part in wrapped(_link_line(link, cell), room, 4))

    def action_cursor(self, by: int) -> None:
        if self.count:
            super().action_cursor(by)
        else:
            self.scroll_relative(y=by, animate=False)


def _link_line(link: Link, cell: object) -> tuple[Piece, ...]:
    asked = "" if link.values == (cell,) else f"{'、'.join(link.values)} "
    return (("  → ", "mark"), (f"{one(asked)}{what(link.tool)} ", "tool"), (f"{len(link.rows)} · {link.tool}", "dim"))
