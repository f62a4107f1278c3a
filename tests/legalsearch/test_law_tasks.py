"""The shipped LegalSearch tasks and the fictional web follow from the fictional statute book, by machine where that
can be: what a page says about a law is what the book says of that day, or marked as wrong."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from store.importers.web.pages import front_matter
from store.pack import Pack
from store.statutes.book import ArticleFound, StatuteBook
from store.statutes.model import Article, ArticleNumber
from store.text.citation import citations, parse_number
from store.web import Page
from tasks.legalsearch.questions import LawQuestion, load_questions, options
from tests.support.web_pages import pages_of


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


FOLDER = Path(str(files("tasks.sample").joinpath("data/web")))


@dataclass(frozen=True)
class Claim:
    """Words that a page says an article has on a day."""

    law: str
    number: str
    words: str
    day: date


@dataclass(frozen=True)
class Stated:
    """What the top of a page's file says for tests: claims that are right, and wrong, and what sort of page it is."""

    url: str
    states: tuple[Claim, ...]
    wrong: tuple[Claim, ...]
    kind: str


def claims(written: str, stated: str) -> Iterator[Claim]:
    """LAW ARTICLE WORDS [@DAY] | …; the day is that of the page where none is written."""
    for one in filter(None, (part.strip() for part in written.split("|"))):
        said, _, other = one.partition(" @")
        law, number, words = said.split(" ", 2)
        yield Claim(law, number, words, date.fromisoformat(other or stated))


@pytest.fixture(scope="module")
def files_of() -> dict[str, Stated]:
    """File name -> what its top says."""
    found = {}
    for path in sorted(FOLDER.glob("*.md")):
        fields, _ = front_matter(path.read_text(encoding="utf-8"))
        states, wrong = (tuple(claims(fields.get(key, ""), fields.get("date", ""))) for key in ("states", "wrong"))
        found[path.stem] = Stated(fields["url"], states, wrong, fields["kind"])
    return found


@pytest.fixture(scope="module")
def pages(pack: Pack) -> list[Page]:
    return list(pages_of(pack))


def says(book: StatuteBook, claim: Claim, day: date | None = None) -> bool:
    number = parse_number(claim.number)
    assert number is not None
    found = book.on(claim.law, number, day or claim.day)
    return isinstance(found, ArticleFound) and claim.words in (found.article.text or "")


def test_what_pages_state_is_what_the_statutes_said(book: StatuteBook, files_of: dict[str, Stated]) -> None:
    assert [claim for page in files_of.values() for claim in page.states if not says(book, claim)] == []
    wrong = [claim for page in files_of.values() for claim in page.wrong]
    assert all(says(book, Claim(claim.law, claim.number, "", claim.day)) for claim in wrong)
    assert [claim for claim in wrong if says(book, claim)] == []


def test_every_page_says_that_it_is_fictional_and_names_no_real_place(pages: list[Page]) -> None:
    for page in pages:
        assert page.text.endswith("本页为评测编写，岚洲及其法律、机构、人物均不存在。") and "虚构数据：" in page.text
        assert (urlsplit(page.url).hostname or "").endswith(".example"), page.url
        assert not re.search(r"中华人民共和国|兰州|最高人民法院|民法典|https?://(?!\S*\.example)", page.text), (
            page.url
        )
    assert len({page.url for page in pages}) == len({page.title for page in pages}) == len(pages)
