"""The conversation of a seat: card, then in turn what it heard and what it said; only its end ever grows.

Between two people it is a plain chat: what the other said is the whole message. Among several, each line begins with
its speaker, except what a judge has just said to a lawyer or the procurator. A cue follows where there is something
to tell the seat alone: a client's next question, what a judge does next, the end of its turns.
Further lines of an utterance are indented, so that none can pass for another's.

The record is read from the history of a view in rounds (what others said, what the seat was told, what it looked up,
what it said), so a round comes out the same in every later turn. When the record outgrows the room of the engine in
the seat, its older part is folded into the standing file in one go, and stays folded until there is no room again: in
between prompts begin alike, so what an engine has to read grows with the record, not with its square. Where the
published procedure is played (`j1`), nothing is folded unless the run asks for it. Sizes in characters.

The standing file keeps what must never be forgotten of the folded part, from the record and from what the procedure
made of it: which words pleaded, answered, offered or contested something, with the turn, and where every exhibit
stands. Nothing of the case file is in it that was not said. Where all of it does not fit, what weighs least gives way
first, and what was left out is counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from models.engine import Message
from tasks.agents.native import words
from tasks.agents.tags import defused
from tasks.courts.agents.model.card import ALL, INDENT, counsel, phrase, plain_chat, shown
from tasks.courts.agents.trial.judge import words_for
from tasks.courts.environment import Role, TopicCue
from tasks.courts.play.record import NextDuty
from tasks.courts.play.record import shown as read_out
from tasks.courts.play.view import CourtView
from tasks.courts.procedure.model import Turn, speaker_of
from tasks.courts.scores.bigrams import bigrams, sentences
from tasks.episode.events import (
    ActDone,
    ExhibitMoved,
    ModelCalled,
    Record,
    Said,
    StageEntered,
    ToolCalled,
    ToolReturned,
    TopicTracked,
)
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
class ToolLookup:
    """A call of a tool: the reply that made it ('' where no model did), and what came of it."""

    reply: str
    tool: str
    input: Any
    observation: str = ""


@dataclass
class SeatRound:
    """One turn of the seat. reply: of the model that spoke, '' where none did; said: None in the turn that is to be
    made."""

    heard: list[Turn] = field(default_factory=list)
    lookups: list[ToolLookup] = field(default_factory=list)
    reply: str = ""
    said: Turn | None = None
    topic: str = ""
    """Topic that the seat's words asked, where the tracker names it."""


def rounds_of(view: CourtView) -> list[SeatRound]:
    """All rounds in order, the open one last."""
    made = [SeatRound()]
    turns = iter(view.record)
    for record in view.history:
        open_round = made[-1]
        match record.event:
            case Said():
                _spoken(view, made, next(turns))
            case ModelCalled(human=False) as event if event.seat == view.seat:
                open_round.reply = words(event)
            case ToolCalled() as event if event.seat == view.seat:
                open_round.lookups.append(ToolLookup(open_round.reply, event.tool, event.input))
                open_round.reply = ""
            case ToolReturned() as event if event.seat == view.seat and open_round.lookups:
                open_round.lookups[-1].observation = event.observation
            case TopicTracked() as event if len(made) > 1:
                made[-2].topic = event.pointer
    return made


def _spoken(view: CourtView, made: list[SeatRound], turn: Turn) -> None:
    if turn.speaker == view.role:
        made[-1].said = turn
        made.append(SeatRound())
    else:
        made[-1].heard.append(turn)


def cue_text(view: CourtView, rounds: list[SeatRound], at: int) -> str:
    """What the seat alone was told, or is told now, before it spoke in a round; '' for nothing."""
    said = rounds[at].said
    if said is not None and said.number == 0:
        return ""
    if view.role == "client":
        return _client(view, rounds, at)
    if view.seat != SEAT:
        asked = view.here.kind == "draft" and view.profile == "law"
        return phrase("cue", "answer", name=view.called(view.role)) if asked else ""
    number = said.number if said is not None else view.turn
    ending = view.limit - number < NEAR_END
    kind = view.here.kind
    left = {"turn": str(number), "limit": str(view.limit)}
    cues = [phrase("cue", f"last-{kind}", **left) or phrase("cue", "last", **left)] if ending else []
    cues += [_next(view, view.owed)] if said is None and view.owed else []
    return "\n".join(cues)


def _next(view: CourtView, owed: NextDuty) -> str:
    """The one thing that is next; it stands in the last message alone, so that the record does not fill with what is
    out of date."""
    side = owed.duty.side if owed.duty else None
    again = phrase("cue", "reopen", stage=owed.stage) if owed.reopened else ""
    words = shown(shortened(again + words_for(view, owed), NEXT - ROUND))
    name = view.called(speaker_of("CR" if view.env == "CR" else "CI", side)) if side else ALL
    return phrase("cue", "judgment" if owed.parts else "next", stage=owed.stage, name=name, words=words)


def _client(view: CourtView, rounds: list[SeatRound], at: int) -> str:
    cue = _topic(view, rounds, at)
    name = "ask-first" if cue.kind == "ask" and cue.first else cue.kind
    asked = phrase("cue", name, question=" ".join(cue.question.split()))
    told = _told(view, rounds, at, cue)
    return phrase("cue", "told", cue=asked, told="".join(map(shown, told))) if told else asked


def _told(view: CourtView, rounds: list[SeatRound], at: int, cue: TopicCue) -> tuple[str, ...]:
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


def _topic(view: CourtView, rounds: list[SeatRound], at: int) -> TopicCue:
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


OwnCall = Callable[[ToolLookup], str]


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


def turns_of(rounds: Sequence[SeatRound]) -> list[Turn]:
    """The utterances of rounds, in order."""
    return [turn for one in rounds for turn in (*one.heard, *([one.said] if one.said else []))]


def _asked(view: CourtView, rounds: list[SeatRound], at: int, room: int) -> str:
    turns = rounds[at].heard
    asks = counsel(view) and bool(turns) and turns[-1].speaker == "judge" and view.role in turns[-1].to
    heard = [line(view, turn, int(room * ONE), asked=asks and turn is turns[-1]) for turn in turns]
    cue = cue_text(view, rounds, at)
    if not heard and not cue:
        name = "speak" if at else "begin"
        cue = phrase("cue", f"{name}-{view.role}") or phrase("cue", name)
    return "\n".join(filter(None, (*heard, cue)))


def _answered(one: SeatRound, own: OwnWords, call: OwnCall, room: int) -> list[Message]:
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


# --- an utterance ---------------------------------------------------------------------------------------------------

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


# --- the standing file ----------------------------------------------------------------------------------------------

WIDTHS: tuple[tuple[int, int, int], ...] = (
    (0, 400, 80), (0, 200, 40), (0, 100, 20), (0, 60, -1), (0, 30, -1), (0, -1, -1), (600, -1, -1), (300, -1, -1),
    (150, -1, -1),
    (60, -1, -1), (-1, -1, -1),
)  # fmt: skip
"""Of an utterance of weight core, talk and rest: the first row with which all fits. 0: whole, -1: left out."""
TALK = 0.6
"""Of the room of a standing file: what it may take as long as there is more than the core in it."""
_PLACE = {"core": 0, "talk": 1, "rest": 2}
Weight = Literal["core", "talk", "rest"]
"""core: pleadings, issues, exhibits, answers of the investigation; outside a trial whatever the others told. talk:
other duties that were answered. rest: everything else."""
HEARD = "investigation"
"""The stage in which both sides say what the case is about and show what proves it."""


@dataclass(frozen=True, slots=True)
class UtteranceNote:
    """An utterance in the file. heading: the duty that it did, '' for none."""

    turn: Turn
    weight: Weight
    heading: str = ""


@dataclass(slots=True)
class ExhibitNote:
    """An exhibit that was offered. side: of whom; shown, heard: turns; state: as the procedure has it."""

    title: str
    side: str = ""
    shown: int | None = None
    heard: list[int] = field(default_factory=list)
    state: str = ""


@dataclass(frozen=True, slots=True)
class StandingFile:
    """The file after so many utterances; notes in the order of the record."""

    notes: tuple[UtteranceNote, ...]
    exhibits: tuple[ExhibitNote, ...]


def standing(history: Iterable[Record], turns: Sequence[Turn], role: str, *, trial: bool) -> StandingFile:
    """The standing file of the first utterances of an episode.

    Args:
        history: the records of the episode; those after the last of `turns` are not read.
        turns: the utterances, from the first on.
        role: whose file it is: outside a trial the words of the other are what counts.
        trial: whether the procedure of a court is kept in it.
    """
    acts, exhibits = _followed(history, len(turns))
    core: dict[int, str] = {}
    talk: dict[int, str] = {}
    question = -1
    for place, turn in enumerate(turns):
        if turn.speaker == "judge":
            question = place
        done = acts.get(place, ())
        heard = next((act for act, stage in done if stage == HEARD), None)
        if heard is not None:
            core[place] = heard.name
            if question >= 0 and heard.side and len(turns[question].text) > 2 * len(turn.text):
                core.setdefault(question, heard.name)  # a short answer means nothing without what it answers
        elif done:
            talk[place] = done[0][0].name
        elif not trial and turn.speaker != role:
            core[place] = ""
    notes = tuple(
        UtteranceNote(turn, "core", core[place]) if place in core
        else UtteranceNote(turn, "talk", talk[place]) if place in talk
        else UtteranceNote(turn, "rest")
        for place, turn in enumerate(turns)
    )  # fmt: skip
    return StandingFile(notes, tuple(exhibits.values()))


def _followed(
    history: Iterable[Record], count: int
) -> tuple[Mapping[int, list[tuple[ActDone, str]]], Mapping[str, ExhibitNote]]:
    """What the procedure made of the first `count` utterances: acts with their stage by place, and the exhibits."""
    acts: dict[int, list[tuple[ActDone, str]]] = {}
    exhibits: dict[str, ExhibitNote] = {}
    place, stage = -1, ""
    for record in history:
        match record.event:
            case Said():
                place += 1
                if place == count:
                    break
            case StageEntered() as event:
                stage = event.stage
            case ActDone() as event:
                acts.setdefault(place, []).append((event, stage))
                if event.exhibit:
                    _note(exhibits.setdefault(event.exhibit, ExhibitNote("")), event)
            case ExhibitMoved() as event:
                note = exhibits.setdefault(event.exhibit, ExhibitNote(""))
                note.title, note.state = event.title, event.state
            case _:
                pass
    return acts, {identity: note for identity, note in exhibits.items() if note.title}


def _note(note: ExhibitNote, event: ActDone) -> None:
    if event.key.startswith("exhibit/"):
        note.side, note.shown = event.side, event.turn
    else:
        note.heard.append(event.turn)


def standing_text(view: CourtView, turns: Sequence[Turn], room: int) -> str:
    """The file of these utterances, the first of the record, in at most `room` characters where that can be done.

    What is not of the core takes part of the room only: the more is left, the longer it takes to the next fold.
    """
    kept = standing(view.history, turns, view.role, trial=view.here.trial)
    exhibits = [_exhibit(view, note) for note in kept.exhibits]
    text = ""
    for widths in WIDTHS:
        lines = _lines(view, kept.notes, widths)
        text = "\n".join([phrase("standing", "head"), *exhibits, *lines, phrase("standing", "end")])
        if len(text) <= (room if widths[1] < 0 else room * TALK):
            break
    return text


def _lines(view: CourtView, notes: Sequence[UtteranceNote], widths: tuple[int, int, int]) -> list[str]:
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


# --- the story of a client ------------------------------------------------------------------------------------------

MOST = 0.6
"""Of the story, that one turn takes."""
BELONGS = 2
"""Pairs that a sentence and a topic share, from which on it belongs there."""
ANSWERS = 2
"""Pairs that a sentence and a question of the other share, from which on it may answer it."""
CORE = ""
"""The place of what belongs to no topic."""
_ASKS = ("？", "?", "吗", "呢")


def portions(background: str, topics: Sequence[Mapping[str, Any]]) -> Mapping[str, tuple[str, ...]]:
    """Id of a topic, or CORE -> its sentences, in the order of the story; the first sentence is core.

    No turn takes more than `MOST` of the story but for a single sentence, the core, half as much, counted with the
    first
    topic: what is too much for one waits for the next, the sentences that are nearest to it stay.

    Args:
        background: the story.
        topics: as JSON data, with id, question and aliases.
    """
    parts = [part.strip() for part in sentences(background)]
    asked = {str(topic["id"]): _pairs([topic["question"], *topic.get("aliases", ())]) for topic in topics}
    shared = {name: [len(bigrams(part) & pairs) for part in parts] for name, pairs in asked.items()}
    placed: dict[str, list[int]] = {CORE: [], **{name: [] for name in asked}}
    for at in range(len(parts)):
        best = max(shared, key=lambda name: shared[name][at], default=CORE)
        placed[best if at and best and shared[best][at] >= BELONGS else CORE].append(at)
    size, waiting = 0, list[int]()
    last = list(placed)[-1]
    for name in placed:
        mine = sorted([*placed[name], *waiting], key=lambda at: (-shared[name][at] if name else 0, at))
        most = MOST * len(background) / (1 if name else 2)
        placed[name], waiting = [], []
        for at in mine:
            kept = size + len(parts[at]) <= most or not placed[name] or name == last
            (placed[name] if kept else waiting).append(at)
            size += len(parts[at]) if kept else 0
        size = 0 if name else size
    return {name: tuple(parts[at] for at in sorted(own)) for name, own in placed.items() if own}


def answering(background: str, heard: Sequence[str]) -> tuple[str, ...]:
    """The sentence of the story nearest to each question in what was heard, in the order of the story."""
    parts = [part.strip() for part in sentences(background)]
    near: set[int] = set()
    for question in (part.strip() for text in heard for part in sentences(text)):
        if question.endswith(_ASKS):
            shared = [len(bigrams(part) & bigrams(question)) for part in parts]
            if max(shared, default=0) >= ANSWERS:
                near.add(shared.index(max(shared)))
    return tuple(parts[at] for at in sorted(near))


def _pairs(texts: Sequence[str]) -> frozenset[str]:
    return frozenset().union(*map(bigrams, texts))
