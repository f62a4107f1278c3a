"""An engine from elsewhere: `parrot:WORDS` answers every call with its words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from models.engine import Ask, EngineError, Listener, Reply
from models.specs import Opening


class Parrot:
    """Says one thing."""

    def __init__(self, words: str) -> None:
        self.words = words

    def describe(self) -> dict[str, Any]:
        """What a run records of it."""
        return {"kind": "parrot", "words": self.words}

    def answer(self, asks: Sequence[Ask], listen: Listener | None = None) -> list[Reply | EngineError]:
        """The words, once for each call."""
        return [Reply(self.words) for _ in asks]

    def cancel(self) -> None:
        """Nothing is ever in flight."""

    def close(self) -> None:
        """Nothing is open."""


def open_parrot(opening: Opening) -> Parrot:
    """The engine of a SPEC."""
    return Parrot(opening.rest)
