"""BERTScore over vectors of tokens: how close the words of an answer are to those of the reference answer.

Zhang et al., "BERTScore: Evaluating Text Generation with BERT" (ICLR 2020), section 3, as their program computes it.
Each token of a text meets the most similar one of the other (cosine); precision is the mean over the tokens of the
answer, recall over those of the reference, F1 their harmonic mean. Special tokens that a tokenizer adds
([CLS], [SEP]) have weight 0; a word may still be closest to one of them, as in that program. Values
are cosines, from -1 to 1 and in practice well above 0, not rescaled. Pure numpy; vectors are rows, texts are lists of
token ids.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from store.journal import Journal, ScoreRow
from tasks.scoring.added import SECTION
from tasks.scoring.metrics import SHARE, Group, Measure, Metric, Summary
from tasks.scoring.names import Names
from tasks.scoring.statistics import mean_interval

if TYPE_CHECKING:
    from models.llama.embedder import Tokens

VERSION = "bertscore/1"
Vectors = NDArray[np.float32]


def words_of(text: Tokens) -> int:
    """Tokens of the text itself."""
    return len(text.ids) - sum(text.special)


class BertScore(NamedTuple):
    """Precision, recall, F1."""

    precision: float
    recall: float
    f1: float


NONE = BertScore(0.0, 0.0, 0.0)
"""Of an answer without a word."""


def bertscore(candidate: Tokens, reference: Tokens) -> BertScore | None:
    """How close an answer is to the reference; None where the words of one of them weigh nothing.

    An answer without a word gets 0; a reference without one says nothing.
    """
    if not words_of(reference):
        return None
    if not words_of(candidate):
        return NONE
    similar = _unit(candidate.vectors) @ _unit(reference.vectors).T
    precision = _mean(similar.max(axis=1), _weights(candidate))
    recall = _mean(similar.max(axis=0), _weights(reference))
    return None if precision is None or recall is None else BertScore(precision, recall, _f1(precision, recall))


def _unit(vectors: Vectors) -> NDArray[np.float64]:
    rows = vectors.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


def _weights(text: Tokens) -> NDArray[np.float64]:
    return 1.0 - np.asarray(text.special, dtype=np.float64)


def _mean(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float | None:
    whole = float(weights.sum())
    return float((values * weights).sum() / whole) if whole > 0 else None


def _f1(precision: float, recall: float) -> float:
    both = precision + recall
    return 2 * precision * recall / both if both else 0.0


SCORER = "bertscore"
PARTS: Mapping[str, Names] = {
    "precision": ("BERTScore 精确率", "BERTScore precision"),
    "recall": ("BERTScore 召回率", "BERTScore recall"),
    "f1": (
        "BERTScore F1（{}，末层；与论文所用模型的数字不可比）",
        "BERTScore F1 ({}, last layer; not comparable with a paper's model)",
    ),
}
"""Figure -> Chinese, English; the last one says how all were made."""
SHOWN_HASH = 12


def is_scored(rows: Sequence[ScoreRow], settings: Mapping[str, object]) -> bool:
    """Whether an attempt has a BERTScore of these settings."""
    return any(row.scorer == SCORER and row.version == VERSION and row.settings == settings for row in rows)


def with_closeness(
    summary: Summary, clusters: Mapping[str, str], journal: Journal, only: Collection[str] | None = None
) -> Summary:
    """A summary with the means of the BERTScores of the last attempts, of the settings that were scored with last;
    `clusters`: id of a task -> its cluster; `only`: episodes, all where it is None. Attempts without a figure are
    left out, `n` says how many there are."""
    found = [
        (row.task_id, score)
        for row, attempts in journal.walk()
        for score in _newest_of_each(journal.scores(attempts[-1].id))
        if row.task_id in clusters and (only is None or row.id in only)
    ]
    if not found:
        return summary
    settings = max((score for _, score in found), key=lambda score: score.at).settings
    rows, named = [], _named(settings)
    for part, label in PARTS.items():
        values = [
            (float(value), clusters[task])
            for task, score in found
            if score.settings == settings and isinstance(value := score.value.get(part), int | float)
        ]
        mean = fsum(value for value, _ in values) / len(values) if values else None
        interval = mean_interval([value for value, _ in values], [cluster for _, cluster in values])
        made = (label[0].format(named), label[1].format(named))
        measure = Measure("", f"{SCORER}_{part}", made, SHARE, "up", SECTION)
        group = Group(f"{VERSION} {named}", ("全部", "all"), len(values))
        rows.append(Metric(measure, group, mean, len(values), interval))
    return replace(summary, rows=[*summary.rows, *rows])


def _newest_of_each(rows: Sequence[ScoreRow]) -> list[ScoreRow]:
    """The BERTScores of an attempt, the newest of each settings."""
    kept = {
        json.dumps(row.settings, sort_keys=True): row
        for row in rows
        if row.scorer == SCORER and row.version == VERSION and isinstance(row.value, dict)
    }
    return list(kept.values())


def _named(settings: Mapping[str, object]) -> str:
    return f"{settings.get('model', '')} {str(settings.get('sha256', ''))[:SHOWN_HASH]}"
