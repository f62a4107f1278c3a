"""Caches: shared, bounded, and never the reason why anything else fails."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from store.cache import LONGEST, Cache
from store.errors import BadInput, DamagedData

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
