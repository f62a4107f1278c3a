"""What people call the things of the graph: general legal and business Chinese, one row of `vocabulary.toml` an idea.

Each row lists the words for one relation or attribute; the longest word at a place wins. `weight` is what it costs an
interpretation to leave the word unexplained: 3 for words that always carry the question, below 1 for small talk.
"""

from __future__ import annotations

from typing import NamedTuple

from store.tables import Table, Words, beside

CASE_UNITS = frozenset("次起件条宗例笔桩份")
"""Measure words of cases."""


class Row(NamedTuple):
    """of: the relation or attribute."""

    of: str
    weight: float
    words: Words


class Vocabulary(Table):
    """The file; what its lists are for, it says itself."""

    relations: tuple[Row, ...]
    attributes: tuple[Row, ...]
    count_nouns: Words
    sum_words: Words
    maximum: Words
    minimum: Words
    earliest: Words
    latest: Words
    greater: Words
    less: Words
    inclusive: Words
    small_talk: Words
    preamble: Words
    aggregates: dict[str, str]
    units: dict[str, str]

    @property
    def figures(self) -> frozenset[str]:
        """What one figure can be of many amounts: their sum, or another."""
        return frozenset(("sum", *self.aggregates.values()))


def words() -> Vocabulary:
    """The vocabulary."""
    return beside(__package__, "vocabulary", Vocabulary)
