"""Version 3 of the journal: seals, which say what the run came to when they were made."""

from __future__ import annotations

import sqlite3

STATEMENTS = (
    "CREATE TABLE seals (id INTEGER PRIMARY KEY, state TEXT NOT NULL, summary TEXT NOT NULL) STRICT",
    *(
        f"CREATE TRIGGER seals_no_{verb.lower()} BEFORE {verb} ON seals "
        f"BEGIN SELECT RAISE(ABORT, 'seals are append-only'); END"
        for verb in ("UPDATE", "DELETE")
    ),
)


def upgrade(database: sqlite3.Connection) -> None:
    """Create the table."""
    for statement in STATEMENTS:
        database.execute(statement)
