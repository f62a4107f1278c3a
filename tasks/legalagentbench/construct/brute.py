"""A second solver that shares nothing with the first: whole tables read once, joins over every row, every reading
kept.

It reads a plan alone. Where several rows fit, all of them are followed; a party or firm among several in one cell
counts as a match too, for so a reader may understand the question. One answer left means the task is unambiguous.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

from store.schema import LOOKUPS
from tasks.legalagentbench.construct.plans import Plan, PlanStep
from tasks.legalagentbench.construct.tree import PLACE, PLACES

Row = Mapping[str, Any]
_DAY = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日")
_CODE = re.compile(r"^[（(]\d{4}[)）](.+?)[民行刑执破财知认赔]")
_CITED = re.compile(r"《[^》]+》第[一二三四五六七八九十百千零]+条")
_SHOWN = {"元": Decimal(1), "万元": Decimal(10) ** 4, "亿元": Decimal(10) ** 8}
_ALSO = {
    "get_legal_document_law_list": ("原告律师事务所", "被告律师事务所"),
    "get_legal_document_company_list": ("关联公司", "原告", "被告"),
}
"""Columns in which a reader would look for a name, beyond what the tool matches."""


class BruteSolver:
    """All rows of a pack by table, found by the values of any column."""

    def __init__(self, rows: Mapping[str, Sequence[Row]]) -> None:
        self._rows = rows
        self._index: dict[tuple[str, str], dict[str, list[int]]] = {}

    def answers(self, plan: Plan, start: Sequence[str]) -> set[tuple[str, ...]]:
        """Every answer that some reading gives, each as a tuple of exact values ("?" where a reading breaks off)."""
        states: set[tuple[str, ...]] = {tuple(start)}
        for step in plan.steps[:-1]:
            following: set[tuple[str, ...]] = set()
            for state in states:
                for row in self._chosen(step, self._matching(step, state)):
                    columns = PLACES[step.table] if step.link == PLACE else (step.link,)
                    following.add(tuple(str(row.get(column)) for column in columns))
            states = following
            if len(states) > 50:
                return {("?", str(number)) for number in range(2)}
        return {answer for state in states for answer in self._final(plan, state)}

    def _positions(self, table: str, column: str) -> dict[str, list[int]]:
        if (table, column) not in self._index:
            index: dict[str, list[int]] = defaultdict(list)
            for number, row in enumerate(self._rows[table]):
                for part in str(row.get(column)).split(","):
                    index[part].append(number)
            self._index[table, column] = index
        return self._index[table, column]

    def _matching(self, step: PlanStep, state: tuple[str, ...]) -> list[Row]:
        lookup = LOOKUPS[step.tool]
        if len(state) == 3 and len(lookup.match) == 3:
            sets = [
                set(self._positions(step.table, columns[0]).get(value, ()))
                for columns, value in zip(lookup.match, state, strict=True)
            ]
            found = sets[0] & sets[1] & sets[2]
        else:
            code = _CODE.match(state[0]) if step.via else None
            value = code[1] if code else state[0]
            columns = _ALSO.get(step.tool, lookup.match[0])
            found = {n for column in columns for n in self._positions(step.table, column).get(value, ())}
        rows = [self._rows[step.table][number] for number in sorted(found)]
        return [row for row in rows if not step.role or state[0] in str(row.get(step.role)).split(",")]

    def _chosen(self, step: PlanStep, rows: list[Row]) -> list[Row]:
        how, _, column = step.pick.partition(":")
        if how in ("", "only") or not rows:
            return rows
        known = [(size(row.get(column)), row) for row in rows]
        best = (max if how in ("max", "latest") else min)(
            (value for value, _ in known if value is not None), default=None
        )
        return [row for value, row in known if value is None or value == best]

    def _final(self, plan: Plan, state: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
        step, ask = plan.steps[-1], plan.ask
        rows = self._matching(step, state)
        if not step.many or step.pick:
            return [_cells(row, ask.how, ask.columns) for row in self._chosen(step, rows)]
        column = ask.columns[0] if ask.columns else ""
        if ask.how in ("names", "order"):
            if ask.how == "order":
                rows = sorted(rows, key=lambda row: size(row.get(column)) or Decimal(0))
            return [tuple(str(row.get(ask.columns[-1])) for row in rows)]
        if ask.how == "count":
            return [(str(len(rows)),)]
        if ask.how == "year":
            return [(str(sum(str(row.get(column)).startswith(f"{ask.value}年") for row in rows)),)]
        sizes = [value for row in rows if (value := size(row.get(column))) is not None]
        if len(sizes) < len(rows) or not sizes:
            return [("?",)]
        return [(f"{_total(ask.how, sizes, ask.value):f}",)]


def _total(how: str, sizes: list[Decimal], bound: str) -> Decimal:
    high = sorted(sizes)[::-1]
    if how == "over":
        return Decimal(len([one for one in sizes if one > Decimal(bound)]))
    if how == "sum":
        return sum(sizes, Decimal(0))
    if how == "average":
        return sum(sizes, Decimal(0)) / len(sizes)
    return {"max": high[0], "second": high[min(1, len(high) - 1)], "spread": high[0] - high[-1]}[how]


def _cells(row: Row, how: str, columns: Sequence[str]) -> tuple[str, ...]:
    if how == "laws":
        return tuple(dict.fromkeys(_CITED.findall(str(row.get(columns[0])))))
    if how == "years":
        days = [_DAY.match(str(row.get(column))) for column in columns]
        return (str(int(days[1][1]) - int(days[0][1])) if days[0] and days[1] else "?",)
    if how == "product":
        return (f"{size(row.get(columns[0])) or 0:f}",)
    return tuple(str(row.get(column)) for column in columns)


def size(cell: object) -> Decimal | None:
    """A cell as a number: yuan, or a day as year, month and day in one figure; None when it is neither."""
    text = str(cell).strip()
    if match := _DAY.fullmatch(text):
        return Decimal(int(match[1]) * 10000 + int(match[2]) * 100 + int(match[3]))
    times = {"万": Decimal(10) ** 4, "亿": Decimal(10) ** 8}.get(text[-1:], Decimal(1))
    try:
        return Decimal(text.rstrip("万亿")) * times
    except InvalidOperation:
        return None


def agrees(answer: Sequence[str], keys: Sequence[str]) -> bool:
    """Whether an exact answer is what the keys say: equal texts, or numbers equal at the key's decimals and unit."""
    return len(answer) == len(keys) and all(_same(value, key) for value, key in zip(answer, keys, strict=True))


def _same(value: str, key: str) -> bool:
    if value == key:
        return True
    match = re.fullmatch(r"第?(-?\d+(?:\.(\d+))?)(万元|亿元|元|[次家件个名天起年]?)", key)
    given = size(value)
    if match is None or given is None:
        return False
    step = Decimal(1).scaleb(-len(match[2] or ""))
    return (given / _SHOWN.get(match[3], Decimal(1))).quantize(step, ROUND_HALF_UP) == Decimal(match[1])
