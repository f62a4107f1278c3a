"""REA: the reasons of a judgment against the gold's, by points without a grader.

A point is looked for in the passage (up to four sentences) that shares most of its content with it: characters, pairs
of characters and numbers, each weighing more the rarer it is in the case. A pair that one side denies and the other
does not (予以采纳, 不予采纳) contradicts the point and costs `AGAINST` times what agreement earns. What is left is
measured between two marks of the case itself: what other passages of the gold, and the empty formula, share with the
point by chance (0), and what the gold's own passage shares (1). A point is made from `MADE` on, so that the gold
makes all of its own points and a judge who says the same in other words is not asked for the gold's; a point whose
numbers the gold's reasons say is not made by reasons that say none of them.

It is a proxy: it hears words, not law. A false reason in the words of the right one, without a denial, passes; a
right one that shares hardly a word with the gold fails. The grader's REA is the score; this one needs none.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean

from store.text.ideographs import HAN
from store.text.normalise import fold_width
from store.text.numerals import to_decimal
from tasks.courts.scores.bigrams import LONGEST

MADE = 0.25
"""From this share of the way between chance and gold on, a point is made."""
AGAINST = 10
CHANCE = 0.15
"""What passages share by chance, where the gold has no other passage to tell it by."""
_SENTENCES = 4
_ROOM = (60, 2)
"""A passage grows to so many characters, or so many times the point."""
_SCOPE = 8
"""Characters behind a denial, in its clause, that are denied. What stands before one may be its topic (缓刑不予适用)
and is open."""
_NUMBER_WEIGHS = 2
_QUOTED = 120

_SENTENCE = re.compile(r"[^。；！？;!?\n]+")
_CLAUSE = re.compile(r"[^，、：,:]+")
_HAN = re.compile(rf"[{HAN}]")
_NUMERAL = "零〇一二两三四五六七八九十百千万亿"
_NUMBER = re.compile(
    rf"[0-9]{{1,15}}(?:,[0-9]{{3}}){{0,4}}(?:\.[0-9]{{1,6}})?[万亿]?|(?<=百分之)[{_NUMERAL}]{{1,8}}"
    rf"|[{_NUMERAL}]{{2,12}}(?=[元年月日天个%])"
)
_DENIAL = re.compile(r"不(?!法|足六|动产|仅|但)|未|无(?!期)|没|非(?!法)|否认|驳回|拒|缺乏|难以|免除|欠缺")
"""Function words that turn a statement round, not as part of a word (不法侵害, 无期徒刑, 非法占有)."""

Clause = Mapping[str, int]
"""What a clause holds -> whether it is said, denied, or both; 0 where that is no question (single characters,
numbers)."""
_SAID, _DENIED, _BOTH = 1, 2, 3


@dataclass(frozen=True, slots=True)
class ReasonPoint:
    """One point of the gold. share: of the way from chance to gold; made:
    whether the reasons make it; quote: the passage that was held against it; against: pairs in which they
    contradict."""

    text: str
    share: float
    made: bool
    quote: str
    against: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReasonScore:
    """Shares of the points that are made, and each of them; None where the gold lists no points."""

    value: float | None
    points: tuple[ReasonPoint, ...]


@dataclass(frozen=True, slots=True)
class _Passage:
    text: str
    clauses: tuple[Clause, ...]
    holds: frozenset[str]


def score_reasons(reason: str, points: Sequence[str], gold: str, formula: str = "") -> ReasonScore:
    """Which points the reasons of a judgment make.

    Args:
        reason: of the judgment, from 本院认为 on.
        points: what the gold's reasons say, one thing each.
        gold: the gold's reasons.
        formula: reasons that say nothing of the case, and make none of its points.
    """
    sentences = _sentences(reason)
    measures = _measures(tuple(points), gold, formula)
    said = frozenset[str]().union(*(one.holds for one in sentences))
    found = []
    for point, measure in zip(points, measures, strict=True):
        share, passage, against = measure.of(sentences)
        share = share if measure.sums.isdisjoint(said) == (not measure.sums) else 0.0
        found.append(ReasonPoint(point, share, share >= MADE, passage[:_QUOTED], against))
    if not found:
        return ReasonScore(None, ())
    return ReasonScore(sum(point.made for point in found) / len(found), tuple(found))


class _Measure:
    """How far a text makes one point; shares of its content, the marks of the gold told apart."""

    def __init__(
        self, point: str, gold: Sequence[_Passage], formula: Sequence[_Passage], weights: Mapping[str, float]
    ) -> None:
        self._clauses = [clause for sentence in _sentences(point) for clause in sentence.clauses]
        self._wanted = frozenset(name for clause in self._clauses for name in clause)
        said = frozenset[str]().union(*(one.holds for one in gold))
        self.sums = frozenset(name for name in self._wanted & said if name.startswith("#"))
        """Its numbers that the gold's reasons say; reasons that say none of them do not make it."""
        self._weights = {name: weights[name] for name in self._wanted}
        self._whole = sum(self._weights[name] for clause in self._clauses for name in clause) or 1.0
        self._mean = self._whole / max(1, sum(len(clause) for clause in self._clauses))
        self._room = max(_ROOM[0], _ROOM[1] * len(point))
        self._also: dict[str, int] = {}
        own = self._nearest(gold)
        # What the gold says both ways, or otherwise than its point does, contradicts nothing.
        for clause in own.clauses if own else ():
            for name in clause.keys() & self._wanted:
                self._also[name] = self._also.get(name, 0) | clause[name]
        mine = set(map(id, own.clauses)) if own else set()
        others = [one for one in _passages(gold, self._room) if mine.isdisjoint(map(id, one.clauses))]
        self._gold = self._held(own.clauses)[0] if own else 1.0
        chance = fmean(max(0.0, self._held(one.clauses)[0]) for one in others) if others else CHANCE
        empty = self._nearest(formula)
        self._chance = min(max(chance, self._held(empty.clauses)[0] if empty else 0.0), self._gold / 2)

    def of(self, sentences: Sequence[_Passage]) -> tuple[float, str, tuple[str, ...]]:
        """The share of the way from chance to gold, the passage, and the pairs in which it contradicts."""
        passage = self._nearest(sentences)
        if passage is None or self._gold <= self._chance:
            return 0.0, "", ()
        held, against = self._held(passage.clauses)
        return min(1.0, max(0.0, (held - self._chance) / (self._gold - self._chance))), passage.text, against

    def _nearest(self, sentences: Sequence[_Passage]) -> _Passage | None:
        """The passage that shares most, denials aside; the shorter of two, then the later."""
        best, most = None, (0.0, 0)
        for passage in _passages(sentences, self._room):
            shared = self._wanted & passage.holds
            if shared:
                near = (self._weight(shared), -len(passage.clauses))
                best, most = (passage, near) if near >= most else (best, most)
        return best

    def _weight(self, names: Iterable[str]) -> float:
        """What names weigh together, exactly rounded: a set has no order that two processes share."""
        return math.fsum(self._weights[name] for name in names)

    def _held(self, given: Sequence[Clause]) -> tuple[float, tuple[str, ...]]:
        """The share of the point that a passage holds, contradictions taken off; a clause is read beside the one
        nearest to it."""
        total, against = 0.0, dict[str, None]()
        for clause in self._clauses:
            near = sorted(given, key=lambda one: -self._weight(clause.keys() & one.keys()))
            for name, said in clause.items():
                there = next((one[name] for one in near if name in one), None)
                if there is None:
                    continue
                weight = self._weights[name]
                if said and there and not (said | self._also.get(name, 0)) & there:
                    total -= AGAINST * max(weight, self._mean)
                    against[name] = None
                else:
                    total += weight
        return total / self._whole, tuple(against)


@lru_cache(maxsize=256)
def _measures(points: tuple[str, ...], gold: str, formula: str) -> tuple[_Measure, ...]:
    """The measures of a case's points. A weight is ln((n+1)/(k+½)) for what stands in k of n clauses of the gold."""
    sentences = _sentences(gold)
    clauses = [clause for text in (gold, *points) for one in _sentences(text) for clause in one.clauses]
    count = Counter(name for clause in clauses for name in clause)
    weights = {name: math.log((len(clauses) + 1) / (k + 0.5)) * _kind(name) for name, k in count.items()}
    return tuple(_Measure(point, sentences, _sentences(formula), weights) for point in points)


def _kind(name: str) -> int:
    return _NUMBER_WEIGHS if name.startswith("#") else 1


def _passages(sentences: Sequence[_Passage], room: int) -> Iterator[_Passage]:
    """Runs of one to four sentences that do not outgrow the room; a longer sentence stands alone."""
    for at in range(len(sentences)):
        text, clauses, holds = "", tuple[Clause, ...](), frozenset[str]()
        for one in sentences[at : at + _SENTENCES]:
            if text and len(text) + len(one.text) > room:
                break
            text, clauses, holds = f"{text}{one.text}；", clauses + one.clauses, holds | one.holds
            yield _Passage(text, clauses, holds)


def _sentences(text: str) -> list[_Passage]:
    found = []
    for sentence in _SENTENCE.findall(fold_width(text[:LONGEST]).lower()):
        clauses = tuple(held for clause in _CLAUSE.findall(sentence) if (held := _clause(clause)))
        if clauses:
            found.append(
                _Passage(sentence.strip(), clauses, frozenset(name for clause in clauses for name in clause))
            )
    return found


def _clause(text: str) -> Clause:
    held: dict[str, int] = {}
    for match in _NUMBER.finditer(text):
        if (number := to_decimal(match[0])) is not None:
            held[f"#{number.normalize():f}"] = 0
    text = _NUMBER.sub(lambda match: " " * len(match[0]), text)
    denials = [match.span() for match in _DENIAL.finditer(text)]
    ends = {end for _, end in denials}
    last = denials[-1][0] if denials else 0
    skipped = {place for begin, end in denials for place in range(begin, end)}
    for place, character in enumerate(text):
        if place in skipped or not _HAN.match(character):
            continue
        held[character] = 0
        before = text[place - 1] if place else ""
        if before and place - 1 not in skipped and _HAN.match(before):
            denied = sum(place - far in ends for far in range(1, _SCOPE + 1)) % 2
            said = _BOTH if place < last else _DENIED if denied else _SAID
            held[before + character] = held.get(before + character, 0) | said
    return held
