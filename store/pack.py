"""A pack of corpora, opened to be read: lookups, documents, tasks.

A lookup compares type and value exactly ("5" is not 5). What a pack cannot know it does not guess: a harvested pack
answers "outside" where the real database might have had rows.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from store import identity, places, placing
from store import manifest as manifests
from store.connection import Reader, TableFacts, integrity_problem, quoted
from store.errors import BadInput, DamagedData, NotFound, StoreError
from store.manifest import CORPUS, Manifest, PackFault
from store.schema import (
    CORPORA,
    TABLES,
    UNKNOWN,
    Cell,
    Document,
    Lookup,
    LookupResult,
    Provenance,
    Row,
    Value,
    bit,
    key_of,
    storable,
)
from store.web_tables import FILE as WEB_FILE

_BATCH = 500


class Pack:
    """An open pack: immutable and query-only; may be used from any thread."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest
        fingerprints = manifests.check(path, manifest, manifest.files)
        if CORPUS not in fingerprints:
            raise DamagedData(f"Pack {manifest.name} is damaged: its manifest lists no {CORPUS}")
        try:
            with identity.unchanged(path / CORPUS, fingerprints[CORPUS]):
                self.reader = Reader(path / CORPUS)
        except BaseException:
            if hasattr(self, "reader"):
                self.reader.close()
            raise
        self._certain = functools.lru_cache(maxsize=None)(self._known_everywhere)
        self._masks = functools.lru_cache(maxsize=None)(self._known_cells)
        self._companions: list[Pack] = []

    @classmethod
    def open(cls, name_or_path: str | Path, *, verify: bool = False) -> Pack:
        """Open a pack by name or path. No file is used whose bytes differ: each is hashed when it is first seen.

        verify: read every file now, whether it was seen or not, and let SQLite check its databases.

        Raises:
            NotFound: there is no such pack.
            Damaged: its bytes are not the ones that were written.
            BadInput: it has another format.
        """
        path = manifests.locate(name_or_path)
        while True:
            place = _place(path)
            try:
                found = verify_pack(path) if verify else []
                if found:
                    raise DamagedData(f"Pack {path.name} is damaged: {found[0]}", "Build or import it again.")
                return cls(path, manifests.read(path))
            except (DamagedData, NotFound):
                # Half of the old pack and half of the new one were seen, if somebody has just replaced it.
                path = manifests.locate(name_or_path)
                if place is not None and _place(path) == place:
                    raise

    @property
    def name(self) -> str:
        """The name the pack was built under."""
        return self.manifest.name

    @property
    def hash(self) -> str:
        """Identity of the contents, for run headers."""
        return self.manifest.hash

    @property
    def provenance(self) -> set[Provenance]:
        """Provenance classes of the rows and documents in it."""
        return set(self.manifest.provenance)

    def find(self, lookup: Lookup, values: Sequence[Value]) -> LookupResult:
        """Ask a table; `values` in the order of `lookup.parameters`.

        Shapes "one" and "name" give at most the first row. `complete` says that no further rows can exist.
        """
        if len(values) != len(lookup.parameters):
            raise ValueError(f"{lookup.tool} takes {len(lookup.parameters)} values, not {len(values)}")
        askable = all(storable(value) for value in values)
        if askable:
            known = self._known_answer(lookup, values)
            if known is not None:
                return known
        rows = self._matching(lookup, values) if askable else ()
        certain = self.manifest.coverage == "complete" and self._certain(lookup)
        if rows:
            return LookupResult("rows", rows, complete=certain)
        return LookupResult("miss") if certain else LookupResult("outside", complete=False)

    def distinct(self, table: str, column: str) -> list[str]:
        """Distinct known texts of a column, sorted by code point."""
        _check_column(table, column)
        name = quoted(column)
        found = self.reader.all(
            f"SELECT DISTINCT {name} FROM {quoted(table)} WHERE typeof({name}) = 'text' ORDER BY {name}"
        )
        return [text for (text,) in found]

    def rows(self, table: str) -> Iterator[Row]:
        """All rows of a table in its order."""
        _check_column(table)
        last = 0
        while batch := self._select(table, "number > ? ORDER BY number LIMIT ?", (last, _BATCH)):
            yield from batch
            last = batch[-1].number

    def row(self, table: str, number: int) -> Row:
        """One row by its number.

        Raises:
            NotFound: there is none.
        """
        _check_column(table)
        found = self._select(table, "number = ?", (number,))
        if not found:
            raise NotFound(f"Pack {self.name} has no row {number} in {table}")
        return found[0]

    def documents(self, corpus: str) -> Iterator[Document]:
        """All texts of a corpus in their order."""
        check_corpus(corpus)
        last = 0
        sql = (
            "SELECT number, corpus, text, provenance FROM document"
            " WHERE corpus = ? AND number > ? ORDER BY number LIMIT ?"
        )
        while batch := self.reader.all(sql, (corpus, last, _BATCH)):
            yield from (Document(*found) for found in batch)
            last = batch[-1][0]

    def counts(self) -> dict[str, Any]:
        """`{"tables": {T: n}, "documents": {C: n}, "statutes": n, "pages": n, "tasks": {B: n}}`."""
        return self.manifest.counts.model_dump()

    def statistics(self) -> dict[str, Any]:
        """How much is known: cells a table (known of all), and recorded answers by kind (list, one, miss)."""
        tables: dict[str, dict[str, int]] = {}
        for table, columns in TABLES.items():
            masks = self.reader.all(f"SELECT known, count(*) FROM {quoted(table)} GROUP BY known")
            rows = sum(count for _, count in masks)
            known = sum(mask.bit_count() * count for mask, count in masks)
            tables[table] = {"rows": rows, "cells": rows * len(columns), "known_cells": known}
        answers = dict(self.reader.all("SELECT kind, count(*) FROM known_answer GROUP BY kind ORDER BY kind"))
        return {"tables": tables, "answers": answers}

    def databases(self) -> dict[str, dict[str, TableFacts]]:
        """What its databases hold: file -> table -> rows and columns."""
        found = {CORPUS: self.reader.tables()}
        if WEB_FILE in self.manifest.files:
            with self.using(WEB_FILE) as path:
                reader = Reader(path)
            try:
                found[WEB_FILE] = reader.tables()
            finally:
                reader.close()
        return found

    def task_file(self, benchmark: str) -> Path | None:
        """The task file of a benchmark (JSON lines), which only that benchmark can read."""
        file = f"tasks/{benchmark}.jsonl"
        if file not in self.manifest.files:
            return None
        with self.using(file) as path:
            return path

    @contextmanager
    def using(self, file: str) -> Iterator[Path]:
        """Path of a file of the pack, to be opened inside the block: it holds the bytes that the manifest lists.

        Raises:
            StoreError: the pack was built without it.
            Damaged: it holds others.
        """
        if file not in self.manifest.files:
            raise StoreError(f"Pack {self.name} has no {file}: it was built without it", "Build or import it again.")
        path = self.path / file
        with identity.unchanged(path, manifests.check(self.path, self.manifest, [file])[file]):
            yield path

    def accompany(self, other: Pack) -> None:
        """Take charge of another pack, which is used as long as this one and closed with it."""
        self._companions.append(other)

    def close(self) -> None:
        """Close the database, and the packs that accompany it."""
        for other in self._companions:
            other.close()
        self.reader.close()

    def __enter__(self) -> Pack:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _known_answer(self, lookup: Lookup, values: Sequence[Value]) -> LookupResult | None:
        key = key_of(values)
        kinds = self.reader.all("SELECT kind FROM known_answer WHERE tool = ? AND key = ?", (lookup.tool, key))
        if not kinds:
            return None
        kind = kinds[0][0]
        if kind == "miss":
            return LookupResult("miss")
        numbers = self.reader.all(
            "SELECT number FROM known_row WHERE tool = ? AND key = ? ORDER BY position", (lookup.tool, key)
        )
        rows = tuple(self.row(lookup.table, number) for (number,) in numbers)
        complete = kind == "list" or lookup.shape != "many"
        return LookupResult("rows", rows, complete=complete) if rows else LookupResult("miss")

    def _matching(self, lookup: Lookup, values: Sequence[Value]) -> tuple[Row, ...]:
        clauses = []
        for position, columns in enumerate(lookup.match, 1):
            same = (f"({quoted(c)} = ?{position} AND typeof({quoted(c)}) = typeof(?{position}))" for c in columns)
            clauses.append(f"({' OR '.join(same)})")
        limit = "" if lookup.shape == "many" else " LIMIT 1"
        where = f"{' AND '.join(clauses)} ORDER BY number{limit}"
        return tuple(self._select(lookup.table, where, tuple(values)))

    def _known_everywhere(self, lookup: Lookup) -> bool:
        masks = self._masks(lookup.table)
        wanted = functools.reduce(
            lambda a, b: a | b, (bit(lookup.table, c) for columns in lookup.match for c in columns)
        )
        return bool(masks) and all(mask & wanted == wanted for mask in masks)

    def _known_cells(self, table: str) -> list[int]:
        """Which cells the rows of a table know: read once, for it reads them all."""
        return [mask for (mask,) in self.reader.all(f"SELECT DISTINCT known FROM {quoted(table)}")]

    def _select(self, table: str, where: str, parameters: tuple[object, ...]) -> list[Row]:
        columns = TABLES[table]
        names = ", ".join(quoted(column) for column in columns)
        sql = f"SELECT number, known, provenance, {names} FROM {quoted(table)} WHERE {where}"
        return [_row(table, found) for found in self.reader.all(sql, parameters)]


def verify_pack(name_or_path: str | Path) -> list[PackFault]:
    """Everything wrong with a pack: hashes of all files, then SQLite's own check of the database.

    Raises:
        NotFound: there is no such pack.
    """
    path = manifests.locate(name_or_path)
    found = manifests.problems(path)
    if not found:
        said = integrity_problem(path / CORPUS)
        if said:
            found.append(PackFault(CORPUS, f"integrity check: {said}"))
        if (path / WEB_FILE).is_file() and (said := integrity_problem(path / WEB_FILE)):
            found.append(PackFault(WEB_FILE, f"integrity check: {said}"))
    return found


def remove_pack(name: str) -> Path:
    """Remove an installed pack, also a damaged one; gives the folder that is gone.

    Raises:
        NotFound: there is no such pack.
        BadInput: a folder of that name is no pack.
    """
    folder = places.packs() / name
    if not manifests.is_name(name) or not folder.is_dir():
        raise NotFound(f"There is no pack named {name}", "`moot data list` shows the packs.")
    if not (folder / manifests.FILE).exists() and not (folder / CORPUS).exists():
        raise BadInput(f"{folder} is not a pack", "Remove it yourself if it is not needed.")
    try:
        placing.remove(folder)
    except OSError as error:
        raise StoreError(f"Pack {name} could not be removed from {folder.parent}: {error.strerror}") from None
    return folder


def _place(path: Path) -> tuple[int, int, int] | None:
    """What the file system says of a folder; None where it is gone. With the time of its last move: the number of a
    folder that was replaced is given to the next."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_ctime_ns


def check_corpus(corpus: str) -> None:
    """Raise NotFound for a name that is no corpus."""
    if corpus not in CORPORA:
        raise NotFound(f"There is no corpus named {corpus}", f"Corpora: {', '.join(CORPORA)}.")


def _check_column(table: str, column: str | None = None) -> None:
    if table not in TABLES:
        raise NotFound(f"There is no table named {table}", f"Tables: {', '.join(TABLES)}.")
    if column is not None and column not in TABLES[table]:
        raise NotFound(f"{table} has no column {column}", f"Columns: {'、'.join(TABLES[table])}.")


def _row(table: str, found: tuple[Any, ...]) -> Row:
    number, known, provenance, *values = found
    cells: dict[str, Cell] = {
        column: value if known >> position & 1 else UNKNOWN
        for position, (column, value) in enumerate(zip(TABLES[table], values, strict=True))
    }
    return Row(number, table, cells, cast(Provenance, provenance))
