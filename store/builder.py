"""Builds a pack beside its destination and moves it in whole: a reader sees the old pack or the new one, never half.

Nothing stays behind when building fails, and a pack that is replaced is kept until the new one is in place.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, date, datetime
from pathlib import Path
from types import TracebackType
from typing import Literal

from store import identity, places, web_tables
from store import manifest as manifests
from store.connection import quoted
from store.errors import BadInput, StoreError
from store.importers import silent
from store.manifest import CORPUS, FORMAT, Counts, Manifest, MergedPack, check_name
from store.placing import StagingFolder
from store.schema import (
    CORPORA,
    LOOKUPS,
    TABLES,
    UNKNOWN,
    Cell,
    Provenance,
    Value,
    index_statements,
    key_of,
    storable,
    table_statements,
    text_index,
)
from store.statutes.model import Article, Law, LawVersion, Link
from store.statutes.tables import StatuteWriter
from store.text.normalise import fold_width
from store.text.segment import segmenter, words
from store.web_tables import WebWriter

_BENCHMARK = re.compile(r"[a-z0-9][a-z0-9_-]*")
_EXTRA = re.compile(r"[a-z0-9][a-z0-9_-]*(\.[a-z0-9]+)+")
_NOTHING_REFUSED: ContextVar[bool] = ContextVar("nothing_refused", default=False)


@contextmanager
def nothing_refused() -> Iterator[None]:
    """A user imports inside the block: a pack that would hold nothing is refused. Code that builds one means it."""
    token = _NOTHING_REFUSED.set(True)
    try:
        yield
    finally:
        _NOTHING_REFUSED.reset(token)


class PackBuilder:
    """Use as a context manager: leaving it normally finishes the pack, an exception leaves nothing behind."""

    def __init__(
        self,
        name: str,
        *,
        jurisdiction: str,
        source: str,
        licence: str,
        coverage: Literal["complete", "harvest"],
        as_of: str,
        parts: Sequence[MergedPack] = (),
    ) -> None:
        self._parts = list(parts)
        self._name = check_name(name)
        self._jurisdiction, self._licence, self._as_of = jurisdiction, licence, as_of
        self._source = source.encode("utf-8", "replace").decode()  # a file may have a name that is no text
        self._coverage: Literal["complete", "harvest"] = coverage
        self._rows: Counter[str] = Counter()
        self._documents: Counter[str] = Counter()
        self._tasks: Counter[str] = Counter()
        self._provenance: set[Provenance] = set()
        self._statutes = StatuteWriter(self._execute)
        self._embedder: dict[str, object] | None = None
        self._finished: Path | None = None
        self._empty: list[str] = []
        self._destination = places.packs() / name
        self._refuse_foreign_folder()
        with self._writing():
            self._staging = StagingFolder(self._destination)
        self._folder = self._staging.folder
        self._web = WebWriter(self._folder)
        try:
            with self._writing():
                self._database = sqlite3.connect(self._folder / CORPUS, isolation_level=None, check_same_thread=False)
                for pragma in ("page_size = 4096", "journal_mode = OFF", "synchronous = OFF"):
                    self._database.execute(f"PRAGMA {pragma}").fetchall()
                self._database.execute("BEGIN")
                for statement in table_statements():
                    self._database.execute(statement)
        except BaseException:
            self.abandon()
            raise

    def __enter__(self) -> PackBuilder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.finish()
        else:
            self.abandon()

    def add_row(self, table: str, cells: Mapping[str, Cell], provenance: Provenance, *, source: str = "") -> int:
        """Append a row and give its number (from 1, the order of the table).

        An absent column is unknown, None is null (upstream's nan), a float nan becomes null.

        Raises:
            BadInput: an unknown table or column, or a value that no cell can hold.
        """
        known, values = _packed(table, cells)
        self._rows[table] += 1
        self._provenance.add(provenance)
        marks = ", ".join("?" * (4 + len(values)))
        row = (self._rows[table], known, provenance, source, *values)
        self._execute(f"INSERT INTO {quoted(table)} VALUES ({marks})", row)
        return self._rows[table]

    def known_list(self, tool: str, values: Sequence[Value], rows: Sequence[int]) -> None:
        """The lookup gives exactly these rows in this order (none: it gives nothing)."""
        self._known(tool, values, "list" if rows else "miss", rows)

    def known_miss(self, tool: str, values: Sequence[Value]) -> None:
        """The lookup is known to find nothing."""
        self._known(tool, values, "miss", ())

    def known_one(self, tool: str, values: Sequence[Value], row: int) -> None:
        """The lookup gives this row first; a list lookup may have more rows than this one."""
        self._known(tool, values, "one", (row,))

    def add_document(self, corpus: str, text: str, provenance: Provenance) -> int:
        """Append a text to a corpus and index it; gives its number.

        Raises:
            BadInput: an unknown corpus, or text that is not valid Unicode.
        """
        if corpus not in CORPORA:
            raise BadInput(f"There is no corpus named {corpus}", f"Corpora: {', '.join(CORPORA)}.")
        if not isinstance(text, str) or not storable(text):
            raise BadInput(f"A text of {corpus} is not valid Unicode")
        self._documents[corpus] += 1
        self._provenance.add(provenance)
        number = self._documents.total()
        self._execute("INSERT INTO document VALUES (?, ?, ?, ?)", (number, corpus, text, provenance))
        folded = fold_width(text)
        for kind, indexed in (("trigram", folded), ("words", " ".join(words(folded)))):
            self._execute(f"INSERT INTO {text_index(kind, corpus)} (rowid, text) VALUES (?, ?)", (number, indexed))
        return number

    def add_law(self, law: Law, aliases: Iterable[str] = ()) -> None:
        """Add a law, or further aliases of it; see `StatuteWriter.add_law`."""
        self._statutes.add_law(law, aliases)

    def add_alias(self, law: str, alias: str) -> None:
        """Add an alias of a law that was added; see `StatuteWriter.add_alias`."""
        self._statutes.add_alias(law, alias)

    def add_version(self, version: LawVersion, articles: Iterable[Article]) -> None:
        """Add a version of a law with its articles in their order; see `StatuteWriter.add_version`."""
        self._statutes.add_version(version, articles)

    def add_link(self, link: Link) -> None:
        """Add a renumbering or a succession; see `StatuteWriter.add_link`."""
        self._statutes.add_link(link)

    def add_page(
        self,
        url: str,
        title: str,
        day: date | None,
        text: str,
        provenance: Provenance,
        source: str,
        *,
        replace: bool = False,
    ) -> None:
        """Add a page to the web snapshot. day: when it says it was published; source: where it comes from.

        Raises:
            BadInput: no address that `web_address.is_address` knows, no text, or (without `replace`) one that is
                taken.
        """
        with self._writing():
            self._web.add(url, title, day, text, provenance, source, replace)

    def add_tasks(self, benchmark: str, lines: Iterable[str]) -> None:
        """Write the tasks of a benchmark, one JSON object a line; the store does not look into them."""
        if not _BENCHMARK.fullmatch(benchmark):
            raise BadInput(f"{benchmark!r} cannot name a benchmark")
        with self._writing():
            path = self._folder / "tasks" / f"{benchmark}.jsonl"
            path.parent.mkdir(exist_ok=True)
            with path.open("a", encoding="utf-8", newline="\n") as stream:
                for line in lines:
                    if not storable(line):
                        raise BadInput(f"A task of {benchmark} is not valid Unicode")
                    stream.write(line.rstrip("\r\n") + "\n")
                    self._tasks[benchmark] += 1

    def add_file(self, name: str, data: bytes) -> None:
        """Put a file of its own into the pack; the manifest lists it like the others.

        Raises:
            BadInput: the name is no plain file name, or is taken.
        """
        taken = name in (manifests.FILE, CORPUS, web_tables.FILE) or (self._folder / name).exists()
        if taken or not _EXTRA.fullmatch(name):
            raise BadInput(f"{name!r} cannot name a file in a pack")
        with self._writing():
            (self._folder / name).write_bytes(data)

    def found_empty(self, source: str) -> None:
        """A table of a source holds no rows: the pack is not finished."""
        self._empty.append(source)

    def finish(self, progress: Callable[[str, int, int | None], None] | None = None) -> Path:
        """Write everything to disk, move the pack to its place and give its path.

        progress: called as importers call it (phase, done, of), for the indexes over articles.

        Raises:
            BadInput: a table of its source is empty, or all of it where a user imports; see `nothing_refused`.
        """
        if self._finished is None:
            try:
                self._refuse_empty()
                with self._writing():
                    self._close_database(progress or silent)
                    self._web.finish()
                    self._write_manifest()
                    self._staging.commit()
            except BaseException:
                self.abandon()
                raise
            self._finished = self._destination
        return self._finished

    def abandon(self) -> None:
        """Remove everything that was built."""
        if self._finished is None:
            if hasattr(self, "_database"):
                self._database.close()
            self._web.close()
            self._staging.clear()

    def _known(self, tool: str, values: Sequence[Value], kind: str, rows: Sequence[int]) -> None:
        if tool not in LOOKUPS:
            raise BadInput(f"There is no lookup named {tool}")
        for value in values:
            if not storable(value):
                raise BadInput(f"{tool}: {value!r} cannot be looked up")
        key = key_of(values)
        old = self._execute("SELECT kind FROM known_answer WHERE tool = ? AND key = ?", (tool, key)).fetchone()
        if old is not None:
            found = self._execute(
                "SELECT number FROM known_row WHERE tool = ? AND key = ? ORDER BY position", (tool, key)
            )
            if old[0] != kind or [number for (number,) in found] != list(rows):
                raise BadInput(f"Two different answers of {tool} to {'、'.join(map(str, values))}")
            return
        self._execute("INSERT INTO known_answer VALUES (?, ?, ?)", (tool, key, kind))
        for position, number in enumerate(rows):
            if not 0 < number <= self._rows[LOOKUPS[tool].table]:
                raise BadInput(f"{LOOKUPS[tool].table} has no row {number}")
            self._execute("INSERT INTO known_row VALUES (?, ?, ?, ?)", (tool, key, position, number))

    def _execute(self, sql: str, parameters: tuple[object, ...] = ()) -> sqlite3.Cursor:
        with self._writing():
            return self._database.execute(sql, parameters)

    def _close_database(self, progress: Callable[[str, int, int | None], None]) -> None:
        self._statutes.finish()
        if self._statutes.articles:
            # numpy and the vector index are loaded only for packs that need them.
            from store.search.indexing import build_indexes

            self._embedder = build_indexes(self._database, self._folder, progress)
        for statement in index_statements():
            self._database.execute(statement)
        for corpus in CORPORA:
            for kind in ("trigram", "words"):
                name = text_index(kind, corpus)
                self._database.execute(f"INSERT INTO {name} ({name}) VALUES ('optimize')")
        for statement in ("COMMIT", "ANALYZE", "VACUUM"):
            self._database.execute(statement)
        self._database.close()

    def _write_manifest(self) -> None:
        files = sorted(path for path in self._folder.rglob("*") if path.is_file())
        names = {path.relative_to(self._folder).as_posix(): path for path in files}
        manifests.write(
            self._folder,
            Manifest(
                format=FORMAT,
                name=self._name,
                jurisdiction=self._jurisdiction,
                as_of=self._as_of,
                source=self._source,
                licence=self._licence,
                coverage=self._coverage,
                provenance=sorted(self._provenance | self._statutes.provenance | self._web.provenance),
                counts=Counts(
                    tables={table: self._rows[table] for table in TABLES},
                    documents={corpus: self._documents[corpus] for corpus in CORPORA},
                    statutes=self._statutes.articles,
                    pages=self._web.pages,
                    tasks=dict(sorted(self._tasks.items())),
                ),
                segmenter=segmenter() if self._documents or self._web.pages or self._statutes.articles else "",
                embedder=self._embedder,
                built=datetime.now(UTC).isoformat(timespec="seconds"),
                files={name: identity.read_all(path) for name, path in names.items()},
                sizes={name: path.stat().st_size for name, path in names.items()},
                parts=self._parts,
            ),
        )

    def _refuse_empty(self) -> None:
        if self._empty:
            raise BadInput(f"{self._empty[0]}: no rows in it", "Leave it out, or fill it.")
        held = (*self._rows.values(), *self._documents.values(), *self._tasks.values())
        if _NOTHING_REFUSED.get() and not any((*held, self._statutes.articles, self._web.pages)):
            raise BadInput(f"Pack {self._name} would hold nothing", "Look at its source.")

    def _refuse_foreign_folder(self) -> None:
        if self._destination.exists() and not (self._destination / manifests.FILE).is_file():
            raise BadInput(f"{self._destination} exists and is not a pack", "Move it away or choose another name.")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.OperationalError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            raise StoreError(
                f"Pack {self._name} could not be written in {self._destination.parent}: {reason}",
                "Free some space there, or set MOOT_HOME to a folder that can be written.",
            ) from error


def _packed(table: str, cells: Mapping[str, Cell]) -> tuple[int, list[str | int | float | None]]:
    if table not in TABLES:
        raise BadInput(f"There is no table named {table}", f"Tables: {', '.join(TABLES)}.")
    columns = TABLES[table]
    strange = [column for column in cells if column not in columns]
    if strange:
        raise BadInput(f"{table} has no column {'、'.join(map(str, strange))}", f"Columns: {'、'.join(columns)}.")
    known = 0
    values: list[str | int | float | None] = []
    for position, column in enumerate(columns):
        value = cells.get(column, UNKNOWN)
        if value is UNKNOWN:
            values.append(None)
            continue
        known |= 1 << position
        if value is None or value != value:
            values.append(None)
        elif storable(value):
            values.append(value)
        else:
            raise BadInput(f"{table}: {column} cannot hold {value!r:.80}", "A cell is text, a 64-bit number or null.")
    return known, values
