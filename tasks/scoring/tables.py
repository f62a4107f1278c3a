"""A table of figures as data: what a summary hands to reports, which write it in every format.

Figures are in the unit of their column. What is not there is a dash, or says in a word why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["own", "count", "limit", "spread", "published"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure with its interval; `text` stands in its place, `note` behind it; `count`: a whole number."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    text: str = ""
    note: str = ""
    count: bool = False


EMPTY = Cell(text=" ")
"""A column that does not apply."""


@dataclass(frozen=True, slots=True)
class Row:
    """heads: what the row is, one text a head of the table; kind: whose figures they are."""

    heads: tuple[str, ...]
    cells: tuple[Cell, ...]
    kind: Kind = "own"


@dataclass(frozen=True, slots=True)
class Table:
    """key: its name for programs; heads: of the first columns; plot: an SVG fragment for HTML."""

    key: str
    title: str
    heads: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    places: int = 2
    plot: str = ""

    def data(self) -> dict[str, object]:
        """As JSON data, figures in full precision."""
        return {
            "key": self.key,
            "title": self.title,
            "columns": list(self.columns),
            "rows": [
                {
                    "kind": row.kind, **dict(zip(self.heads, row.heads, strict=True)),
                    "values": {name: _data(cell) for name, cell in zip(self.columns, row.cells, strict=True)
                        if cell is not EMPTY},
                }
                for row in self.rows
            ],
            "notes": list(self.notes),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Folded:
    """A long text that a page folds away: its lines, and what is said of the part that was cut off."""

    title: str
    lines: tuple[str, ...]
    cut: str = ""


def _data(cell: Cell) -> object:
    if cell.text:
        return cell.text
    if cell.low is None or cell.high is None:
        return cell.value
    return {"value": cell.value, "interval": [cell.low, cell.high]}
