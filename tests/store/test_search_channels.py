"""Channels over articles and documents: what they find, filters before ranking, fusion, damage. Vectors: the fit,
exact search, those of a model that is given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from store.builder import PackBuilder
from store.errors import BadInput, DamagedData, MootError, NotFound, StoreError, TextTooLong
from store.pack import Pack, verify_pack
from store.search import search_documents, vectors
from store.search.bigrams import bigrams, count
from store.search.channels import Articles, best
from store.search.documents import fuse
from store.search.law_search import LawSearch
from store.search.query import LawQuery
from store.search.reembedding import reembed
from store.search.terms import entries, widened
from store.search.vectors import FILE, Vectors, fit, unit, write
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


TEXTS = [
    f"{a}{b}{c}应当"
    for a in ("甲乙", "丙丁", "戊己", "庚辛")
    for b in ("借款", "租赁", "盗窃")
    for c in ("返还", "赔偿")
]


def random_vectors(size: int, dimensions: int = 16) -> Any:
    return unit(np.random.default_rng(1).standard_normal((size, dimensions)).astype(np.float32))


def test_the_fit_finds_the_leading_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_CHUNK", 7)
    counts = count([(TEXTS, 1.0)])
    found = fit(counts)
    assert found is not None
    vectoriser, rows = found
    assert rows.shape == (len(TEXTS), min(len(TEXTS), len(vectoriser.keys)))
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    dense = np.zeros((len(TEXTS), len(vectoriser.keys)))
    for at, text in enumerate(TEXTS):
        for key in bigrams(text):
            place = np.flatnonzero(vectoriser.keys == key)
            dense[at, place] = vectoriser.rarity[place]
    dense /= np.linalg.norm(dense, axis=1, keepdims=True)
    assert np.allclose(rows @ rows.T, dense @ dense.T, atol=1e-3)
    same = vectoriser.vector([(np.unique(bigrams(TEXTS[5])), 1.0)])
    assert int((rows @ same).argmax()) == 5
    assert not vectoriser.vector([(bigrams("闻所未闻"), 1.0)]).any()


def test_search_is_exact_and_equal_ones_are_ordered_by_id(tmp_path: Path) -> None:
    rows = random_vectors(200)
    rows[150] = rows[20]
    write(tmp_path / FILE, rows)
    opened = Vectors(tmp_path / FILE, 200)
    assert np.allclose(opened.rows(np.array([1, 200])), rows[[0, 199]], atol=2e-3)
    exact = np.round(rows.astype(np.float16).astype(np.float32) @ rows[20].astype(np.float32), 5)
    for allowed in (None, np.array([21, 151]), np.arange(1, 151), np.arange(2, 201, 2)):
        found, wanted = (best(scores, allowed, 5) for scores in (opened.scores(rows[20], allowed, 5), exact))
        assert [number for number, _ in found] == [number for number, _ in wanted]
        assert np.allclose([score for _, score in found], [score for _, score in wanted], atol=2e-4)
    assert [number for number, _ in best(opened.scores(rows[20], None, 2), None, 2)] == [21, 151]


def test_many_vectors_go_through_the_graph_and_the_distant_ones_that_are_allowed_are_found_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = random_vectors(5000)
    write(tmp_path / FILE, rows)
    opened = Vectors(tmp_path / FILE, 5000)
    every = opened.scores(rows[7], None, 10)
    exact = np.round(opened.rows(np.arange(1, 5001)) @ rows[7], 5) + np.float32(1)
    for up_to in (10_000, 100):
        monkeypatch.setattr(vectors, "EXACT_UP_TO", up_to)
        for few in (30, 600, 1700):
            far = np.sort(np.argsort(exact, kind="stable")[:few] + 1)
            scores = opened.scores(rows[7], far, 50)
            found = best(np.where(scores != 0, scores + 1, 0), far, 50)
            assert [n for n, _ in found] == [n for n, _ in best(exact, far, 50)]
    near = opened.scores(rows[7], None, 10)
    assert len({n for n, _ in best(every, None, 10)} & {n for n, _ in best(near, None, 10)}) >= 9
    assert np.count_nonzero(near) < 500


def test_a_file_of_another_size_is_never_opened(tmp_path: Path) -> None:
    write(tmp_path / FILE, random_vectors(10))
    with pytest.raises(DamagedData):
        Vectors(tmp_path / FILE, 11)


def model(texts: Sequence[str]) -> list[list[float]]:
    """A stand-in: how often a few characters stand in a text."""
    return [[1.0, *(float(text.count(character)) for character in "灯雷罚高检")] for text in texts]


def test_a_given_model_takes_the_place_of_the_fitted_vectors() -> None:
    path = fixture.build()
    before = (path / "corpus.db").read_bytes()
    told: list[int] = []
    assert reembed(path, model, {"kind": "gguf", "model": "m"}, lambda _, done, __: told.append(done)) == path
    assert told and verify_pack(path) == [] and (path / "corpus.db").read_bytes() == before
    assert not list((path / "articles").glob("lsa*")) and list(path.parent.glob(".*")) == []
    with Pack.open(path) as pack:
        assert pack.manifest.embedder == {"kind": "gguf", "model": "m", "dimensions": 6}
        silent = Articles(pack)
        assert silent.no_dense(LawQuery("雷雨")) == "no_dense"
        assert silent.rank("dense", LawQuery("雷雨"), None, 5) == []
        spoken = Articles(pack, model)
        assert not spoken.no_dense(LawQuery("雷雨"))
        (first, _), *_ = spoken.rank("dense", LawQuery("雷 罚"), None, 5)
        ((text,),) = pack.reader.all("SELECT text FROM articles WHERE id = ?", (first,))
        assert "雷" in text and "罚" in text
        with pytest.raises(StoreError, match="6 dimensions"):
            Articles(pack, lambda texts: [[1.0]]).rank("dense", LawQuery("雷"), None, 5)


def taking(most: int) -> Any:
    """The same for texts up to so many characters; the lengths of those that it was given."""

    def embed(texts: Sequence[str]) -> list[list[float]]:
        if any(len(text) > most for text in texts):
            raise TextTooLong("too long")
        embed.lengths += [len(text) for text in texts]  # type: ignore[attr-defined]
        return model(texts)

    embed.lengths = []  # type: ignore[attr-defined]
    return embed


def test_an_article_that_is_too_long_has_the_mean_of_its_parts() -> None:
    path, short = fixture.build(), taking(20)
    reembed(path, short, {"kind": "gguf", "model": "m"})
    with Pack.open(path, verify=True) as pack:
        articles = [text for (text,) in pack.reader.all("SELECT text FROM articles ORDER BY id")]
        place = next(at for at, text in enumerate(articles) if text == fixture.TEXTS[0])
        assert 0 < pack.manifest.embedder["parts"] < len(articles)  # type: ignore[index]
        with pack.using(FILE) as file:
            (row,) = Vectors(file, len(articles)).rows(np.array([place + 1]))
    embedded = f"路灯法 {fixture.TEXTS[0]}"
    assert np.allclose(row, unit(_by_parts(embedded))[0], atol=2e-3)
    assert sum(short.lengths) >= sum(len(text or "") for text in articles), "nothing is cut"


def _by_parts(text: str) -> Any:
    if len(text) <= 20:
        return len(text) * unit(np.array(model([text]), np.float32))
    return _by_parts(text[: len(text) // 2]) + _by_parts(text[len(text) // 2 :])


def test_a_question_that_is_too_long_costs_the_dense_channel_alone_and_a_model_that_fails_is_said() -> None:
    path = fixture.build()
    reembed(path, model, {"kind": "gguf", "model": "m"})
    asked = taking(20)
    with Pack.open(path) as pack:
        search = LawSearch(pack, embed=asked)
        for text, noted in (("雷雨 高度", False), ("雷雨 高度" * 20, True)):
            found = search.search(text)
            assert found.hits and ("long_query" in found.notes) == noted
            assert any("dense" in hit.ranks for hit in found.hits) != noted
    assert len(asked.lengths) == 1, "the model is asked once a question"

    def failing(texts: Sequence[str]) -> list[list[float]]:
        raise MootError("the server is gone", "Start it.")

    with Pack.open(path) as pack, pytest.raises(StoreError, match="the server is gone"):
        LawSearch(pack, embed=failing).search("雷雨")


def test_a_model_that_gives_no_vectors_leaves_the_pack_as_it_was() -> None:
    path = fixture.build()
    described: list[tuple[Any, dict[str, Any], type[Exception]]] = [
        (model, {}, BadInput),
        (model, {"kind": "lsa"}, BadInput),
        (lambda texts: [[float("nan")]] * len(texts), {"kind": "x"}, BadInput),
        (lambda texts: [[1.0]], {"kind": "x"}, BadInput),
        (lambda texts: [], {"kind": "x"}, BadInput),
        (taking(0), {"kind": "x"}, TextTooLong),
    ]
    for embed, describe, error in described:
        with pytest.raises(error):
            reembed(path, embed, describe)
        assert verify_pack(path) == [] and list(path.parent.glob(".*")) == []


ARTICLES = (
    "虚构合同条例第三条：抵押权人有权就该抵押财产优先受偿。",
    "虚构合同条例第四条：借款的利率不得超过约定的四倍。",
    "虚构合同条例第五条：逾期返还借款的，按照约定支付违约金。",
    "虚构合同条例第六条：ＡＢＣ公司与(甲)公司的约定 ABC-12。",
    "囍",
)


@pytest.fixture(scope="module")
def documents(home: Path) -> Iterator[Pack]:
    with PackBuilder("p", jurisdiction="x", source="s", licence="l", coverage="complete", as_of="") as made:
        for text in ARTICLES:
            made.add_document("LegalArticle", text, "authored")
        for _ in range(3):
            made.add_document("LegalKnowledge", "抵押权与抵押财产", "authored")
    with Pack.open(made.finish()) as opened:
        yield opened


def found(documents: Pack, query: str, k: int = 5) -> list[int]:
    return [document.number for document in search_documents(documents, "LegalArticle", query, k)]


def test_the_right_text_comes_first(documents: Pack) -> None:
    first = {
        "抵押": 1,
        "利率": 2,
        "借款到期不还要付违约金吗": 3,
        "abc公司": 4,
        "ＡＢＣ－１２": 4,
        "囍": 5,
        "第五条": 3,
    }
    assert {query: found(documents, query)[0] for query in first} == first


def test_equal_texts_come_in_their_order_and_corpora_stay_apart(documents: Pack) -> None:
    hits = search_documents(documents, "LegalKnowledge", "抵押财产", 2)
    assert [hit.number for hit in hits] == [6, 7]
    assert all(hit.corpus == "LegalKnowledge" and hit.score > 0 and hit.provenance == "authored" for hit in hits)


def test_k_and_empty_answers(documents: Pack) -> None:
    assert len(found(documents, "虚构合同条例", 2)) == 2
    assert found(documents, "虚构合同条例", 0) == found(documents, "虚构合同条例", -1) == []
    assert found(documents, "") == found(documents, "，。！") == found(documents, "量子色动力学") == []
    assert search_documents(documents, "LegalCases", "抵押", 5) == []
    with pytest.raises(NotFound):
        search_documents(documents, "Novels", "抵押", 5)


def test_fusion_prefers_agreement_and_breaks_ties_by_id() -> None:
    assert [number for number, _ in fuse({"a": [3, 1, 2], "b": [3, 2, 1]})] == [3, 1, 2]
    assert [number for number, _ in fuse({"a": [9], "b": [4]})] == [4, 9]
    assert fuse({}) == []
    assert fuse({"a": [1, 2], "b": [2, 1]}, {"a": 2.0, "b": 1.0}, 10) == [(1, 2 / 11 + 1 / 12), (2, 2 / 12 + 1 / 11)]
