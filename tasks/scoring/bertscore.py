"""BERTScore over vectors of tokens: how close the words of an answer are to those of the reference answer.

Zhang et al., "BERTScore: Evaluating Text Generation with BERT" (ICLR 2020), section 3, as their program computes it.
Each token of a text meets the most similar one of the other (cosine); precision is the weighted mean over the tokens
of the answer, recall over those of the reference, F1 their harmonic mean. Weights are 1, or the inverse document
frequency of the token among the references. Special tokens that a tokenizer adds ([CLS], [SEP]) have weight 0; a word
may still be closest to one of them, as in that program. Values are cosines, from -1 to 1 and in practice well above
0; rescaled ones are 0 where unrelated texts are. Pure numpy; vectors are rows, texts are lists of token ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

VERSION = "bertscore/1"
Vectors = NDArray[np.float32]
Weight = Callable[[int], float]
"""The weight of a token that is no special one."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text as a model sees it.

    ids: its n tokens; special: which of them the tokenizer added; vectors: n rows; cut: whether it was longer than
    the model reads.
    """

    ids: tuple[int, ...]
    special: tuple[bool, ...]
    vectors: Vectors
    cut: bool = False

    @property
    def words(self) -> int:
        """Tokens of the text itself."""
        return len(self.ids) - sum(self.special)


class Found(NamedTuple):
    """Precision, recall, F1."""

    precision: float
    recall: float
    f1: float


NONE = Found(0.0, 0.0, 0.0)
"""Of an answer without a word."""


def alike(_: int) -> float:
    """Every token weighs the same."""
    return 1.0


def idf(references: Iterable[Sequence[int]]) -> Weight:
    """Inverse document frequency among the references: log((N + 1) / (n + 1)) for a token that n of N hold."""
    counts: Counter[int] = Counter()
    n = 0
    for ids in references:
        counts.update(set(ids))
        n += 1
    return lambda token: log((n + 1) / (counts[token] + 1))


def bertscore(candidate: Text, reference: Text, weight: Weight = alike) -> Found | None:
    """How close an answer is to the reference; None where the words of one of them weigh nothing.

    An answer without a word gets 0; a reference without one says nothing.
    """
    if not reference.words:
        return None
    if not candidate.words:
        return NONE
    similar = _unit(candidate.vectors) @ _unit(reference.vectors).T
    precision = _mean(similar.max(axis=1), _weights(candidate, weight))
    recall = _mean(similar.max(axis=0), _weights(reference, weight))
    return None if precision is None or recall is None else Found(precision, recall, _f1(precision, recall))


def rescaled(found: Found, baseline: Found) -> Found:
    """The same on a scale on which unrelated texts have 0: (x - b) / (1 - b), each figure by its own baseline."""
    return Found(*((value - base) / (1 - base) for value, base in zip(found, baseline, strict=True)))


def baseline_of(pairs: Sequence[Found]) -> Found:
    """The mean of each figure over pairs of unrelated texts."""
    return Found(*(float(value) for value in np.asarray(pairs, dtype=np.float64).mean(axis=0)))


def _unit(vectors: Vectors) -> NDArray[np.float64]:
    rows = vectors.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


def _weights(text: Text, weight: Weight) -> NDArray[np.float64]:
    held = (0.0 if special else weight(token) for token, special in zip(text.ids, text.special, strict=True))
    return np.fromiter(held, dtype=np.float64, count=len(text.ids))


def _mean(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float | None:
    whole = float(weights.sum())
    return float((values * weights).sum() / whole) if whole > 0 else None


def _f1(precision: float, recall: float) -> float:
    both = precision + recall
    return 2 * precision * recall / both if both else 0.0
