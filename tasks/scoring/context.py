"""What a scorer may look at beyond questions and results: the pack, and what a grader said.

Nothing of it is needed: what cannot be computed without is missing, never guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from store.pack import Pack
from tasks.run.spec import RunSpec

Grade = Mapping[str, float | None]
"""Name of a verdict -> 0 to 1, None where the grading failed."""


@dataclass(frozen=True, slots=True)
class ScoreContext:
    """pack: the pack of the run, where it is at hand; graded:
    (task id, epoch) -> the newest grade of the grader's seat; spec: what was run."""

    pack: Pack | None = None
    graded: Mapping[tuple[str, int], Grade] = field(default_factory=dict)
    spec: RunSpec | None = None


NOTHING = ScoreContext()
