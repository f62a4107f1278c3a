"""Reciprocal rank fusion: rankings of several channels become one, without comparing their scores.

Score of a row: the sum of weight / (constant + rank) over the channels that rank it (Cormack, Clarke, Buettcher 2009;
the weights as in LegalSearch-R1). Equal scores are ordered by row id.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from store.tables import beside

USUAL = 60
"""The usual damping of RRF: how much the first ranks outweigh the next ones."""

_CHOSEN = beside(__package__, "fusion")

CONSTANT: int = _CHOSEN["constant"]
"""The damping of a law search: a channel that is sure of its first articles is heard."""

FUSION: dict[str, float] = _CHOSEN["weights"]
"""Weights of the channels of a law search, chosen on questions; an article that is named exactly stands before all
others."""


def fuse(rankings: Sequence[Sequence[int]]) -> list[tuple[int, float]]:
    """Row ids with their fused scores, best first; equal scores by row id."""
    return _fused([(ranking, 1.0) for ranking in rankings], USUAL)


def fuse_weighted(
    rankings: Mapping[str, Sequence[int]], weights: Mapping[str, float], constant: float
) -> list[tuple[int, float]]:
    """Row ids with their fused scores, best first; a channel without a weight counts once."""
    return _fused([(ranking, weights.get(channel, 1.0)) for channel, ranking in rankings.items()], constant)


def _fused(rankings: Sequence[tuple[Sequence[int], float]], constant: float) -> list[tuple[int, float]]:
    scores: dict[int, float] = defaultdict(float)
    for ranking, weight in rankings:
        for rank, number in enumerate(ranking, 1):
            scores[number] += weight / (constant + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
