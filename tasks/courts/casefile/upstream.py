"""Case records in the layout of the published benchmark, all six environments, and masked criminal judgments.

A user who has legally obtained the published records can load them. What they lack is filled in or left empty, what
does not fit is dropped, and each of both is reported with its field, case by case. Nothing of it is shipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store.errors import BadInput
from store.importers.reading import records
from tasks.courts.casefile.case import Case, Env
from tasks.courts.casefile.loading import CaseFault, read_case
from tasks.courts.casefile.sense import Fault
from tasks.courts.casefile.upstream_fields import Notes, advice_fields
from tasks.courts.casefile.upstream_trials import civil_fields, criminal_fields
from tasks.courts.environment import PUBLISHED
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
