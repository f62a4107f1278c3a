"""What lists and boards say of runs, remembered by what the file system says of each file, so that nobody opens one
that was looked at before.

A line counts only for the file whose identity it names (see `store.identity`), that of its log included; a file whose
times are too young to tell one state from the next is read again each time. Times are nanoseconds since the epoch.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Container, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from store import identity, places
from store.cache import Cache, file_of
from store.files import real_path
from store.journal import SUFFIX
from store.schema import storable

VERSION = 1
"""Of what lines and figures hold: raised when the same file would be described in another way, which throws away what
is remembered."""


@dataclass(frozen=True, slots=True)
class RunFile:
    """A run file as the folder shows it. changed: when its name was last written to; stable: whether its times tell
    this state from the next one; identity: '' where it cannot be looked at, or its name is no text, which no table
    can hold."""

    path: Path
    changed: int
    identity: str
    stable: bool


def run_files() -> list[RunFile]:
    """The run files of this machine, newest first; none is opened."""
    folder = places.runs()
    try:
        with os.scandir(folder) as entries:
            seen = {entry.name: entry for entry in entries}
    except OSError:
        return []
    now = identity.now()
    found = [_looked_at(folder, entry, seen, now) for name, entry in seen.items() if name.endswith(SUFFIX)]
    return sorted(found, key=lambda file: (-file.changed, file.path.name))


def run_file(path: Path) -> RunFile:
    """One run file as its folder shows it; it may be anywhere."""
    path = path.absolute()
    return _looked_at(path.parent, path, None, identity.now())


def _looked_at(folder: Path, entry: os.DirEntry[str] | Path, seen: Container[str] | None, now: int) -> RunFile:
    """seen: the names of the folder, None where nobody has listed it."""
    path = folder / entry.name
    try:
        own, meant = entry.stat(follow_symlinks=False), entry.stat()
        if not stat.S_ISREG(meant.st_mode) or not storable(str(path)):
            return RunFile(path, own.st_mtime_ns, "", False)
        found = [meant]
        log = real_path(path) if entry.is_symlink() else path
        log = log.with_name(f"{log.name}-wal")
        if seen is None or log.name in seen or log.parent != folder:
            with suppress(FileNotFoundError):
                found.append(log.stat())
    except OSError:
        return RunFile(path, 0, "", False)
    latest = max(max(one.st_mtime_ns, one.st_ctime_ns) for one in found)
    return RunFile(path, own.st_mtime_ns, " ".join(map(identity.of, found)), latest + identity.GRANULARITY <= now)


def remembered() -> dict[str, tuple[str, str]]:
    """Path -> identity and line, of all that is remembered."""
    with _cache("lines") as cache:
        return {path: _parted(text) for path, text in cache.all().items()}


def remember(fresh: Mapping[str, tuple[str, str]], gone: Collection[str]) -> None:
    """Keep new lines (path -> identity and line) and forget files that are gone; what cannot be kept is read
    again."""
    with _cache("lines") as lines, _cache("figures") as figures:
        lines.put({path: f"{then}\n{text}".encode() for path, (then, text) in fresh.items()})
        lines.remove(gone)
        figures.remove(gone)


def figures(file: RunFile) -> str | None:
    """What is remembered of the figures of a run file as it is."""
    if not file.identity:
        return None
    with _cache("figures") as cache:
        then, text = _parted(cache.get(str(file.path)) or b"")
    return text if then == file.identity else None


def remember_figures(file: RunFile, text: str) -> None:
    """Keep the figures of a run file that is stable; what cannot be kept is made again."""
    if file.stable and file.identity:
        with _cache("figures") as cache:
            cache.put({str(file.path): f"{file.identity}\n{text}".encode()})


def _cache(kind: str) -> Cache:
    return Cache(file_of(kind), version=VERSION)


def _parted(kept: bytes) -> tuple[str, str]:
    then, _, text = kept.decode("utf-8", "replace").partition("\n")
    return then, text
