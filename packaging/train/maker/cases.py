"""What happens to companies: suits with their appeals, enforcement (限制高消费, 终结本次执行, 失信被执行人), fines.

One story a case: who sues whom and why, what the court of the defendant's county decides, whether the appeal
succeeds; enforcement grows out of a judgment where there is one, and the same case number then stands in all tables
it touches. Amounts are yuan in upstream's mixed types: int, float, numeric string, '-'; parties and firms are joined
by half-width commas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any

from maker.parties import Bar, Company, Court, Judiciary, Market
from maker.places import WORDS, Ledger, Place, Value, draw_date, draw_place, masked, stream, written

from store.tables import beside


@dataclass(frozen=True, slots=True)
class Side:
    """One party: its written name, the company behind it (None for a person), where it lives."""

    name: str
    company: Company | None
    place: Place


@dataclass(frozen=True, slots=True)
class Judgment:
    """A first-instance case, as appeals, enforcement and summaries need it. amount: what the court granted, yuan."""

    number: str
    court: Court
    plaintiff: Side
    defendant: Side
    others: tuple[Side, ...]
    cause: str
    claimed: float
    amount: float
    day: date
    outcome: str


_LAST = date(2024, 6, 28)
"""No notice of enforcement is later."""


CAUSES: dict[str, dict[str, Any]] = {entry["name"]: entry for entry in beside(__package__, "causes")["cause"]}
"""Cause of action -> its entry in causes.toml."""


class CaseMaker:
    """Writes LegalDoc, LegalAbstract and the three tables of enforcement, each part with a stream of its own."""

    def __init__(self, ledger: Ledger, seed: int, judiciary: Judiciary, bar: Bar, market: Market) -> None:
        self._ledger = ledger
        self._rng, self._enforcement = stream(seed, "documents"), stream(seed, "enforcement")
        self._judiciary, self._bar, self._market = judiciary, bar, market

    def publish(self, count: int) -> list[Judgment]:
        """First-instance cases in order of drawing, each with its appeal right behind it."""
        pool = self._market.all
        judgments = []
        for company in self._rng.choices(pool, weights=[company.appetite for company in pool], k=count):
            judgment = self._first_instance(company)
            judgments.append(judgment)
            if judgment.outcome in ("granted", "refused") and self._rng.random() < 0.3:
                self._appeal(judgment)
        return judgments

    def _first_instance(self, company: Company) -> Judgment:
        rng = self._rng
        cause = rng.choices(list(CAUSES), weights=[c["weight"] for c in CAUSES.values()])[0]
        entry = CAUSES[cause]
        plaintiff, defendant = self._sides(company, entry)
        others = self._co_defendants(defendant, entry["by"])
        court = self._court(defendant, cause)
        low, high = entry["range"]
        claimed = round(min(high, low * (high / low) ** rng.random()), 2)
        if rng.random() < 0.3:
            claimed = float(round(claimed, -3)) or claimed
        day = draw_date(rng, date(2017, 2, 6), date(2022, 12, 29))
        outcome = rng.choices(("granted", "part", "refused", "withdrawn"), weights=(52, 18, 12, 18))[0]
        amount = {"granted": claimed, "part": round(claimed * rng.uniform(0.45, 0.92), 2)}.get(outcome, 0.0)
        number = self._ledger.case_number(rng, court.code, day.year, "民初")
        kind = "民事裁定书" if outcome == "withdrawn" else "民事判决书"
        self._row(number, kind, company, (plaintiff, defendant, *others), cause, amount, day)
        return Judgment(number, court, plaintiff, defendant, others, cause, claimed, amount, day, outcome)

    def _sides(self, company: Company, entry: dict[str, Any]) -> tuple[Side, Side]:
        rng, by = self._rng, entry["by"]
        own = Side(company.name, company, company.place)
        if by == "person":
            place = company.place if rng.random() < 0.7 else draw_place(rng)
            return Side(masked(rng, "某某", "某"), None, place), own
        if by == "bank":
            city = own.place.city[:-1]
            bank = rng.choice((f"{city}农商银行股份有限公司", f"望舒银行股份有限公司{city}分行"))
            return Side(bank, None, company.place), own
        trades = entry.get("trades", ())
        if (not trades or company.industry in trades) and rng.random() < 0.5:
            return own, self._rival(company, ())
        return self._rival(company, trades), own

    def _rival(self, company: Company, trades: Sequence[str]) -> Side:
        """The other party; with `trades` one whose line of business it is to be owed this kind of money."""
        rng = self._rng
        roll = rng.random()
        if roll < 0.12 and not trades:
            return Side(masked(rng, "某某", "某"), None, company.place)
        pool: Sequence[Company] = self._market.partners if roll < 0.75 else self._market.subsidiaries
        fit = [c for c in pool if c.industry in trades and c.parent is not company and company.parent is not c]
        if fit and fit != [company]:
            pool = fit
        while (other := rng.choice(pool)) is company or other.parent is company or company.parent is other:
            pass
        return Side(other.name, other, other.place)

    def _co_defendants(self, defendant: Side, by: str) -> tuple[Side, ...]:
        rng, company = self._rng, defendant.company
        if company is None or rng.random() > 0.14:
            return ()
        if company.parent is not None and rng.random() < 0.6:
            return (Side(company.parent.name, company.parent, company.parent.place),)
        if by == "bank":
            return (Side(masked(rng, "某某", "某"), None, company.place),)
        while (other := rng.choice(self._market.partners)) is company:
            pass
        return (Side(other.name, other, other.place),)

    def _court(self, defendant: Side, cause: str) -> Court:
        if cause == "侵害商标权纠纷" and defendant.place.province in ("望舒市", "墨泽省"):
            return self._judiciary.named("知识产权")
        if cause == "金融借款合同纠纷" and defendant.place.province == "望舒市":
            return self._judiciary.named("金融")
        if cause == "运输合同纠纷" and defendant.place.province == "云海省":
            return self._judiciary.named("铁路运输")
        return self._judiciary.first_instance(defendant.place)

    def _firm(self, side: Side) -> str | None:
        rng, company = self._rng, side.company
        if company is None:
            return self._bar.near(rng, side.place) if rng.random() < 0.45 else None
        if company.counsel is None:
            company.counsel = self._bar.near(rng, company.place)
        if rng.random() > 0.78:
            return None
        name = company.counsel if rng.random() < 0.8 else self._bar.near(rng, side.place)
        if rng.random() < 0.06 and (second := self._bar.near(rng, side.place)) != name:
            return f"{name},{second}"
        return name

    def _row(
        self, number: str, kind: str, company: Company, sides: Sequence[Side], cause: str, amount: float, day: date
    ) -> None:
        plaintiff, *defendants = sides
        ours, theirs = self._firm(plaintiff), self._firm(defendants[0])
        if ours and theirs and set(ours.split(",")) & set(theirs.split(",")):
            theirs = None  # no firm stands on both sides
        self._ledger.add("LegalDoc", {
            "关联公司": company.name, "案号": number, "文书类型": kind, "原告": plaintiff.name,
            "被告": ",".join(side.name for side in defendants), "原告律师事务所": ours or " -",
            "被告律师事务所": theirs or self._rng.choice((" - ", None)), "案由": cause, "涉案金额（元）": amount,
            "日期": written(day), "文件名": f"{number}.txt",
        })  # fmt: skip

    def _appeal(self, judgment: Judgment) -> None:
        rng = self._rng
        company = judgment.defendant.company or judgment.plaintiff.company
        if company is None:
            return
        court = self._judiciary.above(judgment.court)
        day = judgment.day + timedelta(days=rng.randint(45, 170))
        changed = judgment.outcome == "granted" and rng.random() < 0.2
        amount = round(judgment.amount * rng.uniform(0.5, 0.9), 2) if changed else 0.0
        number = self._ledger.case_number(rng, court.code, day.year, "民终")
        sides = (judgment.plaintiff, judgment.defendant, *judgment.others)
        self._row(number, "民事判决书", company, sides, judgment.cause, amount, day)

    def administrative_suit(self, company: Company, office: str, fined: date) -> None:
        """A company sues the authority that fined it."""
        rng = self._rng
        court = self._judiciary.first_instance(company.place)
        day = fined + timedelta(days=rng.randint(120, 330))
        rng.random()  # whether the fine stands, which only the text of the judgment would say
        number = self._ledger.case_number(rng, court.code, day.year, "行初")
        sides = Side(company.name, company, company.place), Side(office, None, company.place)
        self._row(number, "行政判决书", company, sides, " -", 0.0, day)

    def summaries(self, judgments: list[Judgment], count: int) -> None:
        """LegalAbstract for a drawn part of the decided first-instance cases."""
        rng = self._rng
        decided = [j for j in judgments if j.outcome != "withdrawn"]
        for judgment in rng.sample(decided, min(count, len(decided))):
            entry = CAUSES[judgment.cause]
            words = {
                "day": written(judgment.day - timedelta(days=rng.randint(260, 900))), "p": judgment.plaintiff.name,
                "d": judgment.defendant.name, "m": f"{judgment.claimed:g}元",
            }  # fmt: skip
            fact, defence = (rng.choice(entry[part]).format(**words) for part in ("fact", "defence"))
            text = f"原告请求{entry['claim'].format(**words)}。被告辩称，{defence}。经审理查明，{fact}"
            self._ledger.add("LegalAbstract", {
                "文件名": f"{judgment.number}.txt", "案号": judgment.number, "文本摘要": text,
            })  # fmt: skip

    def enforce(self, judgments: list[Judgment], loose: int) -> None:
        """Unpaid judgments first, then `loose` matters whose judgments were not published."""
        rng = self._enforcement
        debtors = sorted({j.defendant.company.name for j in judgments if j.amount and j.defendant.company})
        troubled = set(rng.sample(debtors, round(len(debtors) * 0.55)))
        for judgment in judgments:
            company = judgment.defendant.company
            if company is not None and judgment.amount and company.name in troubled:
                self._unpaid(judgment, company)
        weak = [company for company in self._market.all if company.name in troubled]
        for company in rng.choices(weak, weights=[c.appetite for c in weak], k=loose):
            self._loose(company)

    def _unpaid(self, judgment: Judgment, company: Company) -> None:
        """The enforcement of a judgment, now and then with its ruling."""
        rng, plaintiff = self._enforcement, judgment.plaintiff
        filed = judgment.day + timedelta(days=rng.randint(40, 300))
        number = self._ledger.case_number(rng, judgment.court.code, filed.year, "执")
        personal = plaintiff.company is None and "某" in plaintiff.name
        applicant = plaintiff.name[0] + "*" * (len(plaintiff.name) - 1) if personal else plaintiff.name
        amount = round(judgment.amount * rng.uniform(1.01, 1.09), 2)
        closed = self._follow(company, number, judgment.court, applicant, amount, filed)
        if rng.random() < 0.5:
            day = filed + timedelta(days=rng.randint(30, 180))
            sides, frozen = (plaintiff, judgment.defendant), 0.0 if closed else amount
            self._row(number, "执行裁定书", company, sides, judgment.cause, frozen, day)

    def _loose(self, company: Company) -> None:
        rng = self._enforcement
        place = company.place if rng.random() < 0.7 else draw_place(rng)
        court = self._judiciary.first_instance(place)
        filed = draw_date(rng, date(2018, 1, 8), date(2023, 6, 30))
        other = rng.choice(self._market.partners)
        applicant = masked(rng, "**", "*") if rng.random() < 0.4 or other is company else other.name
        number = self._ledger.case_number(rng, court.code, filed.year, rng.choice(("执", "执", "执", "执恢")))
        self._follow(company, number, court, applicant, round(rng.lognormvariate(12.4, 1.3), 2), filed)

    def _follow(
        self, company: Company, number: str, court: Court, applicant: str, amount: float, filed: date
    ) -> bool:
        """What is published of an enforcement case; whether it was closed because nothing was found."""
        rng, name = self._enforcement, company.name

        def later(low: int, high: int) -> str:
            return written(min(_LAST, filed + timedelta(days=rng.randint(low, high))))

        closed = rng.random() < 0.62
        restricted = rng.random() < (0.45 if closed else 0.2)
        dishonest = restricted and rng.random() < 0.5
        applicant = applicant if rng.random() > 0.06 else "-"
        base: dict[str, Value] = {"案号": number, "执行法院": court.name, "立案日期": written(filed)}
        if restricted:
            self._ledger.add("RestrictionCase", base | {
                "限制高消费企业名称": name, "法定代表人": company.head, "申请人": applicant,
                "涉案金额（元）": _mixed(rng, round(amount), 0.78, 0.86, 0.95), "限高发布日期": later(20, 150),
            })  # fmt: skip
        if closed:
            paid = 0.0 if rng.random() < 0.6 else rng.uniform(0.02, 0.7)
            unpaid = round(amount * (1 - paid), 2)
            self._ledger.add("FinalizedCase", base | {
                "终本公司名称": name, "被执行人": name, "疑似申请执行人": applicant,
                "未履行金额（元）": "-" if rng.random() < 0.05 else unpaid,
                "执行标的（元）": float(round(amount)), "终本日期": later(90, 200),
            })  # fmt: skip
        if dishonest:
            self._ledger.add("DishonestyCase", base | {
                "失信被执行公司名称": name, "失信被执行人": name, "疑似申请执行人": applicant,
                "涉案金额（元）": amount, "发布日期": later(30, 190),
            })  # fmt: skip
        return closed


def _mixed(rng: Random, amount: int, whole: float, real: float, text: float = 1.0) -> Value:
    """Upstream's mixed types of one column: an int up to the first share, then a float, a numeric string, '-'."""
    roll = rng.random()
    if roll < whole:
        return amount
    return float(amount) if roll < real else str(amount) if roll < text else "-"


_BRACKETS = (*["〔〕"] * 16, "﹝﹞", "﹝﹞", "[]", "（）")


def make_penalties(ledger: Ledger, rng: Random, market: Market, cases: CaseMaker, count: int) -> None:
    """Writes AdministrativeCase; the authorities are those of the company's county or of its city."""
    pool, taken = market.all, set[str]()
    for company in rng.choices(pool, weights=[c.appetite + 0.4 for c in pool], k=count):
        office = rng.choice(WORDS["authority"])
        place = company.place
        unit, mark = place.city, place.city[0]
        if rng.random() >= 0.25:
            unit = place.county if place.county.endswith("县") else place.city + place.county
            mark += place.county[0]
        day = draw_date(rng, date(2017, 3, 1), date(2023, 11, 30))
        while (number := _number(rng, mark + office["sign"], day.year)) in taken:
            pass
        taken.add(number)
        deed, low, high = rng.choice(office["deeds"])
        amount = int(round(low * (high / low) ** rng.random(), -2 if low < 5000 else -3))
        warned = rng.random() < 0.12
        if not warned and rng.random() < 0.1:
            cases.administrative_suit(company, f"{unit}{office['name']}", day)
        ledger.add("AdministrativeCase", {
            "行政处罚公司名称": company.name, "案号": number, "事实": deed,
            "处罚结果": "警告" if warned else _result(rng, amount),
            "处罚金额（元）": "-" if warned else _mixed(rng, amount, 0.88, 0.94),
            "处罚单位": f"{unit}{office['name']}", "处罚日期": written(day),
        })  # fmt: skip


def _number(rng: Random, mark: str, year: int) -> str:
    left, right = rng.choice(_BRACKETS)
    return f"{mark}罚决字{left}{year}{right}{rng.randint(1, 480)}号"


def _result(rng: Random, amount: int) -> str:
    plain = rng.choice((f"罚款{amount}元", f"罚款人民币{amount}元整", f"责令改正，并处罚款{amount}元"))
    return plain if rng.random() < 0.9 else f"一、责令改正；二、罚款{amount / 10000:g}万元。"
