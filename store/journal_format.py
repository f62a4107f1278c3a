"""The format of a run file: its tables, its rows as values, and the hash chain that proves them.

Rows that belong together form a chain: the header, the episodes, the attempts at one episode, the events of one
attempt, its scores, the summaries. Each link is a sha256 in hex over the link before it and one row; the table
`heads` keeps how many rows a chain has and its last link, so that rows missing at its end are noticed like a changed
one. Rows enter the file here only, each with its link, inside the transaction of the caller. A summary says what the
run came to; it names the state of the file that it was made from and counts for nothing once another state is there.
Times are seconds since the epoch.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from store.errors import StoreError
from store.files import check_record

APPLICATION_ID = 0x6D6F6F74  # "moot"
EARLIER_APPLICATION_ID = 0x4D6F6F74
"""Of run files that development versions made; they are told apart and refused."""
VERSION = 1

MOST_REPEATS = 10_000
"""Repeats of a task in one run, far more than anybody waits for: figures stand by repeat, so their number is
bounded."""

_TABLES = (
    "CREATE TABLE header (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
    "CREATE TABLE texts (hash TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT",
    """CREATE TABLE episodes (
        id TEXT PRIMARY KEY, position INTEGER NOT NULL UNIQUE, task_id TEXT NOT NULL, epoch INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE attempts (
        id INTEGER PRIMARY KEY, episode TEXT NOT NULL REFERENCES episodes (id), number INTEGER NOT NULL,
        reason TEXT NOT NULL, at REAL NOT NULL, UNIQUE (episode, number)
    ) STRICT""",
    """CREATE TABLE events (
        attempt INTEGER NOT NULL REFERENCES attempts (id), seq INTEGER NOT NULL, step INTEGER NOT NULL,
        parent INTEGER, at REAL NOT NULL, tag TEXT NOT NULL, data TEXT NOT NULL, chain TEXT NOT NULL,
        PRIMARY KEY (attempt, seq)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE scores (
        id INTEGER PRIMARY KEY, attempt INTEGER NOT NULL REFERENCES attempts (id), scorer TEXT NOT NULL,
        version TEXT NOT NULL, settings TEXT NOT NULL, value TEXT NOT NULL, evidence TEXT NOT NULL,
        author TEXT NOT NULL, at REAL NOT NULL
    ) STRICT""",
    "CREATE INDEX scores_of_attempt ON scores (attempt)",
    "CREATE TABLE heads (name TEXT PRIMARY KEY, count INTEGER NOT NULL, chain TEXT NOT NULL) STRICT",
    "CREATE TABLE summaries (id INTEGER PRIMARY KEY, state TEXT NOT NULL, summary TEXT NOT NULL) STRICT",
)
_APPEND_ONLY = ("events", "scores", "attempts", "texts", "summaries")

HEADER = "header"
EPISODES = "episodes"
SUMMARIES = "summaries"
"""Names of chains of which a file has one."""

Row = Sequence[Any]
_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))


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
    """One episode: a task at an epoch, from 0 and below MOST_REPEATS. `position` is its place in the run, from 0."""

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
class AttemptLength:
    """An attempt and how many events it has."""

    attempt: int
    episode: str
    events: int


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


def create_tables(database: sqlite3.Connection) -> None:
    """Create the tables, and the triggers that keep the record as it was written."""
    for statement in _TABLES:
        database.execute(statement)
    for table in _APPEND_ONLY:
        for verb in ("UPDATE", "DELETE"):
            database.execute(
                f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} are append-only'); END"
            )
    database.execute(f"PRAGMA application_id={APPLICATION_ID}")
    database.execute(f"PRAGMA user_version={VERSION}")


# the chain


def attempts_of(episode: str) -> str:
    """The chain of the attempts at an episode."""
    return f"attempts/{episode}"


def events_of(attempt: int) -> str:
    """The chain of the events of an attempt."""
    return f"events/{attempt}"


def scores_of(attempt: int) -> str:
    """The chain of the scores of an attempt."""
    return f"scores/{attempt}"


def dump(value: object) -> str:
    """A value as the journal writes it."""
    return _ENCODER.encode(value)


def link(chain: str, row: Row) -> str:
    """The chain after one more row."""
    return sha256(f"{chain}\n{dump(list(row))}".encode()).hexdigest()


def head(database: sqlite3.Connection, name: str) -> tuple[int, str]:
    """How many rows a chain has, and its last link."""
    row = database.execute("SELECT count, chain FROM heads WHERE name = ?", (name,)).fetchone()
    return (row[0], row[1]) if row else (0, "")


def extend(database: sqlite3.Connection, name: str, rows: Iterable[Row]) -> list[str]:
    """Move the head of a chain on over new rows, inside the transaction that writes them; gives their links."""
    count, chain = head(database, name)
    links: list[str] = []
    for row in rows:
        chain = link(chain, row)
        links.append(chain)
    if links:
        database.execute("INSERT OR REPLACE INTO heads VALUES (?, ?, ?)", (name, count + len(links), chain))
    return links


def is_whole(database: sqlite3.Connection, name: str, rows: Iterable[Row]) -> bool:
    """Whether these are the rows of a chain, all of them in their order."""
    count, chain = 0, ""
    for row in rows:
        count, chain = count + 1, link(chain, row)
    return head(database, name) == (count, chain)


# rows


def dump_record(path: Path, value: Any) -> str:
    """A value as JSON for the file at `path`; `StoreError` where the file could not be read again."""
    try:
        check_record(value)
        return dump(value)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{path}: a record cannot be kept: {error}", "Nothing of this step was written.") from error


def add_header(database: sqlite3.Connection, path: Path, header: Mapping[str, Any]) -> None:
    """The header of a new file."""
    rows = sorted((key, dump_record(path, value)) for key, value in header.items())
    database.executemany("INSERT INTO header VALUES (?, ?)", rows)
    extend(database, HEADER, rows)


def add_attempt(database: sqlite3.Connection, episode: str, number: int, reason: str, at: float) -> int:
    """A new attempt at an episode; its id."""
    cursor = database.execute(
        "INSERT INTO attempts (episode, number, reason, at) VALUES (?, ?, ?, ?)", (episode, number, reason, at)
    )
    assert cursor.lastrowid is not None
    extend(database, attempts_of(episode), [(cursor.lastrowid, episode, number, reason, at)])
    return cursor.lastrowid


def add_events(database: sqlite3.Connection, attempt: int, rows: Sequence[Row]) -> None:
    """Events of an attempt: attempt, seq, step, parent, at, tag, data (JSON)."""
    links = extend(database, events_of(attempt), rows)
    database.executemany(
        "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(*row, made) for row, made in zip(rows, links, strict=True)],
    )


def score_row(path: Path, score: ScoreRow) -> Row:
    """A score as it stands in the file at `path`."""
    cells = (dump_record(path, part) for part in (score.settings, score.value, score.evidence))
    return (score.attempt, score.scorer, score.version, *cells, score.author, score.at)


def add_scores(database: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """Scores, as `score_row` gives them."""
    for row in rows:
        extend(database, scores_of(row[0]), [row])
    database.executemany(
        "INSERT INTO scores (attempt, scorer, version, settings, value, evidence, author, at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


# summaries


def state(database: sqlite3.Connection) -> str:
    """The ends of all chains but that of the summaries, as one sha256 in hex."""
    running = sha256()
    query = "SELECT name, count, chain FROM heads WHERE name != ? ORDER BY name"
    for row in database.execute(query, (SUMMARIES,)):
        running.update(dump(row).encode())
    return running.hexdigest()


def add_summary(database: sqlite3.Connection, summary: str) -> None:
    """Append a summary of the file as it stands, inside a transaction; nothing where the newest one says the same."""
    row = (state(database), summary)
    if newest_summary(database) != summary:
        extend(database, SUMMARIES, [row])
        database.execute("INSERT INTO summaries (state, summary) VALUES (?, ?)", row)


def newest_summary(database: sqlite3.Connection) -> str | None:
    """The newest summary, if it is of this state of the file and as it was written."""
    rows = database.execute("SELECT state, summary FROM summaries ORDER BY id").fetchall()
    if not rows or not is_whole(database, SUMMARIES, rows) or rows[-1][0] != state(database):
        return None
    return str(rows[-1][1])
