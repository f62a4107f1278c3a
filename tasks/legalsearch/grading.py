"""Consultations before the grader: is the advice right, and is the legal basis right (paper §4.1, two halves of a
point)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tasks.agents.prompts import fill
from tasks.episode.plain import plain_text
from tasks.legalsearch.answers import strict_answer
from tasks.legalsearch.questions import Question
from tasks.scoring.grading import Grading
from tasks.scoring.result import Result

PROMPT = "grader-consultation/1"
LONGEST = 6000
"""Characters of an answer that a grader reads."""
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "reason": {"type": "string", "minLength": 1, "maxLength": 300},
        "answer_correct": {"type": "boolean"},
        "basis_correct": {"type": "boolean"},
    },
    "required": ["reason", "answer_correct", "basis_correct"],
    "additionalProperties": False,
}


def grading_of(question: Question, result: Result) -> Grading | None:
    """What a grader is asked about an answer; None for the tasks that rules score, and where there is no answer."""
    given = strict_answer(result.res)
    if question.kind.form != "consultation" or not result.scored or not given:
        return None
    text = fill(PROMPT, question=question.text, gold=question.gold.answer, given=given[:LONGEST])
    return Grading(PROMPT, text, SCHEMA, _read, {"answer": None, "basis": None})


def _read(value: Mapping[str, Any]) -> tuple[dict[str, float | None], dict[str, object]]:
    verdicts: dict[str, float | None] = {
        "answer": float(value["answer_correct"]),
        "basis": float(value["basis_correct"]),
    }
    return verdicts, {"reason": plain_text(str(value["reason"]))}
