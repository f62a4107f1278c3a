"""Statutes as the Law screen and `moot law` read them: packs, answers of the search, one article through time.

Plain data; on the desk read by worker threads. Days are inclusive.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from app.law_words import family_of, state_key
from store import manifest as manifests
from store.errors import StoreError
from store.pack import Pack
from store.search.references import SucceededReference, following
from store.statutes.book import Answer, ArticleFound, Gap, NoText, NotYetInForce, RepealedArticle, StatuteBook
from store.statutes.check import KINDS, StatuteFault, check_law
from store.statutes.comparing import ClauseComparison, compare
from store.statutes.counterparts import Counterpart
from store.statutes.model import Article, ArticleNumber, Law, LawVersion
from store.statutes.names import short_name
from store.statutes.relations import Doubt
from store.statutes.timeline import TimelineEntry, timeline
from tasks.run.engines import embedder_of

if TYPE_CHECKING:
    from store.search import law_search
    from store.search.query import Span

LAST = ("sample",)
"""Packs that answer only where no other knows the law: fiction."""
MOST = 20
"""Articles that a search offers."""
_DAY = timedelta(days=1)

Days = tuple[date, date]
"""First and last day."""
Hole = tuple[date, date]
"""First and last day of a run of days without a version, between two versions."""


@dataclass(frozen=True, slots=True)
class StatutePack:
    """A pack that holds statutes, or that cannot be read."""

    name: str
    hash: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class LawTimespan:
    """The days of a law across its versions: from the first to today, or later where a version ends or begins
    later."""

    first: date
    last: date
    windows: tuple[tuple[date, date | None], ...] = ()
    holes: tuple[Hole, ...] = ()


@dataclass(frozen=True, slots=True)
class HitLine:
    """A hit with what its line needs."""

    hit: law_search.Hit
    state: str
    life: LawTimespan | None


@dataclass(frozen=True, slots=True)
class LawAnswer:
    """An answered question.

    day: given beside the words, else the day that they name; direct: the first article that they name with its law;
    fault: why the channels of words could not be used.
    """

    day: date | None
    answer: law_search.LawResults
    hits: tuple[HitLine, ...]
    direct: tuple[str, ArticleNumber] | None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class ArticleView:
    """An article of a law on a day, or in a version that a person chose, with its history.

    day: the day asked for, None where the newest text was; states: label -> state today; doubt: why its law may
    not apply on that day; stale: the day on which the data end, if that is before it; counterpart: where
    the rule stands now, if its law has ended; cited: articles of ended laws to which the text refers; findings:
    what the check of its versions found; kin: the laws around it by kind of relation.
    """

    law: Law
    number: ArticleNumber
    day: date | None
    today: date
    answer: Answer
    entries: tuple[TimelineEntry, ...] = ()
    versions: tuple[LawVersion, ...] = ()
    states: Mapping[str, str] = field(default_factory=dict)
    life: LawTimespan | None = None
    near: tuple[Article | None, Article | None] = (None, None)
    doubt: Doubt | None = None
    stale: date | None = None
    counterpart: Counterpart | None = None
    cited: tuple[SucceededReference, ...] = ()
    findings: tuple[StatuteFault, ...] = ()
    kin: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def version(self) -> LawVersion | None:
        return _shown(self.answer)[0]

    @property
    def article(self) -> Article | None:
        return _shown(self.answer)[1]

    @property
    def place(self) -> int:
        """Where the shown version stands in the timeline; -1 where it does not."""
        version = self.version
        labels = [entry.version.label for entry in self.entries]
        return labels.index(version.label) if version and version.label in labels else -1


@dataclass(frozen=True, slots=True)
class VersionComparison:
    """Two entries of a timeline and what differs."""

    old: TimelineEntry
    new: TimelineEntry
    found: ClauseComparison
    uncertain: bool


def today() -> date:
    """The day on the clock of this machine."""
    return datetime.now().astimezone().date()


def statute_packs() -> list[StatutePack]:
    """The installed packs that hold statutes, and those that cannot be read, by name."""
    found: list[StatutePack] = []
    for folder in manifests.installed():
        try:
            manifest = manifests.read(folder)
        except StoreError as error:
            found.append(StatutePack(folder.name, error=error.title))
            continue
        if manifest.counts.statutes:
            found.append(StatutePack(folder.name, manifest.hash))
    return found


def first_choice(found: Sequence[StatutePack]) -> str | None:
    """The pack to open: the first with real law, else the index without text, else fiction; as `moot law` chooses."""
    names = [pack.name for pack in found if not pack.error]
    return next(
        iter([*(name for name in names if name not in LAST), *(name for name in LAST if name in names)]), None
    )


def life_of(versions: Sequence[LawVersion], now: date) -> LawTimespan | None:
    """The life of a law; None where no day of it is known."""
    windows = sorted((v.valid_from, v.valid_to) for v in versions if v.valid_from is not None)
    if not windows:
        return None
    ends = [last or max(first, now) for first, last in windows]
    holes = tuple(
        (end + _DAY, windows[place + 1][0] - _DAY)
        for place in range(len(windows) - 1)
        if (end := max(ends[: place + 1])) + _DAY < windows[place + 1][0]
    )
    return LawTimespan(windows[0][0], max(*ends, now), tuple(windows), holes)


def _day_in(span: Span, now: date) -> date:
    """The day on which to show what a question about a period names: its last one, not later than today."""
    return span.first if span.last == date.max else min(span.last, max(now, span.first))


def _shown(answer: Answer) -> tuple[LawVersion | None, Article | None]:
    """The version and the article that an answer shows; of a hole those before it, else those after it."""
    match answer:
        case (
            ArticleFound(article=article, version=version)
            | NoText(article=article, version=version)
            | NotYetInForce(article=article, first=version)
            | RepealedArticle(article=article, last=version)
        ):
            return version, article
        case Gap():
            return answer.before or answer.after, answer.article_before or answer.article_after
    return None, None


def _anchor(answer: Answer) -> date | None:
    """A day of the version in which the number was meant: of a hole the version before it, if that has the
    article."""
    version = _shown(answer)[0]
    if isinstance(answer, Gap) and answer.article_before is None:
        version = answer.after
    return version.valid_from if version else None


def read_article(
    book: StatuteBook, law: str, number: ArticleNumber, day: date | None, label: str | None = None
) -> ArticleView:
    """An article on a day (None: today), or as it stands in a version.

    An article that no version has, and a law that the book does not know, are answers too.
    """
    now = today()
    entry = book.law(law)
    answer = _in_version(book, entry.name, label, number) if entry and label else None
    answer = answer or book.on(law, number, day or now)
    if entry is None:
        return ArticleView(Law(law, law), number, day, now, answer)
    versions = tuple(book.versions(entry.name))
    article = answer.article if isinstance(answer, ArticleFound | NoText) else None
    shown = answer.version if isinstance(answer, ArticleFound | NoText) else None
    return ArticleView(
        entry,
        number,
        day,
        now,
        answer,
        tuple(timeline(book, entry.name, number, _anchor(answer) or day or now)),
        versions,
        {version.label: state_key(book, version, now) for version in versions},
        life_of(versions, now),
        book.neighbours(article) if article else (None, None),
        book.doubt(shown, day or now) if shown else None,
        book.stale(day or now),
        book.counterparts.of(entry.name, number, max(day or now, now)),
        tuple(following(book, (article.text or "") if article else "", max(day or now, now), entry.name)),
    )


def _in_version(book: StatuteBook, law: str, label: str, number: ArticleNumber) -> Answer | None:
    version = next((v for v in book.versions(law) if v.label == label), None)
    found = book.article(law, label, number) if version else []
    if version is None or not found:
        return None
    return (ArticleFound if found[0].text is not None else NoText)(found[0], version)


class LawDesk:
    """An open pack with its statute book and its search; from any thread, one job at a time."""

    def __init__(self, name: str) -> None:
        """Open a pack.

        Raises:
            StoreError: it cannot be read. A search that cannot be opened is no reason: `fault` holds it.
        """
        from store.search.law_search import LawSearch

        self.name = name
        self.hash = ""
        self.fault: StoreError | None = None
        self._lock = threading.Lock()
        self._closed = False
        self._checked: dict[str, tuple[StatuteFault, ...]] = {}
        self._pack = Pack.open(name)
        try:
            self.hash = self._pack.hash
            self.book = StatuteBook(self._pack)
            self.book.limit_to(today())
            self.counts = self.book.counts()
            self.fictional = "authored" in self._pack.provenance
            self.example = self._example()
            try:
                self._search: LawSearch | None = LawSearch(self._pack, embed=embedder_of(self._pack))
                self._search.book.limit_to(today())
            except StoreError as error:
                self._search, self.fault = None, error
        except BaseException:
            self._pack.close()
            raise

    def close(self) -> None:
        with self._lock:
            if not self._closed:
                self._closed = True
                self._pack.close()

    def _example(self) -> str:
        for law in self.book.laws():
            for version in reversed(self.book.versions(law.name)):
                numbers = sorted(n for n in self.book.numbers(law.name, version.label) if n.number)
                if numbers:
                    named = [n for n in numbers if n.sub]
                    return f"{short_name(law.name)}{(named or numbers)[0].chinese}"
        return ""

    def ask(self, text: str, day: date | None) -> LawAnswer | None:
        """Search. A question that names one law and an article also says which article to show.

        Raises:
            StoreError: the search could not be opened, or stopped.
        """
        from store.search.law_search import SearchSettings

        with self._lock:
            if self._closed:
                return None
            if self._search is None:
                assert self.fault is not None
                raise self.fault
            fault = ""
            try:
                answer = self._search.search(text, SearchSettings(k=MOST, at=day, today=today()))
            except StoreError as error:
                # Indexes of another build: articles that are named are found without them.
                answer = self._search.search(text, SearchSettings(k=MOST, at=day, today=today(), channels=("exact",)))
                fault = f"{error.title}. {error.hint}"
            now, query = today(), answer.query
            absent = any(note.startswith(("unknown_law:", "no_article:")) for note in answer.notes)
            if absent and not (query.keywords or query.headings):
                # Who only cites what the pack does not hold has asked about nothing else.
                answer = replace(answer, hits=tuple(hit for hit in answer.hits if "exact" in hit.ranks))
            direct = query.pairs[0] if query.pairs else None
            when = day or (_day_in(query.spans[0], now) if query.spans else None)
            return LawAnswer(when, answer, tuple(self._lines(answer, now)), direct, fault)

    def _lines(self, answer: law_search.LawResults, now: date) -> Iterator[HitLine]:
        lives: dict[str, LawTimespan | None] = {}
        for hit in answer.hits:
            law = hit.version.law
            if law not in lives:
                lives[law] = life_of(self.book.versions(law), now)
            yield HitLine(hit, state_key(self.book, hit.version, now), lives[law])

    def read(self, law: str, number: ArticleNumber, day: date | None, label: str | None = None) -> ArticleView | None:
        """`read_article`, with what the check of its law found and the laws around it."""
        with self._lock:
            if self._closed:
                return None
            reading, entry = read_article(self.book, law, number, day, label), self.book.law(law)
            if entry is None:
                return reading
            return replace(reading, findings=self._findings(entry.name), kin=family_of(self.book, entry.name))

    def compare(self, entries: Sequence[TimelineEntry], sides: tuple[int, int]) -> VersionComparison | None:
        """Two entries of a timeline, clause by clause; one may lack the article, whose words may stand in others."""
        old, new = entries[sides[0]], entries[sides[1]]
        between = entries[min(sides) + 1 : max(sides) + 1]
        with self._lock:
            if self._closed:
                return None
            found = compare(self.book, (old.version, old.article), (new.version, new.article))
        return VersionComparison(old, new, found, any(entry.uncertain for entry in between))

    def _findings(self, law: str) -> tuple[StatuteFault, ...]:
        if law not in self._checked:
            found = sorted(check_law(self.book, law), key=lambda finding: KINDS.index(finding.kind))
            self._checked[law] = tuple(found)
        return self._checked[law]
