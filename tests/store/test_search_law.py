"""Statutes searched in time: filters before ranking, gaps and neighbours, what gives way, and the published
pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from math import log
from pathlib import Path

import numpy as np
import pytest

from store.builder import PackBuilder
from store.pack import Pack
from store.search import paper as published
from store.search.law_search import CHANNELS, LawResults, LawSearch, SearchSettings
from store.search.query import LawQuery, Span
from store.statutes.model import Law, LawVersion
from store.statutes.names import aliases_of
from tests.support.statute_fixture import KITES, LAMPS, articles, number

OLD, MIDDLE, NEW = LAMPS, f"{LAMPS}(2000修正)", f"{LAMPS}(2010修订)"


@pytest.fixture(scope="module")
def search(lamps: Pack) -> LawSearch:
    return LawSearch(lamps)


def found(answer: LawResults) -> list[tuple[str, str]]:
    return [(hit.version.label, hit.article.number.key) for hit in answer.hits]


def told(answer: LawResults) -> tuple[str, ...]:
    """Notes, but for the one on vectors, which a pack as small as this may lack."""
    return tuple(note for note in answer.notes if note != "no_dense")


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("1995年5月有效的《中华人民共和国路灯法》第三条", (OLD, "3")), ("2005年路灯法第三条", (MIDDLE, "3")),
        ("2012年灯法第四条的条文", (NEW, "4")),
        ("路灯法第三条", (NEW, "3")), ("路灯法(2000修正)第三条", (MIDDLE, "3")), ("1985年风筝法第二条", (KITES, "2")),
        ("2005年路灯法第四条之一", (MIDDLE, "4-1")),
        ("1999年12月31日路灯法第三条", (OLD, "3")), ("2000年1月1日路灯法第三条", (MIDDLE, "3")),
        ("2009年12月30日路灯法第三条", (MIDDLE, "3")), ("2010年1月1日路灯法第三条", (NEW, "3")),
    ],
)  # fmt: skip
def test_the_named_article_of_the_right_version_stands_first(
    search: LawSearch, text: str, first: tuple[str, str]
) -> None:
    answer = search.search(text)
    assert found(answer)[0] == first
    assert answer.hits[0].ranks["exact"] == 1 and answer.of == 26


def test_each_span_counts_for_itself(search: LawSearch) -> None:
    query = LawQuery("路灯", (Span(date(1985, 1, 1), date(1985, 12, 31), "1985年"),
        Span(date(2015, 1, 1), date(2015, 12, 31), "2015年")), keywords=("路灯",))  # fmt: skip
    labels = {label for label, _ in found(search.search(query, SearchSettings(k=50)))}
    assert labels <= {KITES, NEW} and NEW in labels
    hull = {label for label, _ in found(search.search(query, SearchSettings(k=50, paper=True)))}
    assert {OLD, MIDDLE} <= hull, "the published pipeline admits what lies between"


def test_a_day_in_a_gap_offers_the_neighbours(search: LawSearch) -> None:
    answer = search.search("2009年12月31日路灯法第三条")
    assert told(answer) == (f"gap:{LAMPS}:2009-12-31",)
    assert found(answer) == [(MIDDLE, "3"), (NEW, "3")]
    assert {hit.kept[0] for hit in answer.hits} == {"gap_neighbour"}


def test_without_a_law_gaps_are_told_for_what_was_found(search: LawSearch) -> None:
    day = date(2009, 12, 31)
    answer = search.search("路灯的高度", SearchSettings(at=day, k=3))
    assert told(answer) == (f"gap:{LAMPS}:2009-12-31",)
    assert {hit.version.label for hit in answer.hits} == {MIDDLE, NEW} and {hit.kept[0] for hit in answer.hits} == {
        "gap_neighbour"
    }
    assert answer.allowed == 17, "no article of the kites, which had ended"
    assert told(search.search("量子色动力学", SearchSettings(at=day))) == (), "nothing found, nothing told"
    before = search.search("1850年 路灯的高度")
    assert (before.hits, told(before)) == ((), ("before_all:1850-01-01:1980-01-01",))
    in_force = search.search("路灯的高度", SearchSettings(at=date(2009, 12, 30)))
    assert told(in_force) == () and {hit.kept[0] for hit in in_force.hits} == {"window"}


GONDOLAS = "中华人民共和国吊船法"
GONDOLA_VERSIONS: tuple[tuple[str, date, date | None, str | None], ...] = (
    ("(2000修正)", date(2000, 1, 1), date(2004, 12, 31), "吊船应当系缆，缆绳不得短于两米。"),
    ("(2005修正)", date(2005, 1, 1), date(2009, 12, 31), None),
    ("(2010修正)", date(2010, 1, 1), None, "吊船应当系缆，缆绳应当结实。"),
)


@pytest.fixture(scope="module")
def gondolas(home: Path) -> Iterator[LawSearch]:
    with PackBuilder("gondolas", jurisdiction="x", source="s", licence="", coverage="complete", as_of="") as builder:
        builder.add_law(Law(GONDOLAS, "吊船法", "法律", "authored"), aliases_of(GONDOLAS))
        for more, first, last, text in GONDOLA_VERSIONS:
            texts = {"1": text, "2": f"吊船的颜色在{first.year}年以后由船主决定。"}
            listed = articles(GONDOLAS, GONDOLAS + more, texts, chapter="第一章 吊船的缆绳")
            builder.add_version(LawVersion(GONDOLAS, GONDOLAS + more, first, last), listed)
        builder.add_law(Law(KITES, "风筝法", "法律", "authored"), aliases_of(KITES))
        kites = articles(KITES, KITES, {"1": "风筝不得缠绕缆绳。"})
        builder.add_version(LawVersion(KITES, KITES, date(1980, 1, 1), None), kites)
    with Pack.open(builder.finish()) as pack:
        yield LawSearch(pack)


def test_rows_without_text_stand_behind_those_with_text(gondolas: LawSearch) -> None:
    answer = gondolas.search("2006年 吊船的缆绳")
    assert (
        found(answer)[-1] == (f"{GONDOLAS}(2005修正)", "1")
        and answer.hits[-1].article.text is None
        and len(answer.hits) > 1
    )
    assert [hit.score for hit in answer.hits] == sorted((hit.score for hit in answer.hits), reverse=True)
    named = gondolas.search("2006年 吊船法第一条")
    assert found(named)[0] == (f"{GONDOLAS}(2005修正)", "1"), (
        "what is named stands first, whether its words are there or not"
    )


def test_without_a_day_the_newest_wording_stands_first(gondolas: LawSearch) -> None:
    answer = gondolas.search("缆绳不得短于两米")
    own = [hit for hit in answer.hits if hit.version.law == GONDOLAS and hit.article.number.key == "1"]
    assert [(hit.version.label[len(GONDOLAS) :], hit.kept[-1]) for hit in own] == [
        ("(2010修正)", "newest"),
        ("(2000修正)", "last_wording"),
    ]
    assert own[0].ranks["keyword"] > own[1].ranks["keyword"], "although the older one has more of the words"
    then = gondolas.search("缆绳不得短于两米", SearchSettings(today=date(2007, 1, 1)))
    assert [hit.version.label[len(GONDOLAS) :] for hit in then.hits if hit.article.number.key == "1"][:2] != [
        "(2010修正)",
        "(2000修正)",
    ]


def test_a_revision_that_is_the_oldest_version_leaves_a_gap_before_it(gondolas: LawSearch) -> None:
    answer = gondolas.search("1990年 缆绳")
    assert told(answer) == (f"gap:{GONDOLAS}:1990-01-01",)
    assert {hit.version.label: hit.kept[0] for hit in answer.hits} == {
        f"{GONDOLAS}(2000修正)": "gap_neighbour",
        KITES: "window",
    }


def test_a_law_that_had_ended_gives_way_to_its_successor(search: LawSearch) -> None:
    answer = search.search("1995年风筝法第二条 风筝的高度")
    assert told(answer)[:2] == (f"repealed:{KITES}:1995-01-01", f"succeeded:{KITES}:{LAMPS}")
    assert {label for label, _ in found(answer)} == {OLD} and answer.hits[0].kept[0] == "successor"
    before = search.search("1970年风筝法第二条")
    assert (before.hits, before.allowed, told(before)) == ((), 0, (f"not_yet:{KITES}:1970-01-01",))


def test_settings_beside_the_text(search: LawSearch) -> None:
    day = search.search("2015年路灯的高度", SearchSettings(at=date(1995, 1, 1), k=20))
    assert {label for label, _ in found(day)} == {OLD}
    law = search.search("第二条", SearchSettings(law="风筝法"))
    assert found(law)[0] == (KITES, "2") and law.hits[0].ranks["exact"] == 1
    assert search.search("高度", SearchSettings(law="外星法")).notes[:1] == ("unknown_law:外星法",)
    newest = search.search("1995年路灯法第三条", SearchSettings(window="newest"))
    assert found(newest) == [(NEW, "3")] and newest.hits[0].kept[0] == "newest"
    every = search.search("1995年路灯法第三条", SearchSettings(window="off"))
    assert [label for label, _ in found(every)] == [NEW, MIDDLE, OLD]
    free = search.search("1995年路灯法第二条", SearchSettings(law_filter=False, at=date(1985, 1, 1)))
    assert found(free) == [(KITES, "2")] and "no_law" in free.hits[0].kept


def test_without_a_day_same_words_are_one(search: LawSearch) -> None:
    hits = search.search("雷雨天攀爬路灯的罚款", SearchSettings(k=20)).hits
    climbing = [hit for hit in hits if "雷雨" in (hit.article.text or "")]
    # The revision of 2010 renumbered the law: 第四条 of 1990 and 2000 is one row, 第五条 of 2010 another.
    assert sorted((hit.version.label, hit.article.number.key) for hit in climbing) == [(MIDDLE, "4"), (NEW, "5")]
    assert all(hit.kept[0] == "no_date" for hit in hits)
    # 第四条 of 2000 is the last with these words, but the law has another 第四条 since.
    assert {hit.version.label: hit.kept[-1] for hit in climbing} == {MIDDLE: "last_wording", NEW: "newest"}


def test_filters_that_leave_nothing_give_way(search: LawSearch) -> None:
    heading = search.search("路灯法第九章第三条")
    assert "dropped:headings" in heading.notes and found(heading)[0] == (NEW, "3")
    article = search.search("1995年路灯法第四条之一 悬挂广告")
    assert told(article) == ("dropped:number", f"no_article:{LAMPS}:4-1:not_yet")
    assert {label for label, _ in found(article)} == {OLD} and "no_number" in article.hits[0].kept


def test_filters_without_a_word_list_the_articles(search: LawSearch) -> None:
    answer = search.search("1985年风筝法")
    assert found(answer) == [(KITES, "2"), (KITES, "1")] and answer.hits[1].article.text is None, "words first"
    alone = search.search("1995年路灯法第三条 路灯的高度", SearchSettings(channels=("bm25",)))
    assert found(alone) == [(OLD, "3")] and set(alone.hits[0].ranks) == {"bm25"}


def test_windows_without_days_are_kept_and_say_so(tmp_path: Path) -> None:
    law = "中华人民共和国风车法"
    with PackBuilder("mills", jurisdiction="x", source="s", licence="l", coverage="complete", as_of="") as builder:
        builder.add_law(Law(law, "风车法", "法律", "authored"), aliases_of(law))
        builder.add_version(LawVersion(law, law, None, None), articles(law, law, {"1": "风车应当面向大海。"}))
    with Pack.open(builder.finish()) as pack:
        answer = LawSearch(pack).search("2012年风车法第一条")
        assert [(hit.version.label, hit.kept[0]) for hit in answer.hits] == [(law, "no_window")] and told(
            answer
        ) == ()


# The published pipeline.


def test_okapi_by_hand() -> None:
    documents = [["a", "b"], ["a", "a", "c"], ["a", "d", "d", "d"], ["e"]]
    okapi = published.Okapi(documents)
    lengths, mean = [2, 3, 4, 1], 2.5
    # a stands in three of four: log(1.5) - log(3.5) < 0, so it weighs a quarter of the mean weight.
    plain = {"a": log(1.5) - log(3.5), **dict.fromkeys("bcde", log(3.5) - log(1.5))}
    weights = plain | {"a": 0.25 * sum(plain.values()) / 5}
    for query in (["a"], ["d"], ["a", "c", "a"], ["x"], []):
        expected = [
            sum(
                weights.get(token, 0.0) * doc.count(token) * 2.2 / (
                    doc.count(token) + 1.2 * (0.25 + 0.75 * length / mean))
                for token in query
            )
            for doc, length in zip(documents, lengths, strict=True)
        ]  # fmt: skip
        assert np.allclose(okapi.scores(query), expected)
    assert list(published.Okapi([]).scores(["a"])) == []


def test_published_filters_and_weights(search: LawSearch) -> None:
    paper = search.paper
    query = LawQuery(
        "路灯的高度",
        (Span(date(1995, 1, 1), date(1995, 12, 31), ""),),
        (LAMPS,),
        (number("4"),),
        keywords=("路灯", "高度"),
    )
    narrowed, rankings, fused = paper.rankings(query, 5)
    assert narrowed.count == 1 and narrowed.kept(fused[0][0]) == ("window", "no_law", "number")
    parts = LawQuery("路灯", headings=("第一章",), keywords=("路灯",))
    assert paper.rankings(parts, 5)[0].count == 0, "a chapter stands in no article number"
    both = LawQuery(
        "罚款", (Span(date(2005, 1, 1), date(2005, 1, 1), ""),), numbers=(number("4"),), keywords=("罚款",)
    )
    narrowed, rankings, fused = paper.rankings(both, 5)
    assert narrowed.count == 2, "第四条 stands in 第四条之一 too"
    rows = {(row, name): rank for name, ranked in rankings.items() for rank, row in enumerate(ranked, 1)}
    for row, score in fused:
        expected = sum(
            weight / (60 + rows[row, name]) for name, weight in published.WEIGHTS.items() if (row, name) in rows
        )
        assert score == pytest.approx(expected)
    assert len(rankings["bm25"]) == 2 and rankings["keyword"] == sorted(rankings["keyword"])
    empty = paper.rankings(LawQuery("火星", numbers=(number("99"),)), 5)
    assert empty[1:] == ({}, [])


SWINGS = "中华人民共和国秋千法"
BEFORE, BARE, AFTER = f"{SWINGS}(2000修正)", f"{SWINGS}(2005修正)", f"{SWINGS}(2010修正)"
TETHER, TIRED = "秋千应当系绳，绳索应当结实。", "疲劳摇荡秋千的，处五十元以下罚款。"


def builder(name: str) -> PackBuilder:
    return PackBuilder(name, jurisdiction="x", source="s", licence="", coverage="complete", as_of="")


@pytest.fixture(scope="module")
def swings(home: Path) -> Iterator[LawSearch]:
    with builder("swings") as made:
        made.add_law(Law(SWINGS, "秋千法", "法律", "authored"), aliases_of(SWINGS))
        for label, first, last, text, more in (
            (BEFORE, date(2000, 1, 1), date(2004, 12, 31), TETHER, {}),
            (BARE, date(2005, 1, 1), date(2009, 12, 31), None, {}),
            (AFTER, date(2010, 1, 1), None, TETHER, {"2-1": TIRED}),
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
    assert titled.worded_by == AFTER, "a later wording before an earlier"
    worded = swings.search("2006年 绳索结实").hits[0]
    assert (worded.version.label, worded.article.number.key) == (BARE, "1") and "title" not in worded.ranks
    own = swings.search("2012年 超载失管罪").hits[0]
    assert (own.version.label, own.worded_by) == (AFTER, "")


def test_a_title_that_is_what_is_asked_for_stands_first(swings: LawSearch) -> None:
    for text in ("超载失管罪", "什么是超载失管罪", "2006年 超载失管罪"):
        assert swings.search(text).hits[0].ranks["exact"] == 1, text
    for text in ("秋千绳索不结实，摇荡的人跌落，管理人说自己不知情，超载失管罪", "超载罪"):
        assert "exact" not in swings.search(text).hits[0].ranks, text


def test_a_title_that_the_newest_version_no_longer_has_is_found_without_a_day() -> None:
    with builder("moved") as made:
        made.add_law(Law(SWINGS, "秋千法", "法律", "authored"), aliases_of(SWINGS))
        for label, day, title in ((BEFORE, date(2000, 1, 1), "绳索检查"), (AFTER, date(2010, 1, 1), "秋千登记")):
            rows = [
                article
                for key, said in (("1", title), ("2", "附则"))
                for article in articles(SWINGS, label, {key: None}, title=said)
            ]
            made.add_version(LawVersion(SWINGS, label, day, None if label == AFTER else date(2009, 12, 31)), rows)
    with Pack.open(made.finish()) as pack:
        search = LawSearch(pack)
        first = search.search("绳索检查").hits[0]
        assert (first.version.label, first.kept[-1], first.article.text) == (BEFORE, "last_wording", None)
        assert [hit.version.label for hit in search.search("附则").hits if hit.article.title == "附则"] == [AFTER]


def test_an_article_that_was_not_yet_in_force_leads_the_notes(swings: LawSearch) -> None:
    early = swings.search("2003年5月1日 疲劳摇荡的罚款")
    assert early.notes[0] == f"later_near:{SWINGS}:第二条之一:2003-05-01:2010-01-01:第二条"
    assert {hit.version.label for hit in early.hits} <= {BEFORE}
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
        made.add_version(
            LawVersion(SWINGS, BEFORE, date(2000, 1, 1), date(2009, 12, 31)), articles(SWINGS, BEFORE, plain)
        )
        later = articles(SWINGS, AFTER, {**plain, "1-1": TIRED})
        made.add_version(LawVersion(SWINGS, AFTER, date(2010, 1, 1), None), later)
        for label, first, last in (
            (f"{kites}(1990)", date(1990, 1, 1), date(1999, 12, 31)), (f"{kites}(2015)", date(2015, 1, 1), None),
        ):  # fmt: skip
            own = articles(kites, label, {"1": "疲劳摇荡的，处五十元以下罚款。"})
            made.add_version(LawVersion(kites, label, first, last), own)
    with Pack.open(made.finish()) as pack:
        answer = LawSearch(pack).search("2006年 疲劳摇荡的罚款")
    assert any("gap_neighbour" in hit.kept for hit in answer.hits)
    assert answer.notes[0] == f"later_near:{SWINGS}:第一条之一:2006-01-01:2010-01-01:第一条"
