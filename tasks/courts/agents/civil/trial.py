"""A civil trial as its public record shows it to the judge: what was asked of whom and answered, what was claimed,
answered, offered and contested. Recomputed from the record each time; whoever sat on the bench before, and in
whatever words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tasks.courts.agents.civil.asks import acts_of, asked_of
from tasks.courts.agents.civil.heard import (
    Claim,
    Offer,
    Opinion,
    Point,
    claims_in,
    facts_in,
    none_left,
    offers_in,
    opinion_in,
    points_in,
    segments,
)
from tasks.courts.procedure.replies import broken, numbers_named, responsive
from tasks.courts.procedure.tables import ActSpec, profile
from tasks.courts.procedure.turns import SIDE_OF, Side, Turn

SIDES: tuple[Side, ...] = ("plaintiff", "defendant")
OTHER: Mapping[Side, Side] = {"plaintiff": "defendant", "defendant": "plaintiff"}
IDLE = 2
"""A side that was asked so often and said nothing to it is not asked again."""
STAGES: Mapping[str, int] = {
    "identity": 0, "recusal": 0, "default": 0, "claim": 1, "answer": 1, "issues": 1, "exhibit": 1, "cross": 1, "question": 1,
    "debate": 2, "mutual": 2, "final": 2,
}  # fmt: skip
"""Act -> its stage: opening, investigation, debate; mediation stands in none."""

_ASKED = re.compile(r"[^。；;！!？?\n]*[？?]")
"""A question, from the end of the sentence before it."""


@dataclass
class Trial:
    """What the record holds. Sides are plaintiff and defendant; exhibits are known by their side and number."""

    asked: Counter[tuple[str, Side]] = field(default_factory=Counter)
    answered: set[tuple[str, Side]] = field(default_factory=set)
    announced: set[str] = field(default_factory=set)
    replies: dict[tuple[str, Side], list[str]] = field(default_factory=dict)
    offers: dict[tuple[Side, int], Offer] = field(default_factory=dict)
    opinions: dict[tuple[Side, int], Opinion] = field(default_factory=dict)
    unheard: Counter[tuple[Side, int]] = field(default_factory=Counter)
    waived: set[tuple[Side, int]] = field(default_factory=set)
    """Exhibits that were put to 质证 twice without an opinion, and on which the court said that the right is waived."""
    finished: set[Side] = field(default_factory=set)
    idle: Counter[Side] = field(default_factory=Counter)
    court: list[str] = field(default_factory=list)
    reached: int = 0

    def done(self, act: str, side: Side) -> bool:
        """Whether nothing more is to be asked: answered, or asked as often as it makes sense."""
        return (act, side) in self.answered or self.asked[act, side] >= IDLE

    def waiting(self, side: Side) -> list[Offer]:
        """Exhibits of a side on which the other has not been heard, and may still be asked."""
        return [
            offer
            for key, offer in self.offers.items()
            if key[0] == side and key not in self.opinions and self.unheard[key] < IDLE
        ]

    def silent_on(self, side: Side) -> list[Offer]:
        """Exhibits of a side on which the other was asked as often as it makes sense, gave no opinion, and was not
        told so."""
        return [
            offer
            for key, offer in self.offers.items()
            if key[0] == side and key not in self.opinions and key not in self.waived and self.unheard[key] >= IDLE
        ]

    def of(self, side: Side) -> list[Offer]:
        """All exhibits of a side, as offered."""
        return [offer for key, offer in self.offers.items() if key[0] == side]

    def said(self, act: str, side: Side) -> str:
        """All that a side replied when asked for something."""
        return "\n".join(self.replies.get((act, side), ()))

    def last(self, act: str, side: Side) -> str:
        """What it replied last."""
        return self.replies.get((act, side), [""])[-1]

    @property
    def claims(self) -> list[Claim]:
        """The claims as heard."""
        return claims_in(self.said("claim", "plaintiff"))

    @property
    def story(self) -> list[str]:
        """The account of the plaintiff, sentence by sentence."""
        return facts_in(self.said("claim", "plaintiff"))

    def points(self, claims: Sequence[Claim]) -> list[Point]:
        """The answer, point by point."""
        return points_in(self.said("answer", "defendant"), claims)

    @property
    def defence(self) -> str:
        """All that the defendant has argued."""
        return "\n".join(self.said(act, "defendant") for act in ("answer", "debate", "question"))


def read(record: Sequence[Turn], names: Mapping[Side, Sequence[str]]) -> Trial:
    """The trial so far. `names`: by which each side may be known when it says who it is."""
    trial = Trial()
    asks: dict[Side, list[str]] = {}
    words = ""
    for turn in record:
        if turn.speaker == "judge":
            words = turn.text
            asks = _bench(trial, turn)
        elif (side := SIDE_OF.get(turn.speaker)) and side in asks:
            for act in asks[side]:
                _reply(trial, act, side, turn.text, words, names.get(side, ()))
            trial.answered.update((act, side) for act in asks[side] if _responds(act, turn.text, names.get(side, ())))
    return trial


def _bench(trial: Trial, turn: Turn) -> dict[Side, list[str]]:
    """Note what the court asks and announces; gives what is asked of each side that is addressed."""
    trial.court.append(turn.text)
    if "视为放弃质证权利" in turn.text:
        trial.waived |= {(side, offer.number) for side in SIDES for offer in trial.silent_on(side)}
    table = profile("law", "CI").acts
    found = acts_of(turn.text)
    trial.announced |= {act.act for act in found if not table[act.act].asked}
    asks: dict[Side, list[str]] = {}
    for role in turn.to:
        if not (side := SIDE_OF.get(role)):
            continue
        acts = [act.act for act in found if _owes(table[act.act], side) and (not act.named or side in act.named)]
        kinds = [one.kind for one in asked_of(turn.text, side)]
        if "proposal" in kinds:  # whether a plan is accepted is no second question of whether to mediate
            acts = [act for act in acts if act != "mediate"]
        acts += [kind for kind in kinds if kind in STAGES or kind == "mediate"]
        acts += [kind for kind in kinds if kind in ("findings", "other_identity")]
        asks[side] = list(dict.fromkeys(acts))
        trial.asked.update((act, side) for act in asks[side])
        trial.reached = max([trial.reached, *(STAGES.get(act, 0) for act in asks[side])])
        if "cross" in asks[side]:
            trial.unheard.update((OTHER[side], offer.number) for offer in trial.waiting(OTHER[side]))
    return asks


def _owes(spec: ActSpec, side: Side) -> bool:
    return side in spec.asked


def _responds(act: str, text: str, names: Sequence[str]) -> bool:
    table = profile("law", "CI").acts
    kind = table[act].reply if act in table else "short"
    if act in ("exhibit", "cross"):
        return False
    return responsive(kind, text, names)


def _reply(trial: Trial, act: str, side: Side, text: str, words: str, names: Sequence[str]) -> None:
    if not broken(text):
        trial.replies.setdefault((act, side), []).append(text)
    if act == "exhibit":
        _offered(trial, side, text)
    elif act == "cross":
        _opined(trial, side, text, words)


def _offered(trial: Trial, side: Side, text: str) -> None:
    known = [key for key in trial.offers if key[0] == side]
    new = [offer for offer in offers_in(text, side, len(known)) if (side, offer.number) not in trial.offers]
    trial.offers |= {(side, offer.number): offer for offer in new}
    trial.idle[side] = 0 if new else trial.idle[side] + 1
    if none_left(text, offered=bool(new)) or trial.idle[side] >= IDLE:
        trial.finished.add(side)


def counters(text: str) -> bool:
    """Whether a reply does nothing but ask in return: beside its questions it gives no view."""
    stated = _ASKED.sub("", text[:2000])
    return stated != text[:2000] and not responsive("view", stated)


def _opined(trial: Trial, side: Side, text: str, words: str) -> None:
    waiting = {offer.number: offer for offer in trial.waiting(OTHER[side])}
    waiting |= {
        number: offer
        for (owner, number), offer in trial.offers.items()
        if owner == OTHER[side] and (owner, number) not in trial.opinions
    }
    if not waiting or broken(text) or counters(text):
        return
    parts = {number: part for number, part in segments(text) if number in waiting}
    named = numbers_named(words) & set(waiting)
    if not parts and not responsive("view", text) and not (named and responsive("short", text)):
        return
    for number in parts or named or waiting:
        trial.opinions[OTHER[side], number] = opinion_in(parts.get(number, text))
    if not parts:
        return
    for number in named - set(parts):
        trial.opinions[OTHER[side], number] = opinion_in(text)
