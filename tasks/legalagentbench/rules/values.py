"""Cells as values one can compare: money in yuan, percent, dates as (year, month, day), years. Nothing is None."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from store.text.money import parse_money
from tasks.legalagentbench.tools import UNKNOWN_CELL

_EMPTY = frozenset(("", "-", "--", "—", "nan", "None", "无", UNKNOWN_CELL))
_DATE = re.compile(r"(\d{4})[年/.-](\d{1,2})[月/.-](\d{1,2})")


def known(cell: object) -> bool:
    """Whether a cell says something: not missing, not a dash, not outside the pack."""
    return cell is not None and str(cell).strip() not in _EMPTY


Cell = Any
"""A cell of a corpus table: text, number or nothing, mixed within a column as upstream has it."""


def text_of(cell: object) -> str:
    """A cell as it stands, dashes included; 1375316.0 without its idle point."""
    if cell is None:
        return "-"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def money_of(cell: Cell) -> Decimal | None:
    """Yuan of a cell."""
    return parse_money(cell) if known(cell) else None


def date_of(cell: object) -> tuple[int, int, int] | None:
    """(year, month, day) of a cell."""
    match = _DATE.search(str(cell)) if known(cell) else None
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def year_of(cell: object) -> int | None:
    """Year of a date, or of a case number."""
    found = date_of(cell)
    if found:
        return found[0]
    match = re.match(r"\D?(\d{4})", str(cell)) if known(cell) else None
    return int(match[1]) if match else None


def number_of(cell: object) -> Decimal | None:
    """A plain number (percent, rank, count)."""
    return parse_money(str(cell).rstrip("%％")) if known(cell) else None


_COURT_CODE = re.compile(
    r"[（(\[〔]\d{4}[）)\]〕](最高法|[一-龥]{1,3}?\d{2,4}(?=[民刑行执知破财辖赔司])"
    r"|[一-龥]{1,2}?(?=[民刑行执知破财辖赔司])|[一-龥]\d*)"
)


def court_code(case_number: str) -> str | None:
    """法院代字 of a case number: the part between the year and the character of the case type."""
    match = _COURT_CODE.match(case_number)
    return match[1] if match else None


def names_in(cell: object) -> list[str]:
    """The names in a cell of joined names."""
    if not known(cell):
        return []
    return [name for part in re.split(r"[,，;；、]", str(cell)) if known(name := part.strip())]
