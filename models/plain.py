"""Small files that somebody names: read whole where they are plain ones of a stated size, in bytes.

A pipe would make whoever reads it wait, and a device never ends.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from models.errors import BadEngine


def read_plain(path: Path, most: int, hint: str = "Move it away first.") -> bytes:
    """All bytes of a regular file of at most `most` bytes.

    Raises:
        BadEngine: it is another thing, or larger.
        OSError: it cannot be read.
    """
    data = None
    if stat.S_ISREG(os.stat(path).st_mode):
        flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
        with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as file:
            data = file.read(most + 1) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    if data is None or len(data) > most:
        raise BadEngine(f"'{path}' is no regular file of up to {most:,} bytes", hint)
    return data
