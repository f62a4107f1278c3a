"""Documents that are no agent's: the ceiling, drafted from the case in the customary order, and the floor, the empty form.

Form and order of 民事起诉状 and 民事答辩状: 民事诉讼法第一百二十四条, 第一百二十八条 and the forms of the courts. Signature and
the day of a defence stay open.
"""

from __future__ import annotations

from datetime import date

from tasks.courts.casefile.case import CivilCase
from tasks.courts.casefile.people import Counsel, Party
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
    return "\n\n".join(
        [
            TITLE["CD"],
            _party("原告", plaintiff, case.dates.filed),
            _party("被告", defendant, None),
            "诉讼请求：\n" + "\n".join(claims),
            f"事实和理由：\n{story}",
            f"{EVIDENCE}\n{_exhibits(case, 'CD')}",
            f"此致\n{_court(case)}",
            "附：本起诉状副本1份",
            f"起诉人：{_signed(plaintiff)}\n{_day(case.dates.filed)}",
        ]
    )


def _defence(case: CivilCase) -> str:
    defendant = side(case, "defendant")
    points = "\n".join(f"{number}．{_ended(defence.text, '。')}" for number, defence in enumerate(case.defences, 1))
    return "\n\n".join(
        [
            TITLE["DD"],
            _party("答辩人", defendant, case.dates.filed),
            f"{opening_sentence(case)}\n{points or case.answer}",
            f"{EVIDENCE}\n{_exhibits(case, 'DD')}",
            f"此致\n{_court(case)}",
            "附：本答辩状副本1份",
            f"答辩人：{_signed(defendant)}\n{_day(None)}",
        ]
    )


def _party(role: str, party: Party | None, day: date | None) -> str:
    """原告：…，男，1979年4月12日出生，汉族，…，住…。联系方式：…。 `day`: of the paper; whoever hands it in adds counsel."""
    if party is None:
        return f"{role}："
    if party.kind == "company":
        title = f"，{party.representative_title}" if party.representative_title else ""
        lines = [f"{role}：{party.name}，住所地{party.address}。"]
        if party.representative:
            head = "负责人" if "负责人" in party.representative_title else "法定代表人"
            lines.append(f"{head}：{party.representative}{title}。")
    else:
        born = (
            f"{party.birth_date.year}年{party.birth_date.month}月{party.birth_date.day}日出生"
            if party.birth_date
            else ""
        )
        work = "，".join(filter(None, (party.occupation, party.workplace)))
        told = (party.name, party.gender, born, party.ethnicity, work, f"住{party.address}" if party.address else "")
        lines = [f"{role}：{'，'.join(filter(None, told))}。"]
    if party.contact:
        lines.append(f"联系方式：{party.contact}。")
    if day is not None and party.counsel and party.counsel.name:
        lines.append(_counsel(party.counsel))
    return "\n".join(lines)


def _counsel(counsel: Counsel) -> str:
    firm = f"，{counsel.firm}律师" if counsel.firm else ""
    return f"委托诉讼代理人：{counsel.name}{firm}。"


def _exhibits(case: CivilCase, kind: Kind) -> str:
    lines = []
    for number, exhibit in enumerate(own_exhibits(case, kind), 1):
        source = f"来源：{exhibit.source}；" if exhibit.source else ""
        lines.append(f"{number}．{exhibit.title}（{exhibit.kind}）；{source}{_ended(exhibit.purpose, '。')}")
        if exhibit.witness:
            where = f"，住{exhibit.witness.address}" if exhibit.witness.address else ""
            lines.append(f"证人：{exhibit.witness.name}{where}。")
    return "\n".join(lines) or "无。"


def _court(case: CivilCase) -> str:
    return case.court.name or "××××人民法院"


def _signed(party: Party | None) -> str:
    return party.name if party else ""


def _day(day: date | None) -> str:
    return f"{day.year}年{day.month}月{day.day}日" if day else "　　年　月　日"


def _ended(text: str, mark: str) -> str:
    return text.rstrip("。；;.") + mark
