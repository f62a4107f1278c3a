"""A side that has the floor in a trial: what it was asked, the exhibits that it has shown and those that it is asked
about, what it holds against them, what it has to say to the points of the other side.

Titles tell exhibits, in whatever order they are offered; where they do not, the number of an id in the case file (E6
behind five own ones is the first of the other side). Everything is read from the record, so that whoever sat there
before makes no difference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from tasks.courts.agents.own_words import owns, parts_of
from tasks.courts.agents.trial.exhibits import Offer, offers_in
from tasks.courts.play.views import CourtView
from tasks.courts.procedure.acts import parse
from tasks.courts.procedure.replies import numbers_named
from tasks.courts.procedure.turns import Turn
from tasks.episode.actions import Move, Say

GROUNDS = ("truth", "legality", "relevance", "weight", "text")
Shown = list[tuple[int, Sequence[Offer]]]
"""Places in the record, and what was offered there."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing that is asked: its kind, and the words that ask it."""

    kind: str
    words: str


class Party:
    """One utterance of a side. words: that ask for what it answers now; to: whom it addresses, where that is not the
    court."""

    offering: ClassVar[str]
    viewing: ClassVar[str]
    """Kinds of question: for exhibits, and for a view on them."""
    debates: ClassVar[Collection[str]]
    """Acts of the court that open a round of the debate."""

    def __init__(self, view: CourtView) -> None:
        self.view = view
        self.words = ""
        self.to: tuple[str, ...] = ()

    def asks(self, text: str, role: str) -> Sequence[Asked]:
        """What words of the court ask of a role."""
        raise NotImplementedError

    def text(self) -> str:
        """What is said."""
        raise NotImplementedError

    def say(self, key: str, **values: object) -> str:
        """A phrase of this role; '' for none."""
        raise NotImplementedError

    @cached_property
    def asked(self) -> Turn | None:
        """The last words put to this role, else the last of anybody else."""
        role = self.view.role
        put = (turn for turn in reversed(self.view.record) if role in turn.to and turn.speaker != role)
        return next(put, self.view.asked)

    def answer(self, one: Asked) -> str:
        """The answer to one thing that is asked: by the method for its kind (`_to_views`), or a phrase of the
        table."""
        self.words = one.words
        made: Callable[[], str] | None = getattr(self, f"_to_{one.kind}", None)
        return made() if made else self.say(one.kind)

    # --- exhibits ---------------------------------------------------------------------------------------------------

    @cached_property
    def own_exhibits(self) -> list[Mapping[str, Any]]:
        """The exhibits that this side may offer, in the order of the case."""
        return [item for item in self.view.held.get("evidence", ()) if item.get("title") and owns(self.view, item)]

    @cached_property
    def others_exhibits(self) -> list[Mapping[str, Any]]:
        """What it knows of the exhibits of the other side: objections of its own, and titles where it has read the
        file."""
        return [item for item in self.view.held.get("evidence", ()) if not owns(self.view, item)]

    def _called(self, role: str, kind: str) -> list[int]:
        """Places in the record where a role answers a question of a kind."""
        places, called = [], False
        for place, turn in enumerate(self.view.record):
            if turn.speaker == "judge":
                called = role in turn.to and any(one.kind == kind for one in self.asks(turn.text, role))
            elif turn.speaker == role and called:
                places.append(place)
        return places

    def showings(self, role: str) -> Shown:
        """What a role offered when it was called to, numbered through where no numbers were said."""
        found: Shown = []
        count = 0
        for place in self._called(role, self.offering):
            if offers := offers_in(self.view.record[place].text, role, count):
                count = max(count, *(offer.number for offer in offers))
                found.append((place, offers))
        return found

    def left_to_show(self) -> list[tuple[int, Mapping[str, Any]]]:
        """The own exhibits that were not offered yet, with their numbers."""
        own = list(enumerate(self.own_exhibits, 1))
        shown = set[int]()
        for offer in (offer for _, listed in self.showings(self.view.role) for offer in listed):
            like = _called_by(offer.title, self.own_exhibits)
            numbers = [number for number, item in own if item in like]
            shown |= {offer.number} if offer.number in numbers else set(numbers[:1])
        return [(number, item) for number, item in own if number not in shown]

    def asked_about(self, owner: str) -> list[Offer]:
        """The exhibits of another role that the question is about: those it names, else those since this role was
        last heard."""
        shown, numbers = self.showings(owner), numbers_named(self.words)
        offers = list({(offer.number, offer.title): offer for _, listed in shown for offer in listed}.values())
        if named := [offer for offer in offers if offer.number in numbers]:
            return named
        if titled := [offer for offer in offers if offer.title and offer.title[:30] in self.words]:
            return titled
        heard = max(self._called(self.view.role, self.viewing), default=-1)
        fresh = [offer for place, listed in shown if place > heard for offer in listed]
        return fresh or list(shown[-1][1] if shown else ())

    def held_against(self, offer: Offer) -> dict[str, str]:
        """What this side holds against an exhibit of the other, by the point that it concerns."""
        known = self.others_exhibits
        like = _called_by(offer.title, known)
        if len(like) != 1:
            like = [item for item in like or known if self._place(item["id"]) == offer.number]
        return grounds(like[0].get("objections", ())) if like else {}

    def _place(self, identity: str) -> int:
        """The number of an exhibit of the other side by its id."""
        head, value = _split(identity)
        own = [_split(item["id"]) for item in self.own_exhibits]
        return value - sum(stem == head and other < value for stem, other in own)

    # --- debate -----------------------------------------------------------------------------------------------------

    def objected(self) -> list[str]:
        """What this side holds against exhibits of the other."""
        held = (grounds(item.get("objections", ())) for item in self.others_exhibits)
        return parts_of(text for one in held for text in one.values())

    def proofs(self, whose: str = "") -> list[str]:
        """What the own exhibits show."""
        shown = (item for item in self.own_exhibits if str(item.get("purpose", "")).startswith("证明"))
        return [f"{whose}{item['title']}能够{item['purpose'].rstrip('。')}" for item in shown]

    def debated(self) -> dict[str, list[str]]:
        """What each role has said in the rounds of the debate."""
        said: dict[str, list[str]] = {}
        env: Any = self.view.env
        called = False
        for turn in self.view.record:
            if turn.speaker == "judge":
                called = any(act.act in self.debates for act in parse(turn.text, env))
            elif called:
                said.setdefault(turn.speaker, []).append(turn.text)
        return said


class Rules:
    """A seat in which a side speaks by rules; it pleads with the law that it holds."""

    def __init__(self, speaks: Callable[[CourtView], Party]) -> None:
        self._speaks = speaks

    def move(self, view: CourtView) -> Move:
        """One utterance."""
        yield from ()
        party = self._speaks(view)
        text = party.text()
        return Say(text, party.to)


def seat(speaks: Callable[[CourtView], Party]) -> Callable[..., Rules]:
    """What makes the seat, given the statute search of the run."""
    return lambda *_: Rules(speaks)


def grounds(listed: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Objections by the point that each concerns."""
    return {ground: one[ground] for one in listed for ground in GROUNDS if one.get(ground)}


def _called_by(title: str, items: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The exhibits that a title names: by the whole of it, else those whose title holds it or stands in it."""
    said, titles = _plain(title), [(_plain(item.get("title", "")), item) for item in items]
    same = [item for known, item in titles if said and known == said]
    return same or [item for known, item in titles if said and known and (known in said or said in known)]


def _plain(title: str) -> str:
    """A title without marks and blanks, by which it is known again."""
    return re.sub(r"[《》“”‘’\"'\s，。、；：:（）()]", "", title)


def _split(identity: str) -> tuple[str, int]:
    """E12 -> E, 12; an id without a number counts as 0."""
    match = re.fullmatch(r"(.*?)(\d{1,6})", str(identity))
    return (match[1], int(match[2])) if match else (str(identity), 0)
