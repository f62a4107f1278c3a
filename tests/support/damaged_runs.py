"""The corruptor of run files: bytes and tables of a sound run changed one way at a time, and contents changed with a
hash chain that holds, as another program could write them."""

from __future__ import annotations

import copy
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from store.journal import Journal

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x1b[31m\x9b31m\x90q\x9c\r\n\x00\x08\x7f\u202eabc\u2066\u200f"
ODD: tuple[Any, ...] = (
    *(None, True, -1, 7, 2**64, 10**400, 0.5, 1e308, "", "x", "\x00", "../../x", "/dev/zero", ESCAPES),
    *("\ud800", "9" * 5000, "字" * 200_000, "2026-13-45T99:99:99", [], [None], ["a", 1], {}, {"": None}),
    *({"a": {"b": []}}, {ESCAPES: ESCAPES}, [{"name": None}], "endpoint:https://evil.example/v1#m"),
)
"""Values of every wrong type, and of the right type with nothing right in it."""

Where = tuple[str | int, ...]
"""Keys and places that lead to a value."""


def _flip(place: float) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        content = bytearray(path.read_bytes())
        content[int(place * (len(content) - 1))] ^= 0x10
        path.write_bytes(content)

    return damage


def _cut(share: float) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)]) and None


def _sql(*statements: str, values: tuple[object, ...] = ()) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            triggers = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
            for name, _ in database.execute(triggers).fetchall():
                database.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                database.execute(statement, values)

    return damage


def _foreign(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE t (x)")


TABLES = ("header", "texts", "episodes", "attempts", "events", "scores", "heads")
DAMAGES: dict[str, Callable[[Path], None]] = {
    "empty": _cut(0),
    "text": lambda path: path.write_text("not a database, only words that go on for a while " * 4) and None,
    "another database": _foreign,
    "a newer version": _sql("PRAGMA user_version = 99"),
    **{f"cut at {share}": _cut(share) for share in (0.01, 0.7, 0.99)},
    **{f"flipped at {place}": _flip(place) for place in (0.0, 0.001, 0.35, 0.6, 0.85)},
    "without events": _sql("PRAGMA foreign_keys = OFF", "DROP TABLE events"),
    **{f"{table} emptied": _sql("PRAGMA foreign_keys = OFF", f"DELETE FROM {table}") for table in TABLES},
    "a view in place of a table": _sql(
        "ALTER TABLE texts RENAME TO other", "CREATE VIEW texts AS SELECT hash, text FROM other"
    ),
    "a column less": _sql("ALTER TABLE events DROP COLUMN parent"),
    "a cell of bytes": _sql(
        "CREATE TABLE more (key TEXT PRIMARY KEY, value)",
        "INSERT INTO more SELECT key, CAST(x'ff00fe' AS BLOB) FROM header",
        "DROP TABLE header",
        "ALTER TABLE more RENAME TO header",
    ),
    "JSON that is none": _sql("UPDATE events SET data = '{broken' WHERE seq = 1"),
    "JSON that is deep": _sql("UPDATE events SET data = ? WHERE seq = 1", values=("[" * 50_000 + "]" * 50_000,)),
    "a huge text": _sql("UPDATE texts SET text = ?", values=('"' + "字" * 3_000_000 + '"',)),
}
"""Kind of damage -> what makes it, in place."""


def rewrite(source: Path, target: Path, where: Where, value: Any) -> None:
    """Write a run again with one value changed, everything chained as if it had been so from the start.

    Args:
        source: a sound run.
        target: the file to write.
        where: begins with `header`, or with `event` and the place of an event in the first attempt.
        value: what stands there afterwards; whatever the journal refuses is raised.
    """
    with Journal.open(source) as old:
        header = copy.deepcopy(dict(old.header))
        rows = old.episodes()
        kept = {row.id: old.entries(old.attempts(row.id)[-1].id) for row in rows}
        scores = {row.id: old.scores(old.attempts(row.id)[-1].id) for row in rows}
        texts = [old.text_of(name) for name, _ in old.texts()]
    whole = {"header": header, "event": [copy.deepcopy(entry.data) for entry in kept[rows[0].id]]}
    _put(whole, where, value)
    changed = [replace(entry, data=data) for entry, data in zip(kept[rows[0].id], whole["event"], strict=True)]
    kept[rows[0].id] = changed
    with Journal.create(target, whole["header"], rows) as new:
        for row in rows:
            attempt = new.attempts(row.id)[-1].id
            new.append([replace(entry, attempt=attempt) for entry in kept[row.id]], texts)
            new.add_scores([replace(score, attempt=attempt) for score in scores[row.id]])


def places(source: Path) -> list[Where]:
    """Where a run holds a value that `rewrite` can change, outside first."""
    with Journal.open(source) as journal:
        events = [entry.data for entry in journal.entries(journal.attempts(journal.episodes()[0].id)[-1].id)]
        whole = {"header": dict(journal.header), "event": events}
    return [where for where in _walk(whole, ()) if len(where) > 1]


def _walk(value: Any, where: Where) -> Iterator[Where]:
    yield where
    items = value.items() if isinstance(value, dict) else enumerate(value[:40]) if isinstance(value, list) else ()
    for key, inner in items:
        yield from _walk(inner, (*where, key))


def _put(value: Any, where: Where, new: Any) -> None:
    for key in where[:-1]:
        value = value[key]
    value[where[-1]] = new
