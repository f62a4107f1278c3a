"""Days of a law as a bar of cells: the window of a version, holes between versions, and the day one asks about.

A cell stands for an equal share of the life of the law. A window fills the cells of which it takes at least half, and
always the one in which it begins; a hole shows however short it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from app.desk.episode.renderers import Line, Piece
from app.desk.law.shelf import Days, Life
from app.strings import t
from app.terminal import width

FULL, EMPTY, HOLE, TICK, WITHIN = "▮", "▯", "✘", "◊", "♦"
"""In the window; outside; no version at all; the day asked about, outside and within. All are one cell wide
everywhere."""
_DAY = timedelta(days=1)


def period_bar(
    window: tuple[date | None, date | None], life: Life, cells: int, day: date | None = None
) -> list[Piece]:
    """The window of one version over the life of its law, `cells` wide."""
    marks = [EMPTY] * cells
    first, last = window
    within = day is not None and first is not None and first <= day and (last is None or day <= last)
    if first is not None:
        for cell in _covered((first, last or life.last), life, cells):
            marks[cell] = FULL
    if day is not None:
        marks[_cell(day, life, cells)] = WITHIN if within else TICK
    return _pieces(marks)


def law_bar(life: Life, cells: int) -> list[Piece]:
    """All versions of a law over its life, with the holes between them."""
    marks = [EMPTY] * cells
    for first, last in life.windows:
        for cell in _covered((first, last or life.last), life, cells):
            marks[cell] = FULL
    for hole in life.holes:
        for cell in _covered(hole, life, cells):
            marks[cell] = HOLE
    return _pieces(marks)


def with_years(bar: Sequence[Piece], life: Life) -> list[Piece]:
    """The bar between the years in which the life begins and ends."""
    last = t("law.open") if any(end is None for _, end in life.windows) else f"{life.last.year}"
    return [(f"{life.first.year} ", "dim"), *bar, (f" {last}", "dim")]


def years_width(life: Life) -> int:
    """Cells that the years beside a bar take."""
    return sum(width(text) for text, _ in with_years((), life))


def pointer(life: Life, cells: int, day: date) -> Line:
    """The line below a bar with its years that points at a day and names it."""
    before = width(f"{life.first.year} ") + _cell(day, life, cells)
    named = day.isoformat()
    if before + 2 + len(named) > years_width(life) + cells:
        return ((" " * (before - len(named) - 1), "dim"), (named, "text"), (f" {TICK}", "mark"))
    return ((" " * before, "dim"), (f"{TICK} ", "mark"), (named, "text"))


def _covered(days: Days, life: Life, cells: int) -> list[int]:
    """The cells that stand for these days."""
    first, last = max(days[0], life.first), min(days[1], life.last)
    if first > last:
        return []
    total = (life.last - life.first).days + 1
    begin, end = (first - life.first).days * cells / total, ((last - life.first).days + 1) * cells / total
    half = [
        cell for cell in range(int(begin), min(cells, int(end) + 1)) if min(end, cell + 1) - max(begin, cell) >= 0.5
    ]
    return half or [min(cells - 1, int(begin))]


def _pieces(marks: list[str]) -> list[Piece]:
    pieces: list[Piece] = []
    for mark in marks:
        role = {FULL: "label", EMPTY: "rule", HOLE: "bad", TICK: "warn", WITHIN: "mark"}[mark]
        if pieces and pieces[-1][1] == role:
            pieces[-1] = (pieces[-1][0] + mark, role)
        else:
            pieces.append((mark, role))
    return pieces


def _cell(day: date, life: Life, cells: int) -> int:
    """The cell of a day; days outside the life stand at its ends."""
    total = (life.last - life.first).days + 1
    return min(max((day - life.first).days * cells // total, 0), cells - 1)
