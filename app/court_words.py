"""What a court run is called in words: speakers by their role, acts with their article, faults as courts name
them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from app.strings import known, language, t
from app.terminal import truncate
from tasks.courts.casefile.case import Env
from tasks.courts.casefile.roles import role_name, role_of
from tasks.courts.environment import codes, environment
from tasks.courts.procedure.model import PROFILES, fault_name, profile
from tasks.episode.events import ExhibitMoved, Violation
from tasks.episode.seats import Card

DISCLAIMER = "仅供评测演示，不构成法律意见，非人民法院裁判"
"""Stands on court screens, in presenter mode and in reports, in Chinese whatever the language."""
ALL = "全体"
WHY = 80
"""Cells shown of why an exhibit is refused."""
SIDES: Mapping[str, str] = {
    "plaintiff": "原告", "defendant": "被告", "procurator": "公诉人", "accused": "被告人", "defence": "辩护人",
}  # fmt: skip
"""Side of the procedure -> what courts call it."""
_SAYS_WHICH: Mapping[str, str] = {"too_early": "尚未完成：", "wrong_stage": "当时为", "wrong_addressee": "当时对"}
"""Code of a fault -> what its detail is."""
_ALONE = frozenset({"bundled", "stages_bundled", "uncrossed_relied", "no_reason"})
"""Faults whose detail says all; the act would only repeat it."""


def env_of(card: Card) -> Env | None:
    """The environment of an episode by its card; None where it is no court episode."""
    env = card.get("env")
    return str(env) if env in codes() else None


def env_name(env: Env) -> str:
    """What people call an environment, in the language of the screen."""
    key = f"court.env.{env}"
    return t(key) if known(key) else environment(env).names[language() != "zh"]


def speaker(seat: str, env: Env, names: Mapping[str, str] = {}) -> str:
    """Who speaks, in court language; `names`: what this case calls a role."""
    role = role_of(env, seat)
    return names.get(role) or role_name(role, env)


def addressees(roles: Sequence[str], env: Env, names: Mapping[str, str] = {}) -> str:
    """To whom, in court language; nobody by name is everybody."""
    return "、".join(names.get(role) or role_name(role, env) for role in roles) or ALL


@cache
def _acts(env: str) -> Mapping[str, str]:
    names = [profile(name, "CR" if env == "CR" else "CI").acts for name in reversed(PROFILES)]
    return {act: spec.name for acts in names for act, spec in acts.items()}


def act_name(act: str, env: str = "") -> str:
    """What courts call an act of the tables; of civil cases where the environment is not known."""
    return _acts(env).get(act) or _acts("CR").get(act) or act


def fault_words(event: Violation, env: str = "") -> str:
    """A fault as a sentence: what it is, in which act, towards whom."""
    detail = "、".join(SIDES.get(part, part) for part in event.detail.split("、")) if event.detail else ""
    where = act_name(event.act, env) if event.act and not (detail and event.code in _ALONE) else ""
    if where and event.side:
        where += f"（{SIDES.get(event.side, event.side)}）"
    if where and detail:
        detail = f"（{_SAYS_WHICH.get(event.code, '')}{detail}）"
    said = f"{where}{detail}"
    return fault_name(event.code, clear=event.clear) + (f"：{said}" if said else "")


def exhibit_words(event: ExhibitMoved) -> str:
    """An exhibit and its state; of one that is refused, or a part of it, the gist of why. Its pane has it whole."""
    why = truncate(event.reason, WHY) if event.reason and event.state in ("部分采信", "不采信") else ""
    return f"{event.title or event.exhibit}：{event.state}" + (f"（{why}）" if why else "")
