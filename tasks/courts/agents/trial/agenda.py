"""The agenda of a hearing: the first step of hearing_civil.toml or hearing_criminal.toml that is open, as far as the
turns that are left allow.

A step has its place by procedure and profile, is open as long as its condition holds and it was not answered, and is
put twice at most. Where turns run out, steps that the law only allows are left out first, then those of practice,
then all that is not the core of a trial.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from store.tables import beside
from store.text.numerals import int_to_chinese
from tasks.courts.agents.own_words import quotable
from tasks.courts.agents.trial.record import IDLE, NAME, OFFERING, CourtCase, Exhibit, numbered
from tasks.courts.procedure.hearing import mediable
from tasks.courts.procedure.model import SIDES, ProfileName

_LAST = {"may": 0, "practice": 1, "must": 2}
"""In the order in which steps are left out; an essential one never is."""
_PROPERTY = re.compile(r"扣押|查封|冻结|追缴|退赔|违法所得|没收|赃款|赃物|作案工具")
_FIELDS = ("id", "to", "kinds", "need", "procedure", "profile", "when", "once", "announces", "stage")


@dataclass(frozen=True, slots=True)
class Step:
    """One question of the hearing. to: the side that it is put to, each or both; kinds: acts by which it is known;
    words: form -> words of it; need: how badly it is needed; procedure, profile: where it has a place, everywhere
    without; when: name of a condition; once: put once; announces: what was not announced is announced before it;
    stage: that it opens."""

    id: str
    to: str
    kinds: tuple[str, ...]
    words: Mapping[str, str]
    need: str
    procedure: str = ""
    profile: str = ""
    when: str = ""
    once: bool = False
    announces: bool = False
    stage: str = ""

    @property
    def exhibits(self) -> bool:
        """Whether it calls for evidence."""
        return bool(set(OFFERING) & set(self.kinds))

    def asks(self, act: str, side: str) -> bool:
        """Whether it puts an act to a side."""
        return act in self.kinds and self.to in (side, "each", "both")


@dataclass(frozen=True, slots=True)
class Due:
    """What is said next: a step, to whom, in which form of its words, on which exhibits."""

    step: Step
    to: tuple[str, ...]
    form: str = "say"
    about: tuple[Exhibit, ...] = ()


def hearing(env: Literal["CI", "CR"]) -> Mapping[str, Any]:
    """The table of a court."""
    return beside(__package__, "hearing_civil" if env == "CI" else "hearing_criminal")


@cache
def steps(env: Literal["CI", "CR"], procedure: str, profile: ProfileName) -> tuple[Step, ...]:
    """The steps that have a place in a hearing, in their order; procedure: 普通, 简易 or 速裁, '' for all."""
    made = (
        Step(
            **{key: value for key, value in entry.items() if key in _FIELDS and key != "kinds"},
            kinds=tuple(entry.get("kinds", [entry["id"]])),
            words={key: text for key, text in entry.items() if key not in _FIELDS},
        )
        for entry in hearing(env)["steps"]
    )
    return tuple(
        step for step in made if (not step.procedure or procedure in step.procedure) and step.profile in ("", profile)
    )


def following(case: CourtCase) -> Due | None:
    """The next turn; None, so the judgment, where nothing is left, or no turn for it."""
    left = case.view.limit - case.view.turn + 1 - (1 + case.collegial)
    dues = [due for step in steps(case.env, case.procedure[:2], case.view.profile) for due in _open(case, step)]
    kept = _spared(case, dues, left)
    kept = kept[-left:] if left > 0 else []
    for due in kept:
        if not due.step.exhibits:
            return due
        after = sum(one is not due and not one.step.exhibits for one in kept)
        if (offered := _evidence(case, due.step, left - after)) is not None:
            return offered
    return None


def _spared(case: CourtCase, dues: list[Due], left: int) -> list[Due]:
    """The turns without those for which there is no room: the least needed first, the dearest and latest of these."""
    kept = list(dues)
    ranked = [(_LAST[due.step.need], _cost(case, due.step), due) for due in reversed(kept) if due.step.need in _LAST]
    for _, _, due in sorted(ranked, key=lambda one: (one[0], -one[1])):
        if sum(_cost(case, one.step) for one in kept) <= left:
            break
        kept.remove(due)
    return kept


def _open(case: CourtCase, step: Step) -> list[Due]:
    if step.exhibits:
        return [Due(step, (step.to,))] if _cost(case, step) else []
    sides = SIDES["CI"] if step.to in ("each", "both") else (step.to,)
    owing = [side for side in sides if _WHEN[step.when](case, side) and not _done(case, step, side)]
    together = step.to == "both" and case.view.profile == "law"
    groups = [tuple(owing)] if together and owing else [(side,) for side in owing]
    return [Due(step, group, "again" if case.asked(group[0], *step.kinds) else "say") for group in groups]


def _done(case: CourtCase, step: Step, side: str) -> bool:
    """Whether nothing more is to be asked: answered, or asked as often as it makes sense."""
    most = 1 if step.once else IDLE
    if not step.kinds:
        return sum(_fixed(step.words["say"]) in text for text in case.said) >= most
    return any(case.answered(side, kind) for kind in step.kinds) or case.asked(side, *step.kinds) >= most


@cache
def _fixed(words: str) -> str:
    """The longest run of a question's words that is always said."""
    return max(re.split(r"\{[a-z_]+\}", words), key=len)


# --- exhibits -------------------------------------------------------------------------------------------------------


def _owes(case: CourtCase, owner: str) -> bool:
    taken = case.evidence
    if owner in taken.closed or taken.idle[owner] >= IDLE:
        return False
    return case.reached < 2 or not taken.shown


def _cost(case: CourtCase, step: Step) -> int:
    if not step.exhibits:
        return 1
    hearers = case.hearers[step.to]
    waiting = sum(bool(case.evidence.waiting(side)) for side in hearers)
    first = step.to == next(iter(case.hearers))
    return waiting + _owes(case, step.to) * (1 + len(hearers) - waiting if first else 1)


def _evidence(case: CourtCase, step: Step, room: int) -> Due | None:
    """The next turn of the taking of evidence of a side; None where it is done."""
    for side in case.hearers[step.to]:
        if waiting := case.evidence.waiting(side):
            again = "_again" if any(exhibit.tried[side] for exhibit in waiting) else ""
            return Due(step, (side,), f"views.{side}{again}", tuple(waiting))
    if not _owes(case, step.to):
        return None
    if case.evidence.idle[step.to]:
        return Due(step, (step.to,), "again")
    begun, grouped = bool(case.evidence.of(step.to)), "group" in step.words
    form = "next" if begun else "group" if grouped and case.procedure.startswith("简易") else "say"
    if grouped and (room < 12 or case.view.profile == "j1"):
        form = "rest" if begun else "group"
    elif not grouped and room <= 3 and begun:
        form = "rest"
    return Due(step, (step.to,), form)


def named_exhibits(due: Due) -> dict[str, str]:
    """names: 证据一借条一张、证据二…; which: 证据三, 全部证据 where there are several."""
    offers = [one.offer for one in due.about]
    plain = [f"证据{int_to_chinese(one.number)}" for one in offers]
    return {
        "names": "、".join(numbered(one.number, quotable(one.title, 60)) for one in offers),
        "plain": "、".join(plain),
        "which": "全部证据" if len(offers) > 1 else "".join(plain),
    }


# --- conditions -----------------------------------------------------------------------------------------------------


_WHEN: Mapping[str, Callable[[CourtCase, str], bool]] = {
    "": lambda case, side: True,
    "opening": lambda case, side: case.reached < 2,
    "investigation": lambda case, side: case.reached < 2,
    "findings": lambda case, side: bool(case.findings) and case.reached < 2,
    "issues": lambda case, side: case.view.profile == "law" or case.asked(side, "issues") > 0,
    "mediable": lambda case, side: mediable(case.cause),
    "uncalled": lambda case, side: not case.charges,
    "admits": lambda case, side: case.admits,
    "examines": lambda case, side: case.view.profile == "j1" or not case.procedure.startswith("速裁"),
    "property": lambda case, side: (
        case.procedure.startswith("普通")
        or bool(_PROPERTY.search(case.all_of("procurator") + "".join(x.offer.title for x in case.evidence.shown)))
    ),
    "property_told": lambda case, side: bool(case.answers("procurator", "property")),
}
"""Name of a condition in the tables -> whether it holds, for a side."""


# --- words ----------------------------------------------------------------------------------------------------------


def filled(text: str, values: Mapping[str, object]) -> str:
    """A phrase with its fields; the full stop of a value gives way to that of the phrase."""
    for key, value in values.items():
        words = str(value).strip()
        after = text.partition("{" + key + "}")[2][:1]
        if after in "。；，" and after:
            words = words.rstrip("。；，")
        text = text.replace("{" + key + "}", words)
    return text


def called(sides: tuple[str, ...]) -> str:
    """原告、被告."""
    return "、".join(NAME[side] for side in sides)
