"""What a benchmark asks a grader about an attempt; `grader` puts it to the seat."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Grading:
    """What a grader is asked about one attempt.

    prompt: name of the prompt file; text: the prompt filled; schema: of the reply; read: the reply as named verdicts
        from 0
    to 1 and what is kept as evidence.
    """

    prompt: str
    text: str
    schema: Mapping[str, Any]
    read: Callable[[Mapping[str, Any]], tuple[dict[str, float | None], dict[str, object]]]
    failed: Mapping[str, float | None]
    """The verdicts of a grading that failed."""
