"""Search over the texts of a corpus: what the three retrievers of the tools call.

Two keyword channels (`trigram`: any three characters; `words`) are ranked by bm25 and fused by reciprocal rank.
Scores have no unit and only order one answer; equal scores are ordered by row id.
"""

from __future__ import annotations

from collections.abc import Mapping

from store.errors import StoreError
from store.layout import text_index
from store.pack import Pack, check_corpus
from store.rows import Document
from store.search.fusion import USUAL, fuse_weighted
from store.search.terms import any_of, folded, runs, trigrams, word_terms
from store.text.segment import segmenter

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
