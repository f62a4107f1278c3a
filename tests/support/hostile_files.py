"""Kinds of hostile run files below SQL: what stands in the place of the file, its name, its pages, and what lies
beside it."""

from __future__ import annotations

import gzip
import os
import shutil
import sqlite3
from pathlib import Path

from store.journal import SUFFIX
from store.run_file import APPLICATION_ID
from tests.support.hostile_content import Misfit, edit
from tests.support.hostile_runs import Case
from tests.support.sqlite_pages import look


def _bytes(case: Case, *names: str) -> bytearray:
    return bytearray(case.pick(*names).path.read_bytes())


# in the place of the file


def file_empty(case: Case) -> None:
    case.pick()
    case.path.write_bytes(b"\0" * case.turn([0, 1, 16, 99, 100, 512, 4096]))


def file_text(case: Case) -> None:
    case.pick()
    texts = [
        b"hello\n", b"SQLite format 3\0", b"SQLite format 3\0" + b"A" * 84, b"\xff\xfe" * 200, b'{"run": 1}\n' * 500,
        b"SQLite format 3\0" + bytes(52) + APPLICATION_ID.to_bytes(4) + bytes(4096), b"\x1b]0;owned\x07" * 100,
    ]  # fmt: skip
    case.path.write_bytes(case.turn(texts))


def file_compressed(case: Case) -> None:
    case.path.write_bytes(gzip.compress(bytes(_bytes(case))))


def file_truncated(case: Case) -> None:
    data = _bytes(case)
    case.path.write_bytes(
        data[: case.turn([100, 101, 1024, 4095, 4096, 4097, len(data) // 2, len(data) - 4096, len(data) - 1])]
    )


def file_appended(case: Case) -> None:
    case.path.write_bytes(_bytes(case) + case.rng.randbytes(case.turn([1, 100, 4096, 100_000])))


def file_sparse(case: Case) -> None:
    """Real pages with a gigabyte of holes behind them."""
    case.path.write_bytes(_bytes(case))
    with case.path.open("r+b") as file:
        file.truncate(1 << 30)


def file_folder(case: Case) -> None:
    base = case.pick()
    case.path.mkdir()
    if case.number % 2:
        shutil.copyfile(base.path, case.path / base.path.name)


def file_pipe(case: Case) -> None:
    case.pick()
    os.mkfifo(case.path)


def link_dangling(case: Case) -> None:
    case.pick()
    case.path.symlink_to(case.turn([Path("nothing.moot"), case.bait / "nothing", Path("/proc/self/fd/97")]))


def link_loop(case: Case) -> None:
    case.pick()
    case.path.symlink_to(case.path.name if case.number % 2 else case.bait / "loop")


def link_elsewhere(case: Case) -> None:
    case.pick()
    case.path.symlink_to(
        case.turn(
            [
                Path("/dev/zero"),
                Path("/dev/full"),
                Path("/dev/null"),
                case.bait / "pipe",
                case.bait / "folder",
                case.bait / "huge.jsonl",
                Path("/proc/self/mem"),
                Path("/proc/self/environ"),
            ]
        )
    )


def link_to_run(case: Case) -> None:
    case.path.symlink_to(case.pick().path.absolute())


def link_hard(case: Case) -> None:
    """Two names for one file, both in the folder of runs."""
    case.copy()
    os.link(case.path, case.path.with_name(f"twin{SUFFIX}"))


def file_unreadable(case: Case) -> None:
    if os.geteuid() == 0:
        raise Misfit
    case.copy()
    case.path.chmod(0)


def file_name(case: Case) -> None:
    name = os.fsdecode(case.turn(NAMES)) + SUFFIX
    case.copy()
    case.path = case.path.rename(case.path.with_name(name))


NAMES: tuple[bytes | str, ...] = (
    "\x1b]0;owned\x07", "a\nb", "a\rb", "tab\there", "\u202emoot", "😀🇨🇳👨‍👩‍👧", "案" * 83, "-x", "--help",
    "'; DROP TABLE runs --",
    "%s%n{0}{name}", "[bold red]x[/]", b"\xff\xfe\x80", " ", "a b  c", "..", "a?mode=rw&immutable=1#f", "%41%00%2f",
    "\x7f\x01\x02",
    "x" * 249, "file:x", "CON", "~", "$HOME", "e\u0301" * 60, "\x9b31m",
)  # fmt: skip


# SQLite's pages


def page_bits(case: Case) -> None:
    data = _bytes(case)
    for _ in range(case.turn([1, 2, 5, 20, 100, 1000])):
        data[case.rng.randrange(100, len(data))] ^= 1 << case.rng.randrange(8)
    case.path.write_bytes(data)


def page_noise(case: Case) -> None:
    data = _bytes(case)
    page = case.rng.randrange(len(data) // 4096)
    start = max(100, page * 4096)
    fill = case.turn([b"\0", b"\xff", b"\x0d", b"random"])
    length = page * 4096 + 4096 - start
    data[start : start + length] = case.rng.randbytes(length) if fill == b"random" else fill * length
    case.path.write_bytes(data)


def page_swapped(case: Case) -> None:
    data = _bytes(case)
    one, other = case.rng.sample(range(1, len(data) // 4096), 2)
    a, b = slice(one * 4096, one * 4096 + 4096), slice(other * 4096, other * 4096 + 4096)
    data[a], data[b] = data[b], data[a]
    case.path.write_bytes(data)


def page_tree_cycle(case: Case) -> None:
    """The root of one table is that of another, or of itself from below."""
    base = case.pick()
    data, pages = bytearray(base.path.read_bytes()), look(base.path)
    page = case.rng.choice(sorted(pages.roots.values()))
    head = (page - 1) * 4096
    kind = case.turn([0x05, 0x02])
    pointed = case.turn([page, 1, page, 0x7FFFFFFF, 0])
    data[head : head + 12] = (
        bytes([kind]) + b"\0\0" + (1).to_bytes(2) + (4000).to_bytes(2) + b"\0" + pointed.to_bytes(4)
    )
    data[head + 12 : head + 14] = (4000).to_bytes(2)
    data[head + 4000 : head + 4004] = page.to_bytes(4)
    case.path.write_bytes(data)


def page_overflow(case: Case) -> None:
    """Overflow pages that turn in a circle, are shared, or lead out of the file."""
    base = case.pick("trial", "half_trial", "law", "model", "graded", "rules")
    data, pages = bytearray(base.path.read_bytes()), look(base.path)
    chains = [chain for chain in pages.chains if chain]
    if not chains:
        raise Misfit
    chain = case.rng.choice(chains)
    target = case.turn([chain[0], chains[0][0], 1, 0x7FFFFFFF, 0, chain[-1]])
    for page in chain if case.number % 2 else chain[-1:]:
        data[pages.start(page) : pages.start(page) + 4] = target.to_bytes(4)
    case.path.write_bytes(data)


def page_lengths(case: Case) -> None:
    """A row that claims gigabytes."""
    base = case.pick()
    data, pages = bytearray(base.path.read_bytes()), look(base.path)
    name = case.rng.choice(sorted(pages.rows))
    at, length = case.rng.choice(pages.rows[name])
    claimed = case.turn(
        [b"\xff" * 8 + b"\xff", b"\x88\x80\x80\x80\x00", b"\x87\xff\xff\xff\x7f", b"\x8f\xff\xff\xff\x7e"]
    )
    spot = max(100, at - case.turn([2, 3, 4])) if case.number % 2 else at + min(1, length - 1)
    data[spot : spot + len(claimed)] = claimed
    case.path.write_bytes(data)


FIELDS = (
    (16, 2, (0, 1, 512, 513, 1024, 32768, 65535)), (18, 1, (0, 1, 2, 3, 255)), (19, 1, (0, 2, 3, 255)),
    (20, 1, (1, 32, 128, 255)), (21, 1, (0, 65, 255)),
    (24, 4, (0, 0xFFFFFFFF)), (28, 4, (0, 1, 0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF)), (32, 4, (1, 2, 0x7FFFFFFF)),
    (36, 4, (1, 0xFFFFFFFF)),
    (40, 4, (0, 0xFFFFFFFF)), (44, 4, (0, 1, 5, 255)), (48, 4, (0x7FFFFFFF, 0xFFFFFFFF)), (52, 4, (1, 3, 0x7FFFFFFF)),
    (56, 4, (0, 2, 3, 4, 255)),
    (60, 4, (0, 2, 3, 99, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)), (64, 4, (1, 255)), (68, 4, (0, 1, 0xFFFFFFFF)),
    (92, 4, (0, 0xFFFFFFFF)), (96, 4, (0, 0xFFFFFFFF)),
)  # fmt: skip
"""Offset, width and odd values of the fields of SQLite's header: sizes, versions, counts, freelist, encoding, user
version."""


def sqlite_header(case: Case) -> None:
    data = _bytes(case)
    at, width, value = case.turn([(at, width, value) for at, width, values in FIELDS for value in values])
    data[at : at + width] = value.to_bytes(width)
    case.path.write_bytes(data)


def user_version(case: Case) -> None:
    case.copy()
    database = sqlite3.connect(case.path)
    database.execute(f"PRAGMA user_version={case.turn([0, 2, 3, 99, -1, 2147483647, -2147483648])}")
    database.close()


def application_id(case: Case) -> None:
    case.copy()
    database = sqlite3.connect(case.path)
    database.execute(f"PRAGMA application_id={case.turn([0, 1, -1, APPLICATION_ID + 1])}")
    database.close()


def encoding_wide(case: Case) -> None:
    base = case.pick()
    source = sqlite3.connect(base.path)
    target = sqlite3.connect(case.path, isolation_level=None)
    target.execute(f"PRAGMA encoding='{case.turn(['UTF-16le', 'UTF-16be'])}'")
    target.execute(f"PRAGMA application_id={APPLICATION_ID}")
    for statement in source.iterdump():
        target.execute(statement)
    target.execute(f"PRAGMA user_version={source.execute('PRAGMA user_version').fetchone()[0]}")
    source.close()
    target.close()


def page_size(case: Case) -> None:
    case.copy()
    edit(
        case.path,
        f"PRAGMA page_size={case.turn([512, 1024, 32768, 65536])}",
        f"PRAGMA auto_vacuum={case.rng.randrange(3)}",
        "VACUUM",
    )


def text_not_unicode(case: Case) -> None:
    """Bytes that are no UTF-8 in text columns."""
    case.copy()
    table, column = case.turn(
        [
            ("header", "value"),
            ("header", "key"),
            ("episodes", "id"),
            ("episodes", "task_id"),
            ("attempts", "reason"),
            ("events", "tag"),
            ("events", "data"),
            ("scores", "scorer"),
            ("scores", "value"),
            ("scores", "author"),
        ]
    )
    edit(
        case.path,
        f"UPDATE {table} SET {column} = CAST(x'22ff80fe22' AS TEXT) WHERE rowid = (SELECT min(rowid) FROM {table})"
        if table != "events"
        else f"UPDATE events SET {column} = CAST(x'22ff80fe22' AS TEXT) WHERE seq = 0",
    )


# beside it


def _spare(case: Case) -> Path:
    """A finished log or journal of another file."""
    return case.path.with_name("other.tmp")


def log_foreign(case: Case) -> None:
    """The write-ahead log of another file lies beside the run."""
    case.copy()
    other = _spare(case)
    shutil.copyfile(case.pick().path, other)
    database = sqlite3.connect(other, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA wal_autocheckpoint=0")
    database.execute("CREATE TABLE intruder (x)")
    database.executemany("INSERT INTO intruder VALUES (?)", [("x" * 500,)] * 60)
    log = other.with_name(other.name + "-wal").read_bytes()
    database.close()
    for left in other.parent.glob(f"{other.name}*"):
        left.unlink()
    if case.number % 2:
        database = sqlite3.connect(case.path, isolation_level=None)
        database.execute("PRAGMA journal_mode=WAL")
        database.close()
    case.path.with_name(case.path.name + "-wal").write_bytes(log)


def log_noise(case: Case) -> None:
    case.copy()
    if case.number % 2:
        data = bytearray(case.path.read_bytes())
        data[18:20] = b"\2\2"
        case.path.write_bytes(data)
    beside = case.path.with_name(case.path.name + case.turn(["-wal", "-shm", "-journal"]))
    beside.write_bytes(
        case.turn(
            [
                b"",
                b"\x37\x7f\x06\x82" + bytes(28),
                b"noise" * 1000,
                b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"\xff" * 600,
            ]
        )
    )


def log_is_no_file(case: Case) -> None:
    """A folder, a pipe or a link where SQLite looks for its log."""
    case.copy()
    if case.number % 2:
        data = bytearray(case.path.read_bytes())
        data[18:20] = b"\2\2"
        case.path.write_bytes(data)
    beside = case.path.with_name(case.path.name + case.turn(["-wal", "-shm", "-journal"]))
    what = case.turn(["folder", "pipe", "zero", "loop"])
    if what == "folder":
        beside.mkdir()
    elif what == "pipe":
        os.mkfifo(beside)
    else:
        beside.symlink_to("/dev/zero" if what == "zero" else case.bait / "loop")


def lock_is_no_file(case: Case) -> None:
    """Something else where the lock of a writer would be."""
    case.copy()
    lock = case.path.with_name(f".{case.path.name}.lock")
    what = case.turn(["folder", "pipe", "victim"])
    if what == "folder":
        lock.mkdir()
    elif what == "pipe":
        os.mkfifo(lock)
    else:
        lock.symlink_to(case.bait / "empty.jsonl")


def journal_hot(case: Case) -> None:
    """A rollback journal beside the file that turns its rows back, or into others, when somebody opens it."""
    case.copy()
    database = sqlite3.connect(case.path, isolation_level=None)
    for pragma in ("journal_mode=DELETE", "synchronous=OFF", "cache_size=1", "cache_spill=1"):
        database.execute(f"PRAGMA {pragma}")
    database.execute("BEGIN IMMEDIATE")
    database.execute("CREATE TABLE filler (x)")
    database.executemany("INSERT INTO filler VALUES (?)", [("x" * 900,)] * 400)
    database.execute("DROP INDEX scores_of_attempt")
    database.execute("PRAGMA user_version=77")
    data = case.path.read_bytes()
    journal = case.path.with_name(case.path.name + "-journal").read_bytes()
    database.execute("ROLLBACK")
    database.close()
    journal = journal[:8] + (b"\xff\xff\xff\xff" if case.number % 2 else journal[8:12]) + journal[12:]
    case.path.write_bytes(data)
    case.path.with_name(case.path.name + "-journal").write_bytes(journal)


KINDS = (
    file_empty, file_text, file_compressed, file_truncated, file_appended, file_sparse, file_folder, file_pipe,
    link_dangling, link_loop,
    link_elsewhere, link_to_run, link_hard, file_unreadable, file_name, page_bits, page_noise, page_swapped,
    page_tree_cycle, page_overflow,
    page_lengths, sqlite_header, user_version, application_id, encoding_wide, page_size, text_not_unicode,
    log_foreign, log_noise,
    log_is_no_file, lock_is_no_file, journal_hot,
)  # fmt: skip
LARGE = (file_sparse,)
