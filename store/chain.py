"""The hash chain of a run file: proof that its rows are the ones that were written, all of them and no others.

Rows that belong together form a strand: the header, the episodes, the attempts at one episode, the events of one
attempt, its scores. Each link is a sha256 in hex over the link before it and one row; the table `heads` keeps how
many rows a strand has and its last link, so that rows missing at its end are noticed like a changed one.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

HEADER = "header"
EPISODES = "episodes"
ADOPTED = "adopted"
"""Not a strand: a head of this name says that an earlier release had written the file without heads."""

Row = Sequence[Any]
_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))


def attempts_of(episode: str) -> str:
    """The strand of the attempts at an episode."""
    return f"attempts/{episode}"


def events_of(attempt: int) -> str:
    """The strand of the events of an attempt."""
    return f"events/{attempt}"


def scores_of(attempt: int) -> str:
    """The strand of the scores of an attempt."""
    return f"scores/{attempt}"


def dump(value: object) -> str:
    """A value as the journal writes it."""
    return _ENCODER.encode(value)


def link(chain: str, row: Row) -> str:
    """The chain after one more row."""
    return sha256(f"{chain}\n{dump(list(row))}".encode()).hexdigest()


def grown(database: sqlite3.Connection, strand: str, rows: Iterable[Row]) -> list[str]:
    """Move the head of a strand on over new rows, inside the transaction that writes them; gives their links."""
    count, chain = head(database, strand)
    links: list[str] = []
    for row in rows:
        chain = link(chain, row)
        links.append(chain)
    if links:
        database.execute("INSERT OR REPLACE INTO heads VALUES (?, ?, ?)", (strand, count + len(links), chain))
    return links


def head(database: sqlite3.Connection, strand: str) -> tuple[int, str]:
    """How many rows a strand has, and its last link."""
    row = database.execute("SELECT count, chain FROM heads WHERE name = ?", (strand,)).fetchone()
    return (row[0], row[1]) if row else (0, "")


def is_whole(database: sqlite3.Connection, strand: str, rows: Iterable[Row]) -> bool:
    """Whether these are the rows of a strand, all of them in their order."""
    count, chain = 0, ""
    for row in rows:
        count, chain = count + 1, link(chain, row)
    return head(database, strand) == (count, chain)
