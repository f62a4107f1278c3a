"""Questions that wait for an answer, and duties of the judge that got no valid one (未得有效回应): neither its credit
nor its fault.

What a simulator leaves out may keep others from their part: nobody can be heard on an exhibit that was never shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tasks.courts.procedure.acts import Found
from tasks.courts.procedure.exhibits import Exhibits
from tasks.courts.procedure.findings import Unmet
from tasks.courts.procedure.tables import ActSpec, Duty
from tasks.courts.procedure.turns import Side, Turn
from tasks.courts.simulated.wording import Reason


@dataclass(frozen=True, slots=True)
class Pending:
    """A question that waits for an answer."""

    spec: ActSpec
    side: Side
    found: Found
    turn: Turn
    at: int
    late: bool
    credited: bool
    """False: out of its place, so that an answer earns nothing, but what is built on it may stand."""
    addressed: bool = True
    """False: nobody was spoken to, so that nobody need have answered."""
    earns: bool = True
    """False: of another stage than the first that a turn with too many demands is about."""


class Unanswered:
    """The duties of a hearing that wait for an answer which their side failed to give, by key."""

    def __init__(self, duties: Sequence[Duty], exhibits: Exhibits) -> None:
        self._duties = duties
        self._exhibits = exhibits
        self._kept: dict[str, Unmet] = {}

    def note(self, spec: ActSpec, side: Side, turn: int, reason: Reason, credited: Iterable[str]) -> None:
        """An act was put to a side in its place, in this turn of the judge, and the reply was none for this
        reason."""
        items: set[str] = set()
        if spec.exhibits == "owner":
            items = {item.id for item in self._exhibits.unshown(side)}
        elif spec.exhibits:
            items = {item.id for item in self._exhibits.to_hear(side)}
            self._exhibits.excused.update((item, side) for item in items)
        for duty in self._duties:
            held_back = spec.exhibits == "owner" and duty.exhibit in items
            mine = duty.spec is spec and duty.side in (None, side) and (not spec.exhibits or duty.exhibit in items)
            if (held_back or mine) and duty.key not in credited:
                self._kept.setdefault(duty.key, Unmet(duty.key, duty.spec.id, side, turn, reason))

    def done(self, key: str) -> None:
        """A duty was credited after all."""
        self._kept.pop(key, None)

    def shown(self, side: Side) -> None:
        """A side has begun to show what it has: what it still holds back may be asked for again."""
        waiting = {item.id for item in self._exhibits.hearing.exhibits if item.owner == side}
        lifted = {duty.key for duty in self._duties if duty.exhibit in waiting}
        self._kept = {key: one for key, one in self._kept.items() if one.side != side or key not in lifted}

    def holds(self, act: str) -> bool:
        """Whether some duty of an act is among them."""
        return any(one.act == act for one in self._kept.values())

    def all(self) -> tuple[Unmet, ...]:
        """Those of the judge's mandatory duties."""
        owed = {duty.key for duty in self._duties if duty.mandatory}
        return tuple(one for one in self._kept.values() if one.key in owed)
