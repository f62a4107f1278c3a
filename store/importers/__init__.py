"""Importers: one module a source format, each with `import_pack(source, name, progress) -> Path`.

Progress is called with a phase, how much of it is done and, when known, how much there is.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

Progress = Callable[[str, int, int | None], None]
Import = Callable[[Path, str, Progress], Path]


def silent(phase: str, done: int, total: int | None) -> None:
    """A progress callback that says nothing."""
