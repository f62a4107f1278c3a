"""Examinations as a benchmark: one question, one answer, no tools. Tasks come from packs of `moot data import
lawbench` and its like."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from models.engine import Ask, Message
from store.journal import ScoreRow
from store.pack import Pack
from tasks.benchmark import Choices, OneSeat
from tasks.episode.actions import Answer, Move, Steps, ask
from tasks.episode.program import Program
from tasks.episode.seats import Policy, View
from tasks.episode.state import State
from tasks.episode.with_tools import ToolEpisode
from tasks.errors import UsageError
from tasks.exams.questions import Question, load_questions
from tasks.exams.scoring import score_one, summarise
from tasks.legalsearch.predictions import read_predictions
from tasks.run.spec import RunSpec
from tasks.scoring.context import NOTHING, ScoreContext
from tasks.scoring.metrics import Summary
from tasks.scoring.result import Predicted, Predictions, Result

DIRECT = "exam-direct/1"


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


class GoldPolicy:
    """Recites the gold answer, by explicit grant."""

    name = "exam-gold/1"

    def __init__(self, granted: Mapping[str, str]) -> None:
        self._granted = granted

    def move(self, view: View) -> Move:
        """The answer."""
        yield from ()
        return Answer(self._granted[str(view.card["id"])])


class Exams(OneSeat):
    """Tasks of LawBench, LexEval and DISC-Law-Eval, whichever a pack or a task file holds."""

    name = "exams"
    agents: Choices = {
        "direct": (DIRECT, True),
        "human": ("human/1", False),
        "gold": ("exam-gold/1", False),
        "echo": ("echo/1", False),
    }
    turns = 1

    def load(self, path: Path) -> list[Question]:
        """The questions of a task file."""
        return load_questions(path)

    def program(self, pack: Pack, questions: Sequence[Question], spec: RunSpec) -> Program:
        """Every policy that may sit in the seat; gold is granted to `gold` alone. No tools."""
        gold = {question.id: question.answer for question in questions}
        others: dict[str, Callable[[], Policy]] = {DIRECT: ExamPolicy, "exam-gold/1": lambda: GoldPolicy(gold)}
        return ToolEpisode(self.policies(pack, {}, others), _no_tool, spec.max_turns)

    def score_rows(
        self, attempt: int, question: Question, result: Result, context: ScoreContext = NOTHING
    ) -> list[ScoreRow]:
        """The score of one attempt, for the journal."""
        return [score.row(attempt) for score in score_one(question, result)]

    def predictions(self, questions: Sequence[Question], path: Path, tokens: Path | None = None) -> Predictions:
        """Lines of {"index": …, "response": …}."""
        if tokens is not None:
            raise UsageError("exams has no token files", "Leave --tokens out.")
        known = {question.id for question in questions}
        rows = {one.id: Predicted(one.response, one.response) for one in read_predictions(path) if one.id in known}
        return Predictions(rows)

    def summary(
        self, run: str, questions: Sequence[Question], results: Sequence[Result], context: ScoreContext = NOTHING
    ) -> Summary:
        """What a run came to."""
        return summarise(run, questions, results)
