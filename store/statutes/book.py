"""The statute book of a pack: what a law said on a day, and what it says when it said nothing then.

Five answers are possible beside a text: 尚未施行 (the law or the article came later), 已废止 (it had ended),
版本表缺口 (the versions in the pack leave the day out, although law existed: a fault of the data, with the neighbours
offered), 未收录文本 (in force, words not in the pack), and that the book does not know such a law or article. Where
versions overlap the one that began last answers, and the others are named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Any, ClassVar, Literal, cast

from store.pack import Pack
from store.run_file import reading
from store.statutes.counterparts import Counterparts
from store.statutes.model import LARGEST, Article, ArticleNumber, Law, LawVersion, Link, LinkKind
from store.statutes.names import LIFETIMES, aliases_of, is_revision, key_of_name
from store.statutes.relations import Doubt, Relations
from store.text.dates import parse_date

_DAY = timedelta(days=1)

State = Literal["in_force", "doubtful", "amended", "repealed", "not_yet", "unknown"]
"""现行有效, 效力存疑 (the law that it interprets or implements has ended), 已修改 (a later version of the law
exists), 已废止 (none does), 尚未施行; unknown: the days are not known."""


@dataclass(frozen=True, slots=True)
class ArticleFound:
    """The article as it stood; `others`: further versions that claim the same day."""

    kind: ClassVar[str] = "found"
    article: Article
    version: LawVersion
    others: tuple[LawVersion, ...] = ()


@dataclass(frozen=True, slots=True)
class NoText:
    """未收录文本: in force on the day, words not in the pack; `article` None: the pack does not even list it."""

    kind: ClassVar[str] = "no_text"
    article: Article | None
    version: LawVersion
    others: tuple[LawVersion, ...] = ()


@dataclass(frozen=True, slots=True)
class NotYetInForce:
    """尚未施行: `first` is the first version that has it; `current` the version of the law on the day, if there was
    one."""

    kind: ClassVar[str] = "not_yet"
    first: LawVersion
    article: Article | None
    current: LawVersion | None = None


@dataclass(frozen=True, slots=True)
class RepealedArticle:
    """已废止: `last` is the last version that had it; `successors`: where its matter went."""

    kind: ClassVar[str] = "repealed"
    last: LawVersion
    article: Article | None
    successors: tuple[Link, ...] = ()
    current: LawVersion | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """版本表缺口: law was in force on the day, but no version in the pack covers it; neighbours with their articles.

    first, last: the days without a version, as far as they are known (`first` None: a revised version is the oldest
    one in the pack; `last` None: up to now).

    basis: what says that the law was in force, where it is not plain from the versions on both sides.
    """

    kind: ClassVar[str] = "gap"
    before: LawVersion | None
    after: LawVersion | None
    article_before: Article | None = None
    article_after: Article | None = None
    basis: str = ""
    first: date | None = None
    last: date | None = None


@dataclass(frozen=True, slots=True)
class UnknownArticle:
    """The book has no such law or article, or knows no days of the law."""

    kind: ClassVar[str] = "unknown"
    what: Literal["law", "article", "days"]
    law: str
    near: tuple[str, ...] = ()


Answer = ArticleFound | NoText | NotYetInForce | RepealedArticle | Gap | UnknownArticle


class StatuteBook:
    """Reads the statutes of an open pack; a pack without statutes has no laws."""

    def __init__(self, pack: Pack) -> None:
        self._reader, self._path = pack.reader, pack.path
        self.as_of = parse_date(pack.manifest.as_of)
        """The last day that the data know of; None where the pack does not say."""
        self._versions: dict[str, list[LawVersion]] = {}
        self._version_ids: dict[tuple[str, str], int] = {}
        self._numbers: dict[tuple[str, str], frozenset[ArticleNumber]] = {}
        self._laws: dict[str, Law] = {}
        if pack.manifest.counts.statutes or self._has_tables():
            with reading(self._path):
                self._read_laws()
        self._aliases = self._read_aliases()

    def _read_laws(self) -> None:
        """Laws and their versions; articles are read when they are asked for, but no number of one may be wrong."""
        for wrong in self._reader.all(_WRONG_NUMBERS):
            raise ValueError(f"{wrong} numbers no article")
        rows = self._reader.all("SELECT id, name, short, level, provenance FROM laws ORDER BY id")
        self._laws = {row[1]: Law(*row[1:]) for row in rows}
        names = {row[0]: row[1] for row in rows}
        for identity, law, *fields in self._reader.all(
            f"SELECT id, law, {_VERSION_COLUMNS} FROM law_versions ORDER BY id"
        ):
            version = _version(names[law], fields)
            self._versions.setdefault(version.law, []).append(version)
            self._version_ids[version.law, version.label] = identity

    def laws(self) -> list[Law]:
        """All laws by name."""
        return list(self._laws.values())

    def named(self, name: str) -> list[Law]:
        """The laws that a name may mean: exactly titled so, else by alias."""
        if name in self._laws:
            return [self._laws[name]]
        return [self._laws[law] for law in self._aliases.get(key_of_name(name), ())]

    def law(self, name: str) -> Law | None:
        """The law of this name or alias; None where there is none, or more than one."""
        found = self.named(name)
        return found[0] if len(found) == 1 else None

    def aliases(self) -> Mapping[str, Sequence[str]]:
        """Keys of names (`store.statutes.names.key_of_name`) with the official names they may mean."""
        return self._aliases

    def near(self, name: str, limit: int = 3) -> list[str]:
        """Names of laws that look like this one."""
        from rapidfuzz import fuzz, process

        keys = {key: law for key, laws in self._aliases.items() for law in laws[:1]}
        found = process.extract(key_of_name(name), list(keys), scorer=fuzz.ratio, limit=3 * limit, score_cutoff=50)
        return list(dict.fromkeys(keys[key] for key, _, _ in found))[:limit]

    def versions(self, law: str) -> list[LawVersion]:
        """The versions of a law (name or alias) by their first day; those whose days are not known come first."""
        entry = self.law(law)
        return list(self._versions.get(entry.name, ())) if entry else []

    def articles(self, law: str, label: str) -> list[Article]:
        """All articles of a version in their order."""
        return self._articles(law, label, "", ())

    def article(self, law: str, label: str, number: ArticleNumber) -> list[Article]:
        """The articles of one number in a version; more than one where the source lists it twice."""
        return self._articles(law, label, "AND number = ? AND sub = ?", (number.number, number.sub))

    def numbers(self, law: str, label: str) -> frozenset[ArticleNumber]:
        """The numbers of a version."""
        if (law, label) not in self._numbers:
            rows = self._reader.all(
                "SELECT number, sub FROM articles WHERE version = ?", (self._version_ids[law, label],)
            )
            self._numbers[law, label] = frozenset(ArticleNumber(*row) for row in rows)
        return self._numbers[law, label]

    def neighbours(self, article: Article) -> tuple[Article | None, Article | None]:
        """The articles before and after one in its version."""
        near: list[Article | None] = []
        for place in (article.position - 1, article.position + 1):
            found = self._articles(article.law, article.label, "AND position = ?", (place,))
            near.append(found[0] if found else None)
        return near[0], near[1]

    def counts(self) -> dict[str, int]:
        """How many laws, versions, articles and texts the book holds."""
        articles = texts = 0
        if self._laws:
            ((articles, texts),) = self._reader.all("SELECT count(*), count(text) FROM articles")
        versions = sum(len(found) for found in self._versions.values())
        return {"laws": len(self._laws), "versions": versions, "articles": articles, "texts": texts}

    def share_of_texts(self, version: LawVersion) -> float:
        """How much of a version has its words in the pack, from 0 to 1."""
        sql = "SELECT count(*), count(text) FROM articles WHERE version = ?"
        ((count, texts),) = self._reader.all(sql, (self._version_ids[version.law, version.label],))
        return texts / count if count else 0.0

    def links(self, law: str, number: ArticleNumber | None = None) -> list[Link]:
        """Links that begin or end at a law, or at one article of it (those of the law as a whole included)."""
        if not self._laws:
            return []
        rows = self._reader.all(
            f"SELECT {_LINK_COLUMNS} FROM law_links WHERE from_law = ?1 OR to_law = ?1 ORDER BY id",
            (law,),
        )
        with reading(self._path):
            links = [_link(row) for row in rows]
        if number is None:
            return links
        ends = (None, number)
        return [
            link
            for link in links
            if (link.from_law == law and link.from_number in ends) or (link.to_law == law and link.to_number in ends)
        ]

    def state(self, version: LawVersion, today: date) -> State:
        """Whether a version is in force on a day, and if not why."""
        if version.valid_from is None:
            return "unknown"
        if version.valid_from > today:
            return "not_yet"
        if version.covers(today):
            return "doubtful" if self.doubt(version, today) else "in_force"
        later = [v for v in self._versions.get(version.law, ()) if v.valid_from and v.valid_from > version.valid_from]
        lifetime = LIFETIMES.get(version.law)
        return "amended" if later or (lifetime and lifetime.covers(today)) else "repealed"

    @cached_property
    def relations(self) -> Relations:
        """What interprets, implements, amends or repeals what; read once."""
        return Relations(self)

    @cached_property
    def counterparts(self) -> Counterparts:
        """Where the rules of laws that ended stand in those that followed; derived when first asked for."""
        return Counterparts(self)

    def doubt(self, version: LawVersion, day: date) -> Doubt | None:
        """Why a version that nobody repealed may no longer apply on a day; None where nothing speaks against it."""
        found = self.relations.doubt(version.law) if version.covers(day) else None
        began = version.valid_from
        return found if found and began and began < found.since <= day else None

    def limit_to(self, today: date) -> bool:
        """Let the data end on this day at the latest, whatever the pack says; whether the pack named a later one."""
        later = self.as_of is not None and self.as_of > today
        self.as_of = min(self.as_of or today, today)
        return later

    def stale(self, day: date) -> date | None:
        """The last day of the data where a day lies behind it: what changed since is not known."""
        return self.as_of if self.as_of and day > self.as_of else None

    def uncertain(self, versions: Iterable[LawVersion], day: date | None) -> list[str]:
        """Notes on what a day (None: the last word of the book) makes uncertain: as_of:DAY, and for each version
        doubtful:LAW:LAW:DAY."""
        notes = [f"as_of:{last}"] if day and (last := self.stale(day)) else []
        for version in versions:
            if doubt := self.doubt(version, day or date.max):
                notes.append(f"doubtful:{version.law}:{doubt.other}:{doubt.since}")
        return notes

    def openings(self) -> dict[str, list[tuple[str, str]]]:
        """Law -> where and what: the unnumbered text and the first article of its newest version with any."""
        if not self._laws:
            return {}
        found: dict[str, list[tuple[str, str]]] = {}
        newest = {self._version_ids[law, versions[-1].label]: law for law, versions in self._versions.items()}
        sql = (
            "SELECT version, number, sub, substr(text, 1, 400) FROM articles WHERE number IN (0, 1) AND sub <= 1"
            " AND text IS NOT NULL ORDER BY id"
        )
        for version, number, sub, text in self._reader.all(sql):
            if version in newest:
                found.setdefault(newest[version], []).append((ArticleNumber(number, sub).chinese, text))
        return found

    def succeeded(self) -> list[Link]:
        """The links of laws that others repealed as a whole."""
        if not self._laws:
            return []
        sql = f"SELECT {_LINK_COLUMNS} FROM law_links WHERE kind = 'succeeded' AND from_number IS NULL ORDER BY id"
        rows = self._reader.all(sql)
        with reading(self._path):
            return [_link(row) for row in rows]

    def on(self, law: str, number: ArticleNumber, day: date) -> Answer:
        """What an article of a law (name or alias) said on a day."""
        entry = self.law(law)
        if entry is None:
            return UnknownArticle("law", law, tuple(other.name for other in self.named(law)) or tuple(self.near(law)))
        dated = [version for version in self._versions.get(entry.name, ()) if version.valid_from is not None]
        covering = [version for version in dated if version.covers(day)]
        if covering:
            return self._within(dated, covering, number)
        before = [version for version in dated if version.valid_to and version.valid_to < day]
        after = [version for version in dated if version.valid_from and version.valid_from > day]
        last = max(before, key=lambda version: (version.valid_to, version.label)) if before else None
        following = after[0] if after else None
        if last is None and following is None:
            return UnknownArticle("days", entry.name)
        first_article, next_article = self._first(last, number), self._first(following, number)
        lifetime = LIFETIMES.get(entry.name)
        known = lifetime is not None and lifetime.covers(day)
        if known or (last and following):
            basis = lifetime.basis if lifetime and known and not (last and following) else ""
            begins = last.valid_to + _DAY if last and last.valid_to else lifetime.first if lifetime else None
            ends = (
                following.valid_from - _DAY
                if following and following.valid_from
                else lifetime.last
                if lifetime
                else None
            )
            return Gap(last, following, first_article, next_article, basis, begins, ends)
        if following is not None:
            if is_revision(following.label):
                # What was revised existed before: its earlier versions are not in the pack.
                ends = following.valid_from - _DAY if following.valid_from else None
                return Gap(None, following, None, next_article, "", None, ends)
            return NotYetInForce(following, next_article)
        assert last is not None
        return RepealedArticle(last, first_article, self.successors(entry.name, None, day))

    def _within(self, dated: list[LawVersion], covering: list[LawVersion], number: ArticleNumber) -> Answer:
        version, others = covering[-1], tuple(covering[:-1])
        assert version.valid_from is not None
        article = self._first(version, number)
        if article is not None:
            return (ArticleFound if article.text is not None else NoText)(article, version, others)
        having = [other for other in dated if number in self.numbers(other.law, other.label)]
        earlier = [other for other in having if cast(date, other.valid_from) < version.valid_from]
        later = [other for other in having if cast(date, other.valid_from) > version.valid_from]
        own = self.numbers(version.law, version.label)
        plain = [other.number for other in own if not other.sub]
        if not own or (earlier and later) or (not number.sub and plain and number.number < max(plain)):
            return NoText(None, version, others)
        if later:
            return NotYetInForce(later[0], self._first(later[0], number), version)
        if earlier:
            began = version.valid_from
            return RepealedArticle(
                earlier[-1], self._first(earlier[-1], number), self.successors(version.law, number, began), version
            )
        return UnknownArticle("article", version.law)

    def successors(self, law: str, number: ArticleNumber | None, day: date) -> tuple[Link, ...]:
        """Where a law, or one of its articles, had gone by a day."""
        return tuple(
            link
            for link in self.links(law, number)
            if link.from_law == law and link.on <= day and (number is None) == (link.from_number is None)
        )

    def _first(self, version: LawVersion | None, number: ArticleNumber) -> Article | None:
        if version is None:
            return None
        found = self.article(version.law, version.label, number)
        return found[0] if found else None

    def _articles(self, law: str, label: str, where: str, values: tuple[int, ...]) -> list[Article]:
        identity = self._version_ids.get((law, label))
        if identity is None:
            return []
        sql = f"SELECT {ARTICLE_COLUMNS} FROM articles WHERE version = ? {where} ORDER BY id"
        return [article_of(law, label, row) for row in self._reader.all(sql, (identity, *values))]

    def _has_tables(self) -> bool:
        return bool(self._reader.all("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'laws'"))

    def _read_aliases(self) -> dict[str, list[str]]:
        aliases: dict[str, list[str]] = {}
        if self._laws:
            sql = "SELECT a.alias, l.name FROM law_aliases a JOIN laws l ON l.id = a.law ORDER BY 1, 2"
            for alias, law in self._reader.all(sql):
                aliases.setdefault(alias, []).append(law)
            for law in self._laws:
                for alias in aliases_of(law):
                    if law not in aliases.setdefault(alias, []):
                        aliases[alias].append(law)
        return aliases


ARTICLE_COLUMNS = (
    "number, sub, part, chapter, section, title, text, amended_by, text_source, derived, position, listed"
)
_LINK_COLUMNS = "kind, from_law, from_number, from_sub, to_law, to_number, to_sub, on_day, basis"
_WRONG_NUMBERS = (
    "SELECT * FROM (SELECT number, sub FROM articles UNION ALL SELECT from_number, from_sub FROM law_links"
    f" UNION ALL SELECT to_number, to_sub FROM law_links) WHERE number NOT BETWEEN 0 AND {LARGEST}"
    f" OR sub NOT BETWEEN 0 AND {LARGEST} LIMIT 1"
)
_VERSION_COLUMNS = "label, valid_from, valid_to, adopted, inferred, source"


def article_of(law: str, label: str, row: Sequence[Any]) -> Article:
    """The article of a version in a row of `ARTICLE_COLUMNS`."""
    number, sub, part, chapter, section, title, text, by, source, derived, position, listed = row
    key = ArticleNumber(number, sub)
    return Article(law, label, key, part, chapter, section, title, text, by, source, bool(derived), position, listed)


def _version(law: str, fields: Sequence[Any]) -> LawVersion:
    label, valid_from, valid_to, adopted, inferred, source = fields
    return LawVersion(law, label, _date(valid_from), _date(valid_to), _date(adopted), bool(inferred), source)


def _link(row: Sequence[Any]) -> Link:
    kind, from_law, from_number, from_sub, to_law, to_number, to_sub, on_day, basis = row
    start = None if from_number is None else ArticleNumber(from_number, from_sub)
    end = None if to_number is None else ArticleNumber(to_number, to_sub)
    return Link(cast(LinkKind, kind), from_law, start, to_law, end, date.fromisoformat(on_day), basis)


def _date(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)
