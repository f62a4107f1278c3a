"""The fictional statute book through time: nothing is at odds with itself, and each day has its words."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from store.pack import Pack
from store.statutes.book import ArticleFound, NotYetInForce, RepealedArticle, StatuteBook
from store.statutes.check import check
from store.statutes.model import ArticleNumber
from store.statutes.timeline import timeline
from store.text.citation import parse_number

pytestmark = pytest.mark.slow

PROCEDURE = "岚洲民事诉讼与执行法"


@pytest.fixture(scope="module")
def book(sample_built: Path) -> Iterator[StatuteBook]:
    with Pack.open(sample_built) as pack:
        yield StatuteBook(pack)


def test_the_book_has_no_fault(book: StatuteBook) -> None:
    assert list(check(book)) == []


@pytest.mark.parametrize(
    ("law", "key", "day", "words"),
    [
        ("岚洲民事通则", "29", "2018-06-30", "诉讼时效期间为三年"),
        ("岚洲民事通则", "29", "2018-07-01", "诉讼时效期间为四年"),
        ("岚洲合同法典", "81", "2021-12-31", "连带责任保证"),
        ("岚洲合同法典", "81", "2022-01-01", "一般保证"),
        ("岚洲合同法典", "30", "2020-01-01", "百分之三十"),
        ("岚洲合同条例", "29", "2008-12-31", "四倍"),
        ("岚洲刑法典", "78", "2000-01-01", "价值八百元以上"),
        ("岚洲刑法典", "92", "2005-01-01", "赃物"),
        ("岚洲专利法", "28", "2019-01-01", "外观设计专利权的期限为十二年"),
        (PROCEDURE, "17-1", "2016-06-01", "十五日内起诉"),
        (PROCEDURE, "21", "2018-06-01", "三十日内起诉"),
    ],
)
def test_what_an_article_said_on_a_day(book: StatuteBook, law: str, key: str, day: str, words: str) -> None:
    answer = book.on(law, parse_number(key) or ArticleNumber(0), date.fromisoformat(day))
    assert isinstance(answer, ArticleFound) and answer.article.text and words in answer.article.text


def test_inserted_deleted_and_repealed(book: StatuteBook) -> None:
    assert isinstance(book.on("岚洲刑法典", ArticleNumber(47, 1), date(2019, 4, 30)), NotYetInForce)
    assert isinstance(book.on("岚洲刑法典", ArticleNumber(47, 1), date(2019, 5, 1)), ArticleFound)
    assert isinstance(book.on("岚洲公司组织法", ArticleNumber(7, 1), date(2016, 9, 30)), NotYetInForce)
    assert isinstance(book.on("岚洲公司组织法", ArticleNumber(7, 1), date(2024, 1, 1)), RepealedArticle)
    ended = book.on("岚洲合同条例", ArticleNumber(29), date(2017, 1, 1))
    assert isinstance(ended, RepealedArticle) and [link.to_law for link in ended.successors] == ["岚洲合同法典"]
    titles = [
        book.article("岚洲刑法典", one.label, ArticleNumber(92))[0].title for one in book.versions("岚洲刑法典")
    ]
    assert titles == ["窝赃销赃罪"] * 2 + ["掩饰犯罪所得罪"] * 4


def test_renumbering_leads_from_the_old_number_to_the_new(book: StatuteBook) -> None:
    links = {link.from_number: link.to_number for link in book.links(PROCEDURE) if link.kind == "renumbered"}
    assert len(links) == 36 and links[ArticleNumber(33)] == ArticleNumber(38)
    assert links[ArticleNumber(36, 1)] == ArticleNumber(44)
    old, new = book.versions(PROCEDURE)[1:3]
    for before, after in links.items():
        assert before and after
        was, now = (book.article(PROCEDURE, v.label, n)[0] for v, n in ((old, before), (new, after)))
        assert was.chapter == now.chapter
    assert not any(link.inferred for link in book.links(PROCEDURE))
    changes = [entry.change for entry in timeline(book, PROCEDURE, ArticleNumber(38))]
    assert changes == ["first", "changed", "changed", "same", "same"]
