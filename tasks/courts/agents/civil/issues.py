"""争议焦点 of a civil trial: what each disputed claim asks, at most eight, and what is not disputed. 民诉法解释第二百二十六条."""

from __future__ import annotations

import re

from tasks.courts.agents.civil.case import Case
from tasks.courts.agents.civil.heard import Claim
from tasks.courts.agents.quoting import quotable

MOST_ISSUES = 8
_ADMITTED = re.compile(r"^(?:但|对|对于)?(?P<what>[^，。；]{4,60}?)(?:均|都)?(?:没有异议|无异议|属实)$")


def issues(case: Case) -> list[str]:
    """The questions that the disputed claims ask, in their order."""
    open_claims = [claim for claim in case.claims if claim.kind != "costs" and not case.admits(claim)]
    return [of_claim(claim) for claim in open_claims][:MOST_ISSUES] or ["原告的诉讼请求有无事实和法律依据"]


def admitted(case: Case) -> list[str]:
    """What the answer says it does not contest, claims and facts."""
    told = [
        f"原告关于{quotable(_wish(claim), 60)}的请求"
        for claim in case.claims
        if claim.kind != "costs" and case.admits(claim)
    ]
    clauses = (clause.strip() for point in case.points for clause in re.split(r"[，,；;。]", point.text))
    told += [quotable(match["what"], 60) for clause in clauses if (match := _ADMITTED.match(clause))]
    return list(dict.fromkeys(told))[:4]


def _wish(claim: Claim) -> str:
    return claim.brief.removeprefix("准予").replace("原、被告", "双方")


def of_claim(claim: Claim) -> str:
    """The question that a claim itself asks: 被告应否返还原告押金24000元."""
    text = quotable(_wish(claim), 90)
    if text.startswith(("由被告", "被告")):
        return f"被告应否{text.removeprefix('由').removeprefix('被告').removeprefix('应当').removeprefix('应')}"
    return f"原告关于{text}的请求应否支持"
