"""Something said aloud by a seat."""

from __future__ import annotations

from typing import ClassVar

from tasks.events.base import Event


class Said(Event):
    """`to` is the seat addressed, or '' for all."""

    tag: ClassVar[str] = "said"
    seat: str
    text: str
    to: str = ""
