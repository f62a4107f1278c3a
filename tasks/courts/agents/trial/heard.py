"""What a court has heard so far, read from the record alone: questions and answers, exhibits with the views on them.

Whoever sat in any seat before, and in whatever words, makes no difference: an exchange is a turn of the judge with
the answers to it, and what it was about is read from its words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from tasks.courts.agents.trial.exhibits import Offer, none_left, offers_in, spoken_on
from tasks.courts.casefile.material import collegial
from tasks.courts.play.views import CourtView
from tasks.courts.procedure.acts import parse
from tasks.courts.procedure.replies import broken, numbers_named, responsive
from tasks.courts.procedure.turns import Turn

IDLE = 2
"""Who was asked so often and said nothing to it is not asked again."""
WAIVED = "视为放弃质证权利"
_ASKED = re.compile(r"[^。；;！!？?\n]*[？?]")
"""A question, from the end of the sentence before it."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A turn of the judge and what was answered to it, in order."""

    turn: Turn
    replies: tuple[Turn, ...]

    def said(self, role: str) -> str:
        """What a role answered, all of it; traces of a failure are no answer."""
        return "\n".join(turn.text for turn in self.replies if turn.speaker == role and not broken(turn.text))


@dataclass
class Exhibit:
    """An exhibit that was offered. views: what each role said on it, '' where it was asked as often as it makes sense
    and gave none; tried: how often it was asked; waived: whether the court said that such a silence is a waiver."""

    owner: str
    offer: Offer
    views: dict[str, str] = field(default_factory=dict)
    tried: Counter[str] = field(default_factory=Counter)
    waived: bool = False

    @property
    def silent(self) -> bool:
        """Whether somebody gave no view, and was not told what follows from that."""
        return not self.waived and "" in self.views.values()


class Heard:
    """The record of a trial as its judge has heard it; each court says what its words ask of whom. bench: who sits,
    and how; collegial: whether a panel does."""

    offering: ClassVar[str]
    viewing: ClassVar[str]
    """Kinds of question: for exhibits, and for a view on them."""
    hears: ClassVar[Mapping[str, tuple[str, ...]]]
    """Who offers exhibits -> who is heard on them."""
    by_number: ClassVar[bool]
    """Whether a number tells an exhibit; its title does elsewhere."""

    def __init__(self, view: CourtView, record: Sequence[Turn]) -> None:
        self.view = view
        self.record = record
        self.bench: Mapping[str, Any] = view.held.get("court", {})
        self.collegial = collegial(self.bench)

    def asks(self, one: Exchange, role: str) -> Sequence[str]:
        """The kinds of question that an exchange puts to a role; () where it is not put to it."""
        raise NotImplementedError

    def to_point(self, kind: str, role: str, text: str) -> bool:
        """Whether words answer a question of a kind."""
        raise NotImplementedError

    @cached_property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Turns of the judge with the answers."""
        starts = [place for place, turn in enumerate(self.record) if turn.speaker == "judge"]
        ends = [*starts, len(self.record)][1:]
        pairs = zip(starts, ends, strict=True)
        return tuple(Exchange(self.record[start], tuple(self.record[start + 1 : end])) for start, end in pairs)

    @cached_property
    def court(self) -> list[str]:
        """What the court said, turn by turn."""
        return [one.turn.text for one in self.exchanges]

    @cached_property
    def announced(self) -> frozenset[str]:
        """Acts that the court has done by saying them."""
        env: Any = self.view.env
        return frozenset(act.act for text in self.court for act in parse(text, env))

    def put(self, role: str, *kinds: str) -> Iterator[Exchange]:
        """The exchanges in which a role was asked for any of these things."""
        return (one for one in self.exchanges if set(kinds) & set(self.asks(one, role)))

    def asked(self, role: str, kind: str) -> int:
        """How often a role was asked for something."""
        return sum(1 for _ in self.put(role, kind))

    def answered(self, role: str, kind: str) -> bool:
        """Whether it gave an answer to the point."""
        return any(self.to_point(kind, role, said) for one in self.put(role, kind) if (said := one.said(role)))

    def done(self, role: str, kind: str) -> bool:
        """Whether nothing more is to be asked: answered, or asked as often as it makes sense."""
        return self.asked(role, kind) >= IDLE or self.answered(role, kind)

    def answers(self, role: str, *kinds: str) -> str:
        """What a role said when asked for any of these things."""
        return "\n".join(said for one in self.put(role, *kinds) if (said := one.said(role)))

    def last(self, role: str, kind: str) -> str:
        """What it answered last."""
        return next((said for one in reversed([*self.put(role, kind)]) if (said := one.said(role))), "")

    def all_of(self, role: str) -> str:
        """All that a role said."""
        return "\n".join(turn.text for turn in self.record if turn.speaker == role)

    @cached_property
    def evidence(self) -> Evidence:
        """The exhibits in the order in which they were offered, and who has still to be heard on them."""
        return Evidence(self)

    @property
    def exhibits(self) -> Sequence[Exhibit]:
        """The exhibits offered so far."""
        return self.evidence.shown


class Evidence:
    """The taking of evidence, exchange by exchange. idle: how often in a row a role was called upon and offered
    nothing; closed: sides that have said that they have no more."""

    def __init__(self, heard: Heard) -> None:
        self.shown: list[Exhibit] = []
        self.idle: Counter[str] = Counter()
        self.closed: set[str] = set()
        self._heard = heard
        roles = dict.fromkeys(role for hearers in heard.hears.values() for role in hearers)
        for one in heard.exchanges:
            if WAIVED in one.turn.text:
                for exhibit in self.shown:
                    exhibit.waived = "" in exhibit.views.values()
            for owner in heard.hears:
                if heard.offering in heard.asks(one, owner):
                    self._offer(owner, one.said(owner))
            for role in roles:
                if heard.viewing in heard.asks(one, role):
                    self._hear(role, one)

    def of(self, owner: str) -> list[Exhibit]:
        """All exhibits of a side."""
        return [exhibit for exhibit in self.shown if exhibit.owner == owner]

    def waiting(self, role: str) -> list[Exhibit]:
        """The exhibits on which a role has still to be heard."""
        return [one for one in self.shown if role in self._heard.hears[one.owner] and role not in one.views]

    def _offer(self, owner: str, said: str) -> None:
        mine = [exhibit.offer for exhibit in self.of(owner)]
        known = {offer.number if self._heard.by_number else offer.title for offer in mine}
        offers = [
            offer
            for offer in offers_in(said, owner, len(mine))
            if (offer.number if self._heard.by_number else offer.title) not in known
        ]
        self.shown += [Exhibit(owner, offer) for offer in offers]
        self.idle[owner] = 0 if offers else self.idle[owner] + 1
        if none_left(said, offered=bool(offers)):
            self.closed.add(owner)

    def _hear(self, role: str, one: Exchange) -> None:
        unheard = [each for each in self.shown if role in self._heard.hears[each.owner] and not each.views.get(role)]
        said, numbers = one.said(role), {exhibit.offer.number for exhibit in unheard}
        told = spoken_on(said, [exhibit.offer for exhibit in unheard])
        parts = {number: told[number] for number in told if number in numbers}
        named = numbers_named(one.turn.text) & numbers
        to_point = said and (parts or responsive("view", said)) and not counters(said)
        meant = ({*parts, *named} or numbers) if to_point else ()
        for exhibit in unheard:
            exhibit.tried[role] += 1
            if exhibit.offer.number in meant:
                exhibit.views[role] = parts.get(exhibit.offer.number, said)
            elif exhibit.tried[role] >= IDLE:
                exhibit.views[role] = ""


def counters(text: str) -> bool:
    """Whether a reply does nothing but ask in return: beside its questions it gives no view."""
    stated = _ASKED.sub("", text[:2000])
    return stated != text[:2000] and not responsive("view", stated)
