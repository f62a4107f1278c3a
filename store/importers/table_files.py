"""Tables in files of strangers as plain rows: CSV and SQLite; runs in a worker (workbooks: `workbook`).

Each reader writes the rows of a table into a file of its own in `out`, as [where, {column: cell}] a line
(`store.worker.read_lines`), and gives [table, where, file, rows left out] for every table. Cells are text, numbers or
null.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any, Final

from store.connection import quoted
from store.errors import BadInput, named
from store.importers.reading import head, opened
from store.worker import write_lines

MAX_CELL: Final = 1_000_000
"""Characters of a cell of CSV: an open quotation mark would take the rest of the file as one."""
_ENCODINGS = ("utf-8", "gb18030")
_BOM = "\ufeff"

Rows = Iterator[tuple[str, dict[str, Any]]]
Found = list[tuple[str, str, str, list[str]]]
"""Table, where it was found, the file of its rows, the rows that were left out."""
_SUM = "(?:合计|合計|总计|小计|共计|累计|总和|汇总)"
_TOTAL = re.compile(f".{{0,3}}{_SUM}|{_SUM}.{{0,3}}|(?:grand|sub)?total|sum")
MOST_ABOVE: Final = 8
"""Rows that may stand above the names of the columns."""
_EXACT = 10**15
"""A spreadsheet keeps fifteen digits of a number."""
_ROUNDED = re.compile(r"[0-9](\.[0-9]+)?[eE]\+[0-9]{2,}")
_AS_TEXT = re.compile(r'="(.*)"', re.DOTALL)
"""How programs write a code into CSV so that a spreadsheet keeps its zeros."""


def is_remark(cells: Sequence[Any], columns: Sequence[str]) -> bool:
    """Whether a row is none of the table: it repeats the names of the columns, fills one of several (a heading, a
    note), or adds the others up, as its first text says."""
    filled = [cell for cell in cells if cell is not None]
    if list(cells) == list(columns) or (len(filled) < 2 < len(columns)):
        return True
    label = filled[0] if filled and isinstance(filled[0], str) else ""
    return bool(_TOTAL.fullmatch(re.sub(r"[\s:：0-9]|[(（].*?[)）]", "", label).casefold()))


def head_at(first: Iterable[Iterable[Any]]) -> int:
    """Where among the first rows the names of the columns stand: behind titles and units, which fill a cell each; 0
    where no row fills two."""
    return next((at for at, cells in enumerate(first) if len([one for one in cells if one]) > 1), 0)


def header_of(names: Iterable[Any], where: str) -> list[str]:
    """The names of the columns in a first row, '' for columns without one; those at its end are left out.

    Raises:
        BadInput: there is none, or one twice.
    """
    columns = ["" if name is None else name.strip() if isinstance(name, str) else name for name in names]
    while columns and columns[-1] == "":
        columns.pop()
    if not columns or not all(isinstance(column, str) for column in columns):
        raise BadInput(f"{where}: the first row must hold the names of the columns")
    if twice := [column for column in columns if column and columns.count(column) > 1]:
        raise BadInput(f"{where}: the column {twice[0]:.60} occurs twice")
    return columns


def row_of(columns: Sequence[str], cells: Sequence[Any], where: str) -> dict[str, Any]:
    """The cells of a row by their columns; those that are missing at its end are empty.

    Raises:
        BadInput: there is a cell in no column, or a number that has lost digits.
    """
    if any(cell is not None for cell in cells[len(columns) :]):
        raise BadInput(f"{where}: {len(cells):,} cells under {len(columns)} columns")
    row = dict(zip_longest(columns, cells[: len(columns)]))
    for column, cell in zip(columns, cells, strict=False):
        if cell is not None and not column:
            what = f"{where}: {cell!s:.40} is a cell of a column without a name"
            raise BadInput(what, "Name the column, or take the cell out.")
        if (isinstance(cell, int | float) and abs(cell) >= _EXACT) or (
            isinstance(cell, str) and _ROUNDED.fullmatch(cell)
        ):
            what = f"{where}: {column:.60} holds {cell}, which has lost its last digits"
            raise BadInput(what, "Write it as text, with all its digits.")
    row.pop("", None)
    return row


# CSV
# -----------------------------------------------------------------------------------------------------------------


def read_csv(path: str, label: str, stem: str, out: str) -> Found:
    """The one table of a file of CSV, in UTF-8, GB18030 or UTF-16 with its mark, between commas or tabulators.

    Raises:
        BadInput: neither, or a row that is not as long as the first; the title names file and line.
    """
    rows = f"{out}/0"
    marked = head(Path(path)).startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    for encoding in ("utf-16",) if marked else _ENCODINGS:
        left_out: list[str] = []
        try:
            write_lines(rows, _csv_rows(Path(path), label, encoding, left_out))
        except UnicodeError:
            continue
        return [(stem, label, rows, left_out)]
    raise BadInput(f"{label} is neither UTF-8 nor GB18030", "Save it as CSV UTF-8.")


def _csv_rows(path: Path, label: str, encoding: str, left_out: list[str]) -> Rows:
    csv.field_size_limit(MAX_CELL)
    first = (head(path).decode(encoding, "ignore").splitlines() or [""])[0]
    reader = csv.reader(_decoded(path, label, encoding), strict=True, delimiter="\t" if "\t" in first else ",")
    try:
        lines = ((reader.line_num, values) for values in reader)
        above = list(islice(lines, MOST_ABOVE + 1))
        at = head_at(values for _, values in above)
        columns = header_of(above[at][1] if above else (), label)
        left_out += [
            f"{label}, line {line} ({next(filter(None, values)):.40})" for line, values in above[:at] if any(values)
        ]
        for line, values in chain(above[at + 1 :], lines):
            where = f"{label}, line {line}"
            if not any(values):
                continue
            if len(values) < len(columns):
                raise BadInput(f"{where}: {len(values)} cells under {len(columns)} columns")
            cells = [_AS_TEXT.sub(r"\1", value) or None for value in values]
            if is_remark(cells, columns):
                left_out.append(f"{where} ({next(filter(None, values)):.40})")
                continue
            yield where, row_of(columns, cells, where)
    except csv.Error as error:
        where = f"{label}, line {reader.line_num}"
        if "field limit" in str(error):
            what = f"{where}: a cell has more than {MAX_CELL:,} characters, which is the most that is read"
            raise BadInput(what, "Is a quotation mark missing?") from None
        raise BadInput(f"{where}: not valid CSV ({error})") from None


def _decoded(path: Path, label: str, encoding: str) -> Iterator[str]:
    with opened(path) as stream, io.TextIOWrapper(stream, encoding, newline="") as lines:
        for number, text in enumerate(lines, 1):
            if "\0" in text:
                raise BadInput(f"{label}, line {number}: not a line of text")
            yield text.removeprefix(_BOM) if number == 1 else text


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
                found.append((name, where, f"{out}/{len(found)}", []))
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
