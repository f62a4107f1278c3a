"""Keeps the engine that was closed last loaded for whoever opens the same model next.

On the desk a fork, a resumed run or the next run then finds the weights in memory, and the sequences of the run
before: a fork copies what it shares instead of reading it again. Off unless `keep` was called; one engine at most,
for its memory.
"""

from __future__ import annotations

import threading
from typing import Protocol


class Loaded(Protocol):
    """An engine with a model in memory: `key` says which file with which settings, `slots` for how many sequences."""

    key: str
    slots: int

    @property
    def loaded(self) -> bool:
        """Whether its model is in memory."""
        ...

    def end(self) -> None:
        """End its process."""


_lock = threading.Lock()
_keeping = False
_kept: Loaded | None = None


def keep() -> None:
    """Keep engines from now on."""
    global _keeping
    _keeping = True


def put(engine: Loaded) -> bool:
    """Take an engine that is being closed; False when it is to be ended instead."""
    global _kept
    with _lock:
        if not _keeping or not engine.loaded:
            return False
        before, _kept = _kept, engine
    if before is not None and before is not engine:
        before.end()
    return True


def take(wanted: str, slots: int) -> Loaded | None:
    """The kept engine if it is the wanted one and has room; any other is ended, so that two never fill the memory."""
    global _kept
    with _lock:
        engine, _kept = _kept, None
    if engine is None:
        return None
    if engine.loaded and engine.key == wanted and engine.slots >= slots:
        return engine
    engine.end()
    return None


def clear() -> None:
    """End what is kept, and keep nothing any more."""
    global _keeping, _kept
    with _lock:
        _keeping, engine, _kept = False, _kept, None
    if engine is not None:
        engine.end()
