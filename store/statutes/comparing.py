"""One article in two versions of its law, clause by clause, also where a revision made several articles of it or one
of several.

The article itself is followed by number (`store.statutes.timeline`). A clause that has left it and stands, nearly in
the same words, in an article that did not have it before has moved there; one that came from such an article is shown
with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from store.statutes.book import StatuteBook
from store.statutes.model import Article, ArticleNumber, LawVersion, Link
from store.statutes.timeline import followed
from store.text.alignment import ALIKE, LARGEST, alike, likenesses, matched, squeezed
from store.text.difference import Clause, beside, clauses

SAME_ELSEWHERE = 0.8
"""An article that changed its place among the others must be this much alike."""
KEPT_SHARE = 0.8
"""A version keeps its numbers when this share of the articles with the same number is alike."""
FEWEST = 5
"""Fewer comparable articles decide nothing."""


def links_between(old: Sequence[Article], new: Sequence[Article], on: date) -> list[Link]:
    """Links for the articles whose number changed from one version to the next; none where numbers were kept.

    Args:
        old, new: the articles of two versions of one law; those without text are left out.
        on: the first day of the new version.
    """
    before, after = _with_text(old), _with_text(new)
    if keeps_numbers(before, after) is not False or len(before) * len(after) > LARGEST:
        return []
    values = likenesses([article.text or "" for article in before], [article.text or "" for article in after])
    found = []
    for i, j, likeness in matched(values.tolist(), SAME_ELSEWHERE):
        start, end = before[i], after[j]
        if start.number != end.number:
            basis = f"inferred: texts alike {likeness:.2f}"
            found.append(Link("renumbered", start.law, start.number, end.law, end.number, on, basis))
    return found


def keeps_numbers(old: Sequence[Article], new: Sequence[Article]) -> bool | None:
    """Whether a number means the same rule in both lists; None where too few texts can be compared."""
    texts: dict[ArticleNumber, str] = {article.number: article.text for article in new if article.text}
    pairs = [(article.text, texts[article.number]) for article in old if article.text and article.number in texts]
    if len(pairs) < FEWEST:
        return None
    same = sum(1 for one, other in pairs if one == other or alike(one, other) >= ALIKE)
    return same >= KEPT_SHARE * len(pairs)


def _with_text(articles: Sequence[Article]) -> list[Article]:
    return [article for article in articles if article.text]


SAME = 0.8
"""Clauses this much alike are one clause in two places."""
SHORTEST = 15
"""Characters of a clause that is recognised elsewhere."""


@dataclass(frozen=True, slots=True)
class ArticleClause:
    """A clause and the article in which it stands."""

    article: Article
    text: str


@dataclass(frozen=True, slots=True)
class ClauseComparison:
    """Both sides as clauses with their articles, and how they lie beside each other."""

    old: tuple[ArticleClause, ...]
    new: tuple[ArticleClause, ...]
    rows: tuple[Clause, ...]

    @property
    def same(self) -> bool:
        """Whether both sides say the same."""
        return all(row.kind == "same" for row in self.rows)


def articles_of(parts: tuple[ArticleClause, ...]) -> list[Article]:
    """The articles of a side, in order."""
    return list(dict.fromkeys(part.article for part in parts))


def compare(
    book: StatuteBook, old: tuple[LawVersion, Article | None], new: tuple[LawVersion, Article | None]
) -> ClauseComparison:
    """Compare the wordings that an article has in two versions of its law.

    Args:
        book: where both versions are; their other articles are looked through for clauses that moved.
        old, new: a version with the article in it; None: the article is not in this version.
    """
    left, right = (
        tuple(
            sorted(
                [*_own(here[1]), *dict.fromkeys(_moved(book, there, here))], key=lambda part: part.article.position
            )
        )
        for here, there in ((old, new), (new, old))
    )
    homes = tuple([part.article.number for part in side] for side in (left, right))
    rows = beside([part.text for part in left], [part.text for part in right], (homes[0], homes[1]))
    return ClauseComparison(left, right, tuple(rows))


def _own(article: Article | None) -> list[ArticleClause]:
    return [ArticleClause(article, text) for text in clauses(article.text or "")] if article else []


def _moved(
    book: StatuteBook, here: tuple[LawVersion, Article | None], there: tuple[LawVersion, Article | None]
) -> Iterator[ArticleClause]:
    """Clauses of other articles `there` that stand in the article `here`, and not in theirs `here`."""
    (version, article), (other, kept) = here, there
    stayed = clauses(kept.text or "") if kept else []
    gone = [
        clause
        for clause in clauses(article.text or "" if article else "")
        if len(squeezed(clause)) >= SHORTEST and not any(alike(clause, one) >= SAME for one in stayed)
    ]
    if not gone:
        return
    mine = _long(book, version, article)
    # A clause that stands in several articles (单位犯前款罪的…) is nobody's own, and says nothing of where it went.
    own = likenesses(gone, [part.text for part in mine]) if mine else None
    parts = _long(book, other, kept)
    if not parts:
        return
    values = likenesses(gone, [part.text for part in parts])
    for at, row in enumerate(values):
        near = [parts[place] for place in (row >= SAME).nonzero()[0]]
        if len(articles_of(tuple(near))) != 1 or (own is not None and own[at].max() >= SAME):
            continue
        part = parts[int(row.argmax())]
        number, _ = followed(book, part.article.number, other, version)
        before = book.article(version.law, version.label, number) if number else []
        if not any(alike(part.text, one) >= SAME for found in before for one in clauses(found.text or "")):
            yield part


def _long(book: StatuteBook, version: LawVersion, but: Article | None) -> list[ArticleClause]:
    """The clauses of a version that are long enough, those of one article left out."""
    return [
        part
        for article in book.articles(version.law, version.label)
        if but is None or article.number != but.number
        for part in _own(article)
        if len(squeezed(part.text)) >= SHORTEST
    ]
