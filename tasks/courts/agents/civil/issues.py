"""争议焦点 of a civil trial: the questions that the answer puts into dispute, those of one subject once. 民诉法解释第二百二十六条.

What is admitted is no issue; a claim that nothing is said against has none, unless the answer rejects the suit as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tasks.courts.agents.civil.case import Case
from tasks.courts.agents.civil.heard import Claim, Point
from tasks.courts.agents.civil.questions import parts_of, question, table
from tasks.courts.agents.civil.quoting import quotable
from tasks.courts.agents.civil.weighing import overlap
from tasks.courts.scores.bigrams import bigrams, recall

MOST_ISSUES = 8
SAME = 0.55
"""From this share of pairs on two questions are one."""
TOLD = 0.4
"""From this share on a contention was made before."""
_HEAVY = re.compile(r"应否|能否|是否有权|有无|过高")
_ADDS = re.compile(r"应当|不应|抵|扣|减|时效|无权|过高")
_CONFIRMS = re.compile(r"^确认(?P<what>.{2,80}?)(?P<at>于[^，]{4,12})?(?P<end>解除|无效|有效|终止|享有.{2,12}权)$")
_ADMITTED = re.compile(r"^(?:但|对|对于)?(?P<what>[^，。；]{4,60}?)(?:均|都)?(?:没有异议|无异议|属实)$")


@dataclass(frozen=True, slots=True)
class Issue:
    """A disputed question. claims: numbers of those that turn on it; parts: the contentions that raise it."""

    text: str
    claims: frozenset[int]
    parts: tuple[str, ...] = ()
    whole: bool = False
    """It asks for the claim itself."""


def disputed(case: Case) -> list[Claim]:
    """Claims that are not admitted; costs aside."""
    return [
        claim
        for claim in case.claims
        if claim.kind != "costs" and not (case.on(claim) and all(p.position == "admit" for p in case.on(claim)))
    ]


def issues(case: Case) -> list[Issue]:
    """The disputed questions in the order of the claims."""
    open_claims = {claim.number: claim for claim in disputed(case)}
    found: list[Issue] = []
    for one in (*_whole(case, open_claims), *_raised(case, open_claims), *_silent(case, open_claims)):
        same = next((place for place, other in enumerate(found) if overlap(one.text, other.text) >= SAME), None)
        if same is None:
            found.append(one)
            continue
        kept = found[same]
        text = max(kept.text, one.text, key=len) if not kept.whole else kept.text
        found[same] = replace(kept, text=text, claims=kept.claims | one.claims, parts=(*kept.parts, *one.parts))
    ordered = sorted(found, key=lambda one: (min(one.claims, default=99), one.whole, found.index(one)))
    return _fewer(ordered) or [Issue("原告的诉讼请求有无事实和法律依据", frozenset(open_claims))]


def admitted(case: Case) -> list[str]:
    """What the answer says it does not contest, claims and facts."""
    told = [f"原告关于{quotable(_wish(claim), 60)}的请求" for claim in case.claims if _admits(case, claim)]
    for point in case.points:
        for clause in re.split(r"[，,；;。]", point.text):
            if match := _ADMITTED.match(clause.strip()):
                told.append(quotable(match["what"], 60))
    return list(dict.fromkeys(told))[:4]


def _admits(case: Case, claim: Claim) -> bool:
    mine = case.on(claim)
    return claim.kind != "costs" and bool(mine) and all(point.position == "admit" for point in mine)


def _wish(claim: Claim) -> str:
    return claim.brief.removeprefix("准予").replace("原、被告", "双方")


def _whole(case: Case, open_claims: dict[int, Claim]) -> Iterator[Issue]:
    """Claims that one question of the table asks for."""
    for number, claim in open_claims.items():
        for rule in table()["issues"]:
            if rule.get("whole") and re.search(rule["claim"], claim.text):
                parts = [
                    part for point in case.on(claim) if point.claims == {number} for part in parts_of(point.text)
                ]
                yield Issue(rule["asks"], frozenset({number}), tuple(parts), whole=True)
                break


def _raised(case: Case, open_claims: dict[int, Claim]) -> Iterator[Issue]:
    """The questions that the points of the answer raise."""
    swallowed = {number for one in _whole(case, open_claims) for number in one.claims}
    told: list[str] = []
    added = case.trial.said("answer", "defendant").partition("另外说明")[2]
    for point in case.points:
        on = point.claims & set(open_claims)
        if point.position == "admit" or (point.claims and not on - swallowed):
            continue
        for part in parts_of(point.text):
            asked = _by_table(case, point, part) or question(part)
            more = point.text in added
            if any(overlap(part, earlier) >= TOLD for earlier in told) or (more and not _fresh(part, told)):
                continue
            told.append(part)
            if asked and (point.claims or _HEAVY.search(asked)):
                yield Issue(quotable(asked, 120), frozenset(on - swallowed or on), (part,))


def _fresh(part: str, told: list[str]) -> bool:
    """Whether what is added behind the points asks for something that they do not speak of."""
    return bool(_ADDS.search(part)) and recall(bigrams(part), bigrams("".join(told))) < TOLD / 2


def _by_table(case: Case, point: Point, part: str) -> str:
    """The question that the table has for a contention; '' where it has none."""
    claims = "\n".join(claim.text for claim in case.claims if claim.number in point.claims)
    for rule in table()["issues"]:
        if rule.get("whole") or not re.search(rule.get("says", "(?!)"), part):
            continue
        if re.search(rule.get("cause", ""), case.cause) and re.search(rule.get("claim", ""), claims):
            return str(rule["asks"])
    return ""


def _silent(case: Case, open_claims: dict[int, Claim]) -> Iterator[Issue]:
    """Claims on which nothing was said that raises a question."""
    asked = {number for one in (*_whole(case, open_claims), *_raised(case, open_claims)) for number in one.claims}
    for number, claim in open_claims.items():
        if number not in asked:
            yield Issue(of_claim(claim), frozenset({number}), tuple(p.text for p in case.on(claim)), whole=True)


def of_claim(claim: Claim) -> str:
    """The question that a claim itself asks: 被告应否返还原告押金24000元."""
    text = quotable(_wish(claim), 90)
    if match := _CONFIRMS.match(text):
        return f"{match['what']}是否{match['at'] or ''}{match['end']}"
    if text.startswith("由被告") or text.startswith("被告"):
        return f"被告应否{text.removeprefix('由').removeprefix('被告').removeprefix('应当').removeprefix('应')}"
    return f"应否{text}" if re.match(r"撤销|解除|分割|继续|变更", text) else f"原告关于{text}的请求应否支持"


def _fewer(found: list[Issue]) -> list[Issue]:
    """At most so many, those on the same claims put together."""
    while len(found) > MOST_ISSUES:
        pairs = [place for place in range(len(found) - 1) if found[place].claims & found[place + 1].claims]
        if not pairs:
            return found[:MOST_ISSUES]
        place = min(pairs, key=lambda at: len(found[at].text) + len(found[at + 1].text))
        one, two = found[place], found[place + 1]
        joined = Issue(f"{one.text}，{two.text}", one.claims | two.claims, (*one.parts, *two.parts), two.whole)
        found = [*found[:place], joined, *found[place + 2 :]]
    return found
