"""Law firms: register rows (LawfirmInfo) for all, a business log (LawfirmLog) for the busier ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from random import Random

from maker.geography import Land, Place, core, draw_address, landline
from maker.ledger import Ledger, draw_date, written
from maker.names import Namer, credit_code, person

_FIELDS = (
    "公司治理与股权纠纷", "建设工程与房地产", "劳动用工合规", "知识产权", "银行与融资租赁", "强制执行与资产处置",
    "医药健康合规", "行政处罚与行政诉讼", "破产重整与清算", "海事海商", "数据与互联网合规", "家族财富与继承",
)  # fmt: skip
_MANNER = (
    "本所成立于{year}年，主要从事{a}、{b}方面的诉讼与非诉讼业务，现有执业律师{n}名。",
    "{name}是一家合伙制律师事务所，以{a}为专长，并设有{b}业务部，执业律师及辅助人员共{n}人。",
    "本所办公地点位于{city}{county}，长期为当地企业提供{a}服务，近年来逐步拓展{b}业务，现有律师{n}名。",
    "{name}自{year}年设立以来专注于{a}，团队律师{n}人，另受聘担任多家单位的常年法律顾问，办理{b}案件较多。",
)


@dataclass(frozen=True, slots=True)
class Firm:
    """One law firm; `weight` says how often companies turn to it."""

    name: str
    head: str
    phone: str
    place: Place
    weight: float


@dataclass(frozen=True)
class Bar:
    """All firms, found by city."""

    firms: tuple[Firm, ...]
    by_city: dict[str, tuple[Firm, ...]]

    def near(self, rng: Random, place: Place) -> Firm:
        """A firm of the same city, now and then one from elsewhere."""
        pool = self.by_city.get(place.city, ()) if rng.random() < 0.85 else ()
        pool = pool or self.firms
        return rng.choices(pool, weights=[firm.weight for firm in pool])[0]


def make_firms(ledger: Ledger, rng: Random, namer: Namer, scale: float) -> Bar:
    """Writes LawfirmInfo, LawfirmLog and addresses; every county has at least one firm."""
    firms = []
    for place in core().places:
        rank = place.code % 100
        count = max(1, round(scale * (rng.randint(3, 6) if rank <= 2 else rng.randint(1, 3))))
        firms += [_write(ledger, rng, namer, place) for _ in range(count)]
    return _bar(ledger, rng, firms, max(8, len(firms) // 3))


def make_firms_of(
    ledger: Ledger, rng: Random, namer: Namer, land: Land, count: int, logged: int, first_rank: int
) -> Bar:
    """Exactly so many firms over the places of a land, the first of `logged` with this rank."""
    firms = [_write(ledger, rng, namer, land.places[number % len(land.places)]) for number in range(count)]
    return _bar(ledger, rng, firms, logged, first_rank)


def _bar(ledger: Ledger, rng: Random, firms: list[Firm], logged: int, first_rank: int = 1) -> Bar:
    by_city: dict[str, list[Firm]] = {}
    for firm in firms:
        by_city.setdefault(firm.place.city, []).append(firm)
    busy = sorted(firms, key=lambda firm: (-firm.weight, firm.name))[:logged]
    _write_log(ledger, rng, busy, first_rank)
    return Bar(tuple(firms), {city: tuple(found) for city, found in by_city.items()})


def _write(ledger: Ledger, rng: Random, namer: Namer, place: Place) -> Firm:
    name = namer.firm(rng.choice(place.prefixes))
    while not ledger.address_free(address := draw_address(rng, place)):
        pass
    founded = draw_date(rng, date(1992, 3, 2), date(2020, 6, 30))
    fields = rng.sample(_FIELDS, 2)
    head, phone = person(rng), landline(rng, place)
    text = rng.choice(_MANNER).format(
        name=name,
        year=founded.year,
        a=fields[0],
        b=fields[1],
        n=rng.randint(4, 86),
        city=place.city,
        county=place.county,
    )
    by_city = rng.random() < 0.6
    capital = rng.choice((10, 10, 20, 30, 30, 50, 60, 80, 100, 150, 200, 300, 500))
    ledger.add("LawfirmInfo", {
        "律师事务所名称": name, "律师事务所唯一编码": credit_code(rng, place, "31"), "律师事务所负责人": head,
        "事务所注册资本": f"{capital}万", "事务所成立日期": written(founded),
        "事务所地址": ledger.address(address, place), "事务所省份": place.province, "事务所城市": place.city,
        "事务所区县": place.county, "通讯电话": phone,
        "通讯邮箱": f"office@law{place.code}{len(ledger.rows['LawfirmInfo']):03d}.example"
        if rng.random() < 0.5 else "-",
        "事务所简介": text, "律所登记机关": (f"{place.city}司法局" if by_city else f"{place.whole}司法局"),
    })  # fmt: skip
    return Firm(name, head, phone, place, rng.paretovariate(1.1))


def _write_log(ledger: Ledger, rng: Random, busy: list[Firm], first_rank: int) -> None:
    for rank, firm in enumerate(busy, start=first_rank):
        served = max(1, round(70 / rank**0.6) + rng.randint(-1, 3))
        breaches = rng.randint(0, max(1, served // 4))
        ledger.add("LawfirmLog", {
            "律师事务所名称": firm.name, "业务量排名": rank, "服务已上市公司": served,
            "报告期间所服务上市公司违规事件": breaches,
            "报告期所服务上市公司接受立案调查": rng.randint(0, max(0, breaches // 2)),
        })  # fmt: skip
