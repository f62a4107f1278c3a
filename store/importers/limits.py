"""How much is read of what strangers made: one table, told in docs/imports.md and in the sentence of whoever meets a
limit.

Each is far above anything honest that has been seen. Units: bytes, characters, seconds of processor time, or counts.
"""

from __future__ import annotations

from typing import Final

MAX_RECORD: Final = 64 << 20
"""Bytes of one JSON record or one line."""
MAX_FILE: Final = 8 << 30
MAX_ARCHIVE: Final = 16 << 30
"""Bytes of everything in a zip archive."""
MAX_MEMBERS: Final = 20_000
MAX_RATIO: Final = 400
"""How many times its own size a file may unpack to, or its reader may give back."""
RATIO_COUNTS_FROM: Final = 16 << 20
"""A packed file may grow this far whatever its ratio."""
MAX_CELL: Final = 1_000_000
"""Characters of a cell of CSV: an open quotation mark would take the rest of the file as one."""

MEMORY: Final = 1 << 30
"""Bytes the reading process may hold."""
SECONDS: Final = 120
"""Processor time for a file up to its first row, and for each row after it."""
SECONDS_OF_PAGE: Final = 30
SILENCE: Final = 900
"""Seconds without a word from the reading process: the last resort where processor time cannot be bounded."""

SHOWN_NAMES: Final = 5
"""Names that a sentence lists before it only counts."""


def named(names: list[str] | tuple[str, ...], separator: str = "、") -> str:
    """The names for a sentence: a few of them in full, the others counted."""
    shown = separator.join(f"{name:.60}" for name in names[:SHOWN_NAMES])
    left = len(names) - SHOWN_NAMES
    return f"{shown} and {left:,} more" if left > 0 else shown
