"""The statute book: an article on a day, the answers beside a text, timelines, identical rebuilds; and two packs that
become one."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import combining
from store.builder import PackBuilder
from store.combining import combine
from store.errors import BadInput, DamagedData, NotFound
from store.pack import Pack
from store.search.channels import Articles
from store.search.law_search import LawSearch
from store.search.query import LawQuery
from store.statutes.book import ArticleFound, Gap, NoText, NotYetInForce, RepealedArticle, StatuteBook, UnknownArticle
from store.statutes.comparing import articles_of, compare
from store.statutes.model import Article, ArticleNumber, Law, LawVersion, Link
from store.statutes.names import aliases_of
from store.statutes.timeline import followed, timeline, wording
from store.text.difference import beside, clauses, difference
from tests.support.statute_fixture import KITES, LAMPS, TEXTS, articles, build, lamp_versions, number, plain


@pytest.fixture(scope="module")
def book(lamps: Pack) -> StatuteBook:
    return StatuteBook(lamps)


def make(name: str, **more: object) -> PackBuilder:
    return PackBuilder(name, jurisdiction="XX", source="", licence="", coverage="complete", as_of="", **more)  # type: ignore[arg-type]


def test_the_answers_beside_a_text(book: StatuteBook) -> None:
    before = book.on(LAMPS, number("1"), date(1989, 12, 31))
    assert isinstance(before, NotYetInForce) and before.first.label == LAMPS and before.current is None
    inserted = book.on(LAMPS, number("4-1"), date(1995, 1, 1))
    assert isinstance(inserted, NotYetInForce) and inserted.current is not None
    assert inserted.first.label.endswith("(2000修正)")
    removed = book.on(LAMPS, number("4-1"), date(2011, 1, 1))
    assert isinstance(removed, RepealedArticle) and removed.last.label.endswith("(2000修正)")
    (link,) = removed.successors
    assert (link.to_number, link.inferred) == (ArticleNumber(6), True)
    ended = book.on("风筝法", number("2"), date(1995, 1, 1))
    assert isinstance(ended, RepealedArticle) and ended.successors[0].to_law == LAMPS and ended.article is not None
    gap = book.on(LAMPS, number("3"), date(2009, 12, 31))
    assert isinstance(gap, Gap) and gap.before and gap.after and gap.article_before and gap.article_after
    assert (gap.first, gap.last) == (date(2009, 12, 31), date(2009, 12, 31))
    wordless = book.on(KITES, number("1"), date(1985, 1, 1))
    assert isinstance(wordless, NoText) and wordless.article is not None
    assert book.on("风车法", number("1"), date(1985, 1, 1)) == UnknownArticle("law", "风车法", (KITES,))
    assert book.on(LAMPS, number("99"), date(1995, 1, 1)) == UnknownArticle("article", LAMPS)


def test_the_text_is_that_of_the_version_in_force(book: StatuteBook) -> None:
    edges = {day for version, _ in lamp_versions() for day in (version.valid_from, version.valid_to) if day}
    for day in [edge + timedelta(days=days) for edge in edges for days in (-400, -1, 0, 1, 400)]:
        for key in ("1", "2", "3", "4-1", "8", "9", "9-2"):
            answer = book.on("路灯法", number(key), day)
            listed = [a.text for v, own in lamp_versions() if v.covers(day) for a in own if a.number == number(key)]
            assert [answer.article.text] == listed if isinstance(answer, ArticleFound) else listed == [], (day, key)


def test_a_timeline_follows_a_renumbered_article(book: StatuteBook) -> None:
    entries = timeline(book, LAMPS, number("3"), date(1995, 1, 1))
    assert [(e.article.number.key if e.article else None, e.change) for e in entries] == [
        ("3", "first"), ("3", "changed"), ("4", "same"),
    ]  # fmt: skip
    assert entries[2].link is not None and entries[2].link.inferred and not any(e.uncertain for e in entries)
    assert wording(entries, entries[2].version.label) == (date(2000, 1, 1), None)
    back = timeline(book, LAMPS, number("4"))
    assert [e.article.number.key if e.article else None for e in back] == ["3", "3", "4"]
    new = timeline(book, LAMPS, number("2"))
    changes = [(e.article.number.key if e.article else None, e.change) for e in new]
    assert changes == [(None, "absent"), (None, "absent"), ("2", "first")]
    assert timeline(book, "风车法", number("1")) == []


def test_states(book: StatuteBook) -> None:
    today = date(2026, 1, 1)
    assert [book.state(version, today) for version in book.versions(LAMPS)] == ["amended", "amended", "in_force"]
    assert book.state(book.versions(KITES)[0], today) == "repealed"
    assert book.state(book.versions(LAMPS)[2], date(2005, 1, 1)) == "not_yet"


def test_a_number_that_no_article_has_is_found_when_a_book_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    number = ArticleNumber(10**17)
    listed = [Article("甲法", "甲法", number, text="甲。")]
    with make("p") as builder:
        builder.add_law(Law("甲法"))
        with pytest.raises(BadInput, match="is no article number"):
            builder.add_version(LawVersion("甲法", "甲法", date(2000, 1, 1), None), listed)
        monkeypatch.setattr("store.statutes.tables.LARGEST", number.number)  # as another program may write it
        builder.add_version(LawVersion("甲法", "甲法", date(2000, 1, 1), None), listed)
    with Pack.open("p") as pack, pytest.raises(DamagedData, match="numbers no article"):
        StatuteBook(pack)


def test_a_law_listed_as_ended_although_in_force_is_a_gap() -> None:
    law = "中华人民共和国民法通则"
    with make("p") as builder:
        builder.add_law(Law(law))
        builder.add_version(
            LawVersion(law, law, date(1987, 1, 1), date(2017, 9, 30)), articles(law, law, {"1": "甲"})
        )
    with Pack.open("p") as pack:
        answer = StatuteBook(pack).on("民通", number("1"), date(2018, 5, 1))
    assert isinstance(answer, Gap) and answer.after is None and "第一千二百六十条" in answer.basis
    assert answer.last == date(2020, 12, 31)


def test_before_a_revised_version_there_was_law() -> None:
    law = "甲法"
    with make("p") as builder:
        builder.add_law(Law(law))
        revised = LawVersion(law, "甲法(2018修正)", date(2018, 10, 26), None)
        builder.add_version(revised, articles(law, revised.label, {"1": "甲。"}))
    with Pack.open("p") as pack:
        answer = StatuteBook(pack).on(law, number("1"), date(2010, 1, 1))
    assert isinstance(answer, Gap) and (answer.before, answer.first, answer.last) == (None, None, date(2018, 10, 25))


def test_where_versions_overlap_the_later_one_answers() -> None:
    with make("p") as builder:
        builder.add_law(Law("甲法"))
        for label, first in (("甲法1", date(2000, 1, 1)), ("甲法2", date(2005, 1, 1))):
            builder.add_version(LawVersion("甲法", label, first, None), articles("甲法", label, {"1": label}))
    with Pack.open("p") as pack:
        answer = StatuteBook(pack).on("甲法", number("1"), date(2010, 1, 1))
    assert isinstance(answer, ArticleFound) and answer.version.label == "甲法2"
    assert [version.label for version in answer.others] == ["甲法1"]


def test_a_pack_without_statutes_has_none() -> None:
    with make("p"):
        pass
    with Pack.open("p") as pack:
        book = StatuteBook(pack)
        assert book.laws() == [] and book.law("刑法") is None and book.links("刑法") == []
        assert pack.counts()["statutes"] == 0 and pack.manifest.embedder is None
        assert not (pack.path / "articles").exists() and Articles(pack).rank("bm25", LawQuery("路灯"), None, 5) == []
        with pytest.raises(NotFound, match="no statutes"):
            LawSearch(pack)
        assert (
            pack.reader.all("SELECT name FROM sqlite_schema WHERE name IN ('laws', 'articles', 'law_versions')") == []
        )


def test_the_order_of_adding_does_not_show() -> None:
    hashes = set()
    for turned in (False, True):
        with make("p") as builder:
            for law in ("乙法", "甲法") if turned else ("甲法", "乙法"):
                builder.add_law(Law(law), ["别名", law])
                versions = [(f"{law}{year}", date(year, 1, 1)) for year in (1990, 1991)]
                for label, first in reversed(versions) if turned else versions:
                    version = LawVersion(law, label, first, first.replace(month=12))
                    for _ in range(2):
                        builder.add_version(version, articles(law, label, {"1": "甲", "2": None}))
        with Pack.open("p") as pack:
            hashes.add(pack.hash)
            assert pack.counts()["statutes"] == 8
            assert len(StatuteBook(pack).named("别名")) == 2 and StatuteBook(pack).law("别名") is None
    assert len(hashes) == 1


def test_what_contradicts_itself_is_refused() -> None:
    version = LawVersion("甲法", "甲法", date(2000, 1, 1), None)
    with pytest.raises(BadInput, match="was not added"), make("p") as builder:
        builder.add_version(version, [])
    with pytest.raises(BadInput, match="two ways"), make("p") as builder:
        builder.add_law(Law("甲法"))
        builder.add_law(Law("甲法", level="法律"))
    with pytest.raises(BadInput, match="before it begins"), make("p") as builder:
        builder.add_law(Law("甲法"))
        builder.add_version(LawVersion("甲法", "甲法", date(2000, 1, 1), date(1999, 1, 1)), [])
    for other in (LawVersion("甲法", "甲法", date(2001, 1, 1), None), version):
        with pytest.raises(BadInput, match="given twice"), make("p") as builder:
            builder.add_law(Law("甲法"))
            builder.add_version(version, articles("甲法", "甲法", {"1": "甲"}))
            builder.add_version(other, articles("甲法", "甲法", {"1": "乙"}))
    with pytest.raises(BadInput, match="does not belong"), make("p") as builder:
        builder.add_law(Law("甲法"))
        builder.add_version(version, [Article("乙法", "乙法", ArticleNumber(1))])


@given(st.text("甲乙丙丁。\n", max_size=40), st.text("甲乙丙丁。\n", max_size=40))
def test_a_difference_holds_both_texts(old: str, new: str) -> None:
    pieces = difference(old, new)
    assert "".join(p.text for p in pieces if p.kind != "added") == old
    assert "".join(p.text for p in pieces if p.kind != "removed") == new
    assert all(piece.text for piece in pieces)
    assert all(one.kind != other.kind for one, other in zip(pieces, pieces[1:], strict=False))


@given(st.text("甲乙丙丁。；\n", max_size=40), st.text("甲乙丙丁。；\n", max_size=40))
def test_clauses_beside_each_other_hold_both_texts(old: str, new: str) -> None:
    left, right = clauses(old), clauses(new)
    assert ("".join(left), "".join(right)) == (old, new)
    rows = beside(left, right)
    assert [n for row in rows for n in row.old] == list(range(len(left)))
    assert [n for row in rows for n in row.new] == list(range(len(right)))
    assert "".join(p.text for row in rows for p in row.pieces if p.kind != "added") == old


def test_a_clause_that_was_split_stands_beside_its_parts() -> None:
    old = clauses("管理人应当每年检查路灯一次并公布检查结果。罚款五十元。")
    new = clauses("管理人应当每年检查路灯一次。管理人并公布检查结果。罚款一百五十元。")
    rows = beside(old, new)
    assert [(row.old, row.new, row.kind) for row in rows] == [((0,), (0, 1), "changed"), ((1,), (2,), "changed")]
    assert [p.text for p in rows[1].pieces if p.kind != "same"] == ["五十元", "一百五十元"]


def test_what_is_gone_stands_beside_what_came_in_its_place() -> None:
    rows = beside(
        clauses("甲方付款。（四）汇往境外的；"), clauses("甲方付款。（四）跨境转移资产，情节严重的；末款。")
    )
    assert [(row.old, row.new, row.kind) for row in rows] == [
        ((0,), (0,), "same"), ((1,), (1,), "changed"), ((), (2,), "added"),
    ]  # fmt: skip
    assert [piece.kind for piece in rows[1].pieces] == ["removed", "added"]


DUTY = "路灯的管理人应当在每年十月前更换老化的灯具和线路。"
RULE = "设置路灯的单位应当把竣工图纸交给照明主管机关保存。"
SHARED = "违反前款规定的，由照明主管机关责令改正，可以并处罚款。"


def test_one_article_is_followed_into_several_and_several_into_one() -> None:
    rest = [f"{text}第{n}款另有规定的除外。" for n, text in enumerate(TEXTS, 1)]
    before = plain([rest[0], f"{rest[1]}{DUTY}{SHARED}", f"{rest[2]}{SHARED}", rest[3], RULE, rest[5]])
    after = plain([rest[0], rest[1], f"{rest[2]}{SHARED}", f"{rest[3]}{RULE}", f"{DUTY}{SHARED}", rest[5]])
    with make("split") as builder:
        builder.add_law(Law(LAMPS, "路灯法", "法律", "authored"), aliases_of(LAMPS))
        for label, texts, window in (
            (LAMPS, before, (date(1990, 1, 1), date(1999, 12, 31))),
            (f"{LAMPS}(2000修正)", after, (date(2000, 1, 1), None)),
        ):
            builder.add_version(LawVersion(LAMPS, label, *window), articles(LAMPS, label, texts))
        builder.add_link(Link("renumbered", LAMPS, number("5"), LAMPS, None, date(2000, 1, 1), "test"))
        builder.finish()
    with Pack.open("split") as pack:
        book = StatuteBook(pack)
        old, new = book.versions(LAMPS)

        def named(key: str) -> tuple[list[str], list[str]]:
            following, _ = followed(book, number(key), old, new)
            here = book.article(LAMPS, old.label, number(key))[0]
            there = book.article(LAMPS, new.label, following)[0] if following else None
            found = compare(book, (old, here), (new, there))
            return [a.number.key for a in articles_of(found.old)], [a.number.key for a in articles_of(found.new)]

        assert named("2") == (["2"], ["2", "5"])
        assert named("4") == (["4", "5"], ["4"])
        assert named("5") == (["5"], ["4"])
        # A clause that several articles share says nothing of where it went.
        assert named("3") == (["3"], ["3"])


def test_long_texts_are_compared_by_paragraph() -> None:
    old = "\n".join(f"第{n}段" for n in range(6000))
    new = old.replace("第77段", "第七十七段")
    assert [piece.kind for piece in difference(old, new)] == ["same", "removed", "added", "same"]


def quiet(part: str, done: int, total: int | None) -> None: ...


def other(name: str = "other", *, jurisdiction: str = "XX", provenance: str = "authored") -> Path:
    """The first version of the lamps with another wording, a version that overlaps, a text the kites lacked, a law
    more."""
    with PackBuilder(
        name, jurisdiction=jurisdiction, source="test", licence="", coverage="complete", as_of="2020-01-01"
    ) as builder:
        builder.add_law(Law(LAMPS, "路灯法", "法律", provenance), ("灯法",))  # type: ignore[arg-type]
        version, listed = lamp_versions()[0]
        changed = replace(listed[2], text="路灯的高度不得低于五米，不得高于十三米。")
        builder.add_version(version, [*listed[:2], changed, *listed[3:]])
        within = LawVersion(LAMPS, f"{LAMPS}(1995修正)", date(1995, 1, 1), date(1996, 1, 1))
        builder.add_version(within, articles(LAMPS, within.label, {"1": TEXTS[0]}))
        builder.add_law(Law(KITES, "风筝法", "法律", "authored"))
        kites = LawVersion(KITES, KITES, date(1980, 1, 1), date(1988, 12, 31))
        builder.add_version(kites, articles(KITES, KITES, {"1": "放风筝，应当避开电线。", "2": "风筝不得高于路灯。"}))
        builder.add_law(Law("中华人民共和国陀螺法", "陀螺法", "法律", "authored"))
        tops = LawVersion("中华人民共和国陀螺法", "中华人民共和国陀螺法", date(2001, 1, 1), None)
        builder.add_version(tops, articles(tops.law, tops.label, {"1": "陀螺不得在车行道上抽打。"}))
        return builder.finish()


@pytest.mark.slow
def test_versions_of_the_first_texts_of_the_second_and_every_difference_counted() -> None:
    build()
    other()
    with Pack.open("lamps") as first, Pack.open("other") as second:
        path = combine(first, second, "both", quiet)
        hashes = [(pack.name, pack.hash) for pack in (first, second)]
        refuse(first, second)
    report = json.loads((path / combining.REPORT).read_text(encoding="utf-8"))
    with Pack.open("both") as both:
        assert [(part.name, part.hash) for part in both.manifest.parts] == hashes
        book = StatuteBook(both)
        assert [(one.text, one.text_source) for one in book.articles(KITES, KITES)] == [
            ("放风筝，应当避开电线。", "other"), ("风筝不得高于路灯。", "lamps"),
        ]  # fmt: skip
        assert next(v for v in book.versions(KITES)).valid_to == date(1989, 12, 31), "the first wins"
        third = next(one for one in book.articles(LAMPS, LAMPS) if one.number == number("3"))
        assert third.text == TEXTS[2] and third.text_source == "lamps"
        assert [version.label for version in book.versions(LAMPS)] == [v.label for v, _ in lamp_versions()]
        assert book.versions("中华人民共和国陀螺法")[0].source == "other"
    assert report["precedence"] == combining.PRECEDENCE
    counts = report["counts"]
    assert (counts["texts_filled"], counts["versions_of_second"], counts["articles_left_out"]) == (1, 1, 1)
    conflicts = {kind: found["n"] for kind, found in report["conflicts"].items()}
    assert conflicts == {"texts": 1, "windows": 1, "version_overlaps": 1}
    assert "十二米" in report["conflicts"]["texts"]["examples"][0]


def refuse(first: Pack, second: Pack) -> None:
    """What cannot be one pack is refused and leaves nothing."""
    other("abroad", jurisdiction="YY")
    other("real", provenance="imported")
    with Pack.open("abroad") as abroad, Pack.open("real") as real:
        for one, two, name, said in (
            (first, first, "x", "same pack"),
            (first, abroad, "x", "jurisdictions"),
            (first, real, "x", "authored"),
            (first, second, "other", "one of the packs"),
            (first, second, "both", "exists"),
        ):
            with pytest.raises(BadInput, match=said):
                combine(one, two, name, quiet)
    assert not (first.path.parent / "x").exists()
