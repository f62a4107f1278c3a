"""What a record may hold, so that whatever is written can be read, copied and walked through again, and TOML that a
person wrote.

Depth counts lists and objects inside each other. What breaks a bound is a ValueError whose message says which one.
"""

from __future__ import annotations

import tomllib
from typing import Any

DEPTH = 100
"""Levels of lists and objects; our own records are cut at 50."""
LARGEST = 1e300
"""Numbers lie below this, in either direction: their sums and shares are still numbers."""

_NO_NUMBER = "it holds a number that is none, or too large"


def load_toml(text: str) -> dict[str, Any]:
    """The table of a TOML text.

    Raises:
        ValueError: it is no TOML, is nested too deeply, or holds a number that is none.
    """
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"it is nested deeper than {DEPTH} levels") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # more digits than Python reads
        raise ValueError(_NO_NUMBER) from None
    check(table)
    return table


def check(value: object) -> None:
    """Raise ValueError when a value breaks a bound."""
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
