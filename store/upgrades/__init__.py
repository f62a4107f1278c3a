"""Changes of the journal's layout, one numbered module each, applied in order by `PRAGMA user_version`."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from store.upgrades import u0001_first, u0002_heads, u0003_seals

UPGRADES: tuple[Callable[[sqlite3.Connection], None], ...] = (
    u0001_first.upgrade,
    u0002_heads.upgrade,
    u0003_seals.upgrade,
)
"""UPGRADES[n] brings a journal from version n to version n + 1."""

VERSION = len(UPGRADES)
