"""What a statute book can say about a recital: whether it holds the words asked for, and the other versions of them.

A missing statute is no fault of an agent, so scores of recitals are printed for all and for covered questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from store.pack import Pack
from store.search.query import LawQuery, analyse
from store.statutes.book import Found, StatuteBook
from store.statutes.timeline import timeline
from tasks.legalsearch.questions import Question
from tasks.legalsearch.versions import VersionText


class Coverage:
    """Reads recitals against the book of one pack."""

    def __init__(self, pack: Pack) -> None:
        self._book = StatuteBook(pack)
        self._read = lru_cache(maxsize=None)(lambda text: analyse(text, self._book))

    @property
    def useful(self) -> bool:
        """Whether the pack has statutes at all."""
        return bool(self._book.laws())

    def covered(self, questions: Sequence[Question]) -> frozenset[str]:
        """Ids of the recitals whose article is in the pack, in words, on the first or the last day asked for."""
        return frozenset(q.id for q in questions if q.kind.form == "article" and self._holds(q))

    def _holds(self, question: Question) -> bool:
        query = self._asked(question)
        if query is None:
            return False
        days = [day for span in query.spans for day in (span.first, span.last)]
        return any(isinstance(self._book.on(query.laws[0], query.numbers[0], day), Found) for day in days)

    def _asked(self, question: Question) -> LawQuery | None:
        query = self._read(question.text)
        return query if query.laws and query.numbers and query.spans else None

    def __call__(self, question: Question) -> Sequence[VersionText]:
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
