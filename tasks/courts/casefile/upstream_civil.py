"""CD, DD and CI: the published records of a civil dispute as fields of a case file."""

from __future__ import annotations

from typing import Any

from tasks.courts.casefile.judgment import Judgment
from tasks.courts.casefile.ruled import civil_gold, claim_of
from tasks.courts.casefile.upstream_fields import Notes, court_of, evidence_of, person

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
