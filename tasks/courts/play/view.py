"""What a seat of a court is shown when it is asked to speak, who may sit there, and what is wrong with its words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any, Protocol

from store.search.law_search import LawSearch
from tasks.agents.budgets import ContextBudget
from tasks.agents.degenerate import PromptReply, fault
from tasks.agents.prompts import load, table
from tasks.courts.casefile.case import Env, Fields
from tasks.courts.casefile.people import Level
from tasks.courts.casefile.roles import Standpoint, names_of
from tasks.courts.environment import PLAIN_CARD, Environment, Role, TopicCue
from tasks.courts.play.record import NextDuty, shown
from tasks.courts.procedure.model import ProfileName, Turn
from tasks.episode.events import Fault, Said, TopicTracked
from tasks.episode.seats import Move, Say, View

PHRASES = "court-phrases/1"
"""The prompt file with the short phrases of every seat."""
REASONING_OF_A_JUDGMENT = "本院认为"
"""Stands in every judgment (paper of J1-Eval, rule of a finished trial)."""
_SLOT = re.compile(r"\{\w+\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CourtView(View):
    """The view of a seat of a court.

    role: as the visibility table names it. here: the environment. case_id: of the case. held: the fields that the
    role holds, with the shape of the case file, empty ones left out. never: what the role must not do, for prompts.
    record: all that was said, speakers and addressees by role. turn, limit: number of the exchange and how many there
    may be. there: roles that may be addressed. topic: what somebody who asks for advice does now. traits: levels of
    the five traits, {} for professionals. day: the day whose law applies to the procedure, or on which advice is
    asked. tools: names of the tools it may call now, offered: of those that it has at all. budget: the room of the
    engine in the seat. folds: whether the older part of the record may be folded. standpoints: fact -> where the
    seat's side stands to it. owed: what a judge does next, where he is told. measured: whether the run measures this
    seat, and nobody helps it.
    """

    role: Role
    here: Environment
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
    budget: ContextBudget = ContextBudget()
    folds: bool = True
    standpoints: Mapping[str, Standpoint] = field(default_factory=dict)
    owed: NextDuty | None = None
    measured: bool = True

    @property
    def env(self) -> Env:
        """The code of the environment."""
        return self.here.code

    @property
    def asked(self) -> Turn | None:
        """The last utterance of somebody else: what is to be answered."""
        return next((turn for turn in reversed(self.record) if turn.speaker != self.role), None)

    def called(self, role: Role) -> str:
        """What a role is called in this case: 审判员 where one judge sits alone, 原告 where a party has no lawyer."""
        seat = self.here.seats.get(role)
        return names_of(self.card).get(role) or (seat.name if seat else role)

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


class CourtRules:
    """A policy without a model: one utterance a turn, nobody is asked. search: the statutes of the run, if any."""

    def __init__(self, search: LawSearch | None = None) -> None:
        self.search = search

    def move(self, view: CourtView) -> Move:
        """One utterance."""
        yield from ()
        return self._speak(view)

    def _speak(self, view: CourtView) -> Say:
        raise NotImplementedError


# --- what is wrong with an utterance --------------------------------------------------------------------------------


def fault_of(view: CourtView, text: str, to: Sequence[Role] = (), topic: str = "") -> Fault:
    """Why an utterance says nothing of its own, '' where it does; documents and judgments are none of these.
    Whoever is asked of the same `topic` again, in whatever words, may answer the same.

    A trial has its formulas: a party may end as it began, and a judge asks the same of each in turn (`to`), of the
    next exhibit, and once more where he got no answer, so of him only the very words count that he said just before
    to the same people, and what was put back to him is his own.
    """
    if is_document(view, text):
        return ""
    trial = view.here.trial
    record = view.record
    earlier = [
        PromptReply(_asked(view, view.record[:at]), turn.text)
        for at, turn in enumerate(view.record)
        if turn.speaker == view.role
    ]
    if topic:
        earlier = [one for one, of in zip(earlier, _topics(view), strict=True) if of != topic]
    if trial and view.role == "judge":
        last = next((turn for turn in reversed(view.record) if turn.speaker == view.role), None)
        same = last is not None and last.to == tuple(to) and shown(last.text) == shown(text)
        earlier = [PromptReply(text, text)] if same else []  # whatever he was told in between
        record = tuple(turn for turn in record if turn.fault != "echo")
    seats = view.here.seats
    card = seats[view.role].card or PLAIN_CARD
    names = {name for role in view.there for name in (view.called(role), seats[role].name)}
    return fault(
        text,
        _asked(view, record),
        earlier,
        given="\n".join(_texts(view.held)),
        instructions=_instructions(card),
        others=sorted(names),
        again=int(trial and view.role != "judge"),
    )


def _topics(view: CourtView) -> list[str]:
    """Of each utterance of the seat, the topic that it was asked; '' for none."""
    found: list[str] = []
    for record in view.history:
        if isinstance(event := record.event, Said) and event.seat == view.seat:
            found.append("")
        elif isinstance(event, TopicTracked) and found:
            found[-1] = event.pointer
    return found


def _asked(view: CourtView, before: Sequence[Turn]) -> str:
    """What a seat answers: the last that was said to it, or by the judge, else to anybody."""
    others = [turn for turn in reversed(before) if turn.speaker != view.role]
    to_it = (turn for turn in others if view.role in turn.to or turn.speaker == "judge")
    return next(to_it, others[0]).text if others else ""


def is_document(view: CourtView, text: str) -> bool:
    """Whether an utterance is what the environment is there for: a court paper or a judgment."""
    here = view.here
    if here.kind == "draft":
        return view.role == here.tested and table(PHRASES)["document"].get(view.env, "\n") in text
    return here.trial and view.role == "judge" and REASONING_OF_A_JUDGMENT in text


@lru_cache(maxsize=32)
def _instructions(card: str) -> str:
    """The words of a card and of cues, without what a case fills in."""
    return _SLOT.sub("\n", "\n".join((load(card), *_texts(table(PHRASES)["cue"]))))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, Sequence):
        for one in value:
            yield from _texts(one)
