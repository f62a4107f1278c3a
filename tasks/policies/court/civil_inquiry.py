"""争议焦点 and the court's own questions, from the claims and the answer as they were heard. 民诉法解释第二百二十六条."""

from __future__ import annotations

import re

from tasks.courts.procedure.turns import Side
from tasks.courts.scores.bigrams import bigrams, recall
from tasks.policies.court.civil_case import Case
from tasks.policies.court.civil_findings import SPEAKS
from tasks.policies.court.civil_issues import disputed
from tasks.policies.court.civil_quoting import contention, gist, quotable
from tasks.policies.court.civil_weighing import NEAR, nearest

_FACT = re.compile(r"[0-9]{1,2}[月日天]|[0-9]元")
_LAW_ALONE = re.compile(r"过高|调减|减少|适当|酌情|时效|缺乏|法律依据")
"""Words of a point that asks for no fact."""
MOST_QUESTIONS = 2


def questions(case: Case, side: Side) -> list[str]:
    """What no exhibit speaks to: claims of the plaintiff that are in dispute, points of the answer."""
    offers = [one for one in case.weighed if one.offer.side == side]
    if side == "plaintiff":
        open_claims = [
            claim
            for claim in disputed(case)
            if claim.kind == "pay"
            and not any(recall(claim.topic, bigrams(one.offer.says)) >= SPEAKS for one in offers)
        ]
        asked = [f"关于“{quotable(claim.brief, 80)}”的请求，数额和依据是怎样确定的？" for claim in open_claims]
        return asked[:MOST_QUESTIONS] or [f"被告提出“{text}”，你方有何说明？" for text in _denied(case)[:1]]
    open_points = [
        point
        for point in case.points
        if point.position != "admit" and _FACT.search(point.text) and nearest(point.text, offers)[0] < NEAR
    ]
    told = [gist(contention(point.text)) for point in open_points[:MOST_QUESTIONS]] or _denied(case)[-1:]
    return [f"你方主张“{text}”，具体情况是怎样的？" for text in told]


def _denied(case: Case) -> list[str]:
    """The key points of the answer that are of fact, by their first clauses; what is denied as a whole first."""
    points = [point for point in case.points if point.position != "admit" and not _LAW_ALONE.search(point.text)]
    return [gist(contention(point.text)) for point in sorted(points, key=lambda point: point.position != "deny")]
