"""Conditions and choices on a set of things: thresholds, years, roles, the highest, the most frequent.

Filters come before choices, whatever order the question names them in. A condition that no cell can decide keeps all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

from tasks.legalagentbench.rules.execute import Asking, Item, Walk
from tasks.legalagentbench.rules.frames import Frame
from tasks.legalagentbench.rules.graph import ATTRIBUTES, CASE_ROWS
from tasks.legalagentbench.rules.mentions import Modifier
from tasks.legalagentbench.rules.values import Cell, date_of, known, money_of, names_in, number_of, year_of

CHOICES = frozenset(("max", "min", "first", "last", "ends", "mode"))
_DATES = frozenset(("founded", "date", "filed", "published", "closed", "punished", "listing_date"))
_NUMBERS = frozenset(("ratio", "insured", "rank", "served", "violations", "investigations"))
_CASE_LETTERS = {"民事": "民", "刑事": "刑", "行政": "行", "执行": "执", "一审": "初", "二审": "终", "再审": "再申"}
_HIGHER = re.compile(r"中级|高级|最高")
_TESTS: dict[str, Callable[[Cell, Cell], bool]] = {
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "=": lambda a, b: a == b,
    "between": lambda a, b: b[0] < a < b[1],
}


def narrow(walk: Walk, frame: Frame, items: list[Item]) -> Asking:
    """(what is left, the other candidates in order) after all conditions of a frame."""
    spare: list[Item] = []
    for modifier in sorted(frame.modifiers, key=lambda m: m.op in CHOICES):
        if modifier.op in CHOICES:
            ranked = yield from _ranked(walk, frame, items, modifier)
            items, spare = ranked[:1], ranked[1:]
            if modifier.op == "ends":
                items, spare = [*ranked[:1], *ranked[-1:]], []
            elif modifier.op == "mode":
                items = [item for group in ranked[:1] for item in group]
                spare = []
            elif items and modifier.nth > 1:
                items, spare = ranked[modifier.nth - 1 : modifier.nth], ranked[modifier.nth :]
        else:
            items = yield from _filtered(walk, frame, items, modifier)
    return items, spare


def concept_of(frame: Frame, modifier: Modifier) -> str:
    """The attribute that a condition compares on things of this kind."""
    for concept in modifier.concepts:
        if concept in ATTRIBUTES.get(frame.kind, {}):
            return concept
    if modifier.op in ("first", "last", "in"):
        return "date" if frame.kind in CASE_ROWS else "founded"
    if frame.kind in CASE_ROWS:
        return "amount"
    return "capital" if frame.kind == "firm" or frame.relation != "sub" else "invested"


def _value(concept: str, cell: Cell) -> Cell:
    if concept in _DATES:
        return date_of(cell)
    return number_of(cell) if concept in _NUMBERS else money_of(cell)


def _ranked(walk: Walk, frame: Frame, items: list[Item], modifier: Modifier) -> Asking:
    if modifier.op == "mode":
        counted = Counter(item.name for item in items)
        together = Counter(id(item.origin) for item in items)
        alone = Counter(item.name for item in items if together[id(item.origin)] == 1)
        order = sorted(counted, key=lambda name: (-counted[name], -alone[name]))
        return [[item for item in items if item.name == name] for name in order]
    concept = concept_of(frame, modifier)
    valued: list[tuple[Cell, Item]] = []
    for item in items:
        value = _value(concept, (yield from walk.attribute(item, frame, concept)))
        if value is not None:
            valued.append((value, item))
    descending = modifier.op in ("max", "last", "ends")
    if concept == "founded" and modifier.op in ("max", "min"):
        descending = modifier.op == "min"
    if modifier.op in ("min", "ends") and any(value for value, _ in valued):
        valued = [entry for entry in valued if entry[0]]
    valued.sort(key=lambda entry: entry[0], reverse=descending)
    if modifier.nth > 1:
        distinct: list[tuple[Cell, Item]] = []
        for entry in valued:
            if not distinct or entry[0] != distinct[-1][0]:
                distinct.append(entry)
        valued = distinct
    return [item for _, item in valued]


def _filtered(walk: Walk, frame: Frame, items: list[Item], modifier: Modifier) -> Asking:
    kept: list[Item] = []
    unsure: list[Item] = []
    for item in items:
        verdict = yield from _holds(walk, frame, item, modifier)
        if verdict is None:
            unsure.append(item)
        elif verdict:
            kept.append(item)
    return kept if kept or modifier.op not in ("role", "cause", "type", "form") else unsure


def _holds(walk: Walk, frame: Frame, item: Item, modifier: Modifier) -> Asking:
    """True, False, or None when the cell that would tell is not there."""
    match modifier.op:
        case "in":
            return (yield from _in_years(walk, frame, item, modifier))
        case "role":
            return _has_role(walk, frame, item, modifier)
        case "name":
            return str(modifier.value) in item.name
        case "cause":
            return _about(item.row.get("案由"), str(modifier.value)) if frame.kind == "doc" else True
        case "form":
            return str(modifier.value) == str(cell).strip() if known(cell := item.row.get("文书类型")) else None
        case "type":
            number = str(item.row.get("案号") or item.name)
            return any(letter in number for letter in _CASE_LETTERS[str(modifier.value)])
        case "level":
            return _level(item.name) == modifier.value or modifier.value == "专门"
        case "listed":
            outcome = yield from walk.hands.call(
                "get_company_info",
                {"identifier": item.name, "columns": ["公司名称", "公司简称", "公司代码"]},
                f"查“{item.name}”是否为上市公司。",
            )
            return outcome.status == "ok"
        case "exists":
            tool = "get_sub_company_info" if modifier.value == "parent" else f"get_{modifier.value}_case_company_list"
            column = "关联上市公司全称" if modifier.value == "parent" else "案号"
            outcome = yield from walk.hands.call(
                tool,
                {"identifier": item.name, "columns": [column]},
                f"查“{item.name}”有无{'母公司' if modifier.value == 'parent' else '该类案件'}。",
            )
            return outcome.status == "ok"
        case "other":
            return item.name not in _earlier(item)
        case _:
            concept = concept_of(frame, modifier)
            value = _value(concept, (yield from walk.attribute(item, frame, concept)))
            return None if value is None else _TESTS[modifier.op](value, modifier.value)


def _in_years(walk: Walk, frame: Frame, item: Item, modifier: Modifier) -> Asking:
    concept = concept_of(frame, modifier)
    year = year_of((yield from walk.attribute(item, frame, concept)))
    if year is None and frame.kind in CASE_ROWS:
        year = year_of(item.row.get("案号") or item.name)
    return None if year is None else bool(modifier.value[0] <= year <= modifier.value[1])


def _has_role(walk: Walk, frame: Frame, item: Item, modifier: Modifier) -> bool | None:
    if frame.kind != "doc":
        return True
    party, firm = ("原告", "原告律师事务所") if modifier.value == "plaintiff" else ("被告", "被告律师事务所")
    origin = item.origin
    while origin is not None and origin.name == item.name:
        origin = origin.origin
    if origin is None:
        return None
    by_firm = origin.frame >= 0 and walk.plan.frames[origin.frame].kind == "firm" or "律师事务所" in origin.name
    cell = item.row.get(firm if by_firm else party)
    if cell is None and firm in item.row and by_firm:
        return False
    if modifier.concepts == ("sole",) and known(cell):
        return names_in(cell) == [origin.name]
    return (
        origin.name in names_in(cell)
        if known(cell)
        else (False if by_firm and str(cell or "").strip() == "-" else None)
    )


def _about(cell: Cell, words: str) -> bool | None:
    if not known(cell):
        return None
    cause = str(cell)
    parts = [part for part in re.split(r"[、和与或及]|以及", words) if part]
    if any(part in cause for part in parts):
        return True
    bigrams = {part[i : i + 2] for part in parts for i in range(0, len(part) - 1, 2)} - {"纠纷", "合同", "争议"}
    return any(bigram in cause for bigram in bigrams)


def _level(court: str) -> str:
    match = _HIGHER.search(court)
    return match[0] if match else "基层"


def _earlier(item: Item) -> set[str]:
    names: set[str] = set()
    origin = item.origin
    while origin is not None:
        names.add(origin.name)
        origin = origin.origin
    return names


def total(cells: list[Cell]) -> Decimal | None:
    """Sum of money cells in yuan."""
    amounts = _amounts(cells)
    return sum(amounts, Decimal(0)) if amounts else None


def _amounts(cells: list[Cell]) -> list[Decimal]:
    return [amount for cell in cells if (amount := money_of(cell)) is not None]


class Figure(NamedTuple):
    """One figure of many amounts: what an answer calls it, and how it is made of the cells that hold an amount."""

    called: str
    of: Callable[[list[Cell]], Decimal | None]


def _average(cells: list[Cell]) -> Decimal | None:
    amounts = _amounts(cells)
    return sum(amounts, Decimal(0)) / len(amounts) if amounts else None


def _spread(cells: list[Cell]) -> Decimal | None:
    amounts = _amounts(cells)
    return max(amounts) - min(amounts) if amounts else None


FIGURES = {
    "sum": Figure("总额", total),
    "average": Figure("平均值", _average),
    "spread": Figure("最高与最低之差", _spread),
}
"""Kind of what is wanted -> its figure."""
