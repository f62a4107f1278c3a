"""Which articles may answer a question: windows, laws, numbers and headings, before anything is ranked.

Works on the columns of a `Catalogue`. Days are inclusive. What is decided where filters leave nothing, or a law has
no version on the day, is told in notes: gap:LAW:DAY, not_yet:LAW:DAY, repealed:LAW:DAY, succeeded:LAW:LAW,
counterpart:LAW:第…条:LAW:第…条:SURE, no_article:LAW:NUMBER, unknown_law:NAME, dropped:headings, dropped:number,
before_all:DAY:DAY (asked for, first day of the pack).

Where no law is named, every law with a gap on the day offers its neighbours; `FilteredRows.gaps` has the days, so
that the search can speak of those that it found and not of hundreds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

import numpy as np
import numpy.typing as npt

from store.search.catalogue import Booleans, Catalogue, Integers
from store.search.query import LawQuery, Span
from store.statutes.book import Gap, NotYetInForce, RepealedArticle, StatuteBook
from store.statutes.model import ArticleNumber, LawVersion

_OPEN_FIT, _BEFORE_FIT, _AFTER_FIT, _UNKNOWN_FIT = 0.5, 0.4, 0.3, 0.1
"""Fit of a version to a span with one open end, of the neighbours of a gap, and of a version without known days."""


Window = Literal["on", "off", "newest"]
"""on: versions that applied on the days of the question; off: all versions; newest: the newest version of each
law."""
WINDOWS: tuple[Window, ...] = ("on", "off", "newest")
CHANNELS = ("exact", "keyword", "dense", "bm25", "title", "citing")


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How to search.

    k: hits; window: see `Window`; law_filter: whether laws that are named filter; channels: which of `CHANNELS` rank;
    paper: the published pipeline instead; at: a day given beside the text, in place of the days of the text; law: a
    law (name or alias) given beside the text, in place of those of the text; today: the day of the question, for
    questions without days: versions that begin after it give way to those that have begun (None: the newest counts).
    """

    k: int = 10
    window: Window = "on"
    law_filter: bool = True
    channels: tuple[str, ...] = CHANNELS
    paper: bool = False
    at: date | None = None
    law: str | None = None
    today: date | None = None


@dataclass(frozen=True)
class FilteredRows:
    """The rows that are left.

    rows: true for each that may answer; count: how many; order: rank of each version by fit, best 0; pairs: articles
    that are named with their law; selective: whether a law, number or heading filters; codes: why each version is
    kept; latest: where same words were folded, the rows of the newest version that has the article; gaps: days in
    gaps of laws that nobody named.
    """

    catalogue: Catalogue
    rows: Booleans
    count: int
    order: Integers
    pairs: tuple[tuple[str, ArticleNumber], ...]
    selective: bool
    notes: tuple[str, ...]
    codes: Mapping[int, str] = field(default_factory=dict)
    common: tuple[str, ...] = ()
    default: str = ""
    latest: Booleans | None = None
    gaps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def applied(self) -> Booleans:
        """Those of the rows that applied on the day, as far as anybody knows: the neighbours of a gap are only
        offered."""
        beside = [version for version, code in self.codes.items() if code == "gap_neighbour"]
        return self.rows & ~np.isin(self.catalogue.version, beside)

    def kept(self, row: int) -> tuple[str, ...]:
        """Why a row was kept; `row` is an article id."""
        place = int(np.searchsorted(self.catalogue.ids, row))
        code = self.codes.get(int(self.catalogue.version[place]), self.default)
        codes = (code, *self.common) if code else self.common
        if self.latest is None:
            return codes
        return (*codes, "newest" if self.latest[place] else "last_wording")


def narrow(catalogue: Catalogue, book: StatuteBook, query: LawQuery, wanted: SearchSettings) -> FilteredRows:
    """Apply all filters of a question."""
    notes = list(query.notes)
    spans = (Span(wanted.at, wanted.at, wanted.at.isoformat()),) if wanted.at else query.spans
    laws, pairs, free = _laws(book, query, wanted, notes)
    window = _window(catalogue, book, spans, laws, pairs, wanted, notes)
    rows = window.versions[catalogue.version]
    if window.fold:
        rows = rows & catalogue.folded
    followed = _followed(book, pairs, spans, wanted.today, notes)
    common: list[str] = []
    if laws and wanted.law_filter:
        chosen = np.zeros(len(catalogue.laws), np.bool_)
        chosen[[catalogue.law_places[law] for law in (*laws, *window.successors)]] = True
        rows = rows & chosen[catalogue.law_of[catalogue.version]]
        common.append("law")
    else:
        common.append("no_law")
    rows, dropped = _placed(catalogue, rows, query, pairs, free, bool(window.successors), wanted.law_filter)
    notes += [f"dropped:{what}" for what in dropped]
    if query.numbers and "number" in dropped:
        told = {note.split(":")[1] for note in notes if note.startswith(("gap:", "not_yet:", "repealed:"))}
        notes += _missing(book, [pair for pair in pairs if pair[0] not in told], spans)
    common.append("number" if query.numbers and "number" not in dropped else "no_number")
    if query.headings and "headings" not in dropped:
        common.append("heading")
    return FilteredRows(
        catalogue,
        rows,
        int(np.count_nonzero(rows)),
        window.order,
        (*pairs, *followed),
        bool(laws or query.numbers or query.headings),
        tuple(dict.fromkeys(notes)),
        window.codes,
        tuple(common),
        window.default,
        catalogue.latest if window.fold else None,
        window.gaps,
    )


def _laws(
    book: StatuteBook, query: LawQuery, wanted: SearchSettings, notes: list[str]
) -> tuple[tuple[str, ...], tuple[tuple[str, ArticleNumber], ...], tuple[ArticleNumber, ...]]:
    """The laws, the articles with their law, and the numbers that may belong to any of the laws."""
    if wanted.law:
        laws = tuple(law.name for law in book.named(wanted.law))
        if laws:
            own = tuple((law, number) for law in laws for number in query.numbers)
            return laws, own, ()
        notes.append(f"unknown_law:{wanted.law}")
    paired = {number for _, number in query.pairs}
    free = tuple(number for number in query.numbers if number not in paired)
    pairs = query.pairs + tuple((law, number) for number in free for law in query.laws)
    return query.laws, pairs, free


@dataclass
class _Window:
    versions: Booleans
    order: Integers
    codes: dict[int, str]
    default: str
    fold: bool = False
    successors: tuple[str, ...] = ()
    gaps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def _window(
    catalogue: Catalogue,
    book: StatuteBook,
    spans: Sequence[Span],
    laws: Sequence[str],
    pairs: Sequence[tuple[str, ArticleNumber]],
    wanted: SearchSettings,
    notes: list[str],
) -> _Window:
    fit = np.zeros(len(catalogue.versions))
    if wanted.window == "newest":
        return _Window(catalogue.newest, _order(catalogue, fit), {}, "newest")
    every = np.ones(len(catalogue.versions), np.bool_)
    if wanted.window == "off":
        return _Window(every, _order(catalogue, fit), {}, "all_versions")
    if not spans:
        if wanted.today:
            fit[catalogue.dated & (catalogue.first > wanted.today.toordinal())] = -1.0
        return _Window(every, _order(catalogue, fit), {}, "no_date", fold=True)
    ok = ~catalogue.dated
    fit[ok] = _UNKNOWN_FIT
    codes = {int(place): "no_window" for place in np.flatnonzero(ok)}
    for span in spans:
        meeting = catalogue.meeting(span.first, span.last)
        ok |= meeting
        covered = _OPEN_FIT * meeting if span.is_open else catalogue.share(span.first, span.last)
        fit = np.maximum(fit, np.where(catalogue.window_is(span.first, span.last), 1.0, covered))
    successors: list[str] = []
    for law in laws:
        own = catalogue.law_of == catalogue.law_places[law]
        for span in spans:
            if (own & (~catalogue.dated | catalogue.meeting(span.first, span.last))).any():
                continue
            number = next((number for name, number in pairs if name == law), ArticleNumber(1))
            neighbours = _absent(book, law, number, span, notes, successors)
            for version, weight in neighbours:
                place = next(int(p) for p in np.flatnonzero(own) if catalogue.versions[p] == version)
                if not ok[place]:
                    ok[place], fit[place], codes[place] = True, weight, "gap_neighbour"
    known = [law for law in dict.fromkeys(successors) if law in catalogue.law_places and law not in laws]
    for law in known:
        codes |= {int(p): "successor" for p in np.flatnonzero(catalogue.law_of == catalogue.law_places[law])}
    gaps = {} if laws and wanted.law_filter else _beside(catalogue, spans, ok, fit, codes, notes)
    return _Window(ok, _order(catalogue, fit), codes, "window", successors=tuple(known), gaps=gaps)


def _beside(
    catalogue: Catalogue,
    spans: Sequence[Span],
    ok: Booleans,
    fit: npt.NDArray[np.float64],
    codes: dict[int, str],
    notes: list[str],
) -> dict[str, tuple[str, ...]]:
    """Let the neighbours of all gaps in; the days of the gaps by law. A span before everything is noted."""
    days: dict[str, tuple[str, ...]] = {}
    met = ok.copy()
    for span in spans:
        day = (span.last if span.first == date.min else span.first).isoformat()
        if catalogue.earliest and span.last < catalogue.earliest:
            notes.append(f"before_all:{day}:{catalogue.earliest.isoformat()}")
        for places, weight in zip(catalogue.beside(span.first, span.last), (_BEFORE_FIT, _AFTER_FIT), strict=True):
            new = places[~met[places]]
            ok[new] = True
            fit[new] = np.maximum(fit[new], weight)
            for place in new.tolist():
                codes[place] = "gap_neighbour"
                law = catalogue.versions[place].law
                if day not in days.get(law, ()):
                    days[law] = (*days.get(law, ()), day)
    return days


def _absent(
    book: StatuteBook, law: str, number: ArticleNumber, span: Span, notes: list[str], successors: list[str]
) -> list[tuple[LawVersion, float]]:
    """What to do about a law without a version in a span: the neighbours of a gap with their fit, or its
    successors."""
    day = span.last if span.first == date.min else span.first
    answer = book.on(law, number, day)
    if isinstance(answer, Gap):
        notes.append(f"gap:{law}:{day.isoformat()}")
        sides = ((answer.before, _BEFORE_FIT), (answer.after, _AFTER_FIT))
        return [(version, weight) for version, weight in sides if version is not None]
    if isinstance(answer, NotYetInForce):
        notes.append(f"not_yet:{law}:{day.isoformat()}")
    elif isinstance(answer, RepealedArticle):
        notes.append(f"repealed:{law}:{day.isoformat()}")
        for link in answer.successors:
            successors.append(link.to_law)
            notes.append(f"succeeded:{law}:{link.to_law}")
    return []


def _followed(
    book: StatuteBook,
    pairs: Sequence[tuple[str, ArticleNumber]],
    spans: Sequence[Span],
    today: date | None,
    notes: list[str],
) -> list[tuple[str, ArticleNumber]]:
    """Where the rules of articles of ended laws stand on the last day of the question, told in notes."""
    days = [span.first if span.last == date.max else span.last for span in spans]
    day = max(days, default=today)
    found: list[tuple[str, ArticleNumber]] = []
    if day is None:
        return found
    for law, number in pairs[:8]:
        if now := book.counterparts.of(law, number, day):
            found.append((now.law, now.number))
            notes.append(f"counterpart:{law}:{number.chinese}:{now.law}:{now.number.chinese}:{now.sure}")
    return found


def _order(catalogue: Catalogue, fit: npt.NDArray[np.float64]) -> Integers:
    """Rank of each version: by fit, then the newest first."""
    order = np.empty(len(fit), np.int64)
    order[np.lexsort((-catalogue.first, -fit.round(6)))] = np.arange(len(fit))
    return order


def _placed(
    catalogue: Catalogue,
    rows: Booleans,
    query: LawQuery,
    pairs: Sequence[tuple[str, ArticleNumber]],
    free: Sequence[ArticleNumber],
    succeeded: bool,
    by_law: bool,
) -> tuple[Booleans, list[str]]:
    """Filter by number and heading; where nothing is left, drop headings, then numbers."""
    numbered = _numbered(catalogue, query, pairs, free, by_law) if query.numbers else None
    under = catalogue.under(query.headings) if query.headings else None
    both = rows if numbered is None else rows & numbered
    if under is not None:
        if (both & under).any():
            return both & under, []
        if not both.any() and (rows & under).any():
            return rows & under, ["number"]
    dropped = ["headings"] if under is not None else []
    if both.any() or numbered is None:
        return both, dropped
    if succeeded or rows.any():
        return rows, [*dropped, "number"]
    return both, dropped


def _numbered(
    catalogue: Catalogue,
    query: LawQuery,
    pairs: Sequence[tuple[str, ArticleNumber]],
    free: Sequence[ArticleNumber],
    by_law: bool,
) -> Booleans:
    """Rows with one of the numbers; a number that is named with its law counts in that law only."""
    any_law = free if by_law else query.numbers
    fits = np.isin(catalogue.number, [catalogue.code(number) for number in any_law])
    if by_law:
        for law in dict.fromkeys(law for law, _ in pairs):
            codes = [catalogue.code(number) for name, number in pairs if name == law]
            own = catalogue.law_of[catalogue.version] == catalogue.law_places[law]
            fits |= own & np.isin(catalogue.number, codes)
    return fits


def _missing(book: StatuteBook, pairs: Sequence[tuple[str, ArticleNumber]], spans: Sequence[Span]) -> list[str]:
    """Articles that are named and that their law does not have, on the first day of the question where it has one."""
    day = next((span.last if span.first == date.min else span.first for span in spans), None)
    found = []
    for law, number in pairs[:8]:
        kind = book.on(law, number, day).kind if day else "unknown"
        found.append(f"no_article:{law}:{number.key}:{kind}")
    return found
