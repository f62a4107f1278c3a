"""Errors: each is one clear sentence (what, where), a hint (what to do) and an exit code."""

from __future__ import annotations

from collections.abc import Sequence

_NAMES = 5
"""Names that a sentence lists before it only counts."""
_LONGEST = 600
"""Characters of a title or hint: whatever a stranger's file names, a sentence stays one that can be read."""


def _bounded(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 200]} … {text[-190:]}"


def named(names: Sequence[str], separator: str = "、") -> str:
    """The names for a sentence: a few of them in full, the others counted."""
    shown = separator.join(f"{name:.60}" for name in names[:_NAMES])
    left = len(names) - _NAMES
    return f"{shown} and {left:,} more" if left > 0 else shown


class MootError(Exception):
    """Whatever a command ends with that is not a fault of the program."""

    exit_code = 1

    def __init__(self, title: str, hint: str = "") -> None:
        super().__init__(f"{title}. {hint}" if hint else title)
        self.title = title
        self.hint = hint


class BadParameter(MootError):
    """A setting that there is not, or that takes no such value: of a SPEC, of a run, of a benchmark."""

    exit_code = 2


class StoreError(MootError):
    """Something is wrong with stored data or with what was given to store."""

    def __init__(self, title: str, hint: str = "") -> None:
        super().__init__(_bounded(" ".join(title.splitlines())), _bounded(hint))


class NotFound(StoreError):
    """A pack, run, table or file that was named does not exist."""

    exit_code = 2


class BadInput(StoreError):
    """A file to be read is not what it should be; the title names file and line."""


class TextTooLong(MootError):
    """A text is longer than an embedding model reads; it gets no vector as a whole."""


class DamagedData(StoreError):
    """Stored bytes are not the bytes that were written."""
