"""Which acts a piece of words does: a linear classifier over characters, pairs of them and meanings, hashed to whole
numbers.

Names, titles of exhibits and of laws, numbers of articles and other numbers are folded to one mark each, so that no
case can be learnt. Weights are shipped as data: `acts_CI.npz` and `acts_CR.npz` read a judge, `replies.npz` answers,
`faults.npz` whole turns; `packaging/court_classifiers.py` trains them with the functions of this module. A score is a
whole number, 0 and above means that the act is done. Everything here is integer arithmetic: equal on every machine.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import as_file, files
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from store.tables import beside

BUCKETS = 1 << 15
"""Features that are told apart; others fall on the same number."""
PERSON, EXHIBIT, LAW, ARTICLE, NUMBER = "\ue000\ue001\ue002\ue003\ue004"
_SCRAP = (
    r"(?P<law>《[^《》\n]{1,60}》)|(?P<article>第[一二三四五六七八九十百零〇\d]{1,8}条)|(?P<number>\d[\d,.]{0,20})"
    r"|(?P<drop>[\s　*#`>_]{1,99}|<[^<>\n]{1,10}>)"
)
_MARKS = {"person": PERSON, "exhibit": EXHIBIT, "law": LAW, "article": ARTICLE, "number": NUMBER, "drop": ""}
_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0x165667B19E3779F9))


@dataclass(frozen=True, slots=True)
class NormalizedText:
    """A text with its marks; `at`: for each character where it stands in the text as it was said."""

    text: str
    at: tuple[int, ...]


@lru_cache(maxsize=256)
def _folding(persons: tuple[str, ...], titles: tuple[str, ...]) -> re.Pattern[str]:
    parts = []
    for name, words in (("exhibit", titles), ("person", persons)):
        known = sorted({re.escape(word) for word in words if len(word) > 1}, key=lambda word: (-len(word), word))
        if known:
            parts.append(f"(?P<{name}>{'|'.join(known)})")
    return re.compile("|".join([*parts, _SCRAP]))


def folded(text: str, persons: Iterable[str] = (), titles: Iterable[str] = ()) -> NormalizedText:
    """A text in which what belongs to one case alone is a mark."""
    kept: list[str] = []
    at: list[int] = []
    end = 0
    for match in _folding(tuple(persons), tuple(titles)).finditer(text):
        kept.append(text[end : match.start()])
        at.extend(range(end, match.start()))
        if mark := _MARKS[match.lastgroup or "drop"]:
            kept.append(mark)
            at.append(match.start())
        end = match.end()
    kept.append(text[end:])
    at.extend(range(end, len(text)))
    return NormalizedText("".join(kept), tuple(at))


@cache
def _meanings() -> tuple[re.Pattern[str], dict[str, tuple[int, ...]]]:
    of: dict[str, list[int]] = {}
    for number, words in enumerate(beside(__package__, "meanings").values(), 1):
        for word in words.split():
            of.setdefault(word, []).append(number)
    longest_first = sorted(of, key=lambda word: (-len(word), word))
    return re.compile(f"(?=({'|'.join(map(re.escape, longest_first))}))"), {w: tuple(n) for w, n in of.items()}


@dataclass(frozen=True, slots=True)
class Features:
    """Features of a text, each once, and of every place at which one stands: feature, first character, characters."""

    ids: NDArray[np.int64]
    places: NDArray[np.int64]


@lru_cache(maxsize=1024)
def features(text: str) -> Features:
    """The features of a folded text; sentences of a court return, within a hearing and from case to case."""
    codes = np.fromiter((ord(char) for char in f"\x02{text}\x03"), dtype=np.uint64)
    first = np.arange(len(codes), dtype=np.int64) - 1
    singles = _bucket(codes * _MIX[0])
    pairs = _bucket(codes[:-1] * _MIX[1] + codes[1:] * _MIX[2])
    found = [
        np.stack([singles, first, np.ones_like(first)], axis=1),
        np.stack([pairs, first[:-1], np.full_like(first[:-1], 2)], axis=1),
    ]
    if meant := _meant(text):
        found.append(np.array(meant, dtype=np.int64))
    places = np.concatenate(found)
    return Features(np.unique(places[:, 0]), places)


def in_stage(ids: NDArray[np.int64], stage: str) -> NDArray[np.int64]:
    """Features as they are met in a stage: others than the same without one."""
    mark = np.array([zlib.crc32(stage.encode())], dtype=np.uint64) * _MIX[1]
    return np.unique(_bucket(ids.astype(np.uint64) * _MIX[0] + mark)) + BUCKETS


_PLAIN = ("later", "done", "negation", "directive", "whether", "telling", "norm")
"""Rows of meanings that are about nothing in particular."""


def bare(text: str) -> bool:
    """Whether a text has no word for anything that courts speak of."""
    pattern, of = _meanings()
    plain = {number for number, name in enumerate(beside(__package__, "meanings"), 1) if name in _PLAIN}
    return all(plain.issuperset(of[match[1]]) for match in pattern.finditer(text))


def _meant(text: str) -> list[tuple[int, int, int]]:
    pattern, of = _meanings()
    said = [(number, match.start(), len(match[1])) for match in pattern.finditer(text) for number in of[match[1]]]
    first = {number: (start, length) for number, start, length in reversed(said)}
    known = sorted(first)
    pairs = [(a, b) for place, a in enumerate(known) for b in known[place + 1 :]]
    numbers = np.array([n for n, _, _ in said] + [a << 10 | b << 20 for a, b in pairs], dtype=np.uint64)
    buckets = _bucket((numbers + np.uint64(1 << 40)) * _MIX[0]).tolist()
    spans = [(start, length) for _, start, length in said] + [
        first[b] if first[b][0] > first[a][0] else first[a] for a, b in pairs
    ]
    return [(bucket, *span) for bucket, span in zip(buckets, spans, strict=True)]


def _bucket(values: NDArray[np.uint64]) -> NDArray[np.int64]:
    mixed = values ^ (values >> np.uint64(29))
    mixed = mixed * _MIX[2]
    mixed ^= mixed >> np.uint64(32)
    return (mixed & np.uint64(BUCKETS - 1)).astype(np.int64)


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

    def span(self, act: int, text: NormalizedText, found: Features) -> tuple[int, int]:
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
