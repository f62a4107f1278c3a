"""Search over documents: both keyword channels, their fusion, and texts that are not queries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.builder import PackBuilder
from store.errors import NotFound
from store.pack import Pack
from store.search import search_documents
from store.search.documents import fuse

TEXTS = (
    "虚构合同条例第三条：抵押权人有权就该抵押财产优先受偿。",
    "虚构合同条例第四条：借款的利率不得超过约定的四倍。",
    "虚构合同条例第五条：逾期返还借款的，按照约定支付违约金。",
    "虚构合同条例第六条：ＡＢＣ公司与(甲)公司的约定 ABC-12。",
    "囍",
)


@pytest.fixture(scope="module")
def pack(home: Path) -> Iterator[Pack]:
    with PackBuilder("p", jurisdiction="x", source="s", licence="l", coverage="complete", as_of="") as made:
        for text in TEXTS:
            made.add_document("LegalArticle", text, "authored")
        for _ in range(3):
            made.add_document("LegalKnowledge", "抵押权与抵押财产", "authored")
    with Pack.open(made.finish()) as opened:
        yield opened


def found(pack: Pack, query: str, k: int = 5) -> list[int]:
    return [document.number for document in search_documents(pack, "LegalArticle", query, k)]


def test_the_right_text_comes_first(pack: Pack) -> None:
    first = {
        "抵押": 1,
        "利率": 2,
        "借款到期不还要付违约金吗": 3,
        "abc公司": 4,
        "ＡＢＣ－１２": 4,
        "囍": 5,
        "第五条": 3,
    }
    assert {query: found(pack, query)[0] for query in first} == first


def test_equal_texts_come_in_their_order_and_corpora_stay_apart(pack: Pack) -> None:
    hits = search_documents(pack, "LegalKnowledge", "抵押财产", 2)
    assert [hit.number for hit in hits] == [6, 7]
    assert all(hit.corpus == "LegalKnowledge" and hit.score > 0 and hit.provenance == "authored" for hit in hits)


def test_k_and_empty_answers(pack: Pack) -> None:
    assert len(found(pack, "虚构合同条例", 2)) == 2
    assert found(pack, "虚构合同条例", 0) == found(pack, "虚构合同条例", -1) == []
    assert found(pack, "") == found(pack, "，。！") == found(pack, "量子色动力学") == []
    assert search_documents(pack, "LegalCases", "抵押", 5) == []
    with pytest.raises(NotFound):
        search_documents(pack, "Novels", "抵押", 5)


def test_fusion_prefers_agreement_and_breaks_ties_by_id() -> None:
    assert [number for number, _ in fuse({"a": [3, 1, 2], "b": [3, 2, 1]})] == [3, 1, 2]
    assert [number for number, _ in fuse({"a": [9], "b": [4]})] == [4, 9]
    assert fuse({}) == []
    assert fuse({"a": [1, 2], "b": [2, 1]}, {"a": 2.0, "b": 1.0}, 10) == [(1, 2 / 11 + 1 / 12), (2, 2 / 12 + 1 / 11)]
