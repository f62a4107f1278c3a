"""Differences with their intervals around a line of none, as an SVG fragment, and as text for a terminal.

Figures are points from -100 to 100. The fragment has no script, style sheet or reference; its text can be selected.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.reports.model import printable

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
    parts = [
        f'<svg class="plot" viewBox="0 0 {WIDTH} {bottom + 40}" width="{WIDTH}" height="{bottom + 40}" role="img"'
        ' font-size="12" fill="currentColor">',
        f"<title>{_text(title)}</title>",
        f'<line x1="{x(0):.1f}" x2="{x(0):.1f}" y1="{TOP - 8}" y2="{bottom}"'
        ' stroke="currentColor" stroke-opacity=".5"/>',
    ]
    for place, bar in enumerate(shown):
        y = TOP + LINE * place + LINE / 2
        fill = 'fill="#3a7bd5"' if bar.clear else 'fill="none" stroke="#3a7bd5"'
        parts.append(f'<text x="{LABEL - 12}" y="{y + 4:.1f}" text-anchor="end">{_text(bar.name)}</text>')
        parts.append(
            f'<line x1="{x(max(bar.low, -most)):.1f}" x2="{x(min(bar.high, most)):.1f}" y1="{y:.1f}" y2="{y:.1f}"'
            ' stroke="#3a7bd5" stroke-width="2"/>'
        )
        parts.append(f'<circle cx="{x(bar.value):.1f}" cy="{y:.1f}" r="4" {fill}/>')
        parts.append(f'<text x="{RIGHT + 8}" y="{y + 4:.1f}">{bar.value:+.1f}</text>')
    for tick in (-most, -most / 2, 0.0, most / 2, most):
        parts.append(f'<text x="{x(tick):.1f}" y="{bottom + 16}" text-anchor="middle">{tick:+g}</text>')
    parts.append(f'<text x="{(LABEL + RIGHT) / 2:.0f}" y="{bottom + 34}" text-anchor="middle">{_text(across)}</text>')
    return "".join([*parts, "</svg>"])


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


def _text(text: str) -> str:
    return html.escape(printable(text))
