"""Version 1 of the journal: header, texts by hash, episodes, attempts, events, scores.

Events and scores are append-only: the database itself refuses to change or delete them. `chain` is a hash over an
event and all before it in its attempt, so that a record changed by other means is noticed when it is read.
"""

from __future__ import annotations

import sqlite3

TABLES = (
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
)

KEPT = ("events", "scores", "attempts", "texts")


def upgrade(database: sqlite3.Connection) -> None:
    """Create the tables and the triggers that keep the record as it was written."""
    for statement in TABLES:
        database.execute(statement)
    for table in KEPT:
        for verb in ("UPDATE", "DELETE"):
            database.execute(
                f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} are append-only'); END"
            )
