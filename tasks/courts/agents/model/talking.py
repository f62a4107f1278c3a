"""The conversation of a seat: card, then in turn what it heard with its cue, and what it said; only its end ever grows.

When the record gets too long for a small context, its older part is folded into a digest in one go, and stays folded: later
prompts begin alike again, so what an engine has to read grows with the record, not with its square. Sizes in characters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from models.engine import Message
from models.sampling import CONTEXT
from tasks.courts.agents.model.held import shown
from tasks.courts.agents.model.phrases import phrase
from tasks.courts.agents.model.rounds import Lookup, Round, cue_text, rounds_of
from tasks.courts.casefile.roles import role_name
from tasks.courts.environment import Role
from tasks.courts.play.routing import shown as read_out
from tasks.courts.play.views import CourtView
from tasks.courts.procedure.turns import Turn
from tasks.legalsearch.agents.reading import defused

RECORD = 7000
"""The record in a prompt for a context of 8,192 tokens: with a card of some 2,500 and a reply, about as many tokens of a
model that knows Chinese."""
PER_TOKEN = 1.2
"""Of the record for each further token of context, with room to spare: models that know Chinese take 1.4 and more."""
KEPT, DIGEST = 3, 5
"""Parts of the record: one in so many stays word for word when the older part is folded, and one in so many is what the
rest is folded into. An engine that keeps own turns in memory then reads about three and a half times what is new, however
long the record gets."""
LINES = (60, 40, 20)
"""Of an utterance in the digest: the longest with which all of them fit; of the seat's own always the last."""
LONGEST = 3000
"""Of somebody else's utterance."""
OWN = 12_000
RESULT = 1600
"""Of what a tool returned."""

OwnWords = Callable[[Turn, str], str]
"""An own turn, and the reply of the model that made it or '' -> the words to repeat; a lookup likewise."""
OwnCall = Callable[[Lookup], str]


def conversation(view: CourtView, card: str, own_words: OwnWords, own_call: OwnCall) -> tuple[Message, ...]:
    """The prompt of a seat."""
    rounds = rounds_of(view)
    asked = [_asked(view, rounds, at) for at in range(len(rounds))]
    answered = [_answered(one, own_words, own_call) for one in rounds]
    sizes = [sum(len(message.content) for message in messages) for messages in answered]
    room = record_room(view.context)
    start = folded([len(text) for text in asked], sizes, room)
    messages = [Message("system", card)]
    for at in range(start, len(rounds)):
        before = f"{digest(view, rounds[:start], room // DIGEST)}\n" if at == start and start else ""
        messages += [Message("user", before + asked[at]), *answered[at]]
    return tuple(messages)


def record_room(context: int) -> int:
    """Characters of the record that are kept word for word before anything is folded.

    Args:
        context: of the engine in the seat, in tokens.
    """
    return max(RECORD // 2, RECORD + int((context - CONTEXT) * PER_TOKEN))


def folded(asked: Sequence[int], answered: Sequence[int], room: int = RECORD) -> int:
    """How many of the oldest rounds are folded, when the last is to be answered.

    Every round is looked at as when it was new, so the answer never depends on what came later.

    Args:
        asked: sizes of what was heard in each round.
        answered: sizes of what was said in each.
        room: characters of the record that a prompt may hold.
    """
    start = 0
    held = 0
    for at, heard in enumerate(asked):
        held += heard
        if held + (room // DIGEST if start else 0) > room:
            while start < at - 1 and held > room // KEPT:
                held -= asked[start] + answered[start]
                start += 1
        held += answered[at]
    return start


def digest(view: CourtView, rounds: Sequence[Round], room: int) -> str:
    """The folded rounds, a line an utterance; the oldest give way where there are too many."""
    turns = [turn for one in rounds for turn in (*one.heard, *([one.said] if one.said else []))]
    for most in LINES:
        lines = [_brief(view, turn, LINES[-1] if turn.speaker == view.role else most) for turn in turns]
        if sum(map(len, lines)) + len(lines) <= room:
            break
    kept = lines
    while sum(map(len, kept)) + len(kept) > room:
        kept = kept[1:]
    left_out = len(lines) - len(kept)
    dropped = [phrase("record", "dropped", count=str(left_out))] if left_out else []
    return "\n".join([phrase("record", "digest"), *dropped, *kept])


def _brief(view: CourtView, turn: Turn, most: int) -> str:
    """The beginning of an utterance on one line."""
    text = " ".join(_spoken(view, turn).split())
    text = f"{text[:most]}{phrase('record', 'more')}" if len(text) > most else text
    return phrase("record", "line", speaker=_name(view, turn.speaker), words=text or phrase("record", "silent"))


def _asked(view: CourtView, rounds: list[Round], at: int) -> str:
    lines = [_line(view, turn) for turn in rounds[at].heard]
    return "\n".join([*lines, cue_text(view, rounds, at)])


def _answered(one: Round, own: OwnWords, call: OwnCall) -> list[Message]:
    """What followed in a round: calls with their results, then the words."""
    messages: list[Message] = []
    for lookup in one.lookups:
        result = shown(_cut(defused(lookup.observation), RESULT))
        messages += [
            Message("assistant", call(lookup)), Message("user", phrase("cue", "result", result=result)),
        ]  # fmt: skip
    if one.said is not None:
        words = own(one.said, one.reply) if len(one.said.text) <= OWN else own(_shortened(one.said), "")
        messages.append(Message("assistant", words))
    return messages


def _shortened(turn: Turn) -> Turn:
    return Turn(turn.number, turn.speaker, turn.to, _cut(turn.text, OWN), turn.stage)


def _line(view: CourtView, turn: Turn) -> str:
    """An utterance of the record with its speaker; further lines are indented, so that none can pass for another's."""
    text = shown(_cut(_spoken(view, turn), LONGEST))
    return phrase("record", "line", speaker=_speaker(view, turn), words=text or phrase("record", "silent"))


def _spoken(view: CourtView, turn: Turn) -> str:
    return read_out(turn.text) if view.profile == "j1" else turn.text


def _speaker(view: CourtView, turn: Turn) -> str:
    if len(view.there) < 2 or not turn.to:
        return _name(view, turn.speaker)
    names = "、".join(_name(view, role) for role in turn.to)
    return phrase("record", "towards", speaker=_name(view, turn.speaker), names=names)


def _name(view: CourtView, role: Role) -> str:
    return phrase("record", "you") if role == view.role else role_name(role, view.env)


def _cut(text: str, most: int) -> str:
    """Head and tail of a text that is too long, and how much is left out."""
    if len(text) <= most:
        return text
    tail = most // 4
    head = most - tail
    return f"{text[:head]}{phrase('record', 'cut', count=str(len(text) - most))}{text[-tail:]}"
