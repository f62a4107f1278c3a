"""The answer of the seat under test."""

from __future__ import annotations

from typing import ClassVar

from tasks.episode.events.base import Event


class Answered(Event):
    """`res` is the answer; `summary` the answer with every detail (LegalAgentBench scores them apart)."""

    tag: ClassVar[str] = "answered"
    seat: str
    res: str
    summary: str
