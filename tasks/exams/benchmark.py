"""Examinations as a benchmark: one question, one answer, no tools. Tasks come from packs of `moot data import
lawbench` and its like, and say by which metric an answer is scored: shares from 0 to 1 for the journal, points for
tables.

Only strict: every metric reads the answer as a fair examiner would. The published programs of the suites cut answers
by patterns of their own and are not reproduced here, so there is no compat figure.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from models.engine import Ask, Message
from store.journal import ScoreRow
from store.pack import Pack
from store.text.normalise import fold_width
from tasks.agents.policies import GoldPolicy
from tasks.benchmark import Benchmark, Choices
from tasks.episode.seats import Answer, Move, Policy, Program, Steps, View, ask
from tasks.episode.state import State
from tasks.episode.with_tools import ToolEpisode
from tasks.errors import UsageError
from tasks.legalsearch.answers import letters, strict_answer, term
from tasks.legalsearch.measures import log_distance
from tasks.legalsearch.predictions import read_predictions
from tasks.legalsearch.published import character_f1, recital, rouge_l
from tasks.legalsearch.questions import options as listed
from tasks.run.spec import RunSpec
from tasks.scoring.metrics import POINTS, AttemptCounts, Group, Measure, Metric, Summary, in_points
from tasks.scoring.result import (
    NOTHING,
    PredictedAnswer,
    Predictions,
    Result,
    Score,
    ScoreContext,
    ScoredAttempt,
    complete,
    with_versions,
)
from tasks.scoring.statistics import mean_interval
from tasks.task_files import Fields, TaskRecord, read_tasks

_LETTERS = re.compile(r"(?:(?:正确)?答案\s*[:：]?\s*)?([A-J](?:[\s,，、;；]*[A-J])*)[\s。.]*")


@dataclass(frozen=True, slots=True)
class ExamQuestion:
    """One task. metric: see `metrics.toml`; options: letter -> text, {} where there are none."""

    id: str
    card: dict[str, Any]
    answer: str
    metric: str
    options: Mapping[str, str]

    @property
    def group(self) -> str:
        """Suite and task."""
        return f"{self.card['suite']}/{self.card['type']}"

    @property
    def cluster(self) -> str:
        """Each is a draw of its own."""
        return self.id


@cache
def _metrics() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(Path(__file__).with_name("metrics.toml").read_text(encoding="utf-8"))


def gold_letters(answer: str) -> str:
    """The letters of a gold answer, sorted; '' where it is none of letters."""
    match = _LETTERS.fullmatch(answer.strip())
    return "".join(sorted(set(re.findall("[A-J]", match[1])))) if match else ""


def load_questions(path: Path) -> list[ExamQuestion]:
    """All tasks of a file, in its order; errors as `read_tasks` has them."""
    return [question for _, _, question in read_tasks(path, _question)]


def _question(where: str, fields: Fields) -> ExamQuestion:
    item = TaskRecord(where, fields)
    read = {name: item.text(name).strip() for name in ("id", "suite", "task", "question", "answer")}
    letters, shown = gold_letters(read["answer"]), listed(read["question"])
    letters = letters if set(letters) <= set(shown or "ABCDEFGHIJ") else ""
    known = _metrics().get(read["suite"], {}).get(read["task"])
    metric = known or ("accuracy" if letters else "rouge_l")
    card = {"id": read["id"], "type": read["task"], "suite": read["suite"], "question": read["question"]}
    return ExamQuestion(
        read["id"], card, letters or read["answer"], metric, (shown or dict.fromkeys(letters and "ABCDEFGHIJ", ""))
    )


VERSIONS = {"strict": "exams-strict/1"}
"""Of its scorer."""
FLAGS = ("leak", "length", "repetition", "human")
LONGEST = math.log(216)
"""The log distance at which nothing is left of a term (LawBench)."""

_HEAD = re.compile(r"^[^:：;；。]{1,16}[:：]")
_BETWEEN = re.compile(r"[;；、,，\n]")


def _bare(text: str) -> str:
    return recital(_HEAD.sub("", fold_width(text).strip())).rstrip("。.;")


def _items(text: str) -> frozenset[str]:
    return frozenset(
        part
        for one in _BETWEEN.split(_HEAD.sub("", fold_width(text).strip()))
        if (part := recital(one).rstrip("。."))
    )


def _accuracy(question: ExamQuestion, said: str) -> float:
    if gold_letters(question.answer):
        return float(letters(said, question.options) == frozenset(question.answer))
    return float(_bare(said) == _bare(question.answer))


def _f1(question: ExamQuestion, said: str) -> float:
    first, second = _items(said), _items(question.answer)
    return 2 * len(first & second) / (len(first) + len(second)) if first and second else 0.0


def _months(question: ExamQuestion, said: str) -> float:
    given, wanted = term(_bare(said)), term(_bare(question.answer))
    if given is None or wanted is None or given.months is None or wanted.months is None:
        return float(given is not None and given == wanted)
    return max(0.0, 1 - log_distance(given.months, wanted.months) / LONGEST)


SCORERS: Mapping[str, Callable[[ExamQuestion, str], float]] = {
    "accuracy": _accuracy,
    "f1": _f1,
    "months": _months,
    "characters": lambda question, said: character_f1(said, question.answer),
    "rouge_l": lambda question, said: rouge_l(said, question.answer, 1.0),
}
STRICT = Measure("strict", "all", unit=POINTS)


def score_one(question: ExamQuestion, result: Result) -> list[Score]:
    """The score of one attempt for the journal, from 0 to 1; None where the machinery failed."""
    settings, answer = {"outcome": result.outcome, "metric": question.metric}, strict_answer(result.res)
    value = SCORERS[question.metric](question, answer) if result.scored else None
    return [
        Score("strict", VERSIONS["strict"], settings, {"score": value}, [{"read": answer, "gold": question.answer}])
    ]


def summarise(run: str, questions: Sequence[ExamQuestion], attempts: Iterable[ScoredAttempt]) -> Summary:
    """What a run came to: a group a task of a suite, and the plain mean of the groups."""
    known = {question.id: question for question in questions}
    versions: dict[str, str] = {}
    rated = [
        (known[one.result.task_id], one.light()) for one in complete(questions, with_versions(attempts, versions))
    ]
    groups, rows = [], []
    for name in dict.fromkeys(question.group for question in questions):
        own = [(question, one) for question, one in rated if question.group == name]
        asked = [question for question, _ in own]
        metric = asked[0].metric
        group = Group(name, (f"{name}（{metric}）", f"{name} ({metric})"), len(own), len({one.id for one in asked}))
        groups.append(group)
        rows.append(_row(group, own, _constant(asked)))
    there = [row.value for row in rows if row.value is not None]
    whole = Group("all", ("平均", "Mean"), None, whole=True)
    mean = math.fsum(there) / len(there) if there else None
    rows.append(Metric(STRICT, whole, mean, sum(row.n for row in rows), main=True))
    tally = AttemptCounts.of([one.result for _, one in rated], FLAGS)
    return Summary(run, "exams", tally, [*groups, whole], rows, versions, across="rules")


def _row(group: Group, own: Sequence[tuple[ExamQuestion, ScoredAttempt]], floor: float) -> Metric:
    """The figure of a task; its bounds count what the machinery broke as wrong and as right."""
    scored = [
        (value, question.id) for question, one in own if (value := one.values("strict").get("score")) is not None
    ]
    values, clusters = [value for value, _ in scored], [cluster for _, cluster in scored]
    total, n = math.fsum(values), len(own)
    return Metric(
        STRICT, group, 100 * total / len(values) if values else None, len(values),
        in_points(mean_interval(values, clusters)) if values else None, {"floor": floor, "reference": 100.0},
        (100 * total / n, 100 * (total + n - len(values)) / n), main=True,
    )  # fmt: skip


def _constant(questions: Sequence[ExamQuestion]) -> float:
    """What the best constant answer earns among the golds that occur most often."""
    golds = sorted(
        {question.answer for question in questions},
        key=lambda gold: (-sum(q.answer == gold for q in questions), gold),
    )
    earned = (math.fsum(SCORERS[one.metric](one, gold) for one in questions) / len(questions) for gold in golds[:16])
    return 100 * max(earned, default=0.0)


DIRECT, GOLD = "exam-direct/1", "exam-gold/1"


def _no_tool(state: State, tool: str, given: object) -> Steps:
    """No tool is offered, so a call of one is a step without anything."""
    yield from ()


class ExamPolicy:
    """Puts the question to the model as the suite words it, and takes the reply as the answer."""

    name = DIRECT

    def move(self, view: View) -> Move:
        """The answer."""
        reply = yield from ask(Ask(view.seat, (Message("user", str(view.card["question"])),), DIRECT))
        return Answer(reply.text)


class Exams(Benchmark):
    """Tasks of LawBench, LexEval and DISC-Law-Eval, whichever a pack or a task file holds."""

    name = "exams"
    agents: Choices = {
        "direct": (DIRECT, True),
        "human": ("human/1", False),
        "gold": (GOLD, False),
        "echo": ("echo/1", False),
    }
    turns = 1
    scorers = VERSIONS

    def load(self, path: Path) -> list[ExamQuestion]:
        """The questions of a task file."""
        return load_questions(path)

    def program(self, pack: Pack, questions: Sequence[ExamQuestion], spec: RunSpec) -> Program:
        """Every policy that may sit in the seat; gold is granted to `gold` alone. No tools."""
        gold = {question.id: question.answer for question in questions}
        others: dict[str, Callable[[], Policy]] = {
            DIRECT: ExamPolicy,
            GOLD: lambda: GoldPolicy(GOLD, gold),
        }
        return ToolEpisode(self.policies(pack, {}, others), _no_tool, spec.max_turns)

    def score_rows(
        self, attempt: int, question: ExamQuestion, result: Result, context: ScoreContext = NOTHING
    ) -> list[ScoreRow]:
        """The score of one attempt, for the journal."""
        return [score.row(attempt) for score in score_one(question, result)]

    def predictions(self, questions: Sequence[ExamQuestion], path: Path, tokens: Path | None = None) -> Predictions:
        """Lines of {"index": …, "response": …}."""
        if tokens is not None:
            raise UsageError("exams has no token files", "Leave --tokens out.")
        known = {question.id for question in questions}
        rows = {
            one.id: PredictedAnswer(one.response, one.response) for one in read_predictions(path) if one.id in known
        }
        return Predictions(rows)

    def summary(
        self,
        run: str,
        questions: Sequence[ExamQuestion],
        attempts: Iterable[ScoredAttempt],
        context: ScoreContext = NOTHING,
    ) -> Summary:
        """What a run came to."""
        return summarise(run, questions, attempts)
