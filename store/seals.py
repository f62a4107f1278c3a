"""Seals: what a run came to, kept in its file so that lists need not read everything again.

A seal names the state of the file that it was made from: a sha256 in hex over the ends of all strands of the hash
chain. One that names another state (something was written, changed or taken away since, also with the chain mended),
or that is not as it was written, counts for nothing. It says what was true of the rows that were written: whether
every row is still as written, those notice who read the rows.
"""

from __future__ import annotations

import sqlite3
from hashlib import sha256

from store import chain

SINCE = 3
"""The first version of the journal with seals."""
STRAND = "seals"


def state(database: sqlite3.Connection) -> str:
    """The ends of all strands but that of the seals, as one hash."""
    running = sha256()
    query = "SELECT name, count, chain FROM heads WHERE name != ? ORDER BY name"
    for row in database.execute(query, (STRAND,)):
        running.update(chain.dump(row).encode())
    return running.hexdigest()


def add(database: sqlite3.Connection, summary: str) -> None:
    """Append a seal of the file as it stands, inside a transaction; nothing where the newest one says the same."""
    row = (state(database), summary)
    if newest(database) != summary:
        chain.grown(database, STRAND, [row])
        database.execute("INSERT INTO seals (state, summary) VALUES (?, ?)", row)


def newest(database: sqlite3.Connection) -> str | None:
    """What the newest seal says, if it is of this state of the file and as it was written."""
    rows = database.execute("SELECT state, summary FROM seals ORDER BY id").fetchall()
    if not rows or not all(isinstance(cell, str) for row in rows for cell in row):
        return None
    if not chain.is_whole(database, STRAND, rows) or rows[-1][0] != state(database):
        return None
    return str(rows[-1][1])
