"""Browsing a pack: rows of a table, texts of a corpus, laws and their articles, a window of them at a time.

A dataset is a table or corpus by its name, `laws`, or the newest wording of one law. SQLite sorts,
filters and counts, so that memory does not grow with the pack. Offsets and counts are in rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from store.connection import quoted
from store.pack import Pack
from store.schema import CORPORA, LOOKUPS, TABLES, UNKNOWN, Cell, Provenance, Row

LAWS, ARTICLES = "laws", "articles"
TEXT = "text"
"""The column of a text."""
_OF_LAWS = ("name", "short", "level")
_OF_ARTICLES = ("number", "sub", "chapter", "section", "title", "text", "part")
_NEWEST = (
    "SELECT v.id FROM law_versions v JOIN laws l ON l.id = v.law WHERE l.name = ?"
    " ORDER BY v.valid_from IS NULL, v.valid_from DESC, v.id DESC LIMIT 1"
)


@dataclass(frozen=True, slots=True)
class Dataset:
    """Rows that are browsed together. law: the official title where `kind` is `articles`."""

    kind: str
    law: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """Its columns in order."""
        return {LAWS: _OF_LAWS, ARTICLES: _OF_ARTICLES}.get(self.kind) or TABLES.get(self.kind, (TEXT,))

    @property
    def _from(self) -> tuple[str, tuple[object, ...]]:
        """Where its rows stand, and the parameters of that."""
        columns = ", ".join(quoted(column) for column in self.columns)
        if self.kind in TABLES:
            return (
                f"(SELECT number AS _number, known AS _known, provenance AS _source, {columns}"
                f" FROM {quoted(self.kind)})",
                (),
            )
        if self.kind in CORPORA:
            return (
                "(SELECT number AS _number, -1 AS _known, provenance AS _source, text"
                " FROM document WHERE corpus = ?)",
                (self.kind,),
            )
        if self.kind == LAWS:
            return f"(SELECT id AS _number, -1 AS _known, provenance AS _source, {columns} FROM laws)", ()
        inner = (
            f"SELECT position AS _number, -1 AS _known, (SELECT provenance FROM laws WHERE name = ?) AS _source,"
            f" {columns} FROM articles WHERE version = ({_NEWEST})"
        )
        return f"({inner})", (self.law, self.law)


@dataclass(frozen=True, slots=True)
class SortOrder:
    """By a column, or in the order of the pack (""); ends with the number of the row."""

    column: str = ""
    down: bool = False


def datasets(pack: Pack) -> list[tuple[Dataset, int]]:
    """The tables, corpora and laws of a pack with how many rows each has."""
    counts = pack.counts()
    found = [(Dataset(table), int(counts["tables"].get(table, 0))) for table in TABLES]
    found += [(Dataset(corpus), int(counts["documents"].get(corpus, 0))) for corpus in CORPORA]
    return [*found, (Dataset(LAWS), count(pack, Dataset(LAWS)) if counts["statutes"] else 0)]


def count(pack: Pack, dataset: Dataset, words: Sequence[str] = ()) -> int:
    """How many rows hold all the words, each in any column."""
    where, given = _where(dataset, words)
    source, first = dataset._from
    return int(pack.reader.all(f"SELECT count(*) FROM {source}{where}", (*first, *given))[0][0])


def window(
    pack: Pack,
    dataset: Dataset,
    words: Sequence[str] = (),
    order: SortOrder | None = None,
    *,
    start: int = 0,
    most: int = 100,
) -> list[Row]:
    """Rows from `start` on, at most so many, of those that hold all the words."""
    order = order or SortOrder()
    where, given = _where(dataset, words)
    source, first = dataset._from
    names = ", ".join(quoted(column) for column in dataset.columns)
    by = f"{quoted(order.column)} {'DESC' if order.down else 'ASC'}, " if order.column in dataset.columns else ""
    sql = f"SELECT _number, _known, _source, {names} FROM {source}{where} ORDER BY {by}_number LIMIT ? OFFSET ?"
    return [_row(dataset, found) for found in pack.reader.all(sql, (*first, *given, most, start))]


def suggested(pack: Pack, tool: str, parameter: str, typed: str, most: int = 8) -> list[str]:
    """Names that a look-up would find: those that begin with what is typed, then those that hold it; by code
    point."""
    lookup = LOOKUPS[tool]
    if parameter not in lookup.parameters:
        return []
    found: dict[str, None] = {}
    begins = typed.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    for pattern in (begins, "%" + begins):
        for column in lookup.match[lookup.parameters.index(parameter)]:
            name = quoted(column)
            sql = (
                f"SELECT DISTINCT {name} FROM {quoted(lookup.table)} WHERE typeof({name}) = 'text'"
                f" AND {name} LIKE ? ESCAPE '\\' ORDER BY {name} LIMIT ?"
            )
            found |= {value: None for (value,) in pack.reader.all(sql, (pattern, most))}
        if len(found) >= most:
            break
    return list(found)[:most]


def _where(dataset: Dataset, words: Sequence[str]) -> tuple[str, tuple[object, ...]]:
    anywhere = " OR ".join(f"instr(CAST({quoted(column)} AS TEXT), ?) > 0" for column in dataset.columns)
    given = tuple(word for word in words for _ in dataset.columns)
    return (" WHERE " + " AND ".join(f"({anywhere})" for _ in words) if words else ""), given


def _row(dataset: Dataset, found: tuple[object, ...]) -> Row:
    number, known, provenance, *values = found
    cells: dict[str, Cell] = {
        column: value if int(known) >> place & 1 else UNKNOWN  # type: ignore[misc, call-overload]
        for place, (column, value) in enumerate(zip(dataset.columns, values, strict=True))
    }
    return Row(int(number), dataset.kind, cells, _provenance(provenance))  # type: ignore[call-overload]


def _provenance(text: object) -> Provenance:
    return text if text in ("authored", "harvested", "derived", "imported") else "imported"
