"""The civil expert: contested claims by the burden of proof, with the articles that a court of first instance rests
on.

民诉法第六十七条 and its interpretation 第九十条: a claim for which the plaintiff has shown nothing that stands is refused; an
exhibit stands where nobody objects to it. Sums are those of the claim: what an answer takes off, how interest runs
and how damage is shared is not reckoned here.
"""

from __future__ import annotations

from collections.abc import Sequence

from store.text.dates import dates_in
from tasks.courts.agents.citing import Cited
from tasks.courts.agents.civil.case import Case, Finding, Substance
from tasks.courts.agents.civil.heard import Claim
from tasks.courts.agents.civil.undisputed import AGREED
from tasks.courts.scores.bigrams import bigrams, recall
from tasks.experts.civil.law import CODE, articles, burden, cause_of, continued, under_old_law

SPEAKS = 0.28
"""Share of a claim that an exhibit must hold to be offered for it."""
UNPROVEN = "原告没有提供足以证明其主张的证据，应当承担举证不能的后果，本院不予支持"
PROVEN = "原告提交的证据能够证明其主张，被告没有提出足以反驳的证据，本院予以支持"


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
    story = "".join(case.trial.story)
    everything = "\n".join([claims, *case.trial.story, case.trial.defence, case.shown])
    acted = next(iter(dates_in(story)), None)
    old = under_old_law(cause_of(case.cause).moment, story, case.hearing)
    held = "\n".join(one.claim.text for one in found if one.outcome == "granted")
    listed = articles(case.cause, claims, case.trial.defence, everything, acted, case.hearing, old=old, granted=held)
    if acted is not None and acted < CODE and not old and any("民法典" in one.law for one in listed):
        listed.append(continued())
    return [*listed, burden()] if any(UNPROVEN in one.reasons for one in found) else listed
