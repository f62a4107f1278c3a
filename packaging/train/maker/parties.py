"""Courts with their codes (法院代字), law firms, and companies: listed ones, their subsidiaries, trading partners.

The code of a court follows upstream's rule: province name, then two digits for an intermediate court, four for a
basic one; the part of a case number between the year bracket and the case type is exactly this code. Values keep
upstream's habits: capital as '26200万', investment as '8158.63万' or '1.31亿' or ' - ', share as '70.0', 首发募资净额
（元） in 万元 in spite of its name, codes as strings, postal codes as ints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any

from maker.places import (
    LAND,
    WORDS,
    Ledger,
    Namer,
    Place,
    draw_date,
    draw_place,
    landline,
    person,
    places,
    written,
)

from store.tables import beside


@dataclass(frozen=True, slots=True)
class Court:
    """One court. level: 基层法院, 中级法院, 高级法院, 特殊法院. code: 法院代字."""

    name: str
    level: str
    code: str
    place: Place


@dataclass(frozen=True)
class Judiciary:
    """All courts: basic by region code, intermediate by city, high by province."""

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


_RANK = {
    "基层法院": ("区县级", 1, 1),
    "中级法院": ("市级", 2, 100),
    "高级法院": ("省级", 3, 10_000),
    "特殊法院": ("市级", 3, 0),
}
"""Level -> its rank and grade, and what of a region code it is for (0: none)."""


def make_courts(ledger: Ledger, rng: Random) -> Judiciary:
    """Writes CourtInfo, CourtCode and the addresses of all courts."""
    basic: dict[int, Court] = {}
    intermediate: dict[str, tuple[Court, ...]] = {}
    high: dict[str, Court] = {}
    for province, cities in LAND.items():
        short = province[:-1]
        for city in cities:
            here = [place for place in places() if place.city == city]
            if province == city:
                seats = ((f"{city}第一中级人民法院", "01", here[1]), (f"{city}第二中级人民法院", "02", here[2]))
            else:
                seats = ((f"{province}{city}中级人民法院", f"{here[0].code // 100 % 100:02d}", here[0]),)
            intermediate[city] = tuple(
                Court(name, "中级法院", short + digits, place) for name, digits, place in seats
            )
            for place in here:
                name = (place.county if place.county.endswith("县") else city + place.county) + "人民法院"
                basic[place.code] = Court(name, "基层法院", f"{short}{place.code % 10000:04d}", place)
            high.setdefault(province, Court(f"{province}高级人民法院", "高级法院", short, here[1]))
    by_county = {place.county: place for place in places()}
    special = tuple(
        Court(name, "特殊法院", code, by_county[county]) for name, code, county in WORDS["special_courts"]
    )
    seated = [court for group in intermediate.values() for court in group]
    for court in (*high.values(), *seated, *basic.values(), *special):
        _write_court(ledger, rng, court)
    return Judiciary(basic, intermediate, high, special)


def _write_court(ledger: Ledger, rng: Random, court: Court) -> None:
    place = court.place
    address = ledger.address(rng, place, house=True)
    founded = written(draw_date(rng, date(1979, 1, 2), date(2019, 12, 30)))
    sparse = rng.random()
    host = f"court{place.code // 10000}{''.join(c for c in court.code if c.isdigit())}"
    ledger.add("CourtInfo", {
        "法院名称": court.name, "法院负责人": person(rng), "成立日期": founded if sparse > 0.25 else "-",
        "法院地址": address, "法院省份": place.province, "法院城市": place.city, "法院区县": place.county,
        "法院联系电话": landline(rng, place) if rng.random() > 0.2 else "-",
        "法院官网": f"http://www.{host}.example" if rng.random() > 0.4 else "-",
    })  # fmt: skip
    rank, grade, part = _RANK[court.level]
    ledger.add("CourtCode", {
        "法院名称": court.name, "行政级别": rank, "法院级别": court.level, "法院代字": court.code,
        "区划代码": place.code // part * part if part else " -", "级别": grade,
    })  # fmt: skip


_FIELDS, _BROKERS, _INDICES = (WORDS[kind].split() for kind in ("fields", "brokers", "indices"))
_MANNER = ("主要从事", "专长为", "长期提供", "专注于")


@dataclass(frozen=True, slots=True)
class Firm:
    """One law firm; `weight` says how often companies turn to it."""

    name: str
    place: Place
    weight: float


class Bar:
    """All firms, found by city."""

    def __init__(self, firms: Sequence[Firm]) -> None:
        self._firms = firms
        self._by_city: dict[str, list[Firm]] = {}
        for firm in firms:
            self._by_city.setdefault(firm.place.city, []).append(firm)

    def near(self, rng: Random, place: Place) -> str:
        """The name of a firm of the same city, now and then of one from elsewhere."""
        pool = self._by_city.get(place.city, []) if rng.random() < 0.85 else []
        return rng.choices(pool or self._firms, weights=[firm.weight for firm in pool or self._firms])[0].name


def make_firms(ledger: Ledger, rng: Random, namer: Namer, scale: float) -> Bar:
    """Writes LawfirmInfo, LawfirmLog and addresses; every county has at least one firm."""
    firms = []
    for place in places():
        count = max(1, round(scale * (rng.randint(3, 6) if place.code % 100 <= 2 else rng.randint(1, 3))))
        firms += [_write_firm(ledger, rng, namer, place) for _ in range(count)]
    busy = sorted(firms, key=lambda firm: (-firm.weight, firm.name))[: max(8, len(firms) // 3)]
    for rank, firm in enumerate(busy, start=1):
        served = max(1, round(70 / rank**0.6) + rng.randint(-1, 3))
        breaches = rng.randint(0, max(1, served // 4))
        ledger.add("LawfirmLog", {
            "律师事务所名称": firm.name, "业务量排名": rank, "服务已上市公司": served,
            "报告期间所服务上市公司违规事件": breaches,
            "报告期所服务上市公司接受立案调查": rng.randint(0, max(0, breaches // 2)),
        })  # fmt: skip
    return Bar(firms)


def _write_firm(ledger: Ledger, rng: Random, namer: Namer, place: Place) -> Firm:
    name = namer.firm(rng.choice(place.prefixes))
    address = ledger.address(rng, place)
    founded = draw_date(rng, date(1992, 3, 2), date(2020, 6, 30))
    fields = rng.sample(_FIELDS, 2)
    head, phone = person(rng), landline(rng, place)
    text = f"{rng.choice(_MANNER)}{'、'.join(fields)}，现有律师{rng.randint(4, 86)}名。"
    by_city = rng.random() < 0.6
    capital = rng.choice((10, 10, 20, 30, 30, 50, 60, 80, 100, 150, 200, 300, 500))
    host = f"law{place.code}{len(ledger.rows['LawfirmInfo']):03d}"
    ledger.add("LawfirmInfo", {
        "律师事务所名称": name, "律师事务所唯一编码": credit_code(rng, place, "31"), "律师事务所负责人": head,
        "事务所注册资本": f"{capital}万", "事务所成立日期": written(founded), "事务所地址": address,
        "事务所省份": place.province, "事务所城市": place.city, "事务所区县": place.county, "通讯电话": phone,
        "通讯邮箱": f"office@{host}.example" if rng.random() < 0.5 else "-", "事务所简介": text,
        "律所登记机关": f"{place.city if by_city else place.whole}司法局",
    })  # fmt: skip
    return Firm(name, place, rng.paretovariate(1.1))


_DIGITS = "0123456789ABCDEFGHJKLMNPQRTUWXY"
FIRST_CODE = 660001
"""公司代码 of the first listed company: no exchange has codes that begin so."""
_MARKETS = ("望交所主板", "望交所主板", "望交所创新板", "望交所成长板")
_BRANCHES: dict[str, str] = WORDS["branches"]
"""Word in the name of a subsidiary -> its industry."""
_SHARES = (*["100.0"] * 9, *"51.0 51.0 60.0 65.0 70.0 75.0 80.0 80.0 90.0 95.0 99.53 55.0".split())
_MINOR_SHARES = ("20.0", "25.0", "30.0", "35.0", "40.0", "49.0")


@dataclass
class Company:
    """One company as the other makers see it. `appetite`: how often it appears in court; `parent`: the listed one."""

    name: str
    place: Place
    head: str
    industry: str
    founded: date
    address: str
    appetite: float
    parent: Company | None = None
    counsel: str | None = None


@dataclass(frozen=True)
class Market:
    """All companies by role."""

    listed: tuple[Company, ...]
    subsidiaries: tuple[Company, ...]
    partners: tuple[Company, ...]

    @property
    def all(self) -> tuple[Company, ...]:
        """Every company with a register row."""
        return self.listed + self.subsidiaries + self.partners


class CompanyMaker:
    """Writes the three company tables and their addresses."""

    def __init__(self, ledger: Ledger, rng: Random, namer: Namer) -> None:
        self._ledger, self._rng, self._namer = ledger, rng, namer
        self._industries: dict[str, dict[str, Any]] = {
            entry["word"]: entry for entry in beside(__package__, "industries")["industry"]
        }
        self._trades = [word for word, entry in self._industries.items() if not entry.get("branch")]

    def market(self, scale: float) -> Market:
        """Listed companies first, then their subsidiaries, then independent ones."""
        listed = [self._listed(n) for n in range(max(20, round(60 * scale)))]
        subsidiaries = [sub for company, brand, sound in listed for sub in self._family(company, brand, sound)]
        partners = [self._partner() for _ in range(max(30, round(70 * scale)))]
        return Market(tuple(c for c, _, _ in listed), tuple(subsidiaries), tuple(partners))

    def _listed(self, serial: int) -> tuple[Company, str, str]:
        rng, place = self._rng, draw_place(self._rng)
        brand, sound = self._namer.brand()
        word = self._trades[serial % len(self._trades)]
        trade = self._industries[word]
        prefix = rng.choice(place.prefixes)
        name = f"{prefix}{brand}{word}股份有限公司"
        founded = draw_date(rng, date(1988, 5, 3), date(2013, 11, 29))
        listing = draw_date(rng, max(founded + timedelta(days=900), date(1998, 1, 5)), date(2020, 11, 30))
        address = self._ledger.address(rng, place)
        office = address if rng.random() < 0.6 else self._ledger.address(rng, place)
        capital = round(rng.lognormvariate(10.6, 0.7), 4)
        host = f"{sound}{place.code}"
        company = Company(name, place, "", word, founded, address, min(6.0, rng.paretovariate(1.1) + 1.0))
        self._register(company, capital, host, listed=True)
        price = round(rng.uniform(3.2, 38.0), 2)
        raised = round(price * rng.uniform(2500, 9800) * 0.93, rng.choice((2, 2, 4)))
        renamed = rng.random() < 0.15
        self._ledger.add("CompanyInfo", {
            "公司名称": name, "公司简称": f"{brand}{trade['short']}", "关联证券": None,
            "公司代码": str(FIRST_CODE + serial), "曾用简称": f"{prefix}{trade['short']}" if renamed else "-",
            "所属市场": _MARKETS[serial % len(_MARKETS)], "所属行业": trade["csrc"], "成立日期": written(founded),
            "上市日期": written(listing), "法人代表": company.head,
            "总经理": company.head if rng.random() < 0.4 else person(rng), "董秘": person(rng),
            "邮政编码": place.code // 100 * 100 + place.code % 100 // 5, "注册地址": address, "办公地址": office,
            "联系电话": landline(rng, place), "传真": landline(rng, place), "官方网址": f"www.{host}.example",
            "电子邮箱": f"ir@{host}.example", "入选指数": ",".join(sorted(rng.sample(_INDICES, rng.randint(1, 3)))),
            "每股面值（元）": 1.0, "首发价格（元）": price, "首发募资净额（元）": str(raised),
            "首发主承销商": rng.choice(_BROKERS),
        })  # fmt: skip
        return company, brand, sound

    def _family(self, parent: Company, brand: str, sound: str) -> list[Company]:
        rng = self._rng
        family: list[Company] = []
        for branch in rng.sample(tuple(_BRANCHES), rng.randint(3, 9)):
            place = parent.place if rng.random() < 0.5 else draw_place(rng)
            own = rng.random() < 0.75
            sign, tone = (brand, sound) if own else self._namer.brand()
            name = f"{rng.choice(place.prefixes)}{sign}{branch}有限公司"
            if self._namer.fresh(name):
                host = f"{tone}{place.code}{len(family)}"
                family.append(self._subsidiary(parent, name, place, _BRANCHES[branch], host))
        return family

    def _subsidiary(self, parent: Company, name: str, place: Place, word: str, host: str) -> Company:
        rng = self._rng
        founded = draw_date(rng, max(parent.founded, date(1996, 3, 1)) + timedelta(days=200), date(2021, 6, 30))
        capital = float(rng.choice((500, 800, 1000, 1000, 1500, 2000, 3000, 5000, 8000, 10000, 12000, 20000, 36000)))
        if rng.random() < 0.2:
            capital = round(capital * rng.uniform(0.9, 1.2), 2)
        address = self._ledger.address(rng, place)
        appetite = min(6.0, rng.paretovariate(0.8) * 0.4)
        child = Company(name, place, "", word, founded, address, appetite, parent)
        self._register(child, capital, host)
        share = rng.choice(_SHARES) if rng.random() > 0.04 else " -"
        if minority := rng.random() < 0.08:
            share = rng.choice(_MINOR_SHARES)
        invested = " - "
        if rng.random() >= 0.08 and share != " -":
            worth = capital * float(share) / 100
            invested = f"{worth / 10000:.2f}亿" if worth >= 10000 else f"{worth:.2f}万"
        self._ledger.add("SubCompanyInfo", {
            "关联上市公司全称": parent.name, "上市公司关系": "联营企业" if minority else "子公司",
            "上市公司参股比例": share, "上市公司投资金额": invested, "公司名称": name,
        })  # fmt: skip
        return child

    def _partner(self) -> Company:
        rng, place = self._rng, draw_place(self._rng)
        while True:
            brand, sound = self._namer.brand()
            word = rng.choice(self._trades)
            works = "工程有限公司" if word == "建设工程" else "有限公司"
            form = rng.choice(("有限公司", "有限公司", "有限责任公司", works))
            name = f"{rng.choice(place.prefixes)}{brand}{word}{form}"
            if self._namer.fresh(name):
                break
        founded = draw_date(rng, date(1997, 2, 3), date(2019, 10, 31))
        capital = float(rng.choice((100, 200, 300, 500, 1000, 1200, 2000, 3000, 5000)))
        address = self._ledger.address(rng, place)
        partner = Company(name, place, "", word, founded, address, min(4.0, rng.paretovariate(1.2) * 0.4))
        self._register(partner, capital, f"{sound}{place.code}")
        return partner

    def _register(self, company: Company, capital: float, host: str, *, listed: bool = False) -> None:
        """Writes the row of the register, and names the head of the company."""
        rng, place, levels = self._rng, company.place, self._industries[company.industry]["levels"]
        credit = credit_code(rng, place)
        company.head = person(rng)
        phone = landline(rng, place) if rng.random() < 0.8 else f"12{rng.randint(0, 999_999_999):09d}"
        state = "存续" if listed or rng.random() < 0.72 else rng.choice(("在业", "在业", "在业", "注销"))
        if state == "注销":
            state = f"注销（{draw_date(rng, date(2021, 9, 1), date(2023, 12, 20)).isoformat()}）"
        staff = rng.randint(320, 5200) if listed else max(0, round(rng.lognormvariate(3.2, 1.2)) - 2)
        self._ledger.add("CompanyRegister", {
            "公司名称": company.name, "登记状态": state, "统一社会信用代码": credit, "法定代表人": company.head,
            "注册资本": f"{capital:.4f}".rstrip("0").rstrip(".") + "万", "成立日期": written(company.founded),
            "企业地址": company.address, "联系电话": phone,
            "联系邮箱": f"admin@{host}.example" if rng.random() < 0.85 else "-",
            "注册号": f"{place.code}{rng.randint(10**8, 10**9 - 1)}" if rng.random() < 0.7 else "-",
            "组织机构代码": f"{credit[8:16]}-{credit[16]}", "参保人数": str(staff) if rng.random() < 0.93 else "-",
            "行业一级": levels[0], "行业二级": levels[1], "行业三级": levels[2] if rng.random() < 0.8 else "-",
            "曾用名": company.name.replace("股份有限公司", "有限公司") if listed and rng.random() < 0.5 else "-",
        })  # fmt: skip


def credit_code(rng: Random, place: Place, kind: str = "91") -> str:
    """18 characters: kind, region, nine of the body, and the impossible check digit Z."""
    newer = rng.random() < 0.4
    body = "MA" + "".join(rng.choices(_DIGITS, k=7)) if newer else f"{rng.randint(100_000_000, 999_999_999)}"
    return f"{kind}{place.code}{body}Z"
