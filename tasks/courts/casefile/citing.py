"""The laws that a judgment rests on, as references and in its own words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from store.text.citation import citations
from store.text.normalise import fold_width
from store.text.numerals import chinese_to_int
from tasks.courts.casefile.people import LawRef
from tasks.courts.scores.laws import Article, cited_articles, official_title

_MORE = re.compile(r"[、,和及] ?第(?P<paragraph>[一二三四五六七八九十]{1,3})款")
_MOST = 80
"""Characters of a title in a case file."""


def laws_of(clause: str, notes: list[str]) -> dict[str, object]:
    """`laws` and `as_cited` of a clause 依照《…》第…条."""
    if not clause:
        return {}
    found, unnamed = cited_articles(clause)
    if unnamed:
        notes.append(f"gold.laws: no law is named for {'、'.join(unnamed[:6])}")
    laws: list[str | dict[str, Any]] = []
    for article, paragraph, item in _with_parts(clause, found):
        if len(article.law) > _MOST:
            notes.append(f"gold.laws: the title {article.law[:30]}… is too long for a case file")
            continue
        written = _written(
            LawRef(law=article.law, article=article.number, sub=article.sub, paragraph=paragraph, item=item)
        )
        if written not in laws:
            laws.append(written)
    titles = [part.strip(" ，,、；;和及与") for part in _split(clause)]
    return {"laws": laws, "as_cited": [part[:2000] for part in titles if part.startswith("《")]}


def _with_parts(clause: str, found: list[Article]) -> Iterator[tuple[Article, int | None, int | None]]:
    """The articles in the order of the clause with each 款 and 项 that is named.

    `found` has read titles that hold titles, `citations` the parts: both have the articles in one order.
    """
    folded = fold_width(clause)
    left = list(found)
    for cited in citations(clause):
        same = [
            article for article in found if (article.number, article.sub) == (cited.number.number, cited.number.sub)
        ]
        if not same:
            continue
        named = official_title(cited.law) if cited.law else ""
        waiting = [article for article in same if article in left]
        article = next((one for one in same if one.law == named), waiting[0] if waiting else same[-1])
        left = [one for one in left if one != article]
        yield article, cited.paragraph, cited.item
        place = cited.end
        while cited.paragraph and (more := _MORE.match(folded, place)):
            yield article, chinese_to_int(more["paragraph"]), None
            place = more.end()
    yield from ((article, None, None) for article in left)


def _written(ref: LawRef) -> str | dict[str, object]:
    """As a text where it reads back the same."""
    text = ref.chinese.replace("《", "", 1)
    place = text.rfind("》")
    text = text[:place] + text[place + 1 :]
    try:
        if LawRef.model_validate(text) == ref:
            return text
    except ValueError:
        pass
    return ref.model_dump(exclude_defaults=True)


def _split(clause: str) -> list[str]:
    """The clause before each title of its own; titles inside titles stay."""
    parts, depth, last = [], 0, 0
    for place, sign in enumerate(clause):
        if sign == "《":
            if not depth:
                parts.append(clause[last:place])
                last = place
            depth += 1
        elif sign == "》" and depth:
            depth -= 1
    tail = re.sub(r"(?:之|的)?规定[^《》]{0,12}$", "", fold_width(clause[last:]))
    return [*parts, clause[last : last + len(tail)]]
