"""Follows a trial live: feeds what is said to the procedure and tells what changed, as events.

The machine of the procedure is kept between steps as a mere cache: it is fed the record alone, and built anew
wherever the record is not the one it has heard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tasks.courts.casefile.case import CivilCase, CriminalCase
from tasks.courts.play.record import for_procedure
from tasks.courts.procedure.findings import Course
from tasks.courts.procedure.findings import Violation as Fault
from tasks.courts.procedure.hearing import hearing_of
from tasks.courts.procedure.machine import Machine
from tasks.courts.procedure.tables import Duty, ProfileName
from tasks.courts.procedure.turns import Turn
from tasks.episode.events import ActDone, Event, ExhibitMoved, StageEntered, Violation

KEPT = 32
"""Trials whose machines are kept."""


@dataclass
class _Heard:
    case: str
    turns: tuple[Turn, ...]
    machine: Machine
    course: Course


class Follower:
    """The trials of a run. Not for several threads."""

    def __init__(self, profile: ProfileName) -> None:
        self._profile = profile
        self._heard: list[_Heard] = []

    def changes(self, case: CivilCase | CriminalCase, record: Sequence[Turn]) -> Iterator[Event]:
        """What the last utterance of a record changed."""
        turns = for_procedure(record, case.env)
        before = self._at(case, turns[:-1])
        known = before.course
        before.machine.feed(turns[-1])
        before.turns, before.course = turns, before.machine.course(final=False)
        yield from _differences(case, known, before.course)

    def course(self, case: CivilCase | CriminalCase, record: Sequence[Turn], *, final: bool = False) -> Course:
        """Where a trial stands."""
        return self._at(case, for_procedure(record, case.env)).machine.course(final=final)

    def _at(self, case: CivilCase | CriminalCase, turns: tuple[Turn, ...]) -> _Heard:
        for place, heard in enumerate(self._heard):
            if heard.case == case.id and heard.turns == turns[: len(heard.turns)]:
                self._heard.insert(0, self._heard.pop(place))
                break
        else:
            machine = Machine(hearing_of(case), self._profile)
            heard = _Heard(case.id, (), machine, machine.course(final=False))
            self._heard.insert(0, heard)
            del self._heard[KEPT:]
        for turn in turns[len(heard.turns) :]:
            heard.machine.feed(turn)
        if heard.turns != turns:
            heard.turns, heard.course = turns, heard.machine.course(final=False)
        return heard


def omissions(course: Course, known: Course) -> Iterator[Event]:
    """What shows only at the end of a trial."""
    yield from (_violation(v) for v in course.violations[len(known.violations) :])


def _differences(case: CivilCase | CriminalCase, known: Course, now: Course) -> Iterator[Event]:
    if now.stage != known.stage or not known.stage_of:
        stage = next(stage for stage in now.profile.stages if stage.id == now.stage)
        yield StageEntered(stage=stage.id, name=stage.name)
    fresh = now.credits[len(known.credits) :]
    basis = {duty.key: tuple(one.label for one in duty.basis) for duty in now.duties} if fresh else {}
    names = {duty.key: duty.spec.name for duty in now.duties}
    for credit in fresh:
        yield ActDone(
            key=credit.key, name=names.get(credit.key, now.profile.acts[credit.act].name), turn=credit.turn,
            side=credit.side or "", exhibit=credit.exhibit, basis=basis.get(credit.key, ()),
        )  # fmt: skip
    for violation in now.violations[len(known.violations) :]:
        yield _violation(violation)
    titles = {exhibit.id: exhibit.title for exhibit in case.evidence}
    for identity, shown in now.exhibits.items():
        if shown.state != known.exhibits[identity].state:
            yield ExhibitMoved(
                exhibit=identity, title=titles.get(identity, ""), state=shown.state, reason=shown.reason
            )


def _violation(fault: Fault) -> Violation:
    return Violation(
        code=fault.code, turn=fault.turn, act=fault.act, side=fault.side or "", detail=fault.detail, clear=fault.clear
    )


@dataclass(frozen=True, slots=True)
class Open:
    """A duty that is open. side: towards whom, '' for all; exhibit: title of one that was offered; more: exhibits
    that a side has not offered yet, 0 where the duty is of another kind."""

    name: str
    side: str = ""
    exhibit: str = ""
    more: int = 0


@dataclass(frozen=True, slots=True)
class Owed:
    """What is open. stage: the one that the trial is in; coming: the one the duties belong to where nothing of that
    stage is open, else ''; duties: in the order of the hearing."""

    stage: str
    coming: str
    duties: tuple[Open, ...]


def owed(course: Course) -> Owed | None:
    """The open duties of the stage, or of the next that has some; None where nothing is open."""
    stages = course.profile.stages
    ids = [stage.id for stage in stages]
    here = ids.index(course.stage)
    left = [duty for duty in course.owed() if duty.key not in course.done]
    for at in range(here, len(stages)):
        mine = [duty for duty in left if ids[at] in duty.spec.stages]
        if found := _open(course, mine):
            return Owed(stages[here].name, stages[at].name if at > here else "", found)
    return None


def _open(course: Course, duties: Iterable[Duty]) -> tuple[Open, ...]:
    titles = {item.id: item.title for item in course.hearing.exhibits}
    shown = {identity for identity, state in course.exhibits.items() if state.shown is not None}
    there = [duty for duty in duties if duty.spec.exhibits != "other" or duty.exhibit in shown]
    unseen = Counter(duty.side for duty in there if duty.spec.exhibits == "owner")
    made = [
        Open(duty.spec.name, duty.side or "", more=unseen[duty.side]) if duty.spec.exhibits == "owner"
        else Open(duty.spec.name, duty.side or "", titles.get(duty.exhibit, ""))
        for duty in sorted(there, key=lambda duty: duty.spec.order)
    ]  # fmt: skip
    return tuple(dict.fromkeys(made))
