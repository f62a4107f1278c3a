"""Several run files become one: rows are carried over as they stand, each proved by the chain of its file, and
chained anew.

Attempts get new ids, so every link is another one than before; what the merged file rests on is therefore named by
its header (`Journal.state` of each part). One attempt and a page of texts are held at a time. Times are seconds since
the epoch.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store import journal_format as form
from store import run_file, writer
from store.errors import StoreError
from store.journal import PAGE, EpisodeRow, Journal

Placed = Callable[[EpisodeRow], int]
"""Where an episode stands in the merged run, from 0."""
Accept = Callable[[Journal, EpisodeRow, list[tuple[Any, ...]]], None]
"""Looks at an episode with the events of its last attempt, and raises where it must not be taken over."""


@dataclass(frozen=True, slots=True)
class Part:
    """A run file, and what it vouched for when it was looked at."""

    path: Path
    state: str


def merge(path: Path, header: Mapping[str, Any], parts: Iterable[Part], placed: Placed, accept: Accept) -> None:
    """Make one run file of several; it is there whole or not at all.

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
