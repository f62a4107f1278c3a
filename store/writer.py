"""The writer of a run file: one process at a time, under a lock beside the file, and requests that it stops.

Beside `NAME.moot` lie `.NAME.moot.lock`, locked while somebody writes, `.NAME.moot.writer` (the process and since
when) and `.NAME.moot.stop` (a request). The system lets go of the lock with the process, however it ends: only
under a lock that is held does the card say anything, so what a killed process left behind is never taken for
somebody, and no signal is ever sent to a number. Times are in seconds since the epoch.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from store.errors import StoreError
from store.files import real_path, release_lock

GLANCE = 1.0
"""Seconds to wait for a lock: whoever only looks whether it is held holds it for a moment."""

LOOK = 0.5
"""Seconds between two looks for a request to stop."""


@dataclass(frozen=True, slots=True)
class Writer:
    """The process that writes a run: its number (0: it did not say) and since when."""

    process: int
    since: float


def lock(path: Path) -> FileLock:
    """Become the writer of a run file, under its real name; requests to another are forgotten.

    Raises:
        StoreError: another process is, or the folder cannot be written.
    """
    real = real_path(path)
    held = FileLock(_beside(real, "lock"), timeout=GLANCE)
    if not os.access(real.parent, os.W_OK):
        raise StoreError(f"cannot write {path}: the folder is read-only", "Choose another place with --out.")
    try:
        held.acquire()
    except Timeout as error:
        if not _beside(real, "lock").exists():
            raise StoreError(
                f"cannot write {path}: the folder is read-only", "Choose another place with --out."
            ) from error
        raise StoreError(
            f"{path} is being written by another process",
            "`moot attach RUN` follows it, `moot stop RUN` stops it.",
        ) from error
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}", "Choose another place with --out.") from error
    _forget(real)
    with suppress(OSError), _beside(real, "writer").open("x") as card:  # the lock holds without a card
        card.write(json.dumps({"process": os.getpid(), "since": time.time()}))
    return held


def release(path: Path, held: FileLock | None) -> None:
    """Let others write; what lay beside the file goes with the lock."""
    if held is not None:
        _forget(real_path(path))
        release_lock(held)


def writer_of(path: Path) -> Writer | None:
    """Who writes a run file at this moment, this process included; None where nobody does."""
    real = real_path(path)
    if not _is_held(real):
        return None
    try:
        place = _beside(real, "writer")
        card = json.loads(place.read_text() if place.is_file() and place.stat().st_size < 1000 else "")
        return Writer(int(card["process"]), float(card["since"]))
    except (OSError, ValueError, LookupError, TypeError, ArithmeticError, RecursionError):
        return Writer(0, time.time())  # it has only just begun, or its disk is full


def writers(folder: Path) -> dict[str, Writer]:
    """The run files of a folder that are being written at this moment, by name."""
    names = [one.name[1 : -len(".lock")] for one in folder.glob(".*.lock")]
    return {name: found for name in names if (found := writer_of(folder / name)) is not None}


def request_stop(path: Path) -> Writer | None:
    """Request that the writer of a run file stops between two turns; gives the writer, None where nobody writes.

    Raises:
        StoreError: the folder cannot be written.
    """
    found = writer_of(path)
    if found is not None:
        try:
            _beside(real_path(path), "stop").touch(exist_ok=False)  # never through a link
        except FileExistsError:
            pass
        except OSError as error:
            raise StoreError(
                f"cannot leave a word beside {path}: {error.strerror}",
                f"End process {found.process} by other means; the run can be resumed.",
            ) from error
    return found


def stop_requested(path: Path) -> bool:
    """Whether there is a request that this run stops."""
    return _beside(real_path(path), "stop").exists()


@contextmanager
def on_stop_requested(path: Path, stop: Callable[[], object]) -> Iterator[None]:
    """Call `stop`, once and in a thread of its own, when there is a request that the run in this file stops."""
    over = threading.Event()

    def look() -> None:
        while not over.wait(LOOK):
            if stop_requested(path):
                stop()
                return

    threading.Thread(target=look, name="stop-requests", daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _is_held(real: Path) -> bool:
    """Whether a process has the lock; what one that is no more left behind is taken away."""
    place = _beside(real, "lock")
    if not place.exists():
        return False
    held = FileLock(place, timeout=0)
    try:
        held.acquire()
    except Timeout:
        return True
    except OSError:
        return False  # on a medium that cannot be written nobody writes
    _forget(real)
    release_lock(held)
    return False


def _forget(real: Path) -> None:
    for kind in ("writer", "stop"):
        with suppress(OSError):
            _beside(real, kind).unlink(missing_ok=True)


def _beside(real: Path, kind: str) -> Path:
    return real.with_name(f".{real.name}.{kind}")
