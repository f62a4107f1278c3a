"""How the text of a model became an action (or, where the note says so, a plan or an answer): as written, repaired, not at all."""

from __future__ import annotations

from typing import ClassVar, Literal

from tasks.episode.events.base import Event


class ActionParsed(Event):
    """`note` names the repair or the reason of the rejection."""

    tag: ClassVar[str] = "action_parsed"
    seat: str
    result: Literal["ok", "repaired", "rejected"]
    note: str = ""
