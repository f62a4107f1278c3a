"""Scores of court episodes: what an attempt earned, what graders are asked about it, and the block of a run.

Scores of attempts are shares from 0 to 1, those of a block run from 0 to 100. What needs a grader and has none is missing
and says why; it is never 0.
"""

from __future__ import annotations

from tasks.courts.scores.of_run.block import score_block
from tasks.courts.scores.of_run.gradings import gradings
from tasks.courts.scores.of_run.rows import score_one

__all__ = ["gradings", "score_block", "score_one"]
