"""The indexes over the articles of an open pack, asked channel by channel.

Each kind of evidence has its place, so that the fusion hears independent voices:
- bm25: the words of the question in law name, headings and text (FTS5, fields weighted), times the prior of the
  article.
- keyword: adjacent characters of the question, and of terms of the law that the vocabulary knows for its everyday
  words.
- dense: vectors. Those fitted to the pack are asked with the question, the same terms, and the first articles that
  the words find (pseudo relevance feedback, Rocchio), times the prior; those of a model with the vector of the
  question alone.

Only articles that are allowed are ranked, and only they give feedback. Scores have no unit and compare only within
one answer; equal ones are ordered by article id.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from store.errors import Damaged, StoreError
from store.pack import Pack
from store.search.bigrams import Floats, Ints, Postings, distinct
from store.search.indexing import ARRAYS, KIND, PRIOR, TERMS, VECTORISER, WORDS, array_file, number_term
from store.search.substance import matter
from store.search.vectors import FILE, Vectoriser, Vectors, dated, unit
from store.search.vocabulary import widened
from store.text.normalise import fold_width
from store.text.segment import segmenter, words

if TYPE_CHECKING:
    from store.search.query import LawQuery

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]

LONGEST = 2_000
"""Characters of a question that are looked at."""

MOST_ROWS = 8_000
"""Words of a question are taken from the rarest on, while not more articles than this hold them (counted a word):
the common rest weighs next to nothing in bm25 and costs most of the time."""

FEWEST_WORDS = 3

WIDENED = 0.8
"""Weight of terms from the vocabulary beside the words of the question, for bigrams."""
WIDENED_DENSE = 0.5
"""The same for vectors."""
FEEDBACK = 5
"""Articles that are taken as relevant; together they weigh as much as the question."""

FIELDS = (1.0, 2.0, 1.0)
"""Weights of law name, headings and text in bm25."""

_REFERENCE = re.compile(r"第[零〇一二两三四五六七八九十百千\d]+条(之[一二三四五六七八九十\d]+)?")


class Articles:
    """The article indexes of a pack; a pack without statutes has size 0 and ranks nothing."""

    def __init__(self, pack: Pack, embed: Embed | None = None) -> None:
        self._pack = pack
        self._embed = embed
        self.size = pack.manifest.counts.statutes
        """How many articles there are; their ids run from 1 to it."""
        if not self.size:
            return
        if pack.manifest.segmenter != segmenter():
            raise StoreError(
                f"Pack {pack.name} was indexed by {pack.manifest.segmenter or 'nothing'}, here is {segmenter()}",
                "Build or import it again.",
            )
        self._postings = Postings(*(_array(pack, array_file(name)) for name in ARRAYS))
        self._prior: Floats = _array(pack, PRIOR)
        self._vectors, self._vectoriser = self._open_vectors()
        self._last: tuple[LawQuery, Floats] | None = None
        self._channels = {"bm25": self._bm25, "keyword": self._keyword, "dense": self._dense}

    def rank(
        self, channel: str, query: LawQuery, allowed: NDArray[np.int64] | None, depth: int
    ) -> list[tuple[int, float]]:
        """The best articles of one channel with their scores, best first, at most `depth`; those that fit in nothing
        are out.

        allowed: sorted article ids, or None for all.

        Raises:
            KeyError: there is no such channel.
        """
        if not self.size or depth < 1 or (allowed is not None and not len(allowed)):
            return []
        return self._channels[channel](query, allowed, depth)

    @property
    def dense(self) -> bool:
        """Whether there are vectors that a question can be compared with."""
        return (
            bool(self.size)
            and self._vectors is not None
            and (self._vectoriser is not None or self._embed is not None)
        )

    def _keyword(self, query: LawQuery, allowed: NDArray[np.int64] | None, depth: int) -> list[tuple[int, float]]:
        return best(self._by_bigrams(query), allowed, depth)

    def _bm25(self, query: LawQuery, allowed: NDArray[np.int64] | None, depth: int) -> list[tuple[int, float]]:
        terms = self._terms(query)
        if not terms:
            return []
        match = " OR ".join(f'"{term}"' for term in terms)
        low, high = (1, self.size) if allowed is None else (int(allowed[0]), int(allowed[-1]))
        found = self._pack.reader.all(
            f"SELECT rowid, -bm25({WORDS}, {', '.join(map(str, FIELDS))}) FROM {WORDS} WHERE {WORDS} MATCH ?"
            " AND rowid BETWEEN ? AND ?",
            (match, low, high),
        )
        scores = np.zeros(self.size, np.float32)
        if found:
            table = np.array(found)
            scores[table[:, 0].astype(np.int64) - 1] = table[:, 1]
        return best(scores * self._prior, allowed, depth)

    def _dense(self, query: LawQuery, allowed: NDArray[np.int64] | None, depth: int) -> list[tuple[int, float]]:
        if not self.dense or self._vectors is None:
            return []
        if self._vectoriser is None:
            return best(self._vectors.scores(self._embedded(query), allowed, depth), allowed, depth)
        own, wider = _bigrams(query)
        vector = self._vectoriser.vector([(own, 1.0), (wider, WIDENED_DENSE)])
        first = best(self._by_bigrams(query) * self._prior, allowed, FEEDBACK)
        if first:
            rows = self._vectors.rows(np.array([number for number, _ in first]))
            weights = np.array([score for _, score in first], np.float32)
            vector = unit((vector + unit((weights @ rows)[None])[0])[None])[0]
        return best(self._vectors.scores(vector, allowed, depth) * self._prior, allowed, depth)

    def _by_bigrams(self, query: LawQuery) -> Floats:
        """Scores of the keyword channel; both it and the dense channel ask for them, mostly one after the other."""
        last = self._last
        if last is None or last[0] != query:
            own, wider = _bigrams(query)
            last = self._last = (query, self._postings.score([(own, 1.0), (wider, WIDENED)], self.size))
        return last[1]

    def _embedded(self, query: LawQuery) -> Floats:
        assert self._embed is not None and self._vectors is not None
        text = query.text
        if (self._pack.manifest.embedder or {}).get("years") and query.spans:
            first, last = query.spans[0].first, query.spans[0].last
            text = dated(
                first.isoformat() if first != date.min else "", last.isoformat() if last != date.max else "", text
            )
        vector = np.asarray(self._embed([text[:LONGEST]]), np.float32)
        if vector.shape != (1, self._vectors.dimensions):
            raise StoreError(
                f"The vectors of pack {self._pack.name} have {self._vectors.dimensions} dimensions,"
                f" the model gives {vector.shape[-1]}",
                "Use the model that the pack was embedded with.",
            )
        embedded: Floats = unit(vector)[0]
        return embedded

    def _open_vectors(self) -> tuple[Vectors | None, Vectoriser | None]:
        embedder = self._pack.manifest.embedder
        if embedder is None:
            return None, None
        with self._pack.using(FILE) as file:
            vectors = Vectors(file, self.size)
        if embedder["kind"] != KIND:
            return vectors, None
        return vectors, Vectoriser(*(_array(self._pack, array_file(name)) for name in VECTORISER))

    def _terms(self, query: LawQuery) -> list[str]:
        """Words that are searched for: the rarest ones, and the numbers of articles."""
        idle = matter().stop_words
        wanted = dict.fromkeys(word for word in words(substance(query)) if word not in idle)
        marks = ", ".join("?" * len(wanted))
        counted = self._pack.reader.all(
            f"SELECT term, articles FROM {TERMS} WHERE term IN ({marks}) ORDER BY articles, term",
            tuple(word.lower() for word in wanted),
        )
        kept: list[str] = []
        rows = 0
        for term, articles in counted:
            rows += articles
            if rows > MOST_ROWS and len(kept) >= FEWEST_WORDS:
                break
            kept.append(term)
        return kept + [number_term(number) for number in query.numbers]


def best(scores: Floats, allowed: NDArray[np.int64] | None, depth: int) -> list[tuple[int, float]]:
    """Ids and scores of the `depth` highest positive scores; scores[i] is that of id i + 1; equal ones by id."""
    ids = np.flatnonzero(scores > 0) + 1 if allowed is None else allowed[scores[allowed - 1] > 0]
    chosen = scores[ids - 1]
    if len(ids) > depth:
        least = np.partition(chosen, len(chosen) - depth)[len(chosen) - depth]
        keep = chosen >= least
        ids, chosen = ids[keep], chosen[keep]
    order = np.lexsort((ids, -chosen))[:depth]
    return list(zip(ids[order].tolist(), chosen[order].tolist(), strict=True))


def substance(query: LawQuery) -> str:
    """The words of a question without its days and numbers of articles, which other means look after."""
    text = query.text[:LONGEST]
    for span in query.spans:
        text = text.replace(span.said, " ")
    if query.made_by != "rules":
        text = " ".join([text, *query.keywords])
    return _REFERENCE.sub(" ", fold_width(text))


def _bigrams(query: LawQuery) -> tuple[Ints, Ints]:
    """Bigrams of a question, and those that the vocabulary adds."""
    text = substance(query)
    own = distinct(text)
    return own, np.setdiff1d(distinct(" ".join(widened(text))), own)


def _array(pack: Pack, file: str) -> Any:
    """An array of the pack, mapped from disk; its hash is checked before.

    Raises:
        StoreError: the pack was built without it.
        Damaged: its bytes are not the ones that were written.
    """
    try:
        with pack.using(file) as path:
            return np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise Damaged(f"{path} cannot be read: {error}", "Build or import the pack again.") from None
