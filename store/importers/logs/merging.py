"""Turns the fragments of a harvest into rows: the same row seen through several lookups becomes one.

Rows are recognised by the columns of `IDENTITY`; a second column (the company of a case, the parent of a subsidiary)
tells rows apart that share it. What cannot be decided stays apart, and equal rows with different cells are reported.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from store.builder import PackBuilder
from store.importers import Progress
from store.importers.logs.harvest import IDENTITY, Fragment, Harvest, Key, Value, clashing, same, telling
from store.schema import LOOKUPS, Lookup
from store.text.ideographs import HAN

SECOND: dict[str, str] = {
    "SubCompanyInfo": "关联上市公司全称",
    "LegalDoc": "关联公司",
    "RestrictionCase": "限制高消费企业名称",
    "FinalizedCase": "终本公司名称",
    "DishonestyCase": "失信被执行公司名称",
    "AdministrativeCase": "行政处罚公司名称",
}
"""Column that may differ between two rows with the same identity."""

_FORMS: dict[str, re.Pattern[str]] = {
    "公司代码": re.compile(r"[0-9]{6}"),
    "公司名称": re.compile(r".{4,}公司"),
    "法院名称": re.compile(r".{3,}法院"),
    "法院代字": re.compile(rf"[{HAN}][0-9]{{2,4}}"),
}
"""Values whose form leaves one column of several that a lookup matches."""


@dataclass(slots=True)
class MergedRow:
    """One row of the pack to be."""

    table: str
    cells: dict[str, Value]
    where: str
    holds: set[Key] = field(default_factory=set)


@dataclass(slots=True)
class MergedTables:
    """Rows, and for each lookup the indices of its rows in order."""

    rows: list[MergedRow] = field(default_factory=list)
    lookups: dict[Key, list[int]] = field(default_factory=dict)
    present: dict[Key, int] = field(default_factory=dict)


def merge(harvest: Harvest) -> MergedTables:
    """Rows of all fragments; contradictions are counted in the harvest."""
    merged = MergedTables()
    index: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    placed: dict[tuple[Key, int], int] = {}
    for key, position, fragment in _in_order(harvest):
        number = _place(merged, index, harvest, fragment, key)
        if key is not None:
            placed[key, position] = number
    for key, fragments in harvest.lookups.items():
        merged.lookups[key] = [placed[key, position] for position in range(len(fragments))]
    _renumber(merged)
    _add_present(merged, harvest)
    _check_misses(merged, harvest)
    return merged


def _in_order(harvest: Harvest) -> Iterator[tuple[Key | None, int, Fragment]]:
    """Fragments that say most about what they are come first."""
    todo: list[tuple[Key | None, int, Fragment]] = []
    for key, fragments in harvest.lookups.items():
        for position, fragment in enumerate(fragments):
            cells = {**_implied(LOOKUPS[key[0]], key[1], fragment.cells), **fragment.cells}
            todo.append((key, position, Fragment(fragment.table, cells, fragment.where)))
    todo.extend((None, 0, fragment) for fragment in harvest.loose)
    yield from sorted(todo, key=lambda item: -_knows(item[2]))


def _knows(fragment: Fragment) -> int:
    columns = (*IDENTITY[fragment.table], SECOND.get(fragment.table, ""))
    return sum(telling(fragment.cells.get(column)) for column in columns)


def _implied(lookup: Lookup, values: tuple[str, ...], shown: dict[str, Value]) -> dict[str, Value]:
    """The cells that follow from having been found: a row found by its case number has that case number."""
    cells: dict[str, Value] = {}
    for columns, value in zip(lookup.match, values, strict=True):
        if any(same(shown.get(column), value) for column in columns):
            continue
        left = [column for column in columns if column not in shown]
        formed = [column for column in left if (form := _FORMS.get(column)) and form.fullmatch(value)]
        if len(left) == 1 or len(formed) == 1:
            cells[left[0] if len(left) == 1 else formed[0]] = value
    return cells


def _place(
    merged: MergedTables,
    index: dict[tuple[str, str, str], list[int]],
    harvest: Harvest,
    fragment: Fragment,
    key: Key | None,
) -> int:
    """The row the fragment belongs to, a new one when there is none or none for certain."""
    number = _choose(merged, index, harvest, fragment, key)
    if number is None:
        number = len(merged.rows)
        merged.rows.append(MergedRow(fragment.table, {}, fragment.where))
    row = merged.rows[number]
    for column in IDENTITY[fragment.table]:
        value = fragment.cells.get(column)
        if isinstance(value, str) and telling(value) and column not in row.cells:
            index[fragment.table, column, value].append(number)
    row.cells.update(fragment.cells)
    if key is not None:
        row.holds.add(key)
    return number


def _choose(
    merged: MergedTables,
    index: dict[tuple[str, str, str], list[int]],
    harvest: Harvest,
    fragment: Fragment,
    key: Key | None,
) -> int | None:
    hits = {n for c, v in fragment.cells.items() if isinstance(v, str) for n in index.get((fragment.table, c, v), ())}
    second = SECOND.get(fragment.table)
    certain: list[int] = []
    possible: list[int] = []
    for number in sorted(hits):
        row = merged.rows[number]
        if key is not None and key in row.holds:
            continue
        clashes = clashing(row.cells, fragment.cells)
        if not clashes:
            agrees = second is None or (second in row.cells and second in fragment.cells)
            (certain if agrees else possible).append(number)
        elif second not in clashes:
            name = next(str(fragment.cells[c]) for c in IDENTITY[fragment.table] if c in fragment.cells)
            harvest.contradict(
                f"{fragment.where}: {fragment.table} {name}: {'、'.join(clashes)} differ from {row.where}"
            )
    if certain:
        return certain[0]
    return possible[0] if len(possible) == 1 else None


def _renumber(merged: MergedTables) -> None:
    """Rows in the order in which the logs showed them."""
    order = dict.fromkeys(number for numbers in merged.lookups.values() for number in numbers)
    order.update(dict.fromkeys(range(len(merged.rows))))
    new = {old: number for number, old in enumerate(order)}
    merged.rows = [merged.rows[old] for old in order]
    merged.lookups = {key: [new[old] for old in numbers] for key, numbers in merged.lookups.items()}


def _add_present(merged: MergedTables, harvest: Harvest) -> None:
    """A lookup that complained about its columns had found its row first: the row exists, nothing of it is shown."""
    matching = _Matches(merged)
    for key, where in harvest.present.items():
        lookup = LOOKUPS[key[0]]
        if key in merged.lookups or matching.any(lookup, key[1]):
            continue
        cells = _implied(lookup, key[1], {})
        if lookup.shape == "many" and len(cells) < len(lookup.parameters):
            cells = {}
        merged.present[key] = len(merged.rows)
        merged.rows.append(MergedRow(lookup.table, cells, where))


def _check_misses(merged: MergedTables, harvest: Harvest) -> None:
    """A row that a lookup should have found contradicts a recorded "no data" of that lookup."""
    matching = _Matches(merged)
    for key, where in list(harvest.missing.items()):
        if matching.any(LOOKUPS[key[0]], key[1]):
            harvest.contradict(f"{where}: {key[0]} {' '.join(key[1])} found nothing, yet a row of the logs matches")


class _Matches:
    """Finds rows by the cells a lookup compares."""

    def __init__(self, merged: MergedTables) -> None:
        self.merged = merged
        self.by_cell: dict[tuple[str, str, str], set[int]] = defaultdict(set)
        columns = {
            (lookup.table, column) for lookup in LOOKUPS.values() for names in lookup.match for column in names
        }
        for number, row in enumerate(merged.rows):
            for column, value in row.cells.items():
                if isinstance(value, str) and (row.table, column) in columns:
                    self.by_cell[row.table, column, value].add(number)

    def any(self, lookup: Lookup, values: tuple[str, ...]) -> bool:
        """Whether some row matches every value."""
        sets = [
            set().union(*(self.by_cell.get((lookup.table, column, value), set()) for column in columns))
            for columns, value in zip(lookup.match, values, strict=True)
        ]
        return bool(set.intersection(*sets))


_EVERY = 200


def write(builder: PackBuilder, harvest: Harvest, merged: MergedTables, progress: Progress) -> None:
    """Put rows, and what lookups are known to give, into a pack."""
    numbers: list[int] = []
    for index, row in enumerate(merged.rows):
        if index % _EVERY == 0:
            progress("writing rows", index, len(merged.rows))
        numbers.append(builder.add_row(row.table, row.cells, "harvested", source=row.where))
    for (tool, values), rows in merged.lookups.items():
        if LOOKUPS[tool].shape == "many":
            builder.known_list(tool, values, [numbers[row] for row in rows])
        else:
            builder.known_one(tool, values, numbers[rows[0]])
    for (tool, values), index in merged.present.items():
        builder.known_one(tool, values, numbers[index])
    for tool, values in harvest.missing:
        builder.known_miss(tool, values)
