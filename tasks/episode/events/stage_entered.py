"""A trial enters a stage."""

from __future__ import annotations

from typing import ClassVar

from tasks.episode.events.base import Event


class StageEntered(Event):
    """`stage` is the id of the table, `name` what courts call it."""

    tag: ClassVar[str] = "stage_entered"
    stage: str
    name: str
