"""Search over the texts of a pack: the one function that tools call.

Two keyword channels (any three characters; words) are ranked by bm25 and fused by reciprocal rank. Scores have no
unit and only order one answer; equal scores are ordered by row id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from store.errors import StoreError
from store.layout import text_index
from store.pack import Pack, check_corpus
from store.rows import Document
from store.search.fusion import fuse
from store.text.normalise import fold_width
from store.text.segment import segmenter, words

MAX_TERMS = 64
"""Terms of a query that are looked at: a longer text is cut here."""

DEPTH = 100
"""How many ranks of each channel enter the fusion (at least; never fewer than asked for)."""

_RUN = re.compile(r"[^\W_]+")


def search_documents(pack: Pack, corpus: str, query: str, k: int) -> list[Document]:
    """The `k` best texts of a corpus for a query, best first; fewer when fewer fit.

    Raises:
        NotFound: there is no such corpus.
        StoreError: the pack was segmented by another version of the segmenter.
    """
    check_corpus(corpus)
    if k < 1:
        return []
    folded = fold_width(query).encode(errors="ignore").decode()
    depth = max(DEPTH, k)
    channels = [
        _ranked(pack, text_index("trigram", corpus), _trigrams(folded), depth),
        _ranked(pack, text_index("words", corpus), _words(pack, folded), depth),
    ]
    ranked = fuse([channel for channel in channels if channel]) or _scanned(pack, corpus, folded, depth)
    return _documents(pack, ranked[:k])


def _trigrams(query: str) -> list[str]:
    runs = [run for run in _RUN.findall(query) if len(run) >= 3]
    return _some(run[start : start + 3] for run in runs for start in range(len(run) - 2))


def _words(pack: Pack, query: str) -> list[str]:
    made_by = pack.manifest.segmenter
    if made_by and made_by != segmenter():
        raise StoreError(
            f"Pack {pack.name} was indexed by {made_by}, here is {segmenter()}", "Build or import it again."
        )
    return _some(words(query)) if made_by else []


def _some(terms: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(terms))[:MAX_TERMS]


def _ranked(pack: Pack, index: str, terms: list[str], depth: int) -> list[int]:
    if not terms:
        return []
    match = " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
    found = pack.reader.all(
        f"SELECT rowid FROM {index} WHERE {index} MATCH ? ORDER BY bm25({index}), rowid LIMIT ?", (match, depth)
    )
    return [number for (number,) in found]


def _scanned(pack: Pack, corpus: str, query: str, depth: int) -> list[tuple[int, float]]:
    terms = _RUN.findall(query)[:MAX_TERMS]
    if not terms:
        return []
    hits = " + ".join("(instr(text, ?) > 0)" for _ in terms)
    found = pack.reader.all(
        f"SELECT number, {hits} AS hits FROM document WHERE corpus = ? AND hits > 0 ORDER BY hits DESC, number LIMIT ?",
        (*terms, corpus, depth),
    )
    return [(number, float(count)) for number, count in found]


def _documents(pack: Pack, ranked: list[tuple[int, float]]) -> list[Document]:
    documents: list[Document] = []
    for number, score in ranked:
        found = pack.reader.all("SELECT corpus, text, provenance FROM document WHERE number = ?", (number,))
        documents.extend(Document(number, corpus, text, provenance, score) for corpus, text, provenance in found)
    return documents
