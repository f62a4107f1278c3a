"""Workbooks and SQLite files of strangers as plain items; runs in the reading process (`child.py`) and nowhere else.

Items: ["part", table, where], ["columns", names], ["row", number, cells] for each row, ["end"]; cells are text,
numbers or null.
"""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from store.connection import quoted
from store.errors import BadInput
from store.importers.child import named
from store.schema import CORPORA, TABLES

_EMPTY_ROWS = 10_000
"""Rows without a cell after which the reader says that it lives."""


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


# XLSX
# ----------------------------------------------------------------------------------------------------------------


def read_workbook(path: str, label: str, stem: str) -> Iterator[list[object] | None]:
    """All sheets; the only sheet of a workbook is named by the file (`stem`) when its own name says nothing."""
    import openpyxl

    with warnings.catch_warnings(), Path(path).open("rb") as stream:
        warnings.simplefilter("ignore")
        # Given a path, openpyxl judges by its suffix.
        book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        only = len(book.worksheets) == 1
        for sheet in book.worksheets:
            known = sheet.title in TABLES or sheet.title in CORPORA
            where = f"{label}, sheet {sheet.title}"
            yield ["part", stem if only and not known else sheet.title, where]
            yield from _sheet(sheet, where)


def _sheet(sheet: Any, where: str) -> Iterator[list[Any] | None]:
    # What a sheet says of its own size is not believed: rows beyond it would be lost, rows before it invented.
    sheet.reset_dimensions()
    values = iter(sheet.iter_rows(values_only=True))
    columns = header_of(next(values, ()), where)
    yield ["columns", columns]
    for number, cells in enumerate(values, 2):
        if any(cell is not None for cell in cells):
            yield ["row", number, _cells(columns, cells, f"{where}, row {number}", number)]
        elif number % _EMPTY_ROWS == 0:
            yield None
    yield ["end"]


def _cells(columns: list[str], cells: tuple[object, ...], where: str, number: int) -> list[Any]:
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


def read_database(path: str, label: str) -> Iterator[list[object] | None]:
    """All tables; views, virtual tables and SQLite's own are passed over.

    Raises:
        BadInput: the file is damaged, or a table computes some of its columns.
    """
    where = label
    try:
        with closing(sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)) as connection:
            for pragma in ("query_only = ON", "trusted_schema = OFF"):
                connection.execute(f"PRAGMA {pragma}").fetchall()
            for name in _tables(connection):
                where = f"{label}, table {name:.80}"
                yield ["part", name, where]
                columns = header_of(_columns(connection, name, where), where)
                yield ["columns", columns]
                wanted = ", ".join(map(quoted, columns))
                for number, cells in enumerate(connection.execute(f"SELECT {wanted} FROM {quoted(name)}"), 1):
                    yield ["row", number, _storable(columns, cells, f"{where}, row {number}", name)]
                yield ["end"]
    except (sqlite3.Error, UnicodeError) as error:
        raise BadInput(f"{where} cannot be read: {error!s:.160}", "Copy the table into a new SQLite file.") from None


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


def _storable(columns: list[str], cells: tuple[Any, ...], where: str, table: str) -> list[object]:
    if bytes in map(type, cells):
        at = next(at for at, cell in enumerate(cells) if isinstance(cell, bytes))
        raise BadInput(
            f"{where}: {table:.60}: {columns[at]:.60} cannot hold {cells[at][:60]!r}",
            "A cell is text, a 64-bit number or null.",
        )
    return list(cells)
