"""What of general legal knowledge comes to mind at a question: rows of the tables, weighed by words and likeness.

Days decide which laws may be named. Scores are without unit; a rule that has all its words in the question is near 1.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache

from tasks.courts.casefile.law import shipped_laws
from tasks.courts.scores.bigrams import bigrams
from tasks.experts.advice.knowledge import Rule, rules_of, table

STRONG = 1.0
"""From this score on a rule is taken to be about the question."""
WEAK = 0.6
"""Below it a rule does not come to mind."""
_HERE = 1.0
_BEFORE = 0.55
"""What a key is worth in the question, and in what was told before it."""
_LONGER = 0.05
_SINGLE = 0.85
"""A word of one character tells less than a longer one."""
_EXTRA = 0.12
"""What the further keys of a row of a field are worth: they only say how one asks."""
_NAMED = 0.5
"""What a rule gains whose law the question names, and what others lose."""
_LIKE = 1.6
"""The weight of shared words beside the keys."""
_ALIKE = 0.15
_UNNAMED = 0.5
"""A rule without its words comes to mind when it is so much like the question, and is worth so much besides."""
_READ = 1200
"""Characters of what was told before that are looked through."""


@dataclass(frozen=True, slots=True)
class Found:
    """A rule and how well it fits; places: where its keys stand in the question."""

    rule: Rule
    score: float
    places: frozenset[int] = frozenset()


def recalled(question: str, before: str, day: date | None, k: int = 5) -> list[Found]:
    """The rules that come to mind at a question, best first.

    Args:
        question: the sentence that asks.
        before: what the client told before it.
        day: whose law is to be named; None: today's.
        k: at most so many.
    """
    before = before[-_READ:]
    laws, grams = named_laws(question), bigrams(question)
    weights = _weights()
    length = math.sqrt(sum(weights.get(gram, _rare()) ** 2 for gram in grams)) or 1.0
    told = f"{before}\n{question}"
    likeness = _LIKE * (3 if laws else 1)  # who asks for an article says what stands in it
    found = []
    for rule in rules_of(day):
        first = _worth(rule.keys[0], question, before)
        share = 0.0
        if first and not (rule.near and not rule.near.search(told)):
            share = _share(rule, [first, *(_worth(key, question, before) for key in rule.keys[1:])])
        alike = sum(weights.get(gram, 0.0) ** 2 for gram in grams & rule.grams) / length / _length(rule)
        if not share:
            if alike < _ALIKE:
                continue
            share = _UNNAMED
        score = share + likeness * alike
        score += _NAMED * (1 if rule.law in laws else -1) if laws else 0
        if score >= WEAK:
            found.append(Found(rule, score, _places(rule, question)))
    return sorted(found, key=lambda one: -one.score)[:k]


def _share(rule: Rule, keys: Sequence[float]) -> float:
    """How many of its keys a rule finds; 0 where it does not come to mind.

    A rule with one key has a word of its own; with several, all of them together tell more. Rows of a field need both
    their matter and their point, one of them in the question.
    """
    if max(keys[:2]) < _SINGLE:
        return 0.0
    if rule.own and len(keys) > 1:
        if not keys[1]:
            return 0.0
        return sum(keys[:2]) / 2 * 1.1 + _EXTRA * sum(worth >= _SINGLE for worth in keys[2:])
    return sum(keys) / len(keys) * (1 + 0.1 * (len(keys) - 1))


def _worth(key: re.Pattern[str], question: str, before: str) -> float:
    """A longer word tells more: 人身安全保护令 against 暴力."""
    longest = max((len(match.group()) for match in key.finditer(question)), default=0)
    if longest:
        return _SINGLE if longest == 1 else _HERE + _LONGER * min(longest, 6)
    return _BEFORE if key.search(before) else 0.0


def _places(rule: Rule, question: str) -> frozenset[int]:
    """The characters of a question that the keys of a rule cover."""
    return frozenset(
        place for key in rule.keys for match in key.finditer(question) for place in range(match.start(), match.end())
    )


@lru_cache(maxsize=512)
def named_laws(question: str) -> frozenset[str]:
    """Official titles of the laws that a question names in 《》."""
    titles = (shipped_laws().official(title) for title in re.findall(r"《([^《》]{2,40})》", question))
    return frozenset(title for title in titles if title)


@cache
def _weights() -> Mapping[str, float]:
    """Pairs of characters -> how much they tell: rare in the table tells more."""
    rows = table()
    seen: Counter[str] = Counter(gram for rule in rows for gram in rule.grams)
    return {gram: math.log(len(rows) / count) for gram, count in seen.items()}


@cache
def _rare() -> float:
    return math.log(len(table()))


@lru_cache(maxsize=8192)
def _length_of(grams: frozenset[str]) -> float:
    return math.sqrt(sum(_weights()[gram] ** 2 for gram in grams)) or 1.0


def _length(rule: Rule) -> float:
    return _length_of(rule.grams)
