"""A table of rows that can be chosen, which is painted as wide as it was measured."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text
from textual.widgets import DataTable
from textual.widgets.data_table import RowKey


class RowsTable(DataTable[Text]):
    """Columns are measured some time after rows came. What was painted between, of a table that is as large as
    before, stays on the screen as it was; so it is painted again."""

    def action_scroll_home(self) -> None:
        self.move_cursor(row=0)

    def action_scroll_end(self) -> None:
        self.move_cursor(row=self.row_count - 1)

    def _update_dimensions(self, new_rows: Iterable[RowKey]) -> None:
        super()._update_dimensions(new_rows)
        self.notify_style_update()
