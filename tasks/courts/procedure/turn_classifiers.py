"""Whether words speak to the act that asked for them: a linear classifier over `features`, one for all trials.

It learnt from labelled turns which replies lawyers took for an answer to an act and which not
(`packaging/court_classifiers.py`, `replies.npz`). Acts that ask about the facts of a case are
not its matter: what is said to those differs with every case.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

import numpy as np

from tasks.agents.degenerate import denies
from tasks.courts.procedure.acts import MAX_TEXT, Known, sentences
from tasks.courts.procedure.classifier import Classifier, shipped
from tasks.courts.procedure.features import Features, features, folded, in_stage
from tasks.courts.scores.bigrams import bigrams
from tasks.courts.simulated.wording import FEWEST

MOST = 40
"""What a turn is as a whole: whether it answers what was asked, and what is wrong with it; two classifiers."""


def speaks_to(act: str, text: str, known: Known) -> bool:
    """Whether a reply, or one of its sentences, may be meant as an answer to an act (its id in the tables); nothing
    is said against a reply to an act that the classifier does not know."""
    return act not in _places() or answers_anything(text) or act in _answered(text, known)


def answers_anything(text: str) -> bool:
    """Whether a reply is a denial in a few words (没有。): it answers whatever was asked."""
    return len(bigrams(text)) < FEWEST and denies(text)


@lru_cache(maxsize=512)
def _answered(text: str, known: Known) -> frozenset[str]:
    """Remembered: each act of a turn asks about the whole reply."""
    model, found = _model(), set[str]()
    for words in parts(text, known):
        scores = model.scores(features(words))
        found.update(act for act, place in _places().items() if scores[place] >= 0)
    return frozenset(found)


def parts(text: str, known: Known) -> list[str]:
    """What is read of a reply, folded: the whole, then its sentences."""
    said = [text, *(words for _, words in islice(sentences(text), MOST))]
    return [words for part in said if (words := folded(part, known.persons, known.titles).text)]


def _model() -> Classifier:
    return shipped("replies")


@lru_cache(maxsize=1)
def _places() -> dict[str, int]:
    return {act: place for place, act in enumerate(_model().acts)}


@lru_cache(maxsize=512)
def faults_of(text: str, stage: str, known: Known) -> frozenset[str]:
    """Codes of the faults that a turn shows.

    Args:
        stage: kind of trial and stage in which the turn begins, as `CI/debate`.
        known: what the case names.
    """
    model = shipped("faults")
    scores = model.scores(seen(text, stage, known))
    return frozenset(code for code, score in zip(model.acts, scores.tolist(), strict=True) if score >= 0)


def seen(text: str, stage: str, known: Known) -> Features:
    """What the classifier sees of a turn; training and reading share it."""
    alone = features(folded(text[:MAX_TEXT], known.persons, known.titles).text).ids
    return Features(np.concatenate([alone, in_stage(alone, stage)]), np.empty((0, 3), np.int64))
