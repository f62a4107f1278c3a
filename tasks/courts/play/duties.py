"""The duties that a judge still owes in the stage that is open, in words: an aid for the judge of the profile `law`.

Read from where the procedure says the trial stands. An exhibit is named only after it was offered: what was not yet
shown in court is counted, since a judge does not hold it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tasks.courts.procedure.findings import Course
from tasks.courts.procedure.tables import Duty


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
