"""Dense vectors of articles: fitted to the pack when it is built (latent semantic analysis), or made by a given model.

LSA: the articles as weighted bigrams (1 + ln frequency, times ln rarity, length 1), projected on the leading directions of an
evenly drawn sample, found by a randomised range finder with a fixed seed (Halko, Martinsson, Tropp 2011). Queried with numpy
alone. Vectors have length 1 and stand in `vectors.usearch`, key = article id, as half floats, in the order of the ids;
similarity is the cosine. The file begins with rows and bytes a row as two 32-bit integers and the plain matrix, then the graph.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from store.errors import Damaged
from store.search.bigrams import Counts, Floats, Ints, find

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

EXACT_UP_TO = 100_000
"""Vectors up to which every one is compared; above, a wide search goes through the graph."""
_OVERSAMPLE, _ROUNDS, _SEED = 16, 2, 20090101
_CHUNK = 1 << 17
_CONNECTIVITY, _EXPANSION = 8, 32
"""A graph that is built quickly; it is asked with a wide expansion."""


@dataclass(frozen=True, slots=True)
class Vectoriser:
    """keys: bigrams, sorted; rarity: their weights; projection: [bigram, dimension]."""

    keys: Ints
    rarity: Floats
    projection: Floats

    def vector(self, wanted: Sequence[tuple[Ints, float]]) -> Floats:
        """The direction of a query of length 1, from groups of bigrams with a factor; zeros where it knows none of them."""
        total = np.zeros(self.projection.shape[1], np.float32)
        for bigrams, factor in wanted:
            at = find(self.keys, bigrams)
            total += np.float32(factor) * (self.rarity[at] @ self.projection[at])
        direction: Floats = unit(total[None])[0]
        return direction


def fit(counts: Counts) -> tuple[Vectoriser, Floats] | None:
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
    """The vectors of a pack, opened. The hash of the file must have been checked: a damaged graph can crash the process."""

    def __init__(self, path: Path, size: int) -> None:
        # One mapping for matrix and graph: whatever comes to lie under the name later, these bytes were checked.
        with path.open("rb") as stream:
            self._bytes = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        rows, wide = np.frombuffer(self._bytes, np.uint32, 2).tolist() if len(self._bytes) >= 8 else (0, 0)
        if rows != size or not wide or wide % 2:
            raise Damaged(f"{path} does not hold {size} vectors", "Build or import the pack again.")
        self.size = size
        self.dimensions = wide // 2
        matrix = np.frombuffer(self._bytes, np.float16, size * self.dimensions, offset=8)
        self._matrix: NDArray[np.float16] = matrix.reshape(size, self.dimensions)
        self._floats: Floats | None = None
        self._graph: Any = None

    def rows(self, ids: Ints) -> Floats:
        """The vectors of some articles."""
        return np.asarray(self._matrix[ids - 1]).astype(np.float32)

    def scores(self, vector: Floats, allowed: Ints | None, depth: int) -> Floats:
        """Cosines with all articles; those that are not allowed, or cannot be among the best `depth`, are 0."""
        scores = np.zeros(self.size, np.float32)
        if allowed is not None and len(allowed) * 4 < self.size:
            scores[allowed - 1] = self.rows(allowed) @ vector
        elif self.size <= EXACT_UP_TO or not self._near(scores, vector, allowed, depth):
            if self._floats is None:
                self._floats = np.asarray(self._matrix).astype(np.float32)
            scores[:] = self._floats @ vector
        # The last bits of a product depend on how many rows are multiplied at once.
        return np.round(scores, 5)

    def _near(self, scores: Floats, vector: Floats, allowed: Ints | None, depth: int) -> bool:
        """Fill in the scores of articles that the graph finds near; false where too few of them are allowed."""
        share = 1.0 if allowed is None else len(allowed) / self.size
        found = self._opened().search(vector, min(self.size, int(2 * depth / share) + 100), threads=1)
        keys = found.keys.astype(np.int64)
        scores[keys - 1] = 1 - found.distances
        return allowed is None or int(np.count_nonzero(np.isin(keys, allowed))) >= min(depth, len(allowed))

    def _opened(self) -> Any:
        if self._graph is None:
            from usearch.index import Index

            self._graph = Index.restore(memoryview(self._bytes), view=True)
            self._graph.expansion_search = 512
        return self._graph


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


def _weighted(counts: Counts, column: NDArray[np.int32], rarity: Floats) -> _Sparse:
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
    """The leading right singular vectors, [column, dimension]; the sign of each so that its largest entry is positive."""
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
