"""The fictional statute book through time: sizes, windows, what amendments did, and that nothing is at odds with
itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from store.pack import Pack
from store.statutes.book import ArticleFound, NotYetInForce, RepealedArticle, StatuteBook
from store.statutes.check import check
from store.statutes.model import Article, ArticleNumber
from store.statutes.timeline import timeline
from store.text.citation import citations, parse_number
from store.text.dates import parse_date
from tasks.sample.build import rows

pytestmark = pytest.mark.slow

PROCEDURE = "岚洲民事诉讼与执行法"


@pytest.fixture(scope="module")
def book(sample_built: Path) -> Iterator[StatuteBook]:
    with Pack.open(sample_built) as pack:
        yield StatuteBook(pack)


@pytest.fixture(scope="module")
def histories(book: StatuteBook) -> list[list[tuple[Article, ...]]]:
    """The articles of each version of each law, oldest first."""
    return [
        [tuple(book.articles(law.name, version.label)) for version in book.versions(law.name)] for law in book.laws()
    ]


def test_the_book_has_no_fault(book: StatuteBook) -> None:
    assert list(check(book)) == []


def test_sizes(book: StatuteBook) -> None:
    assert book.counts() == {"laws": 14, "versions": 49, "articles": 2313, "texts": 2313}
    assert {law.provenance for law in book.laws()} == {"authored"}


def test_windows_join_and_only_predecessors_end(book: StatuteBook) -> None:
    for law in book.laws():
        versions = book.versions(law.name)
        for old, new in zip(versions, versions[1:], strict=False):
            assert old.valid_to and old.valid_to + timedelta(days=1) == new.valid_from
        assert all(one.adopted and one.valid_from and one.adopted < one.valid_from for one in versions)
        ended = versions[-1].valid_to is not None
        assert ended == any(link.kind == "succeeded" and link.from_law == law.name for link in book.links(law.name))
    ended_laws = [link for law in book.laws() for link in book.links(law.name) if link.from_law == law.name]
    assert sum(link.kind == "succeeded" for link in ended_laws) == 4


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


def test_every_amendment_changed_something_and_is_named(histories: list[list[tuple[Article, ...]]]) -> None:
    every = [article for versions in histories for articles in versions for article in articles]
    acts = {article.amended_by for article in every if article.amended_by}
    assert len(acts) == sum(len(versions) - 1 for versions in histories)
    assert all(re.fullmatch(r"关于修改《岚洲.+》的决定（\d{4}年\d+月\d+日）", act) for act in acts)
    for versions in histories:
        said = [{(one.number, one.title, one.text) for one in articles} for articles in versions]
        assert all(old != new for old, new in zip(said, said[1:], strict=False))


def test_references_to_other_articles_resolve(book: StatuteBook, histories: list[list[tuple[Article, ...]]]) -> None:
    """What an article cites by number stood in the book on the days of its version."""
    seen = 0
    begins = {(v.law, v.label): v.valid_from for law in book.laws() for v in book.versions(law.name)}
    for article in (article for versions in histories for articles in versions for article in articles):
        text = article.text or ""
        assert "中国" not in text and "中华人民共和国" not in text and text.endswith("。") and "。。" not in text
        for cited in citations(text):
            law, begin = cited.law or article.law, begins[article.law, article.label]
            assert begin
            later = max(begin, book.versions(law)[0].valid_from or date.min)
            assert isinstance(book.on(law, cited.number, later), ArticleFound), (article.law, article.number, text)
            seen += 1
    assert seen == 16


def test_judgments_cite_what_was_in_force_and_still_reads_so(book: StatuteBook) -> None:
    """The rows of the pack were written with today's numbers: a judgment of 2017 must have found the same words
    there."""
    documents = list(rows("LegalDoc"))
    days = {row["案号"]: parse_date(str(row["日期"])) for row in documents}
    seen = 0
    for row in (*documents, *rows("LegalAbstract")):
        day = days[row["案号"]]
        for cited in citations(" ".join(map(str, row.values()))):
            if cited.law and day:
                newest, then = (book.on(cited.law, cited.number, one) for one in (date(2024, 12, 31), day))
                assert isinstance(newest, ArticleFound) and isinstance(then, ArticleFound)
                assert then.article.text == newest.article.text, (row["案号"], cited)
                seen += 1
    assert seen > 500
