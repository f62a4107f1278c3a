"""Relations of laws, and the doubt about a rule whose law has ended."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest

from store.builder import PackBuilder
from store.pack import Pack
from store.search.law_search import LawSearch, SearchSettings
from store.statutes.book import StatuteBook
from store.statutes.check import check_law
from store.statutes.model import Law, LawVersion
from store.statutes.names import aliases_of
from tests.support.statute_fixture import articles

LAMPS = "中华人民共和国路灯法"
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
