"""An engine failed to answer: an infrastructure error, never counted against the model."""

from __future__ import annotations

from typing import ClassVar

from tasks.episode.events.base import Event


class EngineFailed(Event):
    """`attempt` counts the tries of one call from 1."""

    tag: ClassVar[str] = "engine_failed"
    seat: str
    call: int
    attempt: int
    message: str
