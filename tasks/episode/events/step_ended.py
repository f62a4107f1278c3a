"""A step is complete: one move of a policy and what came of it. Resume and fork start after one of these."""

from __future__ import annotations

from typing import ClassVar

from tasks.episode.events.base import Event


class StepEnded(Event):
    """`milliseconds` is machine time; waiting for a human is not counted."""

    tag: ClassVar[str] = "step_ended"
    timing: ClassVar[frozenset[str]] = frozenset({"milliseconds"})
    milliseconds: float = 0.0
