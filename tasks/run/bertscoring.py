"""BERTScore of a stored run: the vectors come from a GGUF embedding model of the user's, the scores go to the
journal.

Answers of ended attempts are held against the reference answers of their tasks, a batch at a time; what has a score
of the same settings keeps it, so that an interrupted scoring goes on. Errors of the machinery have no score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from models.llama.embedder import Tokens
from store.journal import Journal, ScoreRow
from tasks.errors import UsageError
from tasks.run.listing import store_totals
from tasks.run.rescoring import StoredRun
from tasks.scoring.bertscore import (
    SCORER,
    VERSION,
    BertScore,
    bertscore,
    is_scored,
    words_of,
)
from tasks.scoring.result import Result

BATCH = 8
"""Pairs of texts whose vectors are asked for, and whose scores are written, together."""
Progress = Callable[[int, int, int], None]
"""Told how many of how many are done, and how many of them just now."""
Pair = tuple[str, str]
"""An answer and its reference."""
EMPTY = Tokens((), (), False, np.zeros((0, 1), dtype=np.float32))


class TokenEmbedder(Protocol):
    """A model that knows the tokens of texts; models.llama.embedder has one."""

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Tokens with vectors; no text is empty."""
        ...


def score_texts(
    run: StoredRun,
    model: TokenEmbedder,
    about: Mapping[str, object],
    author: str,
    progress: Progress = lambda done, total, more: None,
) -> int:
    """Append the BERTScores that the run does not have yet; returns how many.

    Raises:
        UsageError: its benchmark or its tasks have no reference texts.
        EngineError, BadEngine: the model gives no vectors.
    """
    references = _references(run)
    settings = {**about, "layer": "last", "idf": False, "rescale": None}
    waiting = list(_waiting(run, references, settings))
    done = 0
    with Journal.open(run.path, write=True) as journal:
        for start in range(0, len(waiting), BATCH):
            batch = waiting[start : start + BATCH]
            texts = _texts(model, [pair for _, pair in batch])
            rows = [
                _row(attempt, texts[given], texts[reference], settings, author)
                for attempt, (given, reference) in batch
            ]
            done += journal.add_scores(rows)
            progress(done, len(waiting), len(rows))
        store_totals(journal)
    return done


def _references(run: StoredRun) -> dict[str, str]:
    """Task -> its reference text, of those that have one."""
    told = {one.id: run.bench.texts(one, Result(one.id, "finished", "", ""))[1].strip() for one in run.questions}
    found = {name: text for name, text in told.items() if text}
    if not found:
        raise UsageError(
            "no task of this run has a reference answer in words", "bertscore compares answers in words."
        )
    return found


def _waiting(
    run: StoredRun, references: Mapping[str, str], settings: Mapping[str, object]
) -> Iterator[tuple[int, Pair]]:
    """Attempt, answer and reference of those that have no score of these settings."""
    questions = {one.id: one for one in run.questions}
    with Journal.open(run.path) as journal:
        for one in run.attempts:
            task = one.result.task_id
            scored = one.ended and one.result.scored and task in references
            if scored and not is_scored(journal.scores(one.attempt), settings):
                given, _ = run.bench.texts(questions[task], one.result)
                yield one.attempt, (given.strip(), references[task])


def _texts(model: TokenEmbedder, pairs: Sequence[Pair]) -> dict[str, Tokens]:
    """The texts of pairs as the model sees them, each once; an empty one has no tokens."""
    each = list(dict.fromkeys(text for pair in pairs for text in pair if text))
    return {"": EMPTY, **dict(zip(each, model.tokens(each), strict=True))}


def _row(attempt: int, given: Tokens, reference: Tokens, settings: Mapping[str, object], author: str) -> ScoreRow:
    found = bertscore(given, reference)
    value: dict[str, float | None] = dict.fromkeys(BertScore._fields) if found is None else dict(found._asdict())
    evidence = {
        "answer_tokens": words_of(given), "reference_tokens": words_of(reference), "answer_cut": given.cut,
        "reference_cut": reference.cut,
    }  # fmt: skip
    return ScoreRow(attempt, SCORER, VERSION, dict(settings), value, [evidence], author)
