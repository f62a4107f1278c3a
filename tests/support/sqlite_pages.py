"""Where the bytes of a SQLite file belong: to the rows of which table, to its schema, or to the trees that hold them.

A reader of the file format of our own, so that a test can damage a chosen row, tree or overflow page. Offsets in
bytes.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from pathlib import Path

HEADER = 100
LEAF_TABLE, LEAF_INDEX, INNER_TABLE, INNER_INDEX = 0x0D, 0x0A, 0x05, 0x02


@dataclass
class Pages:
    """The map of a file. `rows`: table or index -> (offset, length) of its payloads; `chains`: overflow pages of a
    cell."""

    size: int
    data: bytes
    rows: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    trees: list[tuple[int, int]] = field(default_factory=list)
    chains: list[list[int]] = field(default_factory=list)
    roots: dict[str, int] = field(default_factory=dict)

    def start(self, page: int) -> int:
        """Offset of a page; they count from 1."""
        return (page - 1) * self.size


def look(path: Path) -> Pages:
    """The map of a whole file without a log beside it."""
    data = path.read_bytes()
    size = int.from_bytes(data[16:18])
    pages = Pages(1 << 16 if size == 1 else size, data)
    database = sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)
    try:
        roots = database.execute("SELECT name, rootpage FROM sqlite_master WHERE rootpage > 0").fetchall()
    finally:
        database.close()
    pages.roots = dict(roots)
    for name, root in [("schema", 1), *roots]:
        _walk(pages, name, root)
    return pages


def _walk(pages: Pages, name: str, page: int) -> None:
    data, start = pages.data, pages.start(page)
    head = start + (HEADER if page == 1 else 0)
    kind, cells = data[head], int.from_bytes(data[head + 3 : head + 5])
    inner = kind in (INNER_TABLE, INNER_INDEX)
    pointers = head + (12 if inner else 8)
    pages.trees.append((head, pointers + 2 * cells - head))
    for number in range(cells):
        at = start + int.from_bytes(data[pointers + 2 * number : pointers + 2 * number + 2])
        if inner:
            _walk(pages, name, int.from_bytes(data[at : at + 4]))
            at += 4
        if kind != INNER_TABLE:
            _cell(pages, name, kind, at)
    if inner:
        _walk(pages, name, int.from_bytes(data[head + 8 : head + 12]))


def _cell(pages: Pages, name: str, kind: int, at: int) -> None:
    usable = pages.size - pages.data[20]
    length, body = _varint(pages.data, at)
    if kind == LEAF_TABLE:
        _, body = _varint(pages.data, body)
    most = usable - 35 if kind == LEAF_TABLE else (usable - 12) * 64 // 255 - 23
    least = (usable - 12) * 32 // 255 - 23
    spread = least + (length - least) % (usable - 4)
    local = length if length <= most else spread if spread <= most else least
    rows = pages.rows.setdefault(name, [])
    rows.append((body, local))
    if local == length:
        return
    chain, left = [], length - local
    page = int.from_bytes(pages.data[body + local : body + local + 4])
    while page and left > 0:
        chain.append(page)
        there = min(left, usable - 4)
        rows.append((pages.start(page) + 4, there))
        left -= there
        page = int.from_bytes(pages.data[pages.start(page) : pages.start(page) + 4])
    pages.chains.append(chain)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(9):
        byte = data[at + place]
        if place == 8:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    raise AssertionError("unreachable")
