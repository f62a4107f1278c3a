"""Search over the texts of a corpus: what the three retrievers of the tools call.

Two keyword channels (`trigram`: any three characters; `words`) are ranked by bm25 and fused by reciprocal rank.
Scores have no unit and only order one answer; equal scores are ordered by row id.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from store.connection import Reader
from store.errors import StoreError
from store.pack import Pack, check_corpus
from store.schema import Document, text_index
from store.search.terms import any_of, folded, runs, trigrams, word_terms
from store.tables import beside
from store.text.segment import segmenter

USUAL = 60
"""The usual damping of RRF: how much the first ranks outweigh the next ones."""

_CHOSEN = beside(__package__, "fusion")

CONSTANT: int = _CHOSEN["constant"]
"""The damping of a law search: a channel that is sure of its first articles is heard."""

FUSION: dict[str, float] = _CHOSEN["weights"]
"""Weights of the channels of a law search, chosen on questions; an article that is named exactly stands before all
others."""


def fuse(
    rankings: Mapping[str, Sequence[int]], weights: Mapping[str, float] | None = None, constant: float = USUAL
) -> list[tuple[int, float]]:
    """Row ids with their scores by reciprocal rank fusion, best first, equal scores by row id; a channel without a
    weight counts once."""
    scores: dict[int, float] = defaultdict(float)
    for channel, ranking in rankings.items():
        weight = (weights or {}).get(channel, 1.0)
        for rank, number in enumerate(ranking, 1):
            scores[number] += weight / (constant + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


DEPTH = 100
"""How many ranks of each channel enter the fusion (at least; never fewer than asked for)."""


def search_documents(
    pack: Pack, corpus: str, query: str, k: int, weights: Mapping[str, float] | None = None
) -> list[Document]:
    """The `k` best texts of a corpus for a query, best first; fewer when fewer fit. `weights` are of the
    channels; one without a weight counts once.

    Raises:
        NotFound: there is no such corpus.
        StoreError: the pack was segmented by another version of the segmenter.
    """
    check_corpus(corpus)
    if k < 1:
        return []
    asked = folded(query)
    depth = max(DEPTH, k)
    found = fuse(channels(pack, corpus, asked, depth), weights) or scanned(
        pack.reader, "document", "number", {"text": 1}, asked, depth, where="AND corpus = ?", given=(corpus,)
    )
    return _documents(pack, found[:k])


def channels(pack: Pack, corpus: str, query: str, depth: int) -> dict[str, list[int]]:
    """The row ids that each channel ranks for a folded query, best first, at most `depth` of each."""
    return {
        "trigram": ranked(pack.reader, text_index("trigram", corpus), trigrams(query), depth),
        "words": ranked(pack.reader, text_index("words", corpus), _words(pack, query), depth),
    }


def _words(pack: Pack, query: str) -> list[str]:
    made_by = pack.manifest.segmenter
    if made_by and made_by != segmenter():
        raise StoreError(
            f"Pack {pack.name} was indexed by {made_by}, here is {segmenter()}", "Build or import it again."
        )
    return word_terms(query) if made_by else []


def ranked(
    reader: Reader, index: str, terms: list[str], depth: int, *, weights: str = "", where: str = "",
    given: Sequence[object] = (),
) -> list[int]:  # fmt: skip
    """Row ids of a full-text index with any of the terms, best first by bm25 (`weights` of its columns)."""
    if not terms:
        return []
    sql = f"SELECT rowid FROM {index} WHERE {index} MATCH ? {where} ORDER BY bm25({index}{weights}), rowid LIMIT ?"
    return [number for (number,) in reader.all(sql, (any_of(terms), *given, depth))]


def scanned(
    reader: Reader, table: str, key: str, columns: Mapping[str, float], query: str, depth: int, *, where: str = "",
    given: Sequence[object] = (),
) -> list[tuple[int, float]]:  # fmt: skip
    """Rows that hold runs of the query as they stand: for words shorter than both indexes know. columns: weights."""
    terms = runs(query)
    if not terms:
        return []
    hits = " + ".join(f"(instr({column}, ?) > 0) * {weight}" for _ in terms for column, weight in columns.items())
    sql = f"SELECT {key}, {hits} AS hits FROM {table} WHERE hits > 0 {where} ORDER BY hits DESC, {key} LIMIT ?"
    held = [term for term in terms for _ in columns]
    return [(number, float(count)) for number, count in reader.all(sql, (*held, *given, depth))]


def _documents(pack: Pack, ranked: list[tuple[int, float]]) -> list[Document]:
    documents: list[Document] = []
    for number, score in ranked:
        found = pack.reader.all("SELECT corpus, text, provenance FROM document WHERE number = ?", (number,))
        documents.extend(Document(number, corpus, text, provenance, score) for corpus, text, provenance in found)
    return documents
