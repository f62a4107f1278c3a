"""How the SQLite file of a run is opened and watched.

Before a row is read the file must be a plain one whose first bytes are those of a run; what it holds is proved row
by row by the hash chain (`store.journal_format`). One process writes (`store.writer`), through the only name that it
has.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from store import writer
from store.errors import BadInput, DamagedData, NotFound, StoreError
from store.files import real_path
from store.journal_format import APPLICATION_ID, EARLIER_APPLICATION_ID, VERSION, create_tables

BESIDE = ("-wal", "-shm", "-journal")
"""Ends of the names of what SQLite keeps beside a file."""

_DATA_ERRORS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, AssertionError)
"""What Python raises over data that is not what a program expects."""

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
        raise DamagedData(f"{path} is not a whole run file", "Name a run file, or use an earlier copy.")
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
        raise DamagedData(f"{path} is not a whole run file", "Name a run file, or use an earlier copy.")
    kind = int.from_bytes(start[68:72])
    if kind == EARLIER_APPLICATION_ID:
        raise BadInput(f"{path} was made by an earlier development version of Moot", "Run it again.")
    if kind != APPLICATION_ID:
        raise BadInput(f"{path} is a database but not a run of Moot", "Name a run file.")


def as_damaged(path: Path | str, error: BaseException) -> BaseException:
    """What a reader of a run file raises that stumbles over what it says: `DamagedData` with the cause, else the
    error itself.

    Rows may be sound, chained and in order and still make no sense: only whoever reads them can tell.
    """
    if not isinstance(error, _DATA_ERRORS) or hasattr(error, "exit_code"):
        return error
    words = " ".join(str(error).split())[:200]
    return DamagedData(
        f"{path} could not be made sense of ({type(error).__name__}: {words})",
        "Use an earlier copy; if the file is sound, this is a fault of Moot, and MOOT_DEBUG=1 shows where.",
    )


@contextmanager
def reading(path: Path | str) -> Iterator[None]:
    """Make sense of what a file from elsewhere says, or raise `DamagedData`."""
    try:
        yield
    except Exception as error:
        raised = as_damaged(path, error)
        if raised is error:
            raise
        raise raised from error


def connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """Open a file that `look` has passed.

    Raises:
        BadInput: it is of a newer release.
    """
    path = real_path(path)  # the log lies beside the real file
    if write:
        database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
    else:
        database = _to_read(path)
    try:
        database.execute("PRAGMA trusted_schema=OFF")
        database.execute("PRAGMA cell_size_check=ON")
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version != VERSION:
            raise BadInput(f"{path} was written by a newer release (journal {version})", "Update Moot.")
        if write:
            database.execute("PRAGMA journal_mode=WAL")
            database.execute("PRAGMA synchronous=FULL")
            database.execute("PRAGMA foreign_keys=ON")
    except BaseException:
        database.close()
        raise
    return database


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
                create_tables(database)
                fill(database)
        finally:
            database.close()
        os.replace(fresh, path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        writer.release(path, held)
        raise
    return held


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


class FileWatch:
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
        if "no such" in words or "decode" in words:
            raise DamagedData(f"{path} is not a whole run file: {words}", "Use an earlier copy.") from error
        raise StoreError(f"cannot use {path}: {words}", "Check the disk and the permissions.") from error
    except (sqlite3.DatabaseError, UnicodeDecodeError, OverflowError, MemoryError, TypeError) as error:
        raise DamagedData(f"{path} is not a whole run file", "Use an earlier copy.") from error


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


def _identity(path: Path) -> Identity | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
