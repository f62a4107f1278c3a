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
from typing import Any

from store.errors import BadInput
from store.schema import Provenance, storable
from store.statutes.model import LARGEST, LINK_KINDS, Article, ArticleNumber, Law, LawVersion, Link

Row = tuple[object, ...]
Execute = Callable[[str, Row], sqlite3.Cursor]

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


class StatuteWriter:
    """Collects statutes and writes them through the builder of a pack in the end; nothing where there are none."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute
        self._laws: dict[str, Law] = {}
        self._aliases: set[tuple[str, str]] = set()
        self._versions: dict[tuple[str, str], tuple[LawVersion, list[Row]]] = {}
        self._links: set[Row] = set()
        self.articles = 0
        """How many articles were added."""
        self.provenance: set[Provenance] = set()

    def add_law(self, law: Law, aliases: Iterable[str] = ()) -> None:
        """Add a law, or further aliases of it.

        Raises:
            BadInput: a law of that name was added with other data, or a text cannot be stored.
        """
        _check_texts(law.name, law.short, law.level)
        if not law.name:
            raise BadInput("A law has no name")
        old = self._laws.setdefault(law.name, law)
        if old != law:
            ways = ("、".join(astuple(one)[1:]) for one in (old, law))
            raise BadInput(f"{law.name} is described in two ways: {next(ways)} and {next(ways)}")
        self.provenance.add(law.provenance)
        for alias in aliases:
            self.add_alias(law.name, alias)

    def add_alias(self, law: str, alias: str) -> None:
        """Add an alias of a law that was added.

        Raises:
            BadInput: the text cannot be stored.
        """
        _check_texts(alias)
        self._aliases.add((alias, law))

    def add_version(self, version: LawVersion, articles: Iterable[Article]) -> None:
        """Add a version with its articles in their order; the same version again, with the same content, is nothing
        new.

        Positions are given here, from 1.

        Raises:
            BadInput: the law was not added, the window ends before it begins, or the version was added with other
                content.
        """
        label = version.label
        if version.law not in self._laws:
            raise BadInput(f"{label}: its law {version.law} was not added")
        if version.valid_from and version.valid_to and version.valid_to < version.valid_from:
            raise BadInput(f"{label} ends on {version.valid_to}, before it begins on {version.valid_from}")
        _check_texts(label, version.source)
        rows = [_article_row(version, article, position) for position, article in enumerate(articles, 1)]
        if (version.law, label) not in self._versions:
            self._versions[version.law, label] = (version, rows)
            self.articles += len(rows)
            return
        old, known = self._versions[version.law, label]
        if old != version:
            raise BadInput(f"{label} is given twice with different data", "Keep one of the two.")
        if known != rows:
            place = next((n for n, pair in enumerate(zip(known, rows, strict=False)) if pair[0] != pair[1]), None)
            where = rows[place][0] if place is not None else f"{len(known)} and {len(rows)} articles"
            raise BadInput(f"{label} is given twice with different articles ({where})", "Keep one of the two.")

    def add_link(self, link: Link) -> None:
        """Add a link; the same link twice is one.

        Raises:
            BadInput: an unknown kind or a text that cannot be stored.
        """
        if link.kind not in LINK_KINDS:
            raise BadInput(f"Articles and laws are not linked by '{link.kind}'", f"Kinds: {', '.join(LINK_KINDS)}.")
        _check_texts(link.from_law, link.to_law, link.basis)
        row = (
            link.kind, link.from_law, *_numbers(link.from_number), link.to_law, *_numbers(link.to_number),
            _day(link.on), link.basis,
        )  # fmt: skip
        self._links.add(row)

    def finish(self) -> None:
        """Give everything its id and its place, and build the indexes."""
        if not self._laws and not self._links:
            return
        for statement in TABLES:
            self._execute(statement, ())
        laws = {name: identity for identity, name in enumerate(sorted(self._laws), 1)}
        for name, identity in laws.items():
            self._insert("laws", (identity, *astuple(self._laws[name])))
        for alias, law in sorted(self._aliases):
            self._insert("law_aliases", (alias, laws[law]))
        versions = sorted(self._versions.values(), key=lambda one: _place(one[0]))
        for identity, (version, _) in enumerate(versions, 1):
            law, label, first, last, adopted, inferred, source = astuple(version)
            days = (_day(first), _day(last), _day(adopted))
            self._insert("law_versions", (identity, laws[law], label, *days, int(inferred), source))
        articles = ((version, *row) for version, (_, rows) in enumerate(versions, 1) for row in rows)
        for identity, row in enumerate(articles, 1):
            self._insert("articles", (identity, *row))
        for identity, row in enumerate(sorted(self._links, key=_order), 1):
            self._insert("law_links", (identity, *row))
        for statement in INDEXES:
            self._execute(statement, ())

    def _insert(self, table: str, row: Row) -> None:
        self._execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)


def _place(version: LawVersion) -> tuple[str, str, str]:
    return version.law, _day(version.valid_from) or "", version.label


def _order(link: Row) -> list[tuple[bool, Any]]:
    kind, from_law, from_number, from_sub, to_law, to_number, to_sub, on, basis = link
    values = (from_law, from_number, from_sub, on, kind, to_law, to_number, to_sub, basis)
    return [(value is not None, value) for value in values]


def _article_row(version: LawVersion, article: Article, position: int) -> Row:
    number = article.number
    if (article.law, article.label) != (version.law, version.label):
        raise BadInput(f"{article.label} {number.key} does not belong to {version.label}")
    if not (0 <= number.number <= LARGEST and 0 <= number.sub <= LARGEST):
        raise BadInput(f"{version.label}: {number.number}, {number.sub} is no article number")
    texts = (article.part, article.chapter, article.section, article.title)
    sources = (article.amended_by, article.text_source)
    _check_texts(*texts, article.text or "", *sources, article.listed)
    return (number.number, number.sub, *texts, article.text, *sources, int(article.derived), position, article.listed)


def _check_texts(*texts: str) -> None:
    for text in texts:
        if not isinstance(text, str) or not storable(text):
            raise BadInput(f"{text!r:.80} is not valid Unicode text")


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _numbers(number: ArticleNumber | None) -> tuple[int | None, int | None]:
    return (None, None) if number is None else (number.number, number.sub)
