"""The sentence: range, starting term, circumstances, 量刑建议, suspension, fine. Months and yuan.

The steps of the sentencing guidance: a starting term within the range of the charge, more for what goes beyond its threshold,
then the circumstances, part played and age first by multiplication, the others added. A request on a signed plea is followed
unless it rests on what was not found, lies outside the range, or leaves out a circumstance of the law (刑事诉讼法第二百零一条).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tasks.courts.agents.criminal.circumstances import Circumstances, words
from tasks.courts.agents.criminal.facts import charged_facts, conduct_days
from tasks.courts.agents.criminal.law import Applied, Crime, Tier, applicable, crime
from tasks.courts.agents.criminal.request import Request, count_request, request_of
from tasks.courts.agents.criminal.weighing import Weighing

MOST_LESS = 0.6
"""The most that circumstances take off or add."""
TOP = 0.9
"""Where in a range the gravest ordinary case lies."""
CURVE = 0.7
"""Terms grow fast above the threshold of a sum, slowly later."""
STEP = 1000
_NAMED = ("自首", "从犯", "立功", "未遂", "防卫过当")
"""Circumstances of the law that a request may not leave out."""
_MUST_BE_LESS = ("excess", "desist", "coerced")
_ALONE = re.compile(r"单处罚金|免予刑事处罚|免除处罚")
_SUSPEND = re.compile(r"缓刑")
_STRICT = re.compile(r"毒|食品|假药|贪污|受贿|挪用公款|滥用职权|玩忽职守|抢劫|强奸|猥亵|绑架|传销|黑社会|赌场")
"""Charges for which interpretations and opinions ask for restraint with 缓刑: the court does not think of it by itself."""
UNKNOWN = Tier("", 36, 8, "none", light="拘役 管制")
"""For a charge that the table does not know: the commonest range; the request goes before."""


@dataclass(frozen=True, slots=True)
class Punishment:
    """kind: 有期徒刑, 拘役, 无期徒刑, 单处罚金; months 0 where it has none."""

    kind: str
    months: int = 0
    fine: float = 0.0
    probation: int = 0
    forfeit: bool = False


@dataclass(frozen=True, slots=True)
class Sentenced:
    """One conviction: charge, range, punishment."""

    charge: str
    tier: Tier
    applied: Applied
    punishment: Punishment


class Sentencing:
    """The punishment for what stands."""

    def __init__(self, weighing: Weighing, circumstances: Circumstances) -> None:
        self.weighing, self.heard, self.circumstances = weighing, weighing.heard, circumstances
        self.request = request_of(weighing.heard)

    # --- ranges -------------------------------------------------------------------------------------------------------

    def tier(self, charge: str) -> tuple[Tier, Applied]:
        """The range that sum, weight or cue of what stands opens."""
        known = crime(charge)
        if known is None:
            return UNKNOWN, Applied((UNKNOWN,))
        text = self.weighing.text_of(charge)
        applied = applicable(known, max(conduct_days(text or charged_facts(self.heard)), default=None))
        failed = bool(self.weighing.fails(charge)) or any(not found.proven for _, found in self.weighing.allegations)
        said = "" if failed else self.circumstances.accusing
        amount = self._weighed(known, charge)
        reached = [tier for tier in applied.tiers if self._reached(tier, known, amount, text, said)]
        return (reached[-1] if reached else applied.tiers[0]), applied

    def _weighed(self, known: Crime, charge: str) -> float:
        """The sum or weight against which thresholds are set."""
        text = "".join(count.text for count in self.weighing.stands(charge))
        share = next((share for cue, share in known.scale if cue.search(text)), 1.0)
        return self.weighing.amount(charge) * share

    def _reached(self, tier: Tier, known: Crime, amount: float, text: str, said: str) -> bool:
        if tier.cue and self._named(tier.cue, text + said):
            return True
        if tier.from_ is None or not known.unit:
            return not tier.cue
        low, high = tier.from_
        return amount >= high or (amount >= low and (not said or self._named(tier.grade, said)))

    def said_grade(self, charge: str) -> Tier | None:
        """The gravest range that the prosecution speaks of, even to deny it."""
        _, applied = self.tier(charge)
        found = [tier for tier in applied.tiers if re.search(tier.grade, self.circumstances.accusing)]
        return found[-1] if found else None

    @staticmethod
    def _named(pattern: str, text: str) -> bool:
        return any(not re.search(r"(?:不属于|不构成|不是|未|没有)[^，。；]{0,6}$", text[: m.start()]) for m in re.finditer(pattern, text))

    # --- terms --------------------------------------------------------------------------------------------------------

    def _computed(self, charge: str, tier: Tier, applied: Applied) -> int:
        """The term by range and circumstances, before kind and request."""
        known, text = crime(charge), "".join(count.text for count in self.weighing.stands(charge))
        base = float(tier.start)
        if known is not None and tier.from_ and known.unit:
            base += self._above(tier, applied, known, self._weighed(known, charge))
        base += sum(more for cue, more in known.more if cue.search(text)) if known else 0
        changed = base * self.factor()
        low = self._least(tier)
        if tier.most == 0:
            return max(1, min(6, round(changed)))
        return max(low, min(tier.most, round(changed)))

    @staticmethod
    def _above(tier: Tier, applied: Applied, known: Crime, amount: float) -> float:
        assert tier.from_ is not None
        low = tier.from_
        start = low[1] if amount >= low[1] else low[0]
        later = applied.tiers[applied.tiers.index(tier) + 1 :]
        after = next((one.from_ for one in later if one.from_), None)
        end = sum(after) / 2 if after else max(4 * start, 1.0)
        share = min(1.0, max(0.0, (amount - start) / (end - start))) if end > start else 0.0
        return float((share if known.unit == "克" else share**CURVE) * (TOP * tier.most - tier.start))

    def factor(self) -> float:
        """What the circumstances make of a starting term of 1."""
        first = math.prod(1 + one.weight / 100 for one in self.circumstances.found if one.first)
        rest = sum(one.weight for one in self.circumstances.found if not one.first) / 100
        return first * (1 + max(-MOST_LESS, min(MOST_LESS, rest)))

    def _least(self, tier: Tier) -> int:
        """The least term: below the range where the law allows it, further below where it demands it (刑法第二十条、第二十四条、第二十八条)."""
        if any(self.circumstances.has(one) for one in _MUST_BE_LESS):
            return tier.least // 3
        return tier.least * 2 // 3 if self._lenient() else tier.least

    def _lenient(self) -> bool:
        return any(one.lenient for one in self.circumstances.found)

    # --- the request --------------------------------------------------------------------------------------------------

    @cached_property
    def refusal(self) -> str:
        """Why the request is not followed, a key of the table of reasons; '' where it is, or where there is none."""
        request = self.request
        if request is None:
            return ""
        if set(self.weighing.charges) - set(self.weighing.convicted):
            return "charges"
        tiers = [self.tier(name)[0] for name in self.weighing.convicted]
        if request.kind != "单处罚金" and any(not _inside(request, tier) for tier in tiers[:1]) and not self._lenient():
            failed = any(self.weighing.fails(name) for name in self.weighing.convicted)
            return "tier" if failed else "outside"
        if any(not found.proven for _, found in self.weighing.allegations) or any(
            self.weighing.fails(name) for name in self.weighing.convicted
        ):
            return "facts"
        if any(one.name in _NAMED and not one.granted for one in self.circumstances.found):
            return "circumstance"
        if not self.circumstances.signed and not self._near(request):
            return "far"
        return ""

    def _near(self, request: Request) -> bool:
        """Whether an unsigned request is about what range and circumstances give."""
        charge = self.weighing.convicted[0]
        computed = self._computed(charge, *self.tier(charge))
        low, high = request.months
        return len(self.weighing.convicted) > 1 or not high or low * 0.6 <= computed <= high * 1.6

    def _months(self, charge: str, tier: Tier, applied: Applied) -> int:
        computed = self._computed(charge, tier, applied)
        several = len(self.weighing.charges) > 1
        asked = count_request(self.heard, charge) or (None if several else self.request)
        if asked is None or not asked.months[1]:
            return computed
        low, high = asked.months
        if not self.refusal:
            return min(high, max(low, computed))
        if self.refusal in ("tier", "outside") or not _inside(asked, tier):
            return self._moved(asked, tier, applied, computed)
        return max(self._least(tier), round((low + high) / 2 * self._corrected()))

    def _moved(self, asked: Request, tier: Tier, applied: Applied, computed: int) -> int:
        """Where a request was made within the former range, halfway to its place there, taken over into the milder range."""
        former = next((one for one in applied.former if _inside(asked, one)), None)
        if former is None or self.weighing.charges != self.weighing.convicted:
            return computed
        share = (sum(asked.months) / 2 - former.least) / max(1, former.most - former.least)
        moved = (tier.least + share * (tier.most - tier.least)) * self._corrected()
        return max(tier.least, min(tier.most, round((computed + moved) / 2)))

    def _corrected(self) -> float:
        """What is left of a request when what it left out is taken into account."""
        left_out = [one for one in self.circumstances.found if not one.granted and one.weight]
        found = math.prod(1 + one.weight / 100 for one in left_out)
        return found * 0.95 ** sum(not finding.proven for _, finding in self.weighing.allegations)

    # --- the sentence -------------------------------------------------------------------------------------------------

    @cached_property
    def counts(self) -> tuple[Sentenced, ...]:
        """Each conviction with its punishment."""
        made = []
        for charge in self.weighing.convicted:
            tier, applied = self.tier(charge)
            made.append(Sentenced(charge, tier, applied, self._punish(charge, tier, applied)))
        return tuple(made)

    @cached_property
    def whole(self) -> Punishment:
        """What is to be served (刑法第六十九条)."""
        counts = [one.punishment for one in self.counts]
        made = counts[0] if len(counts) == 1 else _combined(counts, self._asked_whole())
        return replace(made, probation=self._probation(made))

    def _asked_whole(self) -> Request | None:
        return None if self.refusal else self.request

    def _punish(self, charge: str, tier: Tier, applied: Applied) -> Punishment:
        asked = self._asked_whole() if len(self.weighing.charges) == 1 else None
        months = self._months(charge, tier, applied)
        known = crime(charge)
        if tier.least >= 180 and tier.life and months >= 180:
            return Punishment("有期徒刑", 180, forfeit=tier.forfeit)
        if self._alone(tier, months, asked):
            fine = _rounded(max(known.floor if known else STEP, months * STEP))
            return Punishment("单处罚金", 0, asked.fine[0] if asked and asked.fine else fine)
        kind = asked.kind if asked and asked.kind in ("有期徒刑", "拘役", "管制") else ""
        if not kind:
            kind = "拘役" if tier.short and (months < 6 or tier.most == 0) else "有期徒刑"
        months = max(6, months) if kind == "有期徒刑" else min(6, max(1, months)) if kind == "拘役" else max(3, months)
        return Punishment(kind, months, self._fine(tier, known, months, asked), forfeit=tier.forfeit)

    def _alone(self, tier: Tier, months: int, asked: Request | None) -> bool:
        """Whether a fine is enough: the law allows it, the defence asks for it, little is left to punish."""
        if asked is not None:
            return asked.kind == "单处罚金" and tier.fine_alone
        found = self.circumstances
        wanted = bool(_ALONE.search(found.defending)) and found.clean
        return tier.fine_alone and wanted and months <= 9 and found.has("paid") and not found.owed

    def _fine(self, tier: Tier, known: Crime | None, months: int, asked: Request | None) -> float:
        if tier.fine != "must":
            return 0.0
        if asked is not None and asked.fine:
            return sum(asked.fine) / 2
        floor, month = (known.floor, known.month) if known else (STEP, 600)
        most = known.times * sum(map(self.weighing.amount, self.weighing.convicted)) if known and known.times else 0.0
        return max(float(floor), min(_rounded(months * month), most or math.inf))

    @property
    def _held(self) -> bool:
        """Whether the accused is in custody now, as far as the court knows."""
        measures = self.heard.view.held.get("criminal", {}).get("custody", ())
        return bool(measures) and measures[-1].get("measure") in ("拘留", "逮捕") and not measures[-1].get("until")

    def _probation(self, made: Punishment) -> int:
        """刑法第七十二条至第七十四条: how long the suspension is probed; 0 for none."""
        if made.kind not in ("有期徒刑", "拘役") or made.months > 36 or self.circumstances.has("recidivist"):
            return 0
        asked = self._asked_whole()
        if asked is not None and (asked.suspended or self.circumstances.signed or asked.suspended is False):
            return (asked.probation or probation_of(made)) if asked.suspended else 0
        found = self.circumstances
        strict = any(_STRICT.search(name) for name in found.weighing.convicted)
        wished = bool(_SUSPEND.search(found.defending)) or found.assessed or not (self._held or strict)
        remorse = not found.owed and (found.has("paid") or not re.search(r"被害人", found.facts))
        light = made.months <= (36 if found.has("excess") else 12) and (found.has("surrender") or found.has("confession") or found.signed)
        return probation_of(made) if wished and remorse and light and found.clean and found.weighing.convicted else 0


def _inside(request: Request, tier: Tier) -> bool:
    """Whether a request lies in a range."""
    if request.kind == "拘役":
        return tier.short and request.months[1] <= 6
    if request.kind == "管制":
        return "管制" in tier.light
    return tier.least <= request.months[0] and request.months[1] <= tier.most


def probation_of(made: Punishment) -> int:
    """Half as long again as the term: 拘役 from two months to a year, 有期徒刑 from one year to five (刑法第七十三条)."""
    long = math.ceil(made.months * 1.5)
    if made.kind == "拘役":
        return min(12, max(2, long))
    return min(60, max(12, math.ceil(long / 6) * 6))


def _combined(counts: Sequence[Punishment], asked: Request | None) -> Punishment:
    """Between the longest term and the sum; 拘役 is served within 有期徒刑; fines are added up."""
    fine = sum(one.fine for one in counts)
    timed = [one for one in counts if one.months]
    if not timed:
        return Punishment("单处罚金", 0, fine)
    kind = "有期徒刑" if any(one.kind == "有期徒刑" for one in timed) else timed[0].kind
    terms = [one.months for one in timed if one.kind == kind]
    longest, added = max(terms), sum(terms)
    most = min(added, 12 if kind == "拘役" else 36 if kind == "管制" else 240 if added < 420 else 300)
    months = round(longest + (most - longest) * 0.6)
    if asked is not None and longest <= asked.months[0] and asked.months[1] <= most:
        months = round(sum(asked.months) / 2)
    return Punishment(kind, months, fine, forfeit=any(one.forfeit for one in counts))


def _rounded(yuan: float) -> float:
    """To thousands, not below one."""
    return float(max(STEP, round(yuan / STEP) * STEP))


def refusal_words(sentencing: Sentencing) -> str:
    """Why the request is not followed, in words."""
    key = sentencing.refusal
    named = [one.name for one in sentencing.circumstances.found if one.name in _NAMED and not one.granted]
    said: str = words()["why"][key].replace("{which}", "、".join(named))
    charge = sentencing.weighing.convicted[0]
    graver = sentencing.said_grade(charge)
    if key == "tier" and graver is not None and graver is not sentencing.tier(charge)[0]:
        match = re.search(graver.grade, sentencing.circumstances.accusing)
        said = f"以{match[0]}为前提，{said}" if match else said
    paid = any(one.id == "paid" and not one.granted for one in sentencing.circumstances.found)
    return f"{words()['why']['paid']}，{said}" if key == "circumstance" and paid and sentencing.circumstances.signed else said
