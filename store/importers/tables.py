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
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from store.builder import PackBuilder
from store.errors import BadInput
from store.importers import Progress
from store.importers.reading import BULK, entered, files_in, head, is_zip, records
from store.schema import CORPORA, TABLES
from store.worker import Worker, read_lines

SUFFIXES = frozenset({".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xlsx", ".sqlite", ".sqlite3", ".db", ".gz"})
"""Files of a folder that are looked at; what they hold is decided by content."""

Rows = Iterator[tuple[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class FoundTable:
    """One table found in a file: how it is named there, where it is, and its rows with their places."""

    table: str
    where: str
    rows: Rows
    left_out: Sequence[str] = ()


def import_pack(source: Path, name: str, progress: Progress) -> Path:
    """Build a pack from tables in the upstream column names.

    Raises:
        NotFound: nothing is there.
        BadInput: an unknown table or column, a cell or file that cannot be read; file and line are named.
    """
    with Worker() as worker, entered(source) as root:
        files = [root] if root.is_file() else _table_files(root, progress)
        with _builder(name, source) as builder:
            seen: dict[str, str] = {}
            for path in files:
                label = path.name if root.is_file() else path.relative_to(root).as_posix()
                for part in _parts(path, label, worker):
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


def _add(builder: PackBuilder, part: FoundTable, progress: Progress) -> None:
    if part.table == _TASKS:
        lines = [json.dumps(task, ensure_ascii=False) for _, task in part.rows]
        builder.add_tasks("legalagentbench", lines)
        _note_empty(builder, part, len(lines))
        return
    if part.table not in TABLES and part.table not in CORPORA:
        known = "、".join((*TABLES, *CORPORA))
        raise BadInput(f"{part.where}: there is no table or corpus named {part.table}", f"Known: {known}.")
    done = 0
    ignored: set[str] = set()
    for where, cells in part.rows:
        try:
            kept = {column: value for column, value in cells.items() if _is_kept(part.table, column)}
            ignored.update(f"{part.where}: {column:.60}" for column in cells.keys() - kept.keys())
            _add_one(builder, part.table, where, kept)
        except BadInput as error:
            raise BadInput(f"{where}: {error.title}", error.hint) from None
        done += 1
        if done % 1000 == 0:
            progress(f"reading {part.where}", done, None)
    _note_empty(builder, part, done)
    progress(f"reading {part.where}", done, done)
    for left_out in (*part.left_out, *sorted(ignored)):
        progress(f"left out: {left_out}", 0, 0)


def _note_empty(builder: PackBuilder, part: FoundTable, rows: int) -> None:
    """A table counts as complete: an empty one would answer every lookup with "there is none", so it is asked
    about."""
    if not rows:
        builder.found_empty(part.where)


def _add_one(builder: PackBuilder, table: str, where: str, cells: dict[str, Any]) -> None:
    if table in TABLES:
        plain = {c: value.translate(_PLAIN) if isinstance(value, str) else value for c, value in cells.items()}
        builder.add_row(table, plain, "imported", source=where)
        return
    text = cells.get("text")
    if not isinstance(text, str) or not text:
        raise BadInput(f"a text of {table} needs the column 'text'")
    builder.add_document(table, text, "imported")


_TASKS = "dataset"


_PLAIN = {
    code: code - 0xFEE0 for first, last in ("０９", "ＡＺ", "ａｚ") for code in range(ord(first), ord(last) + 1)
}
"""Full-width digits and letters -> plain ones; （ and ： stay as upstream writes them."""


def _is_kept(table: str, column: str) -> bool:
    return not column.startswith("_") and (table in TABLES or column == "text")


def _table_files(root: Path, progress: Progress) -> list[Path]:
    """The files of a folder that may hold tables, by their endings; names that begin with _ or . are notes beside
    them (a schema, say)."""
    kept = []
    for path in files_in(root):
        if path.suffix.lower() in SUFFIXES and not path.name.startswith(("_", ".")):
            kept.append(path)
        elif not path.name.startswith("."):
            progress(f"left out: {path.relative_to(root).as_posix()}", 0, 0)
    return kept


def _parts(path: Path, label: str, worker: Worker) -> Iterator[FoundTable]:
    stem = path.name.split(".")[0]
    start = head(path)
    if path.suffix.lower() == ".xlsx" and not start.startswith(b"PK"):
        raise BadInput(f"{label} is named .xlsx but is no workbook", "Save it as XLSX, or name it .csv.")
    if start.lstrip(b" \t\r\n\xef\xbb\xbf")[:1] in (b"{", b"["):
        table = _TASKS if stem.startswith(_TASKS) else stem
        yield FoundTable(table, label, ((f"{label}, line {line}", row) for line, row in records(path, label)))
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
