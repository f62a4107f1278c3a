"""What people say and how statutes put it: a small table from everyday words to terms of the law, as data beside this
module."""

from __future__ import annotations

import functools

from store.tables import Words, beside

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
