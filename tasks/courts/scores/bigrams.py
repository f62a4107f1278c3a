"""How much two Chinese texts share, in pairs of neighbouring characters: the grader-free reading of "says the point".

Blanks and punctuation do not count, full-width forms are one with half-width forms. Shares are from 0 to 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from store.text.ideographs import HAN
from store.text.normalise import fold_width

POINT = 0.6
"""From this F1 on a point is made."""
RECALL = 0.6
"""A longer passage makes a point that it holds to this share, too: advice is more explicit than its gold."""
LONGEST = 20_000
"""Characters of a text that are compared."""
WIDEST = 160
"""Pairs of a sentence that still makes a point as a whole; a list of everything makes none."""
_RUN = 4
"""A point may be spread over so many clauses in a row."""

_KEPT = re.compile(rf"[0-9a-z{HAN}%]")
_CLAUSE = re.compile(r"[^，。；！？,;!?\n：:]+")
_SENTENCE = re.compile(r"[^。！？；!?;\n]*[。！？；!?;\n]?")


@lru_cache(maxsize=8192)
def bigrams(text: str) -> frozenset[str]:
    """The pairs of a text; a text of one character gives that character."""
    kept = "".join(_KEPT.findall(fold_width(text[:LONGEST]).lower()))
    return frozenset(kept[at : at + 2] for at in range(len(kept) - 1)) or frozenset(kept)


def f1(first: frozenset[str], second: frozenset[str]) -> float:
    """2·shared/(both); 0 where either is empty."""
    both = len(first) + len(second)
    return 2 * len(first & second) / both if both and first and second else 0.0


def recall(wanted: frozenset[str], given: frozenset[str]) -> float:
    """The share of what is wanted that is given; 0 where nothing is wanted."""
    return len(wanted & given) / len(wanted) if wanted else 0.0


def sentences(text: str) -> list[str]:
    """The sentences of a text with their end marks."""
    return [part for part in _SENTENCE.findall(text[:LONGEST]) if part.strip()]


def passages(text: str) -> Iterator[frozenset[str]]:
    """Every run of one to four clauses, as pairs."""
    clauses = [bigrams(part) for part in _CLAUSE.findall(text[:LONGEST]) if part.strip()]
    for at in range(len(clauses)):
        grown: frozenset[str] = frozenset()
        for clause in clauses[at : at + _RUN]:
            grown |= clause
            yield grown


def makes_point(point: str, text: str) -> bool:
    """Whether some passage says the point: bigram F1 of at least 0.6, or 0.6 of the point in one sentence."""
    wanted = bigrams(point)
    if not wanted:
        return False
    for sentence in sentences(text):
        said = bigrams(sentence)
        if len(said) <= max(WIDEST, 2 * len(wanted)) and recall(wanted, said) >= RECALL:
            return True
    return any(f1(wanted, passage) >= POINT for passage in passages(text))


def point_coverage(points: Sequence[str], text: str) -> float | None:
    """The share of the points that a text makes; None where there are no points."""
    return sum(makes_point(point, text) for point in points) / len(points) if points else None
