"""Files that somebody names: read only where they are plain ones of a stated size, written whole or not at all.

An error names the file and what to do. Whoever opens a pipe waits for whoever writes it, and a device never ends, so
what is to be read is opened without waiting and looked at first. What is written is made beside its place under a
hidden name and moved in when all of it is on disk. A failure or a kill leaves what was there before; what a killed
process left behind is swept at the next write to the same place. Sizes are in bytes.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from filelock import FileLock

from store.errors import BadInput, NotFound, StoreError

SUFFIX = ".part"
BY_HAND = 1_000_000
"""Bytes of the largest file that is read as one that a person wrote: settings, suites, lists of forms."""
DEPTH = 100
"""Levels of lists and objects in a record; our own are cut at 50."""
LARGEST = 1e300
"""Numbers of a record lie below this, in either direction: their sums and shares are still numbers."""
_NO_NUMBER = "it holds a number that is none, or too large"
_HINTS: dict[int, str] = {
    errno.ENOSPC: "Free some space, or name a file on another disk.",
    errno.EDQUOT: "Free some space, or name a file on another disk.",
    errno.EFBIG: "Free some space, or name a file on another disk.",
    errno.EACCES: "Name a file in a folder that you may write to.",
    errno.EPERM: "Name a file in a folder that you may write to.",
    errno.EROFS: "Name a file in a folder that you may write to.",
    errno.ENAMETOOLONG: "Give it a shorter name.",
    errno.EISDIR: "Name a file, not a folder.",
    errno.ENOTDIR: "A part of the path is a file; name another folder.",
    errno.ENOENT: "Make its folder first, or name another.",
    errno.EEXIST: "Name another file, or move it away.",
}
_UNHELPED = "Name another file."
_OPENING = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)


@contextmanager
def plain_file(path: Path | str) -> Iterator[tuple[IO[bytes], os.stat_result]]:
    """A regular file, opened to be read without a buffer, and what the file system says of it.

    Raises:
        NotFound: it is not there.
        BadInput: it is no regular file, or cannot be read.
    """
    try:
        regular(path, os.stat(path))
        with open(os.open(path, _OPENING), "rb", buffering=0) as stream:
            yield stream, regular(path, os.fstat(stream.fileno()))
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def read_whole(path: Path | str, most: int) -> bytes:
    """All bytes of a regular file of at most `most` bytes; `NotFound` or `BadInput` as in `plain_file`."""
    with plain_file(path) as (stream, found):
        data = stream.read(most + 1) if found.st_size <= most else b""
    if found.st_size > most or len(data) > most:
        raise BadInput(f"{path} is larger than {most:,} bytes", "Is it the file that you mean?")
    return data


def read_text(path: Path | str, most: int = BY_HAND) -> str:
    """The same as text (`text_of`)."""
    return text_of(path, read_whole(path, most))


def text_of(path: Path | str, data: bytes) -> str:
    """The bytes of a file as UTF-8, with or without a mark at its beginning; `BadInput` names it where they are
    none."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not UTF-8", "Save it as UTF-8.") from None


def toml_of(path: Path | str, text: str) -> dict[str, Any]:
    """What a file in TOML says; `path` names it in the `BadInput` for a text that is none."""
    try:
        return _load_toml(text)
    except ValueError as error:
        raise BadInput(f"{path} is no TOML: {error}", "Correct it there.") from None


def _load_toml(text: str) -> dict[str, Any]:
    """The table of a TOML text.

    Raises:
        ValueError: it is no TOML, is nested too deeply, or holds a number that is none.
    """
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"it is nested deeper than {DEPTH} levels") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # more digits than Python reads
        raise ValueError(_NO_NUMBER) from None
    check_record(table)
    return table


def check_record(value: object) -> None:
    """Raise ValueError when a value breaks a bound."""
    level: list[object] = [value]
    for depth in range(DEPTH + 1):
        inner: list[object] = []
        for item in level:
            if depth == DEPTH and isinstance(item, dict | list):
                raise ValueError(f"it is nested deeper than {DEPTH} levels")
            if isinstance(item, dict):
                inner += item.values()
            elif isinstance(item, list):
                inner += item
            elif isinstance(item, int | float) and not -LARGEST < item < LARGEST:
                raise ValueError(_NO_NUMBER)
        level = inner


def regular(path: Path | str, found: os.stat_result) -> os.stat_result:
    """The same; anything else than a regular file could make whoever reads it wait, or read without end."""
    if not stat.S_ISREG(found.st_mode):
        raise BadInput(f"{path} is no regular file", "Give a file.")
    return found


def unreadable(path: Path | str, error: Exception) -> NotFound | BadInput:
    """What a failed read is called."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return NotFound(f"There is no file {path}")
    return BadInput(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}")


def real_path(path: Path) -> Path:
    """Where a path leads through links; a loop of links leads to itself (`Path.resolve` breaks on one)."""
    return Path(os.path.realpath(path))


def cannot_write(path: Path, error: OSError) -> StoreError:
    """What a failed write is called: the file, the reason, and what to do about it."""
    why = error.strerror or str(error) or type(error).__name__
    return StoreError(f"cannot write {path}: {why}", _HINTS.get(error.errno or 0, _UNHELPED))


def release_lock(lock: FileLock) -> None:
    """Let go of a lock together with its file; whoever waits for the file that is gone looks for a new one."""
    with suppress(OSError):  # Windows keeps a file that is open
        os.unlink(lock.lock_file)
    lock.release()


@contextmanager
def written_whole(
    path: Path,
    *,
    new: bool = False,
    parents: bool = False,
    binary: bool = False,
    private: bool = False,
    beside: bool = False,
) -> Iterator[IO[Any]]:
    """A file to fill, as UTF-8 with newlines as they are given, or in bytes; it takes its place when all of it is
    written.

    A link is followed; what is no plain file (a pipe, /dev/stdout) is written to as it is.

    Args:
        path: where it belongs.
        new: refuse a path at which there is something already, also something that came there meanwhile.
        parents: make the folders above it.
        binary: bytes, not text.
        private: only its owner can read it, from the first byte.
        beside: nobody gave this name, it was made of that of a file, which may be a stranger's: what is no plain
            file, a link among them, is refused.

    Raises:
        StoreError: it cannot be written; the title names `path`. Errors of other files pass through as they are.
    """
    place = _place(path, new, parents, beside)
    if place is None:
        with naming(path), _opened(path, "w", binary) as stream:
            yield stream
        return
    fresh = place.with_name(f"{_prefix(place)}{os.getpid()}-{threading.get_ident()}{SUFFIX}")
    try:
        with naming(path, fresh):
            _sweep(place)
            with _opened(fresh, "w", binary, private) as file:
                if place.exists() and not private:  # whoever kept the old one to himself does not show the new one
                    with suppress(OSError):
                        os.chmod(fresh, stat.S_IMODE(place.stat().st_mode))
                yield file
                file.flush()
                os.fsync(file.fileno())
            _move(fresh, place, new)
            fsync_folder(place.parent)
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)


def _place(path: Path, new: bool, parents: bool, beside: bool) -> Path | None:
    """Where the file really goes; None for what can only be written to as it is."""
    with naming(path):
        if parents:
            path.parent.mkdir(parents=True, exist_ok=True)
        try:
            found = path.lstat()
        except FileNotFoundError:
            return path
        if beside and not stat.S_ISREG(found.st_mode):
            raise StoreError(f"cannot write {path}: what lies there is no plain file", "Move it away first.")
        if new:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        real = real_path(path)
        return real if real.is_file() or not real.exists() else None


@contextmanager
def naming(path: Path, *also: Path) -> Iterator[None]:
    """Errors of this file name it; those of others, and a reader who went away, are none of its business."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is not None and str(error.filename) not in {str(one) for one in (path, path.parent, *also)}:
            raise
        raise cannot_write(path, error) from error


def _opened(path: Path, mode: str, binary: bool, private: bool = False) -> IO[Any]:
    def opener(name: str, flags: int) -> int:
        return os.open(name, flags, 0o600 if private else 0o666)

    if binary:
        return open(path, f"{mode}b", opener=opener)
    return open(path, mode, encoding="utf-8", errors="replace", newline="", opener=opener)


def _prefix(place: Path) -> str:
    """Short however long the name is, and the same for every writer of one place."""
    return f".{hashlib.sha256(os.fsencode(place.name)).hexdigest()[:16]}."


def _sweep(place: Path) -> None:
    """Take away what writers of this place left behind that are no more."""
    for left in place.parent.glob(f"{_prefix(place)}*{SUFFIX}"):
        number = left.name[len(_prefix(place)) : -len(SUFFIX)].partition("-")[0]
        if number.isdigit() and not is_running(int(number)):
            with suppress(OSError):
                left.unlink()


def is_running(number: int) -> bool:
    """Whether a process of this machine has this number; on Windows always, as far as can be told without harm."""
    if number == os.getpid() or os.name == "nt":
        return os.name != "nt"  # there an open file cannot be taken away, so that trying does no harm
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _move(fresh: Path, place: Path, new: bool) -> None:
    if new:
        try:
            os.link(fresh, place)
        except FileExistsError as error:
            raise FileExistsError(error.errno, error.strerror, str(place)) from None
        except OSError:
            pass  # a disk without hard links: looked at before, moved now
        else:
            return
        if place.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place))
    os.replace(fresh, place)


def fsync_folder(folder: Path) -> None:
    """Have the new name on disk too, where folders can be asked for that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
