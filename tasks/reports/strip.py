"""Scores on one scale from 0 to 100 as a line of text: the figure, its interval, floor and ceiling, another figure
beside it.

Pieces are (text, role), as screens colour them; joined they are the line without colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

TOP = 100.0
VALUE, OTHER, REACH, LIMIT, REFERENCE = "●", "○", "─", "|", "◇"
Value = float | None


@dataclass(frozen=True, slots=True)
class Strip:
    """value: the figure that the interval is of; other: one by another rule; printed: value is a paper's."""

    value: Value
    low: Value = None
    high: Value = None
    other: Value = None
    floor: Value = None
    ceiling: Value = None
    printed: bool = False


def strip(of: Strip, cells: int) -> list[tuple[str, str]]:
    """The line in `cells` cells; what lies beyond the scale stands at its end."""

    def place(value: float) -> int:
        return round(min(max(value / TOP, 0.0), 1.0) * (cells - 1))

    line: list[tuple[str, str]] = [(" ", "text")] * cells
    for limit in (of.floor, of.ceiling):
        if limit is not None:
            line[place(limit)] = (LIMIT, "dim")
    if of.low is not None and of.high is not None:
        for at in range(place(of.low), place(of.high) + 1):
            line[at] = (REACH, "bar")
    if of.other is not None:
        line[place(of.other)] = (OTHER, "dim")
    if of.value is not None:
        line[place(of.value)] = (REFERENCE, "label") if of.printed else (VALUE, "value")
    return [("".join(sign for sign, _ in own), role) for role, own in groupby(line, key=lambda cell: cell[1])]


def scale(cells: int) -> str:
    """The figures below a strip: 0, 50 and 100 where they stand."""
    marks = ("0", "50", "100")
    gap = cells - sum(map(len, marks))
    return marks[0] + " " * (gap // 2) + marks[1] + " " * (gap - gap // 2) + marks[2]


def shares(counts: Sequence[tuple[str, int]], cells: int) -> list[tuple[str, int]]:
    """How many of `cells` cells each of the counts gets, at least one for what there is, as long as there are
    cells."""
    there = sorted((count, -place, name) for place, (name, count) in enumerate(counts) if count > 0)[-cells:]
    total, left = sum(count for count, _, _ in there), cells
    made: list[tuple[int, str, int]] = []
    for at, (count, place, name) in enumerate(there):  # small ones first: the largest takes what is left
        behind = len(there) - at - 1
        size = min(max(1, round(cells * count / total)), left - behind) if behind else left
        made.append((-place, name, size))
        left -= size
    return [(name, size) for _, name, size in sorted(made)]
