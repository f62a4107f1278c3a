"""An engine from elsewhere: `parrot:WORDS` answers every call with its words."""

from __future__ import annotations

from collections.abc import Sequence

import moot


class Parrot:
    """Says one thing."""

    def __init__(self, words: str) -> None:
        self.words = words

    def describe(self) -> dict[str, object]:
        """What a run records of it."""
        return {"kind": "parrot", "words": self.words}

    def answer(
        self, asks: Sequence[moot.Ask], listen: moot.Listener | None = None
    ) -> list[moot.Reply | moot.EngineError]:
        """The words, once for each call."""
        return [moot.Reply(self.words) for _ in asks]

    def cancel(self) -> None:
        """Nothing is ever in flight."""

    def close(self) -> None:
        """Nothing is open."""


def open_parrot(opening: moot.Opening) -> Parrot:
    """The engine of a SPEC."""
    return Parrot(opening.rest)
