"""Fields of the published records -> fields of a case file. Total: what cannot be read is noted as dropped, never raised."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from store.text.citation import citations
from store.text.dates import parse_date
from store.text.money import parse_money
from store.text.normalise import fold_width
from tasks.courts.casefile.law import shipped_laws
from tasks.courts.casefile.people import PROCURATORATE
from tasks.courts.scores.charge import convictions
from tasks.courts.scores.sentence import read_sentence

_NOTHING = ("", "无", "没有", "-", "无异议", "none", "null")
_MONEY = re.compile(r"[0-9][0-9,.]*\s*(?:万|亿)?元")
_DECLARE = re.compile(r"确认|解除|撤销|离婚|无效|终止|变更")
_COSTS = re.compile(r"^(?:请求|判令|依法)*(?:被告)?.{0,8}诉讼费")
_YES, _NO = re.compile(r"^(?:是|对|可以|能|有|需要|应当)"), re.compile(r"^(?:否|不|没有|无)")
_SEXES = {"男": "男", "女": "女", "男性": "男", "女性": "女", "male": "男", "female": "女"}
_PARTY = {"plaintiff": "P1", "defendant": "D1"}
_STYLE = "behavioral_style"


class Notes:
    """What an import filled in and dropped, in words."""

    def __init__(self) -> None:
        self.filled: list[str] = []
        self.dropped: list[str] = []

    def fill(self, what: str) -> None:
        """A field of the case that the record does not give."""
        if what not in self.filled:
            self.filled.append(what)

    def drop(self, what: str) -> None:
        """A field of the record that the case does not take over."""
        if what not in self.dropped:
            self.dropped.append(what)

    def text(self, value: object, where: str) -> str:
        """A value as text; what is no text or number is dropped."""
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return str(value).strip()
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            return "\n".join(value).strip()
        if value is not None:
            self.drop(where)
        return ""

    def texts(self, value: object, where: str) -> list[str]:
        """A list of texts, also from one text or a table of them."""
        if isinstance(value, dict):
            value = list(value.values())
        items = value if isinstance(value, list) else [] if value is None else [value]
        return [text for number, item in enumerate(items) if (text := self.text(item, f"{where}[{number}]"))]

    def inner(self, value: object, where: str) -> dict[str, Any]:
        """A table; anything else is dropped."""
        if isinstance(value, dict):
            return value
        if value is not None:
            self.drop(where)
        return {}

    def rest(self, fields: Mapping[str, object], known: str, where: str = "") -> None:
        """Note what a table has beside the fields that are known."""
        for name in fields:
            if name not in known.split():
                self.drop(f"{where}.{name}" if where else str(name))


def advice_fields(env: str, record: dict[str, object], notes: Notes) -> dict[str, object]:
    """KQ and LC."""
    notes.rest(record, "id theme roles topic_list")
    roles = notes.inner(record.get("roles"), "roles")
    notes.rest(roles, "legal_agent general_public", "roles")
    public = notes.inner(roles.get("general_public"), "roles.general_public")
    notes.rest(public, f"occupation role background {_STYLE}", "roles.general_public")
    client = {
        name: notes.text(public.get(name), f"roles.general_public.{name}")
        for name in ("occupation", "role", "background")
    }
    agent = roles.get("legal_agent")
    theme = notes.text(record.get("theme"), "theme")
    notes.fill("dates.asked (unknown: the law of which day is asked about)")
    topics = list(_topics(record.get("topic_list"), notes))
    return {
        "id": record.get("id"),
        "cause": theme or client["role"] or "法律咨询",
        "theme": theme,
        "agent_title": agent.strip()
        if isinstance(agent, str)
        else notes.text(None if agent is None else str(agent), "roles.legal_agent"),
        "client": {**client, "persona": _persona(public.get(_STYLE), notes, "client")},
        "topics": topics,
    }


def civil_fields(env: str, record: dict[str, object], notes: Notes) -> dict[str, object]:
    """CD, DD and CI."""
    known = {
        "CD": "id specific_characters claims case_details evidence",
        "DD": "id specific_characters statement_of_defence evidence plaintiff_claim plaintiff_case_details court_info",
        "CI": "id category specific_characters plaintiff_claim plaintiff_case_details defendant_defence evidence other_statement "
        "court_information",
    }[env]
    notes.rest(record, known)
    people = notes.inner(record.get("specific_characters"), "specific_characters")
    notes.rest(people, "plaintiff defendant", "specific_characters")
    parties = [party for side in _PARTY for party in _side(people.get(side), side, notes)]
    claims = notes.texts(record.get("claims" if env == "CD" else "plaintiff_claim"), "claims")
    defence = "statement_of_defence" if env == "DD" else "defendant_defence"
    answers = notes.texts(record.get(defence), defence)
    court, gold = _court(env, record, notes)
    names = [next((party.get("name", "") for party in parties if party["side"] == side), "") for side in _PARTY]
    cause = notes.text(record.get("category"), "category")
    if not cause:
        cause = "民事纠纷"
        notes.fill("cause")
    notes.fill("dates (which law applies cannot be told)")
    notes.fill("persona.big5 (all medium)")
    story = record.get("case_details" if env == "CD" else "plaintiff_case_details")
    made: dict[str, object] = {
        "id": record.get("id"),
        "source": f"{names[0]}诉{names[1]}" if all(names) else "",
        "cause": cause,
        "parties": parties,
        "claims": [_claim(number, text, notes) for number, text in enumerate(claims, 1)],
        "complaint": notes.text(story, "case_details"),
        "answer": "\n".join(answers),
        "defences": [{"id": f"R{number}", "text": text} for number, text in enumerate(answers, 1)],
        "evidence": list(_civil_evidence(env, record.get("evidence"), notes)),
        "statements": _statements(record.get("other_statement"), notes),
        "court": court,
    }
    notes.fill("claims.kind (guessed from the words)")
    if answers:
        notes.fill("defences.position (deny)")
    if env == "CI":
        notes.fill("mediation (both refuse)")
    return {**made, "gold": gold} if gold else made


def criminal_fields(env: str, record: dict[str, object], notes: Notes) -> dict[str, object]:
    """CR."""
    notes.rest(record, "id category defendant lawyer procurator court_information")
    accused = notes.inner(record.get("defendant"), "defendant")
    notes.rest(accused, f"personal_information attitutes attitudes {_STYLE}", "defendant")
    person = dict(notes.inner(accused.get("personal_information"), "defendant.personal_information"))
    record_text = notes.text(person.pop("status", None), "defendant.personal_information.status")
    party = _person(person, "A1", "defendant", notes, "defendant.personal_information")
    party["persona"] = _persona(accused.get(_STYLE), notes, "defendant")
    attitude = notes.text(accused.get("attitutes", accused.get("attitudes")), "defendant.attitutes")
    procurator = notes.inner(record.get("procurator"), "procurator")
    notes.rest(procurator, "charges opinion evidence", "procurator")
    charged = "\n".join(notes.texts(procurator.get("charges"), "procurator.charges"))
    court, gold = _court("CR", record, notes)
    rulings = gold.get("judgment", [])
    convicted = list(convictions(rulings))
    names = list(convictions([charged])) or (
        [charged] if re.fullmatch(r"[\u4e00-\u9fff、]{2,30}罪", charged) else convicted
    )
    sentence = read_sentence(rulings)
    for field in (
        "criminal.prosecution",
        "criminal.custody",
        "criminal.request",
        "dates",
        "criminal.plea.signed (false)",
    ):
        notes.fill(field)
    notes.fill("criminal.plea.stance (guilty, as published)")
    notes.fill("criminal.charges.name (read from the charge or the rulings)")
    if gold:
        notes.fill("gold.charges, gold.sentence (read from the rulings)")
        gold |= {"charges": convicted, "sentence": sentence.model_dump() if sentence else {}}
        if sentence and sentence.kind == "无罪":
            gold["charges"] = []
    made: dict[str, object] = {
        "id": record.get("id"),
        "cause": notes.text(record.get("category"), "category") or "、".join(names) or "刑事案件",
        "parties": [party],
        "evidence": list(_exhibits(procurator.get("evidence"), PROCURATORATE, "", "procurator.evidence", notes)),
        "court": court,
        "criminal": {
            "charges": [{"name": name} for name in names],
            "indictment": charged,
            "opinion": notes.text(procurator.get("opinion"), "procurator.opinion"),
            "plea": {"stance": "guilty", "text": attitude},
            "record": record_text,
            "defence_opinion": _lawyer(record.get("lawyer"), notes),
        },
    }
    return {**made, "gold": gold} if gold else made


def _topics(value: object, notes: Notes) -> Iterator[dict[str, Any]]:
    for number, item in enumerate(value if isinstance(value, list) else [], 1):
        where = f"topic_list[{number - 1}]"
        topic = notes.inner(item, where)
        notes.rest(topic, "type topic content", where)
        question, answer = (notes.text(topic.get(name), f"{where}.{name}") for name in ("topic", "content"))
        if not question or not answer:
            notes.drop(f"{where} (no question or no answer)")
            continue
        kind = notes.text(topic.get("type"), f"{where}.type").lower()
        made: dict[str, object] = {"id": f"T{number}", "question": question, "answer": answer, "type": "open"}
        laws = _laws([answer], notes, "")
        if kind in ("binary", "qa"):
            if _YES.match(answer) or _NO.match(answer):
                made |= {"type": "binary", "answer": "是" if _YES.match(answer) else "否"}
                if answer.rstrip("。.") not in ("是", "否"):
                    notes.fill(f"topics.T{number}.answer (reduced to 是 or 否)")
            else:
                notes.fill(f"topics.T{number}.type (open: the answer is neither 是 nor 否)")
        elif kind.endswith("law") and laws:
            made |= {"type": "law", "laws": laws}
        elif kind.endswith("law"):
            notes.fill(f"topics.T{number}.type (open: the answer names no article)")
        elif "open" not in kind:
            notes.fill(f"topics.T{number}.type (open instead of {kind[:20] or 'nothing'})")
        yield made


def _side(value: object, side: str, notes: Notes) -> Iterator[dict[str, Any]]:
    """The parties of a side; several are read, so that the case is refused for what it is."""
    where = f"specific_characters.{side}"
    for number, item in enumerate(value if isinstance(value, list) else [value], 1):
        yield _person(notes.inner(item, where), f"{_PARTY[side][0]}{number}", side, notes, where)


def _person(fields: dict[str, object], party: str, side: str, notes: Notes, where: str) -> dict[str, object]:
    known = f"name gender sex ethnicity birth_date address occupation education contact {_STYLE} representative"
    notes.rest(fields, known, where)
    made: dict[str, object] = {"id": party, "side": side, "persona": _persona(fields.get(_STYLE), notes, where)}
    for name in ("name", "address", "contact"):
        if text := notes.text(fields.get(name), f"{where}.{name}"):
            made[name] = text
    natural = "gender" in fields or "sex" in fields or "representative" not in fields
    if not natural:
        return {
            **made,
            "kind": "company",
            "representative": notes.text(fields.get("representative"), f"{where}.representative"),
        }
    for name in ("ethnicity", "occupation", "education"):
        made[name] = notes.text(fields.get(name), f"{where}.{name}")
    sex = notes.text(fields.get("gender", fields.get("sex")), f"{where}.gender")
    made["gender"] = _SEXES.get(sex.lower(), "")
    if sex and not made["gender"]:
        notes.drop(f"{where}.gender ({sex[:20]})")
    born = notes.text(fields.get("birth_date"), f"{where}.birth_date")
    made["birth_date"] = parse_date(born) if born else None
    if born and made["birth_date"] is None:
        notes.drop(f"{where}.birth_date ({born[:20]})")
    if "representative" in fields:
        notes.drop(f"{where}.representative (of a person)")
    return made


def _persona(style: object, notes: Notes, where: str) -> dict[str, Any]:
    text = notes.text(style, f"{where}.{_STYLE}")
    return {"style": {"tone": text}} if text else {}


def _claim(number: int, text: str, notes: Notes) -> dict[str, object]:
    amounts = [parse_money(match.group()) for match in _MONEY.finditer(fold_width(text))]
    kind = "costs" if _COSTS.match(text) else "pay" if amounts else "declare" if _DECLARE.search(text) else "perform"
    claim: dict[str, object] = {"id": f"C{number}", "text": text, "kind": kind}
    if kind == "pay" and len(amounts) == 1 and amounts[0] is not None and -amounts[0].as_tuple().exponent <= 2:  # type: ignore[operator]
        claim["amount"] = float(amounts[0])
    elif kind == "pay":
        notes.fill(f"claims.C{number}.amount (none: the text names several sums)")
    return claim


def _civil_evidence(env: str, value: object, notes: Notes) -> Iterator[dict[str, object]]:
    fields = notes.inner(value, "evidence")
    if env != "CI":
        side = "plaintiff" if env == "CD" else "defendant"
        yield from _exhibits(fields, _PARTY[side], "", "evidence", notes)
        return
    notes.rest(fields, "plaintiff_evidence defendant_evidence", "evidence")
    first = list(_exhibits(fields.get("plaintiff_evidence"), "P1", "D1", "evidence.plaintiff_evidence", notes))
    yield from first
    yield from _exhibits(
        fields.get("defendant_evidence"), "D1", "P1", "evidence.defendant_evidence", notes, len(first)
    )


def _exhibits(
    value: object, owner: str, other: str, where: str, notes: Notes, before: int = 0
) -> Iterator[dict[str, Any]]:
    """Exhibits of a table {evidence_1: {evidence, dispute}}, a list or a text."""
    named = (
        value
        if isinstance(value, dict)
        else {str(n): item for n, item in enumerate(value)}
        if isinstance(value, list)
        else {}
    )
    if isinstance(value, str):
        named = {"0": value}
    number = before
    for name, item in named.items():
        place = f"{where}.{name}"
        fields = item if isinstance(item, dict) else {"evidence": item}
        notes.rest(fields, "evidence dispute", place)
        text = notes.text(fields.get("evidence"), place)
        if text.lower() in _NOTHING:
            continue
        number += 1
        exhibit: dict[str, object] = {
            "id": f"E{number}",
            "owner": owner,
            "title": text[:60],
            "kind": "未载明",
            "purpose": "未载明",
            "excerpt": text,
        }
        dispute = notes.text(fields.get("dispute"), f"{place}.dispute")
        if other and dispute.lower() not in _NOTHING:
            exhibit["objections"] = [{"by": other, "weight": dispute}]
        yield exhibit
    if number > before:
        for field in ("kind", "purpose", "source", "gold"):
            notes.fill(f"evidence.{field}")


def _statements(value: object, notes: Notes) -> dict[str, str]:
    fields = notes.inner(value, "other_statement")
    notes.rest(fields, "plaintiff defendant", "other_statement")
    found = {
        party: "\n".join(notes.texts(fields.get(side), f"other_statement.{side}")) for side, party in _PARTY.items()
    }
    return {party: text for party, text in found.items() if text}


def _court(env: str, record: dict[str, object], notes: Notes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Court and gold."""
    info = notes.inner(record.get("court_info"), "court_info")
    notes.rest(info, "case_id court_name", "court_info")
    court = {
        "name": notes.text(info.get("court_name"), "court_info.court_name"),
        "docket": notes.text(info.get("case_id"), "court_info.case_id"),
    }
    for name in court:
        if not court[name]:
            notes.fill(f"court.{name} (empty)")
    if env in ("CI", "CR"):
        notes.fill("court.procedure (普通程序)")
        notes.fill("court.presiding, court.clerk (empty)")
    if env in ("CD", "DD"):
        return court, {}
    hearing = notes.inner(record.get("court_information"), "court_information")
    notes.rest(hearing, "third_party_findings ground_truth", "court_information")
    findings = notes.text(hearing.get("third_party_findings"), "court_information.third_party_findings")
    truth = notes.inner(hearing.get("ground_truth"), "court_information.ground_truth")
    notes.rest(truth, "court_reason court_law court_judgment", "court_information.ground_truth")
    where = "court_information.ground_truth"
    cited = notes.texts(truth.get("court_law"), f"{where}.court_law")
    gold = {
        "judgment": notes.texts(truth.get("court_judgment"), f"{where}.court_judgment"),
        "reason": notes.text(truth.get("court_reason"), f"{where}.court_reason"),
        "laws": _laws(cited, notes, f"{where}.court_law"),
        "as_cited": cited,
    }
    if truth and env == "CI":
        notes.fill("gold.rulings, gold.issues, gold.reason_points (empty)")
    return {**court, "third_party_findings": "" if findings in _NOTHING else findings}, gold if truth else {}


def _laws(texts: list[str], notes: Notes, where: str) -> list[dict[str, Any]]:
    laws: list[dict[str, Any]] = []
    for text in texts:
        found = [cited for cited in citations(text) if cited.law]
        if not found and where:
            notes.drop(f"{where} ({text[:40]}: no article)")
        for cited in found:
            law = shipped_laws().official(cited.law or "") or cited.law
            entry = {
                "law": law,
                "article": cited.number.number,
                "sub": cited.number.sub,
                "paragraph": cited.paragraph,
                "item": cited.item,
            }
            if entry not in laws:
                laws.append(entry)
    return laws


def _lawyer(value: object, notes: Notes) -> str:
    if not isinstance(value, dict):
        return "\n".join(notes.texts(value, "lawyer"))
    texts = {name: "\n".join(notes.texts(item, f"lawyer.{name}")) for name, item in value.items()}
    for name in texts:
        if name in ("name", "firm", _STYLE):
            notes.drop(f"lawyer.{name}")
    return "\n".join(text for name, text in texts.items() if text and name not in ("name", "firm", _STYLE))
