"""The tables of `corpus.db`, shared by the builder that writes them and the pack that reads them.

Corpus tables are STRICT with ANY columns, so that 5, 5.0 and "5" stay three values. A row carries `known`, a bitmap
(bit i = column i is known): NULL with the bit set is upstream's nan, NULL without it is a cell the pack does not
hold.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from store.connection import quoted
from store.schema import CORPORA, LOOKUPS, TABLES

Value = str | int | float

TEXT_INDEXES = ("trigram", "words")
"""Full-text indexes a corpus has: any three characters, and words as the segmenter cuts them."""


def text_index(kind: str, corpus: str) -> str:
    """Name of a full-text table; each corpus has its own, so that word weights are those of the corpus."""
    return f"{kind}_{corpus}"


def table_statements() -> list[str]:
    """CREATE statements of all tables, without indexes."""
    statements = [
        f"CREATE TABLE {quoted(table)} (number INTEGER PRIMARY KEY, known INTEGER NOT NULL, provenance TEXT NOT NULL,"
        f" source TEXT NOT NULL, {', '.join(f'{quoted(column)} ANY' for column in columns)}) STRICT"
        for table, columns in TABLES.items()
    ]
    statements += [
        "CREATE TABLE document (number INTEGER PRIMARY KEY, corpus TEXT NOT NULL, text TEXT NOT NULL,"
        " provenance TEXT NOT NULL) STRICT",
        "CREATE TABLE known_answer (tool TEXT NOT NULL, key TEXT NOT NULL,"
        " kind TEXT NOT NULL CHECK (kind IN ('list', 'one', 'miss')), PRIMARY KEY (tool, key)) STRICT, WITHOUT ROWID",
        "CREATE TABLE known_row (tool TEXT NOT NULL, key TEXT NOT NULL, position INTEGER NOT NULL,"
        " number INTEGER NOT NULL, PRIMARY KEY (tool, key, position)) STRICT, WITHOUT ROWID",
    ]
    tokenizers = {"trigram": "trigram", "words": "unicode61 remove_diacritics 0"}
    statements += [
        f"CREATE VIRTUAL TABLE {text_index(kind, corpus)} USING fts5(text, content='', tokenize='{tokenizers[kind]}')"
        for corpus in CORPORA
        for kind in TEXT_INDEXES
    ]
    return statements


def index_statements() -> list[str]:
    """CREATE INDEX for every way that a lookup asks a table."""
    wanted: dict[tuple[str, tuple[str, ...]], None] = {}
    for lookup in LOOKUPS.values():
        if len(lookup.match) > 1:
            wanted[lookup.table, tuple(columns[0] for columns in lookup.match)] = None
        else:
            wanted.update({(lookup.table, (column,)): None for column in lookup.match[0]})
    statements = [
        f"CREATE INDEX {quoted('by_' + table + '_' + '_'.join(columns))} ON {quoted(table)}"
        f" ({', '.join(quoted(column) for column in columns)})"
        for table, columns in wanted
    ]
    return [*statements, "CREATE INDEX by_document_corpus ON document (corpus, number)"]


def key_of(values: Sequence[Value]) -> str:
    """The values of a lookup as one text that keeps their types apart."""
    return json.dumps(list(values), ensure_ascii=False)


def storable(value: object) -> bool:
    """Whether SQLite can hold this value as what it is (no bool, no NaN, 64-bit integers, valid Unicode)."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return False
        return True
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    return isinstance(value, float) and not math.isnan(value)


def bit(table: str, column: str) -> int:
    """The bit of a column in `known`."""
    return 1 << TABLES[table].index(column)
