"""The journal of a run: one SQLite file that holds what happened, in order, for ever.

Promises: an append is on disk when it returns (WAL, synchronous FULL), under the name of the run; after a kill at any
moment the file opens and holds every acknowledged event once; one process writes, any number read; events, attempts and
scores are never changed, and a row that is not as written is noticed when it is read. Store knows events as (tag, data)
rows; their meaning belongs to `tasks`. Times are seconds since the epoch.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from filelock import FileLock

from store import bounded, chain, run_file, strands
from store.errors import Damaged, StoreError

SUFFIX = ".moot"


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

    def stored(self, path: Path) -> chain.Row:
        """As it stands in the file at `path`."""
        said = (strands.dump(path, part) for part in (self.settings, self.value, self.evidence))
        return (self.attempt, self.scorer, self.version, *said, self.author, self.at)


def text_hash(text: str) -> str:
    """The name under which the journal keeps a text once (surrogates of broken model output included)."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


UNCOVERED = ("header", "episodes", "attempts", "scores")
"""What the hash chain of journals of version 1 left out."""

_ATTEMPTS = "SELECT id, episode, number, reason, at FROM attempts WHERE episode = ? ORDER BY number"
_EPISODES = "SELECT id, position, task_id, epoch FROM episodes ORDER BY position"
_EVENTS = "SELECT attempt, seq, step, parent, at, tag, data, chain FROM events WHERE attempt = ? ORDER BY seq"
_SCORES = "SELECT attempt, scorer, version, settings, value, evidence, author, at FROM scores"
_STEPS = 10**9
"""Steps of an attempt, far more than any has."""
_LATEST = 1e11
"""Seconds since the epoch: no clock says more (the year 5138)."""
_PAGE = 500
"""Rows that are held at a time where a whole table is walked through."""


class Journal:
    """A run file. Create or open one, append, read; close it when the run rests."""

    def __init__(self, path: Path, opened: run_file.Opened, lock: FileLock | None, *, found: bool = True) -> None:
        self.path = path
        self._found = found
        self._opened = opened
        self._database = opened.database
        self._lock = lock
        self._watch = run_file.Watch(path) if lock is not None else None
        self._guard = threading.RLock()
        self._header: list[tuple[str, str]] | None = None

    @classmethod
    def create(cls, path: Path, header: Mapping[str, Any], episodes: Sequence[EpisodeRow]) -> Journal:
        """A new run file with its episodes and a first attempt each. The file must not exist yet."""

        def fill(database: sqlite3.Connection) -> None:
            strands.add_header(database, path, header)
            placed = [(row.id, row.position, row.task_id, row.epoch) for row in episodes]
            database.executemany("INSERT INTO episodes VALUES (?, ?, ?, ?)", placed)
            chain.grown(database, chain.EPISODES, sorted(placed, key=lambda row: row[1]))
            for row in episodes:
                strands.add_attempt(database, row.id, 1, "first", time.time())

        lock = run_file.create(path, fill)
        try:
            with run_file.plainly(path):
                return cls(path, run_file.connect(path, write=True), lock, found=False)
        except BaseException:
            run_file.release(lock)
            raise

    @classmethod
    def open(cls, path: Path, *, write: bool = False) -> Journal:
        """Open a run file; a second writer is refused, readers never are."""
        run_file.look(path, write=write)
        lock = run_file.lock(path) if write else None
        try:
            with run_file.plainly(path):
                return cls(path, run_file.connect(path, write=write), lock)
        except BaseException:
            run_file.release(lock)
            raise

    @property
    def writable(self) -> bool:
        """Whether this process may append."""
        return self._lock is not None

    @property
    def uncovered(self) -> tuple[str, ...]:
        """What of this file no hash vouches for: it was written, at least begun, by a release that chained events alone."""
        if self._opened.version < 2:
            return UNCOVERED
        with self._reading() as database:
            return UNCOVERED if chain.head(database, chain.ADOPTED)[0] else ()

    @property
    def header(self) -> dict[str, Any]:
        """Everything needed to judge the run: task file and pack hashes, engine, versions, settings."""
        if self._header is None:
            with self._reading() as database:
                rows = self._rows("SELECT key, value FROM header ORDER BY key")
                self._prove(database, chain.HEADER, rows, "its header")
            if not rows:
                raise Damaged(f"{self.path} has lost its header", "Use an earlier copy.")
            self._header = rows
        return {key: self._load(value) for key, value in self._header}

    def episodes(self) -> list[EpisodeRow]:
        """All episodes in order."""
        with self._reading() as database:
            rows = self._rows(_EPISODES)
            self._prove(database, chain.EPISODES, rows, "its list of episodes")
        return [EpisodeRow(*row) for row in rows]

    def attempts(self, episode: str) -> list[AttemptRow]:
        """The attempts at an episode, oldest first; the last one counts."""
        with self._reading() as database:
            rows = self._rows(_ATTEMPTS, (episode,))
            self._prove(database, chain.attempts_of(episode), rows, f"the attempts at episode {episode}")
        return [AttemptRow(*row) for row in rows]

    def begin_attempt(self, episode: str, reason: str) -> AttemptRow:
        """A new attempt; the earlier ones stay."""
        number, at = len(self.attempts(episode)) + 1, time.time()
        with self._writing() as database:
            return AttemptRow(strands.add_attempt(database, episode, number, reason, at), episode, number, reason, at)

    def append(self, entries: Iterable[Entry], texts: Iterable[str] = ()) -> None:
        """Commit events, and the texts they refer to by hash. On disk when this returns."""
        rows: dict[int, list[tuple[Any, ...]]] = {}
        for e in entries:
            row = (e.attempt, e.seq, e.step, e.parent, e.at, e.tag, strands.dump(self.path, e.data))
            rows.setdefault(e.attempt, []).append(row)
        kept = [(text_hash(text), strands.dump(self.path, text)) for text in texts]
        with self._writing() as database:
            database.executemany("INSERT OR IGNORE INTO texts VALUES (?, ?)", kept)
            for attempt, fresh in rows.items():
                strands.add_events(database, attempt, fresh)

    def entries(self, attempt: int, tag: str | None = None) -> list[Entry]:
        """The events of an attempt in order, or those of one tag; `Damaged` when any is not the one that was written."""
        return [
            Entry(attempt, seq, step, parent, at, name, self._load(data))
            for _, seq, step, parent, at, name, data in self.event_rows(attempt)
            if tag is None or name == tag
        ]

    def event_rows(self, attempt: int) -> list[chain.Row]:
        """The events of an attempt as they stand: attempt, seq, step, parent, at, tag, data (JSON); checked like `entries`."""
        with self._reading() as database:
            rows = self._rows(_EVENTS, (attempt,))
            end = chain.head(database, chain.events_of(attempt)) if self._opened.version > 1 else None
        before = ""
        for position, (*row, made) in enumerate(rows):
            before = chain.link(before, row)
            _, seq, step, parent, at, _, _ = row
            if (seq, made) != (position, before):
                raise Damaged(
                    f"{self.path}: event {seq} of attempt {attempt} is not as written", "Use an earlier copy."
                )
            if not (0 <= step <= _STEPS and 0 <= at < _LATEST and (parent is None or 0 <= parent < seq)):
                raise Damaged(f"{self.path}: event {seq} of attempt {attempt} has no place", "Use an earlier copy.")
        if end is not None and end != (len(rows), before):
            raise Damaged(f"{self.path}: events of attempt {attempt} are missing", "Use an earlier copy.")
        return [row[:-1] for row in rows]

    def text(self, name: str) -> str | None:
        """The text with this hash."""
        with self._reading():
            rows = self._rows("SELECT text FROM texts WHERE hash = ?", (name,))
        return self._check_text(name, rows[0][0]) if rows else None

    def text_of(self, name: str) -> str:
        """The text that an event refers to by this hash; `Damaged` when it is gone."""
        text = self.text(name)
        if text is None:
            raise Damaged(f"{self.path}: a text that an event refers to is gone", "Use an earlier copy.")
        return text

    def texts(self) -> Iterator[tuple[str, str]]:
        """All texts by hash, as they stand (JSON), each checked; a few are held at a time."""
        last = ""
        while True:
            with self._reading():
                rows = self._rows(f"SELECT hash, text FROM texts WHERE hash > ? ORDER BY hash LIMIT {_PAGE}", (last,))
            if not rows:
                return
            for name, text in rows:
                self._check_text(name, text)
                yield name, text
            last = rows[-1][0]

    def seal(self) -> str:
        """sha256 in hex over the ends of all strands: one name for everything that the file vouches for."""
        sum_, last = sha256(), ""
        while True:
            with self._reading():
                rows = self._rows(
                    f"SELECT name, count, chain FROM heads WHERE name > ? ORDER BY name LIMIT {_PAGE}", (last,)
                )
            if not rows:
                return sum_.hexdigest()
            for row in rows:
                sum_.update(f"{chain.dump(row)}\n".encode())
            last = rows[-1][0]

    def add_scores(self, scores: Iterable[ScoreRow]) -> None:
        """Append scores."""
        now = time.time()
        rows = [replace(score, at=now).stored(self.path) for score in scores]
        with self._writing() as database:
            strands.add_scores(database, rows)

    def scores(self, attempt: int | None = None) -> list[ScoreRow]:
        """The scores of an attempt, or all, oldest first."""
        with self._reading() as database:
            if attempt is None:
                rows = self._rows(_SCORES + " ORDER BY id")
                attempts = [found for (found,) in self._rows("SELECT id FROM attempts ORDER BY id")]
            else:
                rows = self._rows(_SCORES + " WHERE attempt = ? ORDER BY id", (attempt,))
                attempts = [attempt]
            by_attempt: dict[int, list[chain.Row]] = {one: [] for one in attempts}
            for row in rows:
                by_attempt.setdefault(row[0], []).append(row)
            for number, members in by_attempt.items():
                self._prove(database, chain.scores_of(number), members, f"the scores of attempt {number}")
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

    def settled(self) -> bool:
        """Move all that was committed from the log to the file: until the next append a copy of the file alone is whole.

        False where somebody reads it just now.
        """
        with self._guard, run_file.plainly(self.path):
            (busy, _, _) = self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy

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
            run_file.release(self._lock)
            self._lock = None

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Close; who stumbled over what a file from elsewhere says gets `Damaged` with the cause."""
        self.close()
        if error is not None and self._found:
            raised = run_file.understood(self.path, error)
            if raised is not error:
                raise raised from error

    def _load(self, text: str) -> Any:
        try:
            return bounded.load(text)
        except (ValueError, TypeError) as error:
            raise Damaged(
                f"{self.path} holds a record that cannot be read: {error}", "Use an earlier copy."
            ) from error

    def _check_text(self, name: str, stored: str) -> str:
        text = self._load(stored)
        if not isinstance(text, str) or text_hash(text) != name:
            raise Damaged(f"{self.path}: a text is not what was written", "Use an earlier copy.")
        return text

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query of ours, each cell of the type that its column has in a file of Moot."""
        kinds = [_KINDS[name] for name in query[len("SELECT ") : query.index(" FROM")].split(", ")]
        return run_file.bounded_rows(self.path, self._database, query, values, kinds)

    def _prove(self, database: sqlite3.Connection, strand: str, rows: Iterable[chain.Row], what: str) -> None:
        if self._opened.version > 1 and not chain.is_whole(database, strand, rows):
            raise Damaged(f"{self.path} is not as written: {what}", "Use an earlier copy.")

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._guard, run_file.plainly(self.path), run_file.transaction(self._database, "DEFERRED"):
            self._opened.begin()
            yield self._database

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        if self._watch is None or self._lock is None:
            raise StoreError(f"{self.path} was opened for reading", "Resume the run to write to it.")
        with self._guard:
            self._watch.check()
            with run_file.plainly(self.path), run_file.transaction(self._database):
                self._opened.begin()
                yield self._database
            self._watch.check()


_KINDS: dict[str, run_file.Kind] = {
    **dict.fromkeys(("key", "value", "hash", "text", "episode", "task_id", "reason", "tag", "data", "chain"), str),
    **dict.fromkeys(("scorer", "version", "settings", "evidence", "author", "name"), str),
    **dict.fromkeys(("attempt", "seq", "step", "position", "epoch", "number", "count"), int),
    "id": (int, str),  # of an episode a text, of an attempt a number: the rows differ by what they are joined to
    "parent": (int, type(None)),
    "at": float,
}
"""Column -> what its cells are; the file says so too (STRICT), but it could be forged."""
