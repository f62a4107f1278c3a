"""The sentence: range, starting term, circumstances, 量刑建议, suspension, fine. Months and yuan.

The steps of the sentencing guidance: a starting term within the range of the charge, more for what goes beyond its
threshold, then the circumstances, part played first by multiplication, the others added. A request that lies in the
range is followed (刑事诉讼法第二百零一条).
"""

from __future__ import annotations

import math
import re

from store.text.numerals import to_decimal
from tasks.courts.agents.criminal.request import Request
from tasks.courts.agents.criminal.serving import Punishment
from tasks.experts.criminal.circumstances import Circumstances
from tasks.experts.criminal.law import Crime, Tier, crime

MOST_LESS = 0.6
"""The most that circumstances take off or add."""
TOP, CURVE = 0.9, 0.7
"""Where in a range the gravest ordinary case lies; terms grow fast above the threshold of a sum, slowly later."""
STEP = 1000
_SUM = re.compile(
    r"(?P<n>(?:[0-9]{1,3}(?:[,，][0-9]{3})+|[0-9]{1,14})(?:\.[0-9]{1,4})?[万千]?|[一二三四五六七八九十百千万两壹贰叁肆伍陆柒捌玖拾佰仟零〇]{2,14})(?:余)?元"
)
_WEIGHT = re.compile(r"(?P<n>[0-9]+(?:\.[0-9]+)?)(?P<unit>千克|公斤|克)")
_TOTAL = re.compile(r"(?:共计|总计|合计|价值(?:总额)?|侵占(?:货款)?|数额)[^，。；]{0,10}$")
_REST = re.compile(r"赔偿|退赔|退缴|获利|收取定金|维修费|谅解|已发还|付息|利息")


def amount(known: Crime, facts: str) -> float:
    """Yuan, or grams, of what is charged: the total that is named, else the largest sum that is not paid back."""
    if known.unit == "克":
        return max((float(m["n"]) * (1 if m["unit"] == "克" else 1000) for m in _WEIGHT.finditer(facts)), default=0.0)
    named: list[float] = []
    totals: list[float] = []
    for match in _SUM.finditer(facts):
        before = facts[max(0, match.start() - 16) : match.start()]
        value = to_decimal(match["n"].replace(",", "").replace("，", ""))
        if value is not None and not _REST.search(before[-10:]):
            (totals if _TOTAL.search(before.removesuffix("人民币")) else named).append(float(value))
    return max(totals or named, default=0.0)


def tier_of(charge: str, found: Circumstances) -> Tier:
    """The range that sum, weight or cue of the facts opens."""
    known = crime(charge)
    value = amount(known, found.facts)

    def reached(tier: Tier) -> bool:
        if tier.cue and _named(tier.cue, found.accusing):
            return True
        if tier.from_ is None or not known.unit:
            return not tier.cue
        return value >= tier.from_[1] or (value >= tier.from_[0] and _named(tier.grade, found.accusing))

    return [known.tiers[0], *filter(reached, known.tiers)][-1]


def _named(pattern: str, text: str) -> bool:
    return any(
        not re.search(r"(?:不属于|不构成|不是|未|没有)[^，。；]{0,6}$", text[: m.start()])
        for m in re.finditer(pattern, text)
    )


def inside(request: Request, tier: Tier) -> bool:
    """Whether a request lies in a range."""
    if request.kind == "拘役":
        return tier.short and request.months[1] <= 6
    if request.kind in ("管制", "单处罚金"):
        return request.kind.removeprefix("单处") in tier.light
    return tier.least <= request.months[0] and request.months[1] <= tier.most


def _computed(known: Crime, tier: Tier, found: Circumstances) -> int:
    """The term by range and circumstances, before kind and request."""
    base = float(tier.start) + sum(more for cue, more in known.more if cue.search(found.facts))
    if tier.from_ and known.unit:
        later = [one.from_ for one in known.tiers[known.tiers.index(tier) + 1 :] if one.from_]
        end = sum(later[0]) / 2 if later else max(4 * tier.from_[1], 1.0)
        share = min(1.0, max(0.0, (amount(known, found.facts) - tier.from_[1]) / max(1.0, end - tier.from_[1])))
        base += (share if known.unit == "克" else share**CURVE) * (TOP * tier.most - tier.start)
    first = math.prod(1 + one.weight / 100 for one in found.found if one.first)
    rest = sum(one.weight for one in found.found if not one.first) / 100
    changed = round(base * first * (1 + max(-MOST_LESS, min(MOST_LESS, rest))))
    least = tier.least * 2 // 3 if any(one.lenient for one in found.found) else tier.least
    return max(1, min(6, changed)) if tier.most == 0 else max(least, min(tier.most, changed))


def punish(charge: str, asked: Request | None, found: Circumstances) -> Punishment:
    """The punishment of one charge; asked: a request that is followed."""
    known, tier = crime(charge), tier_of(charge, found)
    months = _computed(known, tier, found)
    if asked is not None and asked.months[1]:
        months = min(asked.months[1], max(asked.months[0], months))
    if asked is not None and asked.kind == "单处罚金":
        return Punishment("单处罚金", 0, sum(asked.fine) / 2 if asked.fine else float(known.floor))
    kind = asked.kind if asked else "拘役" if tier.short and (months < 6 or tier.most == 0) else "有期徒刑"
    months = max(6, months) if kind == "有期徒刑" else min(6, max(1, months)) if kind == "拘役" else max(3, months)
    fine = sum(asked.fine) / 2 if asked and asked.fine else max(float(known.floor), _rounded(months * known.month))
    probation = (asked.probation or _probation(kind, months)) if asked and asked.suspended else 0
    return Punishment(
        kind, months, fine if tier.fine == "must" or (asked and asked.fine) else 0.0, probation, tier.forfeit
    )


def together(counts: list[Punishment], asked: Request | None) -> Punishment:
    """What is to be served (刑法第六十九条): between the longest term and the sum; fines are added up."""
    if len(counts) == 1:
        return counts[0]
    kind = "有期徒刑" if any(one.kind == "有期徒刑" for one in counts) else counts[0].kind
    terms = [one.months for one in counts if one.kind == kind]
    longest, most = max(terms), min(sum(terms), 12 if kind == "拘役" else 240)
    months = round(longest + (most - longest) * 0.6)
    if asked is not None and longest <= asked.months[0] and asked.months[1] <= most:
        months = round(sum(asked.months) / 2)
    suspended = (asked.probation or _probation(kind, months)) if asked and asked.suspended else 0
    return Punishment(kind, months, sum(one.fine for one in counts), suspended, any(one.forfeit for one in counts))


def _probation(kind: str, months: int) -> int:
    """Half as long again as the term: 拘役 from two months to a year, 有期徒刑 from one year to five (刑法第七十三条)."""
    long = math.ceil(months * 1.5)
    return min(12, max(2, long)) if kind == "拘役" else min(60, max(12, math.ceil(long / 6) * 6))


def _rounded(yuan: float) -> float:
    """To thousands, not below one."""
    return float(max(STEP, round(yuan / STEP) * STEP))
