"""Reciprocal rank fusion: rankings of several channels become one, without comparing their scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

CONSTANT = 60
"""The usual damping of RRF: how much the first ranks outweigh the next ones."""


def fuse(rankings: Sequence[Sequence[int]]) -> list[tuple[int, float]]:
    """Row ids with their fused scores, best first; equal scores by row id."""
    scores: dict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, number in enumerate(ranking, 1):
            scores[number] += 1 / (CONSTANT + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
