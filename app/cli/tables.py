"""Plain tables for stdout: columns as wide as their widest cell, numbers to the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.terminal import clean, pad, width

Data = dict[str, Any]
"""JSON data that a command prints, or makes its tables of."""
WIDEST = 48
"""Cells of a column; what is longer is cut."""


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Lines of a table. The first `left` columns stand to the left, all others to the right."""
    cells = [[clean(cell, multiline=False) for cell in row] for row in (head, *rows)]
    widths = [min(WIDEST, max(width(row[column]) for row in cells)) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            pad(cell, widths[column], "left" if column < left else "right") for column, cell in enumerate(row)
        ).rstrip()
        for row in cells
    )


def number(value: float | None, places: int = 2) -> str:
    """A number for a table, – for none."""
    return "–" if value is None else f"{value:.{places}f}"


def bounds(interval: Sequence[float] | None, places: int = 1) -> str:
    """An interval for a table, – for none."""
    return "–" if not interval else f"[{interval[0]:.{places}f}, {interval[1]:.{places}f}]"


def percent(share: float | None) -> str:
    """A share from 0 to 1 as percent, – for none."""
    return "–" if share is None else f"{100 * share:.1f}%"
