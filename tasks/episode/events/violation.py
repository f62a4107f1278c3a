"""A fault in the procedure of a trial."""

from __future__ import annotations

from typing import ClassVar

from tasks.episode.events.base import Event


class Violation(Event):
    """`code` as in the findings of the procedure, `turn` the judge's turn or None where it shows only at the end."""

    tag: ClassVar[str] = "violation"
    code: str
    turn: int | None = None
    act: str = ""
    side: str = ""
    detail: str = ""
