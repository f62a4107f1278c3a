"""Whether the parties of a civil trial can be brought together: what each said to mediation, and the plan the bench
proposes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.courts.agents.civil.sums import sums, yuan
from tasks.courts.agents.civil.trial import SIDES, Trial
from tasks.courts.procedure.turns import Side

_ACCEPTS = re.compile(r"同意|愿意|可以|接受|没有异议")
_REFUSES = re.compile(r"不同意|不愿|拒绝|不接受|不调解|不可以|不能接受|差距较大")
_TERMS = re.compile(r"(?:条件|方案)(?:是|为)?[：:]?(?P<terms>[^。\n]{2,160})")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan that both sides may agree to. sum: yuan that the defendant pays, if the plan is one of money alone."""

    sum: float | None
    terms: str
    agreed: bool
    refused: bool


def accepts(text: str) -> bool:
    """Whether a reply agrees."""
    return bool(_ACCEPTS.search(text)) and not _REFUSES.search(text)


def proposal_of(trial: Trial) -> Proposal | None:
    """The plan of the bench; None where a side refuses, was not heard yet, or where their sums do not meet."""
    replies = {side: trial.last("mediate", side) for side in SIDES}
    if not all(accepts(text) for text in replies.values()):
        return None
    asked, given = (_sum(replies[side]) for side in SIDES)
    total: float | None = None
    terms = "；".join(text for side in SIDES if (text := _terms(replies[side])))
    if asked is not None and given is not None:
        if given < asked:
            return None
        total = round((asked + given) / 2)
        terms = ""
    elif not terms:
        return None
    answers = {side: trial.last("proposal", side) for side in SIDES}
    refused = any(text and not accepts(text) for text in answers.values())
    return Proposal(total, terms, all(accepts(text) for text in answers.values()), refused)


def owes_terms(trial: Trial, side: Side) -> bool:
    """Whether both sides would settle, and this one has not been asked a second time on which terms."""
    if not all(accepts(trial.last("mediate", one)) for one in SIDES):
        return False
    said = trial.last("mediate", side)
    return trial.asked["mediate", side] < 2 and _sum(said) is None and not _terms(said)


def failed(trial: Trial) -> bool:
    """Whether mediation was tried and came to nothing."""
    tried: list[Side] = [side for side in SIDES if trial.asked["mediate", side]]
    found = proposal_of(trial)
    return bool(tried) and (found is None or not found.agreed)


def _sum(text: str) -> float | None:
    named = sums(text)
    return named[-1].yuan if named else None


def _terms(text: str) -> str:
    match = _TERMS.search(text)
    return match["terms"].strip("，, ") if match else ""


def worded(proposal: Proposal, plan: str) -> str:
    """The plan in words; `plan`: how a plan of money is put."""
    return plan.format(sum=yuan(proposal.sum)) if proposal.sum is not None else proposal.terms
