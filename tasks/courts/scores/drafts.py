"""The form of a 民事起诉状 and a 民事答辩状, and documents that are no agent's: the ceiling, drafted from the case,
and the floor, the empty form.

Form and order of 民事起诉状 and 民事答辩状: 民事诉讼法第一百二十四条, 第一百二十八条 and the forms of the courts.
Signature and the day of a defence stay open.
"""

from __future__ import annotations

from collections.abc import Sequence

from store.text.dates import plain_date
from tasks.courts.casefile.case import CivilCase
from tasks.courts.casefile.people import Party, party_lines
from tasks.courts.scores.drafted import END_MARK, EVIDENCE, TITLE, Kind, kind_of_case, opening_sentence, side
from tasks.courts.scores.slots import own_exhibits

FLOOR_REPLY = "请您介绍一下案件的情况。"
"""The fixed formula of a lawyer who never drafts: every score is 0."""


def ceiling_document(case: CivilCase) -> str:
    """The document with everything the client can tell; ValueError for a case that asks for none."""
    kind = kind_of_case(case)
    if kind is None:
        raise ValueError(f"{case.id} asks for no document")
    return _complaint(case) if kind == "CD" else _defence(case)


def floor_document(kind: Kind) -> str:
    """The empty form: what the order and the labels alone are worth."""
    heads = {
        "CD": ["原告：", "被告：", "诉讼请求：", "事实和理由：", EVIDENCE],
        "DD": ["答辩人：", "对××××人民法院（××××）……民初……号……一案的起诉，答辩如下：", EVIDENCE],
    }
    signed = "起诉人：" if kind == "CD" else "答辩人："
    return "\n\n".join([TITLE[kind], *heads[kind], "此致\n××××人民法院", signed])


def with_end_mark(document: str) -> str:
    """The document as the lawyer's last message."""
    return f"{document}\n\n{END_MARK}"


def _complaint(case: CivilCase) -> str:
    plaintiff, defendant = side(case, "plaintiff"), side(case, "defendant")
    claims = [f"{number}．{_ended(claim.text, '；')}" for number, claim in enumerate(case.claims, 1)]
    claims[-1] = _ended(claims[-1].rstrip("；"), "。")
    story = case.complaint or "".join(_ended(fact.text, "。") for fact in case.facts)
    parts = [
        _party("原告", plaintiff, counsel=case.dates.filed is not None), _party("被告", defendant),
        "诉讼请求：\n" + "\n".join(claims),
        f"事实和理由：\n{story}",
    ]  # fmt: skip
    return _document(case, "CD", parts, plaintiff, plain_date(case.dates.filed))


def _defence(case: CivilCase) -> str:
    defendant = side(case, "defendant")
    points = "\n".join(f"{number}．{_ended(defence.text, '。')}" for number, defence in enumerate(case.defences, 1))
    lead = _party("答辩人", defendant, counsel=case.dates.filed is not None)
    return _document(case, "DD", [lead, f"{opening_sentence(case)}\n{points or case.answer}"], defendant, "")


def _document(case: CivilCase, kind: Kind, parts: Sequence[str], signed: Party | None, day: str) -> str:
    """A document in the customary order; `parts`: what stands between the title and the evidence."""
    name, who = {"CD": ("起诉状", "起诉人"), "DD": ("答辩状", "答辩人")}[kind]
    ending = (
        f"{EVIDENCE}\n{_exhibits(case, kind) or '无。'}",
        f"此致\n{case.court.name or '××××人民法院'}",
        f"附：本{name}副本1份",
        f"{who}：{signed.name if signed else ''}\n{day or '　　年　月　日'}",
    )
    return "\n\n".join([TITLE[kind], *parts, *ending])


def _party(role: str, party: Party | None, *, counsel: bool = False) -> str:
    """A party with its way of contact: 原告：…，男，1979年4月12日出生，汉族，…，住…。联系方式：…."""
    if party is None:
        return f"{role}："
    contact = [f"联系方式：{party.contact}。"] if party.contact else []
    return "\n".join([*party_lines(role, party, counsel=counsel), *contact])


def _exhibits(case: CivilCase, kind: Kind) -> str:
    lines = []
    for number, exhibit in enumerate(own_exhibits(case, kind), 1):
        source = f"来源：{exhibit.source}；" if exhibit.source else ""
        lines.append(f"{number}．{exhibit.title}（{exhibit.kind}）；{source}{_ended(exhibit.purpose, '。')}")
        if exhibit.witness:
            where = f"，住{exhibit.witness.address}" if exhibit.witness.address else ""
            lines.append(f"证人：{exhibit.witness.name}{where}。")
    return "\n".join(lines)


def _ended(text: str, mark: str) -> str:
    return text.rstrip("。；;.") + mark
