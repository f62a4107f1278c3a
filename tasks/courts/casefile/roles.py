"""Who sits in a court environment: seats of an episode, their names in court language, and how tables call them.

The tested seat is `agent`; its role (trainee, a lawyer, the judge) depends on the environment. All other seats are named by
their role in the visibility table. The procedure calls the defendant of a criminal case `accused`.
"""

from __future__ import annotations

from collections.abc import Mapping

from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase, Env
from tasks.courts.casefile.visibility import TESTED, Role
from tasks.episode.seats import Card
from tasks.episode.with_tools import SEAT

OTHERS: Mapping[Env, tuple[Role, ...]] = {
    "KQ": ("client", "tracker"),
    "LC": ("client", "tracker"),
    "CD": ("plaintiff",),
    "DD": ("defendant",),
    "CI": ("clerk", "plaintiff_lawyer", "defendant_lawyer"),
    "CR": ("clerk", "procurator", "defendant", "defence_lawyer"),
}
"""Environment -> the seats beside the tested one."""
COURTS: tuple[Env, ...] = ("CI", "CR")
ENV_NAMES: Mapping[Env, str] = {
    "KQ": "法律知识问答", "LC": "法律咨询", "CD": "起诉状撰写", "DD": "答辩状撰写", "CI": "民事一审庭审", "CR": "刑事一审庭审",
}  # fmt: skip
_NAMES: Mapping[Env, Mapping[Role, str]] = {
    "KQ": {"client": "咨询人", "trainee": "法律实习生", "tracker": "话题记录员"},
    "LC": {"client": "咨询人", "trainee": "法律实习生", "tracker": "话题记录员"},
    "CD": {"plaintiff": "原告", "plaintiff_lawyer": "原告律师"},
    "DD": {"defendant": "被告", "defendant_lawyer": "被告律师"},
    "CI": {
        "judge": "审判长", "clerk": "书记员", "plaintiff_lawyer": "原告委托诉讼代理人", "defendant_lawyer": "被告委托诉讼代理人",
    },
    "CR": {"judge": "审判长", "clerk": "书记员", "procurator": "公诉人", "defendant": "被告人", "defence_lawyer": "辩护人"},
}  # fmt: skip


def role_of(env: Env, seat: str) -> Role:
    """The role of a seat."""
    return TESTED[env] if seat == SEAT else seat


def seat_of(env: Env, role: Role) -> str:
    """The seat of a role."""
    return SEAT if role == TESTED[env] else role


def procedural(env: Env, role: Role) -> str:
    """The role as the procedure calls it."""
    return "accused" if env == "CR" and role == "defendant" else role


def roles_from(env: Env, procedural_role: str) -> Role:
    """The role of the visibility table for a role of the procedure."""
    return "defendant" if env == "CR" and procedural_role == "accused" else procedural_role


def role_name(role: Role, env: Env, case: Case | None = None) -> str:
    """What courts call a role; with a case the title of its presiding judge, and 原告 where a party has no lawyer."""
    if isinstance(case, CivilCase | CriminalCase):
        if role == "judge" and case.court.presiding:
            return case.court.presiding.title
        if isinstance(case, CivilCase) and env == "CI" and role.endswith("_lawyer"):
            side = role.removesuffix("_lawyer")
            if not any(party.counsel for party in case.parties if party.side == side):
                return "原告" if side == "plaintiff" else "被告"
    if isinstance(case, AdviceCase) and role == "trainee" and case.agent_title:
        return case.agent_title
    return _NAMES[env].get(role, role)


def own_names(case: Case) -> dict[Role, str]:
    """The roles that a case calls otherwise than its environment does: a single judge, a party without a lawyer."""
    env = case.env
    named = {role: role_name(role, env, case) for role in _NAMES[env]}
    return {role: name for role, name in named.items() if name != _NAMES[env][role]}


def names_of(card: Card) -> Mapping[Role, str]:
    """The `own_names` that the card of an episode carries; nothing where it carries none."""
    names = card.get("names")
    return {str(role): str(name) for role, name in names.items()} if isinstance(names, Mapping) else {}
