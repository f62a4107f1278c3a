"""Tables: rows that can be chosen, and a screen whose rows are sorted by a column and filtered by words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, TypeVar

from rich.text import Text
from textual import on
from textual.widgets import DataTable
from textual.widgets.data_table import RowKey

from app.desk.scaffold import PanesScreen
from app.desk.widgets.find_bar import FindBar

T = TypeVar("T")


class RowsTable(DataTable[Text]):
    """Columns are measured some time after rows came. What was painted between, of a table that is as large as
    before, stays on the screen as it was; so it is painted again. help_id: what F1 explains, '' as the screen."""

    def __init__(self, help_id: str = "", *, id: str = "table") -> None:
        super().__init__(cursor_type="row", id=id)
        if help_id:
            self.help_id = help_id

    @property
    def chosen(self) -> str:
        """The key of the row at the cursor, '' where there is none."""
        return str(self.ordered_rows[self.cursor_row].key.value) if 0 <= self.cursor_row < self.row_count else ""

    def fill(
        self, heads: Iterable[tuple[str, Text]], rows: Iterable[tuple[str, Sequence[Text]]], *, height: int = 1
    ) -> None:
        """Show these columns and rows, each with its key; the cursor stays on its row, else where it was."""
        chosen, at = self.chosen, self.cursor_row
        self.clear(columns=True)
        for key, head in heads:
            self.add_column(head, key=key)
        keys = []
        for key, cells in rows:
            self.add_row(*cells, key=key, height=height)
            keys.append(key)
        if keys:
            row = keys.index(chosen) if chosen in keys else min(max(at, 0), len(keys) - 1)
            self.move_cursor(row=row, animate=False)

    def action_scroll_home(self) -> None:
        self.move_cursor(row=0)

    def action_scroll_end(self) -> None:
        self.move_cursor(row=self.row_count - 1)

    def _update_dimensions(self, new_rows: Iterable[RowKey]) -> None:
        super()._update_dimensions(new_rows)
        self.notify_style_update()


class SortedScreen(PanesScreen):
    """A table sorted by a column (`order`; '' is the order of the screen) and filtered by `words`."""

    ORDERS: ClassVar[Sequence[str]]
    """Columns that can be sorted by."""
    LARGEST_FIRST: ClassVar[frozenset[str]]
    FIRST = "#table"

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self.order, self.reverse, self.words = "", False, ""

    @property
    def rows(self) -> Sequence[Any]:
        """The rows that are left, in their order."""
        raise NotImplementedError

    async def leave(self) -> None:
        raise NotImplementedError

    def matches(self, text: str) -> bool:
        """Whether a row of which `text` is known holds every word of the filter."""
        return all(word in text.lower() for word in self.words.lower().split())

    def sorted(self, rows: Iterable[T], value: Callable[[T], Any]) -> list[T]:
        """Rows by their value, those without one last."""
        found = [(value(row), row) for row in rows]
        there = sorted(
            (pair for pair in found if pair[0] is not None), key=lambda pair: pair[0], reverse=self.reverse
        )
        return [row for _, row in there] + [row for own, row in found if own is None]

    def head(self, name: str, words: str, justify: Any = "left") -> tuple[str, Text]:
        """The head of a column, marked where rows are sorted by it."""
        mark = ("▼" if self.reverse else "▲") if name == self.order else ""
        return name, Text(f"{words}{mark}", justify=justify)

    @on(DataTable.HeaderSelected)
    def _headed(self, event: DataTable.HeaderSelected) -> None:
        if (name := str(event.column_key.value)) in self.ORDERS:
            self.sort_by(name)

    def sort_by(self, column: str) -> None:
        self.reverse = not self.reverse if column == self.order else column in self.LARGEST_FIRST
        self.order = column
        self.show()

    def action_sort(self) -> None:
        orders = ("", *self.ORDERS)
        self.order = orders[(orders.index(self.order) + 1) % len(orders)]
        self.reverse = self.order in self.LARGEST_FIRST
        self.show()

    def action_find(self) -> None:
        self.query_one(FindBar).open()

    @on(FindBar.QueryChanged)
    def _filtered(self, event: FindBar.QueryChanged) -> None:
        self.words = event.words
        self.show()
        self.query_one(FindBar).count(1, len(self.rows))

    @on(FindBar.MatchRequested)
    @on(FindBar.Closed)
    def _found(self) -> None:
        self.query_one(FindBar).remove_class("-open")
        self.query_one(RowsTable).focus()

    async def action_close(self) -> None:
        """All rows again where they are filtered, else back."""
        if self.words:
            self.words = ""
            self.query_one(FindBar).clear()
            self.show()
        else:
            await self.leave()
