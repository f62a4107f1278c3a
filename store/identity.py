"""The sha256 of files, each read once: remembered by what the file system says of a file, in a cache of the user.

An identity is device, inode, size, time of change (mtime) and time of change of the entry (ctime, which nobody can
set back), times in nanoseconds. It is remembered only when it is older than any clock of a file system is coarse: a
file that changes within the tick in which it was written keeps its times, and would pass for the one that was hashed.
How old it is the file system says itself (a file of ours is touched before the hashed one is read), never the clock
of this process; a file from the future is read each time.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from store import places
from store.cache import Cache, file_of
from store.errors import BadInput, DamagedData, NotFound
from store.files import plain_file, regular, unreadable

AnyPath = TypeVar("AnyPath", str, Path)
Progress = Callable[[int, int], object]

GRANULARITY = 2_000_000_000
"""Nanoseconds after which a change shows in the times of a file: FAT counts in steps of two seconds, others in finer
ones."""
_SHA256 = re.compile(rb"[0-9a-f]{64}")
_LIMIT = 4 << 20
"""Bytes of the cache: some ten thousand files."""
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a file is: its identity, and the sha256 of its bytes in hex."""

    identity: str
    sha256: str


def sha256(path: Path | str, progress: Progress | None = None) -> str:
    """The sha256 of a file; see `fingerprints`."""
    return fingerprints([str(path)], progress=progress)[str(path)].sha256


def fingerprints(
    paths: Iterable[AnyPath], *, again: bool = False, progress: Progress | None = None
) -> dict[AnyPath, Fingerprint]:
    """What files are, in the order asked for; only those are read whose identity has not been seen.

    again: read every one, whatever is remembered; progress: is called with the bytes read of a file, and in all.

    Raises:
        NotFound: a file is not there.
        BadInput: it is no regular file, cannot be read, or changes while it is read.
    """
    asked = list(paths)
    seen = {path: identity(path) for path in asked}
    with Cache(file_of("hashes"), _LIMIT) as cache:
        known = {} if again else {path: cache.get(one) for path, one in seen.items()}
        found = {
            path: Fingerprint(seen[path], digest.decode())
            for path, digest in known.items()
            if digest and _SHA256.fullmatch(digest)
        }
        at = now()
        read = {path: _read(path, progress) for path in asked if path not in found}
        found |= {path: fingerprint for path, (fingerprint, _) in read.items()}
        fresh = [fingerprint for fingerprint, changed in read.values() if changed + GRANULARITY <= at]
        cache.put({fingerprint.identity: fingerprint.sha256.encode() for fingerprint in fresh})
    return {path: found[path] for path in asked}


@contextmanager
def unchanged(path: Path, fingerprint: Fingerprint) -> Iterator[None]:
    """A file is opened inside the block: it must still be the one that was hashed when the block ends.

    Raises:
        Damaged: it is another one.
    """
    yield
    with suppress(NotFound, BadInput):
        if identity(path) == fingerprint.identity:
            return
    raise DamagedData(f"{path} changed while it was opened", "Try again when nobody writes it.")


def identity(path: Path | str) -> str:
    """What the file system says of a regular file; `NotFound` or `BadInput` where there is none."""
    try:
        return of(regular(path, os.stat(path)))
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def read_all(path: Path | str) -> str:
    """The sha256 of a file that is read now, whatever is remembered; errors as in `fingerprints`."""
    return _read(path)[0].sha256


def _read(path: Path | str, progress: Progress | None = None) -> tuple[Fingerprint, int]:
    """A file, hashed through the descriptor that says what it is, and the latest of its times."""
    with plain_file(path) as (stream, before):
        running, left = hashlib.sha256(), before.st_size
        while piece := stream.read(min(_PIECE, left + 1)):
            running.update(piece)
            left -= len(piece)
            if left < 0:
                break
            if progress is not None:
                progress(before.st_size - left, before.st_size)
        after = os.fstat(stream.fileno())
    if left or of(before) != of(after):
        raise BadInput(f"{path} changed while it was read", "Try again when nobody writes it.")
    return Fingerprint(of(after), running.hexdigest()), max(after.st_mtime_ns, after.st_ctime_ns)


def of(found: os.stat_result) -> str:
    """The identity of a file that was looked at."""
    return f"{found.st_dev}-{found.st_ino}-{found.st_size}-{found.st_mtime_ns}-{found.st_ctime_ns}"


def now() -> int:
    """The time of the file system in nanoseconds; 0, when everything is new, where the cache cannot be written."""
    clock = places.cache() / "clock"
    try:
        clock.parent.mkdir(parents=True, exist_ok=True)
        clock.touch()
        return clock.stat().st_mtime_ns
    except OSError:
        return 0
