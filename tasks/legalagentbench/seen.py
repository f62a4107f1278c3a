"""What an attempt has been shown of what its task needs: keys in observations, rows and cells, case numbers.

A key is looked up by the strict rule; one that joins several cells (省市区) is found in the cells of a row together.
Amounts and days are those of `tasks.scoring.strict`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from store.text.normalise import fold_width
from tasks.scoring.failures import Call
from tasks.scoring.strict import NUMBER, Amount, Canonical, Day, canonical, seen_in, strict_hit

CLOSE = 3
"""Characters in which a misread case number differs at most."""
LOOKED_AT = 20_000
"""Characters of a text in which case numbers are looked for, from either end."""

_BRACKETS = str.maketrans("〔〕﹝﹞[]【】{}", "()()()()()")
_CASE_NUMBER = re.compile(r"\([0-9]{4}\)[^\s,。;:、\"'“”‘’《》()]{1,24}?号")
_COUNTERS = "次家个起件条份位所笔处宗人名"
"""Units of a count, any of which may stand for another."""

Item = Amount | Day


@dataclass(frozen=True, slots=True)
class Cell:
    """A value of a row that was shown."""

    call: Call
    row: Mapping[str, object]
    column: str

    @property
    def text(self) -> str:
        """The value as a text; '' for an empty one."""
        return text_of(self.row.get(self.column))


def text_of(value: object) -> str:
    """A value of a cell as a text; '' for what says nothing."""
    text = "" if value is None or isinstance(value, dict | list) else str(value).strip()
    return "" if text in ("-", "nan", "None") else text


def rows_of(call: Call) -> list[Mapping[str, object]]:
    """The rows that a call was shown."""
    values = call.value if isinstance(call.value, list) else [call.value]
    return [row for row in values if isinstance(row, Mapping)]


def shows(call: Call, key: str) -> bool:
    """Whether what came back shows a key."""
    if not call.ok:
        return False
    return seen_in(key, call.observation) or any(
        key in "".join(text_of(value) for value in row.values()) for row in rows_of(call)
    )


def first_shown(calls: Sequence[Call], key: str) -> Call | None:
    """The call that first showed a key."""
    return next((call for call in calls if shows(call, key)), None)


def cells_of(calls: Sequence[Call], key: str) -> Iterator[Cell]:
    """The cells whose value is a key."""
    for call in calls:
        for row in rows_of(call) if call.ok else ():
            for column, value in row.items():
                if (text := text_of(value)) and len(text) <= 4 * len(key) + 8 and seen_in(key, text):
                    yield Cell(call, row, column)


def figure(key: str) -> tuple[Item, str] | None:
    """The amount or day that a key is, and its unit; None for a key that is neither."""
    found = canonical(key)
    if len(found.items) != 1 or found.places != (0,) or len(found.skeleton) > 3:
        return None
    return found.items[0], found.skeleton[1:]


def figures_like(unit: str, item: Item, text: str) -> Iterator[Item]:
    """The figures of a text with the unit of a key, or the days where the key is one; other units of a count
    agree."""
    units = _COUNTERS if unit and unit in _COUNTERS else ""
    given = canonical(text)
    for place, found in zip(given.places, given.items, strict=True):
        after = given.skeleton[place + 1 :]
        if isinstance(item, Day) or isinstance(found, Day):
            if isinstance(item, Day) and isinstance(found, Day):
                yield found
        elif not unit or after.startswith(unit) or (units and after[:1] in units):
            yield found


def spoken(item: Item) -> str:
    """A figure as a text."""
    return f"{item.year}-{item.month}-{item.day}" if isinstance(item, Day) else f"{item.value:f}"


def same_shape(text: str, other: str) -> bool:
    """Whether two cells are figures of one kind: days, or amounts in one unit."""
    a, b = canonical(text), canonical(other)
    return _bare(a) == _bare(b) and len(a.items) == 1


def _bare(found: Canonical) -> str:
    """The skeleton of a cell; an amount in 元 is often a bare number there."""
    return NUMBER if found.skeleton in (f"{NUMBER}元", f"{NUMBER}%") else found.skeleton


def case_numbers(text: str) -> set[str]:
    """The case numbers in a text, in one spelling of brackets and widths."""
    text = text if len(text) <= 2 * LOOKED_AT else text[:LOOKED_AT] + text[-LOOKED_AT:]
    return set(_CASE_NUMBER.findall(plain(text)))


def plain(text: str) -> str:
    """A text in one spelling of brackets and widths."""
    return fold_width(text).translate(_BRACKETS)


def misread(number: str, known: set[str]) -> str:
    """The known case number that this one is, but for a few characters; '' where it is known itself, or is none."""
    if number in known:
        return ""
    near = [(Levenshtein.distance(number, one, score_cutoff=CLOSE), one) for one in sorted(known)]
    distance, found = min(near, default=(CLOSE + 1, ""))
    return found if distance <= CLOSE else ""


def says(key: str, text: str) -> bool:
    """Whether a text states a key, by the strict rule."""
    return strict_hit(key, text)
