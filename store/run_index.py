"""What lists and boards say of runs, remembered by what the file system says of each file, so that nobody opens one
that was looked at before.

A cache of the user: it may be deleted, broken, or written by several processes at once. A line counts only for the
file whose identity it names (see `store.identity`), that of its log included; a file whose times are too young to
tell one state from the next is read again each time. Times are nanoseconds since the epoch.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from store import identity, places
from store.connection import UNREADABLE
from store.files import real_path
from store.journal import SUFFIX
from store.schema import storable

FILE = "runs-1.db"
"""A release that says something else of a run counts on in the name."""

_PATIENCE = 5.0
_TABLES = ("lines", "figures")


@dataclass(frozen=True, slots=True)
class RunFile:
    """A run file as the folder shows it. changed: when its name was last written to; settled: whether its times tell
    this state from the next one; identity: '' where it cannot be looked at, or its name is no text, which no table
    can hold."""

    path: Path
    changed: int
    identity: str
    settled: bool


def run_files() -> list[RunFile]:
    """The run files of this machine, newest first; none is opened."""
    folder = places.runs()
    try:
        with os.scandir(folder) as entries:
            seen = {entry.name: entry for entry in entries}
    except OSError:
        return []
    now = identity.now()
    found = [_looked_at(folder, entry, seen, now) for name, entry in seen.items() if name.endswith(SUFFIX)]
    return sorted(found, key=lambda file: (-file.changed, file.path.name))


def run_file(path: Path) -> RunFile:
    """One run file as its folder shows it; it may be anywhere."""
    path = path.absolute()
    return _looked_at(path.parent, path, None, identity.now())


def _looked_at(folder: Path, entry: os.DirEntry[str] | Path, seen: Container[str] | None, now: int) -> RunFile:
    """seen: the names of the folder, None where nobody has listed it."""
    path = folder / entry.name
    try:
        own, meant = entry.stat(follow_symlinks=False), entry.stat()
        if not stat.S_ISREG(meant.st_mode) or not storable(str(path)):
            return RunFile(path, own.st_mtime_ns, "", False)
        marks, latest = identity.of(meant), max(meant.st_mtime_ns, meant.st_ctime_ns)
        log = real_path(path) if entry.is_symlink() else path
        log = log.with_name(f"{log.name}-wal")
        if seen is None or log.name in seen or log.parent != folder:
            with suppress(FileNotFoundError):
                beside = log.stat()
                marks, latest = f"{marks} {identity.of(beside)}", max(latest, beside.st_mtime_ns, beside.st_ctime_ns)
    except OSError:
        return RunFile(path, 0, "", False)
    return RunFile(path, own.st_mtime_ns, marks, latest + identity.SETTLED <= now)


def remembered() -> dict[str, tuple[str, str]]:
    """Path -> identity and line, of all that is remembered."""
    try:
        with _opened() as database:
            rows = database.execute("SELECT path, identity, text FROM lines").fetchall()
    except (*UNREADABLE, OSError):
        return {}
    return {path: (mark, text) for path, mark, text in rows}


def remember(fresh: Mapping[str, tuple[str, str]], gone: Iterable[str]) -> None:
    """Keep new lines (path -> identity and line) and forget files that are gone; what cannot be kept is read
    again."""
    rows = [(path, mark, text) for path, (mark, text) in fresh.items()]
    gone = list(gone)
    with suppress(*UNREADABLE, OSError), _opened() as database:
        database.execute("BEGIN IMMEDIATE")
        database.executemany("INSERT OR REPLACE INTO lines VALUES (?, ?, ?)", rows)
        for table in _TABLES:
            database.executemany(f"DELETE FROM {table} WHERE path = ?", ((path,) for path in gone))
        database.execute("COMMIT")


def figures(file: RunFile) -> str | None:
    """What is remembered of the figures of a run file as it is."""
    if not file.identity:
        return None
    try:
        with _opened() as database:
            query = "SELECT text FROM figures WHERE path = ? AND identity = ?"
            row = database.execute(query, (str(file.path), file.identity)).fetchone()
    except (*UNREADABLE, OSError):
        return None
    return str(row[0]) if row else None


def remember_figures(file: RunFile, text: str) -> None:
    """Keep the figures of a run file that is settled; what cannot be kept is made again."""
    if not file.settled or not file.identity:
        return
    with suppress(*UNREADABLE, OSError), _opened() as database:
        row = (str(file.path), file.identity, text)
        database.execute("INSERT OR REPLACE INTO figures VALUES (?, ?, ?)", row)


@contextmanager
def _opened() -> Iterator[sqlite3.Connection]:
    """The index; one that is broken is taken away, and begins anew when it is opened again."""
    path = places.cache() / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE)) as database:
            database.execute("PRAGMA synchronous=OFF")
            for table in _TABLES:
                database.execute(
                    f"CREATE TABLE IF NOT EXISTS {table} (path TEXT PRIMARY KEY, identity TEXT, text TEXT) STRICT"
                )
            yield database
    except sqlite3.OperationalError:
        raise  # somebody writes it, or the disk is full
    except UNREADABLE:
        path.unlink(missing_ok=True)
        raise
