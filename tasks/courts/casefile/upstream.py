"""Case records in the layout of the published benchmark, all six environments.

A user who has legally obtained the published records can load them. What they lack is filled in or left empty, what
cannot be read or does not fit is dropped, and each of both is reported with its field, case by case; what is derived
is read by the readers of judgments. Nothing of it is shipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from store.text.dates import parse_date
from store.text.ideographs import HAN
from tasks.courts.casefile.case import Case, Env
from tasks.courts.casefile.charged import charges_of, plea_of, request_of, standing_of
from tasks.courts.casefile.exhibits import exhibit_of, exhibits
from tasks.courts.casefile.judgment import (
    JudgmentText,
    accused_in,
    civil_gold,
    claim_of,
    criminal_gold,
    laws_of,
    of_accused,
    procedure_in,
)
from tasks.courts.casefile.loading import CaseFault, read_case, unknown_layout
from tasks.courts.casefile.people import PROCURATORATE
from tasks.courts.casefile.sense import wrong
from tasks.courts.environment import PUBLISHED
from tasks.courts.scores.sentence import convictions
from tasks.episode.plain import plain

NOTHING = frozenset(("", "无", "没有", "-", "无异议", "不详", "未知", "未载明", "none", "null"))
"""What records write where there is nothing."""
_STYLE = "behavioral_style"
_PERSON = f"name gender sex ethnicity birth_date address occupation education contact {_STYLE} representative"
_KNOWN: dict[Env, str] = {
    "KQ": "id theme roles topic_list",
    "LC": "id theme roles topic_list",
    "CD": "id specific_characters claims case_details evidence",
    "DD": "id specific_characters statement_of_defence evidence plaintiff_claim plaintiff_case_details court_info",
    "CI": "id category specific_characters plaintiff_claim plaintiff_case_details defendant_defence evidence"
    " other_statement court_information",
    "CR": "id category defendant lawyer procurator court_information",
}
"""Environment -> the fields of its records."""
_PARTY = {"plaintiff": "P1", "defendant": "D1"}
_YES, _NO = re.compile(r"^(?:是|对|可以|能|有|需要|应当)"), re.compile(r"^(?:否|不|没有|无)")
_SEXES = {"男": "男", "女": "女", "男性": "男", "女性": "女", "male": "男", "female": "女"}
_TRIED = re.compile(r"适用[^。，；]{0,4}程序[^。，；]{0,12}审[理判]")
_BARE = re.compile(rf"[{HAN}、（）]{{2,60}}罪")


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did to one case. Fields are paths: of the case file in `filled`, of the record in `dropped`."""

    case: str
    filled: tuple[str, ...]
    """Not in the record: set to a default, guessed or derived; in words."""
    dropped: tuple[str, ...]
    """In the record and not taken over."""


def upstream_env(fields: Mapping[str, Any]) -> Env | None:
    """Which environment a record of the published layout is for; None where it has another layout."""
    if "schema" in fields or "env" in fields:
        return None
    if "topic_list" in fields:
        return "KQ" if "theme" in fields else "LC"
    if "procurator" in fields:
        return "CR"
    if "specific_characters" not in fields:
        return None
    if "statement_of_defence" in fields:
        return "DD"
    return "CI" if "court_information" in fields or "defendant_defence" in fields else "CD"


def read_upstream(where: str, fields: Mapping[str, Any]) -> tuple[Case, ImportReport]:
    """One record and what became of it; raises `CaseFault` or BadInput where it makes no case."""
    env = upstream_env(fields)
    if env is None:
        raise unknown_layout(where)
    notes = _Notes()
    record = _Fields(plain(dict(fields)), "", notes, _KNOWN[env])
    converted = _CONVERTERS[env](env, record)
    identity = "-".join(record.text("id").split())[:60]
    if not identity:
        raise CaseFault(where, [wrong("id", "is missing", 'Give the case a name: "id": "CI-12".')])
    if not identity.startswith(PUBLISHED):
        identity = f"{env}-{identity}"
        notes.fill("id (environment put in front)")
    based = {"source": "imported", "based_on": "published layout"}
    case = read_case(where, {"id": identity, "env": env, "provenance": based, **converted})
    return case, ImportReport(case.id, tuple(dict.fromkeys(notes.filled)), tuple(dict.fromkeys(notes.dropped)))


# --- reading --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Notes:
    """What an import filled in and dropped, in words."""

    filled: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)

    def fill(self, *what: str) -> None:
        self.filled += what

    def text(self, value: object, where: str) -> str:
        """A value as text; what is no text or number is dropped."""
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return str(value).strip()
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            return "\n".join(value).strip()
        if value is not None:
            self.dropped.append(where)
        return ""

    def texts(self, value: object, where: str) -> list[str]:
        """A list of texts, also from one text or a table of them."""
        if isinstance(value, dict):
            value = list(value.values())
        items = value if isinstance(value, list) else [] if value is None else [value]
        return [text for number, item in enumerate(items) if (text := self.text(item, f"{where}[{number}]"))]


class _Fields:
    """A table of a record: what is no table, and every field that is not known, is noted as dropped."""

    def __init__(self, value: object, where: str, notes: _Notes, known: str = "") -> None:
        self.values: dict[str, Any] = value if isinstance(value, dict) else {}
        self.where, self.notes = where, notes
        if value is not None and not isinstance(value, dict):
            notes.dropped.append(where)
        for name in self.values if known else ():
            if name not in known.split():
                self.drop(name)

    def drop(self, name: str, why: str = "") -> None:
        self.notes.dropped.append(f"{self.path(name)}{f' ({why})' if why else ''}")

    def path(self, name: str) -> str:
        return f"{self.where}.{name}" if self.where else str(name)

    def table(self, name: str, known: str = "") -> _Fields:
        return _Fields(self.values.get(name), self.path(name), self.notes, known)

    def tables(self, name: str, known: str) -> list[_Fields]:
        """Several where one is meant are read too, so that the case is refused for what it is."""
        value = self.values.get(name)
        items = value if isinstance(value, list) else [value]
        return [_Fields(item, self.path(name), self.notes, known) for item in items]

    def text(self, name: str) -> str:
        return self.notes.text(self.values.get(name), self.path(name))

    def texts(self, name: str) -> list[str]:
        return self.notes.texts(self.values.get(name), self.path(name))

    def said(self, name: str, other: str = "") -> str:
        """A text that says something, of a field or of its other spelling; "" for 无 and its like."""
        text = self.text(other if other in self.values and name not in self.values else name)
        return "" if text.lower() in NOTHING else text

    def persona(self) -> dict[str, Any]:
        """How somebody speaks, in the words of the record."""
        text = self.said(_STYLE)
        return {"style": {"tone": text}} if text else {}


# --- advice ---------------------------------------------------------------------------------------------------------


def _advice(env: Env, record: _Fields) -> dict[str, Any]:
    roles = record.table("roles", "legal_agent general_public")
    public = roles.table("general_public", f"occupation role background {_STYLE}")
    agent = roles.values.get("legal_agent")
    theme = record.said("theme")
    record.notes.fill("dates.asked (unknown: the law of which day is asked about)")
    return {
        "cause": theme,
        "theme": theme,
        "agent_title": "" if agent is None else str(agent).strip(),
        "client": {
            **{name: public.said(name) for name in ("occupation", "role", "background")},
            "persona": public.persona(),
        },
        "topics": list(_topics(record)),
    }


def _topics(record: _Fields) -> Iterator[dict[str, Any]]:
    value, notes = record.values.get("topic_list"), record.notes
    for number, item in enumerate(value if isinstance(value, list) else [], 1):
        topic = _Fields(item, f"topic_list[{number - 1}]", notes, "type topic content")
        question, answer = topic.text("topic"), topic.text("content")
        if not question or not answer:
            notes.dropped.append(f"{topic.where} (no question or no answer)")
            continue
        kind = topic.text("type").lower()
        made: dict[str, object] = {"id": f"T{number}", "question": question, "answer": answer, "type": "open"}
        laws = laws_of(answer, []).get("laws")
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


# --- what disputes and trials share ---------------------------------------------------------------------------------


def _person(fields: _Fields, party: str, side: str) -> dict[str, Any]:
    """A party of a record; who has a representative and no sex is a company, as published."""
    made: dict[str, Any] = {"id": party, "side": side, "persona": fields.persona()}
    made |= {name: text for name in ("name", "address", "contact") if (text := fields.said(name))}
    represented = "representative" in fields.values
    if represented and not {"gender", "sex"} & fields.values.keys():
        fields.notes.fill("parties.kind (company: it has a representative)")
        return {**made, "kind": "company", "representative": fields.said("representative")}
    made |= {name: fields.said(name) for name in ("ethnicity", "occupation", "education")}
    sex, born = fields.said("gender", "sex"), fields.said("birth_date")
    made |= {"gender": _SEXES.get(sex.lower(), ""), "birth_date": parse_date(born) if born else None}
    for name, text in (("gender", sex), ("birth_date", born)):
        if text and not made[name]:
            fields.drop(name, text[:20])
    if represented:
        fields.drop("representative", "of a person")
    return made


def _evidence(of: _Fields, name: str, env: Env, owner: str, other: str = "", before: int = 0) -> list[dict[str, Any]]:
    """Exhibits of a table {evidence_1: {evidence, dispute}}, a list, or a text that lists them; `other`: who
    disputes; `before`: how many exhibits stand before them."""
    value, found = of.values.get(name), list[dict[str, Any]]()
    if isinstance(value, str):
        row = f"证据：{value}" if "、" in value else ""
        found = exhibits(value, env, owner, before + 1) or exhibits(row, env, owner, before + 1)
        value = [] if found else value.splitlines()
    named = dict(enumerate(value)) if isinstance(value, list) else of.table(name).values
    for number, item in named.items():
        table = item if isinstance(item, dict) else {"evidence": item}
        fields = _Fields(table, f"{of.path(name)}.{number}", of.notes, "evidence dispute")
        text = of.notes.text(fields.values.get("evidence"), fields.where)
        if text.lower() in NOTHING:
            continue
        exhibit = exhibit_of(text, env, owner, before + len(found) + 1)
        dispute = fields.said("dispute")
        if dispute and other:
            exhibit["objections"] = [{"by": other, "text": dispute}]
        elif dispute:
            fields.drop("dispute")
        found.append(exhibit)
    for part in ("title", "kind", "purpose", "excerpt", "witness"):
        if any(part in exhibit for exhibit in found):
            of.notes.fill(f"evidence.{part} (read from the words)")
    return found


def _court(env: Env, record: _Fields) -> tuple[dict[str, Any], dict[str, Any]]:
    """Court, and the gold as the record has it: judgment, reason, laws, as_cited."""
    notes = record.notes
    info = record.table("court_info", "case_id court_name")
    court = {"name": info.said("court_name"), "docket": info.said("case_id")}
    notes.fill(*(f"court.{name} (empty)" for name, text in court.items() if not text))
    if env in ("CD", "DD"):
        return court, {}
    hearing = record.table("court_information", "third_party_findings ground_truth")
    truth = hearing.table("ground_truth", "court_reason court_law court_judgment")
    cited, reason = truth.texts("court_law"), truth.text("court_reason")
    court["third_party_findings"] = hearing.said("third_party_findings")
    tried = _TRIED.search(reason)
    procedure = procedure_in(tried[0]) if tried else ""
    law = "刑事诉讼法第一百八十三条" if env == "CR" else "民事诉讼法第四十条"
    notes.fill(
        f"court.procedure ({procedure}, read from the reasons)" if procedure else "court.procedure (普通程序)",
        f"the bench ({'合议庭' if procedure in ('', '普通程序') else '独任审判员'}, {law}; nobody is named)",
        "court.presiding, court.clerk (empty)",
        "court.public (open, as the law has it)",
    )
    gold = {
        "judgment": truth.texts("court_judgment"), "reason": reason, "laws": _laws(cited, truth), "as_cited": cited,
    }  # fmt: skip
    return court | ({"procedure": procedure} if procedure else {}), gold if truth.values else {}


def _laws(texts: list[str], truth: _Fields) -> list[Any]:
    laws: list[Any] = []
    for text in texts:
        unread: list[str] = []
        found: Any = laws_of(text, unread).get("laws") or []
        if unread or not found:
            truth.drop("court_law", f"{text[:40]}: no article")
        laws += [law for law in found if law not in laws]
    return laws


# --- civil ----------------------------------------------------------------------------------------------------------


def _civil(env: Env, record: _Fields) -> dict[str, Any]:
    notes, draft = record.notes, env == "CD"
    people = record.table("specific_characters", "plaintiff defendant")
    parties = [
        _person(fields, f"{party[0]}{number}", side)
        for side, party in _PARTY.items()
        for number, fields in enumerate(people.tables(side, _PERSON), 1)
    ]
    told = record.texts("claims" if draft else "plaintiff_claim")
    claims = [claim_of(number, text, notes.filled) for number, text in enumerate(told, 1)]
    answers = record.texts("statement_of_defence" if env == "DD" else "defendant_defence")
    court, gold = _court(env, record)
    names = [next((str(party.get("name", "")) for party in parties if party["side"] == side), "") for side in _PARTY]
    if env == "CI":
        for party in parties:
            party["counsel"] = {"profession": "律师"}
        notes.fill("parties.counsel (a lawyer of each side, as published; nobody is named)")
        notes.fill("mediation (both refuse, as published)")
        gold = gold and _civil_gold(gold, claims, names, notes)
    notes.fill(
        "dates (which law applies cannot be told)",
        "persona.big5 (all medium)",
        "claims.kind, claims.amount (read from the words)",
    )
    if all(names):
        notes.fill("source (who sues whom: the cases of one dispute are no independent draws)")
    statements = record.table("other_statement", "plaintiff defendant")
    spoken = {party: "\n".join(statements.texts(side)) for side, party in _PARTY.items()}
    if env == "CI":
        sides = record.table("evidence", "plaintiff_evidence defendant_evidence")
        evidence = _evidence(sides, "plaintiff_evidence", env, "P1", "D1")
        evidence += _evidence(sides, "defendant_evidence", env, "D1", "P1", len(evidence))
    else:
        evidence = _evidence(record, "evidence", "CI", "P1" if draft else "D1")
    return {
        "source": f"{names[0]}诉{names[1]}" if all(names) else "",
        "cause": record.said("category"),
        "parties": parties,
        "claims": claims,
        "complaint": record.text("case_details" if draft else "plaintiff_case_details"),
        "answer": "\n".join(answers),
        "defences": [{"id": f"R{number}", "position": None, "text": text} for number, text in enumerate(answers, 1)],
        "evidence": evidence,
        "statements": {party: text for party, text in spoken.items() if text.lower() not in ("", "无")},
        "court": court,
        **({"gold": gold} if gold else {}),
    }


def _civil_gold(
    gold: dict[str, Any], claims: list[dict[str, Any]], names: list[str], notes: _Notes
) -> dict[str, Any]:
    """The gold of the record, and what its reasons and rulings say claim by claim."""
    paper = JudgmentText("CI", reason=gold["reason"], ruled="\n".join(gold["judgment"]))
    read = civil_gold(paper, claims, [name for name in names if name], notes.filled)
    notes.fill(*(f"gold.{name} (read from the words)" for name in ("fee", "issues") if name in read))
    return {**read, **gold}


# --- criminal -------------------------------------------------------------------------------------------------------


def _criminal(env: Env, record: _Fields) -> dict[str, Any]:
    notes = record.notes
    accused = record.tables("defendant", f"personal_information attitutes attitudes {_STYLE}")
    everybody = [_accused(one, number) for number, one in enumerate(accused, 1)]
    party, standing, attitude = everybody[0] if everybody else ({}, {}, "")
    lawyer, opinion = _lawyer(record)
    procurator = record.table("procurator", "charges opinion evidence")
    charged, asked = "\n".join(procurator.texts("charges")), procurator.said("opinion")
    court, gold = _court(env, record)
    name = str(party.get("name", ""))
    # The attitude is the accused's own, in words that name nobody.
    parts = {"charge": charged, "opinion": asked, "plea": f"被告人{attitude}" if attitude else ""}
    paper = JudgmentText("CR", parts=parts, ruled="\n".join(gold.get("judgment", [])))
    request = request_of(paper)
    if gold:
        gold = _criminal_gold(gold, paper, name, request is not None, notes)
    charges = _charges(paper, name, notes) or list(gold.get("charges", []))
    notes.fill("criminal.prosecution (empty)", "dates (which law applies cannot be told)")
    if request:
        notes.fill("criminal.request (read from the opinion)")
    cause = record.said("category")
    if charges and not cause:
        notes.fill("cause (the charges)")
    return {
        "cause": cause or "、".join(charges),
        "parties": [{**one, "counsel": lawyer} if lawyer else one for one, _, _ in everybody],
        "evidence": _evidence(procurator, "evidence", env, PROCURATORATE),
        "court": court,
        "criminal": {
            "prosecution": {"title": ""},
            "charges": [{"name": one} for one in charges],
            "indictment": charged,
            "opinion": asked,
            "request": request,
            "plea": _plea(paper, attitude, notes),
            "defence_opinion": opinion,
            **standing,
        },
        **({"gold": gold} if gold else {}),
    }


def _accused(accused: _Fields, number: int) -> tuple[dict[str, Any], dict[str, Any], str]:
    """Party, what `status` tells of record and custody, and the attitude."""
    told = accused.table("personal_information", f"{_PERSON} status")
    standing = standing_of(told.text("status"))
    party = {**_person(told, f"A{number}", "defendant"), "persona": accused.persona()}
    # 无 says by itself that there is no record.
    clean = standing.rest == "无"
    record = standing.record or ("无" if clean else "")
    if standing.rest and not clean:
        told.drop("status", f"{standing.rest[:60]}: neither a record nor a measure with its day")
    if standing.custody:
        told.notes.fill("criminal.custody (read from defendant.personal_information.status)")
    return party, {"record": record, "custody": list(standing.custody)}, accused.said("attitutes", "attitudes")


def _lawyer(record: _Fields) -> tuple[dict[str, str], str]:
    """The 辩护人 and the opinion; nobody where the record has neither."""
    if isinstance(record.values.get("lawyer"), dict):
        fields = record.table("lawyer")
        texts = {name: "\n".join(fields.texts(name)) for name in fields.values}
        if texts.get(_STYLE):
            fields.drop(_STYLE)
    else:
        text = "\n".join(record.texts("lawyer"))
        texts = {"opinion": "" if text == "没有" else text}
    texts = {name: text for name, text in texts.items() if text not in ("", "无")}
    named: dict[str, str] = {name: texts.pop(name) for name in ("name", "firm") if name in texts}
    texts.pop(_STYLE, None)
    if not named and not texts:
        return {}, ""
    record.notes.fill("parties.counsel.profession (律师, as the layout calls it)")
    return {"profession": "律师", **named}, "\n".join(texts.values())


def _charges(paper: JudgmentText, name: str, notes: _Notes) -> list[str]:
    charge = of_accused(paper.part("charge"), name)
    if _BARE.fullmatch(charge):
        return re.split(r"(?<=罪)、", charge)
    notes.fill("criminal.charges.name (read from the charge or the rulings)")
    own = JudgmentText("CR", parts={"charge": charge, "opinion": of_accused(paper.part("opinion"), name)})
    return charges_of(own) or list(convictions([charge]))


def _plea(paper: JudgmentText, attitude: str, notes: _Notes) -> dict[str, Any]:
    read = plea_of(paper)
    stance = read.get("stance") if attitude else None
    notes.fill(f"criminal.plea.stance ({f'{stance}, read from the words' if stance else 'guilty, as published'})")
    if read.get("signed") is not None:
        notes.fill("criminal.plea.signed (read from the words)")
    return {"stance": stance or "guilty", "text": attitude, "signed": read.get("signed")}


def _criminal_gold(
    gold: dict[str, Any], paper: JudgmentText, name: str, requested: bool, notes: _Notes
) -> dict[str, Any]:
    """The gold of the record, with the rulings, charges and sentence of this accused where others are judged too."""
    joint = name in accused_in(paper.ruled)
    mine = [item for item in gold["judgment"] if not joint or name in (accused_in(item) or [name])]
    own = [text for item in mine if (text := of_accused(item, name))]
    if own != gold["judgment"]:
        notes.dropped.append("court_information.ground_truth.court_judgment (rulings on other accused)")
    read = criminal_gold(JudgmentText("CR", reason=gold["reason"], ruled="\n".join(own)), notes.filled)
    sentence = read.get("sentence", {})
    if not requested:
        sentence.pop("request_adopted", None)
    notes.fill("gold.charges, gold.sentence (read from the rulings)")
    return {**gold, "judgment": own, "charges": read.get("charges", []), "sentence": sentence}


_CONVERTERS: dict[Env, Callable[[Env, _Fields], dict[str, Any]]] = {
    "KQ": _advice, "LC": _advice, "CD": _civil, "DD": _civil, "CI": _civil, "CR": _criminal,
}  # fmt: skip
