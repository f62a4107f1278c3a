"""Counterparts of the articles of a law that ended, in a fictional law that followed."""

from __future__ import annotations

from datetime import date

from store.builder import PackBuilder
from store.pack import Pack
from store.search.law_search import LawSearch, SearchSettings
from store.search.references import following
from store.statutes.book import StatuteBook
from store.statutes.counterparts import counterparts
from store.statutes.model import Article, Law, LawVersion, Link
from store.statutes.names import aliases_of
from tests.support.statute_fixture import KITES, LAMPS, articles, number

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
ENDED = date(2000, 1, 1)


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
        found = counterparts(_old(texts), _new(), ENDED)
        assert {key: found[number(key)].number.key for key in wanted} == wanted
        assert {one.by for one in found.values()} == {"text" if texts else "title"}
    assert counterparts([], _new(), ENDED) == {} and counterparts(_old(), [], ENDED) == {}
    # Nothing in common with any article, and no neighbours to go by.
    assert counterparts([Article(KITES, KITES, number("1"), title="船舶碰撞")], _new(), ENDED) == {}


def test_only_a_law_that_had_ended_has_counterparts() -> None:
    with PackBuilder(
        "two", jurisdiction="XX", source="", licence="", coverage="complete", as_of="2020-01-01"
    ) as builder:
        for law, last, listed in ((KITES, date(1999, 12, 31), _old()), (LAMPS, None, _new())):
            builder.add_law(Law(law, law.removeprefix("中华人民共和国"), "法律", "authored"), aliases_of(law))
            first = date(1980, 1, 1) if last else ENDED
            builder.add_version(LawVersion(law, law, first, last), listed)
        builder.add_link(Link("succeeded", KITES, None, LAMPS, None, ENDED, "路灯法第八条"))
        builder.finish()
    with Pack.open("two") as pack:
        book = StatuteBook(pack)
        assert book.counterparts.of("风筝法", number("3"), date(1999, 12, 31)) is None
        found = book.counterparts.of("风筝法", number("3"), ENDED)
        assert found is not None and (found.law, found.number.key, found.on) == (LAMPS, "4", ENDED)
        assert book.counterparts.of("路灯法", number("3"), ENDED) is None
        assert book.counterparts.of("没有的法", number("3"), ENDED) is None
        answer = LawSearch(pack).search("2010年风筝法第三条", SearchSettings(k=3))
        assert answer.hits[0].article.number.key == "4" and answer.hits[0].version.law == LAMPS
        assert f"counterpart:{KITES}:第三条:{LAMPS}:第四条:{found.sure}" in answer.notes
        text = "依照风筝法第三条、第六条和路灯法第三条的规定处理。"
        assert [(one.law, one.number.key, one.now.number.key) for one in following(book, text, ENDED)] == [
            (KITES, "3", "4"), (KITES, "6", "7"),
        ]  # fmt: skip
        assert following(book, text, ENDED, own=KITES) == [] and following(book, "风筝" * 9000, ENDED) == []
        assert following(book, text, date(1990, 1, 1)) == []
        old = LawSearch(pack).search("1990年风筝法第三条", SearchSettings(k=3))
        assert not any(note.startswith("counterpart") for note in old.notes)
