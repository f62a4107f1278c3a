"""The public record as a seat went through it: rounds of what others said, what it was told, what it looked up, what it said.

Read from the history of a view, so a round comes out the same in every later turn and a prompt only grows at its end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate, takewhile
from typing import Any

from tasks.agents.native import words
from tasks.courts.agents.model.held import shown
from tasks.courts.agents.model.phrases import phrase
from tasks.courts.environment import TopicCue
from tasks.courts.play.duties import Owed
from tasks.courts.play.portions import CORE, answering, portions
from tasks.courts.play.views import CourtView
from tasks.courts.procedure.turns import Turn
from tasks.episode.events import ModelCalled, Said, ToolCalled, ToolReturned, TopicTracked
from tasks.episode.with_tools import SEAT

OWED = 600
"""Characters that a list of open duties may take."""
ROUND = 80
"""Of these, the words around the list."""
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
        return _client(view, rounds, at)
    if view.seat != SEAT:
        return phrase("cue", "speak")
    number = said.number if said is not None else view.turn
    name = "last" if view.limit - number < NEAR_END else "turn"
    cue = phrase("cue", name, turn=str(number), limit=str(view.limit))
    return _with_duties(cue, view.owed) if said is None and view.owed else cue


def _with_duties(cue: str, owed: Owed) -> str:
    """The cue of now with the duties that are open: at most `OWED` characters more, what does not fit is counted.

    It stands in the last message alone, so that the record does not fill with lists that are out of date.
    """
    told: list[str] = []
    for duty in owed.duties:
        about = [
            *([phrase("side", duty.side)] if duty.side else []),
            *([phrase("cue", "about", title=shown(duty.exhibit))] if duty.exhibit else []),
            *([phrase("cue", "more", count=str(duty.more))] if duty.more else []),
        ]
        told.append(phrase("cue", "open", name=duty.name, about="，".join(about)) if about else duty.name)
    kept = list(takewhile(lambda size: size <= OWED - ROUND, accumulate(len(one) + 1 for one in told)))
    listed = "；".join(told[: len(kept)])
    if len(kept) < len(told):
        listed += phrase("cue", "etc", count=str(len(told)))
    return phrase(
        "cue", "coming" if owed.coming else "owed", cue=cue, stage=owed.stage, coming=owed.coming, duties=listed
    )


def _client(view: CourtView, rounds: list[Round], at: int) -> str:
    cue = _topic(view, rounds, at)
    name = "ask-first" if cue.kind == "ask" and cue.first else cue.kind
    asked = phrase("cue", name, question=" ".join(cue.question.split()))
    told = _told(view, rounds, at, cue)
    return phrase("cue", "told", cue=asked, told="".join(map(shown, told))) if told else asked


def _told(view: CourtView, rounds: list[Round], at: int, cue: TopicCue) -> tuple[str, ...]:
    """What of its story a client may tell in a round: the core at first, what belongs to a question with it, and what
    the other asked back."""
    background = str(view.held.get("client", {}).get("background", ""))
    if not background or cue.kind == "close":
        return ()
    parts = portions(background, view.held.get("topics", ()))
    core = parts.get(CORE, ()) if cue.first else ()
    mine = parts.get(cue.id, ()) if cue.kind == "ask" else ()
    asked = answering(background, [turn.text for turn in rounds[at].heard])
    return tuple(sorted({*core, *mine, *asked}, key=background.find))


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
