"""Which articles a consultation cites beside those that the gold cites: the one thing to say about it without a
grader.

It is no score of the advice. An article is a law and a number; 中华人民共和国 and version brackets are left away, an
article without a law belongs to the law named last, and 本法第X条 inside a quoted text is no citation of its own.
"""

from __future__ import annotations

import re

from store.text.citation import citations

_BRACKET = re.compile(r"[(（][^()（）]*[)）]$")
_SELF = re.compile("本(?:法典?|条例|规定|解释|办法|细则|规则|决定)")
_LONGEST = 20_000


def cited(text: str) -> frozenset[tuple[str, str]]:
    """The articles that a text cites, as (law, number); the law is '' where none was named before."""
    text, law, found = text[:_LONGEST], "", set()
    for one in citations(text):
        if one.law is not None:
            law = _BRACKET.sub("", one.law).removeprefix("中华人民共和国").strip()
        elif _SELF.match(text, one.start):
            continue
        found.add((law, one.number.key))
    return frozenset(found)


def citation_f1(given: str, gold: str) -> float | None:
    """F1 of the cited articles as sets; None when the gold cites none."""
    wanted, said = cited(gold), cited(given)
    return 2 * len(wanted & said) / (len(wanted) + len(said)) if wanted else None
