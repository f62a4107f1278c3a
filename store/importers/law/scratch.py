"""A scratch file on disk where an importer puts rows down in the order of the files and takes them up law by law.

Sources are ordered as they like and may be larger than memory; one law at a time is not.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path

from store.errors import BadInput
from store.statutes.model import ArticleNumber


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
