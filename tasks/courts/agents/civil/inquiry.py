"""The court's own questions: to the side that bears the burden, on a fact that is contested and that no exhibit of it settles.

民事诉讼法第六十七条, 民诉法解释第九十、九十一条: who relies on a fact proves it. A question names the matter and asks for what would
prove it: day, manner, receipt, who signed.
"""

from __future__ import annotations

import re

from tasks.courts.agents.civil.case import Case
from tasks.courts.agents.civil.issues import disputed
from tasks.courts.agents.civil.questions import parts_of, table
from tasks.courts.agents.civil.quoting import contention, gist, quotable
from tasks.courts.agents.civil.weighing import NEAR, Weighed, nearest
from tasks.courts.procedure.turns import Side

_LAW_ALONE = re.compile(
    r"过高|调减|减少|适当|酌情|时效|缺乏|法律依据|没有约定|未约定|不应|应当自行|不同意|合同依据|视为|比例|不构成|不属于|按照约定|保证期间|一般保证"
)
"""Words of a contention that turns on law alone."""
_DENIAL = re.compile(r"^[^，]{0,16}(?:没有|未)(?!另)|，原告没有|无关|剔除")
"""What the plaintiff has to prove, since the answer only denies it."""
_FACT = re.compile(r"[0-9]{1,2}[月日天]|[0-9]万?元|没有|已经?|通知|签|交付|修|看|住|送|告知|隐瞒|知情|到岗|请假")
MOST_QUESTIONS = 2


def questions(case: Case, side: Side) -> list[str]:
    """What a side is asked, weightiest first; [] where nothing of fact is open on its side."""
    found = _of_plaintiff(case) if side == "plaintiff" else _of_defendant(case)
    return list(dict.fromkeys(found))[:MOST_QUESTIONS]


def _of_plaintiff(case: Case) -> list[str]:
    """On exhibits of its own that are denied, then on contentions of the answer that deny a fact it has to prove."""
    asked = [_on_exhibit(one) for one in case.weighed if one.offer.side == "plaintiff" and not one.admitted]
    denied = [part for part in _open_parts(case) if _DENIAL.search(part) and not _LAW_ALONE.search(part)]
    asked += [_concrete(contention(part), "被告提出", "对此事实经过是怎样的，有什么证据？") for part in denied]
    return asked


def _of_defendant(case: Case) -> list[str]:
    """On what it alleges and its exhibits do not settle, then on exhibits of its own that are denied."""
    own = [one for one in case.weighed if one.offer.side == "defendant"]
    alleged = [
        part
        for part in _open_parts(case)
        if _FACT.search(part) and not _LAW_ALONE.search(part) and not _DENIAL.search(part) and not _settled(part, own)
    ]
    asked = [_concrete(contention(part), "你方提出", "具体经过是怎样的，有什么证据？") for part in alleged]
    return asked + [_on_exhibit(one) for one in own if not one.admitted]


def _open_parts(case: Case) -> list[str]:
    """The contentions of fact against the claims that are in dispute."""
    open_claims = {claim.number for claim in disputed(case)}
    return [
        part
        for point in case.points
        if point.position != "admit" and (not point.claims or point.claims & open_claims)
        for part in parts_of(point.text)
    ]


def _settled(part: str, own: list[Weighed]) -> bool:
    """Whether an exhibit that stands speaks to a contention."""
    like, one = nearest(part, [one for one in own if one.admitted])
    return one is not None and like >= NEAR + 0.1


def _on_exhibit(one: Weighed) -> str:
    """A question on an exhibit that is denied, by what is objected to it."""
    rule = next(entry for entry in table()["inquiries"] if re.search(entry["objection"], one.objection))
    title, purpose = quotable(one.offer.title, 40), gist(one.offer.purpose, 40)
    return str(rule["asks"]).format(title=title, purpose=purpose)


def _concrete(part: str, lead: str, plain: str) -> str:
    """A question on a contention: what would prove it, by what it is about."""
    rule = next((entry for entry in table()["matters"] if re.search(entry["about"], part)), None)
    return f"{lead}“{gist(part, 50)}”，{rule['asks'] if rule else plain}"
