"""The sha256 of a file: read once an identity, never trusted when it could be stale, and no cache file can do
harm."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from store import identity
from store.cache import file_of
from store.errors import BadInput, NotFound


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that are really read, in order; nothing is remembered from before."""
    seen: list[str] = []
    read = identity._read

    def counted(path: Path | str, *progress: Any) -> tuple[identity.Fingerprint, int]:
        seen.append(Path(path).name)
        return read(path, *progress)

    monkeypatch.setattr(identity, "_read", counted)
    return seen


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that were written just now count as old."""
    monkeypatch.setattr(identity, "GRANULARITY", 0)


@pytest.mark.usefixtures("settled")
def test_a_file_is_read_once(tmp_path: Path, reads: list[str]) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"1")
    other.write_bytes(b"2")
    for _ in range(3):
        assert identity.sha256(one) == digest(b"1") and identity.sha256(other) == digest(b"2")
    assert reads == ["one", "other"]
    assert identity.fingerprints([one, other], again=True)[one].sha256 == digest(b"1") and len(reads) == 4
    one.write_bytes(b"12")
    assert list(identity.fingerprints([one, other])) == [one, other], "in the order asked for, whichever was read"
    assert identity.sha256(one) == digest(b"12") and reads[4:] == ["one"]


def test_a_file_that_was_just_written_is_read_again(tmp_path: Path, reads: list[str]) -> None:
    """Within one tick of the clock of the file system a change leaves all times as they are."""
    path = tmp_path / "one"
    path.write_bytes(b"0")
    for number in range(30):
        data = b"%d" % (number % 10)
        found = path.stat()
        path.write_bytes(data)
        os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))
        assert identity.sha256(path) == digest(data)
    assert len(reads) == 30


@pytest.mark.usefixtures("settled")
def test_a_time_that_was_set_back_is_seen(tmp_path: Path, reads: list[str]) -> None:
    path = tmp_path / "one"
    path.write_bytes(b"1")
    before = path.stat()
    assert identity.sha256(path) == digest(b"1")
    while path.stat().st_ctime_ns == before.st_ctime_ns:
        path.write_bytes(b"2")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_mtime_ns, after.st_size) == (before.st_mtime_ns, before.st_size)
    assert identity.sha256(path) == digest(b"2") and len(reads) == 2


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


BROKEN: dict[str, Callable[[Path], object]] = {
    "gone": Path.unlink,
    "half": lambda path: path.write_bytes(path.read_bytes()[:-40]),
    "bytes": lambda path: path.write_bytes(bytes(range(256)) * 40),
    "folder": _folder,
}


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_cache_counts_for_nothing(tmp_path: Path, reads: list[str], kind: str) -> None:
    path = tmp_path / "one"
    path.write_bytes(b"1")
    identity.sha256(path)
    BROKEN[kind](file_of("hashes"))
    for again in (2, 3 if kind == "folder" else 2):
        assert identity.sha256(path) == digest(b"1")
        assert len(reads) == again


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    for gone in (tmp_path / "nothing", tmp_path / "nothing" / "below"):
        with pytest.raises(NotFound):
            identity.sha256(gone)
    with pytest.raises(BadInput, match="no regular file"):
        identity.sha256(tmp_path)
    with pytest.raises(BadInput):
        identity.sha256("a\0b")
    if os.name != "nt":
        os.mkfifo(tmp_path / "pipe")
        for path in (tmp_path / "pipe", Path("/dev/zero")):
            with pytest.raises(BadInput, match="no regular file"):
                identity.read_all(path)
