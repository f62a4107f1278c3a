"""The rows of a journal as plain frozen values, for whoever writes or reads one. Times are seconds since the
epoch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MOST_REPEATS = 10_000
"""Repeats of a task in one run, far more than anybody waits for: figures stand by repeat, so their number is
bounded."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One event row. `seq` counts from 0 in its attempt."""

    attempt: int
    seq: int
    step: int
    parent: int | None
    at: float
    tag: str
    data: Any


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """One episode: a task at an epoch, from 0 and below MOST_REPEATS. `position` is its place in the run, from 0."""

    id: str
    position: int
    task_id: str
    epoch: int = 0


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One attempt at an episode; `number` counts from 1, `reason` says why it was begun."""

    id: int
    episode: str
    number: int
    reason: str
    at: float


@dataclass(frozen=True, slots=True)
class Grown:
    """An attempt and how many events it has."""

    attempt: int
    episode: str
    events: int


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One score: append-only, so re-scoring and human edits never disturb the record."""

    attempt: int
    scorer: str
    version: str
    settings: Any
    value: Any
    evidence: Any
    author: str
    at: float = 0.0
