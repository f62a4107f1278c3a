"""Where a path is walked: rows in memory (while a pack is being built) or an open pack. Both answer like the
tools."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Protocol

from store.pack import Pack
from store.schema import LOOKUPS, TABLES, Cell, UnknownType
from store.text.dates import parse_date
from store.text.money import parse_money

_MONEY = re.compile(r"(元|万元|亿元)(\d)")
_UNITS = {"元": Decimal(1), "万元": Decimal(10_000), "亿元": Decimal(100_000_000)}
_COUNTS = ("次", "家", "件", "个", "名", "天", "起")


class WalkRejected(ValueError):
    """This walk gives no task: missing, tied or ambiguous."""


def missing(value: object) -> bool:
    """Upstream's marks for nothing: null, '-', ' -', ' - ', empty."""
    return value is None or (isinstance(value, str) and value.strip() in ("", "-"))


def number(value: object) -> Decimal:
    """The amount of a cell in its own unit (万 and 亿 resolved)."""
    if missing(value) or not isinstance(value, str | int | float):
        raise WalkRejected("no number")
    parsed = parse_money(value)
    if parsed is None:
        raise WalkRejected(f"no number: {value!r}")
    return parsed


def written(value: object, shape: str = "text") -> str:
    """The key string of a value. shape: text, plain, a measure word, 第 (a rank), or 元2 / 万元2 / 亿元2 (unit and
    decimals)."""
    if missing(value):
        raise WalkRejected("missing")
    if shape in _COUNTS:
        return f"{value}{shape}"
    if shape == "第":
        return f"第{value}名"
    if match := _MONEY.fullmatch(shape):
        return _money(number(value), match[1], int(match[2]))
    if shape == "plain":
        exact = number(value).normalize()
        return f"{exact:f}"
    text = str(value).strip()
    if "年" in text and shape == "date" and parse_date(text) is None:
        raise WalkRejected(f"no date: {text}")
    return text


def _money(yuan: Decimal, unit: str, places: int) -> str:
    step = Decimal(1).scaleb(-places)
    amount = yuan / _UNITS[unit]
    shown = amount.quantize(step, ROUND_HALF_UP)
    if shown != amount.quantize(step, ROUND_HALF_EVEN) or not shown:
        raise WalkRejected("rounding tie or nothing left")
    return f"{shown:f}{unit}"


Value = str | int | float | None
Record = Mapping[str, Value]


class Source(Protocol):
    """Rows by lookup, and all values of a column to start from."""

    def find(self, tool: str, values: Sequence[str]) -> list[Record] | None:
        """All rows of a lookup in order; None when the source cannot say that these are all."""

    def values(self, table: str, column: str) -> list[str]:
        """Distinct strings of a column, sorted."""

    def places(self, table: str, columns: Sequence[str]) -> list[tuple[str, ...]]:
        """Distinct combinations of several columns, sorted."""

    def hidden(self, tool: str, value: str) -> bool:
        """Whether a list tool passes over rows that a reader of the question would count.

        The firm list matches whole fields only, so a row with two firms is not found by either of them; the company
        list matches 关联公司 only, so a party of someone else's row is not found.
        """


_JOINED = {
    "get_legal_document_law_list": ("原告律师事务所", "被告律师事务所"),
    "get_legal_document_company_list": ("原告", "被告"),
}


def _passed_over(rows: Iterable[Record]) -> dict[str, frozenset[str]]:
    firms: set[str] = set()
    parties: set[str] = set()
    for row in rows:
        for column in _JOINED["get_legal_document_law_list"]:
            if "," in (cell := str(row.get(column))):
                firms.update(cell.split(","))
        for column in _JOINED["get_legal_document_company_list"]:
            parties.update(name for name in str(row.get(column)).split(",") if name != row.get("关联公司"))
    return {"get_legal_document_law_list": frozenset(firms), "get_legal_document_company_list": frozenset(parties)}


def _combinations(rows: Iterable[Record], columns: Sequence[str]) -> list[tuple[str, ...]]:
    found = {tuple(row.get(column) for column in columns) for row in rows}
    return sorted(each for each in found if all(isinstance(part, str) for part in each))  # type: ignore[misc]


class RowSource:
    """Complete tables in memory."""

    def __init__(self, rows: Mapping[str, Sequence[Record]]) -> None:
        self._rows = rows
        self._order: dict[str, dict[int, int]] = {}
        self._index: dict[tuple[str, tuple[str, ...]], dict[tuple[Value, ...], list[Record]]] = {}
        self._passed: dict[str, frozenset[str]] | None = None

    def find(self, tool: str, values: Sequence[str]) -> list[Record] | None:
        """All rows of a lookup in order."""
        lookup = LOOKUPS[tool]
        if len(lookup.match) > 1:
            return self._by(lookup.table, tuple(columns[0] for columns in lookup.match)).get(tuple(values), [])
        columns = lookup.match[0]
        found = [row for column in columns for row in self._by(lookup.table, (column,)).get(tuple(values), [])]
        if len(columns) == 1 or len(found) < 2:
            return found
        order = self._positions(lookup.table)
        return sorted({id(row): row for row in found}.values(), key=lambda row: order[id(row)])

    def values(self, table: str, column: str) -> list[str]:
        """Distinct strings of a column, sorted."""
        return sorted({value for row in self._rows[table] if isinstance(value := row[column], str)})

    def places(self, table: str, columns: Sequence[str]) -> list[tuple[str, ...]]:
        """Distinct combinations of several columns, sorted."""
        return _combinations(self._rows[table], columns)

    def hidden(self, tool: str, value: str) -> bool:
        """Whether a list tool passes over rows that a reader would count."""
        if self._passed is None:
            self._passed = _passed_over(self._rows["LegalDoc"])
        return value in self._passed.get(tool, ())

    def _positions(self, table: str) -> dict[int, int]:
        if table not in self._order:
            self._order[table] = {id(row): number for number, row in enumerate(self._rows[table])}
        return self._order[table]

    def _by(self, table: str, columns: tuple[str, ...]) -> dict[tuple[Value, ...], list[Record]]:
        key = (table, columns)
        if key not in self._index:
            index: dict[tuple[Value, ...], list[Record]] = defaultdict(list)
            for row in self._rows[table]:
                index[tuple(row[column] for column in columns)].append(row)
            self._index[key] = index
        return self._index[key]


class PackSource:
    """An open pack; a lookup that the pack does not hold completely gives None, so that no task is built on it."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._passed: dict[str, frozenset[str]] | None = None
        self._found: dict[tuple[str, tuple[str, ...]], list[Record] | None] = {}

    def find(self, tool: str, values: Sequence[str]) -> list[Record] | None:
        """All rows of a lookup in order; unknown cells are left out. What was asked once is remembered."""
        key = (tool, tuple(values))
        if key not in self._found:
            self._found[key] = self._asked(tool, values)
        return self._found[key]

    def _asked(self, tool: str, values: Sequence[str]) -> list[Record] | None:
        found = self._pack.find(LOOKUPS[tool], values)
        if found.status == "outside" or not found.complete:
            return None
        return [_known(row.cells) for row in found.rows]

    def values(self, table: str, column: str) -> list[str]:
        """Distinct strings of a column, sorted."""
        return self._pack.distinct(table, column)

    def places(self, table: str, columns: Sequence[str]) -> list[tuple[str, ...]]:
        """Distinct combinations of several columns, sorted."""
        if table not in TABLES:
            return []
        return _combinations((_known(row.cells) for row in self._pack.rows(table)), columns)

    def hidden(self, tool: str, value: str) -> bool:
        """Whether a list tool passes over rows that a reader would count."""
        if self._passed is None:
            self._passed = _passed_over(_known(row.cells) for row in self._pack.rows("LegalDoc"))
        return value in self._passed.get(tool, ())


def _known(cells: Mapping[str, Cell]) -> Record:
    return {column: cell for column, cell in cells.items() if not isinstance(cell, UnknownType)}
