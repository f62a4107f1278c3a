"""Imports the full corpora of a user who has them: tables in the upstream column names.

A folder, a zip or one file of CSV, JSON (lines or array), XLSX or SQLite; the kind is found by content. A table is
named by the file (`LegalDoc.csv`), the sheet, or the SQLite table; the corpora LegalKnowledge, LegalArticle and
LegalCases have a column `text` (others are ignored); `dataset*.json` becomes the tasks. A table occurs once and is
taken as complete: a lookup that finds no row in it has found that there is none. Columns that begin with `_` are
ignored.

Cells of CSV are text as they stand ("5" stays text), an empty one is null. JSON and SQLite keep their types, a
workbook gives what a person reads in it (`workbook`); JSON null or NaN, an empty cell and NULL are null. Full-width
digits and letters of cells become plain ones, as lookups have them. A column that is not given at all is unknown.
Files, rows and columns that are left out are named through `progress`.

Files with names of their own come in by a map (`read_map`), which says what each table and each column is; `guessed`
gives the map that the names alone would make.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import TypeAdapter, ValidationError

from store.builder import PackBuilder
from store.errors import BadInput, named
from store.files import read_text, toml_of
from store.importers import Progress
from store.importers.reading import BULK, entered, head, is_zip, labelled_files, raised, records
from store.schema import CORPORA, TABLES
from store.worker import Worker, read_lines

SUFFIXES = frozenset(
    {".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xlsx", ".xlsm", ".sqlite", ".sqlite3", ".db", ".gz"}
)
"""Files of a folder that are looked at; what they hold is decided by content."""

Rows = Iterator[tuple[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class FoundTable:
    """One table found in a file: how it is named there, where it is, and its rows with their places."""

    table: str
    where: str
    rows: Rows
    left_out: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class TableMap:
    """What a found table becomes: a table, a corpus or `dataset`, '' where it is left out; and its columns -> those
    of that table, None where they go by their names."""

    table: str
    columns: Mapping[str, str] | None = None


def import_pack(source: Path, name: str, progress: Progress, maps: Mapping[str, TableMap] | None = None) -> Path:
    """Build a pack from tables in the upstream column names, or by a map.

    maps: place of a table -> what it becomes.

    Raises:
        NotFound: nothing is there.
        BadInput: an unknown table or column, a cell or file that cannot be read; file and line are named.
    """
    builder = PackBuilder(
        name, jurisdiction="CN", source=f"imported from {source.name}", licence="", coverage="complete", as_of=""
    )
    with Worker() as worker, entered(source) as root, builder:
        seen: dict[str, str] = {}
        places = set()
        for part in _found(source, root, worker, progress):
            places.add(part.where)
            one = TableMap(part.table) if maps is None else maps.get(part.where, TableMap(""))
            if maps is not None and not one.table:
                progress(f"left out: {part.where} (the map gives it no table)", 0, 0)
                continue
            if one.table in seen:
                raise BadInput(f"{one.table} occurs twice: in {seen[one.table]} and in {part.where}")
            seen[one.table] = part.where
            _add(builder, part, one, progress)
        _check_named(maps, places, source.name)
        if not seen:
            raise BadInput(f"{source}: the map names no table to be imported", _NO_MAP)
        progress("moving the pack to its place", 0, None)
        return builder.finish()


def guessed(source: Path, progress: Progress) -> dict[str, TableMap]:
    """Place of each table of a folder, zip or file -> what its names say that it becomes; errors as `import_pack`."""
    found = {}
    with Worker() as worker, entered(source) as root:
        for part in _found(source, root, worker, progress):
            table = part.table if part.table in _KNOWN else ""
            names = () if table == _TASKS else dict.fromkeys(column for _, cells in part.rows for column in cells)
            found[part.where] = TableMap(table, {name: name if name in _columns(table) else "" for name in names})
    return found


def read_map(path: Path) -> dict[str, TableMap]:
    """The map that a file in TOML holds: place -> `table`, and under `columns` column -> column.

    Raises:
        NotFound: no such file.
        BadInput: it is no such map, or gives a column twice.
    """
    try:
        maps = TypeAdapter(dict[str, TableMap]).validate_python(toml_of(path, read_text(path)))
    except ValidationError:
        raise BadInput(f"{path}: a map has names of tables and columns, and nothing else", _NO_MAP) from None
    for place, one in maps.items():
        targets = [column for column in (one.columns or {}).values() if column]
        if twice := [column for column in targets if targets.count(column) > 1]:
            raise BadInput(f"{path}, {place}: the column {twice[0]:.60} occurs twice")
    return maps


_NO_MAP = "`moot data template PATH` writes a map to be edited."


def _check_named(given: Mapping[str, Any] | None, there: Iterable[str], where: str) -> None:
    if strange := sorted((given or {}).keys() - set(there)):
        what = f"the map names {named(strange)}, which is not in {where}"
        raise BadInput(what, f"There is: {named(sorted(there))}.")


def _columns(table: str) -> tuple[str, ...]:
    return TABLES.get(table, ("text",) if table in CORPORA else ())


def _found(source: Path, root: Path, worker: Worker, progress: Progress) -> Iterator[FoundTable]:
    files = files_of(root, progress)
    found = False
    for path, label in files:
        for part in parts(path, label, worker):
            found = True
            yield part
    if not found:
        raise BadInput(
            f"{source} holds no table", f"Name files, sheets or SQLite tables like {', '.join(list(TABLES)[:3])}."
        )


def _add(builder: PackBuilder, part: FoundTable, one: TableMap, progress: Progress) -> None:
    if one.table == _TASKS:
        lines = [json.dumps(task, ensure_ascii=False) for _, task in part.rows]
        builder.add_tasks("legalagentbench", lines)
        if not lines:
            builder.found_empty(part.where)
        return
    if one.table not in _KNOWN:
        hint = f"Known: {'、'.join((*TABLES, *CORPORA))}. For other names: {_NO_MAP}"
        raise BadInput(f"{part.where}: there is no table or corpus named {one.table:.80}", hint)
    done = 0
    into: dict[str, str] = {}
    for where, cells in part.rows:
        for column in cells.keys() - into.keys():
            into[column] = _target(one, column, where)
        try:
            _add_one(builder, one.table, where, {into[name]: cell for name, cell in cells.items() if into[name]})
        except BadInput as error:
            raise BadInput(f"{where}: {error.title}", error.hint) from None
        done += 1
        if done % 1000 == 0:
            progress(f"reading {part.where}", done, None)
    if not done:  # a table counts as complete: to every lookup an empty one would answer that there is none
        builder.found_empty(part.where)
    _check_named(one.columns, into, part.where)
    progress(f"reading {part.where}", done, done)
    ignored = sorted(f"{part.where}: {column:.60} (no column of {one.table})" for column in into if not into[column])
    for left_out in (*part.left_out, *ignored):
        progress(f"left out: {left_out}", 0, 0)


def _target(one: TableMap, column: str, where: str) -> str:
    """The column of the table that a column becomes; '' for one that is left out."""
    if one.columns is not None:
        target = one.columns.get(column, "")
    else:
        target = column if not column.startswith("_") and (one.table in TABLES or column == "text") else ""
    if target and target not in (known := _columns(one.table)):
        hint = f"Columns: {'、'.join(known)}. For other names: {_NO_MAP}"
        raise BadInput(f"{where}: {one.table} has no column {target:.80}", hint)
    return target


def _add_one(builder: PackBuilder, table: str, where: str, cells: dict[str, Any]) -> None:
    if table in TABLES:
        plain = {c: _plain(value) if isinstance(value, str) else value for c, value in cells.items()}
        builder.add_row(table, plain, "imported", source=where)
        return
    text = cells.get("text")
    if not isinstance(text, str) or not text:
        raise BadInput(f"a text of {table} needs the column 'text'")
    builder.add_document(table, text, "imported")


_TASKS = "dataset"
_KNOWN = frozenset((_TASKS, *TABLES, *CORPORA))


_PLAIN = {
    code: code - 0xFEE0 for first, last in ("０９", "ＡＺ", "ａｚ") for code in range(ord(first), ord(last) + 1)
}
"""Full-width digits and letters -> plain ones; （ and ： stay as upstream writes them."""


def _plain(text: str) -> str | None:
    """A text without the marks and blanks around it, which no one sees and no lookup has."""
    return text.translate(_PLAIN).strip(" \t\r\n\xa0\u3000\u200b\ufeff") or None


def files_of(root: Path, progress: Progress) -> list[tuple[Path, str]]:
    """The file, or those of a folder that may hold tables, each with its path inside what is imported. By their
    endings; names that begin with _ are notes beside them (a schema, say)."""
    kept = []
    for path, label in labelled_files(root):
        if path == root or (path.suffix.lower() in SUFFIXES and not path.name.startswith(("_", "~$"))):
            kept.append((path, label))
        else:
            progress(f"left out: {label} (its name is not that of a table)", 0, 0)
    return kept


def parts(path: Path, label: str, worker: Worker, fault: Callable[[BadInput], None] = raised) -> Iterator[FoundTable]:
    """The tables of a file, by content. fault: is given what is wrong with a record of JSON, as in `records`.

    Raises:
        BadInput: it is none of the kinds, or damaged.
    """
    stem = path.name.split(".")[0]
    start = head(path)
    if start.startswith(b"\xd0\xcf\x11\xe0"):
        raise BadInput(f"{label} is an old workbook or protected by a password", "Save it as XLSX without one.")
    if path.suffix.lower() == ".xlsx" and not start.startswith(b"PK"):
        raise BadInput(f"{label} is named .xlsx but is no workbook", "Save it as XLSX, or name it .csv.")
    if start.lstrip(b" \t\r\n\xef\xbb\xbf")[:1] in (b"{", b"["):
        table = _TASKS if stem.startswith(_TASKS) else stem
        yield FoundTable(table, label, ((f"{label}, line {line}", row) for line, row in records(path, label, fault)))
        return
    kind = "csv"
    if start.startswith(b"SQLite format 3\0"):
        kind = "database"
    elif start.startswith(b"PK") and is_zip(path):
        kind = "workbook"
    module = "workbook" if kind == "workbook" else "table_files"
    with TemporaryDirectory(prefix="moot-import-") as out:
        job = f"store.importers.{module}:read_{kind}", str(path), label, stem, out
        for table, where, rows, left_out in worker.run(*job, label=label, limits=BULK):
            yield FoundTable(table, where, read_lines(rows), left_out)
