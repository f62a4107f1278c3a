"""An attempt at an episode begins. Earlier attempts stay in the journal."""

from __future__ import annotations

from typing import Any, ClassVar

from tasks.episode.events.base import Event


class AttemptStarted(Event):
    """`card` is what everybody may know of the task; gold is never part of it."""

    tag: ClassVar[str] = "attempt_started"
    benchmark: str
    task_id: str
    attempt: int
    seed: int
    card: dict[str, Any]
