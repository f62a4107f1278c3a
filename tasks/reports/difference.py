"""The difference plot of two raters (Bland and Altman 1986): their mean across, first minus second up, limits as
lines.

As an SVG fragment for a page, without script, style sheet or reference to anything, and as text for a terminal.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from tasks.reports.page import Section, whole_page
from tasks.reports.svg import LIMIT, OWN, Drawing
from tasks.scoring.coefficients import Differences

Points = Sequence[tuple[float, float]]
"""(mean of both, first minus second) a unit, on a scale from 0 to 1."""

WIDTH, HEIGHT = 480, 300
LEFT, RIGHT, TOP, BOTTOM = 24, 430, 24, 262
MOST = 9
"""Units on one cell of the text plot that are told apart; more are a `+`."""


def difference_svg(
    points: Points, mean: float | None = None, limits: tuple[float, float] | None = None,
    title: str = "", across: str = "", up: str = "",
) -> str:  # fmt: skip
    """An `<svg>` of its own size; units on one place are one larger circle.

    Args:
        points: the units; those that are no finite numbers are left out.
        mean: of the differences.
        limits: of agreement.
        title: what the plot shows, also read out.
        across: what the horizontal axis says.
        up: what the vertical axis says.
    """
    shown = _finite(points)
    reach = _reach(shown, limits)
    drawing = Drawing(WIDTH, HEIGHT, title, 11)
    drawing.rect(LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP)
    drawing.line(LEFT, _y(0.0, reach), RIGHT, _y(0.0, reach), opacity=0.5)
    drawing.text(LEFT - 6, _y(0.0, reach) + 4, "0", "end")
    lines = [(mean, OWN, False)] if mean is not None else []
    for value, colour, dashed in (*lines, *((limit, LIMIT, True) for limit in limits or ())):
        y = _y(value, reach)
        drawing.line(LEFT, y, RIGHT, y, colour, dashed=dashed, thick=1 if dashed else 2)
        drawing.text(RIGHT + 6, y + 4, f"{value:+.2f}")
    for (x, y), count in sorted(Counter((round(x, 4), round(y, 4)) for x, y in shown).items()):
        drawing.dot(_x(x), _y(y, reach), r=min(12.0, 3.0 * math.sqrt(count)), opacity=0.45)
    for x in (0.0, 0.5, 1.0):
        drawing.text(_x(x), BOTTOM + 14, f"{x:g}", "middle")
    drawing.text((LEFT + RIGHT) / 2, BOTTOM + 30, across, "middle")
    drawing.text(LEFT, TOP - 8, up)
    return str(drawing)


def difference_text(
    points: Points,
    mean: float | None = None,
    limits: tuple[float, float] | None = None,
    width: int = 61,
    height: int = 17,
) -> str:
    """The plot as lines: a digit counts the units on a cell, `=` is the mean difference, `-` a limit, `.` no
    difference.

    Args:
        points: the units.
        mean: of the differences.
        limits: of agreement.
        width: cells of the plot itself.
        height: lines of the plot itself, odd so that no difference has one.
    """
    shown = _finite(points)
    reach = _reach(shown, limits)

    def line(y: float) -> int:
        return round((1 - y / reach) / 2 * (height - 1))

    rows = [[" "] * width for _ in range(height)]
    marks = [(0.0, "."), *((limit, "-") for limit in limits or ()), *([(mean, "=")] if mean is not None else [])]
    for y, mark in marks:
        rows[line(y)] = [mark] * width
    for (row, column), count in Counter(
        (line(y), round(min(max(x, 0.0), 1.0) * (width - 1))) for x, y in shown
    ).items():
        rows[row][column] = str(count) if count <= MOST else "+"
    labels = {
        0: f"{reach:+.2f}",
        height - 1: f"{-reach:+.2f}",
        **{line(y): f"{y:+.2f}" if y else " 0" for y, _ in marks},
    }
    drawn = [f"{labels.get(number, ''):>6} |{''.join(row)}".rstrip() for number, row in enumerate(rows)]
    return "\n".join([*drawn, f"{'':6} +{'-' * width}", f"{'':7}0{'1':>{width}}"])


def difference_page(
    title: str, plots: Sequence[tuple[str, Differences]], across: str = "", up: str = "", language: str = "zh"
) -> str:
    """A whole page of (title, differences)."""
    sections = [
        Section(
            f"{name} · n = {len(shown.points)}",
            plots=(difference_svg(shown.points, shown.mean.value, shown.limits, name, across, up),),
        )
        for name, shown in plots
    ]
    return whole_page(title, sections, language)


def _finite(points: Points) -> list[tuple[float, float]]:
    return [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]


def _reach(points: Points, limits: tuple[float, float] | None) -> float:
    """The largest difference that the plot has to show, a little above all of them."""
    heights = [abs(y) for y in (*(y for _, y in points), *(limits or ()))]
    return max(0.1, 1.05 * max(heights, default=0.0))


def _x(value: float) -> float:
    return LEFT + 8 + min(max(value, 0.0), 1.0) * (RIGHT - LEFT - 16)


def _y(value: float, reach: float) -> float:
    return TOP + (1 - value / reach) / 2 * (BOTTOM - TOP)
