"""Something said aloud by a seat."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import field_validator

from tasks.episode.events.base import Event


class Said(Event):
    """`to`: the roles addressed, () for all. `turn`: number of the exchange it belongs to, 0 before the first.

    `stage`: the stage that the speaker declared, '' where nothing was declared.
    """

    tag: ClassVar[str] = "said"
    later: ClassVar[frozenset[str]] = frozenset({"turn", "stage"})
    seat: str
    text: str
    to: tuple[str, ...] = ()
    turn: int = 0
    stage: str = ""

    @field_validator("to", mode="before")
    @classmethod
    def _one(cls, value: Any) -> Any:
        """Earlier releases wrote one role as a text."""
        return tuple(filter(None, (value,))) if isinstance(value, str) else value
