"""The fields of a CI or CR case that a judgment gives. What is not plain is left out, never made up; `notes` gathers
what a reader has to know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from store.tables import beside
from store.text.dates import days
from store.text.ideographs import HAN
from store.text.normalise import fold_width
from tasks.courts.casefile.charged import charges_of, plea_of, request_of, standing_of
from tasks.courts.casefile.exhibits import exhibits, named_exhibits
from tasks.courts.casefile.judgment import (
    LONGEST,
    Env,
    JudgmentText,
    accused_in,
    civil_gold,
    claim_of,
    clipped,
    criminal_gold,
    items,
    procedure_in,
    sentences,
)
from tasks.courts.casefile.names import names_at
from tasks.courts.casefile.people import PROCURATORATE
from tasks.courts.from_judgment.masking import LEFT_OUT
from tasks.courts.from_judgment.structure import COUNSEL, PARTY, SPEAKS_FOR, HeadingEntry, JudgmentHeading, opened

_SIDES = {"CI": (("原告", "plaintiff", "P1"), ("被告", "defendant", "D1")), "CR": (("被告人", "defendant", "A1"),)}
_SEAT = re.compile(r"(?:住所地|住所|住址|经营场所|地址)(?:为|:)?(?P<value>.+)")
_BORN = re.compile(r"(?:出生|生)")
_OUT = re.compile(rf"（[^（）]{{1,6}}{LEFT_OUT}")
_FIRM = re.compile(rf"(?P<firm>[{HAN}（）()]{{2,40}}?(?:律师事务所|法律服务所|法律援助中心))")
_AUTHORITY = re.compile(r"特别授权(?:代理)?|一般授权(?:代理)?|一般代理|法律援助(?:中心)?指派|委托辩护")
_SIGNED = re.compile(
    r"(?P<title>审判长|代理审判员|助理审判员|审判员|人民陪审员|法官助理|代书记员|书记员)[ :]{0,3}"
    rf"(?P<name>[{HAN}·]{{2,8}}?(?:[0-9A-Za-z]|[×xX*]{{1,2}})?)(?=\s|$|审判|代理审|助理审|人民陪审|法官助"
    r"|代?书记员|二[〇○零Oo0]|[0-9]{4}年|本件)"
)
_CLOSED = re.compile(r"不公开(?:开庭)?(?:进行)?审理")
_WHY_CLOSED = re.compile(r"[^,。;]{0,20}(?:个人隐私|国家秘密|商业秘密|未成年)[^,。;]{0,20}")


def parties(heading: JudgmentHeading, env: Env, notes: list[str]) -> Iterator[dict[str, Any]]:
    """The parties of a heading, each with the counsel that is named behind it."""
    for role, side, party in _SIDES[env]:
        for entry in heading.of(role)[:1]:
            made = {"id": party, "side": side, **(_company(entry) if entry.is_company else _person(entry))}
            behind = heading.entries[heading.entries.index(entry) + 1 :]
            for other in takewhile(lambda one: one.role not in PARTY, behind):
                _attach(made, other, notes)
            yield made


def _company(entry: HeadingEntry) -> dict[str, Any]:
    clauses = ((clause, _SEAT.match(fold_width(clause))) for clause in _clauses(entry.words))
    seats = [_plain(clause[match.start("value") :]) for clause, match in clauses if match]
    return {"kind": "company", "name": entry.name, **({"address": seats[0]} if seats else {})}


def _person(entry: HeadingEntry) -> dict[str, object]:
    found: dict[str, object] = {"kind": "person", "name": entry.name}
    fields = beside(__package__, "parties", dict[str, re.Pattern[str]])
    for clause in _clauses(entry.words.split("因涉嫌")[0])[:14]:
        born = next(days(clause), None)
        if born and _BORN.search(clause[born.end :][:6]):
            found.setdefault("birth_date", born.day.isoformat())
            clause = re.sub(r"^(?:出生|生)(?:于)?", "出生于", clause[born.end :])
            if len(clause) < 5:
                continue
        for name, pattern in fields.items():
            match = pattern.fullmatch(fold_width(clause))
            if match:
                value = _plain(clause[match.start("value") : match.end("value")])
                if value and name not in found:
                    found[name] = value
                break
    return found


def _clauses(words: str) -> list[str]:
    return [clause for part in re.split(r"[，,。；;]", words)[1:] if (clause := part.strip())]


def _plain(text: str) -> str:
    """A value without the marks of what was masked, and without a bracket that has lost its other half."""
    text = _OUT.sub("", text).strip()
    for opens, closes in ("（）", "()"):
        if text.count(opens) != text.count(closes):
            text = text.strip(f"{opens}{closes}")
    return text


def _attach(party: dict[str, object], entry: HeadingEntry, notes: list[str]) -> None:
    where = f"parties.{party['id']}"
    if entry.role in SPEAKS_FOR and party["kind"] == "company":
        if "representative" in party:
            return
        title = next(iter(_clauses(entry.words)), "")
        party["representative"] = entry.name
        party["representative_title"] = entry.role if entry.role == "经营者" else title[:40]
    elif entry.role in COUNSEL:
        if "counsel" in party:
            notes.append(f"{where}.counsel: a second one is named; a case file holds one")
            return
        folded = fold_width(entry.words)
        firm, authority = _FIRM.search(folded, len(entry.name)), _AUTHORITY.search(folded)
        party["counsel"] = {
            "name": entry.name,
            **({"firm": firm["firm"].lstrip(",，:：系")} if firm else {}),
            **({"authority": authority.group()} if authority else {}),
        }
    elif entry.role in ("翻译人员", "翻译"):
        notes.append("翻译人员 takes no seat in a trial here; left out")


def bench(paper: JudgmentText, heading: JudgmentHeading) -> dict[str, Any]:
    """Court, docket, procedure and bench."""
    course = fold_width(paper.course)
    signed = [(match["title"], match["name"]) for match in _SIGNED.finditer(fold_width(paper.tail))]
    chair = [name for title, name in signed if title == "审判长"]
    judges = [{"name": name, "title": "审判员"} for title, name in signed if title.endswith("审判员")]
    lay = [{"name": name, "title": title} for title, name in signed if title == "人民陪审员"]
    found: dict[str, object] = {"name": heading.court, "docket": heading.docket, "procedure": procedure_in(course)}
    if chair:
        found |= {"presiding": {"name": chair[0], "title": "审判长"}, "panel": [*judges, *lay]}
    elif judges and len(signed) <= 3:
        found["presiding"] = {"name": judges[0]["name"], "title": "独任审判员"}
    elif match := re.search(rf"审判员(?P<name>[{HAN}]{{2,4}}?)独任", course):
        found["presiding"] = {"name": match["name"], "title": "独任审判员"}
    found["clerk"] = next((name for title, name in signed if title.endswith("书记员")), "")
    if _CLOSED.search(course):
        why = _WHY_CLOSED.search(course)
        found |= {"public": False, "closed_reason": why.group().strip() if why else ""}
    return {name: value for name, value in found.items() if value not in ("", [])}


def signed_by(tail: str) -> list[str]:
    """Names below a judgment."""
    return [match["name"] for match in _SIGNED.finditer(fold_width(tail))]


def _dates(paper: JudgmentText, filed: re.Pattern[str], tried: re.Pattern[str]) -> dict[str, str]:
    """Filing and trial from the course of the case, the judgment from below: the last day that stands there."""
    found: dict[str, str] = {}
    course = fold_width(paper.course)
    for day in days(paper.course):
        behind = re.split(r"[。;]|[0-9]{4}年", course[day.end : day.end + 60])[0]
        if "filed" not in found and filed.search(behind):
            found["filed"] = day.day.isoformat()
        elif tried.search(behind):
            found["proceeding"] = day.day.isoformat()
    judged = [day.day.isoformat() for day in days(paper.tail)]
    return found | ({"judged": judged[-1]} if judged else {})


# --- facts ----------------------------------------------------------------------------------------------------------

_FACTS_LEAD = re.compile(
    r"(?:经[^,。:]{0,20}查明|本院[^,。:]{0,16}(?:查明|认定)[^,。:]{0,8}|[^,。:]{0,10}审理查明"
    r"|根据[^:。]{0,60}?(?:如下|查明)[^:。]{0,6})[:,]?\s*"
)
_PROOF = re.compile(
    r"^(?:上述|以上|前述|认定上述)[^。]{0,8}事实[,，]?[^。]{0,40}(?:证据|证实|证明|陈述|供述|证言|为证|佐证|认可"
    r"|无异议)"
)
_PACKED, _MOST_FACTS = 220, 60
"""Characters up to which sentences of one paragraph make one fact."""


def facts_of(found: str, notes: list[str]) -> list[dict[str, object]]:
    """经审理查明, some sentences a fact; who knows each fact is for a reader to say."""
    lead = _FACTS_LEAD.match(fold_width(found))
    packs: list[str] = []
    for paragraph in found[lead.end() if lead else 0 :].split("\n"):
        packs.append("")
        for sentence in sentences(paragraph):
            if _PROOF.match(fold_width(sentence)):
                continue
            if packs[-1] and len(packs[-1]) + len(sentence) > _PACKED:
                packs.append("")
            packs[-1] += sentence
    packs = [pack for pack in packs if pack]
    if len(packs) > _MOST_FACTS:
        notes.append(f"facts: the first {_MOST_FACTS} of {len(packs)} are taken")
    return [{"id": f"F{number}", "text": pack[:LONGEST]} for number, pack in enumerate(packs[:_MOST_FACTS], 1)]


# --- civil ----------------------------------------------------------------------------------------------------------

_CAUSE = re.compile(rf"(?P<cause>[{HAN}、]{{2,60}}?(?:纠纷|争议|之诉|离婚|继承|确认|监护))(?:一案|案)")
_ASKED = re.compile(
    r"(?:故|为此|现|综上|遂|特|因此)?[^。\n,]{0,20}?(?:请求|要求|诉请|诉求)(?:贵院|法院|人民法院|本院)?(?:依法)?"
    r"(?:判令|判决|确认|判准|依法)?[:,]?"
)
_CHANGED = re.compile(
    r"(?:^|(?<=[。;\n]))[^。;\n]{0,12}?(?:审理|诉讼|庭审)(?:过程)?中[^。]{0,30}?(?:变更|撤回|放弃|增加|减少|明确)"
)
_FILED = re.compile(r"立案|受理|诉至本院|向本院(?:提起|起诉)")
_HEARD = re.compile(r"(?:公开|不公开|开庭|独任|进行了?)[^。]{0,10}审理|开庭")
_STAYED_AWAY = re.compile(r"被告[^。]*?(?:未到庭|拒不到庭|未(?:作|提交|提供)[^。]{0,10}答辩)")
_OFFERED = re.compile(
    r"(?P<side>原告|被告)[^,、;。]{0,16}?(?:提供|提交|出示)的(?P<list>[^,;。]{2,200}?)(?=等|,|;|。|及当事人|$|予以)"
)
_OFFERS = re.compile(
    r"(?:^|(?<=[。;\n]))[^。;\n]{0,40}?(?P<side>原告|被告)[^。;:\n]{0,40}?(?:提交|提供|举示|出示)[^。:\n]{0,30}?证据"
    r"(?:[:,]|如下)?"
)
_SPLIT = re.compile(r"[;；]|(?<=[,，])(?=(?:并|本案|案件)?(?:诉讼费|受理费))")
_SIDE = {"原告": "P1", "被告": "D1"}


def civil_case(paper: JudgmentText, heading: JudgmentHeading, notes: list[str]) -> dict[str, object]:
    """All fields that a civil judgment gives."""
    told, asked = _told_and_asked(paper, notes)
    claims = _claims(asked, notes)
    paid: list[Any] = [claim.get("amount") for claim in claims if claim["kind"] == "pay"]
    names = [name for party in heading.entries if party.role in PARTY for name in (party.name, *party.aliases)]
    return {
        "cause": _cause(paper.course or paper.text[:400], names),
        "dates": _dates(paper, _FILED, _HEARD),
        "parties": list(parties(heading, "CI", notes)),
        "facts": facts_of(paper.part("found"), notes),
        "claims": claims,
        "amount": round(sum(paid), 2) if paid and None not in paid else None,
        "complaint": clipped(told, "complaint", notes),
        "answer": clipped(_answer(paper, notes), "answer", notes),
        "evidence": _civil_evidence(paper.part("evidence"), notes),
        "court": bench(paper, heading),
        "gold": civil_gold(paper, claims, names, notes),
    }


def _told_and_asked(paper: JudgmentText, notes: list[str]) -> tuple[str, str]:
    """事实和理由, and the claims. The older form (诉称 … 请求判令 …) tells both in one."""
    claims, story, told = (opened(paper, key) for key in ("claims", "complaint", "told"))
    told, claims = _before_changes(told, notes), _before_changes(claims, notes)
    if told and not claims and (asked := list(_ASKED.finditer(fold_width(told)))):
        told, claims = told[: asked[-1].start()], told[asked[-1].end() :]
    return (story or told).strip(" ，,；;"), claims


def _before_changes(text: str, notes: list[str]) -> str:
    """What was claimed at first."""
    changed = _CHANGED.search(fold_width(text))
    if changed is None:
        return text
    notes.append("claims: the plaintiff changed them during the trial; those of the complaint stand there")
    return text[: changed.start()]


def _claims(text: str, notes: list[str]) -> list[dict[str, Any]]:
    lead, listed = items(text)
    listed = listed or _SPLIT.split(lead.split("。")[0])
    texts = (item.strip(" ，,。；;：:\n")[:LONGEST] for item in listed)
    return [claim_of(number, item, notes) for number, item in enumerate(filter(None, texts), 1)]


def _answer(paper: JudgmentText, notes: list[str]) -> str:
    if answer := paper.part("answer"):
        told = re.match(r"[^。]{0,50}?(?:辩称|答辩)", fold_width(answer))
        cut = opened(paper, "answer") if told else answer
        return cut if cut.strip("。 \n") else answer
    if away := _STAYED_AWAY.search(fold_width(paper.course)):
        notes.append("answer: the defendant did not answer; the words of the judgment on that stand there")
        return paper.course[away.start() : away.end()] + "。"
    return ""


def _cause(course: str, names: list[str]) -> str:
    """案由: what stands between the last party and 一案."""
    match = _CAUSE.search(fold_width(course.split("\n")[0]))
    cause = match["cause"] if match else ""
    for word in (*names, "被告"):
        cause = cause.rpartition(word)[2] or cause
    return cause.lstrip("、诉与")


def _civil_evidence(text: str, notes: list[str]) -> list[dict[str, Any]]:
    """Exhibits of both sides; a passage belongs to the side that its sentences name as offering it."""
    found: list[dict[str, object]] = []
    marks = list(_OFFERS.finditer(fold_width(text)))
    for mark, end in zip(marks, [*(mark.start() for mark in marks[1:]), len(text)], strict=False):
        # What the court makes of the evidence is no list of it.
        passage = re.split(r"\n(?=本院|经质证|对于?上述)", text[mark.end() : end])[0]
        found += exhibits(passage, "CI", _SIDE[mark["side"]], len(found) + 1)
    if not found:
        for match in _OFFERED.finditer(fold_width(text)):
            titles = text[match.start("list") : match.end("list")]
            found += named_exhibits(titles, _SIDE[match["side"]], len(found) + 1)
    if text and not found:
        notes.append("evidence: the judgment names no single exhibit")
    return found


# --- criminal -------------------------------------------------------------------------------------------------------

_FILE_NUMBER = re.compile(r"以(?P<number>[^,。;以]{2,40}?号)(?:《)?起诉书")
_PROCURATOR = re.compile(rf"(?P<name>[{HAN}]{{2,30}}?人民检察院)")
_SENT = re.compile(
    rf"指派(?P<title>代理检察员|检察员|检察官|副检察长|检察长)?(?:助理)?(?P<name>[{HAN}]{{2,4}}?[0-9]?)"
    r"(?:、[^,。]{2,20})?(?:等)?出庭"
)
_CHARGED_ON = re.compile(r"向本院(?:提起公诉|提出公诉|起诉)|移送本院|提起公诉")
_TRIED = re.compile(r"\A(?!.*立案).*?(?:审理(?!终结)|开庭)", re.DOTALL)
_CLEAN = re.compile(r"(?:无|没有)(?:违法犯罪|犯罪)?(?:前科|记录|劣迹)[^,。;]{0,8}|无违法犯罪记录")
_VICTIM = re.compile(r"(?:被害人|受害人)(?:\([^()]{0,12}\))?")
_HARMED = re.compile(r"被害单位(?P<name>[^,。;:、的]{2,30}?(?:公司|银行|厂|店|医院|学校|合作社|村民委员会|局))")
_AS_CHARGED = re.compile(
    r"[^。]{0,30}?查明[^。]{0,20}?(?:与|和)[^。]{0,30}?指控[^。]{0,16}?(?:一致|相同|无异)[^。]{0,10}(?:。|$)\s*"
)
_SETTLED = re.compile(r"[^,。;]*谅解[^,。;]*")


def criminal_case(paper: JudgmentText, heading: JudgmentHeading, notes: list[str]) -> dict[str, Any]:
    """All fields that a criminal judgment gives."""
    people = list(parties(heading, "CR", notes))
    if not people and (names := accused_in(paper.ruled)):
        people = [{"id": "A1", "side": "defendant", "kind": "person", "name": names[0]}]
        notes.append("parties.A1: named by the rulings only; the heading is missing")
    standing = standing_of(next((entry.words for entry in heading.of("被告人")), ""))
    gold = criminal_gold(paper, notes)
    charged = charges_of(paper)
    if not charged and gold.get("charges"):
        charged = list(gold["charges"])
        notes.append("criminal.charges: taken from the rulings; the judgment does not say what was charged")
    charge = opened(paper, "charge").lstrip(" ，,：:称\n")
    if not charge and paper.part("found"):
        notes.append("criminal.indictment: the judgment does not tell the charge; 经审理查明 stands there")
    first = next(days((charge or opened(paper, "found")).lstrip("1一、.．")), None)
    # The day of the act is told only where the story opens with it.
    acted = {"acted": first.day.isoformat()} if first is not None and first.start <= 2 else {}
    told = fold_width(f"{paper.all_of('found charge')}\n{paper.reason}")
    criminal = {
        "prosecution": _prosecution(paper, heading),
        "charges": [{"name": name} for name in charged if len(name) <= 80],
        "indictment": clipped(charge or opened(paper, "found"), "criminal.indictment", notes),
        "opinion": clipped(paper.part("opinion"), "criminal.opinion", notes),
        "request": request_of(paper),
        "plea": plea_of(paper),
        "record": standing.record[:LONGEST] or ("无" if _CLEAN.search(told) else ""),
        "custody": list(standing.custody),
        "victims": _victims(paper),
        "defence_opinion": clipped(paper.part("defence"), "criminal.defence_opinion", notes),
    }
    return {
        "cause": "、".join(charged),
        "dates": _dates(paper, _CHARGED_ON, _TRIED) | acted,
        "parties": people,
        "facts": _facts_found(paper, notes),
        "evidence": exhibits(paper.part("evidence"), "CR", PROCURATORATE, 1),
        "court": bench(paper, heading),
        "criminal": {name: value for name, value in criminal.items() if value not in (None, "", [], {})},
        "gold": gold,
    }


def _facts_found(paper: JudgmentText, notes: list[str]) -> list[dict[str, Any]]:
    """经审理查明; where the court finds what was charged, the facts are those of the charge."""
    found = paper.part("found")
    same = _AS_CHARGED.match(fold_width(found))
    if same and paper.part("charge"):
        notes.append("facts: the court finds what was charged; the facts are those of the charge")
        found = f"{opened(paper, 'charge').lstrip(' ，,：:称')}\n{found[same.end() :]}"
    return facts_of(found, notes)


def _prosecution(paper: JudgmentText, heading: JudgmentHeading) -> dict[str, str]:
    named = next((entry.name for entry in heading.of("公诉机关")), "")
    course = fold_width(paper.course)
    if not named and (match := _PROCURATOR.search(course or fold_width(paper.part("charge")[:60]))):
        named = match["name"]
    number, sent = _FILE_NUMBER.search(course), _SENT.search(course)
    title = (sent["title"] or "检察员").removeprefix("代理") if sent else ""
    return {
        **({"name": named.strip("。 ")} if named.strip("。 ") else {}),
        **({"indictment_no": paper.course[slice(*number.span("number"))]} if number else {}),
        **({"prosecutor": sent["name"]} if sent else {}),
        **({"title": title} if title != "检察员" else {}),
    }


def _victims(paper: JudgmentText) -> list[dict[str, Any]]:
    text = fold_width(paper.all_of("charge found evidence"))
    named = (name for match in _VICTIM.finditer(text) for name in names_at(text, match.end(), masked=True))
    firms = (match["name"] for match in _HARMED.finditer(text))
    found: list[dict[str, object]] = [{"name": name} for name in list(dict.fromkeys([*named, *firms]))[:20]]
    if len(found) == 1 and (settled := _SETTLED.search(f"{text}\n{fold_width(paper.reason)}")):
        found[0]["settled"] = settled.group().strip()[:2000]
    return found
