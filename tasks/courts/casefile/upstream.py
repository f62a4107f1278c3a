"""Case records in the layout of the published benchmark, all six environments, and masked criminal judgments.

A user who has legally obtained the published records can load them. What they lack is filled in or left empty, what
does not fit is dropped, and each of both is reported with its field, case by case. Nothing of it is shipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from store.errors import BadInput
from store.importers.reading import records
from tasks.courts.casefile.case import Case, CriminalGold, Env
from tasks.courts.casefile.loading import CaseFault, read_case
from tasks.courts.casefile.sense import Fault
from tasks.courts.casefile.upstream_civil import civil_fields
from tasks.courts.casefile.upstream_criminal import criminal_fields
from tasks.courts.casefile.upstream_fields import Notes, advice_fields
from tasks.courts.environment import PUBLISHED
from tasks.courts.from_judgment.citing import laws_of
from tasks.courts.from_judgment.sections import Paper
from tasks.courts.from_judgment.sentencing import criminal_gold
from tasks.episode.plain import plain

UNKNOWN_LAYOUT = "Known: records of the six environments with id, specific_characters, topic_list, procurator …"


@dataclass(frozen=True, slots=True)
class Report:
    """What an import did to one case. Fields are paths: of the case file in `filled`, of the record in `dropped`."""

    case: str
    filled: tuple[str, ...]
    """Not in the record: set to a default, guessed or derived; in words."""
    dropped: tuple[str, ...]
    """In the record and not taken over."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The cases of a file, a report on each, and the records that give none."""

    cases: tuple[Case, ...]
    reports: tuple[Report, ...]
    refused: tuple[BadInput, ...] = ()


@dataclass(frozen=True, slots=True)
class PartialCase:
    """A judgment without what a trial needs: gold, and the names of the fields that have to be written."""

    id: str
    cause: str
    facts: str
    gold: CriminalGold
    missing: tuple[str, ...]
    dropped: tuple[str, ...]


_LACKING = (
    "parties", "evidence", "statements", "court.name", "court.docket", "court.presiding", "dates",
    "criminal.prosecution",
    "criminal.indictment", "criminal.opinion", "criminal.request", "criminal.plea", "criminal.record",
    "criminal.custody",
    "criminal.defence_opinion", "gold.sentence.ranges",
)  # fmt: skip


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


def import_upstream(path: Path) -> Imported:
    """All records of a file; those that make no case are `refused`, each with its reason.

    Raises:
        NotFound: there is no such file.
        BadInput: the file is broken, or has no record of the published layout at all.
    """
    cases: list[Case] = []
    reports: list[Report] = []
    refused: list[BadInput] = []
    seen: set[str] = set()
    for line, fields in records(path, str(path)):
        try:
            case, report = read_upstream(f"{path}, line {line}", fields)
            if case.id in seen:
                raise BadInput(
                    f"{path}, line {line}: case {case.id} stands here a second time", "Remove one of the two."
                )
        except BadInput as error:
            refused.append(error)
            continue
        seen.add(case.id)
        cases.append(case)
        reports.append(report)
    if not cases:
        raise refused[0] if refused else BadInput(f"{path}: no cases in it", UNKNOWN_LAYOUT)
    return Imported(tuple(cases), tuple(reports), tuple(refused))


def read_upstream(where: str, fields: Mapping[str, Any]) -> tuple[Case, Report]:
    """One record and what became of it; raises `CaseFault` or BadInput where it makes no case."""
    env = upstream_env(fields)
    if env is None:
        raise BadInput(f"{where}: no record of the published layout", UNKNOWN_LAYOUT)
    notes = Notes()
    converted = _CONVERTERS[env](env, plain(dict(fields)), notes)
    identity = notes.text(converted.pop("id", None), "id")
    if not identity:
        raise CaseFault(where, [Fault("id", "is missing", 'Give the case a name: "id": "CI-12".')])
    identity = "-".join(identity.split())[:60]
    if not identity.startswith(PUBLISHED):
        identity = f"{env}-{identity}"
        notes.fill("id (environment put in front)")
    based = {"source": "imported", "based_on": "published layout"}
    case = read_case(where, {"id": identity, "env": env, "provenance": based, **converted})
    return case, Report(case.id, tuple(notes.filled), tuple(notes.dropped))


_CONVERTERS: dict[Env, Callable[[Env, dict[str, Any], Notes], dict[str, Any]]] = {
    "KQ": advice_fields, "LC": advice_fields, "CD": civil_fields, "DD": civil_fields, "CI": civil_fields,
    "CR": criminal_fields,
}  # fmt: skip


def import_judgments(path: Path) -> tuple[PartialCase, ...]:
    """Masked criminal judgments with id, facts, court_reason, court_law, court_judgment and gold, as partial cases.

    Raises:
        NotFound: there is no such file.
        BadInput: a record lacks what makes it gold; the title names file, line and field.
    """
    return tuple(read_judgment(f"{path}, line {line}", plain(fields)) for line, fields in records(path, str(path)))


def read_judgment(where: str, fields: Mapping[str, Any]) -> PartialCase:
    """One judgment. Figures come from its `gold`, or from the words of the rulings where it has none."""
    for name in ("id", "court_judgment", "court_reason"):
        if not fields.get(name):
            raise BadInput(
                f"{where}: field {name!r} is missing", "A judgment has id, court_reason, court_law, court_judgment."
            )
    rulings = [text for text in fields["court_judgment"] if isinstance(text, str)]
    given = fields.get("gold") if isinstance(fields.get("gold"), dict) else {}
    assert isinstance(given, dict)
    dropped: list[str] = [] if "source_id" not in fields else ["source_id"]
    reason = str(fields["court_reason"])
    read = criminal_gold(Paper("CR", "", (), "", reason=reason, ruled="\n".join(rulings)), [])
    sentence = _sentence(given, read.get("sentence", {}))
    if not sentence.get("kind"):
        raise BadInput(f"{where}: the rulings pronounce no sentence", "Give gold.sentence_kind.")
    charge = str(given.get("charge") or fields.get("charge") or "、".join(read.get("charges", [])))
    gold = {
        "charges": [charge], "sentence": sentence, "judgment": rulings, "reason": reason,
        "laws": [law for number, entry in enumerate(fields.get("court_law") or []) for law in _law(entry, number,
            dropped)],
    }  # fmt: skip
    try:
        made = CriminalGold.model_validate(gold)
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        raise BadInput(f"{where}: gold.{place} cannot be read", "See the schema of case files.") from None
    return PartialCase(str(fields["id"]), charge, str(fields.get("facts") or ""), made, _LACKING, tuple(dropped))


def _sentence(given: Mapping[str, Any], read: Mapping[str, Any]) -> dict[str, Any]:
    """The sentence that the figures of a record give; what the rulings say where it has none."""
    if not given:
        return dict(read)
    figures = {
        name: given.get(f"{name}_yuan" if name == "fine" else f"sentence_{name}") or 0 for name in ("months", "fine")
    }
    probation = given.get("probation_months") or 0
    return {"kind": given.get("sentence_kind") or read.get("kind"), **figures, "probation_months": probation}


def _law(entry: Any, number: int, dropped: list[str]) -> list[Any]:
    if not isinstance(entry, dict):
        entry = {"article": entry}
    title = str(entry.get("law") or "").strip()
    words = f"{entry.get('article') or ''}{entry.get('paragraph_text') or ''}"
    found = laws_of(f"{title}{words}", []).get("laws")
    if not isinstance(found, list) or not found:
        dropped.append(f"court_law[{number}] ({title.removeprefix('《').removesuffix('》')}{words[:40]})")
        return []
    return found
