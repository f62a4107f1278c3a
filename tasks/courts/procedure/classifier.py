"""Which acts a piece of a judge's words does: a linear classifier over `features`, trained on paraphrases and whole
turns written by others.

Weights are shipped as data (`acts_CI.npz`, `acts_CR.npz`, made by `packaging/court_classifiers.py`;
`replies.npz` reads answers, see `answering`, `faults.npz` whole turns, see `whole`). A score is a whole number,
0 and above means that the act is done; equal on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from tasks.courts.procedure.features import Features, Folded

SCALE = 1 << 10
"""A score is weights times counts times this over the length of the features."""


@dataclass(frozen=True)
class Classifier:
    """Acts, weight of every feature for every act (signed bytes), rarity of every feature (1 to 255), what a score
    must reach, and how much more than that makes it sure."""

    acts: tuple[str, ...]
    weights: NDArray[np.int8]
    rarity: NDArray[np.uint8]
    least: NDArray[np.int64]
    sure: NDArray[np.int64]

    def scores(self, found: Features) -> NDArray[np.int64]:
        """Score of each act; 0 and above: done."""
        rarity = self.rarity[found.ids].astype(np.int64)
        total = rarity @ self.weights[found.ids].astype(np.int64)
        length = isqrt(int(rarity @ rarity)) or 1
        return total * SCALE // length - self.least

    def span(self, act: int, text: Folded, found: Features) -> tuple[int, int]:
        """The stretch of characters that speaks most for an act."""
        buckets, start, length = found.places.T
        worth = self.weights[buckets, act].astype(np.int64) * self.rarity[buckets]
        gain = np.zeros(len(text.text) + 2, dtype=np.int64)
        for shift in range(int(length.max(initial=1))):
            held = length > shift
            np.add.at(gain, start[held] + shift + 1, worth[held] // length[held])
        first, last = _heaviest(gain[1:-1].tolist())
        return text.at[first], text.at[last] + 1


def _heaviest(gain: list[int]) -> tuple[int, int]:
    """First and last place of the stretch with the greatest sum."""
    best, at, here, begin = None, (0, len(gain) - 1), 0, 0
    for place, value in enumerate(gain):
        if here <= 0:
            here, begin = 0, place
        here += value
        if best is None or here > best:
            best, at = here, (begin, place)
    return at


@cache
def shipped(name: str) -> Classifier:
    """A classifier that is shipped: acts_CI, acts_CR, replies, faults."""
    with as_file(files(__package__).joinpath(f"{name}.npz")) as path, np.load(path, allow_pickle=False) as data:
        return Classifier(
            tuple(str(act) for act in data["acts"]), data["weights"], data["rarity"], data["least"].astype(np.int64),
            data["sure"].astype(np.int64),
        )  # fmt: skip
