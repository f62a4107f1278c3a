"""What the tracker read in a reply: which topic it answers and what it says on it."""

from __future__ import annotations

from typing import ClassVar, Literal

from tasks.episode.events.base import Event


class TopicTracked(Event):
    """`pointer`: the topic that was asked; `quote`: words of the reply that say it; `made_by`: rules or model."""

    tag: ClassVar[str] = "topic_tracked"
    seat: str
    pointer: str
    topic: str | None = None
    answered: bool = False
    verdict: Literal["yes", "no", "depends", "none"] = "none"
    quote: str = ""
    made_by: Literal["rules", "model"] = "rules"
