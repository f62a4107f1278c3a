"""Generated circuits beside the authored places: the same names, region codes and court codes for the same number.

A circuit is some cities of one of twelve further provinces, with region codes from 83 to 90 and 96 to 99, which no
real place has. Its companies and firms carry the name of their city alone, and no two cities share one, so that
circuits can be made one by one without knowing of each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from tasks.sample.geography import Land, Place, bare
from tasks.sample.names import FIRST, SECOND

PROVINCES = {
    "沧漪省": 83, "岫岚省": 84, "晴川省": 85, "霜野省": 86, "芦汀省": 87, "澄江省": 88, "暮云省": 89, "锦屏省": 90,
    "寒溪省": 96, "素月省": 97, "苍梧省": 98, "流霞省": 99,
}  # fmt: skip
"""Generated province -> the first two digits of its region codes."""
MOST_CITIES = 90
"""In a province: two digits of a region code, and no two cities of one name in all of them."""
_CITIES = tuple((a + b, FIRST[a] + SECOND[b]) for b, a in product(SECOND, FIRST))
_COUNTIES = tuple(b + a for a, b in product(FIRST, SECOND) if a != b)


class CityPlace(Place):
    """A county whose companies begin with the name of their city."""

    @property
    def prefixes(self) -> tuple[str, ...]:
        """The city alone: other circuits of the province cannot give the same name."""
        return (bare(self.city),)


@dataclass(frozen=True)
class Circuit:
    """One part of the generated land. `highest`: it writes the high court of its province."""

    land: Land
    highest: bool


def circuit(number: int, circuits: int, courts: int) -> Circuit:
    """The circuit of a number: so many courts in all, its high court (if it has it) included.

    Args:
        number: from 0.
        circuits: how many there are in all; decides how many cities each one has.
        courts: of all levels.
    """
    parts = -(-circuits // len(PROVINCES))
    part, place = divmod(number, len(PROVINCES))
    province, code = list(PROVINCES.items())[place]
    cities = max(1, min(18, MOST_CITIES // parts, courts // 4))
    counties = courts - cities - (part == 0)
    found, sounds = list[Place](), dict[str, str]()
    for n in range(cities):
        name, sound = _CITIES[place * MOST_CITIES + part * cities + n]
        sounds[name] = sound.capitalize()
        of_city = counties * (n + 1) // cities - counties * n // cities
        head = code * 10000 + (part * cities + n + 1) * 100
        area = f"011{(place + part) % 10}"
        found += [
            CityPlace(province, f"{name}市", f"{_COUNTIES[(head + i) % len(_COUNTIES)]}区", head + i, area)
            for i in range(1, of_city + 1)
        ]
    return Circuit(Land(tuple(found), sounds), part == 0)


def city_names() -> tuple[str, ...]:
    """Names of all cities that circuits can have, without 市."""
    return tuple(name for name, _ in _CITIES[: len(PROVINCES) * MOST_CITIES])
