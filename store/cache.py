"""Caches of the user: texts by key, each kind in an SQLite file of its own, which may be deleted at any time.

No caller may be harmed by one, so every failure ends here: what cannot be kept is made again. A file that is damaged
is thrown away and a new one begun; one that cannot be used otherwise behaves as an empty one; `troubles` has a
sentence for each. One that another process is writing to is passed over this once. Sizes are in bytes. Several
processes may share a file; an object belongs to one thread at a time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from store import places
from store.connection import UNREADABLE
from store.errors import BadInput, DamagedData, StoreError

T = TypeVar("T")

MOST_BYTES = 256 * 1024 * 1024
"""Size of a file, beyond which the oldest texts go."""
LONGEST = 4_000_000
"""Bytes of one text; a longer one is not kept."""
PATIENCE = 5.0
"""Seconds to wait for another process that is writing."""
SHARE = 10
"""One of so many texts goes when there is no room."""

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR})
"""The file holds something else. SQLITE_ERROR: another table of this name."""
_TAKEN = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


def file_of(kind: str) -> Path:
    """Where a kind is kept: `hashes`, `replies`, `lines` and `figures` of runs."""
    return places.cache() / f"{kind}.db"


class Cache:
    """An open cache; it behaves as an empty one where it cannot be used.

    Args:
        path: the file; made when there is none.
        limit: bytes.
        version: of what the texts mean; a file of another version is emptied.
    """

    def __init__(self, path: Path, limit: int = MOST_BYTES, version: int = 1) -> None:
        self.path = path
        self.limit = limit
        self._version = version
        self.troubles: list[StoreError] = []
        """What was wrong with the file and what became of it."""
        self._database: sqlite3.Connection | None = None
        self._open()

    def get(self, key: str | bytes) -> bytes | None:
        """The text of a key."""
        row = self._attempt(lambda database: database.execute(_SELECT, (key,)).fetchone(), None)
        return bytes(row[0]) if row else None

    def all(self) -> dict[str, bytes]:
        """All texts by key."""
        return dict(self._attempt(lambda database: database.execute("SELECT key, text FROM texts").fetchall(), []))

    def put(self, texts: Mapping[str, bytes] | Mapping[bytes, bytes]) -> None:
        """Keep texts; a later one of a key takes the place of an earlier one."""
        rows = [(key, text) for key, text in texts.items() if len(text) <= LONGEST]
        if rows:
            self._attempt(lambda database: self._put(database, rows), None)

    def remove(self, keys: Iterable[str]) -> None:
        """Forget the texts of some keys."""
        rows = [(key,) for key in keys]
        if rows:
            self._attempt(lambda database: database.executemany("DELETE FROM texts WHERE key = ?", rows), None)

    def clear(self) -> None:
        """Forget all texts."""
        self._attempt(lambda database: database.executescript("DELETE FROM texts; VACUUM"), None)

    def size(self) -> tuple[int, int]:
        """How many texts there are, and how many bytes the file takes."""
        return self._attempt(lambda database: (_count(database), _used(database)), (0, 0))

    def close(self) -> None:
        """Let go of the file."""
        database, self._database = self._database, None
        if database is not None:
            with suppress(sqlite3.Error):
                database.close()

    def __enter__(self) -> Cache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False, timeout=PATIENCE
            )
            for line in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", _TABLE):
                self._database.execute(line)
            if self._database.execute("PRAGMA user_version").fetchone() != (self._version,):
                self._database.executescript(
                    f"BEGIN IMMEDIATE; DELETE FROM texts; PRAGMA user_version = {self._version}; COMMIT"
                )
        except (*UNREADABLE, OSError) as error:
            self._fail(error)

    def _attempt(self, action: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        try:
            return otherwise if self._database is None else action(self._database)
        except UNREADABLE as error:
            if _code(error) not in _TAKEN:
                self._fail(error)
        return otherwise

    def _fail(self, error: Exception) -> None:
        """Begin anew, once, where the file is damaged; else go on without it."""
        self.close()
        begun_anew = any(isinstance(trouble, DamagedData) for trouble in self.troubles)
        try:
            if (_code(error) in _DAMAGED or isinstance(error, UnicodeDecodeError)) and not begun_anew:
                for more in ("-wal", "-shm", ""):
                    self.path.with_name(self.path.name + more).unlink(missing_ok=True)
                self.troubles.append(
                    DamagedData(f"the cache {self.path} was damaged: {error}", "A new one was begun.")
                )
                return self._open()
        except OSError as failed:
            error = failed
        reason = getattr(error, "strerror", None) or error
        self.troubles.append(
            BadInput(f"the cache {self.path} cannot be used: {reason}", "Everything goes on without it.")
        )
        return None

    def _put(self, database: sqlite3.Connection, rows: list[tuple[str | bytes, bytes]]) -> None:
        database.execute("BEGIN IMMEDIATE")
        with database:
            database.executemany("INSERT OR REPLACE INTO texts (key, text) VALUES (?, ?)", rows)
        while _used(database) > self.limit:
            oldest = "DELETE FROM texts WHERE rowid IN (SELECT rowid FROM texts ORDER BY rowid LIMIT ?)"
            if not database.execute(oldest, (max(1, _count(database) // SHARE),)).rowcount:
                break


_TABLE = "CREATE TABLE IF NOT EXISTS texts (key BLOB PRIMARY KEY, text BLOB NOT NULL)"
_SELECT = "SELECT text FROM texts WHERE key = ?"


def _code(error: Exception) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _count(database: sqlite3.Connection) -> int:
    (count,) = database.execute("SELECT count(*) FROM texts").fetchone()
    return int(count)


def _used(database: sqlite3.Connection) -> int:
    """Bytes of pages that hold something; the others are filled first."""
    names = ("page_size", "page_count", "freelist_count")
    one, every, free = (int(database.execute(f"PRAGMA {name}").fetchone()[0]) for name in names)
    return one * (every - free)
