"""Character bigrams of articles: postings as plain arrays, with the bm25 weight of each already worked out.

Two adjacent characters need no segmenter, find the two-character words of the law that trigrams miss, and a query
costs one addition a posting. A key is a pair of code points in one integer; places are numbers of articles from 0
(article id - 1).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

K1, B = 1.2, 0.75
"""The usual parameters of bm25 (Robertson, Zaragoza 2009), those of FTS5."""

_SHIFT = np.int64(21)

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class BigramCounts:
    """How often bigrams stand in texts, text by text.

    starts: where each text begins in `terms` and `counts`, one more than there are texts; keys: the bigrams, sorted;
    terms: places in `keys`, ascending within a text; counts: how often, by the weight of the field.
    """

    keys: Ints
    starts: Ints
    terms: NDArray[np.int32]
    counts: Floats


@dataclass(frozen=True, slots=True)
class Postings:
    """The texts of each bigram: those of `keys[i]` are `places[starts[i]:starts[i + 1]]`, ascending."""

    keys: Ints
    starts: Ints
    places: NDArray[np.int32]
    weights: NDArray[np.float16]

    def score(self, wanted: Iterable[tuple[Ints, float]], size: int) -> Floats:
        """Sum of the weights of the wanted bigrams for each of `size` texts; (bigrams, factor) by group."""
        scores = np.zeros(size, np.float32)
        for bigrams, factor in wanted:
            for at in find(self.keys, bigrams):
                run = slice(int(self.starts[at]), int(self.starts[at + 1]))
                # A text stands once in the run of a bigram, so a plain sum by index loses nothing.
                scores[self.places[run]] += self.weights[run].astype(np.float32) * np.float32(factor)
        return scores


def bigrams(text: str) -> Ints:
    """The bigrams of letters and digits in their order; none across anything else."""
    codes = np.frombuffer(text.encode("utf-32-le", errors="ignore"), np.uint32).astype(np.int64)
    if len(codes) < 2:
        return np.zeros(0, np.int64)
    good = _is_letter()[np.minimum(codes, 0x2FFFF)]
    return ((codes[:-1] << _SHIFT) | codes[1:])[good[:-1] & good[1:]]


def distinct(text: str) -> Ints:
    """The bigrams of a text, each once, in the order of their keys."""
    return np.unique(bigrams(text))


def find(keys: Ints, wanted: Ints) -> Ints:
    """Places of the wanted keys among sorted ones; those that are not there are left out."""
    at = np.searchsorted(keys, wanted)
    at = at[at < len(keys)]
    return at[np.isin(keys[at], wanted)] if len(at) else at


def count(fields: Sequence[tuple[Sequence[str], float]]) -> BigramCounts:
    """Bigrams of texts that have several fields, each with its weight; all fields have one text each in the same
    order."""
    size = len(fields[0][0])
    pieces: list[tuple[Ints, Floats]] = []
    lengths = np.zeros(size + 1, np.int64)
    for begin in range(0, size, _CHUNK):
        owners, keys, amounts = _stretch(fields, begin)
        # A key has 42 bits, so that place and key of a stretch fit into one integer.
        pairs, back = np.unique((owners << (2 * _SHIFT)) | keys, return_inverse=True)
        counts = np.bincount(back.reshape(-1), weights=amounts, minlength=len(pairs)).astype(np.float32)
        pieces.append((pairs & ((np.int64(1) << (2 * _SHIFT)) - 1), counts))
        lengths[begin + 1 : begin + 1 + _CHUNK] = np.bincount(
            pairs >> (2 * _SHIFT), minlength=min(_CHUNK, size - begin)
        )
    every = np.zeros(0, np.int64)
    for keys, _ in pieces:
        every = np.union1d(every, keys)
    total = int(lengths.sum())
    terms, counted, at = np.zeros(total, np.int32), np.zeros(total, np.float32), 0
    for place, (keys, counts) in enumerate(pieces):
        terms[at : at + len(keys)] = np.searchsorted(every, keys)
        counted[at : at + len(keys)] = counts
        at += len(keys)
        pieces[place] = (keys[:0], counts[:0])
    return BigramCounts(every, np.cumsum(lengths), terms, counted)


def _stretch(fields: Sequence[tuple[Sequence[str], float]], begin: int) -> tuple[Ints, Ints, Floats]:
    """Every bigram of some texts in all fields: the text it stands in (from 0), its key, the weight of the field."""
    found: list[Ints] = []
    owners: list[Ints] = []
    amounts: list[Floats] = []
    for texts, weight in fields:
        chunk = [bigrams(text) for text in texts[begin : begin + _CHUNK]]
        lengths = np.fromiter((len(one) for one in chunk), np.int64, len(chunk))
        found.extend(chunk)
        owners.append(np.repeat(np.arange(len(chunk), dtype=np.int64), lengths))
        amounts.append(np.full(int(lengths.sum()), weight, np.float32))
    return np.concatenate(owners), np.concatenate(found), np.concatenate(amounts)


def invert(counts: BigramCounts) -> Postings:
    """Postings with bm25 weights: saturated frequency, length of the text, rarity of the bigram."""
    size, width = len(counts.starts) - 1, len(counts.keys)
    places = np.repeat(np.arange(size, dtype=np.int32), np.diff(counts.starts))
    lengths = np.bincount(places, weights=counts.counts, minlength=size)
    mean = lengths.mean() if size else 1.0
    document = np.bincount(counts.terms, minlength=width)
    rarity = np.log1p((size - document + 0.5) / (document + 0.5))
    damping = K1 * (1 - B + B * lengths / max(mean, 1e-9))
    weights = counts.counts * (K1 + 1) / (counts.counts + damping[places]) * rarity[counts.terms]
    order = np.argsort(counts.terms, kind="stable")
    starts = np.concatenate([[0], np.cumsum(document)]).astype(np.int64)
    return Postings(counts.keys, starts, places[order], weights[order].astype(np.float16))


@functools.cache
def _is_letter() -> NDArray[np.bool_]:
    """For each code point whether it is a letter or a digit (the last one stands for all beyond)."""
    return np.fromiter((chr(code).isalnum() for code in range(0x30000)), np.bool_, 0x30000)


_CHUNK = 4096
