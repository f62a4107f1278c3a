"""What the makers of the fictional world write into: complete rows, one address book, one counter of case numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random

from maker.geography import Place
from store.schema import TABLES

Value = str | int | float | None
Record = dict[str, Value]


def stream(seed: int, part: str) -> Random:
    """An own stream of chance for each part, so that a change in one leaves the others as they were."""
    return Random(f"moot-sample/{seed}/{part}")


@dataclass
class Ledger:
    """All rows of the pack, by table, in the order they will be stored."""

    rows: dict[str, list[Record]] = field(default_factory=lambda: {table: [] for table in TABLES})
    _places: dict[str, Place] = field(default_factory=dict)
    _serials: Counter[tuple[str, int, str]] = field(default_factory=Counter)
    penalties: set[str] = field(default_factory=set)
    """Penalty numbers that are taken; ledgers of one jurisdiction share them."""

    def add(self, table: str, cells: Mapping[str, Value]) -> Record:
        """Adds one row; all columns of the table must be there."""
        columns = TABLES[table]
        if set(cells) != set(columns):
            raise AssertionError(f"{table}: {sorted(set(cells) ^ set(columns))}")
        row = {column: cells[column] for column in columns}
        self.rows[table].append(row)
        return row

    def address(self, text: str, place: Place) -> str:
        """Notes where an address lies (AddrInfo) and gives it back."""
        known = self._places.get(text)
        if known is None:
            self._places[text] = place
            self.add("AddrInfo", {"地址": text, "省份": place.province, "城市": place.city, "区县": place.county})
        elif known != place:
            raise AssertionError(f"one address, two places: {text}")
        return text

    def address_free(self, text: str) -> bool:
        """Whether no place has this address yet."""
        return text not in self._places

    def case_number(self, rng: Random, code: str, year: int, kind: str) -> str:
        """The next number of a court: （2021）云海0102民初123号."""
        key = (code, year, kind)
        self._serials[key] += rng.randint(7, 260)
        return f"（{year}）{code}{kind}{self._serials[key]}号"

    def penalty_number(self, text: str) -> bool:
        """Takes a penalty number if nobody has it."""
        if text in self.penalties:
            return False
        self.penalties.add(text)
        return True


def draw_date(rng: Random, first: date, last: date) -> date:
    """A weekday between two dates, both included."""
    day = first + timedelta(days=rng.randint(0, (last - first).days))
    shift = max(0, day.weekday() - 4)
    return day - timedelta(days=shift) if day - timedelta(days=shift) >= first else day


def written(day: date) -> str:
    """A date as the tables write it: YYYY年MM月DD日."""
    return f"{day.year:04d}年{day.month:02d}月{day.day:02d}日"
