"""The conversation of a seat: card, then in turn what it heard and what it said; only its end ever grows.

Between two people it is a plain chat: what the other said is the whole message. Among several, each line begins with
its speaker, except what a judge has just said to a lawyer or the procurator. A cue follows where there is something
to tell the seat alone: a client's next question, what a judge does next, the end of its turns.

The record is read from the history of a view in rounds (what others said, what the seat was told, what it looked up,
what it said), so a round comes out the same in every later turn. When the record outgrows the room of the engine in
the seat, its older part is folded into the standing file in one go, and stays folded until there is no room again: in
between prompts begin alike, so what an engine has to read grows with the record, not with its square. Where the
published procedure is played (`j1`), nothing is folded unless the run asks for it. Sizes in characters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from models.engine import Message
from tasks.agents.native import words
from tasks.agents.tags import defused
from tasks.courts.agents.model.cards import ALL
from tasks.courts.agents.model.held import phrase, shown
from tasks.courts.agents.model.standing import counsel, line, shortened, standing_text
from tasks.courts.agents.trial.judge import words_for
from tasks.courts.environment import TopicCue, environment
from tasks.courts.play.following import Owed
from tasks.courts.play.standing import CORE, CourtView, answering, portions
from tasks.courts.procedure.model import Turn, speaker_of
from tasks.episode.events import ModelCalled, Said, ToolCalled, ToolReturned, TopicTracked
from tasks.episode.with_tools import SEAT

MARK = "【提示】"
"""Before every line of a cue; no words of others begin a line with it."""
NEXT = 900
"""Characters that the one thing may take which is next for a judge."""
ROUND = 80
"""Of these, what stands around it."""
NEAR_END = 3
"""Turns before the limit from which on the prompt says that they run out."""
STANDING, KEPT = 0.7, 0.15
"""Of the room for the record: what the standing file may take, and what stays word for word when the rest is folded.
What is left is room to grow before the next fold."""
ONE = 0.5
"""Of the room for the record that a single utterance may take."""
RESULT = 0.2
"""Of the room for the record that the result of a lookup may take."""
OwnWords = Callable[[Turn, str], str]
"""An own turn, and the reply of the model that made it or '' -> the words to repeat; a lookup likewise."""


@dataclass
class Lookup:
    """A call of a tool: the reply that made it ('' where no model did), and what came of it."""

    reply: str
    tool: str
    input: Any
    observation: str = ""


@dataclass
class Round:
    """One turn of the seat. reply: of the model that spoke, '' where none did; said: None in the turn that is to be
    made."""

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
    """What the seat alone was told, or is told now, before it spoke in a round; '' for nothing."""
    said = rounds[at].said
    if said is not None and said.number == 0:
        return ""
    if view.role == "client":
        return _client(view, rounds, at)
    if view.seat != SEAT:
        return ""
    number = said.number if said is not None else view.turn
    ending = view.limit - number < NEAR_END
    kind = environment(view.env).kind
    left = {"turn": str(number), "limit": str(view.limit)}
    cues = [phrase("cue", f"last-{kind}", **left) or phrase("cue", "last", **left)] if ending else []
    cues += [_next(view, view.owed)] if said is None and view.owed else []
    return "\n".join(cues)


def _next(view: CourtView, owed: Owed) -> str:
    """The one thing that is next; it stands in the last message alone, so that the record does not fill with what is
    out of date."""
    side = owed.duty.side if owed.duty else None
    again = phrase("cue", "reopen", stage=owed.stage) if owed.reopened else ""
    words = shown(shortened(again + words_for(view, owed), NEXT - ROUND))
    name = view.called(speaker_of("CR" if view.env == "CR" else "CI", side)) if side else ALL
    return phrase("cue", "judgment" if owed.parts else "next", stage=owed.stage, name=name, words=words)


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
    """What a client was to say in a round: as the tracker's word tells, for the turn to be made as the controller
    says."""
    if rounds[at].said is None and view.topic is not None:
        return view.topic
    topic = rounds[at].topic
    if not topic:
        return TopicCue("theme")
    questions: Mapping[str, str] = {one["id"]: one["question"] for one in view.held.get("topics", ())}
    again = any(earlier.topic == topic for earlier in rounds[:at])
    first = view.env == "LC" and at == 1
    return TopicCue("follow_up" if again else "ask", topic, questions.get(topic, ""), first=first and not again)


OwnCall = Callable[[Lookup], str]


def conversation(
    view: CourtView, card: str, own_words: OwnWords, own_call: OwnCall, beside: int = 0
) -> tuple[Message, ...]:
    """The prompt of a seat; `beside`: characters that a template adds to it, of tools that are told by it."""
    rounds = rounds_of(view)
    room = view.budget.characters(beside=len(card) + beside + (NEXT if view.owed else 0))
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
    turns = rounds[at].heard
    asks = counsel(view) and bool(turns) and turns[-1].speaker == "judge" and view.role in turns[-1].to
    heard = [line(view, turn, int(room * ONE), asked=asks and turn is turns[-1]) for turn in turns]
    cue = cue_text(view, rounds, at)
    if not heard and not cue:
        name = "speak" if at else "begin"
        cue = phrase("cue", f"{name}-{view.role}") or phrase("cue", name)
    return "\n".join(filter(None, (*heard, cue)))


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
    """Characters of a prompt by part: the card, the standing file, the record word for word, the last line of the
    cue."""
    card = sum(len(message.content) for message in messages if message.role == "system")
    talk = [message.content for message in messages if message.role != "system"]
    end = talk[0].find(phrase("standing", "end")) if talk and talk[0].startswith(phrase("standing", "head")) else -1
    filed = end + len(phrase("standing", "end")) if end >= 0 else 0
    last = talk[-1].rpartition("\n")[2] if talk else ""
    cue = len(last) if last.startswith(MARK) else 0
    return {"card": card, "standing": filed, "record": sum(map(len, talk)) - filed - cue, "cue": cue}
