"""The reviewed table of Chinese court terms, and a reader that finds the wrong word of each pair in a text.

Words of people who are no lawyers are not read by it: an accused may say what he likes. It is for screens, prompts
and what rules say for professionals.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from store.tables import beside

Where = Literal["criminal", "civil", "both"]


@dataclass(frozen=True, slots=True)
class Term:
    """A term: what is right, the words that are wrong for it, in which proceedings, and where the term stands."""

    right: str
    wrong: re.Pattern[str]
    where: Where
    basis: str


@dataclass(frozen=True, slots=True)
class WrongWord:
    """A wrong word in a text, with the words around it."""

    word: str
    right: str
    around: str


@cache
def terms() -> tuple[Term, ...]:
    """The table."""
    rows = beside(__package__, "court_terms")["terms"]
    return tuple(Term(row["right"], re.compile(row["wrong"]), row["where"], row["basis"]) for row in rows)


def wrong_words(text: str, where: Where = "both") -> list[WrongWord]:
    """The wrong words of a text of criminal or civil proceedings, or (both) of one that may belong to either."""
    found = []
    for term in terms():
        if term.where in ("both", where):
            for match in term.wrong.finditer(text):
                around = text[max(0, match.start() - 12) : match.end() + 12].replace("\n", " ")
                found.append(WrongWord(match[0], term.right, around))
    return found
