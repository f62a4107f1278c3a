"""Scores of court episodes: what an attempt earned, and the block of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tasks.courts.questions import CourtQuestion
from tasks.scoring.context import ScoreContext
from tasks.scoring.grader import Grading
from tasks.scoring.result import Result, Score


def score_one(question: CourtQuestion, result: Result, context: ScoreContext) -> list[Score]:
    """The scores of one attempt."""
    return []


def gradings(question: CourtQuestion, result: Result) -> Sequence[Grading]:
    """What graders are asked about an attempt."""
    return ()


def score_block(
    run: str, questions: Sequence[CourtQuestion], results: Sequence[Result], context: ScoreContext
) -> dict[str, Any]:
    """The score block of a run."""
    outcomes = Counter(result.outcome for result in results)
    return {"run": run, "benchmark": "courts", "n": len(results), "outcomes": dict(outcomes), "compat": {}, "strict": {}}
