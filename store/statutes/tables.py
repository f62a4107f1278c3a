"""The tables of statutes in `corpus.db` and their writer. A pack without statutes has none of them.

Whatever order an importer reads its files in, ids come out in the order of the keys (law, then start and label of the
version, then position), so that the same content always gives the same bytes. Article ids are the row ids of every
index over articles and the tie-break of every ranking.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import astuple
from datetime import date

from store.errors import BadInput
from store.schema import Provenance, storable
from store.statutes.model import LINK_KINDS, Article, ArticleNumber, Law, LawVersion, Link

Execute = Callable[[str, tuple[object, ...]], sqlite3.Cursor]

TABLES = (
    "CREATE TABLE laws (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, short TEXT NOT NULL, level TEXT NOT NULL,"
    " provenance TEXT NOT NULL) STRICT",
    "CREATE TABLE law_aliases (alias TEXT NOT NULL, law INTEGER NOT NULL,"
    " PRIMARY KEY (alias, law)) STRICT, WITHOUT ROWID",
    "CREATE TABLE law_versions (id INTEGER PRIMARY KEY, law INTEGER NOT NULL, label TEXT NOT NULL, valid_from TEXT,"
    " valid_to TEXT, adopted TEXT, inferred INTEGER NOT NULL, source TEXT NOT NULL, UNIQUE (law, label)) STRICT",
    "CREATE TABLE articles (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, number INTEGER NOT NULL,"
    " sub INTEGER NOT NULL, part TEXT NOT NULL, chapter TEXT NOT NULL, section TEXT NOT NULL, title TEXT NOT NULL,"
    " text TEXT, amended_by TEXT NOT NULL, text_source TEXT NOT NULL, derived INTEGER NOT NULL,"
    " position INTEGER NOT NULL, listed TEXT NOT NULL) STRICT",
    "CREATE TABLE law_links (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, from_law TEXT NOT NULL, from_number INTEGER,"
    " from_sub INTEGER, to_law TEXT NOT NULL, to_number INTEGER, to_sub INTEGER, on_day TEXT NOT NULL,"
    " basis TEXT NOT NULL) STRICT",
)
"""Days are ISO texts; NULL: valid_from not known, valid_to still in force, text not in the pack, number the whole
law."""

INDEXES = (
    "CREATE INDEX by_version_number ON articles (version, number, sub)",
    "CREATE INDEX by_number ON articles (number, sub)",
    "CREATE INDEX by_link_from ON law_links (from_law, from_number, from_sub)",
    "CREATE INDEX by_link_to ON law_links (to_law, to_number, to_sub)",
)

_STAGED = (
    "CREATE TABLE staged_law (name TEXT PRIMARY KEY, short TEXT, level TEXT, provenance TEXT) STRICT",
    "CREATE TABLE staged_alias (alias TEXT, law TEXT, PRIMARY KEY (alias, law)) STRICT",
    "CREATE TABLE staged_version (law TEXT, label TEXT, valid_from TEXT, valid_to TEXT, adopted TEXT,"
    " inferred INTEGER, source TEXT, PRIMARY KEY (law, label)) STRICT",
    "CREATE TABLE staged_article (law TEXT, label TEXT, position INTEGER, number INTEGER, sub INTEGER, part TEXT,"
    " chapter TEXT, section TEXT, title TEXT, text TEXT, amended_by TEXT, text_source TEXT, derived INTEGER,"
    " listed TEXT, PRIMARY KEY (law, label, position)) STRICT",
    "CREATE TABLE staged_link (kind TEXT, from_law TEXT, from_number INTEGER, from_sub INTEGER, to_law TEXT,"
    " to_number INTEGER, to_sub INTEGER, on_day TEXT, basis TEXT) STRICT",
)

_SETTLE = (
    "INSERT INTO laws SELECT row_number() OVER (ORDER BY name), * FROM staged_law ORDER BY name",
    "INSERT INTO law_aliases SELECT a.alias, l.id FROM staged_alias a JOIN laws l ON l.name = a.law ORDER BY 1, 2",
    "INSERT INTO law_versions SELECT row_number() OVER (ORDER BY l.id, coalesce(v.valid_from, ''), v.label),"
    " l.id, v.label, v.valid_from, v.valid_to, v.adopted, v.inferred, v.source"
    " FROM staged_version v JOIN laws l ON l.name = v.law ORDER BY 1",
    "INSERT INTO articles (version, number, sub, part, chapter, section, title, text, amended_by, text_source,"
    " derived, position, listed) SELECT v.id, a.number, a.sub, a.part, a.chapter, a.section, a.title, a.text,"
    " a.amended_by, a.text_source, a.derived, a.position, a.listed FROM law_versions v JOIN laws l ON l.id = v.law"
    " JOIN staged_article a ON a.law = l.name AND a.label = v.label ORDER BY v.id, a.position",
    "INSERT INTO law_links SELECT row_number() OVER (ORDER BY from_law, from_number, from_sub, on_day, kind, to_law,"
    " to_number, to_sub, basis), * FROM (SELECT DISTINCT * FROM staged_link) ORDER BY 1",
)


class StatuteWriter:
    """Writes statutes through the builder of a pack; nothing is created before the first law."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute
        self._begun = False
        self.articles = 0
        """How many articles were written."""
        self.provenance: set[Provenance] = set()

    def add_law(self, law: Law, aliases: Iterable[str] = ()) -> None:
        """Add a law, or further aliases of it.

        Raises:
            BadInput: a law of that name was added with other data, or a text cannot be stored.
        """
        self._begin()
        _check_texts(law.name, law.short, law.level)
        if not law.name:
            raise BadInput("A law has no name")
        old = self._execute("SELECT * FROM staged_law WHERE name = ?", (law.name,)).fetchone()
        if old is None:
            self._execute("INSERT INTO staged_law VALUES (?, ?, ?, ?)", astuple(law))
            self.provenance.add(law.provenance)
        elif old != astuple(law):
            raise BadInput(
                f"{law.name} is described in two ways: {'、'.join(old[1:])} and {'、'.join(astuple(law)[1:])}"
            )
        for alias in aliases:
            self.add_alias(law.name, alias)

    def add_alias(self, law: str, alias: str) -> None:
        """Add an alias of a law that was added.

        Raises:
            BadInput: the text cannot be stored.
        """
        _check_texts(alias)
        self._execute("INSERT OR IGNORE INTO staged_alias VALUES (?, ?)", (alias, law))

    def add_version(self, version: LawVersion, articles: Iterable[Article]) -> None:
        """Add a version with its articles in their order; the same version again, with the same content, is nothing
        new.

        Positions are given here, from 1.

        Raises:
            BadInput: the law was not added, the window ends before it begins, or the version was added with other
                content.
        """
        self._begin()
        if not self._execute("SELECT 1 FROM staged_law WHERE name = ?", (version.law,)).fetchone():
            raise BadInput(f"{version.label}: its law {version.law} was not added")
        if version.valid_from and version.valid_to and version.valid_to < version.valid_from:
            raise BadInput(f"{version.label} ends on {version.valid_to}, before it begins on {version.valid_from}")
        _check_texts(version.label, version.source)
        row = (
            version.law, version.label, _day(version.valid_from), _day(version.valid_to), _day(version.adopted),
            int(version.inferred), version.source,
        )  # fmt: skip
        key = (version.law, version.label)
        old = self._execute("SELECT * FROM staged_version WHERE law = ? AND label = ?", key).fetchone()
        if old is not None:
            self._check_same(version, tuple(old), row, articles)
            return
        self._execute("INSERT INTO staged_version VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        marks = ", ".join("?" * 14)
        for position, article in enumerate(articles, 1):
            self._execute(f"INSERT INTO staged_article VALUES ({marks})", _article_row(version, article, position))
            self.articles += 1

    def add_link(self, link: Link) -> None:
        """Add a link; the same link twice is one.

        Raises:
            BadInput: an unknown kind or a text that cannot be stored.
        """
        self._begin()
        if link.kind not in LINK_KINDS:
            raise BadInput(f"There is no kind of link named {link.kind}", f"Kinds: {', '.join(LINK_KINDS)}.")
        _check_texts(link.from_law, link.to_law, link.basis)
        row = (
            link.kind, link.from_law, *_numbers(link.from_number), link.to_law, *_numbers(link.to_number),
            _day(link.on), link.basis,
        )  # fmt: skip
        self._execute("INSERT INTO staged_link VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def finish(self) -> None:
        """Give everything its id and its place, and build the indexes."""
        if not self._begun:
            return
        for statement in (*TABLES, *_SETTLE, *INDEXES):
            self._execute(statement, ())
        for statement in _STAGED:
            self._execute(f"DROP TABLE {statement.split()[2]}", ())

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            for statement in _STAGED:
                self._execute(statement, ())

    def _check_same(
        self, version: LawVersion, old: tuple[object, ...], new: tuple[object, ...], articles: Iterable[Article]
    ) -> None:
        if old != new:
            raise BadInput(f"{version.label} is given twice with different data", "Keep one of the two.")
        rows = self._execute(
            "SELECT * FROM staged_article WHERE law = ? AND label = ? ORDER BY position", (version.law, version.label)
        ).fetchall()
        given = [_article_row(version, article, position) for position, article in enumerate(articles, 1)]
        if rows != given:
            place = next((n for n, pair in enumerate(zip(rows, given, strict=False)) if pair[0] != pair[1]), None)
            where = given[place][3] if place is not None else f"{len(rows)} and {len(given)} articles"
            raise BadInput(
                f"{version.label} is given twice with different articles ({where})", "Keep one of the two."
            )


def _article_row(version: LawVersion, article: Article, position: int) -> tuple[object, ...]:
    number = article.number
    if (article.law, article.label) != (version.law, version.label):
        raise BadInput(f"{article.label} {number.key} does not belong to {version.label}")
    if number.number < 0 or number.sub < 0:
        raise BadInput(f"{version.label}: {number.number}, {number.sub} is no article number")
    texts = (article.part, article.chapter, article.section, article.title)
    sources = (article.amended_by, article.text_source)
    _check_texts(*texts, article.text or "", *sources, article.listed)
    return (
        version.law, version.label, position, number.number, number.sub, *texts, article.text, *sources,
        int(article.derived), article.listed,
    )  # fmt: skip


def _check_texts(*texts: str) -> None:
    for text in texts:
        if not isinstance(text, str) or not storable(text):
            raise BadInput(f"{text!r:.80} is not valid Unicode text")


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _numbers(number: ArticleNumber | None) -> tuple[int | None, int | None]:
    return (None, None) if number is None else (number.number, number.sub)
