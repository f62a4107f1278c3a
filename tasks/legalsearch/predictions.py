"""Prediction rows as the published metrics script reads them: data_source, prompt, reward_model, index, response.

Rows are matched to tasks by index, never by position. A row's own gold is not used for scores, only compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from models.schema import object_schema
from store.errors import BadInput
from store.importers.reading import read_each
from tasks.agents.prompts import fill
from tasks.episode.plain import plain_text
from tasks.legalsearch.answers import strict_answer
from tasks.legalsearch.questions import LawQuestion
from tasks.scoring.result import NAMED, Grading, Result, last_of_each


@dataclass(frozen=True, slots=True)
class LawPrediction:
    """One response. `response` is the whole trajectory or the bare answer; `gold` is what the row says ('' for
    nothing)."""

    id: str
    kind: str
    response: str
    gold: str = ""
    line: int = field(default=0, compare=False)
    """Where it stands in its file."""


def read_predictions(path: Path) -> list[LawPrediction]:
    """All rows of a prediction file, in order, duplicates included; `BadInput` names file, lines and fields."""
    found = read_each(path, _prediction, str(path))
    if not found:
        raise BadInput(
            f"{path}: no predictions in it", 'Give lines of {"data_source": …, "index": …, "response": "…"}.'
        )
    return found


def _prediction(label: str, line: int, fields: dict[str, Any]) -> LawPrediction:
    where = f"{label}, line {line}"
    task_id = fields.get("index", fields.get("id"))
    if isinstance(task_id, bool) or not isinstance(task_id, int | str) or not str(task_id).strip():
        raise BadInput(f"{where}: field 'index' is missing", "A prediction has data_source, index and response.")
    response = fields.get("response")
    if not isinstance(response, str):
        raise BadInput(f"{where}: field 'response' is missing or no text", 'An empty answer is written as "".')
    kind, model = fields.get("data_source", ""), fields.get("reward_model")
    if not isinstance(kind, str):
        raise BadInput(f"{where}: field 'data_source' is no text", "It names the task, such as lar.")
    gold = model.get("ground_truth", model.get("answer", "")) if isinstance(model, dict) else ""
    return LawPrediction(
        plain_text(str(task_id)).strip(),
        kind.strip().lower(),
        plain_text(response),
        plain_text(gold).strip() if isinstance(gold, str) else "",
        line,
    )


def match(
    questions: Sequence[LawQuestion], predictions: Sequence[LawPrediction]
) -> tuple[list[Result], tuple[str, ...]]:
    """The rows as results, one a task (the last counts), and what a person should know about the rest."""
    known = {question.id: question for question in questions}
    chosen, twice, strangers = last_of_each(known, ((one.id, one.line, one) for one in predictions))
    missing = [task_id for task_id in known if task_id not in chosen]
    other = [
        one.id for one in chosen.values() if (one.gold and one.gold != known[one.id].gold.answer)
        or (one.kind and one.kind != known[one.id].kind.id)
    ]  # fmt: skip
    notes = [
        f"{text} ({len(ids)}): {', '.join(ids[:NAMED])}{' …' if len(ids) > NAMED else ''}"
        for text, ids in (
            ("answered more than once, the last one counts", twice),
            ("no task of this id, left out", strangers),
            ("no answer, count as errors", missing),
            ("type or gold differs from the task file, which is used", other),
        )
        if ids
    ]
    return [Result(one.id, "finished", one.response, one.response) for one in chosen.values()], tuple(notes)


PROMPT = "grader-consultation/1"
LONGEST = 6000
"""Characters of an answer that a grader reads."""
SCHEMA = object_schema(
    {
        "reason": {"type": "string", "minLength": 1, "maxLength": 300},
        "answer_correct": {"type": "boolean"},
        "basis_correct": {"type": "boolean"},
    }
)


def grading_of(question: LawQuestion, result: Result) -> Grading | None:
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
