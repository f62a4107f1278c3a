"""Dense vectors of articles: fitted to the pack when it is built (latent semantic analysis), or made by a given
model.

LSA: the articles as weighted bigrams (1 + ln frequency, times ln rarity, length 1), projected on the leading
directions of an evenly drawn sample, found by a randomised range finder with a fixed seed (Halko, Martinsson, Tropp
2011). Queried with numpy alone. Vectors have length 1 and stand in `vectors.usearch`, key = article id, as half
floats, in the order of the ids; similarity is the cosine. usearch writes and reads the file, and finds what is near.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from store.errors import DamagedData
from store.search.bigrams import BigramCounts, Floats, Ints, find

FILE = "vectors.usearch"
DIMENSIONS = 128
TERMS = 20_000
"""Bigrams that the vectoriser knows at most: the most frequent ones that are not everywhere."""
SAMPLE = 16_000
"""Articles that it is fitted to at most."""
EVERYWHERE = 0.1
"""A bigram in more than this share of the articles says nothing about any of them."""
RARE = 4
"""A bigram in fewer articles says nothing about others; in a small pack there is no such limit."""
SMALL = 1000

EXACT_UP_TO = 500_000
"""Vectors up to which a wide search compares every one (5 ms for 64,000); above, it goes through the graph, which
finds fewer."""
NARROW = 1500
"""Allowed articles up to which they alone are compared."""
MARGIN = 8
"""So many times more candidates than are wanted: channels weigh them on."""
MOST = 4000
"""Candidates of a search at most."""
_OVERSAMPLE, _ROUNDS, _SEED = 16, 2, 20090101
_CHUNK = 1 << 17
_CONNECTIVITY, _EXPANSION = 8, 32
"""A graph that is built quickly; it is asked with a wide expansion."""


Embed = Callable[[Sequence[str]], ArrayLike]
"""A model that was given: texts to vectors, one each; raises TextTooLong where it does not take one of them whole."""


@dataclass(frozen=True, slots=True)
class Vectoriser:
    """keys: bigrams, sorted; rarity: their weights; projection: [bigram, dimension]."""

    keys: Ints
    rarity: Floats
    projection: Floats

    def vector(self, wanted: Sequence[tuple[Ints, float]]) -> Floats:
        """The direction of a query of length 1, from groups of bigrams with a factor; zeros where it knows none of
        them."""
        total = np.zeros(self.projection.shape[1], np.float32)
        for bigrams, factor in wanted:
            at = find(self.keys, bigrams)
            total += np.float32(factor) * (self.rarity[at] @ self.projection[at])
        direction: Floats = unit(total[None])[0]
        return direction


def fit(counts: BigramCounts) -> tuple[Vectoriser, Floats] | None:
    """A vectoriser for these texts and their vectors, [text, dimension]; None when they have nothing in common."""
    size = len(counts.starts) - 1
    document = np.bincount(counts.terms, minlength=len(counts.keys))
    fewest = RARE if size >= SMALL else 1
    known = np.flatnonzero(
        (document >= fewest) & ((document <= EVERYWHERE * size) | (size < SMALL) & (document < size))
    )
    if len(known) > TERMS:
        known = np.sort(known[np.argsort(-document[known], kind="stable")[:TERMS]])
    if size < 2 or len(known) < 2:
        return None
    rarity = np.log(size / document[known]).astype(np.float32)
    column = np.full(len(counts.keys), -1, np.int32)
    column[known] = np.arange(len(known), dtype=np.int32)
    matrix = _weighted(counts, column, rarity)
    dimensions = min(DIMENSIONS, len(known), size)
    projection = _directions(matrix.sample(SAMPLE), dimensions)
    vectoriser = Vectoriser(counts.keys[known], rarity, projection)
    return vectoriser, unit(matrix.times(projection))


def unit(rows: Floats) -> Floats:
    """Rows brought to length 1; zeros stay zeros."""
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    shortened: Floats = (rows / np.where(length > 0, length, 1)).astype(np.float32)
    return shortened


def write(path: Path, vectors: Floats) -> None:
    """Write vectors with ids from 1; the same vectors always give the same bytes."""
    from usearch.index import Index

    index = Index(
        ndim=vectors.shape[1], metric="ip", dtype="f16", connectivity=_CONNECTIVITY, expansion_add=_EXPANSION
    )
    # With more threads the graph depends on their order.
    index.add(np.arange(1, len(vectors) + 1), vectors.astype(np.float16), threads=1)
    index.save(str(path))


class Vectors:
    """The vectors of a pack, opened. The hash of the file must have been checked: a damaged graph can crash the
    process."""

    def __init__(self, path: Path, size: int) -> None:
        from usearch.index import Index  # takes a moment to load: only packs with vectors pay for it

        # Mapped once: whatever comes to lie under the name later, these bytes were checked.
        with path.open("rb") as stream:
            self._bytes = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        try:
            index: Any = Index.restore(memoryview(self._bytes), view=True)
        except (ValueError, RuntimeError):
            index = None
        if index is None or len(index) != size:
            raise DamagedData(f"{path} does not hold {size} vectors", "Build or import the pack again.")
        index.expansion_search = 512
        self._index = index
        self.size = size
        self.dimensions = int(index.ndim)

    def rows(self, ids: Ints) -> Floats:
        """The vectors of some articles."""
        found: Floats = np.asarray(self._index.get(ids.astype(np.uint64)), np.float32).reshape(-1, self.dimensions)
        return found

    def scores(self, vector: Floats, allowed: Ints | None, depth: int) -> Floats:
        """Cosines with all articles; those that are not allowed, or cannot be among the best `depth`, are 0."""
        scores = np.zeros(self.size, np.float32)
        ids = allowed if allowed is not None and len(allowed) <= NARROW else self._near(vector, allowed, depth)
        # Computed here, whoever found them: kernels differ by processor. The last bits depend on how many rows there
        # are.
        scores[ids - 1] = np.round(self.rows(ids) @ vector, 5)
        return scores

    def _near(self, vector: Floats, allowed: Ints | None, depth: int) -> Ints:
        """Ids of those that are near, `MARGIN` times as many as wanted; all that are allowed where too few of them
        are."""
        share = 1.0 if allowed is None else len(allowed) / self.size
        most = min(self.size, MOST, int(MARGIN * depth / share) + 1)
        found = self._index.search(vector, most, exact=self.size <= EXACT_UP_TO, threads=1).keys.astype(np.int64)
        if allowed is None:
            return np.asarray(found)
        kept = found[np.isin(found, allowed)]
        return kept if len(kept) >= min(depth, len(allowed)) else allowed


@dataclass(frozen=True, slots=True)
class _Sparse:
    """Rows of a sparse matrix with `width` columns."""

    starts: Ints
    columns: NDArray[np.int32]
    values: Floats
    width: int

    def sample(self, most: int) -> _Sparse:
        """Evenly drawn rows."""
        size = len(self.starts) - 1
        if size <= most:
            return self
        chosen = np.linspace(0, size - 1, most).astype(np.int64)
        lengths = np.diff(self.starts)[chosen]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        at = np.repeat(self.starts[chosen] - starts[:-1], lengths) + np.arange(starts[-1])
        return _Sparse(starts, self.columns[at], self.values[at], self.width)

    def transposed(self) -> _Sparse:
        order = np.argsort(self.columns, kind="stable")
        rows = np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))
        starts = np.concatenate([[0], np.cumsum(np.bincount(self.columns, minlength=self.width))])
        return _Sparse(starts, rows[order], self.values[order], len(self.starts) - 1)

    def times(self, other: Floats) -> Floats:
        """This matrix times a dense one, a bounded number of entries at a time."""
        size = len(self.starts) - 1
        product = np.zeros((size, other.shape[1]), np.float32)
        begin = 0
        while begin < size:
            end = max(begin + 1, int(np.searchsorted(self.starts, self.starts[begin] + _CHUNK, "right")) - 1)
            run = slice(int(self.starts[begin]), int(self.starts[end]))
            terms = other[self.columns[run]] * self.values[run, None]
            filled = np.flatnonzero(np.diff(self.starts[begin : end + 1])) + begin
            if len(filled):
                product[filled] = np.add.reduceat(terms, self.starts[filled] - run.start, axis=0)
            begin = end
        return product


def _weighted(counts: BigramCounts, column: NDArray[np.int32], rarity: Floats) -> _Sparse:
    size = len(counts.starts) - 1
    columns = column[counts.terms]
    kept = columns >= 0
    rows = np.repeat(np.arange(size, dtype=np.int32), np.diff(counts.starts))[kept]
    columns = columns[kept]
    values = (1 + np.log(np.maximum(counts.counts[kept], 1))) * rarity[columns]
    length = np.sqrt(np.bincount(rows, weights=values * values, minlength=size))
    values = (values / np.maximum(length, 1e-9)[rows]).astype(np.float32)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=size))]).astype(np.int64)
    return _Sparse(starts, columns, values, len(rarity))


def _directions(matrix: _Sparse, dimensions: int) -> Floats:
    """The leading right singular vectors, [column, dimension]; the sign of each so that its largest entry is
    positive."""
    across = matrix.transposed()
    width = min(dimensions + _OVERSAMPLE, matrix.width, len(matrix.starts) - 1)
    start = np.random.default_rng(_SEED).standard_normal((matrix.width, width)).astype(np.float32)
    basis = np.linalg.qr(start)[0]
    for _ in range(_ROUNDS):
        basis = np.linalg.qr(across.times(matrix.times(basis)))[0]
    image = matrix.times(basis)
    _, turn = np.linalg.eigh((image.T @ image).astype(np.float64))
    found = basis @ turn[:, ::-1][:, :dimensions].astype(np.float32)
    largest = np.abs(found).argmax(axis=0)
    return np.asarray(found * np.sign(found[largest, np.arange(found.shape[1])]), np.float32)
