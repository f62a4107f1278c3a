"""Interest and penalties over time, and what is left of a loan after a payment. Yuan; yearly rates.

民法典第五百六十一条: a payment goes to interest first; 第五百八十五条: an excessive penalty is reduced; 民间借贷规定第二十五条、第三十一条: caps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta

from tasks.policies.court.civil_case import Case, Lessened, Reckoned
from tasks.policies.court.civil_heard import Claim
from tasks.policies.court.civil_lessening import minus, noted
from tasks.policies.court.civil_sums import (
    Span,
    cents,
    chinese,
    days,
    interest,
    lpr,
    prime_interest,
    prime_of,
    rate,
    reduced,
    spans,
    turns,
    yuan,
)

NEW_CAP = date(2020, 8, 20)
"""From this day on lenders' interest is capped at four times the prime rate, before at 24 % (民间借贷规定第三十一条)."""
OLD_CAP, TIMES_CAP, PENALTY = 0.24, 4, 1.5
PRIME = "一年期贷款市场报价利率"
TOO_HIGH = "过高|过分高|调减|减少|调低|太高"
_REPAID = re.compile(r"还款|归还|偿还|已还|转账")


def repayment(case: Case, less: Lessened) -> bool:
    """Whether a loan was paid back in part on a day that was named."""
    return bool(
        re.search(r"借贷|借款", case.cause) and any(_REPAID.search(words) and days(words) for _, words in less.sums)
    )


def appropriated(case: Case, claim: Claim, less: Lessened) -> Reckoned:
    """What is left of a loan after a payment: interest first, then the principal (民法典第五百六十一条)."""
    asked = claim.amount or 0.0
    paid, words = next((value, words) for value, words in less.sums if _REPAID.search(words) and days(words))
    day = days(words)[0]
    charged = next((one for one in case.claims if one is not claim and "利息" in one.text and spans(one.text)), None)
    yearly = rate(charged.text) if charged else None
    if charged is None or yearly is None or not (start := spans(charged.text)[0].first) < day:
        return Reckoned(cents(asked - less.total), minus(asked, less))
    accrued = cents(interest(asked, yearly, start, day - timedelta(days=1)))
    left = cents(asked - max(0.0, paid - accrued))
    case.repaid = Span(left, day, day)
    rest = yuan(max(0.0, paid - accrued))
    step = f"双方没有约定抵充顺序，{yuan(paid)}应当先抵充此前已经到期的利息{yuan(accrued)}，剩余{rest}再归还本金，{yuan(asked)}－{rest}＝{yuan(left)}，本金尚欠{yuan(left)}"
    return Reckoned(left, (step,))


def running(case: Case, claim: Claim, dated: Sequence[Span], *, penalty: bool) -> Reckoned:
    """Interest or a penalty over spans, on what is left of the principal, at the rate that is allowed."""
    already = noted(claim)
    if case.repaid is not None:
        dated = [Span(case.repaid.base, max(case.repaid.first, dated[0].first), dated[-1].last)]
    else:
        dated = reduced(dated, _cut(case, dated))
    base = _base(dated)
    if penalty:
        yearly = [(lpr(span.first) or 0.0) * PENALTY for span in dated]
        total = sum(interest(span.base, y, span.first, span.last) for span, y in zip(dated, yearly, strict=True))
        steps = [
            f"以资金占用损失为基础，参照违约时{PRIME}加计百分之五十计算",
            f"{_published(span.first for span in dated)}，{_worked(dated, yearly, total)}",
        ]
        return Reckoned(cents(total), tuple(steps), f"违约时{PRIME}加计百分之五十", TOO_HIGH, base)
    fixed = rate(claim.text)
    if fixed is None:
        total = sum(prime_interest(span) for span in dated) - already
        on = "；".join(f"以{yuan(s.base)}为基数，自{chinese(s.first)}起计算至{chinese(s.last)}" for s in dated)
        gross = f"{yuan(total + already)}－{yuan(already)}＝{yuan(total)}" if already else yuan(total)
        told = _published(day for span in dated for day in turns(span))
        return Reckoned(cents(total), (f"{told}，{on}，按{PRIME}分段计算为{gross}",), PRIME, base=base)
    parts = [part for span in dated for part in _capped(case, span, fixed)]
    total = sum(interest(part.base, yearly_part, part.first, part.last) for part, yearly_part in parts)
    allowed = parts[-1][1]
    steps = [
        _worked(dated, [fixed] * len(dated), total)
        if allowed == fixed
        else f"{_published([_capped_on(case, dated[-1])])}，其四倍为{percent(allowed)}，超过司法保护上限的利息不予支持，"
        + _worked([part for part, _ in parts], [yearly_part for _, yearly_part in parts], total)
    ]
    if already:
        steps.append(f"扣除已付的{yuan(already)}，{yuan(total)}－{yuan(already)}＝{yuan(cents(total - already))}")
    return Reckoned(cents(total - already), tuple(steps), f"年利率{percent(allowed)}", base=base)


def _base(dated: Sequence[Span]) -> float:
    """On what interest runs on behind the last day: the spans that reach it, together."""
    last = max(span.last for span in dated)
    return sum(span.base for span in dated if span.last == last)


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


def _capped_on(case: Case, span: Span) -> date:
    """The day whose prime rate caps a loan: that of the contract, or of the suit for contracts before the cap."""
    made = next(iter(days("".join(case.trial.story))), span.first)
    return made if made >= NEW_CAP else case.hearing or span.last


def _published(on: Iterable[date]) -> str:
    """2023年6月公布的一年期贷款市场报价利率为3.55%: those that held on some days, each once."""
    told = dict.fromkeys(found for day in on if (found := prime_of(day)))
    parts = [
        f"{since.year}年{since.month}月公布的{'' if place else PRIME}为{percent(value)}"
        for place, (since, value) in enumerate(told)
    ]
    return "、".join(parts) or f"参照{PRIME}"


def _worked(dated: Sequence[Span], yearly: Sequence[float], total: float) -> str:
    parts = [
        f"以{yuan(span.base)}为基数、年利率{percent(y)}，自{chinese(span.first)}起计算至{chinese(span.last)}"
        for span, y in zip(dated, yearly, strict=True)
    ]
    return f"{'；'.join(parts)}，计{yuan(total)}"


def percent(share: float) -> str:
    """6.9%, 5.325%."""
    return f"{share * 100:.3f}".rstrip("0").rstrip(".") + "%"
