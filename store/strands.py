"""How rows enter a run file: each kind together with the link that proves it, inside the transaction of the caller.

The journal appends with these, and so does whoever makes one run file of several. Times are seconds since the epoch.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from store import bounded, chain
from store.entries import ScoreRow
from store.errors import StoreError


def dump(path: Path, value: Any) -> str:
    """A value as JSON for the file at `path`; refused where the file could not be read again."""
    text = chain.dump(value)
    try:
        bounded.check_length(text)
        bounded.check(text, value)
    except ValueError as error:
        raise StoreError(f"{path}: a record cannot be kept: {error}", "Nothing of this step was written.") from error
    return text


def add_header(database: sqlite3.Connection, path: Path, header: Mapping[str, Any]) -> None:
    """The header of a new file."""
    rows = sorted((key, dump(path, value)) for key, value in header.items())
    database.executemany("INSERT INTO header VALUES (?, ?)", rows)
    chain.grown(database, chain.HEADER, rows)


def add_attempt(database: sqlite3.Connection, episode: str, number: int, reason: str, at: float) -> int:
    """A new attempt at an episode; its id."""
    cursor = database.execute(
        "INSERT INTO attempts (episode, number, reason, at) VALUES (?, ?, ?, ?)", (episode, number, reason, at)
    )
    assert cursor.lastrowid is not None
    chain.grown(database, chain.attempts_of(episode), [(cursor.lastrowid, episode, number, reason, at)])
    return cursor.lastrowid


def add_events(database: sqlite3.Connection, attempt: int, rows: Sequence[chain.Row]) -> None:
    """Events of an attempt: attempt, seq, step, parent, at, tag, data (JSON)."""
    links = chain.grown(database, chain.events_of(attempt), rows)
    database.executemany(
        "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(*row, made) for row, made in zip(rows, links, strict=True)],
    )


def score_row(path: Path, score: ScoreRow) -> chain.Row:
    """A score as it stands in the file at `path`."""
    said = (dump(path, part) for part in (score.settings, score.value, score.evidence))
    return (score.attempt, score.scorer, score.version, *said, score.author, score.at)


def add_scores(database: sqlite3.Connection, rows: Sequence[chain.Row]) -> None:
    """Scores, as `score_row` gives them."""
    for row in rows:
        chain.grown(database, chain.scores_of(row[0]), [row])
    database.executemany(
        "INSERT INTO scores (attempt, scorer, version, settings, value, evidence, author, at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )
