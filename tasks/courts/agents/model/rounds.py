"""The public record as a seat went through it: rounds of what others said, what it was told, what it looked up, what it said.

Read from the history of a view, so a round comes out the same in every later turn and a prompt only grows at its end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tasks.agents.native import words
from tasks.courts.agents.model.phrases import phrase
from tasks.courts.environment import TopicCue
from tasks.courts.play.views import CourtView
from tasks.courts.procedure.turns import Turn
from tasks.episode.events import ModelCalled, Said, ToolCalled, ToolReturned, TopicTracked
from tasks.episode.with_tools import SEAT

NEAR_END = 3
"""Turns before the limit from which on the prompt says that they run out."""


@dataclass
class Lookup:
    """A call of a tool: the reply that made it ('' where no model did), and what came of it."""

    reply: str
    tool: str
    input: Any
    observation: str = ""


@dataclass
class Round:
    """One turn of the seat. reply: of the model that spoke, '' where none did; said: None in the turn that is to be made."""

    heard: list[Turn] = field(default_factory=list)
    lookups: list[Lookup] = field(default_factory=list)
    reply: str = ""
    said: Turn | None = None
    topic: str = ""
    """Topic that the seat's words asked, where the tracker names it."""


def rounds_of(view: CourtView) -> list[Round]:
    """All rounds in order, the open one last."""
    made = [Round()]
    turns = iter(view.record)
    for record in view.history:
        open_round = made[-1]
        match record.event:
            case Said():
                _spoken(view, made, next(turns))
            case ModelCalled(human=False) as event if event.seat == view.seat:
                open_round.reply = words(event)
            case ToolCalled() as event if event.seat == view.seat:
                open_round.lookups.append(Lookup(open_round.reply, event.tool, event.input))
                open_round.reply = ""
            case ToolReturned() as event if event.seat == view.seat and open_round.lookups:
                open_round.lookups[-1].observation = event.observation
            case TopicTracked() as event if len(made) > 1:
                made[-2].topic = event.pointer
    return made


def _spoken(view: CourtView, made: list[Round], turn: Turn) -> None:
    if turn.speaker == view.role:
        made[-1].said = turn
        made.append(Round())
    else:
        made[-1].heard.append(turn)


def cue_text(view: CourtView, rounds: list[Round], at: int) -> str:
    """What the seat was told, or is told now, before it spoke in a round."""
    said = rounds[at].said
    if said is not None and said.number == 0:
        return phrase("cue", "begin")
    if view.role == "client":
        return _client(_topic(view, rounds, at))
    if view.seat != SEAT:
        return phrase("cue", "speak")
    number = said.number if said is not None else view.turn
    name = "last" if view.limit - number < NEAR_END else "turn"
    return phrase("cue", name, turn=str(number), limit=str(view.limit))


def _client(cue: TopicCue) -> str:
    name = "ask-first" if cue.kind == "ask" and cue.first else cue.kind
    return phrase("cue", name, question=" ".join(cue.question.split()))


def _topic(view: CourtView, rounds: list[Round], at: int) -> TopicCue:
    """What a client was to say in a round: as the tracker's word tells, for the turn to be made as the controller says."""
    if rounds[at].said is None and view.topic is not None:
        return view.topic
    topic = rounds[at].topic
    if not topic:
        return TopicCue("theme")
    questions: Mapping[str, str] = {one["id"]: one["question"] for one in view.held.get("topics", ())}
    again = any(earlier.topic == topic for earlier in rounds[:at])
    first = view.env == "LC" and at == 1
    return TopicCue("follow_up" if again else "ask", topic, questions.get(topic, ""), first=first and not again)
