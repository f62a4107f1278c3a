"""From which entities a path can be walked to its end at all, over a source that holds only part of the rows.

Every row is followed, whatever would be chosen of several; what is found for the beginning of a path is kept for all
paths that begin so. Few paths of a harvested pack lead anywhere: to try entities one by one would be to try in vain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tasks.legalagentbench.construct.follow import linked
from tasks.legalagentbench.construct.plans import Skeleton, Step
from tasks.legalagentbench.construct.source import Record, Rejected, Source
from tasks.legalagentbench.construct.tree import Branch, court_code

Entity = tuple[str, ...]
MOST_VALUES = 12
"""Values kept for an entity at each step."""


class Reach:
    """entities: gives all entities of a start (Table.column)."""

    def __init__(self, source: Source, entities: Callable[[str], list[Entity]]) -> None:
        self._source, self._entities = source, entities
        self._fronts: dict[tuple[str, tuple[Branch, ...]], dict[Entity, list[Entity]]] = {}

    def alive(self, skeleton: Skeleton) -> list[Entity]:
        """The entities from which rows are found at every step, in their order."""
        front = self.front(skeleton.start, skeleton.branches)
        tool, via = skeleton.tools[-1], skeleton.last[1]
        return [entity for entity, values in front.items() if any(self._rows(tool, via, value) for value in values)]

    def front(self, start: str, branches: tuple[Branch, ...]) -> dict[Entity, list[Entity]]:
        """Each entity from which rows are found along these branches, with what they lead to."""
        if not branches:
            return {entity: [entity] for entity in self._entities(start)}
        if (start, branches) not in self._fronts:
            before, branch = self.front(start, branches[:-1]), branches[-1]
            step = Step(branch.tool, branch.opened, branch.via, branch.link)
            led = ((entity, self._led(step, values)) for entity, values in before.items())
            self._fronts[start, branches] = {entity: values for entity, values in led if values}
        return self._fronts[start, branches]

    def _led(self, step: Step, values: Sequence[Entity]) -> list[Entity]:
        found: dict[Entity, None] = {}
        for value in values:
            for row in self._rows(step.tool, step.via, value):
                try:
                    found[linked(row, step)] = None
                except Rejected:
                    continue
                if len(found) == MOST_VALUES:
                    return list(found)
        return list(found)

    def _rows(self, tool: str, via: str, value: Entity) -> list[Record]:
        try:
            given = (court_code(value[0]),) if via else value
        except Rejected:
            return []
        return self._source.find(tool, given) or []
