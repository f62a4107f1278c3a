"""Invented provinces, cities and counties, names of people, companies and firms, and the marks that show they are not
real.

Region codes start with 91 to 95 (real ones end at 82), telephone area codes lie in 012x and 011x (never assigned as
area codes), postal codes start with 9. 望舒市 is governed directly: 省份 = 城市, as upstream writes such places. A
credit code ends in Z, which the real alphabet of check digits leaves out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from itertools import count
from random import Random
from typing import Any

from store.schema import TABLES
from store.tables import beside

Value = str | int | float | None
Record = dict[str, Value]

WORDS: Mapping[str, Any] = beside(__package__, "words")
LAND: dict[str, dict[str, str]] = WORDS["land"]
"""Province -> city -> its counties."""
FIRST: dict[str, str] = WORDS["first"]
SECOND: dict[str, str] = WORDS["second"]
"""Characters of a brand -> their pinyin."""
_ROADS, _ESTATES, _PARKS = (WORDS[kind].split() for kind in ("roads", "estates", "parks"))
_SURNAMES, _GIVEN, _FIRM = WORDS["surnames"], WORDS["given"], WORDS["firm"]


@dataclass(frozen=True, slots=True)
class Place:
    """A county or district. `code` is its region code, six digits."""

    province: str
    city: str
    county: str
    code: int
    area_code: str

    @property
    def whole(self) -> str:
        """省市县 written out once; a directly governed city is not repeated."""
        return (self.province if self.province != self.city else "") + self.city + self.county

    @property
    def prefixes(self) -> tuple[str, str]:
        """Place names a company registered here may begin with."""
        return self.province[:-1], self.city[:-1]


@cache
def places() -> tuple[Place, ...]:
    """All counties and districts, in code order."""
    found = []
    serial = 0
    for p, (province, cities) in enumerate(LAND.items(), start=91):
        for c, (city, counties) in enumerate(cities.items(), start=1):
            area = f"012{serial}" if serial < 10 else f"011{serial - 10}"
            serial += 1
            for i, county in enumerate(counties.split(), start=1):
                found.append(Place(province, city, county, p * 10000 + c * 100 + i, area))
    return tuple(found)


def draw_place(rng: Random) -> Place:
    """The first districts of a city are more likely than its counties."""
    return rng.choices(places(), weights=[6 / (1 + place.code % 100) + 1 for place in places()])[0]


def draw_address(rng: Random, place: Place, *, whole: bool = False) -> str:
    """An address in a place; not `whole`: it sometimes leaves out province or county, as registers do."""
    road, number = rng.choice(_ROADS), rng.randint(1, 388)
    tail = ""
    if rng.random() < 0.45:
        room = f"{rng.randint(2, 26)}{rng.randint(1, 18):02d}室"
        tail = f"{rng.choice(_ESTATES)}{rng.choice(('', 'A座', 'B座', '1幢'))}{room}"
    roll = 0.0 if whole else rng.random()
    if roll < 0.62:
        return f"{place.whole}{road}{number}号{tail}"
    if roll < 0.82:
        return f"{place.city}{rng.choice(_PARKS)}{road}{number}号"
    return f"{place.city}{road}{number}号{tail}"


def landline(rng: Random, place: Place) -> str:
    return f"{place.area_code}-{rng.randint(2, 8)}{rng.randint(0, 9_999_999):07d}"


def person(rng: Random) -> str:
    """Full name of an invented person."""
    return rng.choice(_SURNAMES) + rng.choice(_GIVEN[0]) + (rng.choice(_GIVEN[1]) if rng.random() < 0.82 else "")


def masked(rng: Random, *marks: str) -> str:
    """A surname and a long or short mark: 沈某某 in published judgments, 沈** in notices of enforcement."""
    return rng.choice(_SURNAMES) + (marks[0] if rng.random() < 0.7 else marks[1])


class Namer:
    """Draws names; a brand or firm name is never given twice."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._used: set[str] = set()

    def brand(self) -> tuple[str, str]:
        """A company brand of two characters (three when the two-character ones run out) and its pinyin."""
        for attempt in count():
            first, second = self._rng.choice(tuple(FIRST)), self._rng.choice(tuple(SECOND))
            sign, sound = first + second, FIRST[first] + SECOND[second]
            if attempt > 40:
                third = self._rng.choice(tuple(SECOND))
                sign, sound = sign + third, sound + SECOND[third]
            if self.fresh(sign):
                return sign, sound

    def firm(self, prefix: str) -> str:
        """Name of a law firm, with its place prefix."""
        for attempt in count():
            middle = self._rng.choice(_FIRM[0]) + self._rng.choice(_FIRM[1])
            if attempt > 40:
                middle += self._rng.choice(_FIRM[1])
            if len(set(middle)) == len(middle) and self.fresh(name := f"{prefix}{middle}律师事务所"):
                return name

    def fresh(self, name: str) -> bool:
        """Whether a name is still free; it is taken from now on."""
        free = name not in self._used
        self._used.add(name)
        return free


def stream(seed: int, part: str) -> Random:
    """An own stream of chance for each part, so that a change in one leaves the others as they were."""
    return Random(f"moot-sample/{seed}/{part}")


def draw_date(rng: Random, first: date, last: date) -> date:
    """A weekday between two dates, both included."""
    day = first + timedelta(days=rng.randint(0, (last - first).days))
    shift = max(0, day.weekday() - 4)
    return day - timedelta(days=shift) if day - timedelta(days=shift) >= first else day


def written(day: date) -> str:
    """A date as the tables write it: YYYY年MM月DD日."""
    return f"{day.year:04d}年{day.month:02d}月{day.day:02d}日"


@dataclass
class Ledger:
    """All rows by table, in the order they will be stored; one address book, one counter of case numbers."""

    rows: dict[str, list[Record]] = field(default_factory=lambda: {table: [] for table in TABLES})
    _addresses: set[str] = field(default_factory=set)
    _serials: Counter[tuple[str, int, str]] = field(default_factory=Counter)

    def add(self, table: str, cells: Mapping[str, Value]) -> None:
        """Adds a row. Columns that are not given, long texts that no question asks for, are "-"."""
        if strange := cells.keys() - set(TABLES[table]):
            raise AssertionError(f"{table}: {sorted(strange)}")
        self.rows[table].append({column: cells.get(column, "-") for column in TABLES[table]})

    def address(self, rng: Random, place: Place, *, house: bool = False) -> str:
        """An address that nobody has yet, noted in AddrInfo. house: whole, without what follows its number."""
        while True:
            text = draw_address(rng, place, whole=house)
            if house:
                text = text.split("号")[0] + "号"
            if text not in self._addresses:
                break
        self._addresses.add(text)
        self.add("AddrInfo", {"地址": text, "省份": place.province, "城市": place.city, "区县": place.county})
        return text

    def case_number(self, rng: Random, code: str, year: int, kind: str) -> str:
        """The next number of a court: （2021）云海0102民初123号."""
        key = (code, year, kind)
        self._serials[key] += rng.randint(7, 260)
        return f"（{year}）{code}{kind}{self._serials[key]}号"
