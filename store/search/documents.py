"""Search over the texts of a corpus: what the three retrievers of the tools call.

Two keyword channels (`trigram`: any three characters; `words`) are ranked by bm25 and fused by reciprocal rank.
Scores have no unit and only order one answer; equal scores are ordered by row id.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

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


def fuse(rankings: Sequence[Sequence[int]]) -> list[tuple[int, float]]:
    """Row ids with their fused scores, best first; equal scores by row id."""
    return _fused([(ranking, 1.0) for ranking in rankings], USUAL)


def fuse_weighted(
    rankings: Mapping[str, Sequence[int]], weights: Mapping[str, float], constant: float
) -> list[tuple[int, float]]:
    """Row ids with their fused scores, best first; a channel without a weight counts once."""
    return _fused([(ranking, weights.get(channel, 1.0)) for channel, ranking in rankings.items()], constant)


def _fused(rankings: Sequence[tuple[Sequence[int], float]], constant: float) -> list[tuple[int, float]]:
    scores: dict[int, float] = defaultdict(float)
    for ranking, weight in rankings:
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
    ranked = fuse_weighted(channels(pack, corpus, asked, depth), weights or {}, USUAL)
    return _documents(pack, (ranked or _scanned(pack, corpus, asked, depth))[:k])


def channels(pack: Pack, corpus: str, query: str, depth: int) -> dict[str, list[int]]:
    """The row ids that each channel ranks for a folded query, best first, at most `depth` of each."""
    return {
        "trigram": _ranked(pack, text_index("trigram", corpus), trigrams(query), depth),
        "words": _ranked(pack, text_index("words", corpus), _words(pack, query), depth),
    }


def _words(pack: Pack, query: str) -> list[str]:
    made_by = pack.manifest.segmenter
    if made_by and made_by != segmenter():
        raise StoreError(
            f"Pack {pack.name} was indexed by {made_by}, here is {segmenter()}", "Build or import it again."
        )
    return word_terms(query) if made_by else []


def _ranked(pack: Pack, index: str, terms: list[str], depth: int) -> list[int]:
    if not terms:
        return []
    found = pack.reader.all(
        f"SELECT rowid FROM {index} WHERE {index} MATCH ? ORDER BY bm25({index}), rowid LIMIT ?",
        (any_of(terms), depth),
    )
    return [number for (number,) in found]


def _scanned(pack: Pack, corpus: str, query: str, depth: int) -> list[tuple[int, float]]:
    """Rows that hold runs of the query as they stand: for words shorter than both indexes know."""
    terms = runs(query)
    if not terms:
        return []
    hits = " + ".join("(instr(text, ?) > 0)" for _ in terms)
    found = pack.reader.all(
        f"SELECT number, {hits} AS hits FROM document WHERE corpus = ? AND hits > 0"
        " ORDER BY hits DESC, number LIMIT ?",
        (*terms, corpus, depth),
    )
    return [(number, float(count)) for number, count in found]


def _documents(pack: Pack, ranked: list[tuple[int, float]]) -> list[Document]:
    documents: list[Document] = []
    for number, score in ranked:
        found = pack.reader.all("SELECT corpus, text, provenance FROM document WHERE number = ?", (number,))
        documents.extend(Document(number, corpus, text, provenance, score) for corpus, text, provenance in found)
    return documents
