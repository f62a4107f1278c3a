"""The indexes over the articles of an open pack, asked channel by channel.

bm25: words of law name, headings and text (FTS5); keyword: character bigrams; dense: vectors. Each ranks only the articles
that are allowed, by its score times the prior of the article; scores have no unit and compare only within one answer. Equal
scores are ordered by article id.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from store import manifest as manifests
from store.errors import Damaged, StoreError
from store.pack import Pack
from store.search.bigrams import Floats, Postings, distinct
from store.search.indexing import ARRAYS, PRIOR, TERMS, WORDS, array_file, number_term
from store.search.substance import STOP_WORDS
from store.text.normalise import fold_width
from store.text.segment import segmenter, words

if TYPE_CHECKING:
    from store.search.query import LawQuery

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]

LONGEST = 2_000
"""Characters of a question that are looked at."""

MOST_ROWS = 0.2
"""Words of a question are taken from the rarest on, while the articles that hold them are at most this share of the pack:
the common rest weighs next to nothing in bm25 and costs most of the time."""

FEWEST_WORDS = 3
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
        self._channels = {"bm25": self._bm25, "keyword": self._keyword, "dense": self._dense}

    def rank(
        self, channel: str, query: LawQuery, allowed: NDArray[np.int64] | None, depth: int
    ) -> list[tuple[int, float]]:
        """The best articles of one channel with their scores, best first, at most `depth`; those that fit in nothing are out.

        allowed: sorted article ids, or None for all.

        Raises:
            KeyError: there is no such channel.
        """
        if not self.size or depth < 1 or (allowed is not None and not len(allowed)):
            return []
        return self._channels[channel](query, allowed, depth)

    def _keyword(self, query: LawQuery, allowed: NDArray[np.int64] | None, depth: int) -> list[tuple[int, float]]:
        scores = self._postings.score([(distinct(_substance(query)), 1.0)], self.size)
        return best(scores * self._prior, allowed, depth)

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
        return []

    def _terms(self, query: LawQuery) -> list[str]:
        """Words that are searched for: the rarest ones, and the numbers of articles."""
        wanted = dict.fromkeys(word for word in words(_substance(query)) if word not in STOP_WORDS)
        marks = ", ".join("?" * len(wanted))
        counted = self._pack.reader.all(
            f"SELECT term, articles FROM {TERMS} WHERE term IN ({marks}) ORDER BY articles, term",
            tuple(word.lower() for word in wanted),
        )
        kept: list[str] = []
        rows = 0
        for term, articles in counted:
            rows += articles
            if rows > MOST_ROWS * self.size and len(kept) >= FEWEST_WORDS:
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


def _substance(query: LawQuery) -> str:
    """The words of a question without its days and numbers of articles, which other means look after."""
    text = query.text[:LONGEST]
    for span in query.spans:
        text = text.replace(span.said, " ")
    if query.made_by != "rules":
        text = " ".join([text, *query.keywords])
    return _REFERENCE.sub(" ", fold_width(text))


def _array(pack: Pack, file: str) -> NDArray[np.generic]:
    """An array of the pack, mapped from disk; its hash is checked before.

    Raises:
        StoreError: the pack was built without it.
        Damaged: its bytes are not the ones that were written.
    """
    path = checked(pack, file)
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise Damaged(f"{path} cannot be read: {error}", "Build or import the pack again.") from None


def checked(pack: Pack, file: str) -> Path:
    """Path of a file of the pack whose sha256 is the one in the manifest.

    Raises:
        StoreError: the pack was built without it.
        Damaged: it is another one.
    """
    expected = pack.manifest.files.get(file)
    if expected is None:
        raise StoreError(f"Pack {pack.name} has no {file}: it was built without indexes", "Build or import it again.")
    path = pack.path / file
    try:
        actual = manifests.sha256(path)
    except OSError as error:
        raise Damaged(f"{path} cannot be read: {error.strerror}", "Build or import the pack again.") from None
    if actual != expected:
        raise Damaged(f"{path} is damaged: its sha256 differs from the manifest", "Build or import the pack again.")
    return path
