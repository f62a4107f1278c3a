"""JSON and TOML from elsewhere, read within bounds: no value that our own writers could not have made gets past this
room.

Depth counts lists and objects inside each other; sizes are characters. What breaks a bound is a ValueError whose
message says which one. Whatever passes can be copied, written again and walked through by recursion without
surprises.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

DEPTH = 100
"""Levels of lists and objects; our own records are cut at 50."""
CHARACTERS = 64_000_000
"""Characters of one value."""
VALUES = 4_000_000
"""Values of one JSON text, about: an empty list takes three characters and seventy bytes of memory. The likeliest
tokens at each place of a reply of 32,768 come to two million."""
LARGEST = 1e300
"""Numbers lie below this, in either direction: their sums and shares are still numbers. A whole number that is spelt
out has up to 4,300 digits, as many as Python reads."""

_NO_NUMBER = "it holds a number that is none, or too large"
_EXPONENTS = (re.compile(r"e\+?\d{3}"), re.compile(r"E\+?\d{3}"))
"""What a text holds, most often by chance, when a number in it is too large; two patterns, as each begins with a
letter that can be looked for quickly."""
_LONG_KEY = re.compile(
    rf"""(?<![^\s\[{{,])(?:(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{DEPTH}}}""", re.ASCII
)
"""A key of TOML that nests too deep by itself, as `a.b.c` does. The parser takes time and memory with the square of
its parts, so it is looked for first. A text that holds such a run in quotes is refused with it."""


def load(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: it is no JSON, or breaks a bound.
    """
    check_length(text)
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(f"it is nested deeper than {DEPTH} levels") from None
    check(text, value)
    return value


def load_toml(text: str) -> dict[str, Any]:
    """The table of a TOML text; raises `ValueError` as `load` does."""
    try:
        if _LONG_KEY.search(text):
            raise RecursionError
        table = tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"it is nested deeper than {DEPTH} levels") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # more digits than Python reads
        raise ValueError(_NO_NUMBER) from None
    _walk(table)
    return table


def check_length(text: str) -> None:
    """Raise ValueError when a text is longer than any value may be, or holds more values."""
    if len(text) > CHARACTERS:
        raise ValueError(f"it has {len(text)} characters, at most {CHARACTERS} are read")
    check_values(text)


def check_values(text: str, start: int = 0) -> None:
    """Raise ValueError when a text, from a place on, holds more values than any may: before they are made."""
    if len(text) - start > VALUES and sum(text.count(mark, start) for mark in ",[{") > VALUES:
        raise ValueError(f"it holds more than {VALUES} values")


def check(text: str, value: object) -> None:
    """Raise ValueError when a value, whose JSON text this is, breaks a bound."""
    deep = text.count("[") + text.count("{") > DEPTH
    if not (deep or "NaN" in text or "Infinity" in text or any(pattern.search(text) for pattern in _EXPONENTS)):
        return
    _walk(value)


def _walk(value: object) -> None:
    level: list[object] = [value]
    for depth in range(DEPTH + 1):
        inner: list[object] = []
        for item in level:
            if depth == DEPTH and isinstance(item, dict | list):
                raise ValueError(f"it is nested deeper than {DEPTH} levels")
            if isinstance(item, dict):
                inner += item.values()
            elif isinstance(item, list):
                inner += item
            elif isinstance(item, int | float) and not -LARGEST < item < LARGEST:
                raise ValueError(_NO_NUMBER)
        level = inner
