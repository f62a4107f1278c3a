"""The shipped LegalSearch tasks follow from the fictional statute book, by machine where that can be."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from store.pack import Pack
from store.statutes.book import ArticleFound, StatuteBook
from store.statutes.model import Article, ArticleNumber
from store.text.citation import citations, parse_number
from tasks.legalsearch.questions import LawQuestion, load_questions, options
from tasks.legalsearch.settings import KINDS

LEAST = {
    "lar": 24, "kqa": 12, "lap": 12, "ccp": 12, "ptp": 12, "lca": 12, "lcs": 12, "cpa": 8, "pae": 8, "nje": 8,
    "ungee": 8,
    "lbk": 8, "pfe": 8,
}  # fmt: skip


@pytest.fixture(scope="module")
def pack(sample_built: Path) -> Iterator[Pack]:
    with Pack.open(sample_built) as opened:
        yield opened


@pytest.fixture(scope="module")
def book(pack: Pack) -> StatuteBook:
    return StatuteBook(pack)


@pytest.fixture(scope="module")
def questions(pack: Pack) -> list[LawQuestion]:
    path = pack.task_file("legalsearch")
    assert path is not None
    return load_questions(path)


@pytest.fixture(scope="module")
def tasks(pack: Pack) -> list[dict[str, Any]]:
    path = pack.task_file("legalsearch")
    assert path is not None
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def on(book: StatuteBook, law: str, number: ArticleNumber | None, day: date) -> Article:
    """The article in force on a day."""
    assert number is not None
    found = book.on(law, number, day)
    assert isinstance(found, ArticleFound), (law, number, day)
    return found.article


def basis(book: StatuteBook, task: dict[str, Any]) -> list[Article]:
    """The articles in force that a task follows from."""
    return [
        on(book, one["law"], parse_number(one["article"]), date.fromisoformat(one["day"])) for one in task["basis"]
    ]


def test_counts(questions: list[LawQuestion]) -> None:
    counts = Counter(question.kind.id for question in questions)
    assert set(counts) == set(KINDS) and all(counts[kind] >= least for kind, least in LEAST.items())
    assert len(questions) == 235 and len({question.text for question in questions}) == 235
    pairs = Counter(question.gold.pair for question in questions if question.gold.pair)
    assert set(pairs.values()) == {2} and sum(name.startswith("sample-travel") for name in pairs) >= 24


def test_nothing_leaks_and_nothing_is_real_law(questions: list[LawQuestion], tasks: list[dict[str, Any]]) -> None:
    for question in questions:
        assert set(question.card) == {"id", "type", "question", "system_prompt", "system_prompt_cot", "task_prompt",
                                      "deepresearch_task_prompt"}  # fmt: skip
        shown = "".join(map(str, question.card.values()))
        assert "中华人民共和国" not in shown and "中国" not in shown and "{" not in shown
    assert "岚洲" in tasks[0]["system_prompt"]


def test_two_dates_change_nothing_but_the_date(tasks: list[dict[str, Any]]) -> None:
    halves: dict[str, list[dict[str, Any]]] = {}
    for task in tasks:
        if "pair" in task:
            halves.setdefault(task["pair"], []).append(task)
    for first, second in halves.values():
        assert first["answer"] != second["answer"] and first["type"] == second["type"]
        assert options(first["question"]) == options(second["question"])
    golds = [task["answer"] for pair in halves.values() for task in pair if task["id"].startswith("sample-travel")]
    assert max(Counter(golds).values()) < 0.4 * len(golds) and set(golds) == set("ABCD")


def test_recitals_are_the_book(tasks: list[dict[str, Any]], book: StatuteBook) -> None:
    for task in tasks:
        if task["type"] == "lar":
            (cited,) = citations(task["question"])
            article = on(book, str(cited.law), cited.number, date.fromisoformat(task["day"]))
            title = f"【{article.title}】" if article.title else ""
            assert task["answer"] == f"{title}{article.text}"


def test_every_basis_was_in_force(tasks: list[dict[str, Any]], book: StatuteBook) -> None:
    based = [task for task in tasks if "basis" in task]
    assert len(based) == len(tasks) - 28 - 12
    assert all(article.text for task in based for article in basis(book, task))
