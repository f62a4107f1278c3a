"""Small files of the user's configuration: replaced whole, durably, and readable by their owner alone."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def replace_whole(path: Path, content: str) -> None:
    """Put a text in the place of a file: the old one or the new one is there at any time, never a part.

    Raises:
        OSError: the folder or the file cannot be written; the old file is untouched.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(prefix=f".{path.stem}-", dir=path.parent)  # 0600 from the start
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(partial)
        raise
