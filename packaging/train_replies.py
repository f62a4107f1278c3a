"""Trains the reader of answers (tasks/courts/procedure/replies.npz) and writes its card, replies.json.

    pip install -e '.[train]' && python packaging/train_replies.py

Data: the whole turns of `train_acts.TURNS`. A reply answers the acts that the turn is credited with for the side that
spoke, and no other act. Of a turn with a fault nobody knows why an act has no credit: there only the credited ones
count. What a score must reach is set on replies to acts that the procedure takes for asked, read by models that saw
no file of the same writer: so little that of the right ones LOST is lost.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from sklearn.svm import LinearSVC
from train_acts import DATA, OUT, SEED, TURNS, counted, rarities

from tasks.courts.procedure.acts import Known
from tasks.courts.procedure.answering import answers_anything, parts
from tasks.courts.procedure.classifier import SCALE
from tasks.courts.procedure.features import BUCKETS, features
from tasks.courts.procedure.labels import NOW, course, read_rows
from tasks.courts.procedure.tables import profile
from tasks.courts.procedure.turns import SIDE_OF
from tasks.courts.simulated import trials

COST, WEIGHT, FEWEST = 0.3, 8, 10
"""Of the support vector machine; and replies that an act must have been answered by."""
LOST = 0.01


@dataclass(frozen=True)
class Said:
    """What a side said after a turn: features of the whole and of its sentences, the acts that it answers, those of
    which nobody knows, the file, and the acts that the procedure takes it for (act, whether rightly)."""

    parts: list[np.ndarray]
    answers: frozenset[str]
    open: bool
    file: int
    tried: list[tuple[str, bool]]


def read() -> list[Said]:
    """The replies of all files."""
    trials.speaks_to = lambda *_: True  # what is to be learnt takes no part in it
    found = []
    for number, name in enumerate(TURNS):
        for row in read_rows(DATA / f"{name}.jsonl"):
            known, law, acts = Known.of(row.hearing()), profile("law", row.env).acts, set(row.acts)
            texts = defaultdict(list)
            for said in row.reply:
                texts[SIDE_OF.get(said.speaker)].append(said.text)
            credits = [c for c in course(row, "law").credits if c.turn == NOW and c.reply is not None]
            for side, words in texts.items():
                mine = {key.split("/")[0] for key in acts if key.split("/")[-1] == side or key.startswith("exhibit/")}
                tried = [
                    (credit.act, credit.key in acts)
                    for credit in credits
                    if credit.side == side and credit.key not in row.done and not law[credit.act].fallback
                ]
                if answers_anything("\n".join(words)):
                    tried = []
                seen = [features(part).ids for part in parts("\n".join(words), known)]
                if seen:
                    found.append(Said(seen, frozenset(mine), bool(row.faults), number, tried))
    return found


def main() -> None:
    """The command."""
    said = read()
    count = {act: sum(act in one.answers for one in said) for act in set().union(*(one.answers for one in said))}
    fallback = {act for env in ("CI", "CR") for act, spec in profile("law", env).acts.items() if spec.fallback}  # type: ignore[arg-type]
    acts = sorted(act for act, times in count.items() if times >= FEWEST and act not in fallback)
    rarity = rarities([one.parts[0] for one in said])
    rows = counted([one.parts[0] for one in said], rarity)

    def fitted(keep: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        weights, bias = np.zeros((BUCKETS, len(acts))), np.zeros(len(acts))
        for place, act in enumerate(acts):
            use = [at for at in keep if act in said[at].answers or not said[at].open]
            model = LinearSVC(C=COST, class_weight={0: 1, 1: WEIGHT}, random_state=SEED, tol=1e-3)
            model.fit(rows[use], [act in said[at].answers for at in use])
            weights[:, place], bias[place] = model.coef_[0], model.intercept_[0]
        return weights, bias

    def best(one: Said, weights: np.ndarray, bias: np.ndarray) -> np.ndarray:
        scores: np.ndarray = counted(one.parts, rarity) @ weights + bias
        return scores.max(axis=0)

    right, wrong = [], []
    for number in range(len(TURNS)):
        away, here = (np.flatnonzero([(one.file == number) == held for one in said]) for held in (False, True))
        weights, bias = fitted(away)
        for at in here:
            scores = best(said[at], weights, bias)
            for act, credited in said[at].tried:
                if act in acts:
                    (right if credited else wrong).append(scores[acts.index(act)])
    least = float(np.quantile(right, LOST))
    weights, bias = fitted(np.arange(len(said)))
    scale = 127 / np.abs(weights).max(axis=0)
    np.savez_compressed(
        OUT / "replies.npz", acts=np.array(acts), weights=np.round(weights * scale).astype(np.int8),
        rarity=rarity.astype(np.uint8), least=np.round((least - bias) * scale * SCALE).astype(np.int64),
        sure=np.zeros(len(acts), np.int64),
    )  # fmt: skip
    card = {
        "seed": SEED, "buckets": BUCKETS, "acts": len(acts), "replies": len(said), "least": round(least, 3),
        "by_other_hands": {
            "right": len(right), "right_lost": int((np.array(right) < least).sum()),
            "wrong": len(wrong), "wrong_found": int((np.array(wrong) < least).sum()),
        },
    }  # fmt: skip
    (OUT / "replies.json").write_text(json.dumps(card, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(card)


if __name__ == "__main__":
    sys.exit(main())
