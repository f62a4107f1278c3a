"""Courts of four levels and their codes (法院代字), which the case numbers of all other tables use.

The code follows upstream's rule: province name, then two digits for an intermediate court, four for a basic one;
the part of a case number between the year bracket and the case type is exactly this code.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from random import Random

from maker.geography import Land, Place, bare, core, draw_address, landline
from maker.ledger import Ledger, draw_date, written
from maker.names import person


@dataclass(frozen=True, slots=True)
class Court:
    """One court. level: 基层法院, 中级法院, 高级法院, 特殊法院. code: 法院代字."""

    name: str
    level: str
    code: str
    place: Place


@dataclass(frozen=True)
class Judiciary:
    """All courts, found by place."""

    basic: dict[int, Court]
    intermediate: dict[str, tuple[Court, ...]]
    high: dict[str, Court]
    special: tuple[Court, ...]

    def first_instance(self, place: Place) -> Court:
        """The basic court of a county."""
        return self.basic[place.code]

    def above(self, court: Court) -> Court:
        """The intermediate court over a basic court, the high court over any other."""
        if court.level != "基层法院":
            return self.high[court.place.province]
        seats = self.intermediate[court.place.city]
        return seats[court.place.code % len(seats)]

    def named(self, part: str) -> Court:
        """The special court whose name contains `part`."""
        return next(court for court in self.special if part in court.name)


_SPECIAL = (
    ("望舒知识产权法院", "望舒73", "广寒区"),
    ("望舒金融法院", "望舒74", "桂影区"),
    ("望舒互联网法院", "望舒0191", "清光区"),
    ("云海铁路运输法院", "云海7101", "枕溪区"),
    ("听潮海事法院", "云海72", "鸥汀区"),
    ("霁原林区法院", "霁原7501", "寒英区"),
)
_RANK = {"基层法院": ("区县级", 1), "中级法院": ("市级", 2), "高级法院": ("省级", 3), "特殊法院": ("市级", 3)}
TRIBUNALS = ("城东", "城西", "城南", "城北")


def _basic_name(place: Place) -> str:
    return f"{place.county}人民法院" if place.county.endswith("县") else f"{place.city}{place.county}人民法院"


def _all_courts(land: Land) -> Judiciary:
    basic: dict[int, Court] = {}
    intermediate: dict[str, tuple[Court, ...]] = {}
    high: dict[str, Court] = {}
    for province in land.provinces:
        short = bare(province)
        for city in land.cities(province):
            here = land.in_city(city)
            if province == city:
                intermediate[city] = tuple(
                    Court(f"{city}第{nth}中级人民法院", "中级法院", f"{short}0{n}", here[n])
                    for n, nth in ((1, "一"), (2, "二"))
                )
            else:
                code = f"{short}{here[0].code // 100 % 100:02d}"
                intermediate[city] = (Court(f"{province}{city}中级人民法院", "中级法院", code, here[0]),)
            for place in here:
                basic[place.code] = Court(_basic_name(place), "基层法院", f"{short}{place.code % 10000:04d}", place)
        seat = land.in_city(land.cities(province)[0])[1]
        high[province] = Court(f"{province}高级人民法院", "高级法院", short, seat)
    by_county = {place.county: place for place in land.places}
    special = tuple(
        Court(name, "特殊法院", code, by_county[county]) for name, code, county in _SPECIAL if county in by_county
    )
    return Judiciary(basic, intermediate, high, special)


def make_courts(ledger: Ledger, rng: Random, land: Land | None = None, highest: bool = True) -> Judiciary:
    """Writes CourtInfo, CourtCode and the addresses of all courts; high courts only if `highest`."""
    judiciary = _all_courts(land or core())
    seats = [court for group in judiciary.intermediate.values() for court in group]
    for court in [
        *(judiciary.high.values() if highest else ()),
        *seats,
        *judiciary.basic.values(),
        *judiciary.special,
    ]:
        _write(ledger, rng, court)
    return judiciary


def _write(ledger: Ledger, rng: Random, court: Court) -> None:
    _describe(ledger, rng, court)
    rank, grade = _RANK[court.level]
    plain = court.level != "特殊法院"
    region = {
        "基层法院": court.place.code,
        "中级法院": court.place.code // 100 * 100,
        "高级法院": court.place.code // 10000 * 10000,
    }
    ledger.add("CourtCode", {
        "法院名称": court.name, "行政级别": rank, "法院级别": court.level, "法院代字": court.code,
        "区划代码": region[court.level] if plain else " -", "级别": grade,
    })  # fmt: skip


def make_tribunals(ledger: Ledger, rng: Random, judiciary: Judiciary, count: int) -> None:
    """So many outlying tribunals (人民法庭) of basic courts: they decide under the code of their court, so have
    none."""
    seats = tuple(judiciary.basic.values())
    for number in range(count):
        court = seats[number % len(seats)]
        sign = TRIBUNALS[number // len(seats)]
        _describe(ledger, rng, Court(f"{court.name}{sign}人民法庭", court.level, court.code, court.place))


def _describe(ledger: Ledger, rng: Random, court: Court) -> None:
    while not ledger.address_free(address := draw_address(rng, court.place, style="full").split("号")[0] + "号"):
        pass
    place = court.place
    founded = written(draw_date(rng, date(1979, 1, 2), date(2019, 12, 30)))
    sparse = rng.random()
    ledger.add("CourtInfo", {
        "法院名称": court.name, "法院负责人": person(rng), "成立日期": founded if sparse > 0.25 else "-",
        "法院地址": ledger.address(address, place), "法院省份": place.province, "法院城市": place.city,
        "法院区县": place.county, "法院联系电话": landline(rng, place) if rng.random() > 0.2 else "-",
        "法院官网": f"http://www.{_host(court)}.example" if rng.random() > 0.4 else "-",
    })  # fmt: skip


def _host(court: Court) -> str:
    digits = "".join(c for c in court.code if c.isdigit())
    return f"court{court.place.code // 10000}{digits}"
