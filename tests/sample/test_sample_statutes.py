"""The fictional statute book through time: sizes, windows, what amendments did, and that nothing is at odds with
itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from store.pack import Pack
from store.statutes.book import Found, NotYet, Repealed, StatuteBook
from store.statutes.check import check
from store.statutes.model import ArticleNumber
from store.statutes.timeline import timeline
from store.text.citation import citations
from store.text.dates import parse_date
from tasks.sample.build import make_world
from tasks.sample.lawhistory import HistoryBook, histories, number_of, statute_count
from tasks.sample.statutebook import articles, laws

pytestmark = pytest.mark.slow

PROCEDURE = "岚洲民事诉讼与执行法"


@pytest.fixture(scope="module")
def book(sample_built: Path) -> Iterator[StatuteBook]:
    with Pack.open(sample_built) as pack:
        yield StatuteBook(pack)


def test_the_book_has_no_fault(book: StatuteBook) -> None:
    assert list(check(book)) == []


def test_sizes(book: StatuteBook) -> None:
    found = histories()
    assert [len(history.versions) for history in found] == [4, 4, 4, 4, 4, 5, 6, 4, 2, 2, 2, 2, 3, 3]
    distinct = {(history.law.name, one.number) for history in found for v in history.versions for one in v.articles}
    assert len(distinct) == 589 and statute_count() == 2313
    assert book.counts() == {"laws": 14, "versions": 49, "articles": 2313, "texts": 2313}
    assert {law.provenance for law in book.laws()} == {"authored"}


def test_the_newest_text_is_that_of_the_corpus(book: StatuteBook) -> None:
    for law in laws():
        label = book.versions(law.title)[-1].label
        now = [(one.number.number, one.number.sub, one.chapter, one.text) for one in book.articles(law.title, label)]
        assert now == [(one.number, 0, one.chapter, one.text) for one in law.articles]
    assert sum(1 for _ in articles()) == 264


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
    answer = book.on(law, number_of(key), date.fromisoformat(day))
    assert isinstance(answer, Found) and answer.article.text and words in answer.article.text


def test_inserted_deleted_and_repealed(book: StatuteBook) -> None:
    assert isinstance(book.on("岚洲刑法典", ArticleNumber(47, 1), date(2019, 4, 30)), NotYet)
    assert isinstance(book.on("岚洲刑法典", ArticleNumber(47, 1), date(2019, 5, 1)), Found)
    assert isinstance(book.on("岚洲公司组织法", ArticleNumber(7, 1), date(2016, 9, 30)), NotYet)
    assert isinstance(book.on("岚洲公司组织法", ArticleNumber(7, 1), date(2024, 1, 1)), Repealed)
    ended = book.on("岚洲合同条例", ArticleNumber(29), date(2017, 1, 1))
    assert isinstance(ended, Repealed) and [link.to_law for link in ended.successors] == ["岚洲合同法典"]
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


def test_every_amendment_changed_something_and_is_named(book: StatuteBook) -> None:
    acts = Counter(
        one.amended_by
        for history in histories()
        for version in history.versions
        for one in version.articles
        if one.amended_by
    )
    amendments = sum(len(history.versions) - 1 for history in histories())
    assert len(acts) == amendments and all(
        re.fullmatch(r"关于修改《岚洲.+》的决定（\d{4}年\d+月\d+日）", act) for act in acts
    )
    for history in histories():
        for old, new in zip(history.versions, history.versions[1:], strict=False):
            assert {(a.number, a.title, a.text) for a in old.articles} != {
                (a.number, a.title, a.text) for a in new.articles
            }


def test_references_to_other_articles_resolve(book: StatuteBook) -> None:
    """What an article cites by number stood in the book on the days of its version."""
    seen = 0
    for history in histories():
        for version in history.versions:
            for article in version.articles:
                text = article.text or ""
                for cited in citations(text):
                    law = cited.law or history.law.name
                    assert version.version.valid_from
                    later = max(version.version.valid_from, book.versions(law)[0].valid_from or date.min)
                    assert isinstance(book.on(law, cited.number, later), Found), (article.law, article.number, text)
                    seen += 1
    assert seen == 16


def test_judgments_cite_what_was_in_force_and_still_reads_so() -> None:
    """The rows of the pack were written with today's numbers: a judgment of 2017 must have found the same words
    there."""
    book, rows = HistoryBook(), make_world().rows
    days = {row["案号"]: parse_date(str(row["日期"])) for row in rows["LegalDoc"]}
    seen = 0
    for row in (*rows["LegalDoc"], *rows["LegalAbstract"]):
        day = days[row["案号"]]
        for cited in citations(" ".join(map(str, row.values()))):
            if cited.law and day:
                newest = book.on(cited.law, cited.number, date(2024, 12, 31))
                assert book.on(cited.law, cited.number, day).text == newest.text, (row["案号"], cited)
                seen += 1
    assert seen > 500


def test_nothing_names_real_law() -> None:
    for history in histories():
        for version in history.versions:
            for article in version.articles:
                assert "中华人民共和国" not in (article.text or "") and "中国" not in (article.text or "")
                assert (article.text or "").endswith("。") and "。。" not in (article.text or "")
