"""Search over statutes in time: read the question, filter by window, law, article and heading, then rank and fuse.

The filters come before the ranking, so that no ranking ever spends its depth on a version that did not apply. A
version whose days are not known is kept and says so. Each span of a question counts for itself: 2009年和2023年 admits
nothing that only applied between.

Decisions:
- No day in the question: every version may answer, but of a run of versions with the same words only the newest is
  ranked (`newest`, or `last_wording` where the law has the article in other words now). Where words differ, the
  newest that has begun stands before the others of its article, wherever the first of them stands.
- Rows whose words are not in the pack rank by their titles and by the words of the same article in another version
  (`Hit.worded_by`); those with neither stand behind all others, unless the question names law and article.
- Several versions meet a span (a year): the one that covers most of it stands first among equals and in the exact
  channel.
- The versions of a law leave the day out: the neighbours on both sides are offered, marked `gap_neighbour`; where no
  law is named, those of every law with a gap on the day, and notes tell of the laws among the hits. A law that is
  named and had ended on the day gives way to the laws that took its matter over (`successor`).
- Filters that leave nothing give way: first headings, then article numbers, and the answer says so (`dropped:…`).
- Where filters leave articles and no channel finds a word in them, they are listed in the order of the statute.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from store.errors import NotFound
from store.pack import Pack
from store.run_file import reading
from store.search.bigrams import Floats
from store.search.catalogue import Booleans, Catalogue, Integers
from store.search.channels import Articles, CitationGraph, Titles, best, substance
from store.search.documents import CONSTANT, FUSION, fuse
from store.search.narrowing import CHANNELS, WINDOWS, FilteredRows, SearchSettings, Window, narrow
from store.search.query import LawQuery, Span, analyse
from store.search.vectors import Embed
from store.statutes.applicable import CaseDates
from store.statutes.book import ARTICLE_COLUMNS, NotYetInForce, RepealedArticle, StatuteBook, article_of
from store.statutes.model import Article, ArticleNumber, LawVersion

MARGIN = 1.5
"""So many times the score of the best article of the day has the winner, at least. On the 772 STARD dev
questions, each asked in the middle of the validity of the newest version of its first article's law, 7 got a note
(0.9 %)."""


def winner(
    catalogue: Catalogue, rankings: Mapping[str, Sequence[int]], inside: Booleans, unsure: Booleans
) -> tuple[int, float] | None:
    """The first row of a ranking without window and how many times the score of the best article of the day it has;
    None where the first article is one of the day. `unsure` are rows of which nobody knows whether they applied:
    their articles say nothing for or against, unless one of them is plainly what is asked about."""
    firsts: dict[str, list[int]] = {}
    for channel, rows in rankings.items():
        articles = catalogue.article[catalogue.places(rows)]
        firsts[channel] = [rows[place] for place in np.sort(np.unique(articles, return_index=True)[1])]
    by_article: dict[int, tuple[float, int]] = {}
    left_out = set(catalogue.article[unsure].tolist())
    for row, score in fuse(firsts, FUSION, CONSTANT):
        article = int(catalogue.article[row - 1])
        known = by_article.get(article)
        by_article[article] = (score + (known[0] if known else 0.0), known[1] if known else row)
    doubtful = max((by_article.pop(article)[0] for article in left_out & by_article.keys()), default=0.0)
    if not by_article:
        return None
    best, row = max(by_article.values(), key=lambda one: (one[0], -one[1]))
    if MARGIN * best < doubtful:
        return None
    applied = set(catalogue.article[inside].tolist())
    if int(catalogue.article[row - 1]) in applied:
        return None
    next_ = max((score for article, (score, _) in by_article.items() if article in applied), default=0.0)
    return row, best / next_ if next_ else float("inf")


def note(catalogue: Catalogue, book: StatuteBook, row: int, span: Span) -> str:
    """What the statute book says of a row on the day: later:…, later_near:… or ended:… with law, article, day, the
    day on which it begins or ended, and the article beside it that applied; nothing where the book says neither."""
    day = span.last if span.first == date.min else span.first
    version = catalogue.versions[int(catalogue.version[row - 1])]
    number = ArticleNumber(*catalogue.parts(int(catalogue.number[row - 1])))
    answer = book.on(version.law, number, day)
    said = f"{version.law}:{number.chinese}:{day.isoformat()}"
    if isinstance(answer, NotYetInForce) and answer.first.valid_from:
        begins = answer.first.valid_from.isoformat()
        near = ArticleNumber(number.number)
        if number.sub and answer.current and near in book.numbers(version.law, answer.current.label):
            return f"later_near:{said}:{begins}:{near.chinese}"
        return f"later:{said}:{begins}"
    if isinstance(answer, RepealedArticle) and answer.last.valid_to:
        return f"ended:{said}:{answer.last.valid_to.isoformat()}"
    return ""


if TYPE_CHECKING:
    from store.search.paper import PaperPipeline

_INDEXED = ("keyword", "dense", "bm25")
_OUTSIDE = ("keyword", "bm25", "title")
"""Channels that rank without the window: those that cost little."""

_DEPTH = 100
"""Ranks of each channel that enter the fusion (at least; never fewer than asked for)."""


@dataclass(frozen=True, slots=True)
class Hit:
    """An article that was found.

    id: its row; score: fused, without unit; ranks: its place in each channel, from 1; kept: why the filters let it
    through (window, no_window, gap_neighbour, successor, no_date, newest, all_versions; law, no_law; number,
    no_number; heading; without a day: newest, last_wording);
    provenance: of its law; worded_by: the label of the version whose words it was ranked by, where its own are not in
    the pack.
    """

    id: int
    article: Article
    version: LawVersion
    score: float
    ranks: Mapping[str, int]
    kept: tuple[str, ...]
    provenance: str
    worded_by: str = ""


@dataclass(frozen=True, slots=True)
class LawResults:
    """Hits, best first. allowed: articles that the filters left, of how many; notes: codes with what they are
    about."""

    query: LawQuery
    hits: tuple[Hit, ...]
    allowed: int
    of: int
    notes: tuple[str, ...]
    milliseconds: float


class LawSearch:
    """Searches the statutes of an open pack; may be used for many questions.

    Args:
        pack: an open pack with statutes.
        embed: texts to vectors of the model that made the vectors of the pack; None: the vectoriser kept in the pack.

    Raises:
        NotFound: the pack holds no statutes.
    """

    def __init__(self, pack: Pack, *, embed: Embed | None = None) -> None:
        self._pack, self._embed = pack, embed
        self.book = StatuteBook(pack)
        if not self.book.laws():
            raise NotFound(
                f"Pack {pack.name} holds no statutes",
                "Import some: moot data import legalsearch PATH --name statutes.",
            )
        self.seconds: dict[str, float] = dict.fromkeys(CHANNELS, 0.0)
        """Time that each channel took since this search was opened."""
        self._provenance = {law.name: law.provenance for law in self.book.laws()}

    @cached_property
    def catalogue(self) -> Catalogue:
        """The rows of the pack."""
        return Catalogue(self._pack, self.book)

    @cached_property
    def articles(self) -> Articles:
        """The indexes; StoreError or Damaged where they cannot be used."""
        return Articles(self._pack, self._embed)

    @cached_property
    def titles(self) -> Titles:
        """Titles, and the words that stand in for those that are not in the pack."""
        return Titles(self._pack, self.catalogue, self.book)

    @cached_property
    def citing(self) -> CitationGraph:
        """Which articles cite which, of other laws."""
        return CitationGraph(self._pack, self.catalogue, self.book)

    @cached_property
    def paper(self) -> PaperPipeline:
        """The published pipeline over the same rows."""
        from store.search.paper import PaperPipeline

        return PaperPipeline(self._pack, self.catalogue, self.articles)

    def analyse(self, text: str, *, today: date | None = None, case: CaseDates | None = None) -> LawQuery:
        """Read a question by rules; see `store.search.query.analyse`."""
        return analyse(text, self.book, today=today, case=case)

    def search(self, query: str | LawQuery, settings: SearchSettings | None = None) -> LawResults:
        """The best articles for a question; an empty question has none.

        Raises:
            StoreError: the indexes of the pack were made by another segmenter.
            Damaged: an index is not the one that was written, or what the pack says makes no sense.
        """
        settings = settings or SearchSettings()
        began = time.perf_counter()
        with reading(self._pack.path):
            asked = self.analyse(query) if isinstance(query, str) else query
            narrowed, rankings, fused = self.rankings(asked, settings)
            places = {name: {row: rank for rank, row in enumerate(rows, 1)} for name, rows in rankings.items()}
            best = fused[: max(0, settings.k)]
            hits = self._hits(best, places, narrowed)
            outside = self._outside(asked, settings, narrowed)
            spent = 1000 * (time.perf_counter() - began)
            uncertain = self._uncertain(asked, settings, hits)
            notes = tuple(dict.fromkeys((*outside, *narrowed.notes, *_gaps(hits, narrowed), *uncertain)))
            return LawResults(asked, hits, narrowed.count, len(self.catalogue), notes, spent)

    def _uncertain(self, query: LawQuery, settings: SearchSettings, hits: Sequence[Hit]) -> list[str]:
        """Notes on days behind the data, and on hits whose law has ended without them."""
        asked = [span.first if span.last == date.max else span.last for span in query.spans]
        told = settings.at or max(asked, default=settings.today)
        return self.book.uncertain(dict.fromkeys(hit.version for hit in hits), told)

    def rankings(
        self, query: LawQuery, settings: SearchSettings
    ) -> tuple[FilteredRows, dict[str, list[int]], list[tuple[int, float]]]:
        """What the filters left, the rows of each channel, and all of them fused; best first."""
        if settings.paper:
            return self.paper.rankings(query, settings.k, settings.at)
        narrowed = narrow(self.catalogue, self.book, query, settings)
        nothing = not query.text.strip() and not (query.numbers or query.keywords or query.headings or query.laws)
        if nothing or not narrowed.count or settings.k < 1:
            return narrowed, {}, []
        rankings: dict[str, list[int]] = {}
        if "exact" in settings.channels and (exact := self._exact(narrowed) or self._titled(query, narrowed)):
            rankings["exact"] = exact
        # Where every article that is left was named, no other channel can add one.
        named = len(rankings.get("exact", ())) == narrowed.count
        worded = narrowed.rows & (self.catalogue.worded | (self.titles.words_from > 0))
        if not named:
            rankings |= self._ranked(query, settings, narrowed, worded)
        if "dense" in settings.channels and not named and (silent := self.articles.no_dense(query)):
            narrowed = replace(narrowed, notes=(*narrowed.notes, silent))
        fused = fuse(rankings, FUSION, CONSTANT)
        if narrowed.latest is not None:
            fused = self._current_first(fused, narrowed)
        if not named and len(fused) < settings.k and (bare := narrowed.rows & ~worded).any():
            fused = self._with(fused, rankings, self._ranked(query, settings, narrowed, bare))
        if not fused and narrowed.selective:
            fused = [(row, 0.0) for row in self._in_order(narrowed, settings.k)]
        return narrowed, rankings, fused

    def _ranked(
        self, query: LawQuery, settings: SearchSettings, narrowed: FilteredRows, rows: Booleans
    ) -> dict[str, list[int]]:
        """What the channels beside the exact one find among these rows; titles and citations find any that the
        filters left."""
        ids = self.catalogue.ids[rows & self.catalogue.worded]
        sources = self.titles.sources(rows)
        if len(sources) or not len(ids):
            ids = np.union1d(ids, sources) if len(sources) else self.catalogue.ids[rows]
        allowed = None if len(ids) == len(self.catalogue) else ids
        depth = max(_DEPTH, settings.k)
        found: dict[str, list[int]] = {}
        for name in _INDEXED:
            if len(ids) and name in settings.channels:
                with self._timed(name):
                    ranked = self.articles.rank(name, query, allowed, depth)
                    ranked = self.titles.with_borrowers(ranked, rows)[:depth] if len(sources) else ranked
                    found[name] = self._tie_broken(ranked, narrowed)
        passages = fuse(found, FUSION, CONSTANT)
        if "title" in settings.channels:
            with self._timed("title"):
                found["title"] = self._scored(self.titles.scores(substance(query)), narrowed, depth)
        if "citing" in settings.channels:
            with self._timed("citing"):
                found["citing"] = self._scored(self.citing.scores(passages), narrowed, depth)
        return {name: ranking for name, ranking in found.items() if ranking}

    def _scored(self, scores: Floats, narrowed: FilteredRows, depth: int) -> list[int]:
        """The best of the rows that the filters left, whether their words are in the pack or not."""
        return self._tie_broken(best(scores, self.catalogue.ids[narrowed.rows], depth), narrowed)

    @contextmanager
    def _timed(self, channel: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds[channel] += time.perf_counter() - began

    def _outside(self, query: LawQuery, settings: SearchSettings, narrowed: FilteredRows) -> tuple[str, ...]:
        """A note on the article that the question is plainly about, where it did not apply on the day; see
        `outside`."""
        spans = (Span(settings.at, settings.at, ""),) if settings.at else query.spans
        if settings.window != "on" or settings.paper or not spans or query.numbers or not narrowed.rows.any():
            return ()
        whole = narrow(
            self.catalogue, self.book, replace(query, spans=(), notes=()), replace(settings, at=None, today=None)
        )
        ranked = self._ranked(query, replace(settings, channels=_OUTSIDE), whole, whole.rows)
        applied = narrowed.applied
        first = winner(self.catalogue, ranked, applied, narrowed.rows & ~applied)
        if first is None or first[1] < MARGIN:
            return ()
        said = note(self.catalogue, self.book, first[0], spans[0])
        return (said,) if said else ()

    @staticmethod
    def _with(
        fused: list[tuple[int, float]], rankings: dict[str, list[int]], more: Mapping[str, list[int]]
    ) -> list[tuple[int, float]]:
        """Further rows behind those that are fused, with no higher score; their ranks go on from those of each
        channel."""
        for name, rows in more.items():
            rankings[name] = [*rankings.get(name, ()), *rows]
        least = fused[-1][1] if fused else float("inf")
        there = {row for row, _ in fused}
        further = fuse(more, FUSION, CONSTANT)
        return fused + [(row, min(score, least)) for row, score in further if row not in there]

    def _current_first(self, fused: list[tuple[int, float]], narrowed: FilteredRows) -> list[tuple[int, float]]:
        """The newest wording of each article that was found right before the first of its others; scores stay in
        place."""
        places = self.catalogue.places([row for row, _ in fused])
        articles = self.catalogue.article[places].tolist()
        fits = narrowed.order[self.catalogue.version[places]].tolist()
        rows: dict[int, list[tuple[int, int]]] = {}
        for place, article in enumerate(articles):
            rows.setdefault(article, []).append((fits[place], place))
        order: dict[int, None] = {}
        for place, article in enumerate(articles):
            order[min(rows[article])[1]] = None
            order[place] = None
        return [(fused[place][0], score) for place, (_, score) in zip(order, fused, strict=True)]

    def _exact(self, narrowed: FilteredRows) -> list[int]:
        """Rows of the articles that the question names with their law: in its order, the version that fits best
        first."""
        catalogue, rows = self.catalogue, np.flatnonzero(narrowed.rows)
        found: list[int] = []
        for law, number in narrowed.pairs:
            law_place = catalogue.law_places.get(law)
            code = catalogue.code(number)
            same = rows[(catalogue.number[rows] == code) & (catalogue.law_of[catalogue.version[rows]] == law_place)]
            order = np.lexsort((same, narrowed.order[catalogue.version[same]]))
            found += [int(identity) for identity in catalogue.ids[same[order]]]
        return list(dict.fromkeys(found))[:_DEPTH]

    def _titled(self, query: LawQuery, narrowed: FilteredRows) -> list[int]:
        """Rows of the articles whose title is what the question asks for."""
        rows = self.titles.titles_in(substance(query))
        rows = rows[narrowed.rows[rows - 1]]
        return [int(row) for row in rows[np.lexsort((rows, narrowed.order[self._versions(rows)]))]][:_DEPTH]

    def _tie_broken(self, ranked: Sequence[tuple[int, float]], narrowed: FilteredRows) -> list[int]:
        """A ranking whose equals stand by the fit of their versions, then by row."""
        rows = np.fromiter((row for row, _ in ranked), np.int64, len(ranked))
        scores = np.fromiter((score for _, score in ranked), np.float64, len(ranked))
        fit = narrowed.order[self._versions(rows)]
        return [int(row) for row in rows[np.lexsort((rows, fit, -scores.round(9)))]]

    def _in_order(self, narrowed: FilteredRows, k: int) -> list[int]:
        rows = np.flatnonzero(narrowed.rows)
        order = np.lexsort((rows, narrowed.order[self.catalogue.version[rows]], ~self.catalogue.worded[rows]))[:k]
        return [int(identity) for identity in self.catalogue.ids[rows[order]]]

    def _versions(self, identities: Integers) -> Integers:
        return self.catalogue.version[np.searchsorted(self.catalogue.ids, identities)]

    def _hits(
        self, best: Sequence[tuple[int, float]], places: Mapping[str, Mapping[int, int]], narrowed: FilteredRows
    ) -> tuple[Hit, ...]:
        if not best:
            return ()
        identities = [row for row, _ in best]
        versions = [self.catalogue.versions[place] for place in self._versions(np.array(identities, np.int64))]
        articles = self._articles(identities, versions)
        return tuple(
            Hit(
                row,
                article,
                version,
                score,
                {name: ranks[row] for name, ranks in places.items() if row in ranks},
                narrowed.kept(row),
                self._provenance[version.law],
                self._worded_by(row) if article.text is None else "",
            )
            for (row, score), article, version in zip(best, articles, versions, strict=True)
        )

    def _worded_by(self, row: int) -> str:
        lender = int(self.titles.words_from[row - 1])
        return self.catalogue.versions[int(self.catalogue.version[lender - 1])].label if lender else ""

    def _articles(self, identities: Sequence[int], versions: Sequence[LawVersion]) -> list[Article]:
        marks = ", ".join("?" * len(identities))
        rows = self._pack.reader.all(f"SELECT id, {ARTICLE_COLUMNS} FROM articles WHERE id IN ({marks})", identities)
        found = {identity: row for identity, *row in rows}
        return [
            article_of(version.law, version.label, found[identity])
            for identity, version in zip(identities, versions, strict=True)
        ]


def _gaps(hits: Sequence[Hit], narrowed: FilteredRows) -> list[str]:
    """Notes on the gaps in which laws among the hits have their neighbours."""
    laws = dict.fromkeys(hit.version.law for hit in hits if "gap_neighbour" in hit.kept)
    return [f"gap:{law}:{day}" for law in laws for day in narrowed.gaps.get(law, ())]


__all__ = ["CHANNELS", "WINDOWS", "LawResults", "Booleans", "Hit", "LawSearch", "SearchSettings", "Window"]
