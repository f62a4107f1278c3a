"""Plots of reports: scores with interval, floor and ceiling by group; how episodes ended; differences of two runs.

Scores stand on one scale from 0 to 100 whatever their unit. Plots are SVG fragments; '' where there is nothing to
draw.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tasks.reports.model import measure
from tasks.reports.svg import GOOD, LIMIT, OWN, Drawing
from tasks.reports.words import width, word
from tasks.scoring.metrics import Limit, Metric, Report

WIDE, RIGHT, LINE = 900, 760, 20
LEAST, MOST = 120.0, 330.0
"""Room for the names of lines."""
COLOURS: Mapping[str, str] = {"finished": GOOD, "error": "#b3362b", "cancelled": "#8a8f98", "unfinished": "#8a8f98"}
"""Outcome -> colour; the others, all of which are limits, share one."""
LIMITS: tuple[tuple[Limit, str], ...] = (("floor", LIMIT), ("reference", GOOD))
"""Ticks beside a figure."""


def score_plots(report: Report, language: str) -> Iterator[str]:
    """A plot a measure with its groups as lines, or where each group has measures of its own a plot a group."""
    summary = report.summary
    rows = [row for row in summary.scores if math.isfinite(row.measure.unit.top)]
    if summary.across == "groups":
        for one in dict.fromkeys(row.measure for row in rows):
            mine = [row for row in rows if row.measure == one and row.group in summary.groups]
            yield scores(
                [(row.group.label[language == "en"], row) for row in mine],
                measure(mine[0].measure, language),
                language,
            )
        return
    for group in summary.groups:
        mine = [row for row in rows if row.group == group]
        yield scores([(measure(row.measure, language), row) for row in mine], group.label[language == "en"], language)


def overview_plots(reports: Sequence[Report], language: str) -> Iterator[str]:
    """Several runs in one plot a measure, as far as they have the same ones."""
    found: dict[tuple[str, str], list[tuple[str, Metric]]] = {}
    for report in reports:
        for row in report.summary.scores:
            if row.group in report.summary.wholes and row.main:
                found.setdefault((measure(row.measure, language), row.group.label[language == "en"]), []).append(
                    (report.summary.run, row)
                )
    for (one, group), rows in found.items():
        if len(rows) > 1:
            yield scores(rows, f"{one} · {group}", language)


def scores(rows: Sequence[tuple[str, Metric]], title: str, language: str) -> str:
    """Figures by name: a dot with its interval, a tick for the floor and one for the ceiling, the figure beside
    it."""
    if not rows:
        return ""
    bottom = 48 + LINE * len(rows)
    named = [(f"{name.removesuffix(' ↓')} ↓" if row.measure.better == "down" else name, row) for name, row in rows]
    left = min(MOST, max(LEAST, 30 + 6.9 * max(width(name) for name, _ in named)))

    def x(value: float) -> float:
        return left + min(max(value, 0.0), 100.0) / 100.0 * (RIGHT - left)

    drawing = Drawing(WIDE, bottom + 24, title)
    drawing.text(0, 14, title)
    _key(drawing, left, language)
    for tick in range(0, 101, 20):
        drawing.line(x(tick), 38, x(tick), bottom, opacity=0.15)
        drawing.text(x(tick), bottom + 16, str(tick), "middle", faint=True)
    for place, (name, row) in enumerate(named):
        y, scale = 44 + LINE * (place + 0.5), 100.0 / row.measure.unit.top
        drawing.text(left - 14, y + 4, name, "end")
        for limit, colour in LIMITS:
            value = row.limit(limit)
            if value is not None:
                drawing.line(x(value * scale), y - 7, x(value * scale), y + 7, colour, thick=2)
        said = "–" if row.value is None else f"{row.value * scale:.1f}"
        if row.interval:
            low, high = row.interval.low * scale, row.interval.high * scale
            drawing.line(x(low), y, x(high), y, OWN, thick=2)
            said += f" [{low:.1f}, {high:.1f}]"
        if row.value is not None:
            drawing.dot(x(row.value * scale), y)
        drawing.text(RIGHT + 14, y + 4, said)
    return str(drawing)


def _key(drawing: Drawing, x: float, language: str) -> None:
    """What dot, bar and ticks mean."""
    for name, colour in (("value", OWN), ("interval", OWN), ("floor", LIMIT), ("reference", GOOD)):
        if name == "value":
            drawing.dot(x + 6, 26, colour)
        elif name == "interval":
            drawing.line(x, 26, x + 14, 26, colour, thick=2)
        else:
            drawing.line(x + 6, 19, x + 6, 33, colour, thick=2)
        said = word(name, language)
        drawing.text(x + 20, 30, said, faint=True)
        x += 36 + 6.6 * width(said)


def outcomes(report: Report, language: str) -> str:
    """How episodes ended: one bar, its parts named with their counts below."""
    counts = [(name, n) for name, n in report.summary.tally.outcomes.items() if n]
    total = sum(n for _, n in counts)
    if not total:
        return ""
    title = word("outcomes", language)
    drawing = Drawing(WIDE, 70, title)
    drawing.text(0, 14, f"{title} · n = {total}")
    at, legend = 0.0, 0.0
    for place, (name, n) in enumerate(counts):
        label = f"{word(f'outcome.{name}', language)} {n}"
        colour, pale = COLOURS.get(name, LIMIT), 1.0 if name in COLOURS else max(0.35, 1 - 0.2 * place)
        drawing.rect(at, 22, WIDE * n / total, 16, colour, opacity=pale, said=label)
        drawing.rect(legend, 48, 11, 11, colour, opacity=pale)
        drawing.text(legend + 17, 58, label)
        at += WIDE * n / total
        legend += 36 + 6.6 * width(label)
    return str(drawing)


FOREST_WIDE, FOREST_LEFT, FOREST_RIGHT, FOREST_LINE = 760, 300, 690, 22


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
    if not bars:
        return ""
    most = reach(bars)

    def x(value: float) -> float:
        return FOREST_LEFT + (value / most + 1) / 2 * (FOREST_RIGHT - FOREST_LEFT)

    bottom = 28 + FOREST_LINE * len(bars)
    drawing = Drawing(FOREST_WIDE, bottom + 40, title)
    drawing.line(x(0), 20, x(0), bottom, opacity=0.5)
    for place, bar in enumerate(bars):
        y = 28 + FOREST_LINE * place + FOREST_LINE / 2
        drawing.text(FOREST_LEFT - 12, y + 4, bar.name, "end")
        drawing.line(x(max(bar.low, -most)), y, x(min(bar.high, most)), y, OWN, thick=2)
        drawing.dot(x(bar.value), y, OWN, hollow=not bar.clear)
        drawing.text(FOREST_RIGHT + 8, y + 4, f"{bar.value:+.1f}")
    for tick in (-most, -most / 2, 0.0, most / 2, most):
        drawing.text(x(tick), bottom + 16, f"{tick:+g}", "middle")
    drawing.text((FOREST_LEFT + FOREST_RIGHT) / 2, bottom + 34, across, "middle")
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
