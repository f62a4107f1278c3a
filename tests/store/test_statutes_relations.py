"""Relations of laws: the doubt about a rule whose law has ended, counterparts in the law that followed, the shipped
index of real laws."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import pytest

from store.builder import PackBuilder
from store.pack import Pack
from store.search.law_search import LawSearch, SearchSettings
from store.search.references import following
from store.statutes.book import StatuteBook
from store.statutes.check import check_law
from store.statutes.counterparts import counterparts
from store.statutes.model import Article, ArticleNumber, Law, LawVersion, Link
from store.statutes.names import aliases_of
from store.statutes.shipped import as_of, indexed_laws, listed_laws, numbers_of
from tests.support.statute_fixture import KITES, LAMPS, articles, number

ON_LAMPS = "最高人民法院关于适用《中华人民共和国路灯法》的解释"
BEGAN, ENDED, LATER = date(2000, 1, 1), date(2009, 12, 31), date(2015, 6, 1)


def made(laws: Sequence[tuple[str, date | None]], texts: dict[str, str] | None = None, as_of: str = "") -> Pack:
    """An open pack of laws with a last day each, one article each."""
    with PackBuilder(
        "related", jurisdiction="XX", source="", licence="", coverage="complete", as_of=as_of
    ) as builder:
        for name, last in laws:
            level = "法律" if name.startswith("中华人民共和国") else "司法解释"
            builder.add_law(Law(name, "", level, "authored"), aliases_of(name))
            text = (texts or {}).get(name, "路灯的高度不得低于五米。")
            builder.add_version(LawVersion(name, name, BEGAN, last), articles(name, name, {"1": text}))
        builder.finish()
    return Pack.open("related")


@pytest.mark.parametrize(("last", "state"), [(ENDED, "doubtful"), (None, "in_force")])
def test_an_interpretation_is_doubted_with_its_law(last: date | None, state: str) -> None:
    with made([(LAMPS, last), (ON_LAMPS, None)]) as pack:
        book = StatuteBook(pack)
        (version,) = book.versions(ON_LAMPS)
        assert [(one.kind, one.other) for one in book.relations.of(ON_LAMPS)] == [("interprets", LAMPS)]
        assert book.state(version, LATER) == state
        assert book.state(version, ENDED) == "in_force"


@pytest.mark.parametrize(("first", "partly"), [("路灯法", True), ("风筝法", None)])
def test_the_law_named_first_decides_where_others_still_apply(first: str, partly: bool | None) -> None:
    other = "风筝法" if first == "路灯法" else "路灯法"
    name = "最高人民法院关于审理路灯纠纷案件若干问题的规定"
    text = f"根据《中华人民共和国{first}》《中华人民共和国{other}》，制定本规定。"
    with made([(LAMPS, ENDED), ("中华人民共和国风筝法", None), (name, None)], {name: text}) as pack:
        book = StatuteBook(pack)
        doubt = book.doubt(book.versions(name)[0], LATER)
        assert (doubt and doubt.partly) == partly
        found = [finding.sure for finding in check_law(book, name) if finding.kind == "parent_ended"]
        assert found == (["possible"] if partly else [])


def test_circles_of_relations_end() -> None:
    first, second = "路灯管理规定", "路灯安全规定"
    texts = {first: f"根据《{second}》，制定本规定。", second: f"根据《{first}》，制定本规定。"}
    with made([(first, None), (second, None)], texts) as pack:
        relations = StatuteBook(pack).relations
        assert {(one.law, one.other) for law in (first, second) for one in relations.of(law)} == {
            (first, second),
            (second, first),
        }
        assert relations.doubt(first) is None


def test_the_end_of_the_data_is_told_of_the_day_asked_alone() -> None:
    with made([(LAMPS, None)], as_of="2020-01-01") as pack:
        search, today = LawSearch(pack), SearchSettings(today=date(2026, 1, 1))
        notes = [search.search(said, today).notes for said in ("2015年6月1日路灯的高度", "路灯的高度")]
    assert ["as_of:2020-01-01" in one for one in notes] == [False, True]


HEADINGS = ("立法目的", "路灯的设置许可", "路灯的高度", "禁止攀爬", "年度检查", "损坏修复", "施行日期")
WORDS = (
    "为了规范路灯的设置，制定本法。",
    "本法所称照明，是指公共场所的夜间照明。",
    "设置路灯应当经过主管机关许可。",
    "路灯的高度不得低于六米。",
    "禁止任何人攀爬路灯。",
    "主管机关进行年度检查并公布结果。",
    "路灯损坏的，应当及时修复。",
    "本法自公布之日起施行。",
)
FOLLOWED = date(2000, 1, 1)


def _old(texts: bool = False) -> list[Article]:
    words = [WORDS[0], *WORDS[2:]]
    return [
        Article(
            KITES,
            KITES,
            number(str(place)),
            title="" if texts else heading,
            text=text if texts else None,
            position=place,
        )
        for place, (heading, text) in enumerate(zip(HEADINGS, words, strict=True), 1)
    ]


def _new() -> list[Article]:
    return articles(LAMPS, LAMPS, {str(place): text for place, text in enumerate(WORDS, 1)})


def test_headings_and_texts_lead_to_the_article_that_followed() -> None:
    wanted = {"2": "3", "3": "4", "4": "5", "5": "6", "6": "7"}
    for texts in (False, True):
        found = counterparts(_old(texts), _new(), FOLLOWED)
        assert {key: found[number(key)].number.key for key in wanted} == wanted
        assert {one.by for one in found.values()} == {"text" if texts else "title"}
    assert counterparts([], _new(), FOLLOWED) == {} and counterparts(_old(), [], FOLLOWED) == {}
    # Nothing in common with any article, and no neighbours to go by.
    assert counterparts([Article(KITES, KITES, number("1"), title="船舶碰撞")], _new(), FOLLOWED) == {}


def test_only_a_law_that_had_ended_has_counterparts() -> None:
    with PackBuilder(
        "two", jurisdiction="XX", source="", licence="", coverage="complete", as_of="2020-01-01"
    ) as builder:
        for law, last, listed in ((KITES, date(1999, 12, 31), _old()), (LAMPS, None, _new())):
            builder.add_law(Law(law, law.removeprefix("中华人民共和国"), "法律", "authored"), aliases_of(law))
            first = date(1980, 1, 1) if last else FOLLOWED
            builder.add_version(LawVersion(law, law, first, last), listed)
        builder.add_link(Link("succeeded", KITES, None, LAMPS, None, FOLLOWED, "路灯法第八条"))
        builder.finish()
    with Pack.open("two") as pack:
        book = StatuteBook(pack)
        assert book.counterparts.of("风筝法", number("3"), date(1999, 12, 31)) is None
        found = book.counterparts.of("风筝法", number("3"), FOLLOWED)
        assert found is not None and (found.law, found.number.key, found.on) == (LAMPS, "4", FOLLOWED)
        assert book.counterparts.of("路灯法", number("3"), FOLLOWED) is None
        assert book.counterparts.of("没有的法", number("3"), FOLLOWED) is None
        answer = LawSearch(pack).search("2010年风筝法第三条", SearchSettings(k=3))
        assert answer.hits[0].article.number.key == "4" and answer.hits[0].version.law == LAMPS
        assert f"counterpart:{KITES}:第三条:{LAMPS}:第四条:{found.sure}" in answer.notes
        text = "依照风筝法第三条、第六条和路灯法第三条的规定处理。"
        assert [(one.law, one.number.key, one.now.number.key) for one in following(book, text, FOLLOWED)] == [
            (KITES, "3", "4"), (KITES, "6", "7"),
        ]  # fmt: skip
        assert following(book, text, FOLLOWED, own=KITES) == [] and following(book, "风筝" * 9000, FOLLOWED) == []
        assert following(book, text, date(1990, 1, 1)) == []
        old = LawSearch(pack).search("1990年风筝法第三条", SearchSettings(k=3))
        assert not any(note.startswith("counterpart") for note in old.notes)


def test_windows_of_a_law_follow_each_other_without_a_gap() -> None:
    for indexed in indexed_laws():
        versions = [version for version, _ in indexed.versions]
        for old, new in zip(versions, versions[1:], strict=False):
            assert old.valid_to is not None and new.valid_from is not None
            assert new.valid_from - old.valid_to == timedelta(days=1), new.label
        for version in versions:
            assert version.valid_from is not None and version.valid_from <= as_of()
            assert version.adopted is None or version.adopted <= version.valid_from


def test_no_text_and_no_article_twice() -> None:
    for indexed in indexed_laws():
        for version, listed in indexed.versions:
            assert listed, version.label
            assert all(article.text is None and not article.title for article in listed)
            assert len({article.number for article in listed}) == len(listed)


def test_the_list_holds_facts_and_agrees_with_the_index() -> None:
    known = {law.name: law for law in listed_laws()}
    assert len(known) > 1300 and list(known) == sorted(known)
    for law in known.values():
        for version, numbers in law.versions:
            assert set(numbers) <= set("0123456789.- ") and numbers_of(numbers), version.label
    same = 0
    for indexed in indexed_laws():
        for version, listed in indexed.versions:
            for other, numbers in known[indexed.law.name].versions if indexed.law.name in known else ():
                if (version.valid_from, False) == (other.valid_from, other.inferred):
                    assert {article.number for article in listed} == set(numbers_of(numbers)), version.label
                    same += 1
    assert same > 30


def test_numbers() -> None:
    assert numbers_of("1..3 2-1") == [ArticleNumber(1), ArticleNumber(2), ArticleNumber(2, 1), ArticleNumber(3)]
