"""The journal of a run: one SQLite file that holds what happened, in order, for ever.

Promises: an append is on disk when it returns (WAL, synchronous FULL); after a kill at any moment the file opens and
holds every acknowledged event once; one process writes, any number read; events, attempts and scores are never changed.
Store knows events as (tag, data) rows; their meaning belongs to `tasks`. Times are seconds since the epoch.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from store.errors import BadInput, Damaged, NotFound, StoreError
from store.upgrades import UPGRADES, VERSION

SUFFIX = ".moot"
APPLICATION_ID = 0x4D6F6F74  # "Moot"


@dataclass(frozen=True, slots=True)
class Entry:
    """One event row. `seq` counts from 0 in its attempt."""

    attempt: int
    seq: int
    step: int
    parent: int | None
    at: float
    tag: str
    data: Any


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """One episode: a task at an epoch. `position` is its place in the run, from 0."""

    id: str
    position: int
    task_id: str
    epoch: int = 0


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One attempt at an episode; `number` counts from 1, `reason` says why it was begun."""

    id: int
    episode: str
    number: int
    reason: str
    at: float


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One score: append-only, so re-scoring and human edits never disturb the record."""

    attempt: int
    scorer: str
    version: str
    settings: Any
    value: Any
    evidence: Any
    author: str
    at: float = 0.0


def text_hash(text: str) -> str:
    """The name under which the journal keeps a text once (surrogates of broken model output included)."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def _link(chain: str, row: Sequence[Any]) -> str:
    """The chain after one more event row (attempt, seq, step, parent, at, tag, data)."""
    return sha256(f"{chain}\n{_dump(list(row))}".encode()).hexdigest()


class Journal:
    """A run file. Create or open one, append, read; close it when the run rests."""

    def __init__(self, path: Path, database: sqlite3.Connection, lock: FileLock | None) -> None:
        self.path = path
        self._database = database
        self._lock = lock
        self._guard = threading.RLock()
        self._chains: dict[int, str] = {}

    @classmethod
    def create(cls, path: Path, header: Mapping[str, Any], episodes: Sequence[EpisodeRow]) -> Journal:
        """A new run file with its episodes and a first attempt each. The file must not exist yet."""
        if path.exists():
            raise StoreError(f"run file already exists: {path}", "Give another --out, or resume it.")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = _locked(path)
        except OSError as error:
            raise StoreError(f"cannot write {path}: {error.strerror}", "Choose another place with --out.") from error
        fresh = path.with_name(f".{path.name}.new")
        try:
            fresh.unlink(missing_ok=True)
            database = sqlite3.connect(fresh, isolation_level=None)
            try:
                with _clear(fresh), _transaction(database):
                    database.execute(f"PRAGMA application_id={APPLICATION_ID}")
                    _upgrade(database, 0)
                    database.executemany(
                        "INSERT INTO header VALUES (?, ?)", [(key, _dump(value)) for key, value in header.items()]
                    )
                    database.executemany(
                        "INSERT INTO episodes VALUES (?, ?, ?, ?)",
                        [(row.id, row.position, row.task_id, row.epoch) for row in episodes],
                    )
                    database.executemany(
                        "INSERT INTO attempts (episode, number, reason, at) VALUES (?, 1, 'first', ?)",
                        [(row.id, time.time()) for row in episodes],
                    )
            finally:
                database.close()
            os.replace(fresh, path)
            return cls(path, _connect(path, write=True), lock)
        except BaseException:
            fresh.unlink(missing_ok=True)
            _release(path, lock)
            raise

    @classmethod
    def open(cls, path: Path, *, write: bool = False) -> Journal:
        """Open a run file; a second writer is refused, readers never are."""
        if not path.is_file():
            raise NotFound(f"no run file at {path}", "`moot list` shows the runs.")
        _look(path)
        lock = _locked(path) if write else None
        database: sqlite3.Connection | None = None
        try:
            with _clear(path):
                database = _connect(path, write=write)
                (version,) = database.execute("PRAGMA user_version").fetchone()
                if version > VERSION:
                    raise BadInput(f"{path} was written by a newer release (journal {version})", "Update Moot.")
                if version < VERSION and write:
                    with _transaction(database):
                        _upgrade(database, version)
            return cls(path, database, lock)
        except BaseException:
            if database is not None:
                database.close()
            _release(path, lock)
            raise

    @property
    def writable(self) -> bool:
        """Whether this process may append."""
        return self._lock is not None

    @property
    def header(self) -> dict[str, Any]:
        """Everything needed to judge the run: task file and pack hashes, engine, versions, settings."""
        with self._reading() as database:
            rows = database.execute("SELECT key, value FROM header").fetchall()
        header = {key: self._load(value) for key, value in rows}
        if not header:
            raise Damaged(f"{self.path} has lost its header", "Use an earlier copy.")
        return header

    def episodes(self) -> list[EpisodeRow]:
        """All episodes in order."""
        with self._reading() as database:
            rows = database.execute("SELECT id, position, task_id, epoch FROM episodes ORDER BY position")
            return [EpisodeRow(*row) for row in rows]

    def attempts(self, episode: str) -> list[AttemptRow]:
        """The attempts at an episode, oldest first; the last one counts."""
        with self._reading() as database:
            rows = database.execute(
                "SELECT id, episode, number, reason, at FROM attempts WHERE episode = ? ORDER BY number", (episode,)
            )
            return [AttemptRow(*row) for row in rows]

    def begin_attempt(self, episode: str, reason: str) -> AttemptRow:
        """A new attempt; the earlier ones stay."""
        number = len(self.attempts(episode)) + 1
        now = time.time()
        with self._writing() as database:
            cursor = database.execute(
                "INSERT INTO attempts (episode, number, reason, at) VALUES (?, ?, ?, ?)",
                (episode, number, reason, now),
            )
        assert cursor.lastrowid is not None
        return AttemptRow(cursor.lastrowid, episode, number, reason, now)

    def append(self, entries: Iterable[Entry], texts: Iterable[str] = ()) -> None:
        """Commit events, and the texts they refer to by hash. On disk when this returns."""
        chains = dict(self._chains)
        with self._writing() as database:
            rows = []
            for e in entries:
                row = (e.attempt, e.seq, e.step, e.parent, e.at, e.tag, _dump(e.data))
                before = chains[e.attempt] if e.attempt in chains else self._last_chain(database, e.attempt)
                chains[e.attempt] = _link(before, row)
                rows.append((*row, chains[e.attempt]))
            database.executemany("INSERT OR IGNORE INTO texts VALUES (?, ?)", [(text_hash(t), _dump(t)) for t in texts])
            database.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        self._chains = chains

    def entries(self, attempt: int) -> list[Entry]:
        """The events of an attempt in order; `Damaged` when they are not the ones that were written."""
        with self._reading() as database:
            rows = database.execute(
                "SELECT attempt, seq, step, parent, at, tag, data, chain FROM events WHERE attempt = ? ORDER BY seq",
                (attempt,),
            ).fetchall()
        entries, before = [], ""
        for position, (*row, chain) in enumerate(rows):
            before = _link(before, row)
            number, seq, step, parent, at, tag, data = row
            if seq != position or chain != before:
                raise Damaged(f"{self.path}: event {seq} of attempt {attempt} is not as written", "Use an earlier copy.")
            entries.append(Entry(number, seq, step, parent, at, tag, self._load(data)))
        return entries

    def text(self, name: str) -> str | None:
        """The text with this hash."""
        with self._reading() as database:
            row = database.execute("SELECT text FROM texts WHERE hash = ?", (name,)).fetchone()
        if row is None:
            return None
        text = self._load(row[0])
        if not isinstance(text, str) or text_hash(text) != name:
            raise Damaged(f"{self.path}: a text is not what was written", "Use an earlier copy.")
        return text

    def add_scores(self, scores: Iterable[ScoreRow]) -> None:
        """Append scores."""
        now = time.time()
        with self._writing() as database:
            database.executemany(
                "INSERT INTO scores (attempt, scorer, version, settings, value, evidence, author, at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        s.attempt,
                        s.scorer,
                        s.version,
                        _dump(s.settings),
                        _dump(s.value),
                        _dump(s.evidence),
                        s.author,
                        now,
                    )
                    for s in scores
                ],
            )

    def scores(self, attempt: int | None = None) -> list[ScoreRow]:
        """The scores of an attempt, or all, oldest first."""
        query = "SELECT attempt, scorer, version, settings, value, evidence, author, at FROM scores"
        with self._reading() as database:
            if attempt is None:
                rows = database.execute(query + " ORDER BY id").fetchall()
            else:
                rows = database.execute(query + " WHERE attempt = ? ORDER BY id", (attempt,)).fetchall()
        return [
            ScoreRow(a, s, v, self._load(k), self._load(x), self._load(e), who, at)
            for a, s, v, k, x, e, who, at in rows
        ]

    def check(self) -> None:
        """Raise `Damaged` unless the file is whole."""
        with self._reading() as database:
            (answer,) = database.execute("PRAGMA integrity_check").fetchone()
        if answer != "ok":
            raise Damaged(f"{self.path} is damaged: {answer}", "Copy the file away and use an earlier copy.")

    def close(self) -> None:
        """Checkpoint, leave one plain file that opens from a read-only medium, and let other writers in."""
        with self._guard:
            if self._lock is not None:
                try:
                    self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    self._database.execute("PRAGMA journal_mode=DELETE")
                except sqlite3.Error:
                    pass  # a reader holds the file: it stays in WAL mode, which is as safe
            self._database.close()
            _release(self.path, self._lock)
            self._lock = None

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _load(self, text: str) -> Any:
        try:
            return json.loads(text)
        except ValueError as error:
            raise Damaged(f"{self.path} holds a record that cannot be read: {error}", "Use an earlier copy.") from error

    @staticmethod
    def _last_chain(database: sqlite3.Connection, attempt: int) -> str:
        query = "SELECT chain FROM events WHERE attempt = ? ORDER BY seq DESC LIMIT 1"
        row = database.execute(query, (attempt,)).fetchone()
        return row[0] if row else ""

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._guard, _clear(self.path):
            yield self._database

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        if self._lock is None:
            raise StoreError(f"{self.path} was opened for reading", "Resume the run to write to it.")
        with self._guard, _clear(self.path), _transaction(self._database):
            yield self._database


def _look(path: Path) -> None:
    """Raise unless the first bytes are those of a run; nothing is written to a file that is none."""
    with path.open("rb") as stream:
        start = stream.read(100)
    if len(start) < 100 or not start.startswith(b"SQLite format 3\0"):
        raise Damaged(f"{path} is not a whole run file", "Name a run file, or use an earlier copy.")
    if int.from_bytes(start[68:72]) != APPLICATION_ID:
        raise BadInput(f"{path} is a database but not a run of Moot", "Name a run file.")


def _connect(path: Path, *, write: bool) -> sqlite3.Connection:
    if write:
        database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=FULL")
        database.execute("PRAGMA foreign_keys=ON")
        return database
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
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return database


def _upgrade(database: sqlite3.Connection, version: int) -> None:
    for upgrade in UPGRADES[version:]:
        upgrade(database)
    database.execute(f"PRAGMA user_version={VERSION}")


def _locked(path: Path) -> FileLock:
    lock = FileLock(path.with_name(f".{path.name}.lock"), timeout=0)
    if not os.access(path.parent, os.W_OK):
        raise StoreError(f"cannot write {path}: the folder is read-only", "Choose another place with --out.")
    try:
        lock.acquire()
    except Timeout as error:
        raise StoreError(f"{path} is being written by another process", "Wait for it or stop it.") from error
    return lock


def _release(path: Path, lock: FileLock | None) -> None:
    if lock is not None:
        path.with_name(f".{path.name}.lock").unlink(missing_ok=True)
        lock.release()


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


@contextmanager
def _clear(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into one sentence each."""
    try:
        yield
    except sqlite3.OperationalError as error:
        words = str(error)
        if "full" in words:
            raise StoreError(f"the disk is full: {path}", "Free some space, then `moot resume` the run.") from error
        if "readonly" in words or "read-only" in words:
            raise StoreError(f"cannot write to {path}: read-only", "Choose another place with --out.") from error
        if "no such table" in words:
            raise BadInput(f"{path} is not a run of Moot", "Name a run file.") from error
        raise StoreError(f"cannot use {path}: {words}", "Check the disk and the permissions.") from error
    except sqlite3.DatabaseError as error:
        raise Damaged(f"{path} is not a whole run file: {error}", "Use an earlier copy.") from error
