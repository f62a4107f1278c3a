"""Completes the path of a file while one types: the first folder or file of the wanted kind that begins like that."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path

from textual.suggester import Suggester

MOST = 5000
"""Names of a folder that are looked at."""


class PathCompletion(Suggester):
    """Suggests folders, and files that end in `suffix`. Folders are listed in a thread, never on the screen's own."""

    def __init__(self, suffix: str) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._suffix = suffix

    async def get_suggestion(self, value: str) -> str | None:
        """The whole path, or None."""
        return await asyncio.to_thread(complete, value, self._suffix) if value.strip() else None


def complete(value: str, suffix: str) -> str | None:
    """The typed beginning of a path, completed to the first name that fits; a leading `~` stays as typed."""
    head, tail = os.path.split(value)
    try:
        with os.scandir(Path(head or ".").expanduser()) as found:
            names = sorted(_names(found, tail, suffix))
    except (OSError, ValueError, RuntimeError):
        return None
    return os.path.join(head, names[0]) if names and names[0] != tail else None


def _names(found: Iterable[os.DirEntry[str]], tail: str, suffix: str) -> list[str]:
    names: list[str] = []
    for number, item in enumerate(found):
        if number >= MOST:
            break
        if not item.name.startswith(tail) or (item.name.startswith(".") and not tail.startswith(".")):
            continue
        if item.is_dir():
            names.append(item.name + os.sep)
        elif item.name.lower().endswith(suffix):
            names.append(item.name)
    return names
