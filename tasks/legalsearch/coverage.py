"""What a statute book can say about a recital: whether it holds the words asked for, and the other versions of them.

A missing statute is no fault of an agent, so scores of recitals are printed for all and for covered questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from store.pack import Pack
from store.search.query import LawQuery, analyse
from store.statutes.book import ArticleFound, StatuteBook
from store.statutes.timeline import timeline
from tasks.legalsearch.published import recital, rouge_l
from tasks.legalsearch.questions import LawQuestion


class Coverage:
    """Reads recitals against the book of one pack."""

    def __init__(self, pack: Pack) -> None:
        self._book = StatuteBook(pack)
        self._read = lru_cache(maxsize=None)(lambda text: analyse(text, self._book))

    @property
    def useful(self) -> bool:
        """Whether the pack has statutes at all."""
        return bool(self._book.laws())

    def covered(self, questions: Sequence[LawQuestion]) -> frozenset[str]:
        """Ids of the recitals whose article is in the pack, in words, on the first or the last day asked for."""
        return frozenset(q.id for q in questions if q.kind.form == "article" and self._holds(q))

    def _holds(self, question: LawQuestion) -> bool:
        query = self._asked(question)
        if query is None:
            return False
        days = [day for span in query.spans for day in (span.first, span.last)]
        return any(isinstance(self._book.on(query.laws[0], query.numbers[0], day), ArticleFound) for day in days)

    def _asked(self, question: LawQuestion) -> LawQuery | None:
        query = self._read(question.text)
        return query if query.laws and query.numbers and query.spans else None

    def __call__(self, question: LawQuestion) -> Sequence[VersionText]:
        """The article of a question in every version that holds it; see `VersionTexts`."""
        query = self._asked(question)
        if query is None:
            return ()
        first, last = query.spans[0].first, query.spans[0].last
        found = []
        for entry in timeline(self._book, query.laws[0], query.numbers[0], last):
            article, version = entry.article, entry.version
            if article is None or article.text is None:
                continue
            title = f"【{article.title}】" if article.title else ""
            begins, ends = version.valid_from, version.valid_to
            applies = begins is not None and begins <= last and (ends is None or ends >= first)
            found.append(VersionText(version.label, f"{title}{article.text}", applies))
        return found


LIKENESS = 0.5
"""Below this plain ROUGE-L a recital is no version of the article."""

_TITLE = re.compile("【[^【】]{0,60}】")

ABSTAINED: Final = "abstained"
"""The flag of an answer that says that the text is missing, and what such a recital counts as."""
Reading = Literal["right", "wrong", "neither", "abstained"]


@dataclass(frozen=True, slots=True)
class VersionText:
    """The article asked for in one version. `applies`: this version was in force on the day of the question."""

    label: str
    text: str
    applies: bool


VersionTexts = Callable[[LawQuestion], Sequence[VersionText]]
"""The article of a question in every version that holds it, in any order; () where it has none. The one in force may
be missing: then the gold stands for it."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """What a recital is. `label` is the version it resembles most ('' for the gold itself), `likeness` its
    ROUGE-L."""

    reading: Reading
    label: str
    likeness: float


def attribute(given: str, gold: str, candidates: Sequence[VersionText]) -> Attribution | None:
    """The version that a recital is; None when no version reads differently, so that nothing could be mixed up."""
    right = {plain(gold)} | {plain(one.text) for one in candidates if one.applies}
    wrong = [one for one in candidates if not one.applies and plain(one.text) and plain(one.text) not in right]
    if not wrong:
        return None
    said = plain(given)
    best = max((rouge_l(said, text, 1.0) for text in right), default=0.0)
    other = max(wrong, key=lambda one: (_like(said, one), one.label))
    likeness = _like(said, other)
    if max(best, likeness) < LIKENESS:
        return Attribution("neither", "", max(best, likeness))
    if best >= likeness:
        return Attribution("right", next((one.label for one in candidates if one.applies), ""), best)
    return Attribution("wrong", other.label, likeness)


def plain(text: str) -> str:
    """The words of an article without titles and white space."""
    return recital(_TITLE.sub("", text))


def _like(said: str, version: VersionText) -> float:
    return rouge_l(said, plain(version.text), 1.0)
