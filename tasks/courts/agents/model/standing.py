"""An utterance as a prompt shows it, who said it to whom, further lines indented, so that none can pass for
another's; and the standing file: what the folded part of the record said, so that nothing of weight is lost.

Sizes in characters. Where all of it does not fit, what weighs least gives way first, and what was left out is
counted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.courts.agents.model.held import INDENT, phrase, shown
from tasks.courts.environment import Role, environment
from tasks.courts.play.record import shown as read_out
from tasks.courts.play.standing import CourtView, ExhibitNote, Noted, standing
from tasks.courts.procedure.model import Turn

WIDTHS: tuple[tuple[int, int, int], ...] = (
    (0, 400, 80), (0, 200, 40), (0, 100, 20), (0, 60, -1), (0, 30, -1), (0, -1, -1), (600, -1, -1), (300, -1, -1),
    (150, -1, -1),
    (60, -1, -1), (-1, -1, -1),
)  # fmt: skip
"""Of an utterance of weight core, talk and rest: the first row with which all fits. 0: whole, -1: left out."""
TALK = 0.6
"""Of the room of a standing file: what it may take as long as there is more than the core in it."""
_PLACE = {"core": 0, "talk": 1, "rest": 2}
_SPEAKER = re.compile(r"[^。，；！？\n]{1,24}[：:]")
"""How the line of a speaker begins."""


def line(view: CourtView, turn: Turn, most: int, *, asked: bool = False) -> str:
    """An utterance of the record, with its speaker where there are several; one that alone would fill the prompt
    keeps head and tail.

    Between two people it stands alone, and so does what a judge has just `asked` of the seat: a small model puts back
    what reads as a line of a transcript, and answers what it is told. What could pass for a mark of ours or for
    another speaker is indented.
    """
    text = shown(shortened(spoken(view, turn), most)) or phrase("record", "silent")
    if plain_chat(view) or asked:
        marked = text.startswith("【") or (asked and _SPEAKER.match(text))
        return f"{INDENT}{text}" if marked else text
    return phrase(
        "record", "line-client" if view.role == "client" else "line", speaker=_towards(view, turn), words=text
    )


def counsel(view: CourtView) -> bool:
    """Whether the seat is a lawyer's or the procurator's, in a trial under `law`: who answers a judge, and may be let
    ask others."""
    return view.profile == "law" and environment(view.env).seats[view.role].asks


def plain_chat(view: CourtView) -> bool:
    """Whether the seat talks with one other person, and is no client, who is told what to ask beside it."""
    return len(view.there) < 2 and view.role != "client"


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


def standing_text(view: CourtView, turns: Sequence[Turn], room: int) -> str:
    """The file of these utterances, the first of the record, in at most `room` characters where that can be done.

    What is not of the core takes part of the room only: the more is left, the longer it takes to the next fold.
    """
    kept = standing(view.history, turns, view.role, trial=environment(view.env).trial)
    exhibits = [_exhibit(view, note) for note in kept.exhibits]
    text = ""
    for widths in WIDTHS:
        lines = _lines(view, kept.notes, widths)
        text = "\n".join([phrase("standing", "head"), *exhibits, *lines, phrase("standing", "end")])
        if len(text) <= (room if widths[1] < 0 else room * TALK):
            break
    return text


def _lines(view: CourtView, notes: Sequence[Noted], widths: tuple[int, int, int]) -> list[str]:
    """Utterances under the duty that they did, in the order in which the duties came up; then the rest."""
    headed: dict[str, list[str]] = {}
    others: list[str] = []
    dropped = 0
    for note in notes:
        width = widths[_PLACE[note.weight]]
        if width < 0:
            dropped += 1
        elif note.weight == "core":
            headed.setdefault(note.heading or phrase("standing", "told"), []).append(_line(view, note.turn, width))
        else:
            others.append(_line(view, note.turn, width))
    lines = [line for heading, under in headed.items() for line in (phrase("standing", "part", duty=heading), *under)]
    if others:
        lines += [phrase("standing", "part", duty=phrase("standing", "others")), *others]
    return [*lines, phrase("standing", "dropped", count=str(dropped))] if dropped else lines


def _line(view: CourtView, turn: Turn, width: int) -> str:
    text = spoken(view, turn)
    if 0 < width < len(text):
        text = f"{text[:width]}{phrase('record', 'cut', count=str(len(text) - width))}"
    words = shown(text) or phrase("record", "silent")
    return phrase("standing", "line", turn=str(turn.number), speaker=named(view, turn.speaker), words=words)


def _exhibit(view: CourtView, note: ExhibitNote) -> str:
    """Where an exhibit stands: whose it is, when it was offered, when the others were heard on it."""
    heard = "、".join(str(turn) for turn in dict.fromkeys(note.heard))
    return phrase(
        "standing", "exhibit", title=shown(note.title), side=phrase("side", note.side),
        shown="" if note.shown is None else phrase("standing", "shown", turn=str(note.shown)),
        heard=phrase("standing", "heard", turns=heard) if heard else "", state=note.state,
    )  # fmt: skip
