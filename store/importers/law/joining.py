"""Joins what several files say about a version into one list of articles, and writes the pack.

The best source lists the articles, the others fill in texts and what it lacks; where they disagree the better one
counts and the disagreement is told. A number that is listed twice becomes 之一 where a text or a neighbouring version
shows that it is. Links between the numbers of one version and the next are derived here, from the texts.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from store.builder import PackBuilder
from store.errors import BadInput
from store.importers import Progress
from store.statutes.comparing import links_between
from store.statutes.model import Article, ArticleNumber, Law, LawVersion
from store.statutes.names import aliases_of, short_name, successions_among
from store.text.alignment import squeezed


@dataclass(frozen=True, slots=True)
class Window:
    """A version as one file states it; days as ISO texts, None: open or not stated; where: file and line."""

    law: str
    label: str
    valid_from: str | None
    valid_to: str | None
    where: str


@dataclass(frozen=True, slots=True)
class Row:
    """An article as one file has it; `rank`: whose word counts more where two files differ (lower first)."""

    law: str
    label: str
    number: int
    sub: int
    part: str
    chapter: str
    section: str
    title: str
    text: str | None
    text_source: str
    derived: int
    rank: int
    where: str

    @property
    def key(self) -> ArticleNumber:
        """The number of the article."""
        return ArticleNumber(self.number, self.sub)


class Scratch:
    """Windows and rows that were put down."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        database.execute("PRAGMA journal_mode = OFF")
        database.execute("PRAGMA synchronous = OFF")
        database.execute(
            "CREATE TABLE window (law TEXT, label TEXT PRIMARY KEY, valid_from TEXT, valid_to TEXT, place TEXT)"
        )
        database.execute(
            "CREATE TABLE row (id INTEGER PRIMARY KEY, law TEXT, label TEXT, number INTEGER, sub INTEGER, part TEXT,"
            " chapter TEXT, section TEXT, title TEXT, text TEXT, text_source TEXT, derived INTEGER,"
            " rank INTEGER, place TEXT)"
        )
        database.execute("CREATE INDEX by_label ON row (label, rank, id)")

    def add_window(self, window: Window) -> None:
        """Put a version down.

        Raises:
            BadInput: another place states other days for it.
        """
        found = self._database.execute(
            "SELECT law, label, valid_from, valid_to, place FROM window WHERE label = ?", (window.label,)
        ).fetchone()
        if found is None:
            self._database.execute("INSERT INTO window VALUES (?, ?, ?, ?, ?)", astuple(window))
            return
        old = Window(*found)
        if (old.valid_from, old.valid_to) != (window.valid_from, window.valid_to):
            raise BadInput(
                f"{window.where}: {window.label} applies {_days(window)}, but {_days(old)} in {old.where}",
                "Correct one of the two.",
            )

    def add_row(self, row: Row) -> None:
        """Put an article down."""
        self._database.execute(f"INSERT INTO row VALUES (NULL{', ?' * 13})", astuple(row))

    def laws(self) -> list[str]:
        """The laws that have versions, by name."""
        return [law for (law,) in self._database.execute("SELECT DISTINCT law FROM window ORDER BY law")]

    def windows(self, law: str) -> list[Window]:
        """The versions of a law by their first day."""
        sql = "SELECT law, label, valid_from, valid_to, place FROM window WHERE law = ? ORDER BY valid_from, label"
        return [Window(*found) for found in self._database.execute(sql, (law,))]

    def rows(self, label: str) -> Iterator[Row]:
        """The articles of a version, best source first, each in the order of its file."""
        sql = (
            "SELECT law, label, number, sub, part, chapter, section, title, text, text_source, derived,"
            " rank, place FROM row"
            " WHERE label = ? ORDER BY rank, id"
        )
        for found in self._database.execute(sql, (label,)):
            yield Row(*found)


@contextmanager
def scratch() -> Iterator[Scratch]:
    """A scratch file that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="moot-import-") as folder:
        database = sqlite3.connect(Path(folder) / "scratch.db")
        try:
            yield Scratch(database)
            database.rollback()
        finally:
            database.close()


def _days(window: Window) -> str:
    return f"from {window.valid_from or 'an unknown day'} to {window.valid_to or 'now'}"


SOURCE = "LegalSearch-R1 (AlexFanw/LegalSearch-R1): version list, article index and texts of national laws"
LICENCE = "Apache-2.0 for the compilation; statutes are not subject to copyright in China"
REPORT = "statutes.json"
_CONFLICTS_KEPT = 500


@dataclass
class Tally:
    """What was read and what was found wrong on the way; `files`: what each file holds."""

    index_rows: int = 0
    texts: int = 0
    tidied: int = 0
    files: dict[str, str] = field(default_factory=dict)
    conflicts: list[str] = field(default_factory=list)
    repaired: list[str] = field(default_factory=list)


def write(rows: Scratch, name: str, tally: Tally, progress: Progress) -> Path:
    """Build the pack from what was put down, law by law, and tell what was put right and what disagrees."""
    laws = rows.laws()
    newest = max(window.valid_from or "" for law in laws for window in rows.windows(law))
    with PackBuilder(
        name, jurisdiction="CN", source=SOURCE, licence=LICENCE, coverage="harvest", as_of=newest
    ) as builder:
        counts = {"laws": len(laws), "versions": 0, "articles": 0, "texts": 0, "links": 0}
        for done, law in enumerate(laws, 1):
            _write_law(rows, law, builder, tally, counts)
            progress("writing laws", done, len(laws))
        for link in successions_among(set(laws)):
            builder.add_link(link)
            counts["links"] += 1
        summary = {
            **counts,
            "index_rows": tally.index_rows,
            "read_texts": tally.texts,
            "tidied_texts": tally.tidied,
            "files": tally.files,
            "repaired": tally.repaired,
            "conflicts": len(tally.conflicts),
            "conflict_lines": tally.conflicts[:_CONFLICTS_KEPT],
        }
        builder.add_file(REPORT, (json.dumps(summary, ensure_ascii=False, indent=1) + "\n").encode())
        for line in tally.repaired:
            progress(f"put right: {line}", 0, 0)
        for line in tally.conflicts[:_CONFLICTS_KEPT]:
            progress(f"contradiction: {line}", 0, 0)
        path = builder.finish(progress)
    progress(in_words(summary), counts["articles"], counts["articles"])
    return path


def in_words(summary: dict[str, Any]) -> str:
    """The summary in one line."""
    return (
        f"{summary['texts']} texts, {summary['index_rows']} index rows; {summary['articles']} articles in"
        f" {summary['versions']} versions of {summary['laws']} laws, {summary['links']} links,"
        f" {len(summary['repaired'])} numbers put right, {summary['conflicts']} contradictions"
    )


def _write_law(rows: Scratch, law: str, builder: PackBuilder, tally: Tally, counts: dict[str, int]) -> None:
    windows = rows.windows(law)
    builder.add_law(
        Law(law, short_name(law), "法律" if law.endswith("法") or law.endswith("法典") else ""), aliases_of(law)
    )
    listed = {window.label: list(rows.rows(window.label)) for window in windows}
    titles = {label: {row.key: row.title for row in found if row.title} for label, found in listed.items()}
    before: list[Article] = []
    for place, window in enumerate(windows):
        near = [titles[other.label] for other in windows[max(0, place - 1) : place + 2] if other is not window]
        articles = _articles(window, listed.pop(window.label), near, tally)
        valid_from = date.fromisoformat(window.valid_from or "")
        valid_to = date.fromisoformat(window.valid_to) if window.valid_to else None
        source = window.where.partition(",")[0]
        builder.add_version(LawVersion(law, window.label, valid_from, valid_to, source=source), articles)
        counts["versions"] += 1
        counts["articles"] += len(articles)
        counts["texts"] += sum(1 for article in articles if article.text is not None)
        for link in links_between(before, articles, valid_from):
            builder.add_link(link)
            counts["links"] += 1
        before = articles or before


def _articles(
    window: Window, rows: list[Row], near: Sequence[dict[ArticleNumber, str]], tally: Tally
) -> list[Article]:
    """The articles of a version: the best source lists them, the others fill in texts and what it lacks."""
    if not rows:
        return []
    best = rows[0].rank
    rest: dict[ArticleNumber, list[Row]] = {}
    for row in rows:
        if row.rank != best:
            rest.setdefault(row.key, []).append(row)
    articles: list[Article] = []
    taken: set[ArticleNumber] = set()
    for row in (row for row in rows if row.rank == best):
        number = _repaired(row, taken, rest, near) if row.key in taken else row.key
        listed = "" if number == row.key else row.key.chinese
        if listed:
            tally.repaired.append(f"{row.where}: {window.label} lists {listed} twice, the second is {number.chinese}")
        taken.add(number)
        articles.append(
            _filled(replace(row, number=number.number, sub=number.sub), listed, rest.pop(number, []), tally)
        )
    for found in rest.values():
        articles.append(_filled(found[0], "", found[1:], tally))
    if rest:
        articles.sort(key=lambda article: article.number)
    return articles


def _repaired(
    row: Row,
    taken: set[ArticleNumber],
    rest: dict[ArticleNumber, list[Row]],
    near: Sequence[dict[ArticleNumber, str]],
) -> ArticleNumber:
    """The number that a row listed twice really has: the next 之, where a text or a neighbouring version shows it."""
    following = ArticleNumber(row.number, 1 + max(number.sub for number in taken if number.number == row.number))
    shown = following in rest or any(row.title and titles.get(following) == row.title for titles in near)
    return following if shown else row.key


def _filled(row: Row, listed: str, others: Sequence[Row], tally: Tally) -> Article:
    """An article from its row and from what other files say about it; disagreements are told."""
    title, text, source, derived = row.title, row.text, row.text_source, bool(row.derived)
    places = [row.part, row.chapter, row.section]
    for other in others:
        if other.title and title and squeezed(other.title) != squeezed(title):
            tally.conflicts.append(
                f"{row.label} {row.key.chinese}: the title is {title} ({row.where}) and {other.title} ({other.where})"
            )
        title = title or other.title
        for at, said in enumerate((other.part, other.chapter, other.section)):
            if said and places[at] and squeezed(said) != squeezed(places[at]):
                tally.conflicts.append(
                    f"{row.label} {row.key.chinese}: it stands in {places[at]} ({row.where})"
                    f" and {said} ({other.where})"
                )
        if not any(places):
            places = [other.part, other.chapter, other.section]
        if text is None:
            text, source, derived = other.text, other.text_source, bool(other.derived)
        elif other.text is not None and squeezed(other.text) != squeezed(text):
            tally.conflicts.append(f"{row.label} {row.key.chinese}: {other.where} has another text")
    part, chapter, section = places
    return Article(
        row.law, row.label, row.key, part, chapter, section, title, text,
        text_source=source if text else "", derived=derived, listed=listed,
    )  # fmt: skip
