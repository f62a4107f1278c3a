"""The authored court cases: fictional people and facts under real law, one TOML file a dispute or case.

Twelve of each: civil disputes (each gives a complaint, a defence and a trial), criminal cases, questions of knowledge
and consultations.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from typing import TypeVar

from tasks.courts.casefile.case import AdviceCase, Case, CriminalCase, Dispute
from tasks.courts.casefile.loading import case_records as _records
from tasks.courts.casefile.loading import load_dispute, read_case

_T = TypeVar("_T", AdviceCase, CriminalCase)


def civil_disputes() -> list[Dispute]:
    """The disputes in the order of their files."""
    return list(_disputes())


def criminal_cases() -> list[CriminalCase]:
    """The criminal cases in the order of their files."""
    return list(_cases("criminal", CriminalCase))


def knowledge_cases() -> list[AdviceCase]:
    """Questions of knowledge (KQ) in the order of their files."""
    return list(_cases("knowledge", AdviceCase))


def consultation_cases() -> list[AdviceCase]:
    """Consultations (LC) in the order of their files."""
    return list(_cases("consultation", AdviceCase))


def court_cases() -> list[Case]:
    """All cases, by environment: KQ, LC, CD, DD, CI, CR."""
    triples = [dispute.cases() for dispute in civil_disputes()]
    civil = [triple[place] for place in range(3) for triple in triples]
    return [*knowledge_cases(), *consultation_cases(), *civil, *criminal_cases()]


@cache
def _disputes() -> tuple[Dispute, ...]:
    with as_file(_folder() / "disputes") as folder:
        return tuple(load_dispute(path) for path in sorted(folder.glob("*.toml")))


@cache
def _cases(name: str, kind: type[_T]) -> tuple[_T, ...]:
    with as_file(_folder() / name) as folder:
        found = [read_case(where, fields) for where, fields in _records(folder)]
    return tuple(case for case in found if isinstance(case, kind))


def _folder() -> Traversable:
    return files(__package__) / "data" / "courts"
