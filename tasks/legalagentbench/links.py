"""Where a record leads: every value of it that opens a tool, found by asking the tools themselves.

The look-ups are the only rule: a value opens a tool when the tool finds rows by it. Three columns that name a place
open the tools that ask for one, and a case number also opens what can be read out of it (the court's 代字).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from store.pack import Pack
from store.schema import LOOKUPS, Lookup, Row
from tasks.legalagentbench.construct.source import WalkRejected
from tasks.legalagentbench.construct.tree import DERIVED, PLACES, court_code, kind_of, opens

LONGEST = 100
"""Characters; a longer text is no name."""


@dataclass(frozen=True, slots=True)
class RecordLink:
    """A value of a record that opens a tool. rows: what the tool finds, never the record alone."""

    columns: tuple[str, ...]
    tool: str
    values: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def table(self) -> str:
        """Where it leads."""
        return LOOKUPS[self.tool].table


def links(pack: Pack, row: Row) -> list[RecordLink]:
    """All links of a record, by its columns, then by tool."""
    return [link for asked in _asked(row) if (link := _opened(pack, row, *asked)) is not None]


def _asked(row: Row) -> Iterator[tuple[Lookup, tuple[str, ...], tuple[str, ...]]]:
    """What is asked of whom: a look-up, columns, values."""
    alone = [lookup for lookup in LOOKUPS.values() if len(lookup.parameters) == 1]
    for column, cell in row.cells.items():
        if not isinstance(cell, str) or len(cell) > LONGEST or not any(map(str.isalnum, cell)):
            continue  # a dash stands for nothing, though rows may be found by it
        yield from ((lookup, (column,), (cell,)) for lookup in alone)
        for other in DERIVED.get(kind_of(row.table, column), ()):
            with suppress(WalkRejected):
                read = court_code(cell)
                yield from ((LOOKUPS[tool], (column,), (read,)) for tool, _ in opens(other))
    place = PLACES.get(row.table, ())
    values = tuple(cell for column in place if isinstance(cell := row.cells[column], str))
    if place and len(values) == len(place):
        yield from ((lookup, place, values) for lookup in LOOKUPS.values() if len(lookup.parameters) == len(place))


def _opened(
    pack: Pack, row: Row, lookup: Lookup, columns: tuple[str, ...], values: tuple[str, ...]
) -> RecordLink | None:
    rows = pack.find(lookup, values).rows
    only_itself = [(found.table, found.number) for found in rows] == [(row.table, row.number)]
    return RecordLink(columns, lookup.tool, values, rows) if rows and not only_itself else None
