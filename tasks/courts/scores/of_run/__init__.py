"""Scores of court episodes: what an attempt earned, what graders are asked about it, and the rows of a run.

Scores of attempts are shares from 0 to 1, those of a run go from 0 to 100. What needs a grader and has none is
missing and says why; it is never 0.
"""

from __future__ import annotations

from tasks.courts.scores.of_run.rating import gradings
from tasks.courts.scores.of_run.rows import score_one
from tasks.courts.scores.of_run.summary import CourtSummary, summarise

__all__ = ["CourtSummary", "gradings", "score_one", "summarise"]
