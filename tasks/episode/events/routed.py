"""Whom an utterance of the tested seat reaches, where that had to be decided: the controller's word, not the speaker's."""

from __future__ import annotations

from typing import ClassVar, Literal

from tasks.episode.events.base import Event


class Routed(Event):
    """`how`: by a field of the reply, a marker, the words of the text, or not at all. `dropped`: roles addressed in vain."""

    tag: ClassVar[str] = "routed"
    seat: str
    to: tuple[str, ...] = ()
    how: Literal["field", "marker", "words", ""] = ""
    dropped: tuple[str, ...] = ()
