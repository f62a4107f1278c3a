"""Articles of ended laws that a text refers to, with where their rules stand now: an old interpretation that cites
合同法."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from store.search.law_names import law_names
from store.search.references import references
from store.statutes.book import StatuteBook
from store.statutes.counterparts import Counterpart
from store.statutes.model import ArticleNumber
from store.text.citation import citations
from store.text.normalise import fold_width

LONGEST = 8_000
"""Characters of a text that are read."""


@dataclass(frozen=True, slots=True)
class Following:
    """An article that a text refers to, and its counterpart."""

    law: str
    number: ArticleNumber
    now: Counterpart


def following(book: StatuteBook, text: str, day: date, own: str = "") -> list[Following]:
    """The articles of laws that had ended on a day to which a text refers, in its order; those of the law `own` are
    its own."""
    folded = fold_width(text[:LONGEST])
    if not citations(folded):
        return []
    found: dict[tuple[str, ArticleNumber], Following] = {}
    for one in references(folded, law_names(book).find(folded)):
        for law in one.laws:
            key = (law, one.number)
            if law != own and key not in found and (now := book.counterparts.of(*key, day)):
                found[key] = Following(law, one.number, now)
    return list(found.values())
