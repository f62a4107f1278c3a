"""Breaks lines as Chinese typesetting wants: no closing mark begins a line, no opening mark ends one, numbers stay
whole.

Neither Rich nor Textual knows these rules (kinsoku, GB/T 15834). Widths are terminal cells, offsets are characters.
"""

from __future__ import annotations

import re

from rich.cells import cell_len

NO_START = frozenset("，。、；：？！）》】〉」』〕］｝〗”’…—～·％‰℃々ー" + ",.:;!?)]}%")
"""Marks that stay with what is before them."""
NO_END = frozenset("（《【〈「『〔［｛〖“‘￥＄" + "([{")
"""Marks that stay with what comes after them."""
OPENING, CLOSING = ("[-", "{+"), ("-]", "+}")
"""Signs around what is gone and what is new: they stay with what they enclose."""
JOINTS = frozenset("-_/.,:;=&")
"""Where a word that is longer than a line is cut if it can be."""

_TOKEN = re.compile(r"(?P<space>[ \t]+)|[!-~\u00a1-\u02af\u0370-\u1fff]+|.", re.DOTALL)

Span = tuple[int, int]


def wrap(text: str, width: int, hang: int = 0) -> list[Span]:
    """Where the lines of a one-line text begin and end; lines after the first have `hang` cells less.

    Blanks at a break belong to no line. A unit wider than the line is cut where it must be.
    """
    width = max(2, width)
    if len(text) <= width and cell_len(text) <= width:
        return [(0, len(text))]
    lines: list[Span] = []
    begin = end = used = 0
    room = width
    for start, stop, cells, blank in _units(text):
        if used + cells <= room:
            if not (blank and used == 0 and lines):
                end, used = stop, used + cells
            elif used == 0:
                begin = end = stop
            continue
        if used:
            lines.append((begin, end))
        room = max(2, width - hang)
        begin = end = stop if blank else start
        used = 0
        if blank:
            continue
        if cells > room:
            while (cut := _cut(text, begin, stop, room)) < stop:
                lines.append((begin, cut))
                begin = cut
            cells = cell_len(text[begin:stop])
        end, used = stop, cells
    if end > begin or not lines:
        lines.append((begin, end))
    return [(a, _trimmed(text, a, b)) for a, b in lines]


def _units(text: str) -> list[tuple[int, int, int, bool]]:
    """Pieces that no break may part: (start, stop, cells, blank)."""
    units: list[tuple[int, int, int, bool]] = []
    for token in _TOKEN.finditer(text):
        start, stop = token.span()
        cells = cell_len(token.group())
        blank = token.lastgroup == "space"
        if units and not blank and not units[-1][3]:
            before = units[-1]
            ends = text[start] in NO_START or token.group().startswith(CLOSING)
            begins = text[before[1] - 1] in NO_END or text.endswith(OPENING, before[0], before[1])
            if ends or cells == 0 or begins:
                units[-1] = (before[0], stop, before[2] + cells, False)
                continue
        units.append((start, stop, cells, blank))
    return units


def _cut(text: str, start: int, stop: int, room: int) -> int:
    used = 0
    for index in range(start, stop):
        used += cell_len(text[index])
        if used > room:
            joint = max((at for at in range(start + 1, index + 1) if text[at - 1] in JOINTS), default=0)
            return joint if joint - start > (index - start) // 2 else max(index, start + 1)
    return stop


def _trimmed(text: str, start: int, end: int) -> int:
    kept = len(text[start:end].rstrip(" \t"))
    return start + kept if kept else end
