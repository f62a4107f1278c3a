"""Scores of examinations, by the metric of their task: shares from 0 to 1 for the journal, points for tables.

Only strict: every metric reads the answer as a fair examiner would. The published programs of the suites cut answers
by patterns of their own and are not reproduced here, so there is no compat figure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

from store.text.normalise import fold_width
from tasks.exams.questions import Question, gold_letters
from tasks.legalsearch.answers import letters, strict_answer, term
from tasks.legalsearch.measures import log_distance
from tasks.legalsearch.published import character_f1, recital, rouge_l
from tasks.scoring.metrics import POINTS, Group, Measure, Metric, Summary, Tally, complete, in_points
from tasks.scoring.result import Result, Score
from tasks.scoring.statistics import mean_interval

VERSION = "exams-strict/1"
FLAGS = ("leak", "length", "human")
LONGEST = math.log(216)
"""The log distance at which nothing is left of a term (LawBench)."""

_HEAD = re.compile(r"^[^:：;；。]{1,16}[:：]")
_BETWEEN = re.compile(r"[;；、,，\n]")


def _bare(text: str) -> str:
    """An answer without the words before its colon and the stop at its end."""
    return recital(_HEAD.sub("", fold_width(text).strip())).rstrip("。.;")


def _items(text: str) -> frozenset[str]:
    return frozenset(
        part
        for one in _BETWEEN.split(_HEAD.sub("", fold_width(text).strip()))
        if (part := recital(one).rstrip("。."))
    )


def _accuracy(question: Question, said: str) -> float:
    if gold_letters(question.answer):
        return float(letters(said, question.options) == frozenset(question.answer))
    return float(_bare(said) == _bare(question.answer))


def _f1(question: Question, said: str) -> float:
    first, second = _items(said), _items(question.answer)
    return 2 * len(first & second) / (len(first) + len(second)) if first and second else 0.0


def _months(question: Question, said: str) -> float:
    given, wanted = term(_bare(said)), term(_bare(question.answer))
    if given is None or wanted is None or given.months is None or wanted.months is None:
        return float(given is not None and given == wanted)
    return max(0.0, 1 - log_distance(given.months, wanted.months) / LONGEST)


SCORERS: Mapping[str, Callable[[Question, str], float]] = {
    "accuracy": _accuracy,
    "f1": _f1,
    "months": _months,
    "characters": lambda question, said: character_f1(said, question.answer),
    "rouge_l": lambda question, said: rouge_l(said, question.answer, 1.0),
}
STRICT = Measure("strict", "all", unit=POINTS)


def score(question: Question, result: Result) -> float | None:
    """The score of an answer from 0 to 1; None where the machinery failed."""
    return SCORERS[question.metric](question, strict_answer(result.res)) if result.scored else None


def score_one(question: Question, result: Result) -> list[Score]:
    """The score of one attempt for the journal."""
    settings = {"outcome": result.outcome, "metric": question.metric}
    said = [{"read": strict_answer(result.res), "gold": question.answer}]
    return [Score("strict", VERSION, settings, {"score": score(question, result)}, said)]


def summarise(run: str, questions: Sequence[Question], results: Sequence[Result]) -> Summary:
    """What a run came to: a group a task of a suite, and the plain mean of the groups."""
    known = {question.id: question for question in questions}
    rated = [(known[one.task_id], one) for one in complete(questions, results)]
    groups, rows = [], []
    for name in dict.fromkeys(question.group for question in questions):
        own = [(question, result) for question, result in rated if question.group == name]
        asked = [question for question, _ in own]
        metric = asked[0].metric
        group = Group(name, (f"{name}（{metric}）", f"{name} ({metric})"), len(own), len({one.id for one in asked}))
        groups.append(group)
        rows.append(_row(group, own, _constant(asked)))
    there = [row.value for row in rows if row.value is not None]
    whole = Group("all", ("平均", "Mean"), None, whole=True)
    mean = math.fsum(there) / len(there) if there else None
    rows.append(Metric(STRICT, whole, mean, sum(row.n for row in rows), main=True))
    tally = Tally.of([result for _, result in rated], FLAGS)
    return Summary(run, "exams", tally, [*groups, whole], rows, {"strict": VERSION}, across="rules")


def _row(group: Group, own: Sequence[tuple[Question, Result]], floor: float) -> Metric:
    """The figure of a task; its bounds count what the machinery broke as wrong and as right."""
    scored = [(value, question.id) for question, result in own if (value := score(question, result)) is not None]
    values, clusters = [value for value, _ in scored], [cluster for _, cluster in scored]
    total, n = math.fsum(values), len(own)
    return Metric(
        STRICT, group, 100 * total / len(values) if values else None, len(values),
        in_points(mean_interval(values, clusters)) if values else None, {"floor": floor, "reference": 100.0},
        (100 * total / n, 100 * (total + n - len(values)) / n), main=True,
    )  # fmt: skip


def _constant(questions: Sequence[Question]) -> float:
    """What the best constant answer earns among the golds that occur most often."""
    golds = sorted(
        {question.answer for question in questions},
        key=lambda gold: (-sum(q.answer == gold for q in questions), gold),
    )
    earned = (math.fsum(SCORERS[one.metric](one, gold) for one in questions) / len(questions) for gold in golds[:16])
    return 100 * max(earned, default=0.0)
