"""How the SQLite file of a run is opened and watched. A run file is data from elsewhere, whoever made it.

Before a row is read: it is a plain file, its first bytes are those of a run, its schema is letter for letter one that
a release of Moot made (so no view, trigger or computed column stands in for a table), and from then on an authorizer,
limits and a count of steps hold whatever is asked of it. One process writes (`store.writer`), through the only name
it has. Work is counted in steps of SQLite's virtual machine, sizes in bytes.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from filelock import FileLock

from store import writer
from store.bounded import CHARACTERS
from store.errors import BadInput, Damaged, NotFound, StoreError
from store.files import real_path
from store.upgrades import UPGRADES, VERSION

APPLICATION_ID = 0x4D6F6F74  # "Moot"

STEPS_PER_CALLBACK = 100_000
MAX_STEPS = 2_000_000_000
"""Steps of one transaction: a hundred times what reading an episode of a hundred thousand events takes."""

SLACK = 1_000_000
"""Bytes that another process may add between a look at the size of a file and reading it."""

BESIDE = ("-wal", "-shm", "-journal")
"""Ends of the names of what SQLite keeps beside a file."""
_NAMED = bytes.fromhex("d9d505f920a163d7")
"""How a journal of SQLite ends that names another file."""

_READING = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_TRANSACTION}
)
_WRITING = _READING | {sqlite3.SQLITE_INSERT}
_PRAGMAS = frozenset({"wal_checkpoint", "journal_mode", "integrity_check", "application_id"})
_CHANGING = frozenset({"heads"})
"""Tables whose rows may be replaced; all others only grow."""

_STUMBLING = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, AssertionError)
"""What Python raises over data that is not what a program expects."""

Kind = type | tuple[type, ...]
"""Of a cell: its type, or those that it may have."""
Identity = tuple[int, int]
"""Device and number of a file: the same as long as it is the same file, whatever its name."""


def look(path: Path, *, write: bool) -> None:
    """Raise unless the file can be a run: nothing is opened that could block, and nothing is written to what is
    none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        raise NotFound(f"no run file at {path}", "`moot list` shows the runs.") from None
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}", "Check the path and the permissions.") from error
    if not stat.S_ISREG(found.st_mode):
        raise BadInput(f"{path} is no file", "Name a run file.")
    if found.st_size < 100:  # files of /proc among them, which can block whoever reads them
        raise Damaged(f"{path} is not a whole run file", "Name a run file, or use an earlier copy.")
    if write and found.st_nlink > 1:
        # SQLite keeps its log beside a name: under a second name it would not be found.
        raise StoreError(
            f"{path} has {found.st_nlink} names (hard links)", "Copy it to a file of its own and use that."
        )
    try:
        with path.open("rb") as stream:
            start = stream.read(100)
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}", "Check the permissions.") from error
    if not start.startswith(b"SQLite format 3\0"):
        raise Damaged(f"{path} is not a whole run file", "Name a run file, or use an earlier copy.")
    if int.from_bytes(start[68:72]) != APPLICATION_ID:
        raise BadInput(f"{path} is a database but not a run of Moot", "Name a run file.")


def understood(path: Path | str, error: BaseException) -> BaseException:
    """What a reader of a file from elsewhere raises who stumbles over what it says: `Damaged` with the cause, else
    the error itself.

    Rows may be sound, chained and in order and still make no sense: only whoever reads them can tell.
    """
    if not isinstance(error, _STUMBLING) or hasattr(error, "exit_code"):
        return error
    said = " ".join(str(error).split())[:200]
    return Damaged(
        f"{path} could not be made sense of ({type(error).__name__}: {said})",
        "Use an earlier copy; if the file is sound, this is a fault of Moot, and MOOT_DEBUG=1 shows where.",
    )


@contextmanager
def reading(path: Path | str) -> Iterator[None]:
    """Make sense of what a file from elsewhere says, or raise `Damaged`."""
    try:
        yield
    except Exception as error:
        raised = understood(path, error)
        if raised is error:
            raise
        raise raised from error


@dataclass(slots=True)
class Opened:
    """An open run file: the connection, the real path, the version of the journal in it, and the steps that a
    transaction has left."""

    database: sqlite3.Connection
    real: str
    version: int
    left: int = MAX_STEPS // STEPS_PER_CALLBACK

    def begin(self) -> None:
        """A transaction begins: it has all steps before it."""
        self.left = MAX_STEPS // STEPS_PER_CALLBACK

    def tick(self) -> int:
        """The progress handler; 1 stops the statement."""
        self.left -= 1
        return int(self.left < 0)


def connect(path: Path, *, write: bool) -> Opened:
    """Open a file that `look` has passed.

    A file of an earlier version is brought up to this one when it is opened to be written.

    Raises:
        BadInput: it is of a newer release, or no run.
        Damaged: its schema is not the one that its version has, or what lies beside it is no log of it.
    """
    path = real_path(path)  # the log lies beside the real file
    _look_beside(path)
    database = _to_write(path) if write else _to_read(path)
    try:
        database.execute("PRAGMA trusted_schema=OFF")
        database.execute("PRAGMA cell_size_check=ON")
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * CHARACTERS)
        database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        opened = Opened(database, str(path), 0)
        database.set_progress_handler(opened.tick, STEPS_PER_CALLBACK)
        version = _checked_version(path, database)
        if write:  # nothing was written before the file was known to be a run
            database.execute("PRAGMA journal_mode=WAL")
            database.execute("PRAGMA synchronous=FULL")
            database.execute("PRAGMA foreign_keys=ON")
        if version < VERSION and write:
            with transaction(database):
                upgrade(database, version)
            version = VERSION
        opened.version = version
        database.set_authorizer(_writing if write else _reading)
    except BaseException:
        database.close()
        raise
    return opened


def _look_beside(real: Path) -> None:
    """Raise where what lies beside a file is not what SQLite makes there: it would be waited for, written through, or
    obeyed. A journal may name another file, which SQLite deletes; one of a single database never does."""
    for end in BESIDE:
        beside = real.with_name(f"{real.name}{end}")
        try:
            found = beside.lstat()
            if sound := stat.S_ISREG(found.st_mode) and found.st_nlink == 1:
                with beside.open("rb") as stream:
                    stream.seek(-min(len(_NAMED), found.st_size), os.SEEK_END)
                    sound = end != "-journal" or stream.read() != _NAMED
        except FileNotFoundError:
            continue
        except OSError as error:
            raise StoreError(f"cannot read {beside}: {error.strerror}", "Check the permissions.") from error
        if not sound:
            raise Damaged(f"{beside} is no log of a run", "Remove it; it did not come from Moot.")


def bounded_rows(
    path: Path, opened: Opened, query: str, values: Sequence[object], kinds: tuple[Kind, ...]
) -> Iterator[Any]:
    """The rows of a query, each cell of its kind.

    Raises:
        Damaged: a cell is of another kind, or they hold more than the file does, as only a forged file can say.
    """
    left = -1
    signatures, texts = _signatures(kinds)
    for row in opened.database.execute(query, values):
        if left < 0:
            left = _room(opened.real)
        if tuple(map(type, row)) not in signatures:
            raise Damaged(f"{path} holds a cell of another kind than a run has", "Use an earlier copy.")
        left -= 8
        for place in texts:
            left -= len(row[place])
        if left < 0:
            raise Damaged(f"{path} says more than it holds", "Use an earlier copy.")
        yield row


def _room(real: str) -> int:
    """Bytes that the rows of a query can hold at most: twice what the file and its log have, and some slack."""
    room = SLACK
    for end in ("", "-wal"):
        with suppress(FileNotFoundError):
            room += 2 * os.stat(f"{real}{end}").st_size
    return room


@cache
def _signatures(kinds: tuple[Kind, ...]) -> tuple[frozenset[tuple[type, ...]], tuple[int, ...]]:
    """The types that the cells of a row may have together, and the places of texts."""
    found = frozenset(product(*(kind if isinstance(kind, tuple) else (kind,) for kind in kinds)))
    return found, tuple(place for place, kind in enumerate(kinds) if kind is str)


def create(path: Path, fill: Callable[[sqlite3.Connection], None]) -> FileLock:
    """Make a run file beside its place, fill it in one transaction, and move it in whole; gives its lock, which is
    held.

    Raises:
        StoreError: there is a file already, or it cannot be written.
    """
    if path.exists() or path.is_symlink():
        raise StoreError(f"run file already exists: {path}", "Give another --out, or resume it.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}", "Choose another place with --out.") from error
    held = writer.lock(path)
    fresh = path.with_name(f".{path.name}.new")
    try:
        fresh.unlink(missing_ok=True)
        database = sqlite3.connect(fresh, isolation_level=None)
        try:
            with plainly(fresh), transaction(database):
                database.execute(f"PRAGMA application_id={APPLICATION_ID}")
                upgrade(database, 0)
                fill(database)
        finally:
            database.close()
        os.replace(fresh, path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        writer.release(path, held)
        raise
    return held


def upgrade(database: sqlite3.Connection, version: int) -> None:
    """Bring a journal from a version to the newest, inside a transaction."""
    for step in UPGRADES[version:]:
        step(database)
    database.execute(f"PRAGMA user_version={VERSION}")


def remove(path: Path) -> list[Path]:
    """Take a run file away with all that lies beside it; gives what is gone. Of a link only the link goes.

    Raises:
        BadInput, Damaged: it is no run of Moot, and stays.
        StoreError: another process writes it, or it cannot be removed.
    """
    look(path, write=False)
    if path.is_symlink():
        path.unlink()
        return [path]
    held = writer.lock(path)
    gone = path.with_name(f".{path.name}.removed")
    try:
        os.replace(path, gone)  # one step: a kill from here on leaves nothing that looks like a run
        beside = [path.with_name(f"{path.name}{end}") for end in BESIDE]
        removed = [path, *(file for file in beside if file.exists())]
        for file in (*beside, gone):
            file.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"cannot remove {path}: {error.strerror}", "Check the permissions of its folder.") from error
    finally:
        writer.release(path, held)
    return removed


class Watch:
    """Notices that the file of a run, its log or its folder went away or was replaced while it is written.

    SQLite itself goes on writing to a file that no longer has a name, and every word of it is lost.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        path = real_path(path)
        self._log = path.with_name(f"{path.name}-wal")
        self._file = _identity(path)
        self._log_file: Identity | None = None

    def check(self) -> None:
        """Raise `StoreError` when the file is not there any more, or is another one."""
        if _identity(self._path) != self._file:
            what = "was replaced" if self._path.exists() else "is gone"
            raise StoreError(
                f"the run file {self._path} {what} while the run was writing to it",
                "The run stops here: put the file back and `moot resume` it, or start anew.",
            )
        log = _identity(self._log)
        if self._log_file is not None and log != self._log_file:
            raise StoreError(
                f"the log {self._log.name} of the run file {self._path} went away while the run was writing to it",
                "The run stops here; `moot resume` goes on from what is in the file.",
            )
        self._log_file = log


@contextmanager
def transaction(database: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    """All or nothing. `DEFERRED` for reading: what is read belongs to one moment."""
    database.execute(f"BEGIN {kind}")
    try:
        yield
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


@contextmanager
def plainly(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into one sentence each."""
    try:
        yield
    except sqlite3.OperationalError as error:
        words = str(error)
        if "full" in words:
            raise StoreError(f"the disk is full: {path}", "Free some space, then `moot resume` the run.") from error
        if "readonly" in words or "read-only" in words:
            raise StoreError(f"cannot write to {path}: read-only", "Choose another place with --out.") from error
        if "interrupted" in words:
            raise Damaged(
                f"{path} takes more work than any run: reading it was stopped", "Use an earlier copy."
            ) from error
        if "decode" in words:
            raise Damaged(f"{path} holds text that is none", "Use an earlier copy.") from error
        raise StoreError(f"cannot use {path}: {words}", "Check the disk and the permissions.") from error
    except UnicodeDecodeError as error:  # what SQLite says of a damaged schema quotes it as it is
        raise Damaged(f"{path} has not the tables of a run of Moot", "Use an earlier copy.") from error
    except (sqlite3.DatabaseError, OverflowError, MemoryError) as error:
        raise Damaged(f"{path} is not a whole run file: {error or 'too large'}", "Use an earlier copy.") from error


def _to_write(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)


def _to_read(path: Path) -> sqlite3.Connection:
    uri = path.absolute().as_uri()
    database = sqlite3.connect(f"{uri}?mode=ro", uri=True, isolation_level=None, check_same_thread=False, timeout=10)
    try:
        database.execute("PRAGMA query_only=ON")
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        # A read-only medium cannot hold the shared memory of WAL; without a log beside it the file is whole.
        database.close()
        if path.with_name(path.name + "-wal").exists():
            raise
        database = sqlite3.connect(f"{uri}?immutable=1", uri=True, isolation_level=None, check_same_thread=False)
        try:
            database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except BaseException:
            database.close()
            raise
    except BaseException:
        database.close()
        raise
    return database


def _checked_version(path: Path, database: sqlite3.Connection) -> int:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise BadInput(f"{path} was written by a newer release (journal {version})", "Update Moot.")
    if version < 1 or _schema(database) != _schema_of(version):
        raise Damaged(f"{path} has not the tables of a run of Moot", "Name a run file, or use an earlier copy.")
    return int(version)


def _schema(database: sqlite3.Connection) -> frozenset[tuple[object, ...]]:
    """All but the statistics that ANALYZE keeps: they change no answer."""
    query = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT GLOB 'sqlite_stat[14]' LIMIT 100"
    return frozenset(database.execute(query))


@cache
def _schema_of(version: int) -> frozenset[tuple[object, ...]]:
    """What stands in the schema of a run file of this version, and nothing else."""
    database = sqlite3.connect(":memory:")
    try:
        for step in UPGRADES[:version]:
            step(database)
        return _schema(database)
    finally:
        database.close()


def _reading(action: int, first: str | None, second: str | None, database: str | None, trigger: str | None) -> int:
    allowed = action in _READING or (action == sqlite3.SQLITE_PRAGMA and first in _PRAGMAS)
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _writing(action: int, first: str | None, second: str | None, database: str | None, trigger: str | None) -> int:
    replaced = action in (sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE) and first in _CHANGING
    allowed = action in _WRITING or replaced or (action == sqlite3.SQLITE_PRAGMA and first in _PRAGMAS)
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _identity(path: Path) -> Identity | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
