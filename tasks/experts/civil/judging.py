"""The civil expert: contested claims by the burden of proof, with the articles that a court of first instance rests
on.

民诉法第六十七条 and its interpretation 第九十条: a claim for which the plaintiff has shown nothing that stands is
refused; an exhibit stands where nobody objects to it. Sums are those of the claim: what an answer takes off, how
interest runs and how damage is shared is not reckoned here.

Articles go by cause, by what was claimed and pleaded, as of the day (law.toml). Facts before the Civil Code
(2021-01-01) are judged by the law of their time, those that went on after it by the Code (《时间效力规定》第一条). An
article that the index of laws does not know on the day is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

from store.statutes.applicable import CaseDates
from store.tables import beside
from store.text.dates import dates_in
from tasks.courts.agents.citing import Cited, cite
from tasks.courts.agents.civil.case import AGREED, Case, Finding, Substance
from tasks.courts.agents.civil.pleadings import Claim
from tasks.courts.scores.bigrams import bigrams, recall

SPEAKS = 0.28
"""Share of a claim that an exhibit must hold to be offered for it."""
UNPROVEN = "原告没有提供足以证明其主张的证据，应当承担举证不能的后果，本院不予支持"
PROVEN = "原告提交的证据能够证明其主张，被告没有提出足以反驳的证据，本院予以支持"
CODE = date(2021, 1, 1)
"""From this day on the Civil Code applies."""
_PERIOD = re.compile(r"自?[^。；]{0,24}?日(?:起)?[^。；]{0,16}(?:至|到)(?P<end>[^。；]{4,20}?日)")


def judge(case: Case) -> Substance:
    """The substance of a judgment."""
    found = [_finding(case, claim) for claim in case.claims if claim.kind != "costs"]
    return Substance(case.weighed, _laws(case, found), found)


def _finding(case: Case, claim: Claim) -> Finding:
    if case.admits(claim):
        return Finding(claim, "granted", (AGREED,))
    return Finding(claim, "granted", (PROVEN,)) if _proven(case, claim) else Finding(claim, "rejected", (UNPROVEN,))


def _proven(case: Case, claim: Claim) -> bool:
    """Whether an exhibit of the plaintiff stands, and the one nearest to the claim, or another on it, is not
    refused."""
    own = [
        (recall(claim.topic, bigrams(one.offer.says)), one) for one in case.weighed if one.offer.side == "plaintiff"
    ]
    if not any(one.undisputed for _, one in own):
        return False
    like, nearest = max(own, key=lambda pair: pair[0])
    return (
        not case.on(claim)
        or like < SPEAKS
        or nearest.undisputed
        or any(one.undisputed and at >= SPEAKS for at, one in own)
    )


def _laws(case: Case, found: Sequence[Finding]) -> list[Cited]:
    claims = "\n".join(claim.text for claim in case.claims)
    story = "".join(case.story)
    everything = "\n".join([claims, *case.story, case.defence, case.shown])
    acted = next(iter(dates_in(story)), None)
    old = under_old_law(cause_of(case.cause).moment, story, case.view.day)
    held = "\n".join(one.claim.text for one in found if one.outcome == "granted")
    listed = articles(case.cause, claims, case.defence, everything, acted, case.view.day, old=old, granted=held)
    if acted is not None and acted < CODE and not old and any("民法典" in one.law for one in listed):
        listed.append(continued())
    return [*listed, burden()] if any(UNPROVEN in one.reasons for one in found) else listed


@dataclass(frozen=True, slots=True)
class Cause:
    """The part of the table on one cause."""

    name: str
    group: str
    moment: str
    entries: tuple[Mapping[str, Any], ...]


def _table() -> Mapping[str, Any]:
    return beside(__package__, "law")


@cache
def cause_of(cause: str) -> Cause:
    """The first entry of the table that fits a cause of action."""
    entry = next(one for one in _table()["causes"] if re.search(one["match"], cause or "民事"))
    when = tuple(entry.get("when", ()))
    return Cause(
        entry["name"], entry["group"], entry.get("moment", "period"),
        ({"pattern": "", "laws": entry["laws"], "before": entry.get("before", ())}, *when),
    )  # fmt: skip


def causes() -> Sequence[str]:
    """Names of the causes the table knows."""
    return tuple(one["name"] for one in _table()["causes"])


def references() -> Iterator[Cited]:
    """Every article of the table."""
    for entry in [*_table()["common"], *_table()["causes"]]:
        for part in (entry, *entry.get("when", ())):
            for text in (*part["laws"], *part.get("before", ())):
                yield _reference(text)


def under_old_law(moment: str, story: str, hearing: date | None) -> bool:
    """Whether the facts lie before the Code: the end of the first period they name, of an event its day."""
    if moment == "hearing":
        return hearing is not None and hearing < CODE
    period = _PERIOD.search(story)
    ends = dates_in(period["end"]) if period and moment != "event" else []
    first = dates_in(story)[:1]
    told = ends or first
    return bool(told) and told[0] < CODE


def articles(
    cause: str,
    claims: str,
    answer: str,
    everything: str,
    acted: date | None,
    hearing: date | None,
    *,
    old: bool,
    granted: str = "",
) -> list[Cited]:
    """The articles for a case, those of substance first, in the order of the table, each once and known on the day.

    Args:
        cause: 案由.
        claims, answer, everything: what was claimed, pleaded, and said in all.
        acted, hearing: first day of the facts, day of the hearing.
        old: the law before the Code applies.
        granted: the claims that hold, whole or in part.
    """
    found = cause_of(cause)
    texts = {"claims": claims, "answer": answer, "all": everything, "granted": granted}
    general = [one for one in _table()["common"] if one["group"] in (found.group, "any")]
    named: list[Cited] = []
    for entry in (*found.entries, *general):
        if re.search(entry["pattern"], texts[entry.get("on", "all")]):
            named += [_reference(text) for text in entry.get("before" if old else "laws", ())]
    dates = CaseDates(acted, None, hearing, hearing)
    return [one for one in dict.fromkeys(named) if one.known(dates)]


def burden() -> Cited:
    """民诉法解释第九十条: who has to prove what, and what follows if he does not."""
    return Cited(_table()["names"]["民诉解释"], 90)


def continued() -> Cited:
    """Facts that began before the Code and went on after it are judged by the Code (时间效力规定第一条第三款)."""
    return Cited(_table()["names"]["时间效力"], 1, paragraph=3)


def _reference(text: str) -> Cited:
    name, _, number = text.partition(" ")
    return cite(number, _table()["names"][name])
