"""The terms of a free text as the full-text indexes know them: any three characters, and words.

Whatever the text holds, a term reaches MATCH quoted, so that nothing in it is read as FTS5 syntax.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from store.text.normalise import fold_width
from store.text.segment import words

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
