"""A duty of the court is done: said in its place, to the right side, and answered where an answer is owed."""

from __future__ import annotations

from typing import ClassVar

from tasks.episode.events.base import Event


class ActDone(Event):
    """`key`: act/exhibit/side of the table; `name`: what courts call it; `turn`: the judge's turn; `basis`: articles."""

    tag: ClassVar[str] = "act_done"
    key: str
    name: str
    turn: int
    side: str = ""
    exhibit: str = ""
    basis: tuple[str, ...] = ()
