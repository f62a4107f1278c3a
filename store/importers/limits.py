"""How much is read of what strangers made: one table, told in docs/imports.md and in the sentence of whoever meets a
limit.

Each is far above anything honest that has been seen. Units: bytes, characters, seconds of processor time, or counts.
"""

from __future__ import annotations

from typing import Final

MAX_RECORD: Final = 64 << 20
"""Bytes of one JSON record or one line."""
MAX_ROW: Final = 16 << 20
"""Characters of one row of CSV, which is cut into cells before they can be counted."""
MAX_FILE: Final = 8 << 30
MAX_ARCHIVE: Final = 16 << 30
"""Bytes of everything in a zip archive."""
MAX_MEMBERS: Final = 20_000
MAX_RATIO: Final = 400
"""How many times its own size a file may unpack to, or its reader may give back."""
RATIO_COUNTS_FROM: Final = 16 << 20
"""A packed file may grow this far whatever its ratio."""
MAX_DEPTH: Final = 100
"""Lists and objects of JSON within each other."""

MAX_CELL: Final = 1_000_000
"""Characters of a cell of a table or of a document of a corpus."""
MAX_COLUMNS: Final = 1_000
MAX_ROWS: Final = 5_000_000
"""Rows of one table."""
MAX_SHEET_ROWS: Final = 1_048_576
"""Rows of a sheet: no spreadsheet program writes more."""

MAX_LOG_LINES: Final = 2_000_000
"""Lines of a run log; that of 300 tasks has five thousand, and whatever is not understood in it is a line, too."""
MAX_PAGE: Final = 20 << 20
"""Bytes of one web page; a larger one is named and left out."""
MAX_TAGS: Final = 100_000
"""Tags of one page."""
MAX_ATTRIBUTES: Final = 5_000
"""Attributes of one tag: a parser compares each with all before it."""

MAX_PAPER: Final = 20 << 20
"""Bytes of a judgment in a file, and of the text inside a docx."""
MAX_PAPER_PAGES: Final = 400
MAX_PAPER_TEXT: Final = 1_200_000
"""Characters of a judgment before its lines are put in order."""

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


def too_long(column: str, cell: str) -> str:
    """The sentence for a cell that is longer than is read."""
    return f"{column:.60} has {len(cell):,} characters, at most {MAX_CELL:,} are read"
