"""Chooses the weights of the channels of law search (store/search/fusion.toml) on questions with known articles.

    pip install -e '.[train]' && python packaging/train_search.py QUESTIONS.jsonl --pack laws [--write]

The ranks of every channel are taken once; then each weighting of a grid is tried on them. What the choice is worth is
told by questions that had no say in it: blocks of 30 ids in five folds (questions asked one after the other share
articles), and the old split (every other question), each fold with the weights that the others chose by R@10 + R@100.
Beside it, in the same folds: a logistic regression on ranks and reciprocal ranks, and bm25s over the same articles,
where these packages are installed. Figures are percent, intervals 95 % over blocks. Seeded: the same data, the same
file.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from app.cli.law_search import _figures, _gold  # noqa: E402
from store.pack import Pack  # noqa: E402
from store.search.fusion import FUSION  # noqa: E402
from store.search.law_search import LawSearch, Settings  # noqa: E402
from store.text.segment import words  # noqa: E402

GRID = {"bm25": (0.8, 1.0, 1.25), "dense": (0.35, 0.5, 0.65, 0.8, 1.0), "citing": (0.2, 0.4, 0.6, 0.8)}
CONSTANTS = (3, 5, 8, 12)
CHANNELS = ("keyword", *GRID)
HAND, HAND_CONSTANT = (1.0, 1.0, 0.5, 0.4), 5
"""Weights of these channels as they were set by hand: what others are compared with."""
FOLDS, BLOCK, SEED, DRAWS = 5, 30, 2026, 1000
CUTS = (10, 100)
KEYS = tuple(f"R{cut}" for cut in CUTS)


class Asked:
    """A question: rows that a channel ranks, their ranks by channel, the figures of any order of them."""

    def __init__(self, search: LawSearch, question: dict[str, Any]) -> None:
        self.gold = _gold(search, question["articles"], {})
        _, rankings, _ = search.rankings(search.analyse(question["query"]), Settings(k=100, window="newest"))
        self.rows = np.array(sorted({row for name in CHANNELS for row in rankings.get(name, ())}), np.int64)
        self.ranks = np.full((len(self.rows), len(CHANNELS)), np.inf)
        for place, name in enumerate(CHANNELS):
            rows = np.array(rankings.get(name, ()), np.int64)
            self.ranks[np.searchsorted(self.rows, rows), place] = np.arange(1, len(rows) + 1)
        self.query = question["query"]

        catalogue, wanted = search.catalogue, [one for one in self.gold if one]
        codes = [(catalogue.law_places[law], catalogue.code(number)) for law, number in wanted]
        places = catalogue.places(self.rows.tolist())
        laws, numbers = catalogue.law_of[catalogue.version[places]], catalogue.number[places]
        self.right = np.zeros(len(self.rows), np.bool_)
        for law, number in codes:
            self.right |= (laws == law) & (numbers == number)
        self.of = len(set(self.gold)) or 1

    def figures(self, scores: np.ndarray) -> list[float]:
        ranks = np.flatnonzero(self.right[np.lexsort((self.rows, -scores))])
        return [100 * np.count_nonzero(ranks < cut) / self.of for cut in CUTS]


def held_out(
    folds: np.ndarray, choose: Callable[[np.ndarray], Any], figures: Callable[[Any, int], Any]
) -> np.ndarray:
    """The figures of each question by what the other folds chose."""
    found = np.zeros((len(folds), len(KEYS)))
    for fold in np.unique(folds):
        chosen = choose(folds != fold)
        for place in np.flatnonzero(folds == fold):
            found[place] = figures(chosen, int(place))
    return found


def told(name: str, found: np.ndarray, base: np.ndarray, blocks: np.ndarray) -> dict[str, Any]:
    """Print and give a line: means, and how much more than the base with its interval."""
    more = found - base
    own = [np.flatnonzero(blocks == block) for block in np.unique(blocks)]
    random = np.random.default_rng(SEED)
    drawn = [
        more[np.concatenate([own[i] for i in random.integers(0, len(own), len(own))])].mean(0) for _ in range(DRAWS)
    ]
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    line: dict[str, Any] = {}
    for place, key in enumerate(KEYS):
        line[key] = round(float(found[:, place].mean()), 2)
        line[f"{key}_more"] = [round(float(one[place]), 2) for one in (more.mean(0), low, high)]
    print(f"{name:34}", *(f"{key} {line[key]:6.2f} {line[f'{key}_more']}" for key in KEYS))
    return line


def learner(asked: Sequence[Asked], train: np.ndarray) -> Any:
    from sklearn.linear_model import LogisticRegression

    rows = np.concatenate([_features(asked[i]) for i in np.flatnonzero(train)])
    right = np.concatenate([asked[i].right for i in np.flatnonzero(train)])
    return LogisticRegression(max_iter=500).fit(rows, right)


def _features(one: Asked) -> np.ndarray:
    return np.concatenate([1 / (HAND_CONSTANT + one.ranks), 1 / (60 + one.ranks), np.isfinite(one.ranks)], axis=1)


def bm25s_figures(search: LawSearch, asked: Sequence[Asked]) -> Iterator[list[float]]:
    """The package bm25s over the words of the newest versions, the same words of a question."""
    import bm25s

    newest = search.catalogue.newest[search.catalogue.version]
    sql = (
        "SELECT a.id, l.name || ' ' || a.title || ' ' || coalesce(a.text, '') FROM articles a JOIN law_versions v "
        "ON v.id = a.version JOIN laws l ON l.id = v.law ORDER BY a.id"
    )
    rows = [(row, text) for row, text in search._pack.reader.all(sql) if newest[row - 1]]
    index = bm25s.BM25()
    index.index([words(text) for _, text in rows], show_progress=False)
    for one in asked:
        found, _ = index.retrieve([words(one.query)], k=100, show_progress=False)
        figures = _figures(search, [rows[place][0] for place in found[0]], one.gold)
        yield [100 * figures[key] for key in KEYS]


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("questions", type=Path)
    reader.add_argument("--pack", default="laws")
    reader.add_argument("--write", action="store_true", help="write store/search/fusion.toml")
    options = reader.parse_args()
    questions = [json.loads(line) for line in options.questions.read_text(encoding="utf-8").splitlines()]
    blocks = np.array([question["id"] // BLOCK for question in questions])
    unique = np.random.default_rng(SEED).permutation(np.unique(blocks))
    by_blocks = np.array([np.flatnonzero(unique == block)[0] % FOLDS for block in blocks])
    splits = {"blocks": by_blocks, "old split": np.arange(len(questions)) % 2}
    with Pack.open(options.pack) as pack:
        search = LawSearch(pack)
        asked = [Asked(search, question) for question in questions]
        base = np.array([one.figures((HAND / (HAND_CONSTANT + one.ranks)).sum(1)) for one in asked])
        told("set by hand", base, base, blocks)
        lines = {}
        grid = [
            (np.array([1.0, *weights]), constant)
            for *weights, constant in itertools.product(*GRID.values(), CONSTANTS)
        ]
        tried = np.array([[one.figures((w / (c + one.ranks)).sum(1)) for one in asked] for w, c in grid])

        def best(train: np.ndarray) -> int:
            return int(tried[:, train].sum(2).mean(1).argmax())

        for name, folds in splits.items():
            found = held_out(folds, best, lambda chosen, place: tried[chosen, place])
            lines[name] = told(f"weights, {name}", found, base, blocks)
        for name, folds in splits.items():
            found = held_out(
                folds, lambda train: learner(asked, train),
                lambda model, place: asked[place].figures(model.decision_function(_features(asked[place]))),
            )  # fmt: skip
            told(f"logistic regression, {name}", found, base, blocks)
        began = time.perf_counter()
        try:
            told("bm25s", np.array(list(bm25s_figures(search, asked))), base, blocks)
            print(f"bm25s took {time.perf_counter() - began:.0f} s with its index")
        except ImportError:
            print("bm25s is not installed")
    weights, constant = grid[best(np.ones(len(asked), np.bool_))]
    chosen = FUSION | dict(zip(CHANNELS, (float(weight) for weight in weights), strict=True))
    print("chosen", chosen, constant)
    if options.write:
        write(chosen, constant, lines["blocks"])


def write(weights: dict[str, float], constant: int, line: dict[str, Any]) -> None:
    text = ["# Written by packaging/train_search.py, which says how.", f"constant = {constant}", "", "[weights]"]
    text += [f"{name} = {weight}" for name, weight in weights.items()]
    text += [
        "",
        "[held_out]  # percent, and how much more than weights set by hand with a 95 % interval, by blocks of 30 ids",
    ]
    text += [f"{name} = {value}" for name, value in line.items()]
    (ROOT / "store/search/fusion.toml").write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
