"""Differences with their intervals around a line of none, as an SVG fragment, and as text for a terminal.

Figures are points from -100 to 100.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.reports.svg import OWN, Drawing

WIDTH, LABEL, RIGHT, LINE, TOP = 760, 300, 690, 22, 28


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure with its interval; clear: whether more than chance speaks for it."""

    name: str
    value: float
    low: float
    high: float
    clear: bool


def reach(bars: Sequence[Bar]) -> float:
    """The next round figure that holds all intervals."""
    most = max((abs(end) for bar in bars for end in (bar.low, bar.high)), default=1.0)
    return next((step for step in (5.0, 10.0, 20.0, 50.0) if most <= step), 100.0)


def forest(bars: Sequence[Bar], title: str, across: str) -> str:
    """The plot, a line a bar; '' without any. What chance could do is hollow."""
    shown = [bar for bar in bars if all(map(math.isfinite, (bar.value, bar.low, bar.high)))]
    if not shown:
        return ""
    most = reach(shown)

    def x(value: float) -> float:
        return LABEL + (value / most + 1) / 2 * (RIGHT - LABEL)

    bottom = TOP + LINE * len(shown)
    drawing = Drawing(WIDTH, bottom + 40, title)
    drawing.line(x(0), TOP - 8, x(0), bottom, opacity=0.5)
    for place, bar in enumerate(shown):
        y = TOP + LINE * place + LINE / 2
        drawing.text(LABEL - 12, y + 4, bar.name, "end")
        drawing.line(x(max(bar.low, -most)), y, x(min(bar.high, most)), y, OWN, thick=2)
        drawing.dot(x(bar.value), y, OWN, hollow=not bar.clear)
        drawing.text(RIGHT + 8, y + 4, f"{bar.value:+.1f}")
    for tick in (-most, -most / 2, 0.0, most / 2, most):
        drawing.text(x(tick), bottom + 16, f"{tick:+g}", "middle")
    drawing.text((LABEL + RIGHT) / 2, bottom + 34, across, "middle")
    return str(drawing)


def bar_text(bar: Bar, most: float, width: int = 41) -> str:
    """A bar in `width` cells: ─ the interval, ● the figure (○ where chance could do it), │ no difference."""

    def cell(value: float) -> int:
        return round((min(max(value / most, -1.0), 1.0) + 1) / 2 * (width - 1))

    cells = [" "] * width
    cells[cell(bar.low) : cell(bar.high) + 1] = ["─"] * (cell(bar.high) - cell(bar.low) + 1)
    middle = cell(0.0)
    cells[middle] = "┼" if cells[middle] == "─" else "│"
    cells[cell(bar.value)] = "●" if bar.clear else "○"
    return "".join(cells)
