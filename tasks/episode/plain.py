"""Makes any value fit for a record: JSON data whose strings are valid Unicode. Total; cut at a depth of 50."""

from __future__ import annotations

import re
from typing import Any

from store.files import LARGEST

DEPTH = 50
_SURROGATES = re.compile("[\ud800-\udfff]")


def plain_text(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def plain(value: object, depth: int = 0) -> Any:
    """The value as JSON data; what JSON cannot hold becomes text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, int | float):
        return value if -LARGEST < value < LARGEST else _in_words(value)
    if depth >= DEPTH:
        return "…"
    if isinstance(value, dict):
        return {plain_text(str(key)): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in value]
    return plain_text(str(value))


def _in_words(value: int | float) -> str:
    """A number too large for a record, as text; Python itself refuses to spell whole numbers of over 4,300 digits."""
    return str(value) if isinstance(value, float) or value.bit_length() < 10_000 else f"2^{value.bit_length()}"
