"""REA: the reasons of a judgment against the gold's, by points without a grader.

A point is made where a run of clauses shares enough character pairs with it (F1 of at least 0.6), or where one sentence
holds that share of it: gold points are short words for long reasons. `narrow` counts the first way alone. Even the gold
text does not make all points this way, so a figure says little without its ceiling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.courts.scores.bigrams import LONGEST, POINT, bigrams, f1, makes_point, passages


@dataclass(frozen=True, slots=True)
class Point:
    """One point of the gold: how near the reasons come to it (F1), and whether they make it."""

    text: str
    f1: float
    made: bool


@dataclass(frozen=True, slots=True)
class ReasonScore:
    """Shares of the points that are made, and each of them; None where the gold lists no points."""

    value: float | None
    narrow: float | None
    points: tuple[Point, ...]


def score_reasons(reason: str, points: Sequence[str]) -> ReasonScore:
    """Which points the reasons of a judgment make."""
    runs = list(passages(reason[:LONGEST]))
    found = []
    for point in points:
        wanted = bigrams(point)
        nearest = max((f1(wanted, run) for run in runs), default=0.0)
        found.append(Point(point, nearest, makes_point(point, reason)))
    if not found:
        return ReasonScore(None, None, ())
    narrow = sum(point.f1 >= POINT for point in found) / len(found)
    return ReasonScore(sum(point.made for point in found) / len(found), narrow, tuple(found))
