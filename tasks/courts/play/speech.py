"""What is wrong with an utterance of a seat, seen from what the seat was told and what was said before
(`tasks.agents.degenerate`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from tasks.agents.degenerate import Exchange, fault
from tasks.agents.prompts import load, table
from tasks.courts.environment import PLAIN_CARD, Role, environment
from tasks.courts.play.record import shown
from tasks.courts.play.standing import CourtView
from tasks.courts.procedure.model import Turn
from tasks.episode.events import Fault, Said, TopicTracked

PHRASES = "court-phrases/1"
"""The prompt file with the short phrases of every seat."""
REASONING_OF_A_JUDGMENT = "本院认为"
"""Stands in every judgment (paper of J1-Eval, rule of a finished trial)."""
_SLOT = re.compile(r"\{\w+\}")


def fault_of(view: CourtView, text: str, to: Sequence[Role] = (), topic: str = "") -> Fault:
    """Why an utterance says nothing of its own, '' where it does; documents and judgments are none of these.
    Whoever is asked of the same `topic` again, in whatever words, may answer the same.

    A trial has its formulas: a party may end as it began, and a judge asks the same of each in turn (`to`), of the
    next exhibit, and once more where he got no answer, so of him only the very words count that he said just before
    to the same people, and what was put back to him is his own.
    """
    if is_document(view, text):
        return ""
    trial = environment(view.env).trial
    record = view.record
    earlier = [
        Exchange(_asked(view, view.record[:at]), turn.text)
        for at, turn in enumerate(view.record)
        if turn.speaker == view.role
    ]
    if topic:
        earlier = [one for one, of in zip(earlier, _topics(view), strict=True) if of != topic]
    if trial and view.role == "judge":
        last = next((turn for turn in reversed(view.record) if turn.speaker == view.role), None)
        same = last is not None and last.to == tuple(to) and shown(last.text) == shown(text)
        earlier = [Exchange(text, text)] if same else []  # whatever he was told in between
        record = tuple(turn for turn in record if turn.fault != "echo")
    seats = environment(view.env).seats
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
    here = environment(view.env)
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
