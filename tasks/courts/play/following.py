"""Follows a trial live: feeds what is said to the procedure and tells what changed, as events.

The machine of the procedure is kept between steps as a mere cache: it is fed the record alone, and built anew
wherever the record is not the one it has heard.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tasks.courts.casefile.case import CivilCase, CriminalCase
from tasks.courts.play.record import for_procedure
from tasks.courts.procedure.bench import reopens
from tasks.courts.procedure.findings import Course
from tasks.courts.procedure.findings import Violation as Fault
from tasks.courts.procedure.hearing import hearing_of
from tasks.courts.procedure.machine import Machine
from tasks.courts.procedure.tables import Duty, ProfileName
from tasks.courts.procedure.turns import Turn
from tasks.episode.events import ActDone, Event, ExhibitMoved, StageEntered, Violation

KEPT = 32
"""Trials whose machines are kept."""
MOST_NAMED = 2
"""How often something is named that is not done."""
RETIRE, JUDGED = "deliberate", {"ruling", "verdict"}
"""The act that comes in a turn before the judgment, and those by which a judgment is known."""


@dataclass
class _Heard:
    case: str
    turns: tuple[Turn, ...]
    machine: Machine
    course: Course
    named: list[Duty | None] = field(default_factory=list)
    """What was owed next in each turn of the judge."""


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

    def owed(self, case: CivilCase | CriminalCase, record: Sequence[Turn], limit: int) -> Owed | None:
        """What the judge does next, who may speak so often."""
        heard = self._at(case, for_procedure(record, case.env))
        spoke = [at for at, turn in enumerate(record) if turn.speaker == "judge" and turn.number]
        for at in spoke[len(heard.named) :]:  # only where the machine was built anew
            before = self.owed(case, record[:at], limit)
            heard.named.append(before.duty if before else None)
        found = _owed(heard.course, limit - len(spoke), heard.named[: len(spoke)])
        heard.named[len(spoke) :] = [found.duty if found else None]
        return found

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
class Owed:
    """The one thing that a judge does next. stage: in which; reopened: whether the trial has left it; duty: None at
    the end; exhibits: titles of those to be heard on; parts: of the judgment, none where it was given."""

    stage: str
    duty: Duty | None = None
    exhibits: tuple[str, ...] = ()
    reopened: bool = False
    parts: tuple[str, ...] = ()


def _owed(course: Course, left: int, named: Sequence[Duty | None]) -> Owed | None:
    """The first duty, in the order of the hearing, that may be done now; None where the hearing is closed.

    What was named twice is passed over; where turns run out only the judgment is left.

    Args:
        course: where the trial stands.
        left: turns of the judge that are left, the coming one included.
        named: what was next in each turn so far.
    """
    if course.closed:
        return None
    end = course.profile.stages[-1]
    due = [duty for duty in _due(course, left) if named.count(duty) < MOST_NAMED]
    judgment = [duty for duty in due if duty.spec.stages[-1] == end.id]
    short = left <= 2 + any(duty.spec.id == RETIRE for duty in judgment)
    acts = {credit.act for credit in course.credits} | {
        fault.act for fault in course.violations if short and fault.turn == course.judge_turns
    }
    if acts & JUDGED:
        return Owed(end.name)
    for duty in due:
        apart = duty.spec.id == RETIRE and left > 2 or not short and duty not in judgment
        stage, reopened = _stage(course, duty)
        if apart and stage:
            asked = {one.exhibit for one in due if (one.spec, one.side) == (duty.spec, duty.side)}
            titles = tuple(item.title for item in course.hearing.exhibits if item.id in asked)
            return Owed(stage, duty, titles, reopened)
    return Owed(end.name, parts=tuple(duty.spec.name for duty in judgment))


def _due(course: Course, left: int) -> list[Duty]:
    """What is owed, and what every court does where there are turns for it, in the order of the hearing; of exhibits
    those that were shown are heard on first, and each side is called upon once for all that it has."""
    owing = ({duty.key for duty in course.owed()} | {one.key for one in course.unmet}) - course.done
    usual = {duty.key for duty in course.duties if duty.level == "practice" and not course.settled} - course.done
    owing |= usual if len(owing | usual) < left else set()
    due: dict[tuple[str, str | None, str], Duty] = {}
    for duty in course.duties:
        heard_on = duty.exhibit if duty.spec.exhibits == "other" else ""
        if duty.key in owing and (not heard_on or course.exhibits[heard_on].shown is not None):
            due.setdefault((duty.spec.id, duty.side, heard_on), duty)
    sides: Sequence[str | None] = (None, *course.hearing.sides)
    return sorted(
        due.values(), key=lambda duty: (duty.spec.order, duty.spec.exhibits == "owner", sides.index(duty.side))
    )


def _stage(course: Course, duty: Duty) -> tuple[str, bool]:
    """The name of the stage in which a duty may be done now, and whether it has to be reopened; '' where it may no
    more."""
    stages = {stage.id: stage for stage in course.profile.stages}
    fixed = [name for name, stage in stages.items() if not stage.floating]
    at = next((fixed.index(stage) for stage in reversed(course.stage_of) if stage in fixed), 0)
    places = [stage for stage in duty.spec.stages if stage not in fixed or fixed.index(stage) >= at]
    if places or at == 1:  # what the opening forgot may be made up for
        return stages[(*places, fixed[at])[0]].name, False
    name = stages[duty.spec.stages[-1]].name
    return (name, True) if reopens(f"恢复{name}") else ("", False)
