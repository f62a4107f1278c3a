"""诉讼时效 step by step: when the period began, what interrupted it, when it ends (民法典第一百八十八、一百九十二、一百九十五条).

Only days that were named in court count; three years. A debt that falls due every year lapses year by year.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from tasks.courts.agents.civil.case import Case, Reckoned
from tasks.courts.agents.civil.heard import Claim
from tasks.courts.agents.civil.quoting import quotable
from tasks.courts.agents.civil.sums import cents, chinese, days, yuan
from tasks.courts.agents.civil.weighing import Weighed

YEARS = 3
_REMINDS = re.compile(r"催|律师函|主张权利|时效中断|对账|承诺")
_POSTED = re.compile(r"公告栏|张贴|公示栏")
"""What reaches nobody in person."""
_YEARLY = re.compile(r"每年(?P<m>[0-9]{1,2})月(?P<d>[0-9]{1,2})日前")
_SPAN = re.compile(r"(?P<a>20[0-9]{2})年1月1日至(?P<b>20[0-9]{2})年12月31日")


def reminder(case: Case) -> Weighed | None:
    """An exhibit of the plaintiff that shows that the claim was made before the suit."""
    return next(
        (
            one
            for one in case.standing
            if one.offer.side == "plaintiff"
            and _REMINDS.search(f"{one.offer.title}{one.offer.purpose}")
            and not (one.contested and _POSTED.search(f"{one.offer.title}{one.offer.excerpt}"))
        ),
        None,
    )


def lapsed(case: Case, claim: Claim) -> str:
    """Why a claim is out of time: pleaded, three years gone since the last day that was named, nothing that interrupts it."""
    if "诉讼时效" not in case.pleaded(claim) or case.hearing is None or reminder(case):
        return ""
    named = [day for day in days("".join([claim.text, *case.trial.story])) if day < case.hearing]
    if not named or case.hearing <= _later(max(named)):
        return ""
    last = max(named)
    return (
        f"诉讼时效期间为三年，原告主张的权利最迟自{chinese(last)}起可以行使，至{chinese(_later(last))}届满，"
        "原告起诉时已超过该期间，又没有证据证明时效中断，被告的时效抗辩成立"
    )


def limitation(case: Case) -> str:
    """Why a claim is in time, step by step; '' where nothing shows that it was made before the suit."""
    made = _made(case)
    one = reminder(case)
    if one is None or made is None or case.hearing is None:
        return ""
    posted = next(
        (
            other.offer.title
            for other in case.standing
            if other.contested and _POSTED.search(f"{other.offer.title}{other.offer.excerpt}")
        ),
        "",
    )
    parts = []
    if posted:
        parts.append(f"{quotable(posted, 60)}不能证明催交的内容到达义务人，不产生时效中断的效力")
    if (years := _years(case, made)) and years[0]:
        named = "、".join(f"{year}年度" for year in years[0])
        parts.append(
            f"各年度的款项分别到期、分别起算，{named}的款项于{years[1]}前到期，至{chinese(made)}已满三年，超过诉讼时效"
        )
    parts.append(
        f"{quotable(one.offer.title, 60)}能够证明原告于{chinese(made)}向被告主张权利，此时尚未届满的诉讼时效因此中断，"
        f"自该日起重新计算至{chinese(_later(made))}"
    )
    parts.append("原告起诉时没有超过该期间" if case.hearing <= _later(made) else "原告起诉时已经超过该期间")
    return "；".join(parts)


def without_lapsed(case: Case, claim: Claim, reckoned: Reckoned) -> Reckoned:
    """A debt of several years without those that had lapsed before the claim was made."""
    span, made = _SPAN.search(claim.text), _made(case)
    if span is None or made is None or "诉讼时效" not in case.pleaded(claim):
        return reckoned
    count, gone = int(span["b"]) - int(span["a"]) + 1, len(_years(case, made)[0])
    if not 0 < gone < count:
        return reckoned
    out = cents(reckoned.amount * gone / count)
    left = cents(reckoned.amount - out)
    step = f"超过诉讼时效的部分为{yuan(out)}，{yuan(reckoned.amount)}－{yuan(out)}＝{yuan(left)}"
    return replace(reckoned, amount=left, steps=(*reckoned.steps, step), adopts=f"{reckoned.adopts}|诉讼时效")


def _made(case: Case) -> date | None:
    """The last day that the exhibit names on which the claim was made."""
    one = reminder(case)
    named = days(one.offer.says) if one is not None else []
    return max(named, default=None)


def _years(case: Case, made: date) -> tuple[list[int], str]:
    """Years of a debt due every year that had lapsed before the claim was made, and the day the last of them fell due."""
    terms = _YEARLY.search(case.established)
    span = next((match for claim in case.claims if (match := _SPAN.search(claim.text))), None)
    if terms is None or span is None:
        return [], ""
    month, day = int(terms["m"]), int(terms["d"])
    gone = [
        y
        for y in range(int(span["a"]), int(span["b"]) + 1)
        if (y + YEARS, month, day) < (made.year, made.month, made.day)
    ]
    return gone, f"{gone[-1]}年{month}月{day}日" if gone else ""


def _later(day: date) -> date:
    """The day on which the period that begins on a day ends."""
    return date(day.year + YEARS, day.month, 28 if (day.month, day.day) == (2, 29) else day.day)
