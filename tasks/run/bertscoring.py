"""BERTScore of a stored run: the vectors come from a GGUF embedding model of the user's, the scores go to the
journal.

Answers of ended attempts are held against the reference answers of their tasks, a batch at a time; what has a score
of the same settings keeps it, so that an interrupted scoring goes on. Errors of the machinery have no score. The
baseline for rescaling is the mean over pairs of reference answers of different clusters: what texts of this task file
have in common without answering the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Protocol, TypeVar

import numpy as np

from models.llama.embedder import Tokens
from store.journal import Journal, ScoreRow
from tasks.benchmark import TellsTexts
from tasks.errors import UsageError
from tasks.run.listing import seal
from tasks.run.rescoring import StoredRun
from tasks.scoring.bertscore import (
    SCORER,
    VERSION,
    Found,
    Text,
    Weight,
    alike,
    baseline_of,
    bertscore,
    idf,
    is_scored,
    rescaled,
)
from tasks.scoring.result import Result

BATCH = 8
"""Pairs of texts whose vectors are asked for, and whose scores are written, together."""
PAIRS, SEED = 100, 0
"""Pairs of reference answers behind a baseline, at most, and the seed with which they are drawn."""
Progress = Callable[[int, int, int], None]
"""Told how many of how many are done, and how many of them just now."""
Pair = tuple[str, str]
"""An answer and its reference."""
EMPTY = Text((), (), np.zeros((0, 1), dtype=np.float32))
T = TypeVar("T")


class Vectors(Protocol):
    """A model that knows the tokens of texts; models.llama.embedder has one."""

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Tokens with vectors; no text is empty."""
        ...

    def ids(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """The ids of the same tokens."""
        ...


@dataclass(frozen=True, slots=True)
class Wanted:
    """How to score. model: what is recorded of the model (file name, sha256); idf: weigh rare words more; rescale: by
    a baseline."""

    model: Mapping[str, object]
    idf: bool = False
    rescale: bool = False


def score_texts(
    run: StoredRun, model: Vectors, wanted: Wanted, author: str, progress: Progress = lambda done, total, more: None
) -> int:
    """Append the BERTScores that the run does not have yet; returns how many.

    Raises:
        UsageError: its benchmark or its tasks have no reference texts, or too few for a baseline.
        EngineError, BadEngine: the model gives no vectors.
    """
    references = _references(run)
    weight = idf(_ids(model, list(references.values()))) if wanted.idf else alike
    baseline, n = _baseline(run, model, references, weight) if wanted.rescale else (None, 0)
    settings = {
        **wanted.model, "layer": "last", "idf": wanted.idf,
        "rescale": {**baseline._asdict(), "pairs": n, "seed": SEED} if baseline else None,
    }  # fmt: skip
    waiting = list(_waiting(run, references, settings))
    done = 0
    with Journal.open(run.path, write=True) as journal:
        for batch in _batches(_answers(run, waiting, references)):
            texts = _texts(model, [pair for _, pair in batch])
            rows = [
                _row(attempt, texts[given], texts[reference], settings, weight, baseline, author)
                for attempt, (given, reference) in batch
            ]
            done += journal.add_scores(rows)
            progress(done, len(waiting), len(rows))
        seal(journal)
    return done


def _references(run: StoredRun) -> dict[str, str]:
    """Task -> its reference text, of those that have one."""
    bench = run.bench
    if not isinstance(bench, TellsTexts):
        raise UsageError(
            f"{bench.name} has no reference answers to compare with", "bertscore compares answers in words."
        )
    told = {one.id: _stripped(bench.texts(one, Result(one.id, "finished", "", ""))[1]) for one in run.questions}
    found = {name: text for name, text in told.items() if text}
    if not found:
        raise UsageError(
            "no task of this run has a reference answer in words", "bertscore compares answers in words."
        )
    return found


def _waiting(run: StoredRun, references: Mapping[str, str], settings: Mapping[str, object]) -> Iterator[int]:
    """Ids of the attempts that have no score of these settings."""
    with Journal.open(run.path) as journal:
        for played in run.played:
            scored = played.ended and played.result.scored and played.result.task_id in references
            if scored and not is_scored(journal.scores(played.attempt), settings):
                yield played.attempt


def _answers(run: StoredRun, waiting: Sequence[int], references: Mapping[str, str]) -> Iterator[tuple[int, Pair]]:
    """Attempt, answer and reference of those."""
    assert isinstance(run.bench, TellsTexts)
    wanted, questions = set(waiting), {one.id: one for one in run.questions}
    for played in run.played:
        if played.attempt in wanted:
            task = played.result.task_id
            given, _ = run.bench.texts(questions[task], played.result)
            yield played.attempt, (_stripped(given), references[task])


def _stripped(text: str) -> str:
    """Without the blanks around it, as the reference program reads texts."""
    return text.strip()


def _batches(found: Iterator[T]) -> Iterator[list[T]]:
    while batch := list(islice(found, BATCH)):
        yield batch


def _ids(model: Vectors, texts: Sequence[str]) -> Iterator[tuple[int, ...]]:
    for start in range(0, len(texts), BATCH):
        yield from model.ids(texts[start : start + BATCH])


def _texts(model: Vectors, pairs: Sequence[Pair]) -> dict[str, Text]:
    """The texts of pairs as the model sees them, each once; an empty one has no tokens."""
    each = list(dict.fromkeys(text for pair in pairs for text in pair if text))
    seen = (Text(one.ids, one.special, one.vectors, one.cut) for one in model.tokens(each))
    return {"": EMPTY, **dict(zip(each, seen, strict=True))}


def _baseline(run: StoredRun, model: Vectors, references: Mapping[str, str], weight: Weight) -> tuple[Found, int]:
    """The mean score of pairs of unrelated reference answers, and how many there are."""
    pairs = _unrelated(run, references)
    found = []
    for batch in _batches(iter(pairs)):
        texts = _texts(model, batch)
        found += [score for pair in batch if (score := bertscore(texts[pair[0]], texts[pair[1]], weight)) is not None]
    if not found or max(made := baseline_of(found)) >= 1:
        raise UsageError(
            "the reference answers give no baseline to rescale by",
            "It takes answers of different clusters that are not the same; leave --rescale out.",
        )
    return made, len(found)


def _unrelated(run: StoredRun, references: Mapping[str, str]) -> list[Pair]:
    """Pairs of different reference answers of different clusters, drawn with a fixed seed."""
    asked = [one for one in run.questions if one.id in references]
    draw, pairs = Random(SEED), dict[Pair, None]()
    for _ in range(4 * PAIRS):
        if len(asked) > 1 and len(pairs) < PAIRS:
            first, second = draw.sample(asked, 2)
            pair = (references[first.id], references[second.id])
            if first.cluster != second.cluster and pair[0] != pair[1]:
                pairs[pair] = None
    return list(pairs)


def _row(
    attempt: int, given: Text, reference: Text, settings: Mapping[str, object], weight: Weight,
    baseline: Found | None,
    author: str,
) -> ScoreRow:  # fmt: skip
    raw = bertscore(given, reference, weight)
    found = raw if raw is None or baseline is None else rescaled(raw, baseline)
    value: dict[str, float | None] = dict.fromkeys(Found._fields) if found is None else dict(found._asdict())
    evidence = {
        "answer_tokens": given.words, "reference_tokens": reference.words, "answer_cut": given.cut,
        "reference_cut": reference.cut,
        **({"raw": raw._asdict()} if raw is not None and baseline is not None else {}),
    }  # fmt: skip
    return ScoreRow(attempt, SCORER, VERSION, dict(settings), value, [evidence], author)
