"""The journal of a run: one SQLite file that holds what happened, in order, for ever.

Promises: an append is on disk when it returns (WAL, synchronous FULL), under the name of the run; after a kill at any
moment the file opens and holds every acknowledged event once; one process writes, any number read; events, attempts
and scores are never changed, and a row that is not as written is noticed when it is read. Store knows events as (tag,
data) rows; their meaning belongs to `tasks`. Times are seconds since the epoch.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from filelock import FileLock

from store import journal_format as form
from store import run_file, writer
from store.errors import DamagedData, StoreError
from store.journal_format import AttemptLength, AttemptRow, Entry, EpisodeRow, ScoreRow

SUFFIX = ".moot"
__all__ = [
    "SUFFIX", "AttemptRow", "Entry", "EpisodeRow", "AttemptLength", "Journal", "RunPart", "ScoreRow", "merge_files",
    "text_hash",
]  # fmt: skip


def text_hash(text: str) -> str:
    """The name under which the journal keeps a text once (surrogates of broken model output included)."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_ATTEMPTS = "SELECT id, episode, number, reason, at FROM attempts WHERE episode = ? ORDER BY number"
_EPISODES = "SELECT id, position, task_id, epoch FROM episodes ORDER BY position"
_PAGE = "SELECT id, position, task_id, epoch FROM episodes WHERE position > ? ORDER BY position LIMIT ?"
_EVENTS = "SELECT attempt, seq, step, parent, at, tag, data, chain FROM events WHERE attempt = ? ORDER BY seq"
_TAIL = (
    "SELECT attempt, seq, step, parent, at, tag, data, chain FROM events WHERE attempt = ? AND seq >= ? ORDER BY seq"
)
_NEWEST = "SELECT seq FROM events WHERE attempt = ? AND tag = ? ORDER BY seq DESC LIMIT 1"
_SCORES = "SELECT attempt, scorer, version, settings, value, evidence, author, at FROM scores"
_GROWN = (
    "SELECT heads.rowid, attempts.id, episode, count FROM heads"
    " JOIN attempts ON attempts.id = CAST(substr(name, 8) AS INTEGER)"
    " WHERE heads.rowid > ? AND name GLOB 'events/*' ORDER BY heads.rowid"
)
_ENDINGS = (
    "SELECT episode, events.at, data FROM attempts JOIN events ON attempt = attempts.id"
    " WHERE attempts.id IN (SELECT max(id) FROM attempts GROUP BY episode) AND tag = ?"
    " AND seq > (SELECT max(seq) FROM events WHERE attempt = attempts.id) - 16"
)
"""An episode goes on to say what its last step came to after it has said that it is over: few events."""
_HOLDING = "SELECT attempt, step, data FROM events WHERE tag = ? AND instr(data, ?) ORDER BY attempt, seq"
PAGE = 500
"""Rows that are read at a time where a whole table is walked through."""


class Journal:
    """A run file. Create or open one, append, read; close it when the run rests."""

    def __init__(
        self, path: Path, database: sqlite3.Connection, lock: FileLock | None, *, found: bool = True
    ) -> None:
        self.path = path
        self._found = found
        self._database = database
        self._lock = lock
        self._watch = run_file.FileWatch(path) if lock is not None else None
        self._guard = threading.RLock()
        self._header: list[tuple[str, str]] | None = None
        self._listed = False

    @classmethod
    def create(cls, path: Path, header: Mapping[str, Any], episodes: Sequence[EpisodeRow]) -> Journal:
        """A new run file with its episodes and a first attempt each. The file must not exist yet."""

        def fill(database: sqlite3.Connection) -> None:
            form.add_header(database, path, header)
            placed = [(row.id, row.position, row.task_id, row.epoch) for row in episodes]
            database.executemany("INSERT INTO episodes VALUES (?, ?, ?, ?)", placed)
            form.extend(database, form.EPISODES, sorted(placed, key=lambda row: row[1]))
            for row in episodes:
                form.add_attempt(database, row.id, 1, "first", time.time())

        lock = run_file.create(path, fill)
        try:
            with run_file.plainly(path):
                return cls(path, run_file.connect(path, write=True), lock, found=False)
        except BaseException:
            writer.release(path, lock)
            raise

    @classmethod
    def open(cls, path: Path, *, write: bool = False) -> Journal:
        """Open a run file; a second writer is refused, readers never are."""
        run_file.look(path, write=write)
        lock = writer.lock(path) if write else None
        try:
            with run_file.plainly(path):
                return cls(path, run_file.connect(path, write=write), lock)
        except BaseException:
            writer.release(path, lock)
            raise

    @property
    def header(self) -> dict[str, Any]:
        """Everything needed to judge the run: task file and pack hashes, engine, versions, settings."""
        if self._header is None:
            with self._reading() as database:
                rows = self._rows("SELECT key, value FROM header ORDER BY key")
                self._prove(database, form.HEADER, rows, "its header")
            if not rows:
                raise DamagedData(f"{self.path} has lost its header", "Use an earlier copy.")
            self._header = rows
        return {key: self._load(value) for key, value in self._header}

    def episodes(self) -> list[EpisodeRow]:
        """All episodes in order."""
        with self._reading() as database:
            rows = self._rows(_EPISODES)
            self._prove(database, form.EPISODES, rows, "its list of episodes")
        return [EpisodeRow(*row) for row in rows]

    def count(self) -> int:
        """How many episodes there are."""
        with self._reading() as database:
            return int(database.execute("SELECT count(*) FROM episodes").fetchone()[0])

    def walk(self) -> Iterator[tuple[EpisodeRow, list[AttemptRow]]]:
        """All episodes in order with the attempts at each, read page by page: memory does not grow with the run."""
        if not self._listed:  # once: the list of episodes never changes
            with self._reading() as database:
                self._prove(database, form.EPISODES, database.execute(_EPISODES), "its list of episodes")
            self._listed = True
        last = -(1 << 63)
        while True:
            with self._reading() as database:
                rows = self._rows(_PAGE, (last, PAGE))
                page = [(EpisodeRow(*row), self._attempts(database, row[0])) for row in rows]
            yield from page
            if len(page) < PAGE:
                return
            last = page[-1][0].position

    def attempts(self, episode: str) -> list[AttemptRow]:
        """The attempts at an episode, oldest first; the last one counts."""
        with self._reading() as database:
            return self._attempts(database, episode)

    def _attempts(self, database: sqlite3.Connection, episode: str) -> list[AttemptRow]:
        rows = self._rows(_ATTEMPTS, (episode,))
        self._prove(database, form.attempts_of(episode), rows, f"the attempts at episode {episode}")
        return [AttemptRow(*row) for row in rows]

    def begin_attempt(self, episode: str, reason: str) -> AttemptRow:
        """A new attempt; the earlier ones stay."""
        number, at = len(self.attempts(episode)) + 1, time.time()
        with self._writing() as database:
            return AttemptRow(form.add_attempt(database, episode, number, reason, at), episode, number, reason, at)

    def append(self, entries: Iterable[Entry], texts: Iterable[str] = ()) -> None:
        """Commit events, and the texts they refer to by hash. On disk when this returns."""
        rows: dict[int, list[tuple[Any, ...]]] = {}
        for e in entries:
            row = (e.attempt, e.seq, e.step, e.parent, e.at, e.tag, form.dump_record(self.path, e.data))
            rows.setdefault(e.attempt, []).append(row)
        kept = [(text_hash(text), form.dump_record(self.path, text)) for text in texts]
        with self._writing() as database:
            database.executemany("INSERT OR IGNORE INTO texts VALUES (?, ?)", kept)
            for attempt, fresh in rows.items():
                form.add_events(database, attempt, fresh)

    def entries(self, attempt: int, tag: str | None = None) -> list[Entry]:
        """The events of an attempt in order, or those of one tag; `DamagedData` when any is not the one that was
        written."""
        return self._entries(self.event_rows(attempt), tag)

    def event_rows(self, attempt: int) -> list[form.Row]:
        """The events of an attempt as they stand: attempt, seq, step, parent, at, tag, data (JSON); checked like
        `entries`."""
        with self._reading() as database:
            return self._linked(database, attempt, self._rows(_EVENTS, (attempt,)), 0, "")

    def tail(self, attempt: int, tag: str) -> list[Entry]:
        """The events of an attempt from the newest one of a tag to the end, none where it has no such event.

        They are the ones that were written, or `DamagedData` is raised; of what came before only the last link is
        used.
        """
        with self._reading() as database:
            newest = self._rows(_NEWEST, (attempt, tag))
            if newest:
                first = newest[0][0]
                rows = self._rows(_TAIL, (attempt, first - 1))
                before = rows.pop(0)[-1] if rows and rows[0][1] == first - 1 else ""
                return self._entries(self._linked(database, attempt, rows, first, before))
        self.entries(attempt)  # that there is none is true only if they are all there
        return []

    def _linked(
        self, database: sqlite3.Connection, attempt: int, rows: Sequence[tuple[Any, ...]], first: int, before: str
    ) -> list[form.Row]:
        """Events up to the end of an attempt, from the one with number `first`, which follows the link `before`,
        proven; without their links."""
        for position, (*row, made) in enumerate(rows, first):
            before = form.link(before, row)
            if (row[1], made) != (position, before):
                raise DamagedData(
                    f"{self.path}: event {row[1]} of attempt {attempt} is not as written", "Use an earlier copy."
                )
        if form.head(database, form.events_of(attempt)) != (first + len(rows), before):
            raise DamagedData(f"{self.path}: events of attempt {attempt} are missing", "Use an earlier copy.")
        return [row[:-1] for row in rows]

    def _entries(self, rows: Iterable[form.Row], wanted: str | None = None) -> list[Entry]:
        """Rows of events as what they say; only those of a tag if it is wanted."""
        return [
            Entry(attempt, seq, step, parent, at, name, self._load(data))
            for attempt, seq, step, parent, at, name, data in rows
            if wanted is None or name == wanted
        ]

    def text(self, name: str) -> str | None:
        """The text with this hash."""
        with self._reading():
            rows = self._rows("SELECT text FROM texts WHERE hash = ?", (name,))
        return self._check_text(name, rows[0][0]) if rows else None

    def text_of(self, name: str) -> str:
        """The text that an event refers to by this hash; `DamagedData` when it is gone."""
        text = self.text(name)
        if text is None:
            raise DamagedData(f"{self.path}: a text that an event refers to is gone", "Use an earlier copy.")
        return text

    def texts(self) -> Iterator[tuple[str, str]]:
        """All texts by hash, as they stand (JSON), each checked; a few are held at a time."""
        last = ""
        while True:
            with self._reading():
                rows = self._rows("SELECT hash, text FROM texts WHERE hash > ? ORDER BY hash LIMIT ?", (last, PAGE))
            if not rows:
                return
            for name, text in rows:
                self._check_text(name, text)
                yield name, text
            last = rows[-1][0]

    def state(self) -> str:
        """sha256 in hex over the ends of all chains: one name for everything that the file vouches for."""
        with self._reading() as database:
            return form.state(database)

    def add_scores(self, scores: Iterable[ScoreRow]) -> int:
        """Append scores, all or none of them; returns how many. They are written as they come: a reader of the same
        file may make them."""
        now, n = time.time(), 0
        with self._writing() as database:
            for score in scores:
                form.add_scores(database, [form.score_row(self.path, replace(score, at=now))])
                n += 1
        return n

    def scores(self, attempt: int | None = None) -> list[ScoreRow]:
        """The scores of an attempt, or all, oldest first."""
        with self._reading() as database:
            if attempt is None:
                rows = self._rows(_SCORES + " ORDER BY id")
                attempts = [found for (found,) in self._rows("SELECT id FROM attempts ORDER BY id")]
            else:
                rows = self._rows(_SCORES + " WHERE attempt = ? ORDER BY id", (attempt,))
                attempts = [attempt]
            by_attempt: dict[int, list[form.Row]] = {one: [] for one in attempts}
            for row in rows:
                by_attempt.setdefault(row[0], []).append(row)
            for number, members in by_attempt.items():
                self._prove(database, form.scores_of(number), members, f"the scores of attempt {number}")
        return [
            ScoreRow(a, s, v, self._load(k), self._load(x), self._load(e), who, at)
            for a, s, v, k, x, e, who, at in rows
        ]

    def keep_summary(self, summary: Any) -> None:
        """Append what the run came to as it stands now; whatever is written afterwards makes it stale."""
        text = form.dump_record(self.path, summary)
        with self._writing() as database:
            form.add_summary(database, text)

    def summary(self) -> Any | None:
        """What `keep_summary` was given last, if every chain of the file still ends where it ended then."""
        with self._reading() as database:
            text = form.newest_summary(database)
        return None if text is None else self._load(text)

    def grown(self, since: int = 0) -> tuple[int, list[AttemptLength]]:
        """The attempts that have grown after a mark (0: all that hold events), and the mark to ask with next time.

        Work is in step with what has changed, not with the size of the file: a head is replaced whole when its chain
        grows, and what replaces it has the highest row id. For whoever follows a run that is being written.
        """
        with self._reading():
            rows = self._rows(_GROWN, (since,))
        return max((mark for mark, *_ in rows), default=since), [AttemptLength(*row) for _, *row in rows]

    def endings(self, tag: str) -> list[tuple[str, float, Any]]:
        """Episodes whose last attempt has an event of this tag among its last: id, when, data. Two look-ups an
        episode; for a glance: their chains are proved when their events are read."""
        with self._reading():
            rows = self._rows(_ENDINGS, (tag,))
        return [(episode, at, self._load(data)) for episode, at, data in rows]

    def holding(self, tag: str, text: str) -> list[tuple[int, int, Any]]:
        """Attempt, step and data of the events of a tag whose JSON contains a text, in order; for a glance, like
        `endings`."""
        with self._reading():
            return [(attempt, step, self._load(data)) for attempt, step, data in self._rows(_HOLDING, (tag, text))]

    def check(self) -> None:
        """Raise `DamagedData` unless the file is whole."""
        with self._reading() as database:
            (answer,) = database.execute("PRAGMA integrity_check").fetchone()
        if answer != "ok":
            raise DamagedData(f"{self.path} is damaged: {answer}", "Copy the file away and use an earlier copy.")

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
            writer.release(self.path, self._lock)
            self._lock = None

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Close; who stumbled over what a file from elsewhere says gets `DamagedData` with the cause."""
        self.close()
        if error is not None and self._found:
            raised = run_file.as_damaged(self.path, error)
            if raised is not error:
                raise raised from error

    def _load(self, text: str) -> Any:
        try:
            return json.loads(text)
        except (ValueError, TypeError, RecursionError) as error:
            raise DamagedData(
                f"{self.path} holds a record that cannot be read: {error}", "Use an earlier copy."
            ) from error

    def _check_text(self, name: str, stored: str) -> str:
        text = self._load(stored)
        if not isinstance(text, str) or text_hash(text) != name:
            raise DamagedData(f"{self.path}: a text is not what was written", "Use an earlier copy.")
        return text

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        return self._database.execute(query, values).fetchall()

    def _prove(self, database: sqlite3.Connection, name: str, rows: Iterable[form.Row], what: str) -> None:
        if not form.is_whole(database, name, rows):
            raise DamagedData(f"{self.path} is not as written: {what}", "Use an earlier copy.")

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._guard, run_file.plainly(self.path), run_file.transaction(self._database, "DEFERRED"):
            yield self._database

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        if self._watch is None or self._lock is None:
            raise StoreError(f"{self.path} was opened for reading", "Resume the run to write to it.")
        with self._guard:
            self._watch.check()
            with run_file.plainly(self.path), run_file.transaction(self._database):
                yield self._database
            self._watch.check()


# several files become one

Placed = Callable[[EpisodeRow], int]
"""Where an episode stands in the merged run, from 0."""
Accept = Callable[["Journal", EpisodeRow, list[tuple[Any, ...]]], None]
"""Looks at an episode with the events of its last attempt, and raises where it must not be taken over."""


@dataclass(frozen=True, slots=True)
class RunPart:
    """A run file, and what it vouched for when it was looked at."""

    path: Path
    state: str


def merge_files(
    path: Path, header: Mapping[str, Any], parts: Iterable[RunPart], placed: Placed, accept: Accept
) -> None:
    """Make one run file of several; it is there whole or not at all.

    Rows are carried over as they stand, each proved by the chain of its file, and chained anew. Attempts get new ids,
    so every link is another one than before; what the merged file rests on is therefore named by its header
    (`Journal.state` of each part). One attempt and a page of texts are held at a time.

    Args:
        path: the file to write; must not exist.
        header: of the merged run.
        parts: whose episodes are disjoint.
        placed: gives each episode a place of its own.
        accept: may refuse an episode.

    Raises:
        Damaged: a row of a part is not the one that was written.
        StoreError: a part changed meanwhile, or the file cannot be written.
    """

    def fill(database: sqlite3.Connection) -> None:
        form.add_header(database, path, header)
        for part in parts:
            with Journal.open(part.path) as journal:
                _carry(database, path, journal, placed, accept)
                if journal.state() != part.state:
                    raise StoreError(f"{part.path} changed while it was read", "Wait for whoever writes it.")
        rows = database.execute("SELECT id, position, task_id, epoch FROM episodes ORDER BY position")
        while page := rows.fetchmany(PAGE):
            form.extend(database, form.EPISODES, page)

    writer.release(path, run_file.create(path, fill))


def _carry(database: sqlite3.Connection, path: Path, journal: Journal, placed: Placed, accept: Accept) -> None:
    for name, text in journal.texts():
        database.execute("INSERT OR IGNORE INTO texts VALUES (?, ?)", (name, text))
    for row, attempts in journal.walk():
        database.execute("INSERT INTO episodes VALUES (?, ?, ?, ?)", (row.id, placed(row), row.task_id, row.epoch))
        events: list[tuple[Any, ...]] = []
        for old in attempts:
            attempt = form.add_attempt(database, row.id, old.number, old.reason, old.at)
            events = [(attempt, *event[1:]) for event in journal.event_rows(old.id)]
            form.add_events(database, attempt, events)
            scores = journal.scores(old.id)
            form.add_scores(database, [(attempt, *form.score_row(path, score)[1:]) for score in scores])
        accept(journal, row, events)
