"""Where a side stands to each fact of its case: what it asserts, what it contests, what both agree on.

The judgment's view of a fact is no part of it: only who pleads it, whose exhibits are to prove it, who knows it and
whether it is disputed. Where these do not tell, the side has no leave to admit it. One mapping a side, by id of the
fact.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from tasks.courts.casefile.case import Case, CivilCase, CriminalCase
from tasks.courts.casefile.material import Fact
from tasks.courts.casefile.people import PROCURATORATE

Standpoint = Literal["own", "contested", "open", "agreed"]
"""own: the side asserts it; contested: the other side does, and this one denies it; open: disputed, and the file does
not say who asserts it; agreed: both know it and nobody disputes it."""


def standpoints(case: Case, side: str) -> Mapping[str, Standpoint]:
    """The standpoint of the side `plaintiff` or `defendant`, by id of the fact; {} for a case without parties."""
    if not isinstance(case, CivilCase | CriminalCase):
        return {}
    return {fact.id: _standpoint(case, fact, side) for fact in case.facts}


def _standpoint(case: CivilCase | CriminalCase, fact: Fact, side: str) -> Standpoint:
    if not fact.disputed:
        return "agreed" if len(fact.known_by) > 1 else "own"
    pleading, proving = _pleading(case, fact), _proving(case, fact)
    if pleading:
        return "open" if len(pleading) > 1 else "own" if side in pleading else "contested"
    return "own" if side in proving else "contested" if proving else "open"


def _pleading(case: CivilCase | CriminalCase, fact: Fact) -> set[str]:
    """The sides whose claims or defences rest on a fact."""
    if not isinstance(case, CivilCase):
        return set()
    claimed = {"plaintiff" for claim in case.claims if fact.id in claim.facts}
    return claimed | {"defendant" for defence in case.defences if fact.id in defence.facts}


def _proving(case: CivilCase | CriminalCase, fact: Fact) -> set[str]:
    """The sides whose exhibits are to prove a fact."""
    sides: dict[str, str] = {party.id: party.side for party in case.parties}
    sides[PROCURATORATE] = "prosecution"
    return {sides[item.owner] for item in case.evidence if fact.id in item.proves and item.owner in sides}
