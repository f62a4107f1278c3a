"""A seat said what it does not hold and nobody had said before: the case is flagged."""

from __future__ import annotations

from typing import ClassVar

from tasks.episode.events.base import Event


class Leaked(Event):
    """`field`: path of the case file that the words stand in; `text`: the words."""

    tag: ClassVar[str] = "leaked"
    seat: str
    field: str
    text: str
