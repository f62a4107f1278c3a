"""The laws that a judgment rests on, as references and in its own words."""

from __future__ import annotations

import re
from typing import Any

from store.text.citation import citations
from store.text.normalise import fold_width
from tasks.courts.people import LawRef
from tasks.courts.scores.laws import cited_articles, official_title

_MOST = 80
"""Characters of a title in a case file."""


def laws_of(clause: str, notes: list[str]) -> dict[str, Any]:
    """`laws` and `as_cited` of a clause 依照《…》第…条."""
    if not clause:
        return {}
    found, unnamed = cited_articles(clause)
    if unnamed:
        notes.append(f"gold.laws: no law is named for {'、'.join(unnamed[:6])}")
    parts = {
        (official_title(cited.law), cited.number.number, cited.number.sub): cited
        for cited in citations(clause)
        if cited.law
    }
    laws = []
    for article in found:
        if len(article.law) > _MOST:
            notes.append(f"gold.laws: the title {article.law[:30]}… is too long for a case file")
            continue
        cited = parts.get((article.law, article.number, article.sub))
        ref = LawRef(
            law=article.law, article=article.number, sub=article.sub,
            paragraph=cited.paragraph if cited else None, item=cited.item if cited else None,
        )  # fmt: skip
        laws.append(_written(ref))
    titles = [part.strip(" ，,、；;和及与") for part in _split(clause)]
    return {"laws": laws, "as_cited": [part[:2000] for part in titles if part.startswith("《")]}


def _written(ref: LawRef) -> str | dict[str, Any]:
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
