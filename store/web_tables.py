"""The tables of `web.db` and their writer. A pack without pages has no such file.

Whatever order pages come in, ids follow the order of their addresses, so that the same pages always give the same
bytes. Ids are the row ids of the full-text indexes and the tie-break of every ranking.
"""

from __future__ import annotations

import sqlite3
from datetime import date
from pathlib import Path

from store.errors import BadInput
from store.layout import storable
from store.rows import Provenance
from store.text.normalise import fold_width
from store.text.segment import words
from store.web_address import is_address

FILE = "web.db"
INDEXES = {"trigram": "trigram", "words": "unicode61 remove_diacritics 0"}
"""Full-text index -> its tokenizer; each has the columns title and text."""

_PAGE = (
    "(id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, title TEXT NOT NULL, day TEXT, text TEXT NOT NULL,"
    " source TEXT NOT NULL, provenance TEXT NOT NULL) STRICT"
)
_STAGED = (
    "CREATE TABLE staged (url TEXT PRIMARY KEY, title TEXT, day TEXT, text TEXT, source TEXT, provenance TEXT) STRICT"
)


class WebWriter:
    """Writes the pages of a pack into a folder; nothing is created before the first page."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._database: sqlite3.Connection | None = None
        self.pages = 0
        """How many pages were added."""
        self.provenance: set[Provenance] = set()

    def add(
        self, url: str, title: str, day: date | None, text: str, provenance: Provenance, source: str, replace: bool
    ) -> None:
        """Add a page; see `PackBuilder.add_page`."""
        if not is_address(url):
            raise BadInput(f"{url!r:.120} is no address of a page", "Use http://…, https://… or local:….")
        for what, value in (("title", title), ("text", text), ("source", source)):
            if not isinstance(value, str) or not storable(value):
                raise BadInput(f"The {what} of {url} is not valid Unicode")
        if not text.strip():
            raise BadInput(f"{url} has no text")
        database = self._opened()
        known = database.execute("SELECT 1 FROM staged WHERE url = ?", (url,)).fetchone()
        if known and not replace:
            raise BadInput(f"Two pages have the address {url}")
        row = (url, title, day.isoformat() if day else None, text, source, provenance)
        database.execute("INSERT OR REPLACE INTO staged VALUES (?, ?, ?, ?, ?, ?)", row)
        self.pages += 0 if known else 1
        self.provenance.add(provenance)

    def finish(self) -> None:
        """Number the pages, build the indexes and close the file."""
        if self._database is None:
            return
        database = self._database
        database.execute(f"CREATE TABLE page {_PAGE}")
        database.execute(
            "INSERT INTO page SELECT row_number() OVER (ORDER BY url), url, title, day, text, source, provenance"
            " FROM staged ORDER BY url"
        )
        for name, tokenizer in INDEXES.items():
            database.execute(
                f"CREATE VIRTUAL TABLE {name}_page USING fts5(title, text, content='', tokenize='{tokenizer}')"
            )
        for number, title, text in database.execute("SELECT id, title, text FROM page ORDER BY id"):
            plain = [fold_width(title), fold_width(text)]
            cut = [" ".join(words(part)) for part in plain]
            database.execute("INSERT INTO trigram_page (rowid, title, text) VALUES (?, ?, ?)", (number, *plain))
            database.execute("INSERT INTO words_page (rowid, title, text) VALUES (?, ?, ?)", (number, *cut))
        for name in INDEXES:
            database.execute(f"INSERT INTO {name}_page ({name}_page) VALUES ('optimize')")
        for statement in ("DROP TABLE staged", "COMMIT", "ANALYZE", "VACUUM"):
            database.execute(statement)
        self.close()

    def close(self) -> None:
        """Close the file; closing twice is harmless."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _opened(self) -> sqlite3.Connection:
        if self._database is None:
            self._database = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
            for pragma in ("page_size = 4096", "journal_mode = OFF", "synchronous = OFF"):
                self._database.execute(f"PRAGMA {pragma}").fetchall()
            self._database.execute("BEGIN")
            self._database.execute(_STAGED)
        return self._database
