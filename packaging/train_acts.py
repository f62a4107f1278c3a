"""Trains the classifier of acts (tasks/courts/procedure/acts_CI.npz, acts_CR.npz) and writes its card, acts.json.

    pip install -e '.[train]' && python packaging/train_acts.py

Data, all in tests/courts: acts_CI.jsonl and acts_CR.jsonl, paraphrases and wrong turns of one act each that two
people wrote who had not read the program (a third of them, by the hash of the text, is held out: never trained on);
acts_more_CI.jsonl and acts_more_CR.jsonl, turns in many registers with all acts that they do; acts_spoken.jsonl,
sentences of the rules' own judge and of the model trials of the tests, labelled by former lists of phrases, and a few
by hand; acts_turns.jsonl, turns of many acts or of none, and whether one speaks in somebody's place (`instead`). A
row with `mentions` speaks of an act and does nothing. turns_a.jsonl to turns_j.jsonl and the labels that are no
longer unseen: whole turns in the layout of `moot procedure check`. Of such a turn nobody says which words do its act:
it is learnt from the piece that does it most by what the other rows teach, and no piece does what the turn does not.
Beside the acts it learns what a sentence is: one that only speaks of acts, or words said for others. Everything is
seeded: the same data gives the same files.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.svm import LinearSVC

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tasks.courts.procedure.acts import INSTEAD, MENTION, Known, cut, pieces  # noqa: E402
from tasks.courts.procedure.classifier import SCALE  # noqa: E402
from tasks.courts.procedure.features import BUCKETS, features, folded  # noqa: E402
from tasks.courts.procedure.labels import Row, read_rows  # noqa: E402
from tasks.courts.procedure.tables import profile  # noqa: E402
from tasks.courts.procedure.turns import SIDE_OF  # noqa: E402

DATA, OUT = ROOT / "tests/courts", ROOT / "tasks/courts/procedure"
PERSONS = {
    "CI": (
        "沈秋白", "闻一舟", "陆明远", "祁山", "高棠", "汤若谷", "许知微", "贺兰亭", "白鹿",
        "云岫装饰有限公司", "青禾物业",
    ),
    "CR": ("邵北辰", "顾鸣", "尹澜", "韩叙", "陶令", "方觉", "林渡", "秦朗"),
}  # fmt: skip
TITLES = {
    "CI": (
        "借条", "银行转账凭证", "转账凭证", "微信聊天记录", "还款收据", "高棠的证言", "房屋租赁合同", "送货单",
    ),
    "CR": ("现场监控录像", "价格认定结论书", "伤情鉴定意见"),
}  # fmt: skip
FOLDS, SEED, COST, WEIGHT = 3, 2026, 1.0, 8
BESIDE = (INSTEAD, MENTION)
"""Columns beside the acts."""
MOST = 8
"""Parts of one text that are trained on."""
BETA = 1.03
"""When thresholds are chosen an act that is missed weighs so much more than one that is found wrongly: whoever is
asked has to answer before it counts."""
SURE = 0.92
"""Of acts that are found with the greater threshold, so many are to be right."""
DOUBT = -0.2
"""A row of one act that scores more than this on an act that its writer was not thinking of says nothing about it."""
TURNS = (
    "turns_a", "turns_b", "turns_c", "turns_d", "turns_e", "turns_f", "turns_g", "turns_h", "turns_i", "turns_j",
    "labels_formal", "labels_model", "labels_spoken", "labels_unseen_a", "labels_unseen_b", "labels_unseen_c",
    "labels_unseen_d", "labels_unseen_e", "labels_unseen_f", "labels_unseen_g", "labels_unseen_h",
    "court_labels_independent",
)  # fmt: skip
"""Files of whole turns in tests/courts."""
TWICE, COUNTS = 2, 2
"""So many times a turn is trained on, and counts when thresholds are chosen: turns are what is read in court."""
UNSAID = -0.6
"""A turn that gets no credit for an act may do it all the same (out of its place, or nobody answered): where it may
not have, it scores less than this."""


@dataclass(frozen=True)
class Rows:
    """Texts; `label`: 1 does it, 0 does not, -1 nobody said; `own`: the act that a row of one act is about, else -1;
    `does`: whether it does that."""

    acts: list[str]
    texts: list[str]
    label: np.ndarray
    own: np.ndarray
    does: np.ndarray


def held_out(text: str) -> bool:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % 3 == 0


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines() if line.strip()]


def rows_of(env: str) -> Rows:
    """The rows of an environment; of the other one what teaches the columns beside the acts, which are no matter of
    the kind of trial."""
    single = [row for row in lines(f"acts_{env}.jsonl") if not held_out(row["text"])]
    named = [*lines("acts_spoken.jsonl"), *lines("acts_turns.jsonl")]
    whole = lines(f"acts_more_{env}.jsonl") + [row for row in named if row["env"] == env]
    away = "CR" if env == "CI" else "CI"
    other = [row for row in lines(f"acts_{away}.jsonl") if not held_out(row["text"])]
    other += lines(f"acts_more_{away}.jsonl") + [row for row in named if row["env"] == away]
    acts = [*sorted({row["act"] for row in single}), *BESIDE]
    place = {act: number for number, act in enumerate(acts)}
    rows = single + whole + other
    here = len(single) + len(whole)
    label = np.zeros((len(rows), len(acts)), int)
    for at, row in enumerate(rows):
        if "instead" in row:
            label[at] = -1
            label[at, place[INSTEAD]] = row["instead"]
            continue
        done = row["acts"] if "act" not in row else [row["act"]] * row["does"] + row.get("also", [])
        label[at, [place[act] for act in done if act in place]] = 1
        label[at, [place[act] for act in row.get("unsure", []) if act in place]] = -1
        if at >= here:
            label[at, : -len(BESIDE)] = -1
        label[at, place[MENTION]] = 1 if row.get("mentions") else 0 if done else -1
    own = np.array([place.get(row["act"], -1) if "act" in row else -1 for row in rows])
    own[here:] = -1
    does = np.array([row.get("does", True) for row in rows])
    return Rows(acts, [row["text"] for row in rows], label, own, does)


def said_in(names: Sequence[str]) -> list[tuple[Row, list[np.ndarray]]]:
    """The labelled turns with the features of their pieces: those of the other environment, too, teach what is beside
    the acts."""
    found = []
    for row in (row for name in names for row in read_rows(DATA / f"{name}.jsonl")):
        known = Known.of(row.hearing())
        words = [folded(part, known.persons, known.titles).text for _, part in pieces(cut(row.turn.text))]
        if parts := [features(text).ids for text in words if text]:
            found.append((row, parts))
    return found


def credited(row: Row, env: str, acts: list[str], scores: np.ndarray) -> np.ndarray:
    """What a labelled turn does, as in `Rows.label`; scores: of its best piece, by what the other rows teach."""
    specs, hearing = profile("law", row.env).acts, row.hearing()
    did, before = ({key.split("/")[0] for key in keys} for keys in (row.acts, row.done))
    # Whoever speaks and is credited nothing has been asked something that he did not answer.
    beside = {SIDE_OF.get(said.speaker) for said in row.reply} - {key.split("/")[-1] for key in row.acts}

    def of(act: str, score: float) -> int:
        if act == INSTEAD:
            return int(INSTEAD in row.faults)
        if act == MENTION or row.env != env:
            return -1
        if act in did:
            return 1
        spec = specs[act]
        if spec.level(hearing) == "none" or not set(spec.when) <= hearing.needs | {"settled"}:
            return -1
        open_ = bool(row.faults) or act in before or not beside.isdisjoint(spec.asked)
        return -1 if open_ and score > UNSAID else 0

    return np.array([of(act, score) for act, score in zip(acts, scores, strict=True)])


def main() -> None:
    with ProcessPoolExecutor(2) as pool:
        told = dict(zip(("CI", "CR"), pool.map(train, ("CI", "CR")), strict=True))
    card = {"seed": SEED, "buckets": BUCKETS, "environments": told}
    (OUT / "acts.json").write_text(json.dumps(card, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def ids(text: str, env: str, known: bool) -> np.ndarray:
    marks = (PERSONS[env], TITLES[env]) if known else ()
    return features(folded(text, *marks).text).ids


@dataclass(frozen=True)
class Model:
    """Weights and bias of each act, and rarities."""

    weights: np.ndarray
    bias: np.ndarray
    rarity: np.ndarray

    def best(self, texts: list[list[np.ndarray]]) -> np.ndarray:
        """The best score of each text over its pieces; -9 where it has none."""
        found = np.full((len(texts), len(self.bias)), -9.0)
        full = [at for at, parts in enumerate(texts) if parts]
        begins = np.cumsum([0, *(len(texts[at]) for at in full)])[:-1]
        found[full] = np.maximum.reduceat(self.scores([part for at in full for part in texts[at]]), begins, axis=0)
        return found

    def scores(self, parts: list[np.ndarray]) -> np.ndarray:
        return counted(parts, self.rarity) @ self.weights + self.bias


def train(env: str) -> dict[str, Any]:
    """Writes the weights of an environment; what its card says."""
    weights, figures = learnt(env, TURNS)
    np.savez_compressed(OUT / f"acts_{env}.npz", **weights)
    return figures


def learnt(env: str, names: Sequence[str]) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays of a classifier, learnt from the rows and these files of turns, and its figures."""
    rows, spoken = rows_of(env), said_in(names)
    count, width = rows.label.shape

    def folds(names: list[str]) -> np.ndarray:
        return np.array([int(hashlib.md5(name.encode()).hexdigest(), 16) % FOLDS for name in names])

    fold, turn_fold = folds(rows.texts), folds([row.id for row, _ in spoken])
    # every row twice: as read in a case that names its people and exhibits, and in one that does not
    seen = [ids(cut(text), env, known) for known in (True, False) for text in rows.texts]
    windows = [[ids(part, env, True) for _, part in pieces(cut(text))] for text in rows.texts]
    turns = [parts for _, parts in spoken]

    def fitted(
        keep: np.ndarray, label: np.ndarray, heard: tuple[np.ndarray, list[np.ndarray]] | None = None
    ) -> Model:
        """Weights from rows and, with the numbers of turns and what each piece of them does, from their parts and
        those: no part does what the whole does not."""
        chosen = [*(seen[at] for at in keep), *(seen[count + at] for at in keep)]
        target = [label[keep], label[keep]]
        if heard is not None:
            parts = [(at, part) for at in keep for part in windows[at][:MOST] if len(windows[at]) > 1]
            chosen += [part for _, part in parts]
            target.append(np.where(label[[at for at, _ in parts]] == 0, 0, -1))
            chosen += [part for at in heard[0] for part in turns[at]] * TWICE
            target += [heard[1][at] for at in heard[0]] * TWICE
        rarity = rarities(chosen)
        matrix, wanted = counted(chosen, rarity), np.concatenate(target)
        weights, bias = np.zeros((BUCKETS, width)), np.zeros(width)
        for act in range(width):
            use = np.flatnonzero(wanted[:, act] >= 0)
            model = LinearSVC(C=COST, class_weight={0: 1, 1: WEIGHT}, random_state=SEED, tol=1e-3)
            model.fit(matrix[use], wanted[use, act])
            weights[:, act], bias[act] = model.coef_[0], model.intercept_[0]
        return Model(weights, bias, rarity)

    def crossed(of: Callable[[int], Model]) -> tuple[np.ndarray, np.ndarray]:
        """Scores of rows and of turns by models that were trained on the other folds."""
        scores, heard = np.zeros((count, width)), np.zeros((len(turns), width))
        for number in range(FOLDS):
            model = of(number)
            for places, texts, into in ((fold, windows, scores), (turn_fold, turns, heard)):
                here = np.flatnonzero(places == number)
                into[here] = model.best([texts[at] for at in here])
        return scores, heard

    single = rows.own >= 0
    first, _ = crossed(lambda number: fitted(np.flatnonzero(fold != number), rows.label))
    doubted = rows.label.copy()
    doubted[(first > DOUBT) & (doubted == 0) & single[:, None] & (rows.own[:, None] != np.arange(width))] = -1
    nothing = (np.array([], int), [])
    base = fitted(np.arange(count), doubted, nothing)
    does = np.array(
        [credited(row, env, rows.acts, best) for (row, _), best in zip(spoken, base.best(turns), strict=True)]
    )
    pieced = []
    for parts, label in zip(turns, does, strict=True):
        of_piece = np.tile(np.where(label == 0, 0, -1), (len(parts), 1))
        best = base.scores(parts).argmax(axis=0)
        of_piece[best[label == 1], np.flatnonzero(label == 1)] = 1
        pieced.append(of_piece)
    scores, heard = crossed(
        lambda number: fitted(np.flatnonzero(fold != number), doubted, (np.flatnonzero(turn_fold != number), pieced))
    )
    least, sure, figures = thresholds(scores, doubted, rows, heard, does)
    model = fitted(np.arange(count), doubted, (np.arange(len(turns)), pieced))
    scale = 127 / np.abs(model.weights).max(axis=0)
    weights = {
        "acts": np.array(rows.acts),
        "weights": np.round(model.weights * scale).astype(np.int8),
        "rarity": model.rarity.astype(np.uint8),
        "least": np.round((least - model.bias) * scale * SCALE).astype(np.int64),
        "sure": np.round(sure * scale * SCALE).astype(np.int64),
    }
    return weights, {
        "acts": width, "rows": count, "of_one_act": int(single.sum()), "turns": len(turns),
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
    scores: np.ndarray, label: np.ndarray, rows: Rows, heard: np.ndarray, does: np.ndarray
) -> tuple[np.ndarray, float, dict[str, Any]]:
    """What each act must reach, best for all acts, moved half of the way to what is best for itself; and how much
    more makes it sure: so much that hardly anything is found wrongly. Rows and turns are read by models that did not
    see them; right, wrong and missed of both are counted."""
    steps = np.arange(-1.2, 0.8, 0.04)
    single = rows.own >= 0

    def of_turns(act: int, least: float) -> np.ndarray:
        found, does_it = heard[:, act] >= least, does[:, act] == 1
        return np.array([(found & does_it).sum(), (found & (does[:, act] == 0)).sum(), (~found & does_it).sum()])

    def f1(act: int, least: float) -> np.ndarray:
        found = scores[:, act] >= least
        # a wrong turn of another act may well do this one: only its own wrong turns count against it
        wrong = found & (label[:, act] == 0) & (rows.does | (rows.own == act))
        right = label[:, act] == 1
        return np.array([(found & right).sum(), wrong.sum(), (~found & right).sum()]) + COUNTS * of_turns(act, least)

    every = range(scores.shape[1] - len(BESIDE))
    table = np.array([[f1(act, least) for act in every] for least in steps])

    def best(counts: np.ndarray) -> float:
        found = (1 + BETA**2) * counts[:, 0]
        value = found / np.maximum(1, found + counts[:, 1] + BETA**2 * counts[:, 2])
        return float(steps[int(np.argmax(np.convolve(np.pad(value, 1, "edge"), np.ones(3) / 3, "valid")))])

    def shares(counts: np.ndarray) -> dict[str, float]:
        right, wrong, missed = counts
        return {
            "precision": round(float(right / (right + wrong)), 3),
            "recall": round(float(right / (right + missed)), 3),
        }  # fmt: skip

    common = best(table.sum(axis=1))
    least = np.array([(best(table[:, act]) + common) / 2 for act in every])
    beside = [best(np.array([f1(act, step) for step in steps])) for act in range(len(every), scores.shape[1])]
    margins = np.arange(0, 1.2, 0.02)
    surer = [np.sum([f1(act, least[act] + more) for act in every], axis=0) for more in margins]
    sure = next(
        (at for at, (good, bad, _) in enumerate(surer) if good / max(1, good + bad) >= SURE), len(margins) - 1
    )
    wrongly = np.flatnonzero(single & ~rows.does)
    figures = {
        "cross_validated": {
            **shares(np.sum([f1(act, least[act]) for act in every], axis=0)),
            "turns": shares(np.sum([of_turns(act, least[act]) for act in every], axis=0)),
            "wrong_turns_taken": round(float((scores[wrongly, rows.own[wrongly]] >= least[rows.own[wrongly]]).mean()),
                3),
            "sure": shares(surer[sure]),
            INSTEAD: shares(of_turns(len(every), beside[0])),
        }
    }  # fmt: skip
    print(common, float(margins[sure]), figures)
    return np.concatenate([least, beside]), float(margins[sure]), figures


if __name__ == "__main__":
    main()
