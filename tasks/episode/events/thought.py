"""What a policy was thinking when it chose its move."""

from __future__ import annotations

from typing import ClassVar

from tasks.episode.events.base import Event


class Thought(Event):
    """Visible reasoning, in the words of the seat."""

    tag: ClassVar[str] = "thought"
    seat: str
    text: str
