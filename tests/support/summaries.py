"""Summaries of results, made as a run makes them: every result is scored, its rows pass through JSON, and are summed
up."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from tasks.courts.casefile.questions import CourtQuestion
from tasks.courts.scores import score as courts
from tasks.courts.scores import summary as court_runs
from tasks.legalagentbench import scoring as lab
from tasks.legalsearch import scoring as law
from tasks.scoring.result import Result, Score, ScoreContext, ScoredAttempt, newest


def stored(
    score: Callable[[Any, Result], Sequence[Score]], questions: Iterable[Any], results: Iterable[Result]
) -> list[ScoredAttempt]:
    """The results with the rows that the journal would give back."""
    known = {question.id: question for question in questions}
    made = []
    for result in results:
        scores = score(known[result.task_id], result) if result.task_id in known else ()
        rows = [one.row(0) for one in scores]
        parts = [json.loads(json.dumps([row.settings, row.value, row.evidence])) for row in rows]
        read = [replace(row, settings=s, value=v, evidence=e) for row, (s, v, e) in zip(rows, parts, strict=True)]
        made.append(ScoredAttempt(result, newest(read)))
    return made


def lab_summary(run: str, questions: Sequence[Any], results: Iterable[Result]) -> lab.LabSummary:
    """Of LegalAgentBench."""
    return lab.summarise(run, questions, stored(lab.score_one, questions, results))


def law_summary(
    run: str, questions: Sequence[Any], results: Iterable[Result], evidence: law.Evidence = law.NOTHING
) -> law.LawSummary:
    """Of LegalSearch."""
    rows = stored(lambda question, result: law.score_one(question, result, evidence), questions, results)
    return law.summarise(run, questions, rows, evidence)


def court_summary(
    run: str, questions: Sequence[CourtQuestion], results: Iterable[Result], context: ScoreContext
) -> court_runs.CourtSummary:
    """Of the courts."""
    rows = stored(lambda question, result: courts.score_one(question, result, context), questions, results)
    return court_runs.summarise(run, questions, rows, context)
