"""How packs come to their places and leave them: after a kill between any two steps there is the old pack or the new
one.

Beside the packs of a folder may lie, all with names that begin with a dot:
    .building-NAME-x        a pack that is being built, and `.building-NAME-x.lock`, held while its builder lives
    .replaced-NAME-x/pack   the pack whose place a new one is taking; it comes back where the place stayed empty
    .removed-NAME-x         a pack on its way out
    .lock                   held by whoever moves something
Whether somebody is still at work is asked of the locks, which end with their process, never of a clock.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from store.errors import StoreError
from store.files import fsync_folder, release_lock

MANIFEST = "manifest.json"
"""The last file of a pack to be written."""

_BUILDING, _REPLACED, _REMOVED = ".building-", ".replaced-", ".removed-"
_PATIENCE = 60.0
"""Seconds to wait for somebody who moves a pack; a move is a few renames."""


class StagingFolder:
    """A folder beside its destination in which a pack is built; whatever is not moved in goes with `clear`."""

    def __init__(self, destination: Path) -> None:
        parent = destination.parent
        parent.mkdir(parents=True, exist_ok=True)
        self.destination = destination
        with _locked(parent):
            _clean(parent)
            self.folder = Path(tempfile.mkdtemp(prefix=f"{_BUILDING}{destination.name}-", dir=parent))
            self._lock = FileLock(_lock_of(self.folder), timeout=0, thread_local=False)
            self._lock.acquire()

    def commit(self) -> None:
        """Put what was built in its place; a pack that stands there is kept until then.

        Raises:
            OSError: it cannot be moved; everything is as before.
        """
        destination, parent = self.destination, self.destination.parent
        for path in [*self.folder.rglob("*"), self.folder]:
            fsync_folder(path) if path.is_dir() else _sync(path)
        with _locked(parent):
            _complete(destination)
            try:
                if destination.exists():
                    aside = Path(tempfile.mkdtemp(prefix=f"{_REPLACED}{destination.name}-", dir=parent))
                    destination.rename(aside / "pack")
                self.folder.rename(destination)
                fsync_folder(parent)
            finally:
                _complete(destination)
        self.clear()

    def clear(self) -> None:
        """Remove what is left; doing so twice is harmless."""
        shutil.rmtree(self.folder, ignore_errors=True)
        _release(self._lock)


def remove(destination: Path) -> None:
    """Remove a pack at once, the bytes of it afterwards.

    Raises:
        OSError: it cannot be moved.
    """
    with _locked(destination.parent):
        _clean(destination.parent)
        gone = Path(tempfile.mkdtemp(prefix=f"{_REMOVED}{destination.name}-", dir=destination.parent))
        destination.rename(gone / "pack")
    shutil.rmtree(gone, ignore_errors=True)


def recover(destination: Path) -> bool:
    """Whether a pack may stand there now that did not before: one that a killed process was replacing comes back.

    Waits for a process that is replacing it at this moment.
    """
    parent = destination.parent
    try:
        if any(name == destination.name for name, _ in _replaced(parent)):
            with _locked(parent):
                _complete(destination)
    except OSError:
        return False  # nothing can be moved here
    return destination.is_dir()


def recover_all(parent: Path) -> None:
    """`recover` for every pack of a folder that was being replaced."""
    for name in {name for name, _ in _replaced(parent)}:
        recover(parent / name)


@contextmanager
def _locked(parent: Path) -> Iterator[None]:
    """Nobody else moves packs in this folder."""
    lock = FileLock(parent / ".lock", timeout=_PATIENCE)
    try:
        lock.acquire()
    except Timeout:
        raise StoreError(f"Another process is moving packs in {parent}", "Wait for it, or stop it.") from None
    try:
        yield
    finally:
        _release(lock)


def _release(lock: FileLock) -> None:
    if lock.is_locked:
        release_lock(lock)


def _lock_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.lock")


def _replaced(parent: Path) -> list[tuple[str, Path]]:
    """Packs that were being replaced: the name of each, and the folder it lies in."""
    names = sorted(name for name in os.listdir(parent) if name.startswith(_REPLACED)) if parent.is_dir() else []
    return [(name.removeprefix(_REPLACED).rpartition("-")[0], parent / name) for name in names]


def _complete(destination: Path) -> None:
    """Bring a replacing that was cut short to its end, back or forward."""
    for name, aside in _replaced(destination.parent):
        if name != destination.name:
            continue
        if not os.path.lexists(destination) and (aside / "pack" / MANIFEST).is_file():
            (aside / "pack").rename(destination)
        if (destination / MANIFEST).is_file() or not (aside / "pack" / MANIFEST).is_file():
            (aside / "pack" / MANIFEST).unlink(missing_ok=True)  # without it nothing of the folder comes back
            shutil.rmtree(aside, ignore_errors=True)


def _sync(path: Path) -> None:
    with path.open("rb+" if os.name == "nt" else "rb") as stream:
        os.fsync(stream.fileno())


def _clean(parent: Path) -> None:
    """What killed processes left behind."""
    for name in {name for name, _ in _replaced(parent)}:
        _complete(parent / name)
    for folder in parent.glob(f"{_REMOVED}*"):
        shutil.rmtree(folder, ignore_errors=True)
    for folder in {entry.with_name(entry.name.removesuffix(".lock")) for entry in parent.glob(f"{_BUILDING}*")}:
        lock = FileLock(_lock_of(folder), timeout=0)
        with suppress(OSError):
            lock.acquire()
            shutil.rmtree(folder, ignore_errors=True)
            _release(lock)
