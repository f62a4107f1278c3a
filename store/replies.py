"""Texts by key, kept across runs in one small SQLite file: a cache, so no run may be harmed by it.

Every failure ends here. A file that is damaged is put aside and a new one begun; one that cannot be used otherwise is
used no more; both are said once, in `troubles`. One that another run is writing to is passed over this once. Sizes
are in bytes. Several processes may share the file; an object belongs to one thread at a time.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from store import places
from store.connection import UNREADABLE
from store.errors import BadInput, Damaged, StoreError

T = TypeVar("T")

MOST_BYTES = 256 * 1024 * 1024
"""Size of the file, beyond which the oldest texts go."""
LONGEST = 4_000_000
"""Bytes of one text; a longer one is not kept."""
PATIENCE = 1.0
"""Seconds to wait for another run that is writing."""
SHARE = 10
"""One of so many texts goes when there is no room."""

_TABLE = "CREATE TABLE IF NOT EXISTS replies (key BLOB PRIMARY KEY, text BLOB NOT NULL) STRICT"
_MISUSED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_ERROR})
"""The file holds something else. SQLITE_ERROR: another table of this name."""
_TAKEN = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


def file_of_replies() -> Path:
    """Where the replies are kept."""
    return places.cache() / "replies-1.db"


class Replies:
    """An open cache; it behaves as an empty one where it cannot be used.

    Args:
        path: the file; made when there is none.
        limit: bytes.
    """

    def __init__(self, path: Path, limit: int = MOST_BYTES) -> None:
        self.path = path
        self.limit = limit
        self.troubles: list[StoreError] = []
        """What was wrong with the file and what became of it."""
        self._database: sqlite3.Connection | None = None
        self._attempt(self._open)
        if self._database is None and not self.troubles:
            self.troubles.append(
                BadInput(f"another run is writing to the cache of replies at {path}", "The run goes on without it.")
            )

    def get(self, key: bytes) -> bytes | None:
        """The text of a key."""
        return self._attempt(lambda: self._get(key))

    def put(self, key: bytes, text: bytes) -> None:
        """Keep a text; the first one of a key stays."""
        if len(text) <= LONGEST:
            self._attempt(lambda: self._put(key, text))

    def size(self) -> tuple[int, int]:
        """How many texts there are, and how many bytes the file takes."""
        return self._attempt(self._size) or (0, 0)

    def clear(self) -> None:
        """Forget all texts."""
        self._attempt(self._clear)

    def close(self) -> None:
        """Let go of the file."""
        database, self._database = self._database, None
        if database is not None:
            with suppress(sqlite3.Error):
                database.close()

    def __enter__(self) -> Replies:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _attempt(self, what: Callable[[], T]) -> T | None:
        try:
            return what()
        except UNREADABLE as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            if code in _MISUSED:
                self._put_aside(str(error))
            elif code not in _TAKEN:
                self._give_up(str(error))
        except OSError as error:
            self._give_up(error.strerror or str(error))
        return None

    def _open(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=PATIENCE)
        try:
            for line in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL"):
                database.execute(line)
            database.execute(_TABLE)
        except UNREADABLE:
            database.close()
            raise
        self._database = database

    def _get(self, key: bytes) -> bytes | None:
        if self._database is None:
            return None
        row = self._database.execute("SELECT text FROM replies WHERE key = ?", (key,)).fetchone()
        return bytes(row[0]) if row else None

    def _put(self, key: bytes, text: bytes) -> None:
        if (database := self._database) is None:
            return
        database.execute("INSERT OR IGNORE INTO replies (key, text) VALUES (?, ?)", (key, text))
        while self._used(database) > self.limit:
            oldest = "DELETE FROM replies WHERE rowid IN (SELECT rowid FROM replies ORDER BY rowid LIMIT ?)"
            (count,) = database.execute("SELECT count(*) FROM replies").fetchone()
            if not database.execute(oldest, (max(1, count // SHARE),)).rowcount:
                break

    def _size(self) -> tuple[int, int]:
        if self._database is None:
            return 0, 0
        (count,) = self._database.execute("SELECT count(*) FROM replies").fetchone()
        return int(count), self._used(self._database)

    def _clear(self) -> None:
        if self._database is not None:
            self._database.execute("DELETE FROM replies")
            self._database.execute("VACUUM")

    @staticmethod
    def _used(database: sqlite3.Connection) -> int:
        """Bytes of pages that hold something; the others are filled first."""
        one, all_, free = (
            int(database.execute(f"PRAGMA {name}").fetchone()[0])
            for name in ("page_size", "page_count", "freelist_count")
        )
        return one * (all_ - free)

    def _put_aside(self, reason: str) -> None:
        """Begin anew, once; the damaged file stays for whoever wants to look at it."""
        self.close()
        aside = self.path.with_name(self.path.name + ".damaged")
        try:
            os.replace(self.path, aside)
            for more in ("-wal", "-shm"):
                self.path.with_name(self.path.name + more).unlink(missing_ok=True)
        except OSError as error:
            return self._give_up(error.strerror or str(error))
        again = bool(self.troubles)
        self.troubles.append(
            Damaged(f"the cache of replies at {self.path} is damaged: {reason}", f"It was put aside as {aside.name}.")
        )
        if not again:
            self._attempt(self._open)
        return None

    def _give_up(self, reason: str) -> None:
        self.close()
        self.troubles.append(
            BadInput(f"the cache of replies at {self.path} cannot be used: {reason}", "The run goes on without it.")
        )
