"""What a criminal court has heard so far, read from the record alone: questions and answers, exhibits with the views
on them.

Whoever sat in any seat before makes no difference: an exchange is a turn of the judge with the answers to it, and
what it was about is read from its words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tasks.courts.agents.criminal.asking import SIDES, Offer, acts_of, finished, kinds_of, offers_of
from tasks.courts.environment import Role
from tasks.courts.play.views import CourtView
from tasks.courts.procedure.replies import ALL_MEANT, broken, numbers_named, responsive
from tasks.courts.procedure.turns import Turn

_REPLY = {"recusal": "recusal", "plea": "plea", "fast": "plea", "identity": "identity", "views": "view"}
"""Kind of question -> what counts as an answer to it; any words do for the others."""
_OWN_WORDS = re.compile(r"供述|辩解|讯问笔录")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A turn of the judge and what was answered to it, in order."""

    turn: Turn
    replies: tuple[Turn, ...]

    def kinds(self, role: Role) -> tuple[str, ...]:
        """What it asks of a role; () where it is not put to that role."""
        return kinds_of(self.turn.text, role) if role in self.turn.to else ()

    def said(self, role: Role) -> str:
        """What a role answered, all of it."""
        return "\n".join(turn.text for turn in self.replies if turn.speaker == role)


@dataclass(frozen=True)
class Exhibit:
    """An exhibit that was offered; views: what the other side said about it, by role."""

    owner: Role
    offer: Offer
    views: Mapping[Role, str] = field(default_factory=dict)

    @property
    def own_words(self) -> bool:
        """Whether it holds earlier words of the accused (刑事诉讼法第五十条, 供述和辩解)."""
        return bool(_OWN_WORDS.search(f"{self.offer.title}{self.offer.body[:40]}"))

    @property
    def name(self) -> str:
        """As a judgment names it."""
        return self.offer.title


class Heard:
    """The record of a criminal trial as its judge has heard it."""

    def __init__(self, view: CourtView) -> None:
        self.view = view
        self.record: Sequence[Turn] = view.record
        parties: Sequence[Mapping[str, Any]] = view.held.get("parties", ())
        self.party: Mapping[str, Any] = next((party for party in parties if party.get("side") == "defendant"), {})
        """The accused, as the court knows him."""
        self.name = str(self.party.get("name", ""))

    @cached_property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Turns of the judge with the answers."""
        starts = [place for place, turn in enumerate(self.record) if turn.speaker == "judge"]
        ends = [*starts, len(self.record)][1:]
        return tuple(
            Exchange(self.record[start], tuple(self.record[start + 1 : end]))
            for start, end in zip(starts, ends, strict=True)
        )

    @cached_property
    def announced(self) -> frozenset[str]:
        """Acts that the court has done by saying them."""
        return frozenset(act.act for one in self.exchanges for act in acts_of(one.turn.text))

    def asked(self, role: Role, kind: str) -> int:
        """How often a role was asked for something."""
        return sum(kind in one.kinds(role) for one in self.exchanges)

    def answered(self, role: Role, kind: str) -> bool:
        """Whether it gave an answer to the point."""
        return any(self._to_point(kind, one.said(role)) for one in self.exchanges if kind in one.kinds(role))

    def _to_point(self, kind: str, text: str) -> bool:
        if not text or broken(text):
            return False
        return kind not in _REPLY or responsive(_REPLY[kind], text, (self.name,))

    def answers(self, role: Role, *kinds: str) -> str:
        """What a role said when asked for any of these things."""
        return "\n".join(
            one.said(role) for one in self.exchanges if set(kinds) & set(one.kinds(role)) if one.said(role)
        )

    def all_of(self, role: Role) -> str:
        """All that a role said."""
        return "\n".join(turn.text for turn in self.record if turn.speaker == role)

    # --- evidence -----------------------------------------------------------------------------------------------------

    @cached_property
    def evidence(self) -> Evidence:
        """The exhibits in the order in which they were offered, and who has still to be heard on them."""
        return Evidence(self)

    @property
    def exhibits(self) -> tuple[Exhibit, ...]:
        """The exhibits offered so far."""
        return tuple(self.evidence.shown)


class Evidence:
    """The taking of evidence, exchange by exchange."""

    def __init__(self, heard: Heard) -> None:
        self.shown: list[Exhibit] = []
        self.waiting: dict[Role, list[int]] = {role: [] for role in SIDES}
        """Role -> places of the exhibits on which it has still to be heard."""
        self.idle: Counter[Role] = Counter()
        """How often a role was called upon in a row and offered nothing."""
        self.tries: Counter[Role] = Counter()
        """How often in a row it was asked for its views and gave none."""
        self.closed: set[Role] = set()
        """Sides that have said that they have no more."""
        for one in heard.exchanges:
            for role in ("procurator", "defence_lawyer"):
                if "evidence" in one.kinds(role):
                    self._offer(role, one)
            for role in SIDES:
                if "views" in one.kinds(role):
                    self._hear(role, one)

    def _offer(self, owner: Role, one: Exchange) -> None:
        said = one.said(owner)
        titles = {exhibit.offer.title for exhibit in self.shown if exhibit.owner == owner}
        offers = [offer for offer in offers_of(said) if offer.title not in titles]
        self.idle[owner] = 0 if offers else self.idle[owner] + 1
        if finished(said):
            self.closed.add(owner)
        for offer in offers:
            number = offer.number or 1 + sum(exhibit.owner == owner for exhibit in self.shown)
            place = len(self.shown)
            self.shown.append(Exhibit(owner, Offer(number, offer.title, offer.body)))
            for role in ("defendant", "defence_lawyer") if owner == "procurator" else ("procurator",):
                self.waiting[role].append(place)

    def _hear(self, role: Role, one: Exchange) -> None:
        said = one.said(role)
        if not self.waiting[role]:
            return
        if not said or broken(said) or not responsive("view", said):
            self.tries[role] += 1
            if self.tries[role] < 2:
                return
            said = ""
        self.tries[role] = 0
        meant = self._meant(role, one.turn.text)
        for place in meant:
            exhibit = self.shown[place]
            view = about(said, exhibit.offer, [self.shown[other].offer for other in meant])
            self.shown[place] = Exhibit(exhibit.owner, exhibit.offer, {**exhibit.views, role: view})
            self.waiting[role].remove(place)

    def _meant(self, role: Role, text: str) -> list[int]:
        numbers = numbers_named(text)
        named = [place for place in self.waiting[role] if self.shown[place].offer.number in numbers]
        return named or list(self.waiting[role])


def about(said: str, offer: Offer, others: Sequence[Offer]) -> str:
    """The part of an opinion that is about one exhibit: the sentences behind its number or title, or those about
    all."""
    if len(others) < 2:
        return said
    parts = re.split(r"(?=(?:^|(?<=[。；\n]))[^。；\n]{0,12}(?:证据|其余|其他|全部))", said)
    own = [part for part in parts if offer.number in numbers_named(part[:24]) or offer.title[:20] in part[:60]]
    if own:
        return "".join(own)
    common = [part for part in parts if not numbers_named(part[:24]) and ALL_MEANT.search(part[:24])]
    return "".join(common)
