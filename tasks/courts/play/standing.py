"""The standing file of an episode: what must never be forgotten of what was said, with the turn in which it was said.

The controller keeps it from the record and from what the procedure made of it: which words pleaded, answered, offered
or contested something, and where every exhibit stands. Nothing of the case file is in it that was not said. Places
are those of utterances in the record, from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, Protocol

from store.search.law_search import LawSearch
from tasks.agents.budgets import Budget
from tasks.courts.casefile.case import Env, Fields
from tasks.courts.casefile.people import Level
from tasks.courts.casefile.roles import Standpoint, names_of, role_name
from tasks.courts.environment import Role, TopicCue
from tasks.courts.play.following import Owed
from tasks.courts.procedure.model import ProfileName, Turn
from tasks.courts.scores.bigrams import bigrams, sentences
from tasks.episode.actions import Move, Say
from tasks.episode.events import ActDone, ExhibitMoved, Record, Said, StageEntered
from tasks.episode.seats import View

Weight = Literal["core", "talk", "rest"]
"""core: pleadings, issues, exhibits, answers of the investigation; outside a trial whatever the others told. talk:
other duties that were answered. rest: everything else."""
HEARD = "investigation"
"""The stage in which both sides say what the case is about and show what proves it."""


@dataclass(frozen=True, slots=True)
class Noted:
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
class Standing:
    """The file after so many utterances; notes in the order of the record."""

    notes: tuple[Noted, ...]
    exhibits: tuple[ExhibitNote, ...]


def standing(history: Iterable[Record], turns: Sequence[Turn], role: str, *, trial: bool) -> Standing:
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
        Noted(turn, "core", core[place]) if place in core
        else Noted(turn, "talk", talk[place]) if place in talk
        else Noted(turn, "rest")
        for place, turn in enumerate(turns)
    )  # fmt: skip
    return Standing(notes, tuple(exhibits.values()))


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
                    _exhibit(exhibits.setdefault(event.exhibit, ExhibitNote("")), event)
            case ExhibitMoved() as event:
                note = exhibits.setdefault(event.exhibit, ExhibitNote(""))
                note.title, note.state = event.title, event.state
            case _:
                pass
    return acts, {identity: note for identity, note in exhibits.items() if note.title}


def _exhibit(note: ExhibitNote, event: ActDone) -> None:
    if event.key.startswith("exhibit/"):
        note.side, note.shown = event.side, event.turn
    else:
        note.heard.append(event.turn)


@dataclass(frozen=True, slots=True, kw_only=True)
class CourtView(View):
    """The view of a seat of a court.

    role: as the visibility table names it. case_id: of the case. held: the fields that the role holds, with the shape
    of the case file, empty ones left out. never: what the role must not do, for prompts. record: all that was said,
    speakers and addressees by role. turn, limit: number of the exchange and how many there may be. there: roles that
    may be addressed.
    topic: what somebody who asks for advice does now. traits: levels of the five traits, {} for professionals.
    day: the day whose law applies to the procedure, or on which advice is asked. tools: names of the tools it may
    call now, offered: of those that it has at all. budget: the room of the engine in the seat. folds: whether the
    older part of the record may be folded. standpoints: fact -> where the seat's side stands to it. owed: what a
    judge does next, where he is told. measured: whether the run measures this seat, and nobody helps it.
    """

    role: Role
    env: Env
    profile: ProfileName
    case_id: str
    held: Fields
    never: Sequence[str] = ()
    record: tuple[Turn, ...] = ()
    turn: int = 1
    limit: int = 1
    there: tuple[Role, ...] = ()
    topic: TopicCue | None = None
    traits: Mapping[str, Level] = field(default_factory=dict)
    day: date | None = None
    tools: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    budget: Budget = Budget()
    folds: bool = True
    standpoints: Mapping[str, Standpoint] = field(default_factory=dict)
    owed: Owed | None = None
    measured: bool = True

    @property
    def asked(self) -> Turn | None:
        """The last utterance of somebody else: what is to be answered."""
        return next((turn for turn in reversed(self.record) if turn.speaker != self.role), None)

    def called(self, role: Role) -> str:
        """What a role is called in this case: 审判员 where one judge sits alone, 原告 where a party has no lawyer."""
        return names_of(self.card).get(role) or role_name(role, self.env)

    @property
    def own(self) -> tuple[Turn, ...]:
        """What this seat has said so far, the fixed line included."""
        return tuple(turn for turn in self.record if turn.speaker == self.role)


class CourtPolicy(Protocol):
    """Makes the moves of a seat of a court. All that matters between moves is in the view; it keeps no memory of its
    own."""

    def move(self, view: CourtView) -> Move:
        """One move: yields events and Asks, returns `Say`, or `CallTool` with one of the tools of the view."""
        ...


class RulesPolicy:
    """A policy without a model: one utterance a turn, nobody is asked. search: the statutes of the run, if any."""

    def __init__(self, search: LawSearch | None = None) -> None:
        self.search = search

    def move(self, view: CourtView) -> Move:
        """One utterance."""
        yield from ()
        return self._speak(view)

    def _speak(self, view: CourtView) -> Say:
        raise NotImplementedError


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
