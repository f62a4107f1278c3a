"""Companies: listed ones on an invented exchange, their subsidiaries, and independent trading partners.

Values keep upstream's habits: capital as '26200万', investment as '8158.63万' or '1.31亿' or ' - ', share as '70.0',
首发募资净额（元） in 万元 in spite of its name, codes as strings, postal codes as ints.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import count
from random import Random
from typing import Any

from maker.geography import Land, Place, core, draw_address, landline, mobile
from maker.ledger import Ledger, Record, draw_date, written
from maker.names import Namer, credit_code, organisation_code, person
from store.tables import beside

_BROKERS = (
    "望舒证券股份有限公司", "栖云证券有限责任公司", "琅川证券股份有限公司", "霁原证券股份有限公司",
    "墨泽证券有限责任公司", "听潮证券股份有限公司",
)  # fmt: skip
FIRST_CODE = 660001
"""公司代码 of the first listed company: no exchange has codes that begin so."""
_INDICES = ("望舒综指", "望舒300", "望交所红利", "云海50", "先进制造100", "绿色低碳指数", "中小成长指数")
_MARKETS = ("望交所主板", "望交所主板", "望交所创新板", "望交所成长板")
_BRANCHES = {
    "贸易": "商贸", "销售": "商贸", "供应链管理": "供应链管理", "物流": "现代物流", "科技": "软件",
    "信息技术": "软件", "环保科技": "水务环保", "新能源": "能源", "工程": "建设工程", "置业": "置业",
    "材料": "新材料", "机电": "精密机械", "设备租赁": "设备租赁", "投资管理": "投资管理", "检测技术": "检测技术",
    "生物科技": "生物科技",
}  # fmt: skip
_SHARES = ("100.0",) * 9 + (
    "51.0",
    "51.0",
    "60.0",
    "65.0",
    "70.0",
    "75.0",
    "80.0",
    "80.0",
    "90.0",
    "95.0",
    "99.53",
    "55.0",
)


@dataclass
class Company:
    """One company as the other makers see it. `appetite`: how often it appears in court; `parent` is the listed
    one."""

    name: str
    place: Place
    head: str
    credit: str
    industry: str
    founded: date
    address: str
    phone: str
    appetite: float
    register: Record
    listed: bool = False
    parent: Company | None = None
    subsidiaries: list[Company] = field(default_factory=list)
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


def _industries() -> dict[str, dict[str, Any]]:
    return {entry["word"]: entry for entry in beside(__package__, "industries")["industry"]}


class CompanyMaker:
    """Writes the four company tables and their addresses."""

    def __init__(
        self, ledger: Ledger, rng: Random, namer: Namer, land: Land | None = None, brands: Namer | None = None
    ) -> None:
        """brands: gives the brands of listed companies, which are their short names; default: `namer`."""
        self._land = land or core()
        self._brands = brands or namer
        self._ledger = ledger
        self._rng = rng
        self._namer = namer
        self._industries = _industries()
        self._trades = [word for word, entry in self._industries.items() if not entry.get("branch")]

    def market(self, scale: float) -> Market:
        """Listed companies first, then their subsidiaries, then independent ones."""
        listed = [self._listed(n) for n in range(max(20, round(60 * scale)))]
        subsidiaries = [sub for company, brand, sound in listed for sub in self._family(company, brand, sound)]
        partners = [self._partner() for _ in range(max(30, round(70 * scale)))]
        return Market(tuple(c for c, _, _ in listed), tuple(subsidiaries), tuple(partners))

    def market_of(self, listed: int, families: int, first: int) -> Market:
        """Exactly so many listed companies, the first with this serial number, and so many subsidiaries in all.

        Subsidiaries trade with each other: there are no independent partners.
        """
        heads = [self._listed(first + number) for number in range(listed)]
        children: list[Company] = []
        for number, (company, brand, sound) in enumerate(heads, start=1):
            wanted = families * number // listed - len(children)
            children += self._family(company, brand, sound, wanted)
        return Market(tuple(company for company, _, _ in heads), tuple(children), ())

    def _listed(self, serial: int) -> tuple[Company, str, str]:
        rng, place = self._rng, self._land.draw(self._rng)
        brand, sound = self._brands.brand()
        word = self._trades[serial % len(self._trades)]
        trade = self._industries[word]
        prefix = rng.choice(place.prefixes)
        name = f"{prefix}{brand}{word}股份有限公司"
        founded = draw_date(rng, date(1988, 5, 3), date(2013, 11, 29))
        listing = draw_date(rng, max(founded + timedelta(days=900), date(1998, 1, 5)), date(2020, 11, 30))
        address = self._address(place)
        office = address if rng.random() < 0.6 else self._address(place)
        capital = round(rng.lognormvariate(10.6, 0.7), 4)
        host, code = f"{sound}{place.code}", str(FIRST_CODE + serial)
        company = self._register(
            name, place, word, founded, address, capital, host, appetite=min(6.0, rng.paretovariate(1.1) + 1.0),
            listed=True,
            intro=f"{name}是一家专注于{trade['business'].rstrip('。')}的企业，股票代码{code}，"
            f"总部位于{place.city}{place.county}。",
        )  # fmt: skip
        price = round(rng.uniform(3.2, 38.0), 2)
        raised = round(price * rng.uniform(2500, 9800) * 0.93, rng.choice((2, 2, 4)))
        short = f"{brand}{trade['short']}"
        renamed = rng.random() < 0.15
        self._ledger.add("CompanyInfo", {
            "公司名称": name, "公司简称": short,
            "英文名称": f"{self._land.sounds[prefix]} {sound.capitalize()} {trade['english']} Co., Ltd.",
            "关联证券": None, "公司代码": code, "曾用简称": f"{prefix}{trade['short']}" if renamed else "-",
            "所属市场": _MARKETS[serial % len(_MARKETS)], "所属行业": trade["csrc"], "成立日期": written(founded),
            "上市日期": written(listing), "法人代表": company.head,
            "总经理": company.head if rng.random() < 0.4 else person(rng), "董秘": person(rng),
            "邮政编码": place.postcode, "注册地址": address, "办公地址": office,
            "联系电话": landline(rng, place), "传真": landline(rng, place), "官方网址": f"www.{host}.example",
            "电子邮箱": f"ir@{host}.example", "入选指数": ",".join(sorted(rng.sample(_INDICES, rng.randint(1, 3)))),
            "主营业务": trade["business"], "经营范围": self._scope(trade),
            "机构简介": _history(company, short, trade, listing), "每股面值（元）": 1.0, "首发价格（元）": price,
            "首发募资净额（元）": str(raised), "首发主承销商": rng.choice(_BROKERS),
        })  # fmt: skip
        return company, brand, sound

    def _family(self, parent: Company, brand: str, sound: str, wanted: int | None = None) -> list[Company]:
        rng = self._rng
        family: list[Company] = []
        branches: Iterator[str] = iter(rng.sample(tuple(_BRANCHES), rng.randint(3, 9)) if wanted is None else ())
        if wanted is not None:
            branches = (rng.choice(tuple(_BRANCHES)) for _ in count())
        for branch in branches:
            if len(family) == wanted:
                break
            place = parent.place if rng.random() < 0.5 else self._land.draw(rng)
            own = rng.random() < 0.75
            sign, tone = (brand, sound) if own else self._namer.brand()
            name = f"{rng.choice(place.prefixes)}{sign}{branch}有限公司"
            if not self._namer.fresh(name):
                continue
            family.append(
                self._subsidiary(parent, name, place, _BRANCHES[branch], f"{tone}{place.code}{len(family)}")
            )
        parent.subsidiaries = family
        return family

    def _subsidiary(self, parent: Company, name: str, place: Place, word: str, host: str) -> Company:
        rng = self._rng
        founded = draw_date(rng, max(parent.founded, date(1996, 3, 1)) + timedelta(days=200), date(2021, 6, 30))
        capital = float(rng.choice((500, 800, 1000, 1000, 1500, 2000, 3000, 5000, 8000, 10000, 12000, 20000, 36000)))
        if rng.random() < 0.2:
            capital = round(capital * rng.uniform(0.9, 1.2), 2)
        child = self._register(name, place, word, founded, self._address(place), capital, host,
                               appetite=min(6.0, rng.paretovariate(0.8) * 0.4), intro="")  # fmt: skip
        child.parent = parent
        share = rng.choice(_SHARES) if rng.random() > 0.04 else " -"
        minority = rng.random() < 0.08
        if minority:
            share = rng.choice(("20.0", "25.0", "30.0", "35.0", "40.0", "49.0"))
        invested = " - " if rng.random() < 0.08 or share == " -" else _amount(capital * float(share) / 100)
        self._ledger.add("SubCompanyInfo", {
            "关联上市公司全称": parent.name, "上市公司关系": "联营企业" if minority else "子公司",
            "上市公司参股比例": share, "上市公司投资金额": invested, "公司名称": name,
        })  # fmt: skip
        return child

    def _partner(self) -> Company:
        rng, place = self._rng, self._land.draw(self._rng)
        while True:
            brand, sound = self._namer.brand()
            word = rng.choice(self._trades)
            form = rng.choice(
                ("有限公司", "有限公司", "有限责任公司", "工程有限公司" if word == "建设工程" else "有限公司")
            )
            name = f"{rng.choice(place.prefixes)}{brand}{word}{form}"
            if self._namer.fresh(name):
                break
        founded = draw_date(rng, date(1997, 2, 3), date(2019, 10, 31))
        capital = float(rng.choice((100, 200, 300, 500, 1000, 1200, 2000, 3000, 5000)))
        return self._register(name, place, word, founded, self._address(place), capital, f"{sound}{place.code}",
                              appetite=min(4.0, rng.paretovariate(1.2) * 0.4), intro="")  # fmt: skip

    def _address(self, place: Place) -> str:
        while not self._ledger.address_free(text := draw_address(self._rng, place)):
            pass
        return self._ledger.address(text, place)

    def _scope(self, trade: dict[str, Any]) -> str:
        return "；".join(trade["scope"]) + "。（依法须经批准的项目，经相关部门批准后方可开展经营活动）"

    def _register(
        self, name: str, place: Place, word: str, founded: date, address: str, capital: float, host: str, *,
        appetite: float, intro: str, listed: bool = False,
    ) -> Company:  # fmt: skip
        rng, trade = self._rng, self._industries[word]
        credit, head = credit_code(rng, place), person(rng)
        phone = landline(rng, place) if rng.random() < 0.8 else mobile(rng)
        state = "存续" if listed or rng.random() < 0.72 else rng.choice(("在业", "在业", "在业", "注销"))
        if state == "注销":
            state = f"注销（{draw_date(rng, date(2021, 9, 1), date(2023, 12, 20)).isoformat()}）"
        staff = rng.randint(320, 5200) if listed else max(0, round(rng.lognormvariate(3.2, 1.2)) - 2)
        amount = f"{capital:.4f}".rstrip("0").rstrip(".") + "万"
        register = self._ledger.add("CompanyRegister", {
            "公司名称": name, "登记状态": state, "统一社会信用代码": credit, "法定代表人": head, "注册资本": amount,
            "成立日期": written(founded), "企业地址": address, "联系电话": phone,
            "联系邮箱": f"admin@{host}.example" if rng.random() < 0.85 else "-",
            "注册号": f"{place.code}{rng.randint(10**8, 10**9 - 1)}" if rng.random() < 0.7 else "-",
            "组织机构代码": organisation_code(credit), "参保人数": str(staff) if rng.random() < 0.93 else "-",
            "行业一级": trade["levels"][0], "行业二级": trade["levels"][1],
            "行业三级": trade["levels"][2] if rng.random() < 0.8 else "-",
            "曾用名": name.replace("股份有限公司", "有限公司") if listed and rng.random() < 0.5 else "-",
            "企业简介": intro or _plain_intro(name, place, founded, head, amount, trade),
            "经营范围": self._scope(trade),
        })  # fmt: skip
        return Company(name, place, head, credit, word, founded, address, phone, appetite, register, listed)


def _amount(ten_thousands: float) -> str:
    """Investment as upstream writes it: below one hundred million in 万, from there in 亿, two decimals."""
    if ten_thousands >= 10000:
        return f"{ten_thousands / 10000:.2f}亿"
    return f"{ten_thousands:.2f}万"


def _plain_intro(name: str, place: Place, founded: date, head: str, capital: str, trade: dict[str, Any]) -> str:
    return (
        f"{name}成立于{founded.isoformat()}，法定代表人为{head}，注册资本为{capital}元人民币，"
        f"住所地在{place.city}{place.county}，"
        f"所属行业为{trade['levels'][1]}，经营范围包括{trade['scope'][0]}、{trade['scope'][1]}等。"
    )


def _history(company: Company, short: str, trade: dict[str, Any], listing: date) -> str:
    return (
        f"公司前身于{company.founded.year}年在{company.place.city}设立，后整体变更为股份有限公司，"
        f"并于{listing.year}年在望舒证券交易所"
        f"公开发行股票并上市，证券简称“{short}”。公司主要从事{trade['business'].rstrip('。')}，"
        "客户分布于云海、琅川、霁原、墨泽等地。"
    )
