"""Trains the classifier of acts (tasks/courts/procedure/acts_CI.npz, acts_CR.npz) and writes its card, acts.json.

    pip install -e '.[train]' && python packaging/train_acts.py

Data: tests/courts/acts_CI.jsonl and acts_CR.jsonl, paraphrases and wrong turns that two people wrote who had not read
the program (a third of them, by the hash of the text, is held out: never trained on), and acts_spoken.jsonl:
sentences of the rules' own judge and of the model trials of the tests, labelled by the former lists of phrases, and a
few by hand. Everything is seeded: the same data gives the same files.
"""

from __future__ import annotations

import hashlib
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
from sklearn.svm import LinearSVC

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tasks.courts.procedure.acts import cut, pieces  # noqa: E402
from tasks.courts.procedure.classifier import SCALE  # noqa: E402
from tasks.courts.procedure.features import BUCKETS, features, folded  # noqa: E402

DATA, OUT = ROOT / "tests/courts", ROOT / "tasks/courts/procedure"
PERSONS = {
    "CI": ("沈秋白", "闻一舟", "陆明远", "祁山", "高棠", "汤若谷", "许知微", "贺兰亭", "白鹿"),
    "CR": ("邵北辰", "顾鸣", "尹澜", "韩叙", "陶令", "方觉", "林渡", "秦朗"),
}
TITLES = {"CI": ("借条", "银行转账凭证", "转账凭证", "微信聊天记录", "还款收据", "高棠的证言"), "CR": ()}
FOLDS, SEED, COST, WEIGHT = 3, 2026, 1.0, 8
MOST = 8
"""Parts of one text that are trained on."""
SURE = 0.93
"""Of acts that are found with the greater threshold, so many are to be right."""
DOUBT = -0.2
"""A row that scores more than this on an act that its writer was not thinking of says nothing about that act."""


def held_out(text: str) -> bool:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % 3 == 0


def lines(name: str) -> list[dict]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines() if line.strip()]


def main() -> None:
    with ProcessPoolExecutor(2) as pool:
        told = dict(zip(("CI", "CR"), pool.map(trained, ("CI", "CR")), strict=True))
    card = {"seed": SEED, "buckets": BUCKETS, "environments": told}
    (OUT / "acts.json").write_text(json.dumps(card, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def trained(env: str) -> dict:
    rows = [row for row in lines(f"acts_{env}.jsonl") if not held_out(row["text"])]
    return train(env, rows, [row for row in lines("acts_spoken.jsonl") if row["env"] == env])


def ids(text: str, env: str, known: bool) -> np.ndarray:
    marks = (PERSONS[env], TITLES[env]) if known else ()
    return features(folded(text, *marks).text).ids


def parts(text: str) -> list[str]:
    """What is read of a turn: sentences and runs of them."""
    return [part for _, part in pieces(cut(text))]


def train(env: str, rows: list[dict], spoken: list[dict]) -> dict:
    acts = sorted({row["act"] for row in rows} | {act for row in spoken for act in row["acts"]})
    place = {act: number for number, act in enumerate(acts)}
    fold = np.array([int(hashlib.md5(row["text"].encode()).hexdigest(), 16) % FOLDS for row in rows])
    # label: 1 does it, 0 does not, -1 nobody said
    label = np.zeros((len(rows), len(acts)), int)
    for at, row in enumerate(rows):
        for act in ([row["act"]] if row["does"] else []) + row.get("also", []):
            if act in place:
                label[at, place[act]] = 1
    told = np.zeros((len(spoken), len(acts)), int)
    for at, row in enumerate(spoken):
        told[at, [place[act] for act in row["acts"]]] = 1
        told[at, [place[act] for act in row.get("unsure", [])]] = -1
    own = np.array([place[row["act"]] for row in rows])
    # every row twice: as read in a case that names its people and exhibits, and in one that does not
    seen = [ids(cut(row["text"]), env, known) for known in (True, False) for row in rows]
    said = [ids(row["text"], env, False) for row in spoken]
    spoken_parts = [[ids(part, env, False) for part in parts(row["text"])][:MOST] for row in spoken]
    windows = [[ids(part, env, True) for part in parts(row["text"])] for row in rows]

    def fitted(keep: np.ndarray, label: np.ndarray, small: bool) -> tuple[np.ndarray, np.ndarray]:
        """Weights from rows and what the rules say, and with `small` from their parts: no part does what the whole
        does not."""
        chosen = [*(seen[at] for at in keep), *(seen[len(rows) + at] for at in keep), *said]
        target = [label[keep], label[keep], told]
        if small:
            pieces_of = [(at, part) for at in keep for part in windows[at][:MOST] if len(windows[at]) > 1]
            chosen += [part for _, part in pieces_of] + [part for parts in spoken_parts for part in parts]
            of_rows = np.where(label[[at for at, _ in pieces_of]] == 0, 0, -1)
            of_told = np.repeat(np.where(told == 0, 0, -1), [len(parts) for parts in spoken_parts], axis=0)
            target += [of_rows, of_told]
        rarity = rarities(chosen)
        matrix, wanted = counted(chosen, rarity), np.concatenate(target)
        weights = np.zeros((BUCKETS, len(acts)))
        for act in range(len(acts)):
            use = np.flatnonzero(wanted[:, act] >= 0)
            model = LinearSVC(C=COST, class_weight={0: 1, 1: WEIGHT}, random_state=SEED, tol=1e-3)
            model.fit(matrix[use], wanted[use, act])
            weights[:, act], bias[act] = model.coef_[0], model.intercept_[0]
        return weights, rarity

    bias = np.zeros(len(acts))

    def crossed(label: np.ndarray, small: bool) -> np.ndarray:
        scores = np.zeros((len(rows), len(acts)))
        for number in range(FOLDS):
            weights, rarity = fitted(np.flatnonzero(fold != number), label, small)
            for at in np.flatnonzero(fold == number):
                scores[at] = (counted(windows[at], rarity) @ weights).max(axis=0) + bias if windows[at] else -9
        return scores

    first = crossed(label, False)
    doubted = label.copy()
    doubted[(first > DOUBT) & (label == 0) & (own[:, None] != np.arange(len(acts)))] = -1
    scores = crossed(doubted, True)
    least, sure, figures = thresholds(scores, doubted, rows, own)
    weights, rarity = fitted(np.arange(len(rows)), doubted, True)
    scale = 127 / np.abs(weights).max(axis=0)
    np.savez_compressed(
        OUT / f"acts_{env}.npz",
        acts=np.array(acts),
        weights=np.round(weights * scale).astype(np.int8),
        rarity=rarity.astype(np.uint8),
        least=np.round((least - bias) * scale * SCALE).astype(np.int64),
        sure=np.round(sure * scale * SCALE).astype(np.int64),
    )
    return {
        "acts": len(acts), "rows": len(rows), "does": int(sum(row["does"] for row in rows)), "spoken": len(spoken),
        "held_out": sum(held_out(row["text"]) for row in lines(f"acts_{env}.jsonl")), **figures,
    }  # fmt: skip


def rarities(texts: list[np.ndarray]) -> np.ndarray:
    count = np.bincount(np.concatenate(texts), minlength=BUCKETS)
    rare = np.clip(np.round(16 * (1 + np.log((1 + len(texts)) / (1 + count)))), 1, 255)
    return np.where(count > 0, rare, 0)


def counted(texts: list[np.ndarray], rarity: np.ndarray) -> sparse.csr_matrix:
    row = np.repeat(np.arange(len(texts)), [len(one) for one in texts])
    column = np.concatenate(texts)
    matrix = sparse.csr_matrix((rarity[column], (row, column)), shape=(len(texts), BUCKETS))
    length = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return sparse.diags(1 / np.maximum(length, 1)) @ matrix


def thresholds(
    scores: np.ndarray, label: np.ndarray, rows: list[dict], own: np.ndarray
) -> tuple[np.ndarray, float, dict]:
    """What each act must reach, best for all acts, moved half of the way to what is best for itself; and how much
    more makes it sure: so much that hardly anything is found wrongly."""
    steps = np.arange(-1.0, 0.8, 0.04)
    does = np.array([row["does"] for row in rows])

    def f1(act: int, least: float) -> np.ndarray:
        found = scores[:, act] >= least
        # a wrong turn of another act may well do this one: only its own wrong turns count against it
        wrong = found & (label[:, act] == 0) & (does | (own == act))
        return np.array([(found & (label[:, act] == 1)).sum(), wrong.sum(), (~found & (label[:, act] == 1)).sum()])

    every = range(scores.shape[1])
    table = np.array([[f1(act, least) for act in every] for least in steps])

    def best(counts: np.ndarray) -> float:
        value = 2 * counts[:, 0] / np.maximum(1, 2 * counts[:, 0] + counts[:, 1] + counts[:, 2])
        return float(steps[int(np.argmax(np.convolve(np.pad(value, 1, "edge"), np.ones(3) / 3, "valid")))])

    common = best(table.sum(axis=1))
    least = np.array([(best(table[:, act]) + common) / 2 for act in every])
    right, wrong, missed = np.sum([f1(act, least[act]) for act in every], axis=0)
    margins = np.arange(0, 1.2, 0.02)
    surer = [np.sum([f1(act, least[act] + more) for act in every], axis=0) for more in margins]
    sure = next(
        (at for at, (good, bad, _) in enumerate(surer) if good / max(1, good + bad) >= SURE), len(margins) - 1
    )
    bad = ~does
    figures = {
        "cross_validated": {
            "precision": round(float(right / (right + wrong)), 3), "recall": round(float(right / (right + missed)), 3),
            "wrong_turns_taken": round(float((scores[np.arange(len(rows)), own][bad] >= least[own][bad]).mean()), 3),
            "sure": {
                "precision": round(float(surer[sure][0] / surer[sure][:2].sum()), 3),
                "recall": round(float(surer[sure][0] / (surer[sure][0] + surer[sure][2])), 3),
            },
        }
    }  # fmt: skip
    print(common, float(margins[sure]), figures)
    return least, float(margins[sure]), figures


if __name__ == "__main__":
    main()
