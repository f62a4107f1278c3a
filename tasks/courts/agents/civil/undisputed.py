"""A civil judgment without an expert: what was admitted or undisputed is granted, the rest is left undecided, and
that is said.

民诉法解释第九十二条: what a party admits needs no proof. Rules do not decide what is disputed; whoever claims it gets nothing
by them.
"""

from __future__ import annotations

from tasks.courts.agents.civil.case import Case, Finding, Substance
from tasks.courts.agents.civil.heard import Claim

AGREED = "被告对该项请求没有异议，本院予以支持"
NO_DECISION = (
    "双方对该项请求有争议，本规则席位只就当事人承认或者没有争议的事项裁判，不就争议作裁判，对该项请求不予支持"
)


def judge(case: Case) -> Substance:
    """The substance of a judgment on what nobody disputes."""
    return Substance(case.weighed, (), [_finding(case, claim) for claim in case.claims if claim.kind != "costs"])


def _finding(case: Case, claim: Claim) -> Finding:
    return Finding(claim, "granted", (AGREED,)) if case.admits(claim) else Finding(claim, "rejected", (NO_DECISION,))
