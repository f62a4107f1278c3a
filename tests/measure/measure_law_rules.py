"""The policy of rules for LegalSearch on the development half of the published questions: recitals as in force on the
day, and at least what the best constant answer reaches in every other task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from store.combining import combine
from store.importers import silent
from store.pack import Pack
from tasks.legalsearch.coverage import Coverage
from tasks.legalsearch.published import answer_score
from tasks.legalsearch.questions import LawQuestion, load_questions
from tasks.legalsearch.scoring import constant
from tasks.registry import importer
from tests.legalsearch.test_legalsearch_tools import Table

EXAMS = frozenset({"nje", "ungee", "lbk"})
"""Tasks that ask for laws of which the collection of versions has no text."""


def asked(folder: Path) -> list[LawQuestion]:
    return [q for name in ("evaluation_dev", "ood_dev") for q in load_questions(folder / f"{name}.jsonl")]


def mean(table: Table, questions: Iterable[LawQuestion]) -> float:
    scores = [answer_score(q.kind.id, table.play(q.card).res, q.gold.answer) for q in questions]
    return 100 * sum(score or 0.0 for score in scores) / len(scores)


def below_constant(table: Table, questions: Iterable[LawQuestion]) -> dict[str, tuple[float, float]]:
    """Task -> its mean and the one of its best constant answer, where the first is less."""
    tasks = defaultdict(list)
    for question in questions:
        tasks[question.kind.id].append(question)
    floors = {task: constant(own, "compat") for task, own in tasks.items()}
    found = {task: (mean(table, tasks[task]), floor[0]) for task, floor in floors.items() if floor}
    return {task: pair for task, pair in found.items() if pair[0] < pair[1] - 1e-9}


def test_recitals_and_constant_answers(data: Callable[..., Path], moot_home: Path) -> None:
    folder = data("legalsearch_r1")
    importer("legalsearch")(folder, "statutes", silent)
    questions = asked(folder)
    recitals = [question for question in questions if question.kind.id == "lar"]
    with Pack.open("statutes") as statutes:
        covered = Coverage(statutes).covered(recitals)
        known = [question for question in recitals if question.id in covered]
        rates = {window: mean(Table(statutes, window=window), known) for window in ("on", "off", "newest")}
        assert rates["on"] >= 98.5 and rates["off"] <= rates["on"] and rates["newest"] < rates["on"]
        rest = [question for question in questions if question.kind.id not in {"lar", "lcs", *EXAMS}]
        assert below_constant(Table(statutes), rest) == {}


def test_examinations_beside_the_laws_in_force(data: Callable[..., Path], moot_home: Path) -> None:
    folder = data("legalsearch_r1")
    importer("legalsearch")(folder, "statutes", silent)
    importer("law-markdown")(data("laws"), "laws", silent)
    with Pack.open("statutes") as statutes, Pack.open("laws") as laws:
        combine(statutes, laws, "both", silent)
    with Pack.open("both") as both:
        assert below_constant(Table(both), [q for q in asked(folder) if q.kind.id in EXAMS]) == {}
