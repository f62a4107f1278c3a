"""How much of a claim of money holds: by unit, by head, by share of liability, less what is set off. In yuan.

民法典第一千一百七十二、一千一百七十三、一千二百一十七条 stand behind the shares of liability. Only sums and days said in court are used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from store.text.normalise import fold_width
from tasks.courts.agents.civil.case import Case, Lessened, Reckoned
from tasks.courts.agents.civil.fault import liability
from tasks.courts.agents.civil.heard import Claim
from tasks.courts.agents.civil.injury import injured
from tasks.courts.agents.civil.interest import TOO_HIGH, appropriated, prepaid, repayment, running
from tasks.courts.agents.civil.lease import deposit
from tasks.courts.agents.civil.lessening import FACTOR, HEADED, UNIT, minus, noted, value_of
from tasks.courts.agents.civil.personality import solatium
from tasks.courts.agents.civil.sums import cents, spans, sums, yuan
from tasks.courts.agents.civil.weighing import NEAR
from tasks.courts.scores.bigrams import bigrams, recall

UNKNOWN_PENALTY = 0.3
"""What is left of an excessive penalty where nothing said in court allows to reckon it."""
_THIRD = re.compile(r"(?P<who>[一-鿿]{2,4}?)(?:已)?(?:赔偿|赔付|支付)的?$")
_MONTHLY = re.compile(r"每月(?P<n>[0-9][0-9,.]*)元")
_PAID_OVER = re.compile(
    r"(?P<y1>20[0-9]{2})年(?P<m1>[0-9]{1,2})月至(?P<y2>20[0-9]{2})年(?P<m2>[0-9]{1,2})月[^。;；]{0,12}合计(?P<n>[0-9][0-9,.]*)元"
)
_DAYS = re.compile(r"[×x*] ?(?P<n>[0-9]{1,3})天")
_DAY = re.compile(r"(?<![0-9年月])(?P<n>[0-9]{1,3})天")
_TIMES = {"三": 3, "3": 3, "十": 10, "10": 10, "两": 2, "二": 2, "五": 5}


def method(case: Case, claim: Claim, rule: Mapping[str, Any], less: Lessened) -> Reckoned:
    """What is left of a claim of money."""
    asked = claim.amount or 0.0
    if (kept := deposit(case, claim)) is not None:
        return kept
    match rule.get("method"):
        case "discretion":
            left = cents(asked * rule["share"])
            return Reckoned(left, (f"{yuan(asked)}×{round(rule['share'] * 100)}%＝{yuan(left)}",), adopts=".")
        case "half":
            left = asked - less.total / 2
            return Reckoned(cents(left), minus(asked, less, half=True))
        case "multiple":
            return _multiple(case, claim)
        case "penalty" | "interest" if dated := spans(claim.text):
            return running(case, claim, dated, penalty=rule["method"] == "penalty")
        case "penalty":
            return Reckoned(
                cents(asked * UNKNOWN_PENALTY),
                (f"综合合同的履行情况和双方的过错，酌情确定为{yuan(asked * UNKNOWN_PENALTY)}",),
                adopts=TOO_HIGH,
            )
    first = prepaid(case, claim)
    if repayment(case, less) and not re.search("利息|违约金", claim.text):
        then = appropriated(case, claim, less, first.amount if first else asked)
        return replace(
            then, steps=(*(first.steps if first else ()), *then.steps), adopts=first.adopts if first else then.adopts
        )
    if first:
        return first
    hurt = solatium(case, claim) or injured(case, claim, less)
    if hurt is not None:
        return hurt
    return _shared(case, claim, less)


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


def _shared(case: Case, claim: Claim, less: Lessened) -> Reckoned:
    """A plain sum: by another unit where that is shown, less what is left out, by the share of liability, less set-offs."""
    asked = claim.amount or 0.0
    gross, steps = _by_unit(case, claim)
    gross, counted = _by_count(case, claim, gross)
    steps += counted
    share, why = liability(case)
    already = noted(claim)
    left_out = sum(value for value, _ in less.excluded)
    paid = tuple((v, words) for v, words in less.sums if v != already and not (share < 1 and _others(words, v)))
    others = [value for value, words in less.sums if share < 1 and _others(words, value)]
    set_off = sum(value for value, _ in paid)
    if left_out or set_off:
        steps += [*minus(gross, replace(less, sums=paid))]
    if share < 1:
        steps += [f"案外人已付的{yuan(value)}属于其自身应负的份额，不从被告的份额中再行扣除" for value in others]
        steps.append(f"{why}，被告承担{round(share * 100)}%")
    back = already if share < 1 else 0.0
    amount = (gross + back - left_out) * share - back - set_off
    if 0 < amount <= asked and cents(amount) != gross:
        whole = [*([f"＋{yuan(back)}"] if back else []), *(f"－{yuan(value)}" for value, _ in less.excluded)]
        off = [*([f"－{yuan(back)}"] if back else []), *(f"－{yuan(value)}" for value, _ in paid)]
        first = yuan(gross) + "".join(whole)
        if share < 1:
            first = f"{f'（{first}）' if whole else first}×{round(share * 100)}%"
        steps.append(f"{first}{''.join(off)}＝{yuan(cents(amount))}")
    adopts = "|".join(
        [
            *(["每[天日月年]|月工资|单价|实际工资|实际收入"] if gross < asked else []),
            *(["补休|天数|到岗"] if counted else []),
            *(["责任|过错|搭[乘载]|同乘"] if share < 1 else []),
        ]
    )
    return Reckoned(cents(min(amount, asked)), tuple(steps), adopts=adopts or "(?!)")


def _others(words: str, value: float) -> bool:
    """Whether a sum was paid by somebody else than the defendant."""
    before = next((one.before for one in sums(words) if one.yuan == value), "")
    match = _THIRD.search(before)
    return match is not None and not re.search(r"被告|我方|已经|垫付", match["who"])


def _by_unit(case: Case, claim: Claim) -> tuple[float, list[str]]:
    """The sum by the unit that the answer puts and an exhibit shows: 每天130元 in the place of 每天180元."""
    asked, text = claim.amount or 0.0, fold_width(claim.text)
    if HEADED.search(text.partition("其中")[2]):
        return asked, []
    if averaged := _by_average(case, claim):
        return averaged
    own = {match["label"]: match["n"] for match in UNIT.finditer(text)}
    if not own and (first := FACTOR.search(text)):
        story = fold_width("".join(case.trial.story))
        own = {m["label"]: m["n"] for m in UNIT.finditer(story) if m["n"] == first["n"]}
    for point in case.on(claim):
        for match in UNIT.finditer(fold_width(point.text)):
            if match["label"] not in own:
                continue
            was, now = value_of(own[match["label"]]), value_of(match["n"])
            if 0 < now < was and match["n"] in fold_width(case.shown):
                changed = cents(asked * now / was)
                return changed, [f"按{match['label']}{match['n']}元计算为{yuan(changed)}"]
    return asked, []


def _by_average(case: Case, claim: Claim) -> tuple[float, list[str]] | None:
    """Lost wages by what was paid on average, where the answer holds against them what the bank paid."""
    pleaded = "\n".join(point.text for point in case.on(claim) if point.position != "admit")
    own = _MONTHLY.search(fold_width(claim.text))
    paid = _PAID_OVER.search(fold_width(case.shown))
    if own is None or paid is None or not re.search(r"实际(?:工资|收入)|流水|代发", pleaded):
        return None
    months = (int(paid["y2"]) - int(paid["y1"])) * 12 + int(paid["m2"]) - int(paid["m1"]) + 1
    was, total = value_of(own["n"]), value_of(paid["n"])
    if not 0 < months <= 120 or not 0 < total / months < was:
        return None
    average = cents(total / months)
    changed = cents((claim.amount or 0.0) * average / was)
    return changed, [f"实际月平均工资为{yuan(total)}÷{months}个月＝{yuan(average)}，据此计算为{yuan(changed)}"]


def _by_count(case: Case, claim: Claim, gross: float) -> tuple[float, list[str]]:
    """The sum by the days that exhibits show: those of the plaintiff that nobody contests, less those of the defendant."""
    match = _DAYS.search(fold_width(claim.text))
    if match is None or not any(point.position != "admit" for point in case.on(claim)):
        return gross, []
    asked = int(match["n"])
    shown: dict[str, int] = {}
    for side in ("plaintiff", "defendant"):
        told = [
            int(day["n"])
            for one in case.standing
            if one.offer.side == side and recall(claim.topic, bigrams(one.offer.purpose)) >= NEAR
            for day in _DAY.finditer(fold_width(one.offer.excerpt))
            if int(day["n"]) < asked and (side == "defendant" or f"{day['n']}天" not in one.objection)
        ]
        shown[side] = max(told, default=0)
    days = shown["plaintiff"] - shown["defendant"]
    if not shown["plaintiff"] or days <= 0:
        return gross, []
    less = f"，扣除{shown['defendant']}天" if shown["defendant"] else ""
    return cents(gross * days / asked), [
        f"证据能够证明的天数为{shown['plaintiff']}天{less}，{yuan(gross)}×{days}天÷{asked}天＝{yuan(cents(gross * days / asked))}"
    ]
