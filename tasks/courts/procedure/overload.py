"""What one turn of the judge throws together: more demands than a turn may make, and stages that should follow one
another."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field

from tasks.courts.procedure.acts import Found
from tasks.courts.procedure.findings import Violation
from tasks.courts.procedure.tables import ActSpec, Profile
from tasks.courts.procedure.turns import Side, Turn

CAP = 2
"""Demands that one turn may make: an act that is put to two sides is two."""
Demand = tuple[Found, ActSpec, tuple[Side, ...]]
"""Words that ask for something, what, and of whom."""
Touched = tuple[Found | None, str, int]
"""Words (None: a tag), act and stage that it is about."""


@dataclass(slots=True)
class Load:
    """What a turn asks and is about. Doubtful words count when they were understood: by then somebody has answered
    them."""

    turn: Turn
    demands: list[Demand] = field(default_factory=list)
    touched: list[Touched] = field(default_factory=list)
    _told: set[str] = field(default_factory=set)

    def faults(self, profile: Profile, answered: Container[str] = ()) -> Iterator[Violation]:
        """What it throws together, each named once. answered: acts that got an answer."""
        demands = self._asked(answered)
        stages = {stage for act, name, stage in self.touched if act is None or act.sure or name in answered}
        if len(demands) > CAP and "bundled" not in self._told:
            names = "、".join(dict.fromkeys(spec.name for spec in demands))
            self._told.add("bundled")
            yield Violation("bundled", self.turn.number, demands[CAP].id, None, names)
        if len(stages) >= 3 and "stages_bundled" not in self._told:
            names = "、".join(profile.stages[index].name for index in sorted(stages))
            self._told.add("stages_bundled")
            yield Violation("stages_bundled", self.turn.number, "", None, names)

    @property
    def heavy(self) -> bool:
        """Whether its clear words ask too much."""
        return len(self._asked()) > CAP

    def _asked(self, answered: Container[str] = ()) -> list[ActSpec]:
        return [spec for act, spec, whom in self.demands if act.sure or spec.id in answered for _ in whom]
