"""What is wrong with a turn as a whole, where none of its words says so clearly: a linear classifier over `features`
of what was said, alone and with the stage it was said in.

It learnt from labelled turns which faults lawyers named in them (`packaging/court_classifiers.py`, `faults.npz`).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from tasks.courts.procedure.acts import MAX_TEXT, Known
from tasks.courts.procedure.classifier import shipped
from tasks.courts.procedure.features import Features, features, folded, in_stage


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
