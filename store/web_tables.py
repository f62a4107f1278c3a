"""The tables of `web.db` and their writer. A pack without pages has no such file.

Whatever order pages come in, ids follow the order of their addresses, so that the same pages always give the same
bytes. Ids are the row ids of the full-text indexes and the tie-break of every ranking.
"""

from __future__ import annotations

import sqlite3
from datetime import date
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from store.errors import BadInput
from store.schema import Provenance, storable
from store.text.normalise import fold_width
from store.text.segment import words

LOCAL = "local:"
MAX_ADDRESS = 2048
"""Characters; a longer address is taken as none."""

_LONGEST_NAME = 1900
_PORTS = {"http": 80, "https": 443}


def tidy_address(text: str) -> str | None:
    """An absolute http or https address in one spelling, or None: no fragment, no user, host in small letters."""
    text = text.strip()
    if not text or len(text) > MAX_ADDRESS or not text.isprintable() or any(c in text for c in ' <>"\\'):
        return None
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
        text.encode()
    except (ValueError, UnicodeError):
        return None
    if parts.scheme not in _PORTS or not host or ".." in host or host.startswith("."):
        return None
    if ":" in host:
        host = f"[{host}]"
    place = host if port in (None, _PORTS[parts.scheme]) else f"{host}:{port}"
    return urlunsplit((parts.scheme, place, parts.path or "/", parts.query, ""))


def is_address(url: str) -> bool:
    """Whether it can stand in a snapshot: as `tidy_address` writes it, or a `local:` address."""
    if url.startswith(LOCAL):
        return len(LOCAL) < len(url) <= MAX_ADDRESS and url.isprintable() and " " not in url
    return tidy_address(url) == url


def local_address(label: str) -> str:
    """The address of a page that states none: its path inside what was imported."""
    shown = (c if c.isprintable() and c not in ' %<>"\\' else quote(c, errors="replace") for c in label)
    return LOCAL + "".join(shown)[-_LONGEST_NAME:]


def host_of(url: str) -> str:
    """The host of an address; empty for a local one."""
    return "" if url.startswith(LOCAL) else urlsplit(url).hostname or ""


def spellings(url: str) -> list[str]:
    """Addresses under which a page may stand that is asked for by this one, the likeliest first."""
    tidy = tidy_address(url) or url
    other = tidy.removesuffix("/") if tidy.endswith("/") else f"{tidy}/"
    return list(dict.fromkeys((url, tidy, other)))


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
