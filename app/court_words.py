"""What a court run is called in words: speakers by their role, acts with their article, faults as courts name them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from app.strings import t
from app.terminal import clean
from tasks.courts.casefile import ENVS, Env
from tasks.courts.procedure.findings import CODES
from tasks.courts.roles import role_name, role_of
from tasks.courts.routing import shown
from tasks.events import ActDone, Event, ExhibitMoved, Leaked, Routed, Said, StageEntered, TopicTracked, Violation

DISCLAIMER = "仅供评测演示，不构成法律意见，非人民法院裁判"
"""Stands on court screens, in presenter mode and in reports, in Chinese whatever the language."""
ALL = "全体"


def env_of(card: dict[str, Any]) -> Env | None:
    """The environment of an episode by its card; None where it is no court episode."""
    env = card.get("env")
    return cast(Env, env) if env in ENVS else None


def speaker(seat: str, env: Env) -> str:
    """Who speaks, in court language."""
    return role_name(role_of(env, seat), env)


def addressees(roles: Sequence[str], env: Env) -> str:
    """To whom, in court language; nobody by name is everybody."""
    return "、".join(role_name(role, env) for role in roles) or ALL


def told(event: Event, env: Env) -> str:
    """A court event on a line for a plain terminal; '' for what shows nothing."""
    match event:
        case Said():
            to = f" → {addressees(event.to, env)}" if event.to else ""
            return f"{speaker(event.seat, env)}{to}：{shown(event.text)}"
        case StageEntered():
            return f"── {event.name} ──"
        case ActDone():
            return f"  ✔ {event.name}  {'、'.join(event.basis[:1])}".rstrip()
        case Violation():
            what = event.detail or event.act
            return f"  ✘ {CODES.get(event.code, event.code)}{f'：{what}' if what else ''}"
        case ExhibitMoved():
            return f"  ◇ {event.title}：{event.state}" + (f"（{event.reason}）" if event.reason else "")
        case Leaked():
            return f"  ! {t('court.leak')}：{event.text}"
        case TopicTracked():
            return f"  · {event.pointer} {t('court.verdict.' + event.verdict)}" + (f"：{event.quote}" if event.quote else "")
        case Routed() if event.dropped or not event.how:
            return f"  ! {t('court.unrouted')}"
    return ""


def plain_told(event: Event, env: Env) -> str:
    """The same, fit for a terminal."""
    return clean(told(event, env))
