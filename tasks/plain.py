"""Makes any value fit for a record: JSON data whose strings are valid Unicode. Total; cut at a depth of 50."""

from __future__ import annotations

import math
import re
from typing import Any

DEPTH = 50
_SURROGATES = re.compile("[\ud800-\udfff]")


def plain_text(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def plain(value: Any, depth: int = 0) -> Any:
    """The value as JSON data; what JSON cannot hold becomes text."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if depth >= DEPTH:
        return "…"
    if isinstance(value, dict):
        return {plain_text(str(key)): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in value]
    return plain_text(str(value))
