"""Interest and penalties over time, and what is left of a loan after a payment. Yuan; yearly rates.

民法典第五百六十一条: a payment goes to interest first; 第五百八十五条: an excessive penalty is reduced; 民间借贷规定第二十五条、第三十一条: caps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta

from store.text.normalise import fold_width
from tasks.courts.agents.civil.case import Case, Lessened, Reckoned
from tasks.courts.agents.civil.heard import Claim
from tasks.courts.agents.civil.lessening import minus, noted
from tasks.courts.agents.civil.quoting import quotable
from tasks.courts.agents.civil.sums import (
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
    sums,
    turns,
    yuan,
)

NEW_CAP = date(2020, 8, 20)
"""From this day on lenders' interest is capped at four times the prime rate, before at 24 % (民间借贷规定第三十一条)."""
OLD_CAP, TIMES_CAP, PENALTY = 0.24, 4, 1.5
PRIME = "一年期贷款市场报价利率"
TOO_HIGH = "过高|过分高|调减|减少|调低|太高"
_REPAID = re.compile(r"还款|归还|偿还|已还|转账|支付|付息")
_PREPAID = re.compile(
    r"预扣|预先扣|先行扣|砍头|预付[^，。；]{0,4}利息|头[一二两三]个月[^，。；]{0,4}利息|作为[^，。；]{0,8}利息|实际出借|实际到手"
)
_WITHIN = timedelta(days=7)
"""What flows back so soon after a loan was paid out may be interest that was taken in advance."""
_NO_RATE = re.compile(r"(?:没有|未|并未|从未)(?:作出|有过)?约定[^，。；]{0,6}(?:利息|利率|标准)")
_AGREED = re.compile(r"(?:约定|按|月息|年息|月利率|年利率)[^，。；]{0,12}(?:%|分|厘)")


def prepaid(case: Case, claim: Claim) -> Reckoned | None:
    """The principal of a loan without the interest that was taken in advance (民法典第六百七十条)."""
    asked = claim.amount or 0.0
    if not re.search(r"借贷|借款", case.cause) or not re.search(r"本金|借款", claim.text):
        return None
    paid_out = _paid_out(case, asked)
    for point in case.on(claim):
        if point.position == "admit" or paid_out is None or not _PREPAID.search(point.text):
            continue
        for one in case.standing:
            when = days(f"{one.offer.excerpt}{one.offer.title}")
            back = [said.yuan for said in sums(fold_width(point.text)) if said.yuan < asked / 2]
            carried = next((value for value in back if _carries(one.offer.excerpt, value)), 0.0)
            if one.offer.side == "defendant" and carried and when and timedelta() <= when[0] - paid_out <= _WITHIN:
                left = cents(asked - carried)
                return Reckoned(
                    left,
                    (
                        f"{quotable(one.offer.title, 60)}证明出借{'当日' if when[0] == paid_out else '后数日内'}被告即向原告转回{yuan(carried)}，"
                        f"该款应当认定为预先扣除的利息，利息不得预先在本金中扣除，本金按实际出借的{yuan(left)}认定",
                    ),
                    adopts=_PREPAID.pattern,
                )
    return None


def _paid_out(case: Case, asked: float) -> date | None:
    """The day on which a loan was paid out: the first of the papers that carry the sum, else the first that was told."""
    named = [
        day
        for one in case.standing
        if one.offer.side == "plaintiff" and _carries(one.offer.excerpt, asked)
        for day in days(one.offer.excerpt)
    ]
    if named:
        return min(named)
    return next(iter(days("".join(case.trial.story))), None)


def _carries(text: str, value: float) -> bool:
    """Whether a sum stands in a text; slips of banks leave 元 out."""
    plain = fold_width(text)
    return any(abs(one.yuan - value) < 0.01 for one in sums(plain)) or f"{value:.2f}" in plain.replace(",", "")


def repayment(case: Case, less: Lessened) -> bool:
    """Whether a loan was paid back in part on a day that was named."""
    return bool(re.search(r"借贷|借款", case.cause) and _payments(less))


def _payments(less: Lessened) -> list[tuple[date, float]]:
    """The payments that are proven, by day."""
    found = []
    for value, words in less.sums:
        said = next((one for one in sums(fold_width(words)) if abs(one.yuan - value) < 0.01), None)
        before = days(fold_width(words)[: said.start]) if said else []
        named = before or days(words)
        if named and _REPAID.search(words):
            found.append((before[-1] if before else named[0], value))
    return sorted(found)


def appropriated(case: Case, claim: Claim, less: Lessened, principal: float) -> Reckoned:
    """What is left of a loan after payments: interest first, then the principal (民法典第五百六十一条)."""
    charged = next((one for one in case.claims if one is not claim and "利息" in one.text and spans(one.text)), None)
    yearly = rate(charged.text) if charged else None
    if charged is None or yearly is None:
        return Reckoned(cents(principal - less.total), minus(principal, less))
    begins = spans(charged.text)[0].first
    left, owed, steps = principal, 0.0, []
    since = begins
    for day, paid in _payments(less):
        if begins >= day:
            out = _paid_out(case, claim.amount or 0.0)
            if out is None or out >= day:
                return Reckoned(cents(principal - less.total), minus(principal, less))
            since, until = out, begins - timedelta(days=1)
        else:
            until = day - timedelta(days=1)
        allowed = _capped(case, Span(left, since, until), yearly)[-1][1]
        accrued = cents(owed + (interest(left, allowed, since, until) if since <= until else 0.0))
        rest = max(0.0, paid - accrued)
        owed, since = max(0.0, accrued - paid), max(until + timedelta(days=1), day)
        after = cents(left - rest)
        steps.append(
            f"双方没有约定抵充顺序，{yuan(paid)}应当先抵充此前已经到期的利息{yuan(accrued)}（按年利率{percent(allowed)}），"
            f"剩余{yuan(rest)}再归还本金，{yuan(left)}－{yuan(rest)}＝{yuan(after)}，本金尚欠{yuan(after)}"
        )
        left = after
    case.repaid = Span(left, since, since)
    return Reckoned(left, tuple(steps))


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
    agreed = _AGREED.search(case.shown) is not None
    unfounded = (
        fixed is not None and not agreed and (_NO_RATE.search(case.pleaded(claim)) or "不当得利" in case.cause)
    )
    if fixed is None or unfounded:
        total = sum(prime_interest(span) for span in dated) - already
        on = "；".join(f"以{yuan(s.base)}为基数，自{chinese(s.first)}起计算至{chinese(s.last)}" for s in dated)
        gross = f"{yuan(total + already)}－{yuan(already)}＝{yuan(total)}" if already else yuan(total)
        told = _published(day for span in dated for day in turns(span))
        refused = (
            f"双方没有约定利率，原告主张的年利率{percent(fixed)}没有依据，" if fixed is not None and unfounded else ""
        )
        steps = [f"{refused}{told}，{on}，按{PRIME}分段计算为{gross}"]
        return Reckoned(cents(total), tuple(steps), PRIME, _NO_RATE.pattern if unfounded else "(?!)", base)
    parts = [part for span in dated for part in _capped(case, span, fixed)]
    total = sum(interest(part.base, yearly_part, part.first, part.last) for part, yearly_part in parts)
    allowed = parts[-1][1]
    steps = [
        _worked(dated, [fixed] * len(dated), total)
        if allowed == fixed
        else f"约定的利率折合年利率{percent(fixed)}，{_published([_capped_on(case, dated[-1])])}，其四倍为{percent(allowed)}，"
        "超过合同成立时该利率四倍的部分不予支持，"
        + _worked([part for part, _ in parts], [yearly_part for _, yearly_part in parts], total)
    ]
    if already:
        steps.append(f"扣除已付的{yuan(already)}，{yuan(total)}－{yuan(already)}＝{yuan(cents(total - already))}")
    adopts = "四倍|上限|过高|太高|超过" if allowed < fixed else "(?!)"
    return Reckoned(cents(total - already), tuple(steps), f"年利率{percent(allowed)}", adopts, base)


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
