"""The terms of a question: which words carry its matter, how statutes put what people say, and what the full-text
indexes are asked.

Stop words leave, words of the law come first (`substance.toml`); everyday words are widened by terms of the law
(`vocabulary.toml`). Whatever a text holds, a term reaches MATCH quoted, so that nothing in it is read as FTS5 syntax.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from store.tables import TomlTable, Words, WordSet, beside
from store.text.normalise import fold_width
from store.text.segment import words


class QueryTerms(TomlTable):
    """stop_words say nothing about the matter of a question; frame_words little: they are of the frame of exam
    questions and judgments."""

    stop_words: WordSet
    frame_words: WordSet
    legal_words: WordSet
    legal_endings: Words

    def is_legal(self, word: str) -> bool:
        """Whether a word is one of the law."""
        return word in self.legal_words or (len(word) > 2 and word.endswith(self.legal_endings))


def matter() -> QueryTerms:
    """The table."""
    return beside(__package__, "substance", QueryTerms)


MOST = 40
"""Terms that one question is widened by at most."""


@functools.cache
def entries() -> dict[str, tuple[str, ...]]:
    """Everyday words -> terms of the law, in the order of the file."""
    table = beside(__package__, "vocabulary", dict[str, dict[str, Words]])
    return {said: terms for part in table.values() for said, terms in part.items()}


def widened(text: str) -> list[str]:
    """Terms of the law for the everyday words that stand in a text and for which it does not use them itself."""
    found = dict.fromkeys(term for said, terms in entries().items() if said in text for term in terms)
    return [term for term in found if term not in text][:MOST]


MAX_TERMS = 64
"""Terms of a query that are looked at: a longer text is cut here."""

_RUN = re.compile(r"[^\W_]+")


def folded(query: str) -> str:
    """A query as the indexes fold their texts, without what is no Unicode."""
    return fold_width(query).encode(errors="ignore").decode()


def runs(query: str) -> list[str]:
    """Letters and digits that stand together, in order."""
    return _first(_RUN.findall(query))


def trigrams(query: str) -> list[str]:
    """Every three characters of the runs that are long enough."""
    return _first(run[start : start + 3] for run in _RUN.findall(query) for start in range(len(run) - 2))


def word_terms(query: str) -> list[str]:
    """The words, as the segmenter cuts them."""
    return _first(words(query))


def any_of(terms: Iterable[str]) -> str:
    """A MATCH expression that finds every row with at least one of the terms."""
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)


def _first(terms: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(terms))[:MAX_TERMS]
