"""The episode is over."""

from __future__ import annotations

from typing import ClassVar, Literal

from tasks.episode.events.base import Event

Outcome = Literal[
    "finished", "turn_limit", "token_limit", "time_limit", "context_full", "loop", "stalled", "error", "cancelled"
]
OUTCOMES: tuple[Outcome, ...] = (
    "finished", "turn_limit", "token_limit", "time_limit", "context_full", "loop", "stalled", "error", "cancelled",
)  # fmt: skip


class Stopped(Event):
    """`reason` is one sentence for a person."""

    tag: ClassVar[str] = "stopped"
    outcome: Outcome
    reason: str = ""
