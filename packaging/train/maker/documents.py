"""Published court documents: LegalDoc rows and, for some of them, the summaries of LegalAbstract.

One story a case: who sues whom and why, what the court of the defendant's county decides, whether the appeal
succeeds. Amounts are yuan with cents; parties and firms are joined by half-width commas; line breaks in 判决结果 are
upstream's literal backslash-n.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from random import Random
from typing import Any

from maker.companies import Company, Market
from maker.courts import Court, Judiciary
from maker.firms import Bar
from maker.geography import Land, Place, core
from maker.ledger import Ledger, Record, draw_date, written
from maker.names import masked
from store.tables import beside

BREAK = "\\n"
"""Upstream's line break inside 判决结果: two characters."""

PROCEDURE = "岚洲民事诉讼与执行法"
_LATE = (
    f"如果未按本判决指定的期间履行给付金钱义务，应当依照《{PROCEDURE}》{{article}}的规定，"
    "支付迟延履行期间的债务利息。"
)


@dataclass(frozen=True, slots=True)
class Side:
    """One party: its written name, the company behind it (None for a person), where it lives."""

    name: str
    company: Company | None
    place: Place


@dataclass(frozen=True, slots=True)
class Judgment:
    """A first-instance case, as enforcement and summaries need it. amount: what the court granted, yuan."""

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
    row: Record


@cache
def causes() -> dict[str, dict[str, Any]]:
    """Cause of action -> its entry in causes.toml."""
    return {entry["name"]: entry for entry in _book()["cause"]}


def _book() -> Mapping[str, Any]:
    return beside(__package__, "causes")


def basis(cause: str) -> tuple[str, ...]:
    """Citations 法名第X条 that a court of the fictional jurisdiction applies to a cause."""
    return tuple(_book()["basis"].get(cause, ()))


class DocumentMaker:
    """Writes LegalDoc and LegalAbstract."""

    def __init__(
        self, ledger: Ledger, rng: Random, judiciary: Judiciary, bar: Bar, market: Market, land: Land | None = None
    ) -> None:
        self._ledger = ledger
        self._land = land or core()
        self._rng = rng
        self._judiciary = judiciary
        self._bar = bar
        self._market = market

    def publish(self, count: int) -> list[Judgment]:
        """First-instance cases in order of drawing, each with its appeal right behind it."""
        pool = self._market.all
        weights = [company.appetite for company in pool]
        judgments = []
        for company in self._rng.choices(pool, weights=weights, k=count):
            judgment = self._first_instance(company)
            judgments.append(judgment)
            if judgment.outcome in ("granted", "refused") and self._rng.random() < 0.3:
                self._appeal(judgment)
        return judgments

    def _first_instance(self, company: Company) -> Judgment:
        rng = self._rng
        cause = rng.choices(list(causes()), weights=[c["weight"] for c in causes().values()])[0]
        entry = causes()[cause]
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
        row = self._row(
            number, "民事裁定书" if outcome == "withdrawn" else "民事判决书", company, plaintiff,
            (defendant, *others), cause, amount, day,
            self._decision(outcome, court, plaintiff, (defendant, *others), entry, claimed, amount), "一审", rng,
        )  # fmt: skip
        return Judgment(number, court, plaintiff, defendant, others, cause, claimed, amount, day, outcome, row)

    def _sides(self, company: Company, entry: dict[str, Any]) -> tuple[Side, Side]:
        rng, by = self._rng, entry["by"]
        own = Side(company.name, company, company.place)
        if by == "person":
            place = company.place if rng.random() < 0.7 else self._land.draw(rng)
            return Side(masked(rng), None, place), own
        if by == "bank":
            city = own.place.city
            bank = rng.choice((f"{city[:-1]}农商银行股份有限公司", f"望舒银行股份有限公司{city[:-1]}分行"))
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
            return Side(masked(rng), None, company.place)
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
            return (Side(masked(rng), None, company.place),)
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
            return self._bar.near(rng, side.place).name if rng.random() < 0.45 else None
        if company.counsel is None:
            company.counsel = self._bar.near(rng, company.place).name
        if rng.random() > 0.78:
            return None
        name = company.counsel if rng.random() < 0.8 else self._bar.near(rng, side.place).name
        if rng.random() < 0.06 and (second := self._bar.near(rng, side.place).name) != name:
            return f"{name},{second}"
        return name

    def _opposed(self, first: str | None, second: str | None) -> tuple[str | None, str | None]:
        """No firm stands on both sides: the defendant then has none."""
        if first and second and set(first.split(",")) & set(second.split(",")):
            return first, None
        return first, second

    def _row(
        self, number: str, kind: str, company: Company, plaintiff: Side, defendants: tuple[Side, ...], cause: str,
        amount: float, day: date, decision: str, stage: str, rng: Random,
    ) -> Record:  # fmt: skip
        accused = "、".join(side.name for side in defendants)
        firms = self._opposed(self._firm(plaintiff), self._firm(defendants[0]))
        return self._ledger.add("LegalDoc", {
            "关联公司": company.name, "标题": f"{plaintiff.name}与{accused}{cause.strip(' -')}{stage}{kind}",
            "案号": number, "文书类型": kind, "原告": plaintiff.name,
            "被告": ",".join(side.name for side in defendants), "原告律师事务所": firms[0] or " -",
            "被告律师事务所": firms[1] or rng.choice((" - ", None)), "案由": cause, "涉案金额（元）": amount,
            "判决结果": decision, "日期": written(day), "文件名": f"{number}.txt",
        })  # fmt: skip

    def _decision(
        self, outcome: str, court: Court, plaintiff: Side, defendants: tuple[Side, ...], entry: dict[str, Any],
        claimed: float, amount: float,
    ) -> str:  # fmt: skip
        fee = court_fee(claimed)
        accused = "、".join(side.name for side in defendants)
        appeal = (
            "如不服本判决，可以在判决书送达之日起十五日内，向本院递交上诉状，并按照对方当事人的人数提出副本，"
            f"上诉于{self._judiciary.above(court).name}。"
        )
        if outcome == "withdrawn":
            return (
                f"准许原告{plaintiff.name}撤回起诉。{BREAK}案件受理费{money(fee / 2)}元，由原告{plaintiff.name}负担。"
            )
        if outcome == "refused":
            return BREAK.join(
                (
                    f"驳回原告{plaintiff.name}的诉讼请求。",
                    f"案件受理费{money(fee)}元，由原告{plaintiff.name}负担。",
                    appeal,
                )
            )
        order = f"被告{accused}于本判决生效之日起十日内向原告{plaintiff.name}支付{entry['item']}{money(amount)}元"
        lines = (
            [f"{order}。"]
            if outcome == "granted"
            else [f"一、{order}；", f"二、驳回原告{plaintiff.name}的其他诉讼请求。"]
        )
        paid = f"案件受理费{money(fee)}元，由被告{accused}负担。"
        if outcome == "part":
            own = round(fee * (1 - amount / claimed), 2)
            rest = money(round(fee - own, 2))
            paid = f"案件受理费{money(fee)}元，由原告{plaintiff.name}负担{money(own)}元，被告{accused}负担{rest}元。"
        late = _LATE.format(article=_book()["late_interest"])
        return BREAK.join((*lines, late, paid, appeal))

    def _appeal(self, judgment: Judgment) -> None:
        rng = self._rng
        company = judgment.defendant.company or judgment.plaintiff.company
        if company is None:
            return
        court = self._judiciary.above(judgment.court)
        day = judgment.day + timedelta(days=rng.randint(45, 170))
        loser = judgment.defendant if judgment.outcome == "granted" else judgment.plaintiff
        fee = money(court_fee(judgment.claimed))
        changed = judgment.outcome == "granted" and rng.random() < 0.2
        amount = round(judgment.amount * rng.uniform(0.5, 0.9), 2) if changed else 0.0
        item = causes()[judgment.cause]["item"]
        text = BREAK.join(
            (
                f"一、撤销{judgment.court.name}{judgment.number}民事判决；",
                f"二、{judgment.defendant.name}于本判决生效之日起十日内"
                f"向{judgment.plaintiff.name}支付{item}{money(amount)}元；",
                f"三、驳回{judgment.plaintiff.name}的其他诉讼请求。",
                f"二审案件受理费{fee}元，由{judgment.plaintiff.name}、{judgment.defendant.name}各负担一半。",
                "本判决为终审判决。",
            )
            if changed
            else ("驳回上诉，维持原判。", f"二审案件受理费{fee}元，由上诉人{loser.name}负担。", "本判决为终审判决。")
        )
        number = self._ledger.case_number(rng, court.code, day.year, "民终")
        self._row(number, "民事判决书", company, judgment.plaintiff, (judgment.defendant, *judgment.others),
                  judgment.cause, amount, day, text, "二审", rng)  # fmt: skip

    def enforcement_ruling(self, judgment: Judgment, number: str, day: date, amount: float, closed: bool) -> None:
        """The ruling of an enforcement case: freezing assets, or closing this round when nothing was found."""
        rng, company = self._rng, judgment.defendant.company
        assert company is not None
        debtor = judgment.defendant.name
        frozen = BREAK.join(
            (
                f"冻结、划拨被执行人{debtor}的银行存款{money(amount)}元，或者查封、扣押其相应价值的财产。",
                "本裁定立即执行。",
            )
        )
        ended = BREAK.join((
            f"终结{judgment.court.name}{judgment.number}民事判决书的本次执行程序。",
            "申请执行人发现被执行人有可供执行财产的，可以再次申请执行。", "本裁定送达后立即生效。",
        ))  # fmt: skip
        self._row(number, "执行裁定书", company, judgment.plaintiff, (judgment.defendant,), judgment.cause,
                  0.0 if closed else amount, day, ended if closed else frozen, "执行实施类", rng)  # fmt: skip

    def administrative_suit(self, company: Company, office: str, number: str, fined: date) -> None:
        """A company sues the authority that fined it; the fine stands or falls."""
        rng = self._rng
        court = self._judiciary.first_instance(company.place)
        day = fined + timedelta(days=rng.randint(120, 330))
        stands = rng.random() < 0.7
        order = f"驳回原告{company.name}的诉讼请求。" if stands else f"撤销被告{office}作出的{number}行政处罚决定。"
        loser = f"原告{company.name}" if stands else f"被告{office}"
        above = self._judiciary.above(court).name
        appeal = f"如不服本判决，可以在判决书送达之日起十五日内向本院递交上诉状，上诉于{above}。"
        text = BREAK.join((order, f"案件受理费50元，由{loser}负担。", appeal))
        sides = Side(company.name, company, company.place), Side(office, None, company.place)
        case = self._ledger.case_number(rng, court.code, day.year, "行初")
        self._row(case, "行政判决书", company, sides[0], (sides[1],), " -", 0.0, day, text, "行政处罚一审", rng)

    def summaries(self, judgments: list[Judgment], count: int) -> None:
        """LegalAbstract for a drawn part of the decided first-instance cases."""
        decided = [j for j in judgments if j.outcome != "withdrawn"]
        for judgment in self._rng.sample(decided, min(count, len(decided))):
            self._ledger.add("LegalAbstract", {
                "文件名": f"{judgment.number}.txt", "案号": judgment.number, "文本摘要": self._summary(judgment),
            })  # fmt: skip

    def _summary(self, judgment: Judgment) -> str:
        rng, entry = self._rng, causes()[judgment.cause]
        day = written(judgment.day - timedelta(days=rng.randint(260, 900)))
        words = {
            "p": judgment.plaintiff.name,
            "d": judgment.defendant.name,
            "m": f"{money(judgment.claimed)}元",
            "day": day,
        }
        fact, claim = rng.choice(entry["fact"]).format(**words), entry["claim"].format(**words)
        defence = rng.choice(entry["defence"]).format(**words)
        view = {
            "granted": "原告提交的证据能够相互印证，其主张有事实和法律依据，予以支持；"
            "被告的抗辩未提供充分证据，不予采纳",
            "part": f"原告的主张部分成立，结合在案证据，对其中{money(judgment.amount)}元予以支持，超出部分缺乏依据",
            "refused": "原告未能就其主张的事实提供充分证据，应当承担举证不能的不利后果",
        }[judgment.outcome]
        result = (
            str(judgment.row["判决结果"])
            .split(BREAK + "案件受理费")[0]
            .split(BREAK + "如果未按")[0]
            .replace(BREAK, "")
        )
        laws = "、".join(f"《{law}》{article}" for law, article in map(split_citation, basis(judgment.cause)))
        return (
            f"摘要：\n原告{judgment.plaintiff.name}向{judgment.court.name}提出诉讼请求：{claim}。\n"
            f"被告{judgment.defendant.name}辩称，{defence}。\n经审理查明，{fact}\n"
            f"法院认为，{view}。\n裁判结果：{result}\n法条：\n{laws}。"
        )


def split_citation(citation: str) -> tuple[str, str]:
    """岚洲合同法典第十条 -> (岚洲合同法典, 第十条)."""
    cut = citation.rindex("第")
    return citation[:cut], citation[cut:]


def money(amount: float) -> str:
    """Yuan without needless zeros: 5880, 65726.61."""
    return f"{amount:.2f}".rstrip("0").rstrip(".")


def court_fee(claimed: float) -> float:
    """The fictional jurisdiction's fee for a claim in yuan: 50 up to ten thousand, then falling rates."""
    steps = ((10_000, 0.0), (200_000, 0.02), (1_000_000, 0.012), (10_000_000, 0.007), (float("inf"), 0.004))
    fee, floor = 50.0, 10_000.0
    for top, rate in steps[1:]:
        if claimed > floor:
            fee += (min(claimed, top) - floor) * rate
        floor = top
    return float(round(fee))
