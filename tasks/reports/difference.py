"""The difference plot of two raters (Bland and Altman 1986): their mean across, first minus second up, limits as
lines.

As an SVG fragment for a page, without script, style sheet or reference to anything, and as text for a terminal.
"""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Sequence

from tasks.reports.model import printable
from tasks.scoring.coefficients import Differences

Points = Sequence[tuple[float, float]]
"""(mean of both, first minus second) a unit, on a scale from 0 to 1."""

STYLE = ':root{color-scheme:light dark}body{font:15px/1.5 system-ui,"Noto Sans CJK SC",sans-serif;margin:2rem}h1{font-size:1.2rem}'
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
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" font-size="11" fill="currentColor">',
        f"<title>{_text(title)}</title>",
        f'<rect x="{LEFT}" y="{TOP}" width="{RIGHT - LEFT}" height="{BOTTOM - TOP}" fill="none" stroke="currentColor" stroke-opacity=".3"/>',
        _line(0.0, reach, 'stroke="currentColor" stroke-opacity=".5"'),
        f'<text x="{LEFT - 6}" y="{_y(0.0, reach) + 4:.1f}" text-anchor="end">0</text>',
    ]
    if mean is not None:
        parts.append(_line(mean, reach, 'stroke="#3a7bd5" stroke-width="2"', f"{mean:+.2f}"))
    for limit in limits or ():
        parts.append(_line(limit, reach, 'stroke="#b45309" stroke-dasharray="5 3"', f"{limit:+.2f}"))
    for (x, y), count in sorted(Counter((round(x, 4), round(y, 4)) for x, y in shown).items()):
        radius = min(12.0, 3.0 * math.sqrt(count))
        parts.append(
            f'<circle cx="{_x(x):.1f}" cy="{_y(y, reach):.1f}" r="{radius:.1f}" fill="#3a7bd5" fill-opacity=".45"/>'
        )
    for x in (0.0, 0.5, 1.0):
        parts.append(f'<text x="{_x(x):.1f}" y="{BOTTOM + 14}" text-anchor="middle">{x:g}</text>')
    parts.append(f'<text x="{(LEFT + RIGHT) / 2:.0f}" y="{BOTTOM + 30}" text-anchor="middle">{_text(across)}</text>')
    parts.append(f'<text x="{LEFT}" y="{TOP - 8}">{_text(up)}</text></svg>')
    return "".join(parts)


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


def difference_page(title: str, plots: Sequence[tuple[str, Differences]], across: str = "", up: str = "") -> str:
    """A whole page of (title, differences), under a policy that forbids everything but its own style."""
    figures = "".join(
        f"<figure><figcaption>{_text(name)} · n = {len(shown.points)}</figcaption>"
        f"{difference_svg(shown.points, shown.mean.value, shown.limits, name, across, up)}</figure>"
        for name, shown in plots
    )
    return (
        '<!doctype html><html><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{_text(title)}</title><style>{STYLE}</style></head><body><h1>{_text(title)}</h1>{figures}</body></html>\n"
    )


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


def _line(value: float, reach: float, stroke: str, label: str = "") -> str:
    y = _y(value, reach)
    said = f'<text x="{RIGHT + 6}" y="{y + 4:.1f}">{label}</text>' if label else ""
    return f'<line x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}" {stroke}/>{said}'


def _text(text: str) -> str:
    return html.escape(printable(text))
