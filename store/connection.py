"""How a pack's database is read: immutable, query-only, behind an authorizer, with a cap on the work of one query.

A pack is data from elsewhere. Whatever stands in it, a reader can only SELECT, and a query that runs away ends with
a sentence instead of a hung desk. Work is counted in steps of SQLite's virtual machine.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypedDict

from store.errors import BadInput, Damaged, StoreError

STEPS_PER_CALLBACK = 10_000
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What a damaged file raises: a word of its schema that is no text is quoted as it is in SQLite's own message."""

MAX_STEPS = 200_000_000
"""About ten seconds of work: far above any lookup or search over the full corpora."""

FOREIGN_STEPS = 2_000_000_000
"""For the whole of a file that is imported: some hundred steps for each of five million rows."""

_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION}


def _authorize(action: int, first: str | None, second: str | None, database: str | None, trigger: str | None) -> int:
    if action in _ALLOWED or (action == sqlite3.SQLITE_PRAGMA and first in ("data_version", "table_info")):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _authorize_foreign(
    action: int, first: str | None, second: str | None, database: str | None, trigger: str | None
) -> int:
    """Columns as they stand: no function of a hostile schema is ever called."""
    if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_OK if action == sqlite3.SQLITE_PRAGMA and first == "table_xinfo" else sqlite3.SQLITE_DENY


FTS_PARTS = ("data", "idx", "content", "docsize", "config")
"""Tables that FTS5 keeps beside each of its own."""


class TableFacts(TypedDict):
    """A table as it stands in a file; `index`: the kind of a virtual one."""

    rows: int
    columns: dict[str, str]
    index: str


class Reader:
    """One read-only connection; may be used from any thread, one query at a time."""

    def __init__(self, path: Path, *, max_steps: int = MAX_STEPS) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._left = 0
        self._callbacks = max(1, max_steps // STEPS_PER_CALLBACK)
        try:
            self._connection = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=ro&immutable=1",
                uri=True,
                check_same_thread=False,
                isolation_level=None,
            )
            self._prepare()
        except UNREADABLE as error:
            raise Damaged(f"{path} cannot be opened: {error}", "Build or import the pack again.") from None

    def _prepare(self) -> None:
        connection = self._connection
        try:
            for pragma in ("query_only = ON", "trusted_schema = OFF"):
                connection.execute(f"PRAGMA {pragma}").fetchall()
            names = connection.execute(
                "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%'"
            ).fetchall()
            for (name,) in names:
                # FTS5 declares its table when first touched, which the authorizer would refuse.
                connection.execute(f"SELECT rowid FROM {quoted(name)} LIMIT 0").fetchall()
            connection.set_progress_handler(self._tick, STEPS_PER_CALLBACK)
            connection.set_authorizer(_authorize)
        except UNREADABLE:
            connection.close()
            raise

    def _tick(self) -> int:
        self._left -= 1
        return 1 if self._left < 0 else 0

    def all(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query.

        Raises:
            Damaged: the file is not what it should be.
            StoreError: the query was refused, or stopped because it took too many steps.
        """
        with self._asked():
            return self._connection.execute(sql, parameters).fetchall()

    def tables(self) -> dict[str, TableFacts]:
        """What stands in the file: table -> rows, columns with their types; without what an index keeps for itself.

        Raises:
            Damaged: the file is not what it should be.
            StoreError: it took too many steps.
        """
        from sqlite_utils import Database  # takes a while to load, and few ask

        with self._asked():
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
    def _asked(self) -> Iterator[None]:
        """One question to the file: alone, within its steps, its failures in sentences."""
        with self._lock:
            self._left = self._callbacks
            try:
                yield
            except sqlite3.OperationalError as error:
                if "interrupted" in str(error):
                    raise StoreError(f"A query on {self._path} was stopped: too much work", "Ask for less.") from None
                raise Damaged(f"{self._path} cannot be read: {error}", "Build or import the pack again.") from None
            except sqlite3.ProgrammingError as error:
                raise StoreError(f"{self._path} is closed: {error}") from None
            except UNREADABLE as error:
                if "not authorized" in str(error) or "prohibited" in str(error):
                    raise StoreError(f"A query on {self._path} was refused: {error}") from None
                raise Damaged(f"{self._path} cannot be read: {error}", "Build or import the pack again.") from None

    def close(self) -> None:
        """Close the connection; closing twice is harmless."""
        with self._lock:
            self._connection.close()


@contextmanager
def open_foreign(path: Path, *, max_bytes: int, max_steps: int = FOREIGN_STEPS) -> Iterator[sqlite3.Connection]:
    """A SQLite file that someone else made: read-only, nothing in its schema is trusted or run, only SELECT is
    allowed.

    max_bytes: of one cell; SQLite refuses to load a longer one. max_steps: of everything that is asked of the file.

    Raises:
        BadInput: it cannot be opened.
    """
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    except sqlite3.Error as error:
        raise BadInput(f"{path.name} cannot be opened as SQLite: {error}") from None
    left = max(1, max_steps // STEPS_PER_CALLBACK)

    def tick() -> int:
        nonlocal left
        left -= 1
        return 1 if left < 0 else 0

    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max_bytes)
        for pragma in ("query_only = ON", "trusted_schema = OFF", "cell_size_check = ON"):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        connection.set_progress_handler(tick, STEPS_PER_CALLBACK)
        connection.set_authorizer(_authorize_foreign)
        yield connection
    finally:
        connection.close()


def integrity_problem(path: Path) -> str:
    """What `PRAGMA integrity_check` says, or nothing when all is well."""
    return _checked(path, lambda connection: connection.execute("PRAGMA integrity_check(1)").fetchone()[0])


def _checked(path: Path, ask: Callable[[sqlite3.Connection], str]) -> str:
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    except sqlite3.Error as error:
        return str(error)
    try:
        answer = ask(connection)
        return "" if answer == "ok" else answer
    except UNREADABLE as error:
        return str(error)
    finally:
        connection.close()


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
