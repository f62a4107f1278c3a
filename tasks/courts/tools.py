"""The tools of the tested seat: search of statutes and of cases, both as of the day of the case.

Rules policies use the same search. A pack of fictional law is never searched for a case under real law.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from store.pack import Pack
from store.search.law_search import LawSearch
from tasks.actions import Steps
from tasks.courts.casefile import Case
from tasks.spec import RunSpec
from tasks.state import State


@dataclass
class CourtTools:
    """What may be called; `search` is None where no real statutes are at hand."""

    search: LawSearch | None
    cases: Mapping[str, Case]
    offered: tuple[str, ...] = ()

    @classmethod
    def of(cls, pack: Pack, spec: RunSpec, cases: Mapping[str, Case]) -> CourtTools:
        """The tools of a run."""
        return cls(None, cases)

    def call(self, state: State, tool: str, given: object) -> Steps:
        """Carry out a call."""
        yield from ()
