"""JUD without a grader: what a judgment makes of each claim, against the gold, read from the words of its rulings.

A claim is granted, granted in part, rejected, or forgotten (漏判: neither ruled on nor rejected). A sum that is
awarded belongs to the claim whose words stand before it; one award answers one claim. A claim counts when its outcome
is the gold's and the sum, where there is one, lies within 1 %. A proxy: it does not read conditions, dates of
interest, or who pays whom.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from store.text.dates import days
from store.text.money import named_sums
from store.text.normalise import fold_width
from tasks.courts.casefile.case import CivilCase
from tasks.courts.casefile.material import Claim
from tasks.courts.scores.bigrams import bigrams, recall

Outcome = Literal["granted", "partly", "rejected", "omitted"]
TOLERANCE = 0.01
_MOST_AWARDS = 100
"""No judgment orders more sums; bounds the work on hostile text."""
_HELD = 0.5
"""Share of a claim's character pairs that a ruling on it repeats."""

_NOTE = re.compile(r"\([^()]{0,300}\)")
_REJECTED = re.compile(r"驳回|不予支持|不予准许|不准(?:予|许)?")
_REST = re.compile(
    r"(?:其他|其它|其余|全部|所有|本案)的?(?:全部)?(?:诉讼)?(?:请求|诉请)"
    r"|驳回原告[^,。;、要求请关就主对]{0,12}的?(?:诉讼请求|起诉|诉请)"
)
_IDLE = re.compile(
    r"判令|判决|请求|依法|确认|原告|被告|双方|向|于本判决(?:生效|发生法律效力)之日起[^,。;]{1,6}日内|立即|支付|给付"
    r"|偿还|归还|返还|退还|赔偿|人民币|¥|共计|合计"
    r"|[0-9,.]+ ?万?元|[0-9]{4} ?年[0-9]{1,2} ?月(?:[0-9]{1,2} ?日)?|截至|自|至|起|止|期间|\s|[,。;:、()《》“”\"]"
)
_GOES_ON = re.compile(r",?(?:并支付|以及自|并按|及自|和自)[^,。;]*?(?:自|起|实际|清偿)")


@dataclass(frozen=True, slots=True)
class Read:
    """What rulings make of one claim: the outcome, the sum awarded, and the words it was read from."""

    claim: str
    outcome: Outcome
    amount: float | None = None
    words: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """One claim against the gold."""

    read: Read
    gold: Literal["granted", "partly", "rejected"]
    gold_amount: float | None
    outcome: bool
    amount: bool | None
    """None: no sum to compare."""

    @property
    def holds(self) -> bool:
        """Outcome and sum are the gold's."""
        return self.outcome and self.amount is not False


@dataclass(frozen=True, slots=True)
class _Award:
    label: str
    amount: float
    item: int


def score_claims(case: CivilCase, rulings: Sequence[str]) -> tuple[float | None, tuple[Match, ...]]:
    """Share of the claims whose ruling is the gold's, with each of them; None where the gold rules on no claim by
    itself."""
    gold = {ruling.claim: ruling for ruling in case.gold.rulings}
    claims = [claim for claim in case.claims if claim.id in gold]
    names = [party.name for party in case.parties]
    found = []
    for read in read_claims(claims, rulings, names):
        ruling = gold[read.claim]
        same = read.outcome == ruling.outcome
        sum_matters = ruling.amount is not None and ruling.outcome != "rejected"
        near = within(read.amount, ruling.amount) if sum_matters else None
        found.append(Match(read, ruling.outcome, ruling.amount, same, near))
    return (sum(match.holds for match in found) / len(found) if found else None), tuple(found)


def within(said: float | None, gold: float | None) -> bool:
    """Whether two sums in yuan lie within 1 % of the gold."""
    return said is not None and gold is not None and abs(said - gold) <= TOLERANCE * gold


def read_claims(claims: Sequence[Claim], rulings: Sequence[str], names: Sequence[str] = ()) -> list[Read]:
    """What rulings make of each claim, in the order of the claims.

    Args:
        claims: those the court has to rule on.
        rulings: the items of the judgment, as `rulings.Judgment.rulings` has them.
        names: of the parties, which say nothing about what a ruling is about.
    """
    plain = [_without(names, fold_width(ruling)) for ruling in rulings]
    granted = {place: _NOTE.sub("", text) for place, text in enumerate(plain) if not _REJECTED.search(text)}
    refusals = [text for place, text in enumerate(plain) if place not in granted]
    awards = list(islice((award for place, text in granted.items() for award in _awards(text, place)), _MOST_AWARDS))
    taken = _assigned([claim for claim in claims if claim.kind == "pay"], awards, granted)
    found = []
    for claim in claims:
        award = taken.get(claim.id)
        if award is not None:
            outcome: Outcome = "granted" if award.amount >= (claim.amount or 0) * (1 - TOLERANCE) else "partly"
            found.append(Read(claim.id, outcome, award.amount, granted[award.item]))
        elif claim.kind == "pay" and (claim.amount or awards):
            found.append(_refused(claim, refusals, names))
        else:
            found.append(_ordered(claim, granted, refusals, names))
    return found


def _assigned(claims: Sequence[Claim], awards: Sequence[_Award], items: dict[int, str]) -> dict[str, _Award]:
    """The award that answers each claim: the best pairs first, then what is left where only the verb agrees."""
    pairs = sorted(
        (
            (-_likeness(claim, award, items[award.item]), place, number)
            for place, claim in enumerate(claims)
            for number, award in enumerate(awards)
            if not claim.amount or award.amount <= claim.amount * (1 + TOLERANCE)
        )
    )
    # A court that awards more than was asked is read too, behind all pairs that fit.
    over = sorted(
        (-_likeness(claim, award, items[award.item]), place, number)
        for place, claim in enumerate(claims)
        for number, award in enumerate(awards)
        if claim.amount and award.amount > claim.amount * (1 + TOLERANCE)
    )
    found: dict[str, _Award] = {}
    used: set[int] = set()
    for least, ranked in ((0.35, pairs), (0.6, over), (0.05, pairs)):
        for likeness, place, number in ranked:
            if -likeness >= least and claims[place].id not in found and number not in used:
                found[claims[place].id] = awards[number]
                used.add(number)
    return found


def _likeness(claim: Claim, award: _Award, item: str) -> float:
    """How much the words before a sum, and the item around it, are those of a claim."""
    topic, label = _topic(claim.text), _IDLE.sub("", award.label)
    tail = _common_tail(topic, label)
    verb = any(word in claim.text and word in award.label for word in ("赔偿", "返还", "退还", "归还", "偿还"))
    return _held(topic, label) + 0.5 * (tail >= 2) + 0.3 * _held(topic, _IDLE.sub("", item)) + 0.06 * verb


def _refused(claim: Claim, refusals: Sequence[str], names: Sequence[str]) -> Read:
    topic = _IDLE.sub("", _without(names, _topic(claim.text)))
    for text in refusals:
        if _REST.search(text) or _held(topic, _IDLE.sub("", text)) >= _HELD:
            return Read(claim.id, "rejected", 0.0, text)
    return Read(claim.id, "omitted")


def _ordered(claim: Claim, granted: dict[int, str], refusals: Sequence[str], names: Sequence[str]) -> Read:
    """A claim for an act or a declaration: granted where a ruling repeats it, in part where it names another day."""
    topic = _without(names, _topic(claim.text))
    best = max(granted.values(), key=lambda text: _held(topic, _IDLE.sub("", text)), default="")
    if _held(topic, _IDLE.sub("", best)) >= _HELD:
        asked, given = ({one.day for one in days(text)} for text in (claim.text, best))
        return Read(claim.id, "partly" if asked and given and not asked <= given else "granted", None, best)
    return _refused(claim, refusals, names)


def _awards(text: str, item: int) -> Iterator[_Award]:
    """Sums that an item orders to be paid; bases of interest, deductions and totals of what was named are none."""
    found = False
    for named in named_sums(text):
        if not (found and named.total):
            yield _Award(named.label, named.amount, item)
        found = True


def _topic(text: str) -> str:
    """What a claim is about: its words up to the interest that runs on, without sums, days and verbs of paying."""
    folded = _NOTE.sub("", fold_width(text))
    if match := _GOES_ON.search(folded):
        folded = folded[: match.start()] or folded
    return _IDLE.sub("", folded)


def _held(topic: str, text: str) -> float:
    """Share of the pairs of characters of a topic that a text holds."""
    return recall(bigrams(topic), bigrams(text)) if topic else 0.0


def _common_tail(first: str, second: str) -> int:
    length = 0
    while length < min(len(first), len(second)) and first[-1 - length] == second[-1 - length]:
        length += 1
    return length


def _without(names: Sequence[str], text: str) -> str:
    for name in names:
        text = text.replace(fold_width(name), "")
    return text
