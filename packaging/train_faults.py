"""Trains the reader of whole turns (tasks/courts/procedure/faults.npz) and writes its card, faults.json.

    pip install -e '.[train]' && python packaging/train_faults.py

Data: the whole turns of `train_acts.TURNS` with the faults that lawyers named in them. The reader is asked for what
the rules of procedure do not name themselves. So what a score must reach is set on turns of one hand read by models
that saw no turn of it: the least for which of the faults that are named beside those of the rules RIGHT are named by
the lawyer, too. A fault of which fewer than FEWEST are found so is left to the rules. What it finds is shown and
voids no trial.
"""

from __future__ import annotations

import json
import sys

import numpy as np
import scipy.sparse as sparse
from sklearn.svm import LinearSVC
from train_acts import DATA, OUT, SEED, TURNS

from tasks.courts.procedure import machine
from tasks.courts.procedure.acts import Known
from tasks.courts.procedure.classifier import SCALE
from tasks.courts.procedure.features import BUCKETS
from tasks.courts.procedure.labels import FAULTS, Row, judged, read_rows
from tasks.courts.procedure.turns import SIDE_OF
from tasks.courts.procedure.whole import seen

COST, WEIGHT = 0.5, 4
"""Of the support vector machine."""
RIGHT, FEWEST = 0.8, 8


def silent(row: Row) -> bool:
    """Whether somebody who was spoken to says nothing."""
    heard = {SIDE_OF.get(said.speaker) for said in row.reply}
    return not heard.issuperset(SIDE_OF[role] for role in row.turn.to if role in SIDE_OF)


def least_score(scores: np.ndarray, right: np.ndarray) -> tuple[float, int, int]:
    """What a score must reach, and how many are then named rightly and wrongly."""
    order = np.argsort(-scores, kind="stable")
    found = np.cumsum(right[order])
    enough = np.flatnonzero(right[order] & (found >= RIGHT * np.arange(1, len(order) + 1)))
    if not len(enough):
        return float("inf"), 0, 0
    last = int(enough[-1])
    return float(scores[order[last]]), int(found[last]), last + 1 - int(found[last])


def main() -> None:
    """The command."""
    machine.faults_of = lambda *_: frozenset()  # what is to be learnt takes no part in it
    rows, file = [], []
    for number, name in enumerate(TURNS):
        rows += read_rows(DATA / f"{name}.jsonl")
        file += [number] * (len(rows) - len(file))
    hand = np.array(file)
    named = [judged(row).faults for row in rows]
    texts = [seen(row.turn.text, f"{row.env}/{row.stage}", Known.of(row.hearing())).ids for row in rows]
    count = np.bincount(np.concatenate(texts), minlength=2 * BUCKETS)
    rarity = np.clip(np.round(16 * (1 + np.log((1 + len(texts)) / (1 + count)))), 1, 255) * (count > 1)
    where = np.repeat(np.arange(len(texts)), [len(one) for one in texts])
    matrix = sparse.csr_matrix(
        (rarity[np.concatenate(texts)], (where, np.concatenate(texts))), (len(texts), 2 * BUCKETS)
    )
    length = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    matrix = (sparse.diags(1 / np.maximum(length, 1)) @ matrix).tocsr()

    def fitted(keep: np.ndarray, wanted: np.ndarray) -> LinearSVC:
        model = LinearSVC(C=COST, class_weight={0: 1, 1: WEIGHT}, random_state=SEED, tol=1e-3)
        return model.fit(matrix[keep], wanted[keep])

    codes, weights, bias, least, card = [], [], [], [], {}
    for code in sorted(FAULTS):
        wanted = np.array([code in row.faults for row in rows])
        scores = np.zeros(len(rows))
        for number in range(len(TURNS)):
            scores[hand == number] = fitted(hand != number, wanted).decision_function(matrix[hand == number])
        free = np.array(
            [
                code not in found and (code != "no_answer" or silent(row))
                for found, row in zip(named, rows, strict=True)
            ]
        )
        reach, good, bad = least_score(scores[free], wanted[free])
        print(code, "missed", int((wanted & free).sum()), "found", good, "wrong", bad, "at", round(reach, 3))
        if good < FEWEST:
            continue
        model = fitted(np.full(len(rows), True), wanted)
        codes.append(code)
        weights.append(model.coef_[0])
        bias.append(model.intercept_[0])
        least.append(reach)
        card[code] = {"missed": int((wanted & free).sum()), "found": good, "wrong": bad}
    columns = np.array(weights).T
    scale = 127 / np.abs(columns).max(axis=0)
    np.savez_compressed(
        OUT / "faults.npz", acts=np.array(codes), weights=np.round(columns * scale).astype(np.int8),
        rarity=rarity.astype(np.uint8), least=np.round((np.array(least) - bias) * scale * SCALE).astype(np.int64),
        sure=np.zeros(len(codes), np.int64),
    )  # fmt: skip
    told = {"seed": SEED, "buckets": 2 * BUCKETS, "turns": len(rows), "beside_the_rules_by_other_hands": card}
    (OUT / "faults.json").write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
