"""The criminal law that a judgment needs, as data: ranges of punishment by charge, and the articles on it.

Table: law.toml. Terms are in months, sums in yuan, weights in grams.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from tasks.courts.agents.criminal.citing import Cited, cite
from tasks.legalsearch.charges import canonical


@dataclass(frozen=True, slots=True)
class Tier:
    """One range of punishment (量刑幅度). least, most: months of 有期徒刑; most 0: the charge knows 拘役 alone."""

    grade: str
    most: int
    start: int
    fine: str
    least: int = 0
    light: str = ""
    life: bool = False
    forfeit: bool = False
    law: str = ""
    cue: str = ""
    from_: tuple[float, float] | None = None

    @property
    def short(self) -> bool:
        """Whether 拘役 is open."""
        return "拘役" in self.light


@dataclass(frozen=True, slots=True)
class Crime:
    """A charge. more: words of the facts -> months on top; month, floor: yuan of fine a month, at least; see:
    interpretations; also: words of the facts -> a place to cite too; an item (234.1.1) takes the place of its
    paragraph (234.1)."""

    law: tuple[str, ...]
    tiers: tuple[Tier, ...]
    unit: str = ""
    more: tuple[tuple[re.Pattern[str], int], ...] = ()
    month: int = 600
    floor: int = 1000
    see: tuple[str, ...] = ()
    also: tuple[tuple[re.Pattern[str], str], ...] = ()

    def narrowed(self, places: Iterable[str], facts: str) -> list[str]:
        """The places to cite, with those that the facts call for."""
        more = [place for cue, place in self.also if cue.search(facts)]
        return [*(place for place in places if not any(one.startswith(f"{place}.") for one in more)), *more]


UNKNOWN = Crime((), (Tier("", 36, 8, "none", light="拘役 管制"),))
"""A charge that the table does not know: the commonest range; the request goes before."""


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath("law.toml").read_text(encoding="utf-8"))


@cache
def crimes() -> Mapping[str, Crime]:
    """Official name, without 罪 -> charge."""
    rows = {name: row for name, row in _table().items() if name != "interpretations"}
    return {named: _crime(row) for name, row in rows.items() for named in (name, *row.get("names", ()))}


def crime(name: str) -> Crime:
    """The charge of a name as it is written in court."""
    return crimes().get(canonical(name), UNKNOWN)


def interpretation(entry: str) -> tuple[Cited, str]:
    """An interpretation of the table and the condition on which it is cited: 盗窃 14 fine."""
    key, place, condition = (*entry.split(), "base")[:3]
    return cite(place, _table()["interpretations"][key]), condition


def _crime(row: Mapping[str, Any]) -> Crime:
    also = tuple((re.compile(cue), place) for cue, place in row.get("also", ()))
    more = tuple((re.compile(cue), months) for cue, months in row.get("more", ()))
    rest = {key: row[key] for key in ("unit", "month", "floor") if key in row}
    return Crime(
        tuple(row["law"]),
        tuple(map(_tier, row["tiers"])),
        more=more,
        also=also,
        see=tuple(row.get("see", ())),
        **rest,
    )


def _tier(row: Mapping[str, Any]) -> Tier:
    given = dict(row)
    span = given.pop("from", None)
    return Tier(**given, from_=(float(span[0]), float(span[1])) if span else None)
