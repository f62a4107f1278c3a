"""What a court run is called in words: speakers by their role, acts with their article, faults as courts name
them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.strings import known, language, t
from app.terminal import clean, truncate
from app.words import marks_of
from tasks.courts.casefile.case import Env
from tasks.courts.casefile.roles import names_of, role_name, role_of
from tasks.courts.environment import codes, environment
from tasks.courts.play.record import shown
from tasks.courts.procedure.model import PROFILES, fault_name, profile
from tasks.episode.events import (
    ActDone,
    Event,
    ExhibitMoved,
    Leaked,
    Routed,
    Said,
    Seated,
    StageEntered,
    TopicTracked,
    Violation,
)
from tasks.episode.with_tools import SEAT

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


def env_of(card: dict[str, Any]) -> Env | None:
    """The environment of an episode by its card; None where it is no court episode."""
    env = card.get("env")
    return str(env) if env in codes() else None


@dataclass(frozen=True, slots=True)
class Voice:
    """Who is who in the episode of a court, for a plain terminal; `names`: what its case calls a role."""

    env: Env
    names: Mapping[str, str]

    def seat(self, seat: str) -> str:
        return speaker(seat, self.env, self.names)

    def told(self, event: Event) -> str:
        """An event on a line, fit for a terminal; '' for what shows nothing."""
        return clean(told(event, self.env, self.names))


def voice_of(card: dict[str, Any]) -> Voice | None:
    """The voice of an episode by its card; None where it is no court episode."""
    env = env_of(card)
    return Voice(env, names_of(card)) if env else None


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


def told(event: Event, env: Env, names: Mapping[str, str]) -> str:
    """A court event on a line; '' for what shows nothing."""
    match event:
        case Said():
            to = f" → {addressees(event.to, env, names)}" if event.to else ""
            return f"{speaker(event.seat, env, names)}{to}：{shown(event.text)} {marks_of(event)}".rstrip()
        case Seated():
            tested = f"（{t('seat.agent')}）" if event.seat == SEAT else ""
            return (
                f"  {t('event.seated')}: {speaker(event.seat, env, names)}{tested} ← {event.policy} {event.engine}"
            ).rstrip()
        case StageEntered():
            return f"── {event.name} ──"
        case ActDone():
            return f"  ✔ {event.name}  {'、'.join(event.basis[:1])}".rstrip()
        case Violation():
            return f"  ✘ {fault_words(event, env)}"
        case ExhibitMoved():
            return f"  ◇ {exhibit_words(event)}"
        case Leaked():
            return f"  ! {t('court.leak')}：{event.text}"
        case TopicTracked():
            return f"  · {event.pointer} {t('court.verdict.' + event.verdict)}" + (
                f"：{event.quote}" if event.quote else ""
            )
        case Routed() if event.dropped:  # what names nobody is an announcement or a judgment, and heard by all
            return f"  ! {t('court.dropped', to=addressees(event.dropped, env, names))}"
    return ""


def exhibit_words(event: ExhibitMoved) -> str:
    """An exhibit and its state; of one that is refused, or a part of it, the gist of why. Its pane has it whole."""
    why = truncate(event.reason, WHY) if event.reason and event.state in ("部分采信", "不采信") else ""
    return f"{event.title or event.exhibit}：{event.state}" + (f"（{why}）" if why else "")
