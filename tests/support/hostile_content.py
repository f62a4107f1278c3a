"""What a run file holds as plain data, and two ways to write it back so that its hash chains hold.

The generator of hostile runs changes this data and has it written by the product itself (`write_own`) or, where no
product would write such a thing, in the first journal format (`write_first`), which every release opens. `Raw` is
JSON that no encoder gives: NaN, numbers of thousands of digits, thousands of levels, one key twice.
"""

from __future__ import annotations

import copy
import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest import mock

from store import bounded, chain
from store.journal import Entry, EpisodeRow, Journal, ScoreRow
from store.run_file import APPLICATION_ID
from store.upgrades import u0001_first, u0002_heads

EPISODE, ATTEMPT, EVENT = (
    ("id", "position", "task_id", "epoch"),
    ("id", "episode", "number", "reason", "at"),
    ("attempt", "seq", "step", "parent", "at", "tag", "data"),
)
SCORE = ("attempt", "scorer", "version", "settings", "value", "evidence", "author", "at")
JSON_OF_SCORE = slice(3, 6)
WRITTEN = 1_700_000_000.0
"""The moment at which the product writes, so that a seed gives the same bytes again."""
MARK = re.compile(r'"\\u0001raw:(\d+):"')


@dataclass(frozen=True)
class Raw:
    """JSON text that is written as it stands."""

    text: str


@dataclass
class Content:
    """All rows of a run file; JSON columns hold values, or a `Raw` at any depth."""

    header: dict[str, Any]
    episodes: list[list[Any]] = field(default_factory=list)
    attempts: list[list[Any]] = field(default_factory=list)
    events: list[list[Any]] = field(default_factory=list)
    texts: dict[str, Any] = field(default_factory=dict)
    scores: list[list[Any]] = field(default_factory=list)

    def copy(self) -> Content:
        """A copy to change."""
        return copy.deepcopy(self)


def read(path: Path) -> Content:
    """The content of a run that the product made."""
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        header = {key: json.loads(value) for key, value in database.execute("SELECT key, value FROM header")}
        found = Content(header)
        found.episodes = [
            list(row) for row in database.execute(f"SELECT {', '.join(EPISODE)} FROM episodes ORDER BY position")
        ]
        found.attempts = [
            list(row) for row in database.execute(f"SELECT {', '.join(ATTEMPT)} FROM attempts ORDER BY id")
        ]
        events = database.execute(f"SELECT {', '.join(EVENT)} FROM events ORDER BY attempt, seq")
        found.events = [[*row[:-1], json.loads(row[-1])] for row in events]
        found.texts = {name: json.loads(text) for name, text in database.execute("SELECT hash, text FROM texts")}
        for row in database.execute(f"SELECT {', '.join(SCORE)} FROM scores ORDER BY id"):
            found.scores.append([*row[:3], *map(json.loads, row[JSON_OF_SCORE]), *row[6:]])
        return found
    finally:
        database.close()


def dump(value: Any) -> str:
    """JSON as the journal writes it, with every `Raw` as it stands."""
    if isinstance(value, Raw):
        return value.text
    raws: list[str] = []
    marked = json.dumps(_marked(value, raws), ensure_ascii=True, separators=(",", ":"))
    return MARK.sub(lambda match: raws[int(match[1])], marked)


def _marked(value: Any, raws: list[str]) -> Any:
    if isinstance(value, Raw):
        raws.append(value.text)
        return f"\x01raw:{len(raws) - 1}:"
    if isinstance(value, dict):
        return {key: _marked(one, raws) for key, one in value.items()}
    return [_marked(one, raws) for one in value] if isinstance(value, list | tuple) else value


def link(chain: str, row: list[Any]) -> str:
    """The chain of the first format after one more event row."""
    return sha256(f"{chain}\n{json.dumps(row, ensure_ascii=True, separators=(',', ':'))}".encode()).hexdigest()


def write_first(path: Path, content: Content, strict: bool = True) -> None:
    """Write the first journal format, chains included. Not `strict`: columns take any type and rows may repeat."""
    database = sqlite3.connect(path, isolation_level=None)
    try:
        database.execute("PRAGMA synchronous=OFF")
        database.execute("PRAGMA journal_mode=OFF")
        database.execute(f"PRAGMA application_id={APPLICATION_ID}")
        database.execute("BEGIN")
        if strict:
            u0001_first.upgrade(database)
        else:
            for table, columns in COLUMNS.items():
                database.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
        database.execute("PRAGMA user_version=1")
        into = {
            table: f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
            for table, columns in COLUMNS.items()
        }
        database.executemany(into["header"], [(key, dump(value)) for key, value in content.header.items()])
        database.executemany(into["texts"], [(name, dump(text)) for name, text in content.texts.items()])
        database.executemany(into["episodes"], content.episodes)
        database.executemany(into["attempts"], content.attempts)
        chains: dict[Any, str] = {}
        database.executemany(into["events"], _chained(content.events, chains))
        scores = ([*row[:3], *map(dump, row[JSON_OF_SCORE]), *row[6:]] for row in content.scores)
        database.executemany(into["scores"], ([number, *row] for number, row in enumerate(scores, 1)))
        database.execute("COMMIT")
    finally:
        database.close()


COLUMNS = {
    "header": ("key", "value"), "texts": ("hash", "text"), "episodes": EPISODE, "attempts": ATTEMPT,
    "events": (*EVENT, "chain"), "scores": ("id", *SCORE),
}  # fmt: skip


def _chained(events: list[list[Any]], chains: dict[Any, str]) -> Iterator[list[Any]]:
    for event in events:
        row = [*event[:-1], dump(event[-1])]
        try:
            chains[row[0]] = link(chains.get(row[0], ""), row)
        except (TypeError, UnicodeError):  # a blob or half a character: no chain can hold it
            chains[row[0]] = "0" * 64
        yield [*row, chains[row[0]]]


def write_own(path: Path, content: Content) -> bool:
    """Have the product write the content, with all hashes of its present format; whether it can be said to it."""
    numbers = [[number, row[0], 1] for number, row in enumerate(content.episodes, 1)]
    if [row[:3] for row in content.attempts] != numbers or {row[0] for row in content.events} - {
        row[0] for row in numbers
    }:
        return False
    raws: list[str] = []
    said: Content = Content(
        **{
            name: _marked(getattr(content, name), raws)
            for name in ("header", "episodes", "attempts", "events", "texts", "scores")
        }
    )
    try:
        with (
            _raw_texts(raws),
            Journal.create(path, said.header, [EpisodeRow(*row) for row in said.episodes]) as journal,
        ):
            journal.append(
                [Entry(*row) for row in said.events], [text for text in said.texts.values() if isinstance(text, str)]
            )
            if said.scores:
                journal.add_scores([ScoreRow(*row) for row in said.scores])
    except Exception:  # the product refuses to write such a thing, which is its right
        path.unlink(missing_ok=True)
        return False
    return True


@contextmanager
def _raw_texts(raws: list[str]) -> Iterator[None]:
    """Whoever makes JSON in here writes the text of a `Raw` in place of its mark."""
    honest: Callable[[object], str] = chain.dump

    def dump(value: object) -> str:
        return MARK.sub(lambda match: raws[int(match[1])], honest(value))

    with (
        mock.patch.object(chain, "dump", dump),
        mock.patch("time.time", lambda: WRITTEN),
        mock.patch.object(bounded, "check", lambda text, value: None),
    ):
        yield


class Misfit(Exception):
    """This case cannot be made from this base; another is tried."""


def edit(path: Path, *statements: str) -> None:
    """Change a run file by SQL, its triggers put aside meanwhile; a statement that SQLite refuses is left out, but
    not all of them."""
    done = 0
    database = sqlite3.connect(path, isolation_level=None)
    try:
        for pragma in (
            "synchronous=OFF",
            "journal_mode=DELETE",
            "foreign_keys=OFF",
            "legacy_alter_table=ON",
            "recursive_triggers=OFF",
        ):
            database.execute(f"PRAGMA {pragma}")
        triggers = database.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"
        ).fetchall()
        for name, _ in triggers:
            database.execute(f'DROP TRIGGER "{name}"')
        for statement in statements:
            with suppress(sqlite3.Error):
                database.execute(statement)
                done += not statement.startswith("PRAGMA writable")
        for _, sql in triggers:
            with suppress(sqlite3.Error):  # its table is gone, or another thing by now
                database.execute(sql)
    finally:
        database.close()
    if statements and not done:
        raise Misfit


def reseal(path: Path) -> None:
    """Make the hash chains of an edited file hold again, as far as its tables can still be read."""
    database = sqlite3.connect(path, isolation_level=None)
    try:
        version = database.execute("PRAGMA user_version").fetchone()[0]
        if version not in (1, 2, 3):
            return
        database.execute("PRAGMA synchronous=OFF")
        triggers = database.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"
        ).fetchall()
        for name, _ in triggers:
            database.execute(f'DROP TRIGGER "{name}"')
        _rechain(database)
        if version >= 2:
            database.execute("DROP TABLE heads")
            u0002_heads.upgrade(database)
            database.execute("DELETE FROM heads WHERE name = ?", (chain.ADOPTED,))
        for _, sql in triggers:
            database.execute(sql)
    except (sqlite3.Error, TypeError, UnicodeError):
        pass  # what is left cannot be chained: the product meets it as it is
    finally:
        database.close()


def _rechain(database: sqlite3.Connection) -> None:
    chains: dict[Any, str] = {}
    for *row, old in database.execute(
        f"SELECT {', '.join(EVENT)}, chain FROM events ORDER BY attempt, seq"
    ).fetchall():
        chains[row[0]] = link(chains.get(row[0], ""), row)
        if chains[row[0]] != old:
            database.execute(
                "UPDATE events SET chain = ? WHERE attempt = ? AND seq = ?", (chains[row[0]], row[0], row[1])
            )
