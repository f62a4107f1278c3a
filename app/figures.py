"""Figures as people read them: numbers, shares, intervals, bars. A dash stands for one that is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tasks.run.figures import Figure

BAR = 10
"""Cells of a bar."""


def number(value: float | None, places: int = 2) -> str:
    """A number for a table, – for none."""
    return "–" if value is None else f"{value:.{places}f}"


def bounds(interval: Sequence[float] | None, places: int = 1) -> str:
    """An interval for a table, – for none."""
    return "–" if not interval else f"[{interval[0]:.{places}f}, {interval[1]:.{places}f}]"


def percent(share: float | None) -> str:
    """A share from 0 to 1 as percent, – for none."""
    return "–" if share is None else f"{100 * share:.1f}%"


def rate(value: float | None) -> str:
    """A share in points of 100, or a dash."""
    return "—" if value is None else f"{100 * value:.1f}"


def interval(pair: tuple[float, float] | None) -> str:
    """An interval in points of 100."""
    return "—" if pair is None else f"{100 * pair[0]:.0f}–{100 * pair[1]:.0f}"


def bar(share: float, cells: int = BAR) -> str:
    """A share as a bar."""
    full = round(share * cells)
    return "▮" * full + "▯" * (cells - full)


def points(row: Figure | None) -> str:
    """A figure in one decimal, a dash where there is none; ↓ where less is better."""
    if row is None or row.value is None:
        return "–"
    return f"{row.value:.1f}{'↓' if row.down else ''}"


def spread(row: Figure) -> str:
    """The interval of a figure, '' where it has none."""
    return "" if row.low is None or row.high is None else bounds((row.low, row.high), 0)
