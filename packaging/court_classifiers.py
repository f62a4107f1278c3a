"""Makes the four classifiers of the courts again: tasks/courts/procedure/{acts_CI,acts_CR,replies,faults}.npz.

    pip install -e '.[classifiers]' && python packaging/court_classifiers.py [acts] [replies] [faults]

All are linear support vector machines over hashed features; weights are rounded to a byte, and what a score must
reach is chosen on texts that the model had not seen. Everything is seeded: the same data gives the same files.

acts: what a judge's turn does. Data, all in tests/courts: acts_CI.jsonl and acts_CR.jsonl, paraphrases and wrong
turns of one act each that two people wrote who had not read the program (a third of them, by the hash of the text, is
held out: never trained on); acts_more_CI.jsonl and acts_more_CR.jsonl, turns in many registers with all acts that
they do; acts_spoken.jsonl, sentences of the rules' own judge and of the model trials of the tests, labelled by former
lists of phrases, and a few by hand; acts_turns.jsonl, turns of many acts or of none, and whether one speaks in
somebody's place (`instead`). A row with `mentions` speaks of an act and does nothing. TURNS: whole turns in the
layout of `moot procedure check`. Of such a turn nobody says which words do its act: it is learnt from the piece that
does it most by what the other rows teach, and no piece does what the turn does not. Beside the acts it learns what a
sentence is: one that only speaks of acts, or words said for others.

replies: whether a reply answers what was asked. A reply answers the acts that the turn is credited with for the side
that spoke, and no other act. Of a turn with a fault nobody knows why an act has no credit: there only the credited
ones count. What a score must reach is set on replies to acts that the procedure takes for asked, read by models that
saw no file of the same writer: so little that of the right ones LOST is lost.

faults: what is wrong with a whole turn, of what the rules of procedure do not name themselves. What a score must
reach is set on turns of one hand read by models that saw no turn of it: the least for which of the faults that are
named beside those of the rules RIGHT are named by the lawyer, too. A fault of which fewer than FEWEST are found so is
left to the rules. What it finds is shown and voids no trial.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import scipy.sparse as sparse
from sklearn.svm import LinearSVC

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tasks.courts.procedure import answers, tracker  # noqa: E402
from tasks.courts.procedure import credits as books  # noqa: E402
from tasks.courts.procedure.acts import INSTEAD, MENTION, CaseNames, cut, pieces, turn_features  # noqa: E402
from tasks.courts.procedure.answers import parts as sentences  # noqa: E402
from tasks.courts.procedure.classifier import BUCKETS, SCALE, features, folded  # noqa: E402
from tasks.courts.procedure.labels import FAULTS, NOW, LabelledTurn, course, judged, read_rows  # noqa: E402
from tasks.courts.procedure.model import profile, side_of, sides_of  # noqa: E402

DATA, OUT = ROOT / "tests/courts", ROOT / "tasks/courts/procedure"
SEED = 2026
TURNS = (
    "turns_a", "turns_b", "turns_c", "turns_d", "turns_e", "turns_f", "turns_g", "turns_h", "turns_i", "turns_j",
    "labels_formal", "labels_model", "labels_spoken", "labels_unseen_a", "labels_unseen_b", "labels_unseen_c",
    "labels_unseen_d", "labels_unseen_e", "labels_unseen_f", "labels_unseen_g", "labels_unseen_h",
    "court_labels_independent",
)  # fmt: skip
"""Files of whole turns in tests/courts."""


def machine_of(rows: Any, wanted: Any, cost: float, weight: int) -> tuple[np.ndarray, float]:
    """Weights and bias of a support vector machine; what is wanted weighs more."""
    model = LinearSVC(C=cost, class_weight={0: 1, 1: weight}, random_state=SEED, tol=1e-3)
    model.fit(rows, wanted)
    return model.coef_[0], model.intercept_[0]


def rarities(texts: list[np.ndarray], buckets: int = BUCKETS, fewest: int = 1) -> np.ndarray:
    """How rare each feature is, 1 to 255; 0 for those of fewer texts than `fewest`."""
    count = np.bincount(np.concatenate(texts), minlength=buckets)
    rare = np.clip(np.round(16 * (1 + np.log((1 + len(texts)) / (1 + count)))), 1, 255)
    return np.where(count >= fewest, rare, 0)


def counted(texts: list[np.ndarray], rarity: np.ndarray) -> sparse.csr_matrix:
    """A row a text, of length 1."""
    row = np.repeat(np.arange(len(texts)), [len(one) for one in texts])
    column = np.concatenate(texts)
    matrix = sparse.csr_matrix((rarity[column], (row, column)), shape=(len(texts), len(rarity)))
    length = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return (sparse.diags(1 / np.maximum(length, 1)) @ matrix).tocsr()


def write(
    name: str, acts: Sequence[str], model: tuple[np.ndarray, np.ndarray], rarity: np.ndarray, least: Any, sure: float
) -> None:
    """The file of a classifier: weights (buckets, acts) in a byte each, what scores must reach in whole numbers."""
    weights, bias = model
    scale = 127 / np.abs(weights).max(axis=0)
    np.savez_compressed(
        OUT / f"{name}.npz", acts=np.array(acts), weights=np.round(weights * scale).astype(np.int8),
        rarity=rarity.astype(np.uint8), least=np.round((least - bias) * scale * SCALE).astype(np.int64),
        sure=np.round(sure * scale * SCALE).astype(np.int64),
    )  # fmt: skip
    print(name)


# --- acts -----------------------------------------------------------------------------------------------------------

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
FOLDS, COST, WEIGHT = 3, 1.0, 8
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


def is_test_file(text: str) -> bool:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % 3 == 0


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines() if line.strip()]


def rows_of(env: str) -> Rows:
    """The rows of an environment; of the other one what teaches the columns beside the acts, which are no matter of
    the kind of trial."""
    single = [row for row in lines(f"acts_{env}.jsonl") if not is_test_file(row["text"])]
    named = [*lines("acts_spoken.jsonl"), *lines("acts_turns.jsonl")]
    whole = lines(f"acts_more_{env}.jsonl") + [row for row in named if row["env"] == env]
    away = "CR" if env == "CI" else "CI"
    other = [row for row in lines(f"acts_{away}.jsonl") if not is_test_file(row["text"])]
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


def replies_in_files(names: Sequence[str]) -> list[tuple[LabelledTurn, list[np.ndarray]]]:
    """The labelled turns with the features of their pieces: those of the other environment, too, teach what is beside
    the acts."""
    found = []
    for row in (row for name in names for row in read_rows(DATA / f"{name}.jsonl")):
        known = CaseNames.of(row.hearing())
        words = [folded(part, known.persons, known.titles).text for _, part in pieces(cut(row.turn.text))]
        if parts := [features(text).ids for text in words if text]:
            found.append((row, parts))
    return found


def credited(row: LabelledTurn, env: str, acts: list[str], scores: np.ndarray) -> np.ndarray:
    """What a labelled turn does, as in `Rows.label`; scores: of its best piece, by what the other rows teach."""
    specs, hearing = profile("law", row.env).acts, row.hearing()
    did, before = ({key.split("/")[0] for key in keys} for keys in (row.acts, row.done))
    # Whoever speaks and is credited nothing has been asked something that he did not answer.
    beside = {side_of(row.env, said.speaker) for said in row.reply} - {key.split("/")[-1] for key in row.acts}

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


def ids(text: str, env: str, known: bool) -> np.ndarray:
    marks = (PERSONS[env], TITLES[env]) if known else ()
    return features(folded(text, *marks).text).ids


@dataclass(frozen=True)
class LinearModel:
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


def acts(env: str) -> None:
    """Writes the classifier of an environment."""
    rows, spoken = rows_of(env), replies_in_files(TURNS)
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
    ) -> LinearModel:
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
            weights[:, act], bias[act] = machine_of(matrix[use], wanted[use, act], COST, WEIGHT)
        return LinearModel(weights, bias, rarity)

    def crossed(of: Callable[[int], LinearModel]) -> tuple[np.ndarray, np.ndarray]:
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
    least, sure = thresholds(scores, doubted, rows, heard, does)
    model = fitted(np.arange(count), doubted, (np.arange(len(turns)), pieced))
    write(f"acts_{env}", rows.acts, (model.weights, model.bias), model.rarity, least, sure)


def thresholds(
    scores: np.ndarray, label: np.ndarray, rows: Rows, heard: np.ndarray, does: np.ndarray
) -> tuple[np.ndarray, float]:
    """What each act must reach, best for all acts, moved half of the way to what is best for itself; and how much
    more makes it sure: so much that hardly anything is found wrongly. Rows and turns are read by models that did not
    see them; right, wrong and missed of both are counted."""
    steps = np.arange(-1.2, 0.8, 0.04)

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

    common = best(table.sum(axis=1))
    least = np.array([(best(table[:, act]) + common) / 2 for act in every])
    beside = [best(np.array([f1(act, step) for step in steps])) for act in range(len(every), scores.shape[1])]
    margins = np.arange(0, 1.2, 0.02)
    surer = [np.sum([f1(act, least[act] + more) for act in every], axis=0) for more in margins]
    sure = next(
        (at for at, (good, bad, _) in enumerate(surer) if good / max(1, good + bad) >= SURE), len(margins) - 1
    )
    return np.concatenate([least, beside]), float(margins[sure])


# --- replies --------------------------------------------------------------------------------------------------------

ANSWERED = 10
"""Replies that an act must have been answered by."""
LOST = 0.01


@dataclass(frozen=True)
class SideReply:
    """What a side said after a turn: features of the whole and of its sentences, the acts that it answers, those of
    which nobody knows, the file, and the acts that the procedure takes it for (act, whether rightly)."""

    parts: list[np.ndarray]
    answers: frozenset[str]
    open: bool
    file: int
    tried: list[tuple[str, bool]]


def side_replies() -> list[SideReply]:
    """The replies of all files."""
    found = []
    for number, name in enumerate(TURNS):
        for row in read_rows(DATA / f"{name}.jsonl"):
            known, law, acts = CaseNames.of(row.hearing()), profile("law", row.env).acts, set(row.acts)
            texts = defaultdict(list)
            for said in row.reply:
                texts[side_of(row.env, said.speaker)].append(said.text)
            credits = [c for c in course(row, "law").credits if c.turn == NOW and c.reply is not None]
            for side, words in texts.items():
                mine = {key.split("/")[0] for key in acts if key.split("/")[-1] == side or key.startswith("exhibit/")}
                tried = [
                    (credit.act, credit.key in acts)
                    for credit in credits
                    if credit.side == side and credit.key not in row.done and not law[credit.act].fallback
                ]
                if answers.answers_anything("\n".join(words)):
                    tried = []
                ids = [features(part).ids for part in sentences("\n".join(words), known)]
                if ids:
                    found.append(SideReply(ids, frozenset(mine), bool(row.faults), number, tried))
    return found


def replies() -> None:
    """Writes the classifier of replies."""
    with patch.object(books, "speaks_to", lambda *_: True):  # what is to be learnt takes no part in it
        said = side_replies()
    count = {act: sum(act in one.answers for one in said) for act in set().union(*(one.answers for one in said))}
    fallback = {act for env in ("CI", "CR") for act, spec in profile("law", env).acts.items() if spec.fallback}  # type: ignore[arg-type]
    acts = sorted(act for act, times in count.items() if times >= ANSWERED and act not in fallback)
    rarity = rarities([one.parts[0] for one in said])
    rows = counted([one.parts[0] for one in said], rarity)

    def fitted(keep: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        weights, bias = np.zeros((BUCKETS, len(acts))), np.zeros(len(acts))
        for place, act in enumerate(acts):
            use = [at for at in keep if act in said[at].answers or not said[at].open]
            wanted = [act in said[at].answers for at in use]
            weights[:, place], bias[place] = machine_of(rows[use], wanted, 0.3, 8)
        return weights, bias

    def best(one: SideReply, weights: np.ndarray, bias: np.ndarray) -> np.ndarray:
        scores: np.ndarray = counted(one.parts, rarity) @ weights + bias
        return scores.max(axis=0)

    right = []
    for number in range(len(TURNS)):
        away, here = (np.flatnonzero([(one.file == number) == held for one in said]) for held in (False, True))
        weights, bias = fitted(away)
        for at in here:
            scores = best(said[at], weights, bias)
            right += [scores[acts.index(act)] for act, credited in said[at].tried if credited and act in acts]
    least = float(np.quantile(right, LOST))
    write("replies", acts, fitted(np.arange(len(said))), rarity, least, 0.0)


# --- faults ---------------------------------------------------------------------------------------------------------

RIGHT, FEWEST = 0.8, 8


def silent(row: LabelledTurn) -> bool:
    """Whether somebody who was spoken to says nothing."""
    heard = {side_of(row.env, said.speaker) for said in row.reply}
    return not heard.issuperset(sides_of(row.env, row.turn.to))


def least_score(scores: np.ndarray, right: np.ndarray) -> tuple[float, int]:
    """What a score must reach, and how many are then named rightly."""
    order = np.argsort(-scores, kind="stable")
    found = np.cumsum(right[order])
    enough = np.flatnonzero(right[order] & (found >= RIGHT * np.arange(1, len(order) + 1)))
    if not len(enough):
        return float("inf"), 0
    last = int(enough[-1])
    return float(scores[order[last]]), int(found[last])


def faults() -> None:
    """Writes the reader of whole turns."""
    rows, file = [], []
    for number, name in enumerate(TURNS):
        rows += read_rows(DATA / f"{name}.jsonl")
        file += [number] * (len(rows) - len(file))
    hand = np.array(file)
    with patch.object(tracker, "faults_of", lambda *_: frozenset()):  # what is to be learnt takes no part in it
        named = [judged(row).faults for row in rows]
    texts = [turn_features(row.turn.text, f"{row.env}/{row.stage}", CaseNames.of(row.hearing())).ids for row in rows]
    rarity = rarities(texts, 2 * BUCKETS, fewest=2)
    matrix = counted(texts, rarity)

    codes, weights, bias, least = [], [], [], []
    for code in sorted(FAULTS):
        wanted = np.array([code in row.faults for row in rows])
        scores = np.zeros(len(rows))
        for number in range(len(TURNS)):
            away = machine_of(matrix[hand != number], wanted[hand != number], 0.5, 4)
            scores[hand == number] = matrix[hand == number] @ away[0] + away[1]
        free = np.array(
            [
                code not in found and (code != "no_answer" or silent(row))
                for found, row in zip(named, rows, strict=True)
            ]
        )
        reach, good = least_score(scores[free], wanted[free])
        if good < FEWEST:
            continue
        of_all = machine_of(matrix, wanted, 0.5, 4)
        codes.append(code)
        weights.append(of_all[0])
        bias.append(of_all[1])
        least.append(reach)
    write("faults", codes, (np.array(weights).T, np.array(bias)), rarity, np.array(least), 0.0)


def main() -> None:
    """The command."""
    wanted = sys.argv[1:] or ["acts", "replies", "faults"]
    if "acts" in wanted:
        with ProcessPoolExecutor(2) as pool:
            list(pool.map(acts, PERSONS))
    for name, make in (("replies", replies), ("faults", faults)):
        if name in wanted:
            make()


if __name__ == "__main__":
    main()
