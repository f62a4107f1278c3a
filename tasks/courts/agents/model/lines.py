"""How an utterance stands in a prompt: who said it to whom, and its words, further lines indented, so that none can
pass for another's. Sizes in characters."""

from __future__ import annotations

from tasks.courts.agents.model.held import shown
from tasks.courts.agents.model.phrases import phrase
from tasks.courts.environment import Role
from tasks.courts.play.routing import shown as read_out
from tasks.courts.play.views import CourtView
from tasks.courts.procedure.turns import Turn


def line(view: CourtView, turn: Turn, most: int) -> str:
    """An utterance of the record with its speaker; one that alone would fill the prompt keeps head and tail."""
    text = shown(shortened(spoken(view, turn), most))
    return phrase("record", "line", speaker=_towards(view, turn), words=text or phrase("record", "silent"))


def spoken(view: CourtView, turn: Turn) -> str:
    """What was heard of an utterance: without the published markers."""
    text = read_out(turn.text) if view.profile == "j1" else turn.text
    return f"{text}{phrase('record', 'unfinished')}" if turn.unfinished else text


def named(view: CourtView, role: Role) -> str:
    """What a role is called in the prompt of a seat."""
    return phrase("record", "you") if role == view.role else view.called(role)


def _towards(view: CourtView, turn: Turn) -> str:
    if len(view.there) < 2 or not turn.to:
        return named(view, turn.speaker)
    names = "、".join(named(view, role) for role in turn.to)
    return phrase("record", "towards", speaker=named(view, turn.speaker), names=names)


def shortened(text: str, most: int) -> str:
    """Head and tail of a text that is too long, and how much is left out."""
    if len(text) <= most:
        return text
    tail = most // 4
    head = most - tail
    left = phrase("record", "cut", count=str(len(text) - most))
    return f"{text[:head]}{left}{text[len(text) - tail :]}"
