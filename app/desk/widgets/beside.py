"""Two texts side by side: what is gone stands left as [-…-], what is new right as {+…+}, in colour and readable
without.

Sentences that both sides have begin at the same height.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from app.desk.episode.renderers import Line, Piece
from app.desk.widgets.lines import Row, wrapped
from app.terminal import width
from store.text.difference import MARKS
from store.text.difference import Piece as Run

ROLES = {"removed": "removed", "added": "added", "same": "text"}
_END = re.compile(r"(?<=[。；])(?!$)|\n")
"""Where both sides begin a new line together."""


def aligned(runs: Sequence[Run]) -> Iterator[tuple[list[Line], list[Line]]]:
    """Lines of both sides that belong together."""
    sides: tuple[list[list[Piece]], list[list[Piece]]] = ([[]], [[]])
    for run in runs:
        if run.kind == "same":
            for number, part in enumerate(_END.split(run.text)):
                if number:
                    yield _taken(sides)
                    sides = ([[]], [[]])
                for side in sides:
                    side[-1].append((part, "text"))
            continue
        side = sides[run.kind == "added"]
        begin, end = MARKS[run.kind]
        for number, part in enumerate(run.text.split("\n")):
            if number:
                side.append([])
            if part:
                side[-1].append((f"{begin}{part}{end}", ROLES[run.kind]))
    yield _taken(sides)


def _taken(sides: tuple[list[list[Piece]], list[list[Piece]]]) -> tuple[list[Line], list[Line]]:
    left, right = ([tuple(p for p in pieces if p[0]) for pieces in side] for side in sides)
    return left, right


def beside(left: Sequence[Line], right: Sequence[Line], column: int) -> Iterator[Row]:
    """Lines of both sides as rows, each side `column` cells wide."""
    rows = [[tuple(row) for line in side for row in wrapped(line, column)] for side in (left, right)]
    for one_, other in zip_longest(*rows, fillvalue=()):
        blank = " " * (column - sum(width(text) for text, _ in one_))
        yield Row((*one_, (f"{blank} ", "text"), ("│", "rule"), (" ", "text"), *other))
