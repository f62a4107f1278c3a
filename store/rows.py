"""What a lookup finds: rows whose cells are known, null, or not in the pack.

A harvested pack holds part of a database: "no such row" and "row not harvested" are different answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal

Provenance = Literal["authored", "harvested", "derived", "imported"]
"""authored = written for Moot and fictional (虚构数据); harvested = read from run logs; imported = a user's own
file."""


class Unknown(Enum):
    """The type of `UNKNOWN`."""

    UNKNOWN = "UNKNOWN"

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown.UNKNOWN
"""A cell that the pack does not hold; None is upstream's nan: known to be empty."""

Cell = str | int | float | None | Unknown


@dataclass(frozen=True, slots=True)
class Row:
    """One row: all columns of its table in table order, and where it comes from."""

    number: int
    table: str
    cells: Mapping[str, Cell]
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class Found:
    """Answer of a lookup.

    status: "rows" (there are some), "miss" (known to have none), "outside" (the pack cannot say).
    complete: False when further rows may exist outside the pack.
    """

    status: Literal["rows", "miss", "outside"]
    rows: tuple[Row, ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Document:
    """A text of a corpus; `number` is its row id (the tie-break of every ranking)."""

    number: int
    corpus: str
    text: str
    provenance: Provenance
    score: float = 0.0
