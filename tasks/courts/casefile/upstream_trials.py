"""CD, DD, CI and CR: the published records of disputes and of criminal trials as fields of a case file."""

from __future__ import annotations

import re
from typing import Any

from store.text.ideographs import HAN
from tasks.courts.casefile.charged import charges_of, plea_of, request_of, standing_of
from tasks.courts.casefile.judgment import Judgment
from tasks.courts.casefile.people import PROCURATORATE
from tasks.courts.casefile.ruled import accused_in, civil_gold, claim_of, criminal_gold, of_accused
from tasks.courts.casefile.upstream_fields import STYLE, Notes, court_of, evidence_of, person, persona
from tasks.courts.scores.charge import convictions

_PARTY = {"plaintiff": "P1", "defendant": "D1"}
_KNOWN = {
    "CD": "id specific_characters claims case_details evidence",
    "DD": "id specific_characters statement_of_defence evidence plaintiff_claim plaintiff_case_details court_info",
    "CI": "id category specific_characters plaintiff_claim plaintiff_case_details defendant_defence evidence "
    "other_statement "
    "court_information",
}


def civil_fields(env: str, record: dict[str, object], notes: Notes) -> dict[str, object]:
    """The fields of a CD, DD or CI case; `notes` says what was filled in and dropped."""
    notes.rest(record, _KNOWN[env])
    people = notes.inner(record.get("specific_characters"), "specific_characters")
    notes.rest(people, "plaintiff defendant", "specific_characters")
    parties = [party for side in _PARTY for party in _side(people.get(side), side, notes)]
    told = notes.texts(record.get("claims" if env == "CD" else "plaintiff_claim"), "claims")
    claims = [claim_of(number, text, notes.filled) for number, text in enumerate(told, 1)]
    defence = "statement_of_defence" if env == "DD" else "defendant_defence"
    answers = notes.texts(record.get(defence), defence)
    court, gold = court_of(env, record, notes)
    names = [next((str(party.get("name", "")) for party in parties if party["side"] == side), "") for side in _PARTY]
    if env == "CI":
        for party in parties:
            party["counsel"] = {"profession": "律师"}
        notes.fill("parties.counsel (a lawyer of each side, as published; nobody is named)")
        notes.fill("mediation (both refuse, as published)")
        gold = gold and _gold(gold, claims, names, notes)
    notes.fill("dates (which law applies cannot be told)")
    notes.fill("persona.big5 (all medium)")
    notes.fill("claims.kind, claims.amount (read from the words)")
    if all(names):
        notes.fill("source (who sues whom: the cases of one dispute are no independent draws)")
    story = record.get("case_details" if env == "CD" else "plaintiff_case_details")
    made: dict[str, object] = {
        "id": record.get("id"),
        "source": f"{names[0]}诉{names[1]}" if all(names) else "",
        "cause": notes.said(record.get("category"), "category"),
        "parties": parties,
        "claims": claims,
        "complaint": notes.text(story, "case_details"),
        "answer": "\n".join(answers),
        "defences": [{"id": f"R{number}", "position": None, "text": text} for number, text in enumerate(answers, 1)],
        "evidence": _evidence(env, record.get("evidence"), notes),
        "statements": _statements(record.get("other_statement"), notes),
        "court": court,
    }
    return {**made, "gold": gold} if gold else made


def _side(value: object, side: str, notes: Notes) -> list[dict[str, Any]]:
    """The parties of a side; several are read, so that the case is refused for what it is."""
    where = f"specific_characters.{side}"
    items = value if isinstance(value, list) else [value]
    return [
        person(notes.inner(item, where), f"{_PARTY[side][0]}{number}", side, notes, where)
        for number, item in enumerate(items, 1)
    ]


def _gold(gold: dict[str, Any], claims: list[dict[str, Any]], names: list[str], notes: Notes) -> dict[str, Any]:
    """The gold of the record, and what its reasons and rulings say claim by claim."""
    paper = Judgment("CI", reason=gold["reason"], ruled="\n".join(gold["judgment"]))
    read = civil_gold(paper, claims, [name for name in names if name], notes.filled)
    for name in ("fee", "issues"):
        if name in read:
            notes.fill(f"gold.{name} (read from the words)")
    return {**read, **gold}


def _evidence(env: str, value: object, notes: Notes) -> list[dict[str, Any]]:
    if env != "CI":
        return evidence_of(value, "CI", _PARTY["plaintiff" if env == "CD" else "defendant"], "evidence", notes)
    fields = notes.inner(value, "evidence")
    notes.rest(fields, "plaintiff_evidence defendant_evidence", "evidence")
    found: list[dict[str, Any]] = []
    for name, owner, other in (("plaintiff_evidence", "P1", "D1"), ("defendant_evidence", "D1", "P1")):
        found += evidence_of(
            fields.get(name), "CI", owner, f"evidence.{name}", notes, other=other, before=len(found)
        )  # fmt: skip
    return found


def _statements(value: object, notes: Notes) -> dict[str, str]:
    fields = notes.inner(value, "other_statement")
    notes.rest(fields, "plaintiff defendant", "other_statement")
    found = {
        party: "\n".join(notes.texts(fields.get(side), f"other_statement.{side}")) for side, party in _PARTY.items()
    }
    return {party: text for party, text in found.items() if text.lower() not in ("", "无")}


_BARE = re.compile(rf"[{HAN}、（）]{{2,60}}罪")
_LAWYER = ("name", "firm", STYLE)


def criminal_fields(env: str, record: dict[str, object], notes: Notes) -> dict[str, object]:
    """The fields of a CR case; `notes` says what was filled in and dropped."""
    notes.rest(record, "id category defendant lawyer procurator court_information")
    # Several accused are read, so that the case is refused for what it is.
    named = record.get("defendant")
    everybody = [
        _accused(one, number, notes) for number, one in enumerate(named if isinstance(named, list) else [named], 1)
    ]
    party, standing, attitude = everybody[0] if everybody else ({}, {}, "")
    lawyer, opinion = _lawyer(record.get("lawyer"), notes)
    if lawyer:
        notes.fill("parties.counsel.profession (律师, as the layout calls it)")
    procurator = notes.inner(record.get("procurator"), "procurator")
    notes.rest(procurator, "charges opinion evidence", "procurator")
    charged = "\n".join(notes.texts(procurator.get("charges"), "procurator.charges"))
    asked = notes.said(procurator.get("opinion"), "procurator.opinion")
    court, gold = court_of("CR", record, notes)
    name = str(party.get("name", ""))
    paper = Judgment(
        "CR",
        # The attitude is the accused's own, in words that name nobody.
        parts={"charge": charged, "opinion": asked, "plea": f"被告人{attitude}" if attitude else ""},
        ruled="\n".join(gold.get("judgment", [])),
    )  # fmt: skip
    request = request_of(paper)
    if gold:
        gold = _criminal_gold(gold, paper, name, request is not None, notes)
    names = _charges(paper, name, notes) or list(gold.get("charges", []))
    for field in ("criminal.prosecution (empty)", "dates (which law applies cannot be told)"):
        notes.fill(field)
    if request:
        notes.fill("criminal.request (read from the opinion)")
    criminal = {
        "prosecution": {"title": ""},
        "charges": [{"name": one} for one in names],
        "indictment": charged,
        "opinion": asked,
        "request": request,
        "plea": _plea(paper, attitude, notes),
        "defence_opinion": opinion,
        **standing,
    }
    cause = notes.said(record.get("category"), "category")
    if names and not cause:
        notes.fill("cause (the charges)")
    made: dict[str, object] = {
        "id": record.get("id"),
        "cause": cause or "、".join(names),
        "parties": [{**one, "counsel": lawyer} if lawyer else one for one, _, _ in everybody],
        "evidence": evidence_of(procurator.get("evidence"), "CR", PROCURATORATE, "procurator.evidence", notes),
        "court": court,
        "criminal": criminal,
    }
    return {**made, "gold": gold} if gold else made


def _accused(value: object, number: int, notes: Notes) -> tuple[dict[str, Any], dict[str, Any], str]:
    """Party, what `status` tells of record and custody, and the attitude."""
    accused = notes.inner(value, "defendant")
    notes.rest(accused, f"personal_information attitutes attitudes {STYLE}", "defendant")
    where = "defendant.personal_information"
    told = dict(notes.inner(accused.get("personal_information"), where))
    standing = standing_of(notes.text(told.pop("status", None), f"{where}.status"))
    party = person(told, f"A{number}", "defendant", notes, where)
    party["persona"] = persona(accused.get(STYLE), notes, "defendant")
    attitude = notes.said(accused.get("attitutes", accused.get("attitudes")), "defendant.attitutes")
    # 无 says by itself that there is no record.
    record = standing.record or ("无" if standing.rest == "无" else "")
    if standing.rest and not (record and standing.rest == "无"):
        notes.drop(f"{where}.status ({standing.rest[:60]}: neither a record nor a measure with its day)")
    if standing.custody:
        notes.fill("criminal.custody (read from defendant.personal_information.status)")
    return party, {"record": record, "custody": list(standing.custody)}, attitude


def _lawyer(value: object, notes: Notes) -> tuple[dict[str, str], str]:
    """The 辩护人 and the opinion; nobody where the record has neither."""
    if not isinstance(value, dict):
        opinion = "\n".join(notes.texts(value, "lawyer"))
        opinion = "" if opinion in ("无", "没有") else opinion
        return ({"profession": "律师"} if opinion else {}), opinion
    texts = {name: "\n".join(notes.texts(item, f"lawyer.{name}")) for name, item in value.items()}
    if texts.get(STYLE):
        notes.drop(f"lawyer.{STYLE}")
    named = {name: texts[name] for name in ("name", "firm") if texts.get(name, "无") != "无"}
    opinion = "\n".join(text for name, text in texts.items() if text not in ("", "无") and name not in _LAWYER)
    return ({"profession": "律师", **named} if named or opinion else {}), opinion


def _charges(paper: Judgment, name: str, notes: Notes) -> list[str]:
    """指控的罪名 of this accused."""
    charge = of_accused(paper.part("charge"), name)
    if _BARE.fullmatch(charge):
        return re.split(r"(?<=罪)、", charge)
    notes.fill("criminal.charges.name (read from the charge or the rulings)")
    own = Judgment("CR", parts={"charge": charge, "opinion": of_accused(paper.part("opinion"), name)})
    return charges_of(own) or list(convictions([charge]))


def _plea(paper: Judgment, attitude: str, notes: Notes) -> dict[str, Any]:
    read = plea_of(paper)
    if "stance" in read and attitude:
        notes.fill(f"criminal.plea.stance ({read['stance']}, read from the words)")
    else:
        notes.fill("criminal.plea.stance (guilty, as published)")
    if read.get("signed") is not None:
        notes.fill("criminal.plea.signed (read from the words)")
    stance = read.get("stance", "guilty") if attitude else "guilty"
    return {"stance": stance, "text": attitude, "signed": read.get("signed")}


def _criminal_gold(gold: dict[str, Any], paper: Judgment, name: str, requested: bool, notes: Notes) -> dict[str, Any]:
    """The gold of the record, with charges and sentence of this accused."""
    own = [text for item in gold["judgment"] if (text := _own_ruling(item, name, accused_in(paper.ruled)))]
    if own != gold["judgment"]:
        notes.drop("court_information.ground_truth.court_judgment (rulings on other accused)")
    judged = Judgment("CR", reason=gold["reason"], ruled="\n".join(own))
    read = criminal_gold(judged, notes.filled)
    sentence = read.get("sentence", {})
    if not requested:
        sentence.pop("request_adopted", None)
    notes.fill("gold.charges, gold.sentence (read from the rulings)")
    return {**gold, "judgment": own, "charges": read.get("charges", []), "sentence": sentence}


def _own_ruling(item: str, name: str, everybody: list[str]) -> str:
    """A ruling as far as it is on this accused, where others are judged together with it."""
    named = accused_in(item)
    others = name in everybody and bool(named) and name not in named
    return "" if others else of_accused(item, name)
