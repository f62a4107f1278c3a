"""Who sits in a court environment: seats of an episode and their names in court language.

The tested seat is `agent`; its role (trainee, a lawyer, the judge) depends on the environment. All other seats are
named by their role in the visibility table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase, Env
from tasks.courts.casefile.material import Fact, presiding_title
from tasks.courts.casefile.people import PROCURATORATE
from tasks.courts.environment import Role, environment
from tasks.episode.seats import Card


def role_of(env: Env, seat: str) -> Role:
    """The role of a seat."""
    return environment(env).role_of(seat)


def seat_of(env: Env, role: Role) -> str:
    """The seat of a role."""
    return environment(env).seat_of(role)


def role_name(role: Role, env: Env, case: Case | None = None) -> str:
    """What courts call a role; with a case the title of its presiding judge, and 原告 where a party has no lawyer."""
    if isinstance(case, CivilCase | CriminalCase):
        if role == "judge":
            return presiding_title(case.court.model_dump())
        if isinstance(case, CivilCase) and env == "CI" and role.endswith("_lawyer"):
            side = role.removesuffix("_lawyer")
            if not any(party.counsel for party in case.parties if party.side == side):
                return "原告" if side == "plaintiff" else "被告"
    if isinstance(case, AdviceCase) and role == "trainee" and case.agent_title:
        return case.agent_title
    seat = environment(env).seats.get(role)
    return seat.name if seat else role


def own_names(case: Case) -> dict[Role, str]:
    """The roles that a case calls otherwise than its environment does: a single judge, a party without a lawyer."""
    env = case.env
    seats = environment(env).seats
    return {role: name for role, seat in seats.items() if (name := role_name(role, env, case)) != seat.name}


def names_of(card: Card) -> Mapping[Role, str]:
    """The `own_names` that the card of an episode carries; nothing where it carries none."""
    names = card.get("names")
    return {str(role): str(name) for role, name in names.items()} if isinstance(names, Mapping) else {}


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
    if not isinstance(case, CivilCase):
        return set()
    claimed = {"plaintiff" for claim in case.claims if fact.id in claim.facts}
    return claimed | {"defendant" for defence in case.defences if fact.id in defence.facts}


def _proving(case: CivilCase | CriminalCase, fact: Fact) -> set[str]:
    sides: dict[str, str] = {party.id: party.side for party in case.parties}
    sides[PROCURATORATE] = "prosecution"
    return {sides[item.owner] for item in case.evidence if fact.id in item.proves and item.owner in sides}
