"""Enforcement against companies (限制高消费, 终结本次执行, 失信被执行人) and administrative penalties.

An enforcement case grows out of a published judgment where there is one; the same case number then stands in all
tables it touches. Amounts are yuan in upstream's mixed types: int, float, numeric string, '-'.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from maker.companies import Company, Market
from maker.courts import Court, Judiciary
from maker.documents import DocumentMaker, Judgment
from maker.geography import Land, Place, core
from maker.ledger import Ledger, Value, draw_date, written
from maker.names import starred

_LAST = date(2024, 6, 28)


@dataclass(frozen=True, slots=True)
class Matter:
    """One enforcement case. amount: what is to be enforced, yuan."""

    company: Company
    number: str
    court: Court
    applicant: str
    amount: float
    filed: date
    judgment: Judgment | None


class EnforcementMaker:
    """Writes the three enforcement tables and the rulings that belong to them."""

    def __init__(
        self, ledger: Ledger, rng: Random, judiciary: Judiciary, market: Market, documents: DocumentMaker,
        land: Land | None = None,
    ) -> None:  # fmt: skip
        self._land = land or core()
        self._ledger = ledger
        self._rng = rng
        self._judiciary = judiciary
        self._market = market
        self._documents = documents

    def enforce(self, judgments: list[Judgment], loose: int) -> None:
        """Unpaid judgments first, then `loose` matters whose judgments were not published."""
        rng = self._rng
        debtors = sorted({j.defendant.company.name for j in judgments if j.amount and j.defendant.company})
        troubled = set(rng.sample(debtors, round(len(debtors) * 0.55)))
        for judgment in judgments:
            company = judgment.defendant.company
            if company is not None and judgment.amount and company.name in troubled:
                self._follow(self._matter(judgment, company))
        weak = [company for company in self._market.all if company.name in troubled]
        for company in rng.choices(weak, weights=[c.appetite for c in weak], k=loose):
            self._follow(self._loose(company))

    def _matter(self, judgment: Judgment, company: Company) -> Matter:
        rng = self._rng
        filed = judgment.day + timedelta(days=rng.randint(40, 300))
        number = self._ledger.case_number(rng, judgment.court.code, filed.year, "执")
        plaintiff = judgment.plaintiff
        personal = plaintiff.company is None and "某" in plaintiff.name
        applicant = plaintiff.name[0] + "*" * (len(plaintiff.name) - 1) if personal else plaintiff.name
        amount = round(judgment.amount * rng.uniform(1.01, 1.09), 2)
        return Matter(company, number, judgment.court, applicant, amount, filed, judgment)

    def _loose(self, company: Company) -> Matter:
        rng = self._rng
        place = company.place if rng.random() < 0.7 else self._land.draw(rng)
        court = self._judiciary.first_instance(place)
        filed = draw_date(rng, date(2018, 1, 8), date(2023, 6, 30))
        other = rng.choice(self._market.partners)
        applicant = starred(rng) if rng.random() < 0.4 or other is company else other.name
        number = self._ledger.case_number(rng, court.code, filed.year, rng.choice(("执", "执", "执", "执恢")))
        return Matter(company, number, court, applicant, round(rng.lognormvariate(12.4, 1.3), 2), filed, None)

    def _follow(self, matter: Matter) -> None:
        rng = self._rng
        closed = rng.random() < 0.62
        restricted = rng.random() < (0.45 if closed else 0.2)
        dishonest = restricted and rng.random() < 0.5
        applicant = matter.applicant if rng.random() > 0.06 else "-"
        base: dict[str, Value] = {
            "案号": matter.number,
            "执行法院": matter.court.name,
            "立案日期": written(matter.filed),
        }
        if restricted:
            self._ledger.add("RestrictionCase", base | {
                "限制高消费企业名称": matter.company.name, "法定代表人": matter.company.head, "申请人": applicant,
                "涉案金额（元）": mixed(rng, round(matter.amount)),
                "限高发布日期": self._later(matter.filed, 20, 150),
            })  # fmt: skip
        if closed:
            paid = 0.0 if rng.random() < 0.6 else rng.uniform(0.02, 0.7)
            unpaid = round(matter.amount * (1 - paid), 2)
            missing = rng.random() < 0.05
            self._ledger.add("FinalizedCase", base | {
                "终本公司名称": matter.company.name, "被执行人": matter.company.name, "疑似申请执行人": applicant,
                "未履行金额（元）": "-" if missing else unpaid, "执行标的（元）": float(round(matter.amount)),
                "终本日期": self._later(matter.filed, 90, 200),
            })  # fmt: skip
        if dishonest:
            self._ledger.add("DishonestyCase", base | {
                "失信被执行公司名称": matter.company.name, "失信被执行人": matter.company.name,
                "疑似申请执行人": applicant, "涉案金额（元）": matter.amount,
                "发布日期": self._later(matter.filed, 30, 190),
            })  # fmt: skip
        if matter.judgment is not None and rng.random() < 0.5:
            day = matter.filed + timedelta(days=rng.randint(30, 180))
            self._documents.enforcement_ruling(matter.judgment, matter.number, day, matter.amount, closed)

    def _later(self, filed: date, low: int, high: int) -> str:
        return written(min(_LAST, filed + timedelta(days=self._rng.randint(low, high))))


def mixed(rng: Random, amount: int) -> Value:
    """Upstream's mixed types of one column."""
    roll = rng.random()
    if roll < 0.78:
        return amount
    if roll < 0.86:
        return float(amount)
    return str(amount) if roll < 0.95 else "-"


_AGENCIES: dict[str, tuple[str, tuple[tuple[str, int, int], ...]]] = {
    "市场监督管理局": ("市监", (
        ("销售的产品标签未标明生产日期和执行标准，违反了产品标识管理的有关规定。", 2000, 30000),
        ("在网页宣传中使用“全域第一”等绝对化用语，且无法提供证明材料，构成虚假宣传。", 5000, 200000),
        ("使用未经检定的计量器具进行贸易结算。", 1000, 10000),
        ("销售的一批次产品经监督抽检不合格，未履行进货查验义务。", 10000, 150000),
    )),
    "应急管理局": ("应急", (
        ("有限空间作业未落实先通风、再检测、后作业的要求，未安排专人监护。", 20000, 90000),
        ("未按照规定对从业人员进行安全生产教育和培训，培训记录缺失。", 10000, 60000),
        ("危险化学品仓库的安全警示标志和防爆设施不符合要求。", 20000, 120000),
    )),
    "城市管理行政执法局": ("城管", (
        ("施工现场未采取有效覆盖措施，造成道路扬尘污染。", 3000, 50000),
        ("未取得夜间施工许可在噪声敏感区域进行混凝土浇筑作业。", 5000, 40000),
        ("擅自占用人行道堆放建筑材料，经责令限期改正逾期未改。", 500, 8000),
    )),
    "生态环境局": ("环", (
        ("废气处理设施停运期间继续生产，挥发性有机物未经处理直接排放。", 50000, 380000),
        ("将含油废水经雨水管道排入外环境，排放口化学需氧量超过许可浓度。", 80000, 460000),
        ("危险废物暂存间未设置识别标志，转移联单填写不完整。", 20000, 200000),
    )),
    "税务局": ("税", (
        ("未按照规定的期限办理纳税申报和报送纳税资料。", 200, 5000),
        ("取得不符合规定的发票并列支成本，少缴企业所得税。", 8000, 300000),
    )),
    "消防救援大队": ("消", (
        ("占用、堵塞疏散通道，常闭式防火门处于开启状态。", 5000, 30000),
        ("消防控制室值班人员未持证上岗，消防设施未保持完好有效。", 5000, 50000),
    )),
}  # fmt: skip
_BRACKETS = (("〔", "〕"),) * 16 + (("﹝", "﹞"), ("﹝", "﹞"), ("[", "]"), ("（", "）"))
_DIGITS = "零壹贰叁肆伍陆柒捌玖"


def make_penalties(ledger: Ledger, rng: Random, market: Market, documents: DocumentMaker, count: int) -> None:
    """Writes AdministrativeCase; the authorities are those of the company's county or of its city."""
    pool = market.all
    for company in rng.choices(pool, weights=[c.appetite + 0.4 for c in pool], k=count):
        office, (sign, deeds) = rng.choice(list(_AGENCIES.items()))
        place = company.place
        unit, mark = (place.city, place.city[0]) if rng.random() < 0.25 else _district(place)
        day = draw_date(rng, date(2017, 3, 1), date(2023, 11, 30))
        while not ledger.penalty_number(number := _number(rng, mark, sign, day.year)):
            pass
        deed, low, high = rng.choice(deeds)
        amount = round(low * (high / low) ** rng.random(), -2 if low < 5000 else -3)
        warned = rng.random() < 0.12
        if not warned and rng.random() < 0.1:
            documents.administrative_suit(company, f"{unit}{office}", number, day)
        ledger.add("AdministrativeCase", {
            "行政处罚公司名称": company.name, "案号": number, "事实": f"当事人{company.name}{deed}",
            "处罚结果": "警告" if warned else _result(rng, int(amount)),
            "处罚金额（元）": "-" if warned else _fine(rng, int(amount)), "处罚单位": f"{unit}{office}",
            "处罚日期": written(day),
        })  # fmt: skip


def _district(place: Place) -> tuple[str, str]:
    county = place.county if place.county.endswith("县") else place.city + place.county
    return county, place.city[0] + place.county[0]


def _number(rng: Random, mark: str, sign: str, year: int) -> str:
    left, right = rng.choice(_BRACKETS)
    return f"{mark}{sign}罚决字{left}{year}{right}{rng.randint(1, 480)}号"


def _result(rng: Random, amount: int) -> str:
    plain = rng.choice((f"罚款{amount}元", f"罚款人民币{capitals(amount)}元整", f"责令改正，并处罚款{amount}元"))
    return plain if rng.random() < 0.9 else f"一、责令改正；二、罚款{amount / 10000:g}万元。"


def _fine(rng: Random, amount: int) -> Value:
    roll = rng.random()
    return amount if roll < 0.88 else (float(amount) if roll < 0.94 else str(amount))


def capitals(amount: int) -> str:
    """Financial capitals of a positive integer below one hundred million: 23500 -> 贰万叁仟伍佰."""
    if amount >= 10_000:
        high, low = divmod(amount, 10_000)
        gap = "零" if 0 < low < 1000 else ""
        return f"{capitals(high)}万{gap}{capitals(low) if low else ''}"
    text, zero = "", False
    for unit, value in (("仟", 1000), ("佰", 100), ("拾", 10), ("", 1)):
        digit, amount = divmod(amount, value)
        if digit:
            text += ("零" if zero and text else "") + _DIGITS[digit] + unit
        zero = not digit
    return text
