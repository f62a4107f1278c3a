"""Everything that happens in an episode, one module an event.

An episode is a stream of these; its state is a fold of them. `decode` turns journal rows back into events.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from tasks.episode.events.act_done import ActDone
from tasks.episode.events.action_parsed import ActionParsed
from tasks.episode.events.answered import Answered
from tasks.episode.events.attempt_started import AttemptStarted
from tasks.episode.events.base import Event, Record
from tasks.episode.events.engine_failed import EngineFailed
from tasks.episode.events.exhibit_moved import ExhibitMoved
from tasks.episode.events.leaked import Leaked
from tasks.episode.events.limit_hit import LimitHit
from tasks.episode.events.model_called import ModelCalled
from tasks.episode.events.planned import Planned
from tasks.episode.events.routed import Routed
from tasks.episode.events.said import Said
from tasks.episode.events.seated import Seated
from tasks.episode.events.stage_entered import StageEntered
from tasks.episode.events.step_ended import StepEnded
from tasks.episode.events.stopped import OUTCOMES, Outcome, Stopped
from tasks.episode.events.thought import Thought
from tasks.episode.events.tokens_reported import TokensReported
from tasks.episode.events.tool_called import ToolCalled
from tasks.episode.events.tool_returned import ToolReturned
from tasks.episode.events.tools_chosen import ToolsChosen
from tasks.episode.events.topic_tracked import TopicTracked
from tasks.episode.events.unknown import Unknown
from tasks.episode.events.violation import Violation

EVENTS: dict[str, type[Event]] = {
    kind.tag: kind
    for kind in (
        AttemptStarted, Seated, Thought, Planned, ModelCalled, EngineFailed, ActionParsed, ToolCalled, ToolReturned,
        Said, Answered, LimitHit, StepEnded, Stopped, TokensReported, ToolsChosen, Routed, TopicTracked, StageEntered,
        ActDone, Violation, ExhibitMoved, Leaked,
        Unknown,
    )
}  # fmt: skip

__all__ = [
    "EVENTS", "OUTCOMES", "ActDone", "ActionParsed", "Answered", "AttemptStarted", "EngineFailed", "Event",
    "ExhibitMoved", "Leaked", "LimitHit", "ModelCalled", "Outcome", "Planned", "Record", "Routed", "Said", "Seated",
    "StageEntered", "StepEnded", "Stopped", "Thought", "TokensReported", "ToolCalled", "ToolReturned",
    "ToolsChosen", "TopicTracked", "Unknown", "Violation", "decode", "encode",
]  # fmt: skip


def encode(event: Event) -> tuple[str, dict[str, Any]]:
    """Tag and data for the journal; an `Unknown` keeps the tag it came with."""
    if isinstance(event, Unknown):
        return event.name, event.content
    return event.tag, event.data()


def decode(tag: str, data: Any) -> Event:
    """The event of a journal row; a tag or shape of another release becomes `Unknown`."""
    kind = EVENTS.get(tag)
    if kind is None or kind is Unknown:
        return Unknown(name=tag, content=data)
    try:
        return kind.model_validate(data)
    except ValidationError:
        return Unknown(name=tag, content=data)
