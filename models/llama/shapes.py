"""Ways to write a value, as rows of atoms, and the pieces of grammar for numbers between bounds and for texts of a
pattern: what a grammar is put together from.

An atom is one literal character ("'x") or a piece of grammar ("@rule"). Kept as characters, alternatives can share
their beginnings, so that llama.cpp follows few ways at a time.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence

from models.errors import BadEngine

Bound = float | None
_FRACTION = '"." [0-9]{1,6}'
_NO_FRACTION = '"." "0"{1,6}'
_SOME_FRACTION = '"." [0-9]{0,5} [1-9]'


def integers(least: Bound, most: Bound, above: Bound, below: Bound, digits: int) -> str:
    """Whole numbers of up to `digits` digits, `least` <= n <= `most` and `above` < n < `below`; "" if there are
    none."""
    limit = 10**digits - 1
    low = max(
        -limit, -limit if least is None else math.ceil(least), -limit if above is None else math.floor(above) + 1
    )
    high = min(limit, limit if most is None else math.floor(most), limit if below is None else math.ceil(below) - 1)
    parts: list[str] = []
    if low < 0:
        parts += [f'"-" {part}' for part in _naturals(max(1, -high), -low)]
    return " | ".join(parts + _naturals(max(0, low), high))


def decimals(least: Bound, most: Bound, above: Bound, below: Bound, digits: int) -> str:
    """Numbers in the same bounds; one that is not whole is drawn in to the next whole number. "" if none are left."""
    limit = 10**digits - 1
    low, open_low = _tighter(least, above, -limit, 1)
    high, open_high = _tighter(most, below, limit, -1)
    parts: list[str] = []
    if low < 0:
        below_zero = _upwards(max(0, -high), open_high and high <= 0, -low, open_low)
        parts += [f'"-" {part}' for part in below_zero]
    if high >= 0:
        parts += _upwards(max(0, low), open_low and low >= 0, high, open_high)
    return " | ".join(parts)


def _tighter(inclusive: Bound, exclusive: Bound, limit: int, sign: int) -> tuple[int, bool]:
    """The whole bound that holds and whether it is excluded; `sign` is 1 for a lower bound, -1 for an upper one."""
    bounds: list[tuple[int, bool]] = [(limit, False)]
    if inclusive is not None:
        bounds.append((sign * math.ceil(sign * inclusive), False))
    if exclusive is not None:
        bounds.append((sign * math.ceil(sign * exclusive), exclusive == int(exclusive)))
    return max(bounds, key=lambda bound: (sign * bound[0], bound[1]))


def _upwards(low: int, open_low: bool, high: int, open_high: bool) -> list[str]:
    """Decimals from `low` to `high`, both at least 0."""
    inside = _naturals(low + open_low, high - 1)
    parts = [f"({' | '.join(inside)}) ({_FRACTION})?"] if inside else []
    if open_low and low < high:
        parts.append(f'"{low}" {_SOME_FRACTION}')
    if not open_high and (low < high or (low == high and not open_low)):
        parts.append(f'"{high}" ({_NO_FRACTION})?')
    return parts


def _naturals(low: int, high: int) -> list[str]:
    """Whole numbers from `low` to `high`, both at least 0."""
    parts: list[str] = []
    for size in range(len(str(low)), len(str(max(high, 0))) + 1):
        start = max(low, 10 ** (size - 1) if size > 1 else 0)
        end = min(high, 10**size - 1)
        if start <= end:
            parts += _between(str(start), str(end))
    return parts


def _between(low: str, high: str) -> list[str]:
    """Numbers of one length, as ways to write them."""
    size = len(low)
    if low == high:
        return [f'"{low}"']
    if set(low[1:]) <= {"0"} and set(high[1:]) <= {"9"}:
        return [f"[{low[0]}-{high[0]}]" + (f" [0-9]{{{size - 1}}}" if size > 1 else "")]
    first, last = int(low[0]), int(high[0])
    if first == last:
        return [f'"{first}" ({" | ".join(_between(low[1:], high[1:]))})']
    parts = [f'"{first}" ({" | ".join(_between(low[1:], "9" * (size - 1)))})']
    if last - first > 1:
        parts.append(f"[{first + 1}-{last - 1}] [0-9]{{{size - 1}}}")
    return [*parts, f'"{last}" ({" | ".join(_between("0" * (size - 1), high[1:]))})']


_MOST = 100
_MOST_TOGETHER = 2000
"""llama.cpp's own limit for repetitions inside repetitions."""
_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_"}
_COUNT = re.compile(r"\{(\d{1,4})(,(\d{0,4}))?\}")
_ANY = r"[ !#-\[\]-~\u00A0-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]"


def text_pattern(pattern: str, least: int, most: int | None, where: str) -> tuple[str, ...]:
    """The atoms of a text that a pattern allows. Raises BadEngine for anything beyond the subset."""
    reader = _Reader(pattern, where)
    if least or most is not None:
        raise reader.fail("it stands beside minLength or maxLength")
    if not pattern.startswith("^") or not pattern.endswith("$") or pattern.endswith("\\$"):
        raise reader.fail("it is not anchored by ^ and $")
    body = reader.alternatives(0)[0]
    if reader.at != len(pattern) - 1:
        raise reader.fail("it has a bracket too many")
    return (f"@({body})",)


class _Reader:
    """Reads a pattern from left to right; each part comes with how often its parts may repeat in all."""

    def __init__(self, pattern: str, where: str) -> None:
        self._pattern = pattern
        self._end = len(pattern) - 1
        self._where = where
        self.at = 1

    def fail(self, what: str) -> BadEngine:
        """The pattern is beyond the subset."""
        return BadEngine(
            f"no grammar can express the pattern {self._pattern!r} in the schema at {self._where}: {what}"
        )

    def _next(self) -> str:
        return self._pattern[self.at] if self.at < self._end else ""

    def alternatives(self, depth: int) -> tuple[str, int]:
        """Sequences parted by bars, up to the end or a closing bracket."""
        if depth > 20:
            raise self.fail("it is nested too deeply")
        ways, weight = [], 1
        while True:
            parts: list[str] = []
            while self._next() and self._next() not in "|)":
                part, count = self._counted(depth)
                parts.append(part)
                weight = max(weight, count)
            ways.append(" ".join(parts) or '""')
            if self._next() != "|":
                return " | ".join(ways), weight
            self.at += 1

    def _counted(self, depth: int) -> tuple[str, int]:
        part, weight = self._single(depth)
        least, most = 1, 1
        match = _COUNT.match(self._pattern, self.at, self._end)
        if match:
            least = int(match[1])
            most = least if not match[2] else int(match[3]) if match[3] else max(least, _MOST)
            self.at = match.end()
        elif self._next() and self._next() in "?*+":
            least, most = {"?": (0, 1), "*": (0, _MOST), "+": (1, _MOST)}[self._next()]
            self.at += 1
        else:
            return part, weight
        if self._next() and self._next() in "?*+{":
            raise self.fail("it counts in an unusual way")
        if not least <= most <= _MOST or weight * max(most, 1) > _MOST_TOGETHER:
            raise self.fail(f"it repeats more than {_MOST} times")
        return f"{part}{{{least},{most}}}", weight * max(most, 1)

    def _single(self, depth: int) -> tuple[str, int]:
        character = self._next()
        self.at += 1
        if character == "(":
            if self._pattern.startswith("?:", self.at):
                self.at += 2
            elif self._next() == "?":
                raise self.fail("it has a special group")
            body, weight = self.alternatives(depth + 1)
            if self._next() != ")":
                raise self.fail("a bracket is missing")
            self.at += 1
            return f"({body})", weight
        if character == "[":
            return self._class(), 1
        if character == ".":
            return _ANY, 1
        if character == "\\":
            return self._escape(), 1
        if character in "?*+{}]^$":
            raise self.fail(f"{character!r} has an unusual place")
        return f"[{self._code(character)}]", 1

    def _escape(self) -> str:
        character = self._next()
        self.at += 1
        if character in _CLASSES:
            return f"[{_CLASSES[character]}]"
        if not character or character.isalnum():
            raise self.fail(f"'\\{character}' is not supported")
        return f"[{self._code(character)}]"

    def _code(self, character: str) -> str:
        if character in '"\\' or not character.isprintable():
            raise self.fail("quotes, backslashes and control characters are not supported")
        return f"\\U{ord(character):08X}"

    def _class(self) -> str:
        negated = self._next() == "^"
        self.at += negated
        parts: list[str] = []
        while self._next() != "]" or not parts:
            character = self._next()
            if not character or character == "[":
                raise self.fail("a class is not plain")
            self.at += 1
            if character == "\\" and self._next() in _CLASSES:
                parts.append(_CLASSES[self._next()])
                self.at += 1
                continue
            start = self._member(character)
            if self._next() == "-" and self._pattern[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 2
                end = self._member(self._pattern[self.at - 1])
                if end < start or (not negated and any(ord(start) <= ord(bad) <= ord(end) for bad in '"\\\x7f')):
                    raise self.fail("a range of a class is not plain")
                parts.append(f"{self._code(start)}-{self._code(end)}")
            else:
                parts.append(self._code(start))
        self.at += 1
        if negated:
            return r'[^"\\\x00-\x1F\x7F-\x9F\uD800-\uDFFF' + "".join(parts) + "]"
        return f"[{''.join(parts)}]"

    def _member(self, character: str) -> str:
        if character != "\\":
            return character
        escaped = self._next()
        self.at += 1
        if not escaped or escaped.isalnum():
            raise self.fail(f"'\\{escaped}' is not supported in a class")
        return escaped


Shape = tuple[str, ...]
BLANK = "@blank"
"""The rule of an optional blank."""


def literal(text: str) -> str:
    """A text as a GBNF literal."""
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    return f"\\U{ord(character):08X}"


def chars(text: str) -> Shape:
    """A text character by character."""
    return tuple("'" + character for character in text)


def fixed(value: object) -> Shape:
    """A value that is always written the same."""
    return chars(json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False))


def separated(parts: Sequence[Shape]) -> Shape:
    """Parts with commas between them."""
    result: list[str] = []
    for at, part in enumerate(parts):
        result += (*(("',", BLANK) if at else ()), *part)
    return tuple(result)


def written(shape: Shape) -> str:
    """The text of a shape without rules."""
    return "".join(atom[1:] for atom in shape)


def sequence(shape: Iterable[str]) -> str:
    """Atoms in a row, neighbouring characters as one literal."""
    result: list[str] = []
    letters = ""
    for atom in shape:
        if atom[0] == "'":
            letters += atom[1:]
            continue
        if letters:
            result.append(literal(letters))
            letters = ""
        result.append(atom[1:])
    if letters:
        result.append(literal(letters))
    return " ".join(result) or '""'


def choice(shapes: Sequence[Shape]) -> str:
    """Several ways to write a value, with their common beginnings written once."""
    groups: dict[str, list[Shape]] = {}
    for shape in dict.fromkeys(shapes):
        groups.setdefault(shape[0] if shape else "", []).append(shape)
    parts: list[str] = []
    for group in groups.values():
        shared = _shared(group)
        rests = [shape[shared:] for shape in group]
        if len(group) == 1:
            parts.append(sequence(group[0]))
        else:
            parts.append(f"{sequence(group[0][:shared])} ({choice(rests)})")
    return " | ".join(parts)


def _shared(shapes: Sequence[Shape]) -> int:
    """How many atoms all begin with."""
    shortest, first = min(map(len, shapes)), shapes[0]
    at = 0
    while at < shortest and all(shape[at] == first[at] for shape in shapes):
        at += 1
    return at
