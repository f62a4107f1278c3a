"""What stands above and below the text of a court paper: parties, how the case came to court, who signs.

Sentences and their order: 民事诉讼文书样式 and 刑事诉讼文书样式 of the 最高人民法院. Of the case file only what
everybody in the court room knows is taken: parties, bench, days, procedure.
"""

from __future__ import annotations

from collections.abc import Iterator

from tasks.courts.casefile.case import CivilCase, CriminalCase
from tasks.courts.casefile.people import Counsel, Party, divorce
from tasks.courts.papers.paper import day, written_day

Trial = CivilCase | CriminalCase
MEASURES = {"拘留": "被刑事拘留", "逮捕": "被逮捕", "取保候审": "被取保候审"}
"""强制措施 -> how a judgment says it; others are said as they are called."""


def criminal(case: Trial) -> bool:
    """Whether it is a criminal case."""
    return isinstance(case, CriminalCase)


def bench(case: Trial) -> tuple[tuple[str, str], ...]:
    """Title and name of those who sign: a sole judge signs as 审判员, a panel by its titles; the clerk is not among
    them."""
    court = case.court
    first = "审判长" if court.collegial else "审判员"
    name = court.presiding.name if court.presiding else ""
    return ((first, name), *((member.title, member.name) for member in court.panel))


def spaced(title: str) -> str:
    """审　判　长, 审　判　员, 书　记　员: titles of three characters are set as wide as the longest."""
    return "　".join(title) if len(title) == 3 else title


def signatures(case: Trial, *, judged: bool) -> tuple[str, ...]:
    """The block at the end: the bench, the day, the clerk; a transcript is of the day of the hearing."""
    when = (case.dates.judged or case.dates.proceeding) if judged else case.dates.proceeding
    signed = [f"{spaced(title)}　　{name or '　　　'}" for title, name in bench(case)]
    return (*signed, written_day(when), f"{spaced('书记员')}　　{case.court.clerk or '　　　'}")


def side_name(party: Party, case: Trial) -> str:
    """原告, 被告; 被告人 of a criminal case."""
    if criminal(case):
        return "被告人"
    return "原告" if party.side == "plaintiff" else "被告"


def parties(case: Trial) -> tuple[str, ...]:
    """The block of parties, a line each."""
    return tuple(_criminal_parties(case) if isinstance(case, CriminalCase) else _civil_parties(case))


def _civil_parties(case: Trial) -> Iterator[str]:
    for party in sorted(case.parties, key=lambda party: party.side != "plaintiff"):
        yield f"{side_name(party, case)}：{identity(party)}"
        if party.representative:
            head = "负责人" if "负责人" in party.representative_title else "法定代表人"
            title = f"，{party.representative_title}" if party.representative_title else ""
            yield f"{head}：{party.representative}{title}。"
        if party.counsel and party.counsel.name:
            yield f"委托诉讼代理人：{party.counsel.name}{_firm(party.counsel)}。"


def _criminal_parties(case: CriminalCase) -> Iterator[str]:
    matter = case.criminal
    yield f"公诉机关　{matter.prosecution.name or '××××人民检察院'}。"
    for party in case.parties:
        yield f"被告人　{identity(party)}"
        record = matter.record.rstrip("。")
        charges = "、".join(charge.name for charge in matter.charges)
        steps = [f"于{day(one.since)}{MEASURES.get(one.measure, f'被{one.measure}')}" for one in matter.custody]
        place = matter.custody[-1].place if matter.custody and matter.custody[-1].measure in ("拘留", "逮捕") else ""
        told = [record] if record not in ("", "无") else []
        told += [f"因涉嫌犯{charges}，{'，'.join(steps)}"] if steps else []
        told += [f"现羁押于{place}"] if place else []
        if told:
            yield "。".join(told) + "。"
        if party.counsel and party.counsel.name:
            given = f"（{party.counsel.authority}）" if "法律援助" in party.counsel.authority else ""
            yield f"辩护人　{party.counsel.name}{_firm(party.counsel)}{given}。"


def identity(party: Party) -> str:
    """周映川，男，1979年4月12日出生，汉族，…，住…。 or a company with its seat."""
    if party.kind == "company":
        return f"{party.name}，住所地{party.address}。" if party.address else f"{party.name}。"
    born = (
        f"{day(party.birth_date)}出生{f'于{party.birthplace}' if party.birthplace else ''}"
        if party.birth_date
        else ""
    )
    work = "，".join(filter(None, (party.workplace, party.occupation)))
    home = f"住{party.address}" if party.address else ""
    told = (party.name, party.gender, born, party.ethnicity, party.education, work, home)
    return "，".join(filter(None, told)) + "。"


def _firm(counsel: Counsel) -> str:
    return f"，{counsel.firm}律师" if counsel.firm else ""


def origin(case: Trial) -> str:
    """How the case came to court, by which procedure it was heard, who came: the paragraph above the claims."""
    return _criminal_origin(case) if isinstance(case, CriminalCase) else _civil_origin(case)


def _heard(case: Trial) -> str:
    """By which procedure the court sat, in public or not, as the paragraphs of both proceedings say it; what a case
    does not tell is left out."""
    court = case.court
    public = "公开" if court.public else "不公开"
    why = f"（{court.closed_reason}）" if court.closed_reason and not court.public else ""
    by = [f"适用{court.procedure}"] if court.procedure else []
    if criminal(case):
        by.append("组成合议庭" if court.collegial else "实行独任审判")
        return f"依法{'，'.join(by)}，{public}开庭审理了本案{why}"
    return f"{'依法' if by else ''}{'，'.join([*by, f'{public}开庭进行了审理{why}'])}"


def _civil_origin(case: Trial) -> str:
    named = {one: [party for party in case.parties if party.side == one] for one in ("plaintiff", "defendant")}
    who = "与".join(
        "、".join(f"{side_name(party, case)}{party.name}" for party in group) for group in named.values() if group
    )
    filed = f"于{day(case.dates.filed)}" if case.dates.filed else ""
    link = "及其" if divorce(case.cause) else "的"
    came = "、".join(
        f"{side_name(party, case)}{party.name}"
        + (f"{link}委托诉讼代理人{party.counsel.name}" if party.counsel else "")
        for party in case.parties
    )
    return f"{who}{case.cause}一案，本院{filed}立案后，{_heard(case)}。{came}到庭参加诉讼。本案现已审理终结。"


def _criminal_origin(case: CriminalCase) -> str:
    matter = case.criminal
    office = matter.prosecution
    charges = "、".join(charge.name for charge in matter.charges)
    names = "、".join(party.name for party in case.parties)
    filed = f"于{day(case.dates.filed)}" if case.dates.filed else ""
    by = f"以{office.indictment_no}起诉书" if office.indictment_no else ""
    sent = f"{office.name}指派{office.title}{office.prosecutor}出庭支持公诉，" if office.prosecutor else ""
    counsel = "、".join(party.counsel.name for party in case.parties if party.counsel and party.counsel.name)
    defended = f"及其辩护人{counsel}" if counsel else ""
    return (
        f"{office.name}{by}指控被告人{names}犯{charges}，{filed}向本院提起公诉。本院{_heard(case)}。"
        f"{sent}被告人{names}{defended}到庭参加诉讼。现已审理终结。"
    )


def hearing_facts(case: Trial) -> tuple[str, ...]:
    """The head of a transcript: when, how, before whom."""
    sat = "，".join(f"{title}{name}" for title, name in bench(case) if name)
    return tuple(
        f"{label}：{said}"
        for label, said in (
            ("时间", day(case.dates.proceeding)), ("案由", case.cause), ("适用程序", case.court.procedure),
            ("是否公开审理", "公开" if case.court.public else "不公开"), ("审判人员", sat),
            ("书记员", case.court.clerk),
        )
        if said
    )  # fmt: skip
