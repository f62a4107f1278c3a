"""The form of a 民事起诉状 and a 民事答辩状, and documents that are no agent's: the ceiling, drafted from the case,
and the floor, the empty form.

Form and order of 民事起诉状 and 民事答辩状: 民事诉讼法第一百二十四条, 第一百二十八条 and the forms of the courts.
Signature and the day of a defence stay open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from store.text.dates import plain_date
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


def paper(
    kind: Kind, parts: Sequence[str], exhibits: str, court: str, signed: str, day: date | None, enclosed: str = ""
) -> str:
    """A document in the customary order, part by part.

    Args:
        kind: CD or DD.
        parts: what stands between the title and the evidence: parties, claims and story, or the answer.
        exhibits: their lines.
        court: to which it goes.
        signed: name of the party.
        day: of the paper; None leaves it open.
        enclosed: what is enclosed beside the copy.
    """
    name, who = {"CD": ("起诉状", "起诉人"), "DD": ("答辩状", "答辩人")}[kind]
    dated = plain_date(day) or "　　年　月　日"
    ending = (f"{EVIDENCE}\n{exhibits or '无。'}", f"此致\n{court}", f"附：本{name}副本1份{enclosed}")
    return "\n\n".join([TITLE[kind], *parts, *ending, f"{who}：{signed}\n{dated}"])


def party_lines(role: str, told: Mapping[str, str]) -> str:
    """A party by its particulars: 原告：…，男，1979年4月12日出生，汉族，…，住…。联系方式：….

    Args:
        role: what the document calls the party.
        told: its fields by name, in words; a representative, or an empty one, makes it an organisation.
    """

    def led(before: str, field: str) -> str:
        return f"{before}{told[field]}" if told.get(field) else ""

    if "representative" in told:
        lines = [f"{role}：{told.get('name', '')}{led('，住所地', 'address')}。"]
        if told["representative"]:
            head = told.get("head", "法定代表人")
            lines.append(f"{head}：{told['representative']}{led('，', 'representative_title')}。")
    else:
        born = f"{told['birth_date']}出生" if told.get("birth_date") else ""
        who = (
            led("", "name"),
            led("", "gender"),
            born,
            *(led("", one) for one in ("ethnicity", "occupation", "workplace")),
        )
        line = "，".join(filter(None, (*who, led("住", "address"))))
        lines = [f"{role}：{line}{'。' if line else ''}"]
    return "\n".join([*lines, *([f"联系方式：{told['contact']}。"] if told.get("contact") else [])])


def _complaint(case: CivilCase) -> str:
    plaintiff, defendant = side(case, "plaintiff"), side(case, "defendant")
    claims = [f"{number}．{_ended(claim.text, '；')}" for number, claim in enumerate(case.claims, 1)]
    claims[-1] = _ended(claims[-1].rstrip("；"), "。")
    story = case.complaint or "".join(_ended(fact.text, "。") for fact in case.facts)
    parts = [
        _party("原告", plaintiff, case.dates.filed), _party("被告", defendant, None),
        "诉讼请求：\n" + "\n".join(claims),
        f"事实和理由：\n{story}",
    ]  # fmt: skip
    return paper("CD", parts, _exhibits(case, "CD"), _court(case), _signed(plaintiff), case.dates.filed)


def _defence(case: CivilCase) -> str:
    defendant = side(case, "defendant")
    points = "\n".join(f"{number}．{_ended(defence.text, '。')}" for number, defence in enumerate(case.defences, 1))
    parts = [_party("答辩人", defendant, case.dates.filed), f"{opening_sentence(case)}\n{points or case.answer}"]
    return paper("DD", parts, _exhibits(case, "DD"), _court(case), _signed(defendant), None)


def _party(role: str, party: Party | None, day: date | None) -> str:
    """A party as the case has it. `day`: of the paper; whoever hands it in adds counsel."""
    if party is None:
        return f"{role}："
    names = ("name", "gender", "ethnicity", "occupation", "workplace", "address", "contact")
    told: dict[str, str] = {name: getattr(party, name) or "" for name in names}
    if party.birth_date:
        told["birth_date"] = plain_date(party.birth_date)
    if party.kind == "company":
        head = "负责人" if "负责人" in party.representative_title else "法定代表人"
        told |= {
            "representative": party.representative,
            "representative_title": party.representative_title,
            "head": head,
        }
    lines = party_lines(role, told)
    return (
        f"{lines}\n{_counsel(party.counsel)}" if day is not None and party.counsel and party.counsel.name else lines
    )


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
    return "\n".join(lines)


def _court(case: CivilCase) -> str:
    return case.court.name or "××××人民法院"


def _signed(party: Party | None) -> str:
    return party.name if party else ""


def _ended(text: str, mark: str) -> str:
    return text.rstrip("。；;.") + mark
