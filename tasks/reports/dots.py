"""A dot plot of scores against a size on a logarithmic scale, as an SVG fragment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.reports.svg import LIMIT, OWN, Drawing, short

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 52, 620, 16, 312
TOP_SCORE = 100.0
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""
TICKS = (0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000)


@dataclass(frozen=True, slots=True)
class Dot:
    """One point: `x` above 0, `y` from 0 to 100; own points are filled."""

    name: str
    x: float
    y: float
    own: bool


def dots(points: Sequence[Dot], title: str, across: str, up: str) -> str:
    """The plot; '' without a point."""
    shown = [dot for dot in points if dot.x > 0 and math.isfinite(dot.x) and math.isfinite(dot.y)]
    if not shown:
        return ""
    low, high = math.log10(min(dot.x for dot in shown)) - 0.15, math.log10(max(dot.x for dot in shown)) + 0.35
    drawing = Drawing(WIDTH, HEIGHT, title, 11)
    drawing.rect(LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP)
    for tick in TICKS:
        if low <= math.log10(tick) <= high:
            drawing.text(_x(tick, low, high), BOTTOM + 16, f"{tick:g}", "middle")
    for score in range(0, 101, 20):
        y = _y(score)
        drawing.line(LEFT, y, RIGHT, y, opacity=0.12)
        drawing.text(LEFT - 6, y + 4, str(score), "end")
    taken: list[Box] = [(x - 5, y - 5, x + 5, y + 5) for x, y in ((_x(dot.x, low, high), _y(dot.y)) for dot in shown)]
    for dot in sorted(shown, key=lambda dot: (not dot.own, -dot.y)):
        x, y = _x(dot.x, low, high), _y(dot.y)
        drawing.dot(x, y, OWN if dot.own else LIMIT, hollow=not dot.own, said=f"{dot.name}: {dot.y:.2f}")
        if (place := _free(x, y, short(dot.name), taken)) is not None:
            taken.append(place)
            drawing.text(place[0], place[3] - 2, dot.name, faint=True)
    drawing.text((LEFT + RIGHT) / 2, BOTTOM + 36, across, "middle")
    drawing.text(LEFT, TOP - 4, up)
    return str(drawing)


def _free(x: float, y: float, name: str, taken: Sequence[Box]) -> Box | None:
    """Where a name can stand beside its dot without covering another; None: the dot says it when pointed at."""
    width = sum(11.0 if ord(sign) > 0x2E80 else 6.6 for sign in name)
    for left, middle in ((x + 7, y), (x - 7 - width, y), (x - width / 2, y - 12), (x - width / 2, y + 12)):
        box = (left, middle - 6, left + width, middle + 6)
        inside = box[0] > LEFT and box[2] < RIGHT and box[1] > TOP and box[3] < BOTTOM
        if inside and not any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken):
            return box
    return None


def _x(value: float, low: float, high: float) -> float:
    return LEFT + (math.log10(value) - low) / (high - low) * (RIGHT - LEFT)


def _y(value: float) -> float:
    return BOTTOM - min(max(value, 0.0), TOP_SCORE) / TOP_SCORE * (BOTTOM - TOP)
