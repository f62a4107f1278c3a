"""From a SPEC on the command line to an engine: `scripted:FILE`; `tasks.engines` adds `recorded:RUN`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from models.engine import Engine
from models.errors import BadEngine
from models.scripted import ScriptedEngine

KINDS: dict[str, Callable[[str], Engine]] = {
    "scripted": lambda rest: ScriptedEngine.from_file(Path(rest)),
}
"""Kind of SPEC -> how it is opened."""


def open_engine(spec: str) -> Engine:
    """The engine of a SPEC; `BadEngine` says what is wrong."""
    kind, colon, rest = spec.partition(":")
    if not colon or kind not in KINDS or not rest:
        raise BadEngine(f"'{spec}' names no engine", "Known: scripted:FILE, recorded:RUN.")
    return KINDS[kind](rest)
