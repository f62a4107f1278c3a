"""What graders of the courts are asked in common: a score from 0 to 10 with a reason; verdicts are shares from 0 to
1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tasks.episode.plain import plain_text
from tasks.scoring.grading import Grading

TOP = 10
LONGEST = 6000
"""Characters of an answer or of a section that a grader reads."""
SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "reason": {"type": "string", "minLength": 1, "maxLength": 300},
        "score": {"enum": list(range(TOP + 1))},
    },
    "required": ["reason", "score"],
    "additionalProperties": False,
}
"""The grade is an enumeration: a grammar cannot enforce the range of a number."""


def graded(prompt: str, text: str, name: str) -> Grading:
    """A grading with the one verdict `name`: the score over 10; None where the grading failed."""

    def read(value: Mapping[str, Any]) -> tuple[dict[str, float | None], dict[str, object]]:
        return {name: int(value["score"]) / TOP}, {"verdict": name, "reason": plain_text(str(value["reason"]))}

    return Grading(prompt, text, SCHEMA, read, {name: None})
