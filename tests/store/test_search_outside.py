"""Statutes searched in time: articles without words, and articles that lie outside the window."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from store.builder import PackBuilder
from store.pack import Pack
from store.search.law_search import CHANNELS, LawSearch, SearchSettings
from store.statutes.model import Law, LawVersion
from store.statutes.names import aliases_of
from tests.support.statute_fixture import articles

SWINGS = "中华人民共和国秋千法"
OLD, BARE, NEW = f"{SWINGS}(2000修正)", f"{SWINGS}(2005修正)", f"{SWINGS}(2010修正)"
TETHER, TIRED = "秋千应当系绳，绳索应当结实。", "疲劳摇荡秋千的，处五十元以下罚款。"


def builder(name: str) -> PackBuilder:
    return PackBuilder(name, jurisdiction="x", source="s", licence="", coverage="complete", as_of="")


@pytest.fixture(scope="module")
def swings(home: Path) -> Iterator[LawSearch]:
    with builder("swings") as made:
        made.add_law(Law(SWINGS, "秋千法", "法律", "authored"), aliases_of(SWINGS))
        for label, first, last, text, more in (
            (OLD, date(2000, 1, 1), date(2004, 12, 31), TETHER, {}),
            (BARE, date(2005, 1, 1), date(2009, 12, 31), None, {}),
            (NEW, date(2010, 1, 1), None, TETHER, {"2-1": TIRED}),
        ):
            titled = articles(SWINGS, label, {"1": text}, title="超载失管罪")
            plain = articles(SWINGS, label, {"2": "秋千的颜色由主管机关登记。", **more})
            made.add_version(LawVersion(SWINGS, label, first, last), [*titled, *plain])
    with Pack.open(made.finish()) as pack:
        yield LawSearch(pack)


def test_an_article_without_words_is_found_by_its_title_and_by_the_words_of_another_version(
    swings: LawSearch,
) -> None:
    titled = swings.search("2006年 超载失管罪").hits[0]
    assert (titled.version.label, titled.article.text, titled.ranks["title"]) == (BARE, None, 1)
    assert titled.worded_by == NEW, "a later wording before an earlier"
    worded = swings.search("2006年 绳索结实").hits[0]
    assert (worded.version.label, worded.article.number.key) == (BARE, "1") and "title" not in worded.ranks
    own = swings.search("2012年 超载失管罪").hits[0]
    assert (own.version.label, own.worded_by) == (NEW, "")


def test_a_title_that_is_what_is_asked_for_stands_first(swings: LawSearch) -> None:
    for text in ("超载失管罪", "什么是超载失管罪", "2006年 超载失管罪"):
        assert swings.search(text).hits[0].ranks["exact"] == 1, text
    for text in ("秋千绳索不结实，摇荡的人跌落，管理人说自己不知情，超载失管罪", "超载罪"):
        assert "exact" not in swings.search(text).hits[0].ranks, text


def test_a_title_that_the_newest_version_no_longer_has_is_found_without_a_day() -> None:
    with builder("moved") as made:
        made.add_law(Law(SWINGS, "秋千法", "法律", "authored"), aliases_of(SWINGS))
        for label, day, title in ((OLD, date(2000, 1, 1), "绳索检查"), (NEW, date(2010, 1, 1), "秋千登记")):
            rows = [
                article
                for key, said in (("1", title), ("2", "附则"))
                for article in articles(SWINGS, label, {key: None}, title=said)
            ]
            made.add_version(LawVersion(SWINGS, label, day, None if label == NEW else date(2009, 12, 31)), rows)
    with Pack.open(made.finish()) as pack:
        search = LawSearch(pack)
        first = search.search("绳索检查").hits[0]
        assert (first.version.label, first.kept[-1], first.article.text) == (OLD, "last_wording", None)
        assert [hit.version.label for hit in search.search("附则").hits if hit.article.title == "附则"] == [NEW]


def test_an_article_that_was_not_yet_in_force_leads_the_notes(swings: LawSearch) -> None:
    early = swings.search("2003年5月1日 疲劳摇荡的罚款")
    assert early.notes[0] == f"later_near:{SWINGS}:第二条之一:2003-05-01:2010-01-01:第二条"
    assert {hit.version.label for hit in early.hits} <= {OLD}
    for inside in ("2012年5月1日 疲劳摇荡秋千的罚款", "2003年5月1日 秋千的颜色由谁登记"):
        assert not [note for note in swings.search(inside).notes if note.startswith(("later", "ended"))]


def test_an_article_is_found_by_the_passages_of_other_laws_that_cite_it() -> None:
    ruling = "最高人民法院关于适用《中华人民共和国秋千法》的解释"
    texts = {
        SWINGS: {"1": "有前款情形的，主管机关应当处理。", "2": "有前条情形的，参照第一条。", "3": None},
        ruling: {"1": "孩子从木马上跌落的，可以将秋千法第三条和《秋千法》第九条作为依据；木马另见本解释第二条。"},
    }
    with builder("citing") as made:
        for law, own in texts.items():
            made.add_law(Law(law, law.removeprefix("中华人民共和国"), "法律", "authored"), aliases_of(law))
            made.add_version(LawVersion(law, law, date(2000, 1, 1), None), articles(law, law, own))
    with Pack.open(made.finish()) as pack:
        search = LawSearch(pack)
        hits = search.search("孩子从木马跌落").hits
        assert len(search.citing) == 1 and [hit.article.number.key for hit in hits if hit.version.law == SWINGS] == [
            "3"
        ]
        assert hits[1].ranks == {"citing": 1}
        settings = SearchSettings(channels=tuple(name for name in CHANNELS if name != "citing"))
        assert SWINGS not in {h.version.law for h in search.search("孩子从木马跌落", settings).hits if h.ranks}
        early = search.search("孩子从木马跌落", SearchSettings(law=SWINGS)).hits
        assert not [hit for hit in early if "citing" in hit.ranks], "a passage that may not answer does not count"


def test_an_article_in_a_gap_says_nothing_against_one_that_came_later() -> None:
    """The tables have no version of the second law on the day: whether its article applied nobody knows."""
    kites = "中华人民共和国风筝法"
    with builder("gap") as made:
        for law, short in ((SWINGS, "秋千法"), (kites, "风筝法")):
            made.add_law(Law(law, short, "法律", "authored"), aliases_of(law))
        plain = {"1": "主管机关登记颜色。", "2": "本法自公布之日起施行。"}
        made.add_version(LawVersion(SWINGS, OLD, date(2000, 1, 1), date(2009, 12, 31)), articles(SWINGS, OLD, plain))
        later = articles(SWINGS, NEW, {**plain, "1-1": TIRED})
        made.add_version(LawVersion(SWINGS, NEW, date(2010, 1, 1), None), later)
        for label, first, last in (
            (f"{kites}(1990)", date(1990, 1, 1), date(1999, 12, 31)), (f"{kites}(2015)", date(2015, 1, 1), None),
        ):  # fmt: skip
            own = articles(kites, label, {"1": "疲劳摇荡的，处五十元以下罚款。"})
            made.add_version(LawVersion(kites, label, first, last), own)
    with Pack.open(made.finish()) as pack:
        answer = LawSearch(pack).search("2006年 疲劳摇荡的罚款")
    assert any("gap_neighbour" in hit.kept for hit in answer.hits)
    assert answer.notes[0] == f"later_near:{SWINGS}:第一条之一:2006-01-01:2010-01-01:第一条"
