"""The conversation of a seat: card, then in turn what it heard with its cue, and what it said; only its end ever
grows.

When the record outgrows the room of the engine in the seat, its older part is folded into the standing file in one
go, and stays folded until there is no room again: in between prompts begin alike, so what an engine has to read grows
with the record, not with its square. Where the published procedure is played (`j1`), nothing is folded unless the run
asks for it. Sizes in characters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from models.engine import Message
from tasks.courts.agents.model.held import shown
from tasks.courts.agents.model.lines import line, shortened
from tasks.courts.agents.model.phrases import phrase
from tasks.courts.agents.model.rounds import OWED, Lookup, Round, cue_text, rounds_of
from tasks.courts.agents.model.standing import standing_text
from tasks.courts.play.views import CourtView
from tasks.courts.procedure.turns import Turn
from tasks.legalsearch.agents.reading import defused

STANDING, KEPT = 0.7, 0.15
"""Of the room for the record: what the standing file may take, and what stays word for word when the rest is folded.
What is left is room to grow before the next fold."""
ONE = 0.5
"""Of the room for the record that a single utterance may take."""
RESULT = 0.2
"""Of the room for the record that the result of a lookup may take."""

OwnWords = Callable[[Turn, str], str]
"""An own turn, and the reply of the model that made it or '' -> the words to repeat; a lookup likewise."""
OwnCall = Callable[[Lookup], str]


def conversation(
    view: CourtView, card: str, own_words: OwnWords, own_call: OwnCall, beside: int = 0
) -> tuple[Message, ...]:
    """The prompt of a seat; `beside`: characters that a template adds to it, of tools that are told by it."""
    rounds = rounds_of(view)
    room = view.budget.characters(beside=len(card) + beside + (OWED if view.aided else 0))
    asked = [_asked(view, rounds, at, room) for at in range(len(rounds))]
    answered = [_answered(one, own_words, own_call, room) for one in rounds]
    sizes = [sum(len(message.content) for message in messages) for messages in answered]

    def filed(start: int) -> str:
        return f"{standing_text(view, turns_of(rounds[:start]), int(room * STANDING))}\n" if start else ""

    start = folded([len(text) for text in asked], sizes, room, lambda at: len(filed(at))) if view.folds else 0
    messages = [Message("system", card)]
    for at in range(start, len(rounds)):
        messages += [Message("user", (filed(start) if at == start else "") + asked[at]), *answered[at]]
    return tuple(messages)


def folded(asked: Sequence[int], answered: Sequence[int], room: int, filed: Callable[[int], int]) -> int:
    """How many of the oldest rounds are folded, when the last is to be answered.

    Every round is looked at as when it was new, so the answer never depends on what came later.

    Args:
        asked: sizes of what was heard in each round.
        answered: sizes of what was said in each.
        room: characters of the record that a prompt may hold.
        filed: size of the standing file of so many rounds.
    """
    start = held = 0
    before = 0
    for at, heard in enumerate(asked):
        held += heard
        if held + before > room and start < at:
            while start < at and held > room * KEPT:
                held -= asked[start] + answered[start]
                start += 1
            before = filed(start)
        held += answered[at]
    return start


def turns_of(rounds: Sequence[Round]) -> list[Turn]:
    """The utterances of rounds, in order."""
    return [turn for one in rounds for turn in (*one.heard, *([one.said] if one.said else []))]


def _asked(view: CourtView, rounds: list[Round], at: int, room: int) -> str:
    lines = [line(view, turn, int(room * ONE)) for turn in rounds[at].heard]
    return "\n".join([*lines, cue_text(view, rounds, at)])


def _answered(one: Round, own: OwnWords, call: OwnCall, room: int) -> list[Message]:
    """What followed in a round: calls with their results, then the words."""
    messages: list[Message] = []
    for lookup in one.lookups:
        result = shown(shortened(defused(lookup.observation), int(room * RESULT)))
        messages += [
            Message("assistant", call(lookup)), Message("user", phrase("cue", "result", result=result)),
        ]  # fmt: skip
    if one.said is not None:
        messages.append(Message("assistant", own(one.said, one.reply)))
    return messages


def parts(messages: Sequence[Message]) -> dict[str, int]:
    """Characters of a prompt by part: the card, the standing file, the record word for word with the cues before,
    the cue."""
    card = sum(len(message.content) for message in messages if message.role == "system")
    talk = [message.content for message in messages if message.role != "system"]
    end = talk[0].find(phrase("standing", "end")) if talk and talk[0].startswith(phrase("standing", "head")) else -1
    filed = end + len(phrase("standing", "end")) if end >= 0 else 0
    cue = len(talk[-1].rpartition("\n")[2]) if talk else 0
    return {"card": card, "standing": filed, "record": sum(map(len, talk)) - filed - cue, "cue": cue}
