"""What a civil bench has still to do, by the table of the hearing (hearing.toml), and what it leaves out when turns
run short. Nothing is asked of a side more than twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from tasks.courts.agents.civil.case import OTHER, SIDES, Case, hearing
from tasks.courts.agents.civil.pleadings import sums
from tasks.courts.agents.trial.agenda import Due, Step, placed, spared
from tasks.courts.agents.trial.heard import IDLE
from tasks.courts.procedure.hearing import mediable

_ACCEPTS = re.compile(r"同意|愿意|可以|接受|没有异议")
_REFUSES = re.compile(r"不同意|不愿|拒绝|不接受|不调解|不可以|不能接受|差距较大")
_TERMS = re.compile(r"(?:条件|方案)(?:是|为)?[：:]?[^。\n]{2}")
BLOCK = 4
"""From so many exhibits on, those of a side are offered in a row where turns are short."""
AFTER = {"law": 8, "j1": 11}
"""Turns that are kept for what follows the exhibits."""


def following(case: Case, left: int) -> Due:
    """The step to be made now. left: turns of the bench, this one included."""
    profile = case.view.profile
    table = {step.id: step for step in placed(__package__, "", profile)}
    rank = {name: -place for place, name in enumerate(hearing()[f"needed_{profile}"])}
    dues = [due for step in table.values() for due in _dues(case, step, table, left)]
    return spared(dues, left, lambda due: rank[due.step.id])[0]


def _dues(case: Case, step: Step, table: Mapping[str, Step], left: int) -> Iterator[Due]:
    """The turns that a step still takes."""
    open_now = _WHEN[step.when]
    if step.id == "exhibit" and open_now(case, ""):
        yield from _exhibits(case, table, left)
    elif not step.to and open_now(case, ""):
        yield Due(step)
    elif step.to and step.id not in ("exhibit", "cross"):
        asked = [side for side in SIDES if step.to in ("each", "both", side) and open_now(case, side)]
        owing = tuple(
            side for side in asked if not (case.asked(side, step.id) if step.once else case.done(side, step.id))
        )
        if step.to == "both" and case.view.profile == "law" and owing:
            yield Due(step, owing)
        else:
            yield from (Due(step, (side,)) for side in owing)


def _exhibits(case: Case, table: Mapping[str, Step], left: int) -> Iterator[Due]:
    exhibit, cross, taken = table["exhibit"], table["cross"], case.evidence
    more: Mapping[str, bool] = {side: side not in taken.closed and taken.idle[side] < IDLE for side in SIDES}
    for side, other in OTHER.items():
        room = left - AFTER[case.view.profile] - (2 if side == "plaintiff" and more[other] else 0)
        waiting, count = tuple(taken.waiting(other)), len(taken.of(side))
        begun = any(case.asked(one, "exhibit") for one in SIDES)
        form = "say" if count else "none" if begun else "begin"
        if more[side] and waiting and count >= BLOCK and 1 < room <= 8:
            yield Due(exhibit, (side,), "rest" if room <= 3 else form)
        if waiting:
            yield Due(cross, (other,), about=waiting)
        if more[side] and room > 0:
            yield Due(exhibit, (side,), "rest" if room <= 3 and count else form)
            yield Due(cross, (other,))


def _owes_terms(case: Case, side: str) -> bool:
    """Whether both sides would settle, and this one has not been asked a second time on which terms."""
    for one in SIDES:
        said = case.last(one, "mediate")
        if not _ACCEPTS.search(said) or _REFUSES.search(said):
            return False
    said = case.last(side, "mediate")
    return case.asked(side, "mediate") < 2 and not sums(said) and not _TERMS.search(said)


def _announcing(case: Case, side: str) -> bool:
    """Whether names and rights are still to be announced, and nobody owes an answer before whom they are."""
    owed = any(not case.done(one, "recusal") for one in SIDES)
    return not owed and case.reached < 1 and not {"cause", "panel", "rights"} <= case.announced


def _findings(case: Case, side: str) -> bool:
    """Whether what the court has found itself is still to be told, or under `j1` put to the second side."""
    told = any(case.findings[:24] in text for text in case.court)
    again = case.view.profile == "j1" and side == "defendant"
    return bool(case.findings) and case.reached < 2 and (again or not told)


_WHEN: Mapping[str, Callable[[Case, str], bool]] = {
    "": lambda case, side: True,
    "opening": lambda case, side: case.reached < 2,
    "investigation": lambda case, side: case.reached < 2,
    "unannounced": lambda case, side: (
        case.reached < 2
        and not {"cause", "panel"} & case.announced
        and not any(case.asked(one, "recusal") for one in SIDES)
    ),
    "announcing": _announcing,
    "evidence": lambda case, side: case.reached < 2 or not case.exhibits,
    "findings": _findings,
    "issues": lambda case, side: case.view.profile == "law" or case.done(side, "issues"),
    "mediable": lambda case, side: mediable(case.cause),
    "terms": lambda case, side: mediable(case.cause) and _owes_terms(case, side),
    "panel": lambda case, side: case.collegial and "deliberate" not in case.announced,
}
"""Name of a condition in the table -> whether it holds, for a side."""
