"""A tenant who leaves early: when the lease ended, and what is left of the deposit. 民法典第五百六十二、五百八十五条; 合同编通则解释第六十五条.

A notice without a right to end the lease does not end it; handing over the rooms and letting them anew does, by agreement.
Sums in yuan; only what exhibits that stand say counts.
"""

from __future__ import annotations

import re
from datetime import date

from store.text.normalise import fold_width
from tasks.courts.agents.civil.case import Case, Finding, Reckoned
from tasks.courts.agents.civil.heard import Claim
from tasks.courts.agents.civil.interest import TOO_HIGH
from tasks.courts.agents.civil.sums import cents, chinese, days, sums, yuan

MARGIN = 1.1
"""To this share of the loss an excessive penalty is brought down where notice was given a month ahead."""
EXCESS = 1.3
"""A penalty above the loss by three tenths is excessive (合同编通则解释第六十五条); without notice it is brought down to that."""
NOTICE = 30
"""Days of notice that soften a breach."""
_HANDED = re.compile(r"交接|钥匙")
_LET_ANEW = re.compile(r"新租|另行出租|重新出租|租期自")
_FORFEIT = re.compile(r"押金(?:不予?退|不退)")
_MONTHS = re.compile(r"相当于(?P<n>一|两|二|三|[123])个月租金")
_RENT = re.compile(r"月租金(?P<n>[0-9.,]+)元")
_NEW_TERM = re.compile(r"租期自(?P<day>20[0-9]{2}年[0-9]{1,2}月[0-9]{1,2}日)")
_FEES = re.compile(r"(?:中介|佣金|居间)")
_COUNT = {"一": 1, "1": 1, "两": 2, "二": 2, "2": 2, "三": 3, "3": 3}


def handed_over(case: Case) -> date | None:
    """The day on which the rooms were handed over, where the landlord has let them anew; None where that is not shown."""
    if "租赁" not in case.cause or not _LET_ANEW.search(case.shown):
        return None
    named = [
        day
        for one in case.standing
        if _HANDED.search(f"{one.offer.title}{one.offer.excerpt}") and one.offer.side == "plaintiff"
        for day in days(one.offer.excerpt)
    ]
    return max(named, default=None)


def ended(case: Case, claim: Claim, why: str, defeated: str) -> Finding | None:
    """A claim that the lease ended on the day of a notice that had no effect: it ended when the rooms were handed over."""
    day = handed_over(case)
    asked = days(claim.text)
    if claim.kind != "declare" or "解除" not in claim.text or day is None or not asked or day <= asked[0]:
        return None
    reason = f"{why}，原告的通知不发生解除的效力；但双方于{chinese(day)}交接房屋，被告随后另行出租，应视为双方协商一致解除合同，合同于该日解除"
    return Finding(
        claim, "partly", None, (reason,), defeated=defeated, worded=claim.text.replace(chinese(asked[0]), chinese(day))
    )  # fmt: skip


def deposit(case: Case, claim: Claim) -> Reckoned | None:
    """What is left of a deposit that the contract forfeits; None where that is not the point."""
    asked, day = claim.amount or 0.0, handed_over(case)
    shown = fold_width(case.shown)
    rent, months = _RENT.search(shown), _MONTHS.search(shown)
    if (
        "租赁" not in case.cause
        or "押金" not in claim.text
        or not _FORFEIT.search(shown)
        or rent is None
        or day is None
    ):
        return None
    monthly = sums(f"{rent['n']}元")[0].yuan
    penalty = asked + (monthly * _COUNT[months["n"]] if months else 0.0)
    anew = _NEW_TERM.search(shown)
    empty = max(0, round((days(anew["day"])[0] - day).days / 30)) if anew else 0
    fees = max((one.yuan for one in sums(shown) if _FEES.search(one.before)), default=0.0)
    loss = empty * monthly + fees
    heard = case.trial.said("debate", "plaintiff") + case.trial.said("final", "plaintiff")
    if not loss or penalty <= loss * EXCESS or not re.search(TOO_HIGH, heard):
        return None
    told = [on for one in case.claims if "解除" in one.text for on in days(one.text)]
    noticed = any((day - on).days >= NOTICE for on in told)
    held = cents(min(asked, loss * (MARGIN if noticed else EXCESS)))
    step = (
        f"原告提前退租构成违约；按约定没收押金并另付违约金合计{yuan(penalty)}，被告的损失为房屋空置{empty}个月的租金"
        f"{yuan(empty * monthly)}和另行出租的费用{yuan(fees)}，共{yuan(loss)}，约定过分高于损失，原告请求减少，应予支持，"
        f"结合合同的履行情况和原告{'已提前通知' if noticed else '没有提前通知'}的情况酌定违约金为{yuan(held)}，从押金中扣除，{yuan(asked)}－{yuan(held)}＝{yuan(asked - held)}"
    )
    return Reckoned(cents(asked - held), (step,), adopts="提前退租|押金不退")
