"""Tables in files of strangers as plain rows: CSV, workbooks and SQLite; runs in a worker.

Each reader writes the rows of a table into a file of its own in `out`, as [where, {column: cell}] a line
(`store.worker.read_lines`), and gives [table, where, file] for every table. Cells are text, numbers or null.
"""

from __future__ import annotations

import csv
import sqlite3
import warnings
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from store.connection import quoted
from store.errors import BadInput, named
from store.importers.reading import head, opened
from store.schema import CORPORA, TABLES
from store.worker import write_lines

MAX_CELL: Final = 1_000_000
"""Characters of a cell of CSV: an open quotation mark would take the rest of the file as one."""
_ENCODINGS = ("utf-8", "gb18030")
_BOM = "\ufeff"

Rows = Iterator[tuple[str, dict[str, Any]]]
Found = list[tuple[str, str, str]]
"""Table, where it was found, the file of its rows."""


def header_of(names: Iterable[Any], where: str) -> list[str]:
    """The names of the columns in a first row, empty ones at its end left out.

    Raises:
        BadInput: an empty one between others, or one twice.
    """
    columns = list(names)
    while columns and columns[-1] in (None, ""):
        columns.pop()
    if not columns or not all(isinstance(column, str) and column for column in columns):
        raise BadInput(f"{where}: the first row must hold the names of the columns")
    if len(set(columns)) != len(columns):
        twice = next(column for column in columns if columns.count(column) > 1)
        raise BadInput(f"{where}: the column {twice:.60} occurs twice")
    return columns


# CSV
# -----------------------------------------------------------------------------------------------------------------


def read_csv(path: str, label: str, stem: str, out: str) -> Found:
    """The one table of a file of CSV, in UTF-8 or GB18030, between commas or tabulators.

    Raises:
        BadInput: neither, or a row that is not as long as the first; the title names file and line.
    """
    rows = f"{out}/0"
    for encoding in _ENCODINGS:
        try:
            write_lines(rows, _csv_rows(Path(path), label, encoding))
        except UnicodeDecodeError:
            continue
        return [(stem, label, rows)]
    raise BadInput(f"{label} is neither UTF-8 nor GB18030", "Save it as CSV UTF-8.")


def _csv_rows(path: Path, label: str, encoding: str) -> Rows:
    csv.field_size_limit(MAX_CELL)
    delimiter = "\t" if b"\t" in head(path).split(b"\n")[0] else ","
    reader = csv.reader(_decoded(path, label, encoding), strict=True, delimiter=delimiter)
    try:
        columns = header_of(next(reader, []), label)
        for values in reader:
            where = f"{label}, line {reader.line_num}"
            if not values:
                continue
            if len(values) != len(columns):
                raise BadInput(f"{where}: {len(values)} cells under {len(columns)} columns")
            yield where, {column: value or None for column, value in zip(columns, values, strict=True)}
    except csv.Error as error:
        where = f"{label}, line {reader.line_num}"
        if "field limit" in str(error):
            what = f"{where}: a cell has more than {MAX_CELL:,} characters, which is the most that is read"
            raise BadInput(what, "Is a quotation mark missing?") from None
        raise BadInput(f"{where}: not valid CSV ({error})") from None


def _decoded(path: Path, label: str, encoding: str) -> Iterator[str]:
    with opened(path) as stream:
        for number, raw in enumerate(stream, 1):
            if b"\0" in raw:
                raise BadInput(f"{label}, line {number}: not a line of text")
            text = raw.decode(encoding)
            yield text.removeprefix(_BOM) if number == 1 else text


# XLSX
# ----------------------------------------------------------------------------------------------------------------


def read_workbook(path: str, label: str, stem: str, out: str) -> Found:
    """All sheets; the only sheet of a workbook is named by the file (`stem`) when its own name says nothing."""
    import openpyxl

    found: Found = []
    with warnings.catch_warnings(), Path(path).open("rb") as stream:
        warnings.simplefilter("ignore")
        # Given a path, openpyxl judges by its suffix.
        book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        only = len(book.worksheets) == 1
        for sheet in book.worksheets:
            known = sheet.title in TABLES or sheet.title in CORPORA
            table, where = stem if only and not known else sheet.title, f"{label}, sheet {sheet.title}"
            found.append((table, where, f"{out}/{len(found)}"))
            write_lines(found[-1][2], _sheet(sheet, where))
    return found


def _sheet(sheet: Any, where: str) -> Rows:
    # What a sheet says of its own size is not believed: rows beyond it would be lost, rows before it invented.
    sheet.reset_dimensions()
    values = iter(sheet.iter_rows(values_only=True))
    columns = header_of(next(values, ()), where)
    for number, cells in enumerate(values, 2):
        if any(cell is not None for cell in cells):
            place = f"{where}, row {number}"
            yield place, dict(zip(columns, _cells(columns, cells, place), strict=True))


def _cells(columns: list[str], cells: tuple[object, ...], where: str) -> list[Any]:
    if any(cell is not None for cell in cells[len(columns) :]):
        raise BadInput(f"{where}: {len(cells):,} cells under {len(columns)} columns")
    row = [*cells[: len(columns)], *(None for _ in columns[len(cells) :])]
    for at, cell in enumerate(row):
        if not isinstance(cell, str | int | float | None) or isinstance(cell, bool):
            raise BadInput(
                f"{where}: {columns[at]:.60} is a {type(cell).__name__}", "Format the cell as text or number."
            )
    return row


# SQLite
# --------------------------------------------------------------------------------------------------------------


def read_database(path: str, label: str, stem: str, out: str) -> Found:
    """All tables; views, virtual tables and SQLite's own are passed over.

    Raises:
        BadInput: the file is damaged, or a table computes some of its columns.
    """
    found: Found = []
    where = label
    try:
        with closing(sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)) as connection:
            for pragma in ("query_only = ON", "trusted_schema = OFF"):
                connection.execute(f"PRAGMA {pragma}").fetchall()
            for name in _tables(connection):
                where = f"{label}, table {name:.80}"
                found.append((name, where, f"{out}/{len(found)}"))
                write_lines(found[-1][2], _table(connection, name, where))
    except (sqlite3.Error, UnicodeError) as error:
        raise BadInput(f"{where} cannot be read: {error!s:.160}", "Copy the table into a new SQLite file.") from None
    return found


def _table(connection: sqlite3.Connection, name: str, where: str) -> Rows:
    columns = header_of(_columns(connection, name, where), where)
    wanted = ", ".join(map(quoted, columns))
    for number, cells in enumerate(connection.execute(f"SELECT {wanted} FROM {quoted(name)}"), 1):
        place = f"{where}, row {number}"
        for column, cell in zip(columns, cells, strict=True):
            if isinstance(cell, bytes):
                what = f"{place}: {name:.60}: {column:.60} cannot hold {cell[:60]!r}"
                raise BadInput(what, "A cell is text, a 64-bit number or null.")
        yield place, dict(zip(columns, cells, strict=True))


def _tables(connection: sqlite3.Connection) -> Iterator[str]:
    found = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall()
    virtual = tuple(str(name) for name, sql in found if str(sql).upper().startswith("CREATE VIRTUAL"))
    for name, _ in found:
        shadow = any(name == other or str(name).startswith(f"{other}_") for other in virtual)
        if isinstance(name, str) and not shadow and not name.startswith("sqlite_"):
            yield name


def _columns(connection: sqlite3.Connection, name: str, where: str) -> list[str]:
    """The columns that hold what was written into them; one that is computed could be any amount of work."""
    found = connection.execute(f"PRAGMA table_xinfo({quoted(name)})").fetchall()
    if computed := [column for _, column, _, _, _, _, hidden in found if hidden]:
        raise BadInput(
            f"{where}: {named(computed)} is computed from other columns, which is not read",
            "Copy the table: CREATE TABLE copy AS SELECT * FROM it.",
        )
    return [column for _, column, *_ in found]
