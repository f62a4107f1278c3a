"""Points over a size on a logarithmic scale, as lines of text: own points ●, printed ones ◇, each with a letter that
its legend explains.

x above 0, y from 0 to 100. Pieces are (text, role), as screens colour them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from string import ascii_letters

from tasks.reports.dots import TICKS, Dot

Piece = tuple[str, str]
LEFT = 5
"""Cells of the figures at the left."""


def scatter(points: Sequence[Dot], width: int, height: int) -> list[list[Piece]]:
    """The plot in so many cells and lines; nothing without a point."""
    shown = [dot for dot in points if dot.x > 0 and math.isfinite(dot.x) and math.isfinite(dot.y)][
        : len(ascii_letters)
    ]
    if not shown or width < 4 * LEFT or height < 4:
        return []
    low, high = (math.log10(edge(dot.x for dot in shown)) for edge in (min, max))
    low, high = low - 0.1, high + 0.1
    wide, tall = width - LEFT - 2, height - 1

    def column(x: float) -> int:
        return round((math.log10(x) - low) / (high - low) * (wide - 1))

    cells: list[list[Piece]] = [[(" ", "text")] * (wide + 2) for _ in range(tall)]
    for mark, dot in zip(ascii_letters, shown, strict=False):
        row = round((1 - min(max(dot.y, 0.0), 100.0) / 100) * (tall - 1))
        at = column(dot.x)
        if cells[row][at][0] == " ":
            cells[row][at] = ("●", "value") if dot.own else ("◇", "label")
        if cells[row][at + 1][0] == " ":
            cells[row][at + 1] = (mark, "text" if dot.own else "dim")
    lines = []
    for row, line in enumerate(cells):
        score = 100 * (1 - row / (tall - 1))
        head = f"{score:>4.0f}│" if row in (0, (tall - 1) // 2, tall - 1) else "    │"
        lines.append([(head, "dim"), *_joined(line)])
    foot = [" "] * (wide + 2)
    for tick in TICKS:
        start = column(tick) if low <= math.log10(tick) <= high else len(foot)
        label = f"{tick:g}B"
        if start + len(label) <= len(foot) and not "".join(foot[start : start + len(label) + 1]).strip():
            foot[start : start + len(label)] = label
    lines.append([(" " * LEFT + "".join(foot), "dim")])
    return lines


def legend(points: Sequence[Dot]) -> list[Piece]:
    """What the letters mean, in the order of the points."""
    return [
        (f"{mark} {dot.name} {dot.y:.1f}  ", "text" if dot.own else "dim")
        for mark, dot in zip(ascii_letters, points, strict=False)
    ]


def _joined(line: Sequence[Piece]) -> list[Piece]:
    return [("".join(sign for sign, _ in own), role) for role, own in groupby(line, key=lambda cell: cell[1])]
