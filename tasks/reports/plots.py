"""Plots of reports: figures with their intervals, floors and ceilings; differences of two runs; bars of counts.

Plots are SVG fragments that stand inside a page, without script, style sheet or reference; '' where there is nothing
to draw. Text is text, so that it can be selected and read out. Colours hold on light and dark paper alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tasks.reports.document import templates
from tasks.reports.model import measure, printable
from tasks.reports.words import width, word
from tasks.scoring.metrics import Limit, Metric, Report

OWN, LIMIT, GOOD = "#3a7bd5", "#b45309", "#2f8f5b"
"""Our figures; floors and what others published; ceilings."""
COLOURS: Mapping[str, str] = {"finished": GOOD, "error": "#b3362b", "cancelled": "#8a8f98", "unfinished": "#8a8f98"}
"""Outcome -> colour; the others, all of which are limits, share one."""
LIMITS: tuple[tuple[Limit, str], ...] = (("floor", LIMIT), ("reference", GOOD))
"""Ticks beside a figure."""
WIDE, RIGHT, LINE = 900, 760, 20
LEAST, MOST = 120.0, 330.0
"""Room for the names of lines."""
LONGEST = 46
"""Cells of a label; a longer one is cut, and said whole when it is pointed at."""


@dataclass(frozen=True, slots=True)
class PlotLine:
    """A line of a plot: a dot with its interval and ticks for its limits, or a bar; figure: what stands behind it;
    hollow: chance could do it."""

    name: str
    value: float | None
    figure: str
    low: float | None = None
    high: float | None = None
    limits: tuple[tuple[float | None, str], ...] = ()
    colour: str = OWN
    hollow: bool = False
    bar: bool = False


def short(text: str) -> str:
    """A label that fits beside a plot."""
    text = printable(text)
    if width(text) <= LONGEST:
        return text
    kept = ""
    for sign in text:
        if width(kept + sign) >= LONGEST:
            break
        kept += sign
    return f"{kept}…"


def plot(
    lines: Sequence[PlotLine], title: str, least: float, most: float, ticks: Mapping[float, str],
    key: Sequence[tuple[str, str, str]] = (), across: str = "",
) -> str:  # fmt: skip
    """Lines on one scale from `least` to `most`; ticks: where it has a word; key: what dot, bar and ticks mean,
    as (kind, colour, word); across: what the scale measures."""
    if not lines:
        return ""
    left = min(MOST, max(LEAST, 30 + 6.9 * max(width(one.name) for one in lines)))

    def x(value: float) -> float:
        return left + (min(max(value, least), most) - least) / (most - least) * (RIGHT - left)

    named, at = [], left
    for kind, colour, name in key:
        named.append((kind, colour, name, at))
        at += 36 + 6.6 * width(name)
    top = 44 if key else 28
    return templates(__package__).get_template("plots.html").render(
        lines=lines, title=title, x=x, left=left, right=RIGHT, wide=WIDE, top=top, bottom=top + 4 + LINE * len(lines),
        ticks=[(x(value), said) for value, said in ticks.items()], key=named, across=across, short=short,
    )  # fmt: skip


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
    """Figures by name on a scale from 0 to 100 whatever their unit: a dot with its interval, a tick for the floor and
    one for the ceiling, the figure beside it."""
    lines = []
    for name, row in rows:
        scale = 100.0 / row.measure.unit.top
        figure = "–" if row.value is None else f"{row.value * scale:.1f}"
        low, high = (row.interval.low * scale, row.interval.high * scale) if row.interval else (None, None)
        if low is not None and high is not None:
            figure += f" [{low:.1f}, {high:.1f}]"
        limits = ((row.limit(limit), colour) for limit, colour in LIMITS)
        lines.append(
            PlotLine(
                f"{name.removesuffix(' ↓')} ↓" if row.measure.better == "down" else name,
                None if row.value is None else row.value * scale, figure, low, high,
                tuple((None if value is None else value * scale, colour) for value, colour in limits),
            )
        )  # fmt: skip
    kinds = (("value", OWN), ("interval", OWN), *LIMITS)
    key = [(name, colour, word(name, language)) for name, colour in kinds]
    return plot(lines, title, 0, 100, {tick: str(tick) for tick in range(0, 101, 20)}, key)


def bars(counts: Sequence[tuple[str, int, str, str]], title: str) -> str:
    """A bar a count, with what stands behind it and its colour."""
    most = max((number for _, number, _, _ in counts), default=0) or 1
    lines = [PlotLine(name, number, figure, colour=colour, bar=True) for name, number, figure, colour in counts]
    return plot(lines, title, 0, most, {})


def outcomes(report: Report, language: str) -> str:
    """How episodes ended."""
    total, found = report.summary.tally.n, report.summary.tally.outcomes
    counts = [
        (f"{word(f'outcome.{name}', language)} {n}", n, f"{n / total:.0%}", COLOURS.get(name, LIMIT))
        for name, n in found.items()
        if n
    ]
    return bars(counts, f"{word('outcomes', language)} · n = {total}")


@dataclass(frozen=True, slots=True)
class Bar:
    """A difference with its interval; clear: whether more than chance speaks for it."""

    name: str
    value: float
    low: float
    high: float
    clear: bool


def reach(bars: Sequence[Bar]) -> float:
    """The next round figure that holds all intervals."""
    most = max((abs(end) for bar in bars for end in (bar.low, bar.high)), default=1.0)
    return next((step for step in (5.0, 10.0, 20.0, 50.0) if most <= step), 100.0)


def differences(bars: Sequence[Bar], title: str, across: str) -> str:
    """Differences with their intervals around 0; what chance could do is hollow."""
    most = reach(bars)
    lines = [
        PlotLine(one.name, one.value, f"{one.value:+.1f}", one.low, one.high, hollow=not one.clear) for one in bars
    ]
    ticks = {tick: f"{tick:+g}" for tick in (-most, -most / 2, 0.0, most / 2, most)}
    return plot(lines, title, -most, most, ticks, across=across)


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
