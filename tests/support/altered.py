"""Changes a run file behind its back: the triggers that keep the record are put aside and put back again."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path


def alter(path: Path, *statements: str, values: Sequence[object] = ()) -> Path:
    """Run SQL on a run file that is closed; its schema is afterwards what it was, unless a statement changes it."""
    database = sqlite3.connect(path, isolation_level=None)
    triggers = database.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"
    ).fetchall()
    for name, _ in triggers:
        database.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        database.execute(statement, values if "?" in statement else ())
    for _, sql in triggers:
        database.execute(sql)
    database.close()
    return path
