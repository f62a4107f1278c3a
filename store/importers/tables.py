"""Imports the full corpora of a user who has them: tables in the upstream column names.

A folder, a zip or one file of CSV, JSON (lines or array), XLSX or SQLite; the kind is found by content. A table is named
by the file (`LegalDoc.csv`), the sheet, or the SQLite table; the corpora LegalKnowledge, LegalArticle and LegalCases have
a column `text` (others are ignored); `dataset*.json` becomes the tasks. A table occurs once and is taken as complete: a
lookup that finds no row in it has found that there is none. Columns that begin with `_` are ignored.

Cells of CSV are text exactly as they stand ("5" stays text), an empty one is null. JSON, XLSX and SQLite keep their types;
JSON null or NaN, an empty cell and NULL are null. A column that is not given at all is unknown.
"""

from __future__ import annotations

import csv
import json
import sqlite3
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from xml.etree.ElementTree import ParseError

from store.builder import PackBuilder
from store.connection import open_foreign, quoted
from store.errors import BadInput
from store.importers import Progress
from store.importers.reading import (
    MAX_ARCHIVE,
    MAX_RATIO,
    MAX_RECORD,
    RATIO_COUNTS_FROM,
    entered,
    files_in,
    head,
    opened,
    records,
)
from store.schema import CORPORA, TABLES

SUFFIXES = frozenset({".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xlsx", ".sqlite", ".sqlite3", ".db", ".gz"})
"""Files of a folder that are looked at; what they hold is decided by content."""

_ENCODINGS = ("utf-8", "gb18030")
_BOM = "\ufeff"

Rows = Iterator[tuple[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Part:
    """One table found in a file: how it is named there, where it is, and its rows with their places."""

    table: str
    where: str
    rows: Callable[[], Rows]


def import_pack(source: Path, name: str, progress: Progress) -> Path:
    """Build a pack from tables in the upstream column names.

    Raises:
        NotFound: nothing is there.
        BadInput: an unknown table or column, a cell or file that cannot be read; file and line are named.
    """
    with entered(source) as root:
        files = [root] if root.is_file() else [path for path in files_in(root) if _is_table_file(path)]
        with _builder(name, source) as builder:
            seen: dict[str, str] = {}
            for path in files:
                label = path.name if root.is_file() else path.relative_to(root).as_posix()
                for part in _parts(path, label):
                    if part.table in seen:
                        raise BadInput(f"{part.table} occurs twice: in {seen[part.table]} and in {part.where}")
                    seen[part.table] = part.where
                    _add(builder, part, progress)
            if not seen:
                raise BadInput(
                    f"{source} holds no table",
                    f"Name files, sheets or SQLite tables like {', '.join(list(TABLES)[:3])}.",
                )
            progress("moving the pack to its place", 0, None)
            return builder.finish()


def _builder(name: str, source: Path) -> PackBuilder:
    return PackBuilder(
        name, jurisdiction="CN", source=f"imported from {source.name}", licence="", coverage="complete", as_of=""
    )


def _add(builder: PackBuilder, part: Part, progress: Progress) -> None:
    if part.table == _TASKS:
        builder.add_tasks("legalagentbench", (json.dumps(task, ensure_ascii=False) for _, task in part.rows()))
        return
    if part.table not in TABLES and part.table not in CORPORA:
        known = "、".join((*TABLES, *CORPORA))
        raise BadInput(f"{part.where}: there is no table or corpus named {part.table}", f"Known: {known}.")
    done = 0
    for where, cells in part.rows():
        try:
            _add_one(builder, part.table, where, cells)
        except BadInput as error:
            raise BadInput(f"{where}: {error.title}", error.hint) from None
        done += 1
        if done % 1000 == 0:
            progress(f"reading {part.where}", done, None)
    progress(f"reading {part.where}", done, done)


def _add_one(builder: PackBuilder, table: str, where: str, cells: dict[str, Any]) -> None:
    if table in TABLES:
        kept = {column: value for column, value in cells.items() if not column.startswith("_")}
        builder.add_row(table, kept, "imported", source=where)
        return
    text = cells.get("text")
    if not isinstance(text, str) or not text:
        raise BadInput(f"a text of {table} needs the column 'text'")
    builder.add_document(table, text, "imported")


_TASKS = "dataset"


def _is_table_file(path: Path) -> bool:
    """By its ending; names that begin with _ or . are notes beside the tables (a schema, say)."""
    return path.suffix.lower() in SUFFIXES and not path.name.startswith(("_", "."))


def _parts(path: Path, label: str) -> Iterator[Part]:
    stem = path.name.split(".")[0]
    start = head(path)
    if path.suffix.lower() == ".xlsx" and not start.startswith(b"PK"):
        raise BadInput(f"{label} is named .xlsx but is no workbook", "Save it as XLSX, or name it .csv.")
    if start.startswith(b"SQLite format 3\0"):
        yield from _sqlite_parts(path, label)
    elif start.startswith(b"PK") and zipfile.is_zipfile(path):
        yield from _workbook_parts(path, label, stem)
    elif start.lstrip(b" \t\r\n\xef\xbb\xbf")[:1] in (b"{", b"["):
        table = _TASKS if stem.startswith(_TASKS) else stem
        yield Part(table, label, lambda: ((f"{label}, line {line}", row) for line, row in records(path, label)))
    else:
        yield Part(stem, label, lambda: _csv_rows(path, label))


# CSV -----------------------------------------------------------------------------------------------------------------


def _csv_rows(path: Path, label: str) -> Rows:
    encoding = _encoding(path, label)
    csv.field_size_limit(MAX_RECORD)
    lines = _decoded(path, label, encoding)
    delimiter = "\t" if "\t" in head(path).split(b"\n")[0].decode(encoding, "replace") else ","
    reader = csv.reader(lines, strict=True, delimiter=delimiter)
    try:
        columns = _header(next(reader, []), label)
        for values in reader:
            where = f"{label}, line {reader.line_num}"
            if not values:
                continue
            if len(values) != len(columns):
                raise BadInput(f"{where}: {len(values)} cells under {len(columns)} columns")
            yield where, {column: value or None for column, value in zip(columns, values, strict=True)}
    except csv.Error as error:
        raise BadInput(f"{label}, line {reader.line_num}: not valid CSV ({error})") from None


def _encoding(path: Path, label: str) -> str:
    for encoding in _ENCODINGS:
        try:
            for _ in _decoded(path, label, encoding):
                pass
        except UnicodeDecodeError:
            continue
        return encoding
    raise BadInput(f"{label} is neither UTF-8 nor GB18030", "Save it as CSV UTF-8.")


def _decoded(path: Path, label: str, encoding: str) -> Iterator[str]:
    with opened(path) as stream:
        number = 0
        while raw := stream.readline(MAX_RECORD + 1):
            number += 1
            if len(raw) > MAX_RECORD or b"\0" in raw:
                raise BadInput(f"{label}, line {number}: not a line of text")
            text = raw.decode(encoding)
            yield text.removeprefix(_BOM) if number == 1 else text


def _header(names: list[Any], where: str) -> list[str]:
    columns = list(names)
    while columns and columns[-1] in (None, ""):
        columns.pop()
    if not columns or not all(isinstance(column, str) and column for column in columns):
        raise BadInput(f"{where}: the first row must hold the names of the columns")
    if len(set(columns)) != len(columns):
        twice = next(column for column in columns if columns.count(column) > 1)
        raise BadInput(f"{where}: the column {twice} occurs twice")
    return columns


# XLSX ----------------------------------------------------------------------------------------------------------------

_UNREADABLE = (
    zipfile.BadZipFile,
    KeyError,
    ValueError,
    TypeError,
    AttributeError,
    ParseError,
    EOFError,
    RuntimeError,
)


def _workbook_parts(path: Path, label: str, stem: str) -> Iterator[Part]:
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > min(MAX_ARCHIVE, max(RATIO_COUNTS_FROM, path.stat().st_size * MAX_RATIO)):
            raise BadInput(f"{label} unpacks to far more than its size")
        # Given a path, openpyxl judges by its suffix.
        stream = path.open("rb")
    except _UNREADABLE as error:
        raise BadInput(f"{label} is a workbook that cannot be read: {error}") from None
    with stream, _workbook(stream, label) as book:
        only = len(book.worksheets) == 1
        for sheet in book.worksheets:
            known = sheet.title in TABLES or sheet.title in CORPORA
            table = stem if only and not known else sheet.title
            where = f"{label}, sheet {sheet.title}"
            yield Part(table, where, _sheet_reader(sheet, where))


@contextmanager
def _workbook(stream: IO[bytes], label: str) -> Iterator[Any]:
    import openpyxl

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
    except _UNREADABLE as error:
        raise BadInput(f"{label} is a workbook that cannot be read: {error}") from None
    try:
        yield book
    finally:
        book.close()


def _sheet_reader(sheet: Any, label: str) -> Callable[[], Rows]:
    def rows() -> Rows:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                values = iter(sheet.iter_rows(values_only=True))
                columns = _header(list(next(values, ())), label)
                for number, cells in enumerate(values, 2):
                    if any(cell is not None for cell in cells):
                        yield f"{label}, row {number}", _sheet_row(columns, cells, f"{label}, row {number}")
        except _UNREADABLE as error:
            raise BadInput(f"{label} cannot be read: {error}") from None

    return rows


def _sheet_row(columns: list[str], cells: tuple[Any, ...], where: str) -> dict[str, Any]:
    if any(cell is not None for cell in cells[len(columns) :]):
        raise BadInput(f"{where}: {len(cells)} cells under {len(columns)} columns")
    row: dict[str, Any] = dict.fromkeys(columns)
    row.update(zip(columns, cells, strict=False))
    for column, cell in row.items():
        if not isinstance(cell, str | int | float | None) or isinstance(cell, bool):
            raise BadInput(f"{where}: {column} is a {type(cell).__name__}", "Format the cell as text or number.")
    return row


# SQLite --------------------------------------------------------------------------------------------------------------


def _sqlite_parts(path: Path, label: str) -> Iterator[Part]:
    with open_foreign(path) as connection:
        try:
            found = connection.execute(
                "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name"
            ).fetchall()
        except sqlite3.Error as error:
            raise BadInput(f"{label} is a SQLite file that cannot be read: {error}") from None
        virtual = tuple(name for name, sql in found if str(sql).upper().startswith("CREATE VIRTUAL"))
        for name, _ in found:
            shadow = any(name == other or name.startswith(f"{other}_") for other in virtual)
            if not shadow and not name.startswith("sqlite_"):
                yield Part(name, f"{label}, table {name}", _table_reader(connection, name, f"{label}, table {name}"))


def _table_reader(connection: sqlite3.Connection, name: str, label: str) -> Callable[[], Rows]:
    def rows() -> Rows:
        try:
            cursor = connection.execute(f"SELECT * FROM {quoted(name)}")
            columns = [column[0] for column in cursor.description]
            for number, values in enumerate(cursor, 1):
                yield f"{label}, row {number}", dict(zip(columns, values, strict=True))
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise BadInput(f"{label} cannot be read: {error}") from None

    return rows
