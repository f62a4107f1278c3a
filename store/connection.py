"""How a pack's database is read: immutable and query-only, nothing in its schema is trusted."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypedDict

from store.errors import DamagedData, StoreError

UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What a damaged file raises: a word of its schema that is no text is quoted as it is in SQLite's own message."""

FTS_PARTS = ("data", "idx", "content", "docsize", "config")
"""Tables that FTS5 keeps beside each of its own."""


class TableFacts(TypedDict):
    """A table as it stands in a file; `index`: the kind of a virtual one."""

    rows: int
    columns: dict[str, str]
    index: str


class Reader:
    """One read-only connection; may be used from any thread, one query at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            self._connection = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=ro&immutable=1",
                uri=True,
                check_same_thread=False,
                isolation_level=None,
            )
            for pragma in ("query_only = ON", "trusted_schema = OFF"):
                self._connection.execute(f"PRAGMA {pragma}").fetchall()
            self._connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        except UNREADABLE as error:
            raise DamagedData(f"{path} cannot be opened: {error}", "Build or import the pack again.") from None

    def all(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query; `DamagedData` where the file is not what it should be."""
        with self._query():
            return self._connection.execute(sql, parameters).fetchall()

    def tables(self) -> dict[str, TableFacts]:
        """What stands in the file: table -> rows, columns with their types; without what an index keeps for itself.

        Raises:
            Damaged: the file is not what it should be.
        """
        from sqlite_utils import Database  # takes a while to load, and few ask

        with self._query():
            inside = Database(self._connection, recursive_triggers=False)
            virtual = [table.name for table in inside.tables if table.virtual_table_using]
            shadows = tuple(f"{name}_{part}" for name in virtual for part in FTS_PARTS)
            return {
                table.name: {
                    "rows": table.count,
                    "columns": {column.name: column.type for column in table.columns},
                    "index": table.virtual_table_using or "",
                }
                for table in inside.tables
                if table.name not in shadows
            }

    @contextmanager
    def _query(self) -> Iterator[None]:
        """One question to the file: alone, its failures in sentences."""
        with self._lock:
            try:
                yield
            except sqlite3.ProgrammingError as error:
                raise StoreError(f"{self._path} is closed: {error}") from None
            except UNREADABLE as error:
                raise DamagedData(
                    f"{self._path} cannot be read: {error}", "Build or import the pack again."
                ) from None

    def close(self) -> None:
        """Close the connection; closing twice is harmless."""
        with self._lock:
            self._connection.close()


def integrity_problem(path: Path) -> str:
    """What `PRAGMA integrity_check` says, or nothing when all is well."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            answer = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
    except UNREADABLE as error:
        return str(error)
    return "" if answer == "ok" else answer


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
