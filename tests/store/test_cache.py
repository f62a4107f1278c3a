"""Caches: shared, bounded, and never the reason why anything else fails; the sha256 of a file, read once an identity
and never trusted when it could be stale."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from store import identity
from store.cache import LONGEST, Cache, file_of
from store.errors import BadInput, DamagedData, NotFound

CHILDREN = multiprocessing.get_context("fork" if hasattr(os, "fork") else "spawn")


def key(n: int) -> bytes:
    return n.to_bytes(32, "big")


def test_what_is_kept_is_found_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "replies.db"
    with Cache(path) as cache:
        cache.put({key(1): "甲".encode()})
        cache.put({key(1): "乙".encode()})
        cache.put({key(2): b"x" * (LONGEST + 1)})
        assert cache.get(key(1)) == "乙".encode() and cache.get(key(2)) is None and cache.size()[0] == 1
        cache.put({"a": b"1", "b": b"2"})
        cache.remove(["a", "c"])
    with Cache(path) as cache:
        assert cache.all() == {key(1): "乙".encode(), "b": b"2"}
        cache.clear()
        assert cache.get(key(1)) is None and cache.size()[0] == 0 and not cache.troubles
    assert cache.get(key(1)) is None, "closed, it is empty"


def test_a_file_of_another_version_is_emptied(tmp_path: Path) -> None:
    path = tmp_path / "r.db"
    with Cache(path) as cache:
        cache.put({"a": b"1"})
    with Cache(path, version=2) as cache:
        assert cache.all() == {} and not cache.troubles
        cache.put({"b": b"2"})
    with Cache(path, version=2) as cache:
        assert cache.all() == {"b": b"2"}


def test_the_oldest_go_where_there_is_no_room(tmp_path: Path) -> None:
    limit = 200_000
    with Cache(tmp_path / "r.db", limit) as cache:
        for n in range(200):
            cache.put({key(n): bytes([n]) * 5000})
            assert cache.size()[1] <= limit
        assert cache.get(key(0)) is None and cache.get(key(199)) == bytes([199]) * 5000
        kept = [n for n in range(200) if cache.get(key(n)) is not None]
        assert len(kept) > 20 and kept == list(range(kept[0], 200)) and not cache.troubles
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 4 * limit


def _write(path: Path, start: int, many: int) -> None:
    with Cache(path) as cache:
        for n in range(start, start + many):
            cache.put({key(n): str(n).encode()})
        assert not cache.troubles


def test_two_runs_share_it(tmp_path: Path) -> None:
    path = tmp_path / "r.db"
    Cache(path).close()
    other = CHILDREN.Process(target=_write, args=(path, 0, 150))
    other.start()
    _write(path, 100, 150)
    other.join()
    assert other.exitcode == 0
    with Cache(path) as cache:
        assert [cache.get(key(n)) for n in range(250)] == [str(n).encode() for n in range(250)]
        assert not cache.troubles


def _write_for_ever(path: Path) -> None:
    with Cache(path) as cache:
        for n in range(10**9):
            cache.put({key(n): str(n).encode() * 100})


def test_whoever_is_killed_leaves_a_file_that_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "r.db"
    Cache(path).close()
    writer = CHILDREN.Process(target=_write_for_ever, args=(path,))
    writer.start()
    with Cache(path) as reader:
        while reader.get(key(50)) is None:
            assert writer.is_alive()
        writer.kill()
        writer.join()
        seen = reader.size()[0]
    with Cache(path) as cache:
        assert cache.size()[0] == seen > 50 and not cache.troubles
        assert all(cache.get(key(n)) == str(n).encode() * 100 for n in range(seen))


def _text(path: Path) -> None:
    path.write_text("no database at all, whatever its name says " * 100, encoding="utf-8")


def _other_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE texts (something TEXT)")
        database.commit()


def _zeroed(path: Path) -> None:
    with Cache(path) as cache:
        for n in range(300):
            cache.put({key(n): bytes([n % 256]) * 500})
    raw = path.read_bytes()
    path.write_bytes(raw[:4096] + bytes(len(raw) - 4096))


def _no_text_in_its_schema(path: Path) -> None:
    with Cache(path) as cache:
        cache.put({key(1): b"old"})
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE texts", b"CREATE TAB\xff\xfe texts"))


@pytest.mark.parametrize("spoil", [_text, _other_table, _zeroed, _no_text_in_its_schema])
def test_a_damaged_file_is_thrown_away_and_said(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    path = tmp_path / "r.db"
    spoil(path)
    with Cache(path) as cache:
        assert cache.get(key(1)) is None
        cache.put({key(1): b"new"})
        assert cache.get(key(1)) == b"new"
        (trouble,) = cache.troubles
        assert isinstance(trouble, DamagedData) and str(path) in trouble.title
    with Cache(path) as cache:
        assert cache.get(key(1)) == b"new" and not cache.troubles
    assert [file.name for file in tmp_path.iterdir()] == ["r.db"]


def test_a_place_that_cannot_be_used_is_said_and_left(tmp_path: Path) -> None:
    (tmp_path / "r.db").mkdir()
    (tmp_path / "file").write_bytes(b"")
    for path in (tmp_path / "r.db", tmp_path / "file" / "r.db"):
        with Cache(path) as cache:
            cache.put({key(1): b"a"})
            assert cache.get(key(1)) is None and cache.size() == (0, 0)
            cache.clear()
            (trouble,) = cache.troubles
            assert isinstance(trouble, BadInput) and "cannot be used" in trouble.title


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
