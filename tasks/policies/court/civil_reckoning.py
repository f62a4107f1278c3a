"""How much of a claim holds: what is left out, set off, shared, and the interest or penalty on what remains. Yuan; yearly rates.

Sources of the rules: 民法典第五百六十一条 (payments go to interest first), 第五百八十五条 (penalties), 民间借贷规定第二十五条、第三十一条 (caps on
interest), 第一千一百七十二、一千一百七十三、一千二百一十七条 (shares of liability). Only sums and days that were said in court are used.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from store.text.normalise import fold_width
from tasks.policies.court.civil_case import Case
from tasks.policies.court.civil_heard import Claim, Point
from tasks.policies.court.civil_quoting import gist
from tasks.policies.court.civil_sums import (
    Span,
    Sum,
    cents,
    chinese,
    days,
    interest,
    lpr,
    prime_interest,
    rate,
    reduced,
    spans,
    sums,
    yuan,
)
from tasks.policies.court.civil_weighing import NEAR, Weighed, nearest, overlap, points

NEW_CAP = date(2020, 8, 20)
"""From this day on lenders' interest is capped at four times the prime rate, before at 24 % (民间借贷规定第三十一条)."""
OLD_CAP, TIMES_CAP, PENALTY = 0.24, 4, 1.5
UNKNOWN_PENALTY = 0.3
"""What is left of an excessive penalty where nothing said in court allows to reckon it."""

_CLAUSE = re.compile(r"[^，,；;。\n]+")
_NOTED = re.compile(
    r"(?:已)?扣除(?:了)?(?:被告|对方)?(?:已)?(?:垫付|支付|付|给付)?(?:的|了)?(?P<sum>[0-9][0-9,.]*万?)元"
)
_HEAD = re.compile(r"[一-鿿]{1,5}费")
_THIRD = re.compile(r"(?P<who>[一-鿿]{2,4}?)(?:已)?(?:赔偿|赔付|支付)的?$")
_UNIT = re.compile(r"(?P<label>每[天日月年]|每平方米|月工资|日工资|单价)[^0-9，。；]{0,4}(?P<n>[0-9][0-9,.]*)元")
_FACTOR = re.compile(r"(?P<n>[0-9][0-9,.]*)元 ?[×x*÷/]")
_COUNTED = re.compile(r"[0-9]{1,6}(?:盏|台|件|套|天|日|个|间|平方米|吨|箱|辆|棵|只|笔)")
_HEADED = re.compile(r"(?P<head>[一-鿿]{2,8}费)(?:\((?P<note>[^()]{0,60})\))?(?P<sum>[0-9][0-9,.]*)元")
_BY_RECEIPT = re.compile(r"以?(?:正式)?(?:票据|发票)为准|凭票")
_TOO_HIGH = "过高|过分高|调减|减少|调低|太高"
_REPAID = re.compile(r"还款|归还|偿还|已还|转账")
_TIMES = {"三": 3, "3": 3, "十": 10, "10": 10, "两": 2, "二": 2, "五": 5}


@dataclass(frozen=True, slots=True)
class Lessened:
    """Sums by which a claim is less, each with its words; from_points: the points they come from."""

    sums: tuple[tuple[float, str], ...] = ()
    excluded: tuple[tuple[float, str], ...] = ()
    from_points: frozenset[str] = frozenset()

    @property
    def total(self) -> float:
        """All of them."""
        return sum(value for value, _ in (*self.sums, *self.excluded))


@dataclass(frozen=True, slots=True)
class Reckoned:
    """What is left of a claim, how it was reckoned, and the rate that was put in the place of another."""

    amount: float
    steps: tuple[str, ...] = ()
    rate: float | None = None
    adopts: str = "(?!)"
    """Words of the points of the answer that were followed."""


def lessened(
    claim: Claim, found: Sequence[Point], weighed: Sequence[Weighed], used: Collection[str] = ()
) -> Lessened:
    """The sums of an answer that lessen a claim: those the plaintiff would have to prove, and set-offs that are proven."""
    words = points()["lessens"]
    set_off: dict[float, str] = {}
    excluded: dict[float, str] = {}
    sources = set()
    for point in found:
        if _by_unit_of(claim, point):
            continue
        clauses = [fold_width(clause) for clause in _CLAUSE.findall(point.text)]
        for place, clause in enumerate(clauses):
            after = clauses[place + 1] if place + 1 < len(clauses) else ""
            around = clause if sums(after) else f"{clause},{after}"
            leaves_out, sets_off = re.search(words["exclusion"], around), re.search(words["set_off"], around)
            named = [one for one in sums(clause) if not re.search(words["idle"], one.before + one.after[:4])]
            if leaves_out and not named:
                named = _heads(clause, claim)
            if head := _head_less(clause, claim, weighed):
                excluded[head] = clause
                sources.add(point.text)
            for one in named:
                if (
                    not (leaves_out or sets_off)
                    or re.search(words["owned"], one.before)
                    or one.yuan >= (claim.amount or 0)
                ):
                    continue
                if sets_off and not leaves_out:
                    if yuan(one.yuan) not in used and (proven := _proven(one, point, weighed)):
                        set_off[proven] = clause
                        sources.add(point.text)
                elif not _shown(one, weighed):
                    excluded[one.yuan] = clause
                    sources.add(point.text)
    return Lessened(tuple(set_off.items()), tuple(excluded.items()), frozenset(sources))


def _heads(clause: str, claim: Claim) -> list[Sum]:
    """A head of the claim that a clause contests by name: 交通费没有票据."""
    text = fold_width(claim.text)
    found = []
    for name in _HEAD.findall(clause):
        for one in sums(text):
            if one.before.endswith(name[-3:]):
                found.append(one)
    return found


def _head_less(clause: str, claim: Claim, weighed: Sequence[Weighed]) -> float:
    """By how much a head is less at the unit that the answer puts, or by the receipts; 0 where neither can be reckoned."""
    for head in _HEADED.finditer(fold_width(claim.text)):
        name, asked = head["head"][-3:], _value(head["sum"])
        if name not in clause:
            continue
        own, put = _UNIT.search(head["note"] or ""), _UNIT.search(clause)
        if own and put and own["label"][:1] == put["label"][:1] and 0 < _value(put["n"]) < _value(own["n"]):
            return cents(asked - asked * _value(put["n"]) / _value(own["n"]))
        if _BY_RECEIPT.search(clause):
            told = [
                said.yuan
                for item in weighed
                if item.admitted and item.offer.side == "plaintiff" and name in item.offer.says
                for said in sums(fold_width(item.offer.excerpt))
                if "合计" in said.before and said.yuan < asked
            ]
            if told:
                return cents(asked - max(told))
    return 0.0


def _by_unit_of(claim: Claim, point: Point) -> bool:
    """Whether a point puts another unit for the whole claim, so that its sums are no deductions."""
    return bool(_FACTOR.search(fold_width(claim.text)) and _UNIT.search(fold_width(point.text)))


def _proven(one: Sum, point: Point, weighed: Sequence[Weighed]) -> float:
    """How much of a set-off the exhibits of the defendant bear out that stand and are not said to be beside the case."""
    own = [item for item in weighed if item.offer.side == "defendant"]
    if _turned(one, weighed):
        return one.yuan
    if by_sum := [item for item in own if _carries(item.offer.says, one.yuan)]:
        return max(_part(item, one.yuan) for item in by_sum)
    if added := _added(one, point, own):
        return added
    counted = set(_COUNTED.findall(fold_width(point.text)))
    by_count = [item for item in own if counted & set(_COUNTED.findall(fold_width(item.offer.says)))]
    like, best = nearest(point.text, own)
    speaking = by_count or ([best] if best is not None and like >= NEAR else [])
    return (
        one.yuan if any(item.admitted and not item.contested & {"truth", "relevance"} for item in speaking) else 0.0
    )


def _carries(text: str, value: float) -> bool:
    return any(abs(said.yuan - value) < 0.01 for said in sums(fold_width(text)))


def _part(item: Weighed, total: float) -> float:
    """What an exhibit proves of a sum: all of it, or without the items that are said to be beside the case."""
    if not item.admitted or "truth" in item.contested:
        return 0.0
    if "relevance" not in item.contested:
        return total
    listed = [said for said in sums(fold_width(item.offer.excerpt)) if said.yuan < total]
    if abs(sum(said.yuan for said in listed) - total) > 0.01:
        return 0.0
    return sum(said.yuan for said in listed if overlap(said.before, item.objection) < NEAR)


def _added(one: Sum, point: Point, own: Sequence[Weighed]) -> float:
    """A sum that several exhibits add up to, or a share of such a sum: what those prove that are not beside the case."""
    stated = [said.yuan for said in sums(fold_width(point.text)) if said.yuan >= one.yuan]
    largest = [(max((said.yuan for said in sums(fold_width(item.offer.says))), default=0.0), item) for item in own]
    for total in stated:
        for first, (low, _) in enumerate(largest):
            for high, _ in largest[first + 1 :]:
                if low and high and abs(low + high - total) < 0.01:
                    held = sum(value for value, item in largest if value in (low, high) and _part(item, value))
                    return cents(held * one.yuan / total)
    return 0.0


def _turned(one: Sum, weighed: Sequence[Weighed]) -> bool:
    """Whether the defendant has pointed to the sum in an exhibit of the plaintiff's own."""
    return any(
        item.admitted
        and item.offer.side == "plaintiff"
        and _carries(item.offer.says, one.yuan)
        and _carries(item.objection, one.yuan)
        for item in weighed
    )


def _shown(one: Sum, weighed: Sequence[Weighed]) -> bool:
    """Whether an exhibit of the plaintiff that nobody contests carries a sum."""
    return any(
        item.admitted and not item.contested and _carries(item.offer.says, one.yuan)
        for item in weighed
        if item.offer.side == "plaintiff"
    )


def method(case: Case, claim: Claim, rule: Mapping[str, Any], less: Lessened) -> Reckoned:
    """What is left of a claim of money."""
    asked = claim.amount or 0.0
    match rule.get("method"):
        case "discretion":
            return Reckoned(cents(asked * rule["share"]), ("酌定的比例适用于本院认定的数额",))
        case "half":
            left = asked - less.total / 2
            return Reckoned(cents(left), _minus(asked, less, half=True))
        case "multiple":
            return _multiple(case, claim)
        case "penalty" | "interest" if dated := spans(claim.text):
            return _running(case, claim, dated, penalty=rule["method"] == "penalty")
        case "penalty":
            return Reckoned(
                cents(asked * UNKNOWN_PENALTY), (f"酌情调整为{yuan(asked * UNKNOWN_PENALTY)}",), adopts=_TOO_HIGH
            )
    if _repayment(case, claim, less):
        return _appropriated(case, claim, less)
    return _shared(case, claim, less)


def _minus(asked: float, less: Lessened, *, half: bool = False) -> tuple[str, ...]:
    """How a sum was lessened, with the words of the answer for each part."""
    part = "的一半" if half else ""
    steps = [f"{gist(words, 50)}，相应核减{yuan(value)}" for value, words in less.excluded]
    steps += [
        f"被告关于“{gist(words, 50)}”的意见有证据证明，应当扣除{yuan(value)}{part}" for value, words in less.sums
    ]
    return (
        (*steps, f"{yuan(asked)}扣除{'、'.join(yuan(v) for v, _ in (*less.excluded, *less.sums))}{part}")
        if steps
        else ()
    )


def _multiple(case: Case, claim: Claim) -> Reckoned:
    """三倍赔偿: the multiple of the price that is given back."""
    asked = claim.amount or 0.0
    match = re.search(r"(三|十|两|二|五|3|10)倍", claim.text)
    prices = [
        one.amount
        for one in case.decided.values()
        if one.outcome != "rejected" and one.amount and re.search(r"退|货款|价款", one.claim.text)
    ]
    if match is None or not prices:
        return Reckoned(asked)
    total = sum(prices) * _TIMES[match[1]]
    return Reckoned(min(asked, total), (f"以{yuan(sum(prices))}为基数计算{match[1]}倍为{yuan(total)}",))


# --- liability -------------------------------------------------------------------------------------------------------


def _shared(case: Case, claim: Claim, less: Lessened) -> Reckoned:
    """A plain sum: by another unit where that is shown, less what is left out, by the share of liability, less set-offs."""
    asked = claim.amount or 0.0
    gross, steps = _by_unit(case, claim)
    share, why = liability(case)
    noted = _noted(claim)
    left_out = sum(value for value, _ in less.excluded)
    set_off = sum(value for value, words in less.sums if value != noted and not (share < 1 and _others(words, value)))
    if left_out or set_off:
        steps += [*_minus(gross, replace(less, sums=tuple(s for s in less.sums if s[0] != noted)))]
    if share < 1:
        steps.append(f"{why}，被告承担{round(share * 100)}%")
    amount = (gross + noted - left_out) * share - noted - set_off if share < 1 else gross - left_out - set_off
    adopts = "|".join(
        [
            *(["每[天日月年]|月工资|单价"] if gross < asked else []),
            *(["责任|过错|搭[乘载]|同乘"] if share < 1 else []),
        ]
    )
    return Reckoned(cents(min(amount, asked)), tuple(steps), adopts=adopts or "(?!)")


def _noted(claim: Claim) -> float:
    """What a claim says it has taken off already: 已扣除被告垫付的8000元."""
    match = _NOTED.search(fold_width(claim.text))
    found = sums(f"{match['sum']}元") if match else []
    return found[0].yuan if found else 0.0


def _others(words: str, value: float) -> bool:
    """Whether a sum was paid by somebody else than the defendant."""
    before = next((one.before for one in sums(words) if one.yuan == value), "")
    match = _THIRD.search(before)
    return match is not None and not re.search(r"被告|我方|已经|垫付", match["who"])


def _by_unit(case: Case, claim: Claim) -> tuple[float, list[str]]:
    """The sum by the unit that the answer puts and an exhibit shows: 每天130元 in the place of 每天180元."""
    asked, text = claim.amount or 0.0, fold_width(claim.text)
    if _HEADED.search(text.partition("其中")[2]):
        return asked, []
    own = {match["label"]: match["n"] for match in _UNIT.finditer(text)}
    if not own and (first := _FACTOR.search(text)):
        story = fold_width("".join(case.trial.story))
        own = {m["label"]: m["n"] for m in _UNIT.finditer(story) if m["n"] == first["n"]}
    for point in case.on(claim):
        for match in _UNIT.finditer(fold_width(point.text)):
            if match["label"] not in own:
                continue
            was, now = _value(own[match["label"]]), _value(match["n"])
            if 0 < now < was and match["n"] in fold_width(case.shown):
                changed = cents(asked * now / was)
                return changed, [f"按{match['label']}{match['n']}元计算为{yuan(changed)}"]
    return asked, []


def _value(text: str) -> float:
    found = sums(f"{text}元")
    return found[0].yuan if found else 0.0


def liability(case: Case) -> tuple[float, str]:
    """The share of a tort that the defendant bears, and why; 1 where nothing lessens it."""
    table = points()["liability"]
    if not re.search(table["causes"], case.cause):
        return 1.0, ""
    share, why = 1.0, []
    name = re.escape(case.names["defendant"])
    for entry in points()["shares"]:
        if re.search(
            rf"(?:被告|{name})[^；。]{{0,40}}?(?<![无])(?:负|承担)(?:事故)?(?:的)?{entry['words']}", case.shown
        ):
            share, why = entry["share"], [f"被告负{entry['words']}"]
            break
    pleaded = "\n".join(point.text for point in case.points)
    if not why and re.search(r"过错|先动手|防卫", pleaded):
        plaintiff = re.escape(case.names["plaintiff"])
        if re.search(rf"(?:原告|{plaintiff})[^；。]{{0,16}}{table['own_fault']}", case.shown):
            share, why = table["own_fault_share"], ["原告对损害的发生也有过错，应当减轻被告的责任"]
    if re.search(table["guest"], pleaded):
        share, why = (
            share * table["guest_share"],
            [*why, "被告系无偿搭乘，没有证据证明其有故意或者重大过失，酌情减轻20%"],
        )
    return share, "，".join(why)


# --- interest --------------------------------------------------------------------------------------------------------


def _repayment(case: Case, claim: Claim, less: Lessened) -> bool:
    return bool(
        re.search(r"借贷|借款", case.cause) and any(_REPAID.search(words) and days(words) for _, words in less.sums)
    )


def _appropriated(case: Case, claim: Claim, less: Lessened) -> Reckoned:
    """What is left of a loan after a payment: interest first, then the principal (民法典第五百六十一条)."""
    asked = claim.amount or 0.0
    paid, words = next((value, words) for value, words in less.sums if _REPAID.search(words) and days(words))
    day = days(words)[0]
    charged = next((one for one in case.claims if one is not claim and "利息" in one.text and spans(one.text)), None)
    yearly = rate(charged.text) if charged else None
    if charged is None or yearly is None or not (start := spans(charged.text)[0].first) < day:
        return Reckoned(cents(asked - less.total), _minus(asked, less))
    accrued = cents(interest(asked, yearly, start, day - timedelta(days=1)))
    left = cents(asked - max(0.0, paid - accrued))
    case.repaid = Span(left, day, day)
    rest = yuan(max(0.0, paid - accrued))
    step = f"双方没有约定抵充顺序，{yuan(paid)}应当先抵充此前已经到期的利息{yuan(accrued)}，剩余{rest}再归还本金，本金尚欠{yuan(left)}"
    return Reckoned(left, (step,))


def _running(case: Case, claim: Claim, dated: Sequence[Span], *, penalty: bool) -> Reckoned:
    """Interest or a penalty over spans, on what is left of the principal, at the rate that is allowed."""
    noted = _noted(claim)
    if case.repaid is not None:
        dated = [Span(case.repaid.base, max(case.repaid.first, dated[0].first), dated[-1].last)]
    else:
        dated = reduced(dated, _cut(case, dated))
    if penalty:
        yearly = [(lpr(span.first) or 0.0) * PENALTY for span in dated]
        total = sum(interest(span.base, y, span.first, span.last) for span, y in zip(dated, yearly, strict=True))
        one = yearly[0] if len(set(yearly)) == 1 else None
        return Reckoned(cents(total), (_worked(dated, yearly, total),), one, _TOO_HIGH)
    fixed = rate(claim.text)
    if fixed is None:
        total = sum(prime_interest(span) for span in dated)
        return Reckoned(cents(total - noted), (f"以尚欠款项为基数按贷款市场报价利率计算为{yuan(total - noted)}",))
    total, allowed = 0.0, fixed
    for span in dated:
        for part, yearly_part in _capped(case, span, fixed):
            total += interest(part.base, yearly_part, part.first, part.last)
            allowed = yearly_part
    steps = [_worked(dated, [allowed] * len(dated), total)] if allowed == fixed else [
        f"超过司法保护上限的利息不予支持，分段计算为{yuan(total)}"
    ]  # fmt: skip
    if noted:
        steps.append(f"扣除已付的{yuan(noted)}")
    return Reckoned(cents(total - noted), tuple(steps), allowed if allowed != fixed else None)


def _cut(case: Case, dated: Sequence[Span]) -> float:
    """By how much the principal that bears the interest is less than claimed."""
    bases = [span.base for span in dated]
    listed = [one for one in case.decided.values() if one.claim.kind == "pay" and not spans(one.claim.text)]
    exact = [one for one in listed if one.claim.amount in (*bases, sum(bases))]
    if exact:
        return sum((one.claim.amount or 0) - (one.amount or 0) for one in exact)
    held = max((one.amount or 0 for one in listed), default=0.0)
    return max(0.0, max(bases) - held) if held else 0.0


def _capped(case: Case, span: Span, fixed: float) -> list[tuple[Span, float]]:
    """A span of a loan by what is allowed: 24 % before the cap of 2020, then four times the prime rate."""
    if not re.search(r"借贷|保证", case.cause):
        return [(span, fixed)]
    made = next(iter(days("".join(case.trial.story))), span.first)
    if made >= NEW_CAP:
        prime = lpr(made)
        return [(span, min(fixed, prime * TIMES_CAP) if prime else fixed)]
    prime = lpr(case.hearing or span.last)
    after = min(fixed, prime * TIMES_CAP) if prime else fixed
    if span.first >= NEW_CAP:
        return [(span, after)]
    if span.last < NEW_CAP:
        return [(span, min(fixed, OLD_CAP))]
    last = NEW_CAP - timedelta(days=1)
    return [(replace(span, last=last), min(fixed, OLD_CAP)), (replace(span, first=NEW_CAP), after)]


def _worked(dated: Sequence[Span], yearly: Sequence[float], total: float) -> str:
    parts = [
        f"以{yuan(span.base)}为基数、年利率{percent(y)}，自{chinese(span.first)}起计算至{chinese(span.last)}"
        for span, y in zip(dated, yearly, strict=True)
    ]
    return f"{'；'.join(parts)}，计{yuan(total)}"


def percent(share: float) -> str:
    """6.9%, 5.325%."""
    return f"{share * 100:.3f}".rstrip("0").rstrip(".") + "%"
