"""What becomes of each claim, by rule: admitted, proven, defeated by an exhibit that stands, lessened by what is shown.

The burden of proof lies as 民诉法第六十七条 and its interpretation 第九十条 have it. Sums are reckoned from the words that were
heard; where these do not reach, the sum of the claim stays. Nothing is known here but the record and the court's own inquiry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from store.text.normalise import fold_width
from tasks.courts.agents.civil.case import Case, Finding, Lessened, Outcome, Reckoned
from tasks.courts.agents.civil.fault import liability
from tasks.courts.agents.civil.heard import Claim, Point
from tasks.courts.agents.civil.lease import ended
from tasks.courts.agents.civil.lessening import dropped, lessened
from tasks.courts.agents.civil.limitation import lapsed, reminder, without_lapsed
from tasks.courts.agents.civil.personality import LESS, scoped
from tasks.courts.agents.civil.quoting import contention, gist, quotable, spoken
from tasks.courts.agents.civil.reckoning import method
from tasks.courts.agents.civil.sums import sums, yuan
from tasks.courts.agents.civil.weighing import NEAR, nearest, overlap, points
from tasks.courts.scores.bigrams import bigrams, recall

LEGAL = re.compile(
    r"法律|民法典|[^办方无合非违]法(?=[，,；;。规第]|$)|(?:没有|未|未作|并未)约定|视为|应为|不属于|主体|有争议"
)
"""A defence of law; any other is one of fact."""
SPEAKS = 0.14
"""Share of a claim that an exhibit must hold to speak to it at all."""


def decide(case: Case) -> list[Finding]:
    """Every claim but that of costs; claims on which others are reckoned first."""
    order = sorted(case.claims, key=lambda claim: (_depends(claim), claim.number))
    for claim in order:
        if claim.kind != "costs":
            case.decided[claim.number] = _decide(case, claim)
    found = [case.decided[claim.number] for claim in case.claims if claim.number in case.decided]
    return [_with_marriage(one, found) for one in found]


def _with_marriage(one: Finding, found: Sequence[Finding]) -> Finding:
    """Where the marriage goes on, nothing is divided and no child is assigned."""
    if not any(is_divorce(other.claim) and other.outcome == "rejected" for other in found) or is_divorce(one.claim):
        return one
    amount = 0.0 if one.claim.kind == "pay" else None
    return Finding(one.claim, "rejected", amount, ("离婚的请求不予支持，与离婚有关的财产和子女问题在本案中不作处理",))


def is_divorce(claim: Claim) -> bool:
    """Whether a claim asks for divorce itself."""
    return claim.kind == "declare" and bool(re.search(r"离婚", claim.text)) and "协议" not in claim.text


def _depends(claim: Claim) -> bool:
    return bool(re.search(r"利息|违约金|倍", claim.text))


def rule_for(case: Case, claim: Claim) -> Mapping[str, Any]:
    """The point of law on a claim; an empty one where the table has none."""
    pleaded = case.pleaded(claim)
    for rule in points()["rules"]:
        if not re.search(rule["claim"], claim.text) or not re.search(rule.get("cause", ""), case.cause):
            continue
        if "pleads" in rule and not re.search(rule["pleads"], pleaded):
            continue
        found: Mapping[str, Any] = rule
        return found
    return {}


def _decide(case: Case, claim: Claim) -> Finding:
    mine, rule = case.on(claim), rule_for(case, claim)
    if mine and all(point.position == "admit" for point in mine):
        reason = rule.get("granted") if rule.get("tells") else None
        return Finding(
            claim,
            "granted",
            claim.amount,
            (*([reason] if reason else []), "被告对该项请求没有异议"),
            uncontested=True,
        )
    if fails := _fails(case, claim, rule):
        return Finding(claim, "rejected", 0.0 if claim.kind == "pay" else None, (fails,))
    if late := lapsed(case, claim):
        return Finding(claim, "rejected", 0.0 if claim.kind == "pay" else None, (late,))
    if (met := _defeated(case, claim, mine))[0] and not rule.get("method"):
        late_end = ended(case, claim, met[0], met[1])
        return late_end or Finding(
            claim, "rejected", 0.0 if claim.kind == "pay" else None, (met[0],), defeated=met[1]
        )
    if lacks := _unproven(case, claim, mine, ruled=bool(rule)):
        return Finding(claim, "rejected", 0.0 if claim.kind == "pay" else None, (lacks,), unproven=True)
    return _granted(case, claim, rule, mine)


def _fails(case: Case, claim: Claim, rule: Mapping[str, Any]) -> str:
    """Why a point of law defeats a claim; empty where it does not."""
    if not rule or "rejected" not in rule:
        return ""
    pleaded = case.pleaded(claim)
    if "bars" in rule:
        return rule["rejected"] if re.search(rule["bars"], case.shown + case.findings) else ""
    if "needs" not in rule:
        return ""
    where = case.shown if re.search(rule.get("denied", "(?!)"), pleaded) else case.established
    return "" if re.search(rule["needs"], where + (pleaded if rule.get("pleaded") else "")) else rule["rejected"]


def _defeated(case: Case, claim: Claim, mine: Sequence[Point]) -> tuple[str, str]:
    """Why a claim fails, and the defence that an exhibit of the defendant, or the court's inquiry, bears out, where it denies the claim as a whole."""
    if liability(case)[0] < 1:
        return "", ""
    for point in mine:
        if point.position != "deny" or lessened(claim, [point], case.weighed).sums:
            continue
        if case.findings and overlap(point.text, case.findings) >= NEAR and claim.kind != "pay":
            return f"被告关于“{gist(point.text)}”的意见与本院依职权了解的情况相符", point.text
        like, one = nearest(point.text, case.weighed)
        if (
            one is None
            or like < NEAR
            or one.offer.side != "defendant"
            or not one.admitted
            or one.contested & {"truth", "relevance"}
        ):
            continue
        if claim.kind == "pay" and one.contested and not _borne_out(case, point):
            continue
        return f"被告关于“{gist(point.text)}”的意见有{one.name}证明，能够成立", point.text
    return "", ""


def _borne_out(case: Case, point: Point) -> bool:
    """Whether an exhibit of the plaintiff's own says what a point says, clause against clause."""
    own = "".join(one.offer.excerpt for one in case.standing if one.offer.side == "plaintiff")
    told, argued = (
        [
            clause
            for part in re.split(r"[，,；;。：:]", text)
            if len(clause := re.sub(r"[0-9年月日元.]", "", part)) > 3
        ]
        for text in (own, point.text)
    )
    return any(overlap(clause, said) >= 0.5 for clause in argued for said in told)


def _unproven(case: Case, claim: Claim, mine: Sequence[Point], *, ruled: bool) -> str:
    """Why a contested claim is not proven; empty where it is. A point of law (`ruled`) needs some exhibit that stands."""
    own = [one for one in case.weighed if one.offer.side == "plaintiff"]
    if not any(one.admitted for one in own):
        return "原告没有提供足以证明其主张的证据，应当承担举证不能的后果"
    if ruled or not mine:
        return ""
    speaking = [(recall(claim.topic, bigrams(one.offer.says)), one) for one in own]
    like, nearest_one = max(speaking, key=lambda pair: pair[0])
    if (
        like < SPEAKS * 2
        or nearest_one.admitted
        or any(one.admitted and like >= SPEAKS * 2 for like, one in speaking)
    ):
        return ""
    return f"原告为此提交的证据，{nearest_one.reason}，不足以证明其主张，应当由原告承担举证不能的后果"


def _granted(case: Case, claim: Claim, rule: Mapping[str, Any], mine: Sequence[Point]) -> Finding:
    """A claim that holds, with the sum as far as it is shown."""
    reasons = [rule["granted"]] if "granted" in rule else [_basis(case, claim)]
    if claim.amount is None:
        worded, why = scoped(case, claim)
        outcome: Outcome = "partly" if worded else "granted"
        return Finding(claim, outcome, None, (*reasons, *why), worded=worded, adopts=LESS if worded else "(?!)")
    less = lessened(claim, mine, case.weighed, case.used)
    reckoned = method(case, claim, rule, less)
    case.used |= {yuan(value) for value, _ in less.sums}
    reckoned = without_lapsed(case, claim, reckoned)
    amount = min(reckoned.amount, claim.amount)
    met = tuple(_met(case, mine, less, reckoned))
    less = less if reckoned.less is None else reckoned.less
    if amount <= 0:
        return Finding(
            claim,
            "rejected",
            0.0,
            () if reckoned.less else tuple(reasons),
            reckoned.steps,
            adopts=reckoned.adopts,
            less=less,
            met=met,
        )
    if amount < claim.amount * 0.999:
        return Finding(
            claim, "partly", amount, tuple(reasons), reckoned.steps, standard=reckoned.standard, base=reckoned.base,
            dropped=dropped(claim, less), adopts=reckoned.adopts, less=less, met=met,
        )  # fmt: skip
    steps = reckoned.steps if reckoned.standard else ()
    return Finding(
        claim,
        "granted",
        claim.amount,
        tuple(reasons),
        steps,
        standard=reckoned.standard,
        adopts=reckoned.adopts,
        met=met,
    )


def _basis(case: Case, claim: Claim) -> str:
    """The clause of an exhibit that stands which says most of the claim."""
    own = [one for one in case.standing if one.offer.side == "plaintiff" and one.offer.excerpt]
    told = [(clause, one) for one in own for clause in re.split(r"[；;。]", one.offer.excerpt) if len(clause) > 6]
    like, clause, title = max(
        (
            (recall(claim.topic, bigrams(clause)) + 0.3 * _names_sum(claim, clause), clause, one.offer.title)
            for clause, one in told
        ),
        key=lambda pair: pair[0], default=(0.0, "", ""),
    )  # fmt: skip
    return f"{quotable(title, 60)}载明{spoken(clause)}" if like >= NEAR else ""


def _names_sum(claim: Claim, clause: str) -> bool:
    """Whether a clause names the sum of a claim."""
    return any(abs(one.yuan - (claim.amount or 0)) < 0.01 for one in sums(fold_width(clause)))


def _met(case: Case, mine: Iterable[Point], less: Lessened, reckoned: Reckoned) -> list[str]:
    """What is said of a defence that did not help."""
    for point in mine:
        if point.position == "admit" or point.text in less.from_points or re.search(reckoned.adopts, point.text):
            continue
        if "诉讼时效" in point.text and (reminded := reminder(case)):
            return [f"{reminded.name}能够证明原告起诉前已经主张权利，诉讼时效因此中断，被告的时效抗辩不予采纳"]
        argued = gist(contention(point.text))
        why = "缺乏法律依据" if LEGAL.search(argued) else "证据不足"
        return [f"被告关于“{argued}”的意见，{why}，不予采纳"]
    return []


def sums_of(findings: Iterable[Finding]) -> tuple[float, float]:
    """What was claimed and what is granted, in yuan."""
    listed = [one for one in findings if one.claim.kind == "pay"]
    return sum(one.claim.amount or 0 for one in listed), sum(one.amount or 0 for one in listed)
