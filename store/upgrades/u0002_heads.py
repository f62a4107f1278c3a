"""Version 2 of the journal: header, episodes, attempts and scores join the hash chain; `heads` keeps where each
strand ends.

The rows of a file of version 1 are taken over as they are found: what happened to them before, nobody can say, so
such a file keeps the mark `adopted`.
"""

from __future__ import annotations

import sqlite3

from store import chain

TABLE = "CREATE TABLE heads (name TEXT PRIMARY KEY, count INTEGER NOT NULL, chain TEXT NOT NULL) STRICT"


def upgrade(database: sqlite3.Connection) -> None:
    """Create the table and chain what is there; an empty file has nothing to adopt."""
    database.execute(TABLE)
    header = database.execute("SELECT key, value FROM header ORDER BY key").fetchall()
    if not header:
        return
    chain.grown(database, chain.HEADER, header)
    episodes = database.execute("SELECT id, position, task_id, epoch FROM episodes ORDER BY position").fetchall()
    chain.grown(database, chain.EPISODES, episodes)
    for episode, *_ in episodes:
        query = "SELECT id, episode, number, reason, at FROM attempts WHERE episode = ? ORDER BY number"
        chain.grown(database, chain.attempts_of(episode), database.execute(query, (episode,)).fetchall())
    ends = database.execute("SELECT attempt, count(*), chain, max(seq) FROM events GROUP BY attempt").fetchall()
    database.executemany(
        "INSERT INTO heads VALUES (?, ?, ?)",
        [(chain.events_of(attempt), count, last) for attempt, count, last, _ in ends],
    )
    query = "SELECT attempt, scorer, version, settings, value, evidence, author, at FROM scores ORDER BY id"
    for row in database.execute(query).fetchall():
        chain.grown(database, chain.scores_of(row[0]), [row])
    database.execute("INSERT INTO heads VALUES (?, ?, '')", (chain.ADOPTED, len(header)))
