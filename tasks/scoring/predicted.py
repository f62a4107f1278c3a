"""Answers made elsewhere, matched to tasks: what a benchmark reads from a prediction file of its own layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

NAMED = 10
"""At most so many ids, or lines of one, are named in one message."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """The answer to one task; `failed`: it stands for an exception of whoever ran it, not for an answer."""

    res: str
    summary: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class TokenCount:
    """Tokens of one task as the provider counted them."""

    prompt: int
    generated: int


@dataclass(frozen=True, slots=True)
class Predictions:
    """By task id; `notes` for a person. A task without an answer counts as an error."""

    answers: Mapping[str, Predicted]
    notes: tuple[str, ...] = ()
    tokens: Mapping[str, TokenCount] = field(default_factory=dict)


def placed(task_id: str, lines: Sequence[int]) -> str:
    """An id with the lines on which it stands; 0 is a line that nobody knows."""
    known = [str(line) for line in lines[:NAMED] if line]
    return f"{task_id} (line {', '.join(known)})" if known else task_id
