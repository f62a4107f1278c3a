"""The article channels: what they find, filters before ranking, ties, damage."""

from __future__ import annotations

import numpy as np
import pytest

from store.builder import PackBuilder
from store.errors import StoreError
from store.pack import Pack, verify_pack
from store.search.channels import Articles
from store.search.query import LawQuery
from store.search.terms import entries, widened
from store.statutes.model import ArticleNumber
from tests.support import statute_fixture as fixture

CHANNELS = ("bm25", "keyword", "dense")


def ids(found: list[tuple[int, float]]) -> list[int]:
    return [number for number, _ in found]


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_channel_finds_the_article_that_says_it(lamps: Pack, channel: str) -> None:
    articles = Articles(lamps)
    found = articles.rank(channel, LawQuery("雷雨天能不能攀爬路灯？"), None, 3)
    texts = dict(lamps.reader.all("SELECT id, text FROM articles"))
    assert all("攀爬路灯" in texts[number] for number in ids(found))
    assert articles.rank(channel, LawQuery(""), None, 3) == []
    assert articles.rank(channel, LawQuery('" OR (NEAR'), None, 3) == []
    assert articles.rank(channel, LawQuery("路灯"), None, 0) == []


@pytest.mark.parametrize("channel", ["bm25", "keyword"])
def test_the_filter_comes_before_the_ranking(lamps: Pack, channel: str) -> None:
    articles = Articles(lamps)
    query = LawQuery("城市道路路灯的许可和罚款")
    everything = articles.rank(channel, query, None, 1000)
    assert everything == sorted(everything, key=lambda hit: (-hit[1], hit[0]))
    for allowed in ([], [1], [3, 5, 9], list(range(1, articles.size + 1, 2))):
        wanted = [hit for hit in everything if hit[0] in allowed]
        chosen = np.array(allowed, np.int64)
        assert articles.rank(channel, query, chosen, 1000) == wanted
        assert articles.rank(channel, query, chosen, 2) == wanted[:2]


def test_only_allowed_articles_give_feedback_and_are_ranked_by_vectors(lamps: Pack) -> None:
    articles = Articles(lamps)
    query = LawQuery("城市道路路灯的许可和罚款")
    everything = articles.rank("dense", query, None, 1000)
    assert everything == articles.rank("dense", query, np.arange(1, articles.size + 1), 1000)
    for allowed in ([1], [3, 5, 9], list(range(1, articles.size + 1, 2))):
        found = articles.rank("dense", query, np.array(allowed), 1000)
        assert found == sorted(found, key=lambda hit: (-hit[1], hit[0]))
        assert set(ids(found)) <= set(allowed)
        assert articles.rank("dense", query, np.array(allowed), 2) == found[:2]
    assert articles.rank("dense", query, np.array([], np.int64), 5) == []


def test_everyday_words_reach_the_words_of_the_law() -> None:
    assert "劳动报酬" in widened("老板拖欠工资怎么办")
    assert "劳动报酬" not in widened("劳动报酬就是工资吗")
    assert widened("") == []
    assert len(entries()) > 700 and all(said and terms for said, terms in entries().items())


def test_the_number_of_an_article_is_a_word_of_its_own(lamps: Pack) -> None:
    found = Articles(lamps).rank("bm25", LawQuery("第四条之一", numbers=(ArticleNumber(4, 1),)), None, 5)
    numbers = lamps.reader.all("SELECT id FROM articles WHERE number = 4 AND sub = 1")
    assert ids(found) == [number for (number,) in numbers]


def test_without_texts_laws_and_headings_are_searched() -> None:
    law, version = fixture.LAMPS, fixture.lamp_versions()[0][0]
    with PackBuilder("facts", jurisdiction="XX", source="", licence="", coverage="complete", as_of="") as builder:
        builder.add_law(fixture.Law(law, "路灯法"))
        headed = fixture.articles(law, version.label, {"1": None, "2": None})
        builder.add_version(
            version, [headed[0], fixture.Article(law, version.label, ArticleNumber(2), title="雷雨天")]
        )
        path = builder.finish()
    with Pack.open(path) as pack:
        for channel in CHANNELS:
            assert ids(Articles(pack).rank(channel, LawQuery("雷雨天"), None, 5)) == [2]


def test_the_same_rows_give_the_same_bytes() -> None:
    one, other = fixture.build("one"), fixture.build("other")
    with Pack.open(one) as left, Pack.open(other) as right:
        assert left.hash == right.hash
    assert verify_pack(one) == []


def test_another_segmenter_is_refused(lamps: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.search.channels.segmenter", lambda: "another 1")
    with pytest.raises(StoreError, match="another 1"):
        Articles(lamps)
