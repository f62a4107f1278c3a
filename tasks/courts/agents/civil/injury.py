"""Damages for personal injury, head by head: what each comes to, what the compulsory insurance would have borne, whose fault it was.

民法典第一千一百七十九条、第一千一百八十三条、第一千二百一十三条; 人身损害赔偿解释第六条至第十二条; 道路交通事故损害赔偿解释第十六条.
Only what was heard counts: receipts, medical orders, appraisals, the court's own inquiry. Yuan and days.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from math import ceil

from store.text.normalise import fold_width
from store.text.numerals import to_decimal
from tasks.courts.agents.civil.case import Case, Lessened, Reckoned
from tasks.courts.agents.civil.fault import liability
from tasks.courts.agents.civil.heard import Claim
from tasks.courts.agents.civil.lessening import noted, value_of
from tasks.courts.agents.civil.sums import cents, days, sums, yuan
from tasks.courts.agents.civil.weighing import points

MONTH = 30  # days of a month of rest, care or nutrition
A_DAY, FOOD = 20.0, 30.0
"""What travelling comes to a day in hospital without receipts, and nutrition a day where nothing says more."""
PER_GRADE = 5000.0
"""精神损害抚慰金: so much for the tenth grade of disability, as much more for each grade above it."""
_HEADS = (
    "后续治疗费|医疗费|误工费|护理费|住院伙食补助费|伙食补助费|营养费|交通费|鉴定费|残疾赔偿金|精神损害抚慰金|精神抚慰金|精神损害赔偿金"
    "|住宿费|残疾辅助器具费|丧葬费|死亡赔偿金|被扶养人生活费|维修费|修理费"
)
_LISTED = re.compile(rf"(?P<head>{_HEADS})(?:\((?P<note>[^()]{{0,80}})\))?(?P<sum>[0-9][0-9,.]*)元")
_NAMED = re.compile(_HEADS)
_CLASSES: Mapping[str, str] = {
    "医疗": "medical", "伙食": "medical", "营养": "medical", "后续": "medical", "维修": "property", "修理": "property", "鉴定": "none",
}  # fmt: skip
"""First words of a head -> the limit it falls under; any other falls under death and disability."""
_GRADE = re.compile(r"(?:构成|评定为|达到|属|伤残)?(?P<n>[一二三四五六七八九十])级(?:伤残)?")
_UNINSURED = re.compile(
    r"交强险[^。]{0,24}(?:到期|未续保|没有续保|脱保|未投保|没有投保)|(?:未|没有|忘了?)[^，。；]{0,4}(?:投保|续保?|购买|买)[^，。；]{0,4}(?:交强险|机动车交通事故责任强制保险)|续保信息[:：]无"
)
_OUTSIDE = re.compile(r"药店|药房|外购|保健|小票")
_COUNT = "(?P<n>[0-9]{1,3}|[一二两三四五六七八九十]{1,3})(?P<u>个月|天|日)"
_STAY = re.compile(r"住院(?:治疗)?(?P<n>[0-9]{1,3}|[一二三四五六七八九十]{1,3})[天日]")
_REST = re.compile(rf"(?:全休|休息|休养|休假){_COUNT}")
_CARE = re.compile(rf"(?:陪护|留陪|陪人|护理)(?:[一二两1-3]人)?{_COUNT}")
_FEED = re.compile(rf"加强营养{_COUNT}")
_TERM = "{}期(?:为|限)?(?P<n>[0-9]{{1,3}})[日天]"
_RATE = r"(?:每[天日]|日报酬[^0-9，。；]{0,8}|/天|每人每[天日])(?:为|按|计)?(?P<n>[0-9][0-9.]*)元|(?P<m>[0-9][0-9.]*)元(?:/|每)[天日]"
_OWN_RATE = re.compile(r"每[天日](?P<n>[0-9.]+)元|(?P<m>[0-9.]+)元/[天日]|[×x*](?P<k>[0-9.]+)元$")
_PAID = re.compile(
    r"(?:共)?(?P<n>[0-9]{1,2}|[一二三四五六七八九十]{1,3})(?:笔|个月)[^。；]{0,16}合计(?P<sum>[0-9][0-9.]*)元"
)
_OVER = re.compile(
    r"(?P<y1>20[0-9]{2})年(?P<m1>[0-9]{1,2})月至(?P<y2>20[0-9]{2})年(?P<m2>[0-9]{1,2})月[^。;；]{0,12}合计(?P<n>[0-9][0-9.]*)元"
)
_YEARLY = re.compile(r"年平均工资(?:为)?(?P<n>[0-9][0-9.]*)元")
_TICKETS = re.compile(r"(?:车票|出租车|客运|打车|机票|船票)[^。；]{0,24}?(?:合计|共计?)(?P<n>[0-9][0-9.]*)元")
_UNTIL = re.compile(
    r"(?:误工|休息)[^，。；]{0,6}(?:只|仅)?(?:到|至|截至)(?:(?P<y>20[0-9]{2})年)?(?P<m>[0-9]{1,2})月(?P<d>[0-9]{1,2})日"
)
_COSTS = re.compile(r"(?:费用|手术费|治疗费|约需|需要?)[^，。；]{0,6}?(?P<n>[0-9][0-9.]*万?)元")


@dataclass(frozen=True, slots=True)
class Head:
    """A head of damage as claimed."""

    name: str
    asked: float
    note: str
    claim: int

    @property
    def limit(self) -> str:
        """medical, disability, property; none: the insurance does not bear it."""
        return _CLASSES.get(self.name.removeprefix("住院")[:2], "disability")

    @property
    def mental(self) -> bool:
        """精神损害抚慰金 takes account of the faults by itself."""
        return self.name.startswith("精神")


def heads(claim: Claim) -> list[Head]:
    """The heads of a claim, or the one that it is about; none where they have no sums of their own."""
    text = fold_width(claim.text)
    found = [
        Head(match["head"], value_of(match["sum"]), match["note"] or "", claim.number)
        for match in _LISTED.finditer(text.partition("其中")[2])
    ]
    if found:
        return found
    named = set(_NAMED.findall(re.sub(r"\([^()]*\)", "", text)))
    if len(named) != 1 or claim.kind != "pay" or not claim.amount:
        return []
    notes = re.findall(r"\(([^()]{0,80})\)", text)
    return [Head(named.pop(), claim.amount, notes[0] if notes else "", claim.number)]


def injured(case: Case, claim: Claim, less: Lessened) -> Reckoned | None:
    """What a claim for personal injury comes to; None where the suit is about something else, or names no heads."""
    listed = [head for one in case.claims for head in heads(one)]
    mine = [head for head in listed if head.claim == claim.number]
    if not mine or not re.search(points()["liability"]["causes"], case.cause) or not _is_injury(listed):
        return None
    share, why = liability(case)
    told = _Told(case, share)
    allowed = {head: told.allowed(head, less) for head in listed}
    parts, sentence = _borne(case, allowed, share)
    gross = cents(sum(allowed[head][0] for head in mine))
    net = cents(sum(parts[head] for head in mine))
    steps = ["；".join(step for head in mine if (step := allowed[head][1]))]
    if len(mine) > 1:
        steps.append(f"以上各项损失合计{yuan(gross)}")
    if net and sentence and any(head.limit != "none" and not head.mental for head in mine):
        steps.append(sentence)
    elif net and share < 1 and not all(head.mental for head in mine):
        steps.append(f"{why}，被告承担{round(share * 100)}%即{yuan(net)}")
    already = noted(claim)
    off = [value for value, _ in less.sums if value != already and not (share < 1 and _by_others(less, value))]
    for value in [value for value, _ in less.sums if share < 1 and _by_others(less, value)]:
        steps.append(f"案外人已付的{yuan(value)}属于其自身应负的份额，不从被告的份额中再行扣除")
    off += [already] if already else []
    if off and net:
        minus = "－".join(yuan(value) for value in off)
        steps.append(
            f"扣除被告已经给付的{'、'.join(map(yuan, off))}，{yuan(net)}－{minus}＝{yuan(cents(net - sum(off)))}"
        )
    left = cents(net - (sum(off) if net else 0.0))
    reduced = [head.name[:2] for head in mine if allowed[head][0] < head.asked]
    adopts = [
        *reduced,
        *(["外购|自购|保健|医嘱"] if "医疗" in reduced else []),
        *(["责任|过错"] if share < 1 else []),
    ]
    return Reckoned(
        max(0.0, min(left, claim.amount or left)), tuple(step for step in steps if step), adopts="|".join(adopts) or "(?!)",
        less=replace(less, excluded=()),
    )  # fmt: skip


def _is_injury(listed: Sequence[Head]) -> bool:
    return any(head.limit in ("medical", "disability") and not head.mental for head in listed)


def _by_others(less: Lessened, value: float) -> bool:
    """Whether a sum was paid by somebody else than the defendant."""
    words = next((words for found, words in less.sums if found == value), "")
    before = next((one.before for one in sums(words) if one.yuan == value), "")
    match = re.search(r"(?P<who>[一-鿿]{2,4}?)(?:已)?(?:赔偿|赔付|支付)的?$", before)
    return match is not None and not re.search(r"被告|我方|已经|垫付", match["who"])


def _borne(case: Case, allowed: Mapping[Head, tuple[float, str]], share: float) -> tuple[dict[Head, float], str]:
    """What the defendant bears of each head: within the limits of an insurance he should have had all, beyond them his share."""
    limits = _limits(case)
    parts: dict[Head, float] = {}
    told = []
    for name, label in (("medical", "医疗费用"), ("disability", "死亡伤残"), ("property", "财产损失"), ("none", "")):
        mine = {head: value for head, (value, _) in allowed.items() if head.limit == name}
        mental = sum(value for head, value in mine.items() if head.mental)
        other = sum(value for head, value in mine.items() if not head.mental)
        within = min(other, max(0.0, limits.get(name, 0.0) - mental))
        borne = within + (other - within) * share
        parts |= {
            head: value if head.mental else value * borne / other if other else 0.0 for head, value in mine.items()
        }
        if limits and label and other:
            over = cents(other - within)
            told.append(
                f"{label}类共{yuan(cents(other + mental))}，"
                + (f"限额内先赔{yuan(within)}，余下{yuan(over)}按{round(share * 100)}%计为{yuan(cents(over * share))}"
                   if over else f"未超过限额{yuan(limits[name])}，由被告赔偿")
            )  # fmt: skip
    lead = "被告系投保义务人和侵权人，未依法投保交强险，应当先在交强险责任限额范围内赔偿，超出部分按照过错分担，"
    return parts, lead + "，".join(told) if told else ""


def _limits(case: Case) -> dict[str, float]:
    """The limits of the insurance that the defendant should have had; none where he had it, or needed none."""
    story = "".join(case.trial.story)
    if "机动车交通" not in case.cause or not _UNINSURED.search(f"{case.shown}{story}"):
        return {}
    when = next(iter(days(story)), case.hearing or date.max)
    rows = [row for row in points()["compulsory"] if row["since"] <= when]
    return {name: float(rows[-1][name]) for name in ("medical", "disability", "property")} if rows else {}


class _Told:
    """What was heard that bears on the heads."""

    def __init__(self, case: Case, share: float) -> None:
        self._case, self._share = case, share
        self._papers = fold_width("\n".join(one.offer.excerpt for one in case.standing))
        self._court = fold_width(case.findings)
        self._story = fold_width("".join(case.trial.story))
        self._answer = fold_width("\n".join(p.text for p in case.points if p.position != "admit"))

    def allowed(self, head: Head, less: Lessened) -> tuple[float, str]:
        """What a head comes to, and why; no words where it is as claimed."""
        reckoned: dict[str, Callable[[Head], tuple[float, str]]] = {
            "医疗": partial(self._treatment, less=less), "误工": self._wages, "护理": self._care, "住院": self._meals, "伙食": self._meals,
            "营养": self._food, "交通": self._travel, "后续": self._later, "残疾": self._disability, "精神": self._mental,
        }  # fmt: skip
        made = reckoned.get(head.name[:2])
        if made is None:
            return head.asked, ""
        value, why = made(head)
        value = cents(min(value, head.asked + (noted_in(head) if head.name == "医疗费" else 0.0)))
        return value, f"{head.name}{why}，认定{yuan(value)}" if why and value else f"{head.name}{why}" if why else ""

    # --- periods and rates -------------------------------------------------------------------------------------------

    def _stay(self) -> int:
        return max(
            (_number(match["n"]) for match in _STAY.finditer(f"{self._papers}\n{self._story}\n{self._case.shown}")),
            default=0,
        )

    def _term(self, name: str, order: re.Pattern[str], *, with_stay: bool) -> int:
        """Days by the appraisal, else by the medical order, with those in hospital where they come on top."""
        if match := re.search(_TERM.format(name), self._papers):
            return int(match["n"])
        listed = sorted((_days(match), match.end()) for match in order.finditer(self._papers))
        if not listed:
            return self._stay() if with_stay else 0
        ordered, end = listed[-1]
        return ordered + (self._stay() if with_stay and "含住院" not in self._papers[end : end + 6] else 0)

    def _rate(self, about: str) -> float:
        """What a day costs by the court's inquiry, else by an exhibit of the defendant."""
        own = "\n".join(
            f"{one.offer.title}；{one.offer.says}" for one in self._case.standing if one.offer.side == "defendant"
        )
        for text in (self._court, fold_width(own)):
            for part in re.split(r"[;；。\n]", text):
                if re.search(about, part) and (match := re.search(_RATE, part)):
                    return value_of(match["n"] or match["m"])
        return 0.0

    # --- heads -------------------------------------------------------------------------------------------------------

    def _treatment(self, head: Head, *, less: Lessened) -> tuple[float, str]:
        """By receipts that have to do with the injury: what was bought without a medical order is left out."""
        gross = head.asked + noted_in(head)
        out = {
            value: "与本次损伤的治疗没有关联"
            for value, words in less.excluded
            if value < gross and not re.search("误工|护理|营养|交通|伙食|鉴定|后续|钢板|固定", words)
        }
        if re.search("外购|自购|保健|药店|医嘱|无关", self._answer):
            told = f"{self._answer}{head.note}"
            for part in re.split(r"[;；。\n]", f"{self._papers}\n{fold_width(self._case.shown)}"):
                if _OUTSIDE.search(part) and "医嘱" not in part and "住院" not in part:
                    own = part in self._papers
                    out |= {
                        one.yuan: "没有医嘱"
                        for one in sums(part)
                        if one.yuan < gross / 2 and (own or f"{one.yuan:.0f}" in told)
                    }
        value = gross - sum(out)
        told = "、".join(f"{yuan(one)}{why}" for one, why in out.items())
        return value, f"以医疗机构的收费票据为准，{told}，不予认定" if out else ""

    def _wages(self, head: Head) -> tuple[float, str]:
        """By the income that is shown, else by the wages of the trade; for the days of the appraisal or the order."""
        if "误工" not in self._answer and "收入" not in self._answer:
            return head.asked, ""
        term = self._until() or self._term("误工", _REST, with_stay=True)
        monthly, how = self._monthly()
        if monthly and (not term or monthly < self._own_monthly(head)):
            months = (term or _months_of(head)) / MONTH
            return (
                monthly * months,
                f"按实际月平均收入{yuan(cents(monthly))}（{how}）计算{term or _months_of(head)}日" if months else "",
            )
        daily = self._rate("工资|行业|误工")
        if not daily and (match := _YEARLY.search(self._court)):
            daily = cents(value_of(match["n"]) / 365)
        if daily and term:
            return (
                daily * term,
                f"时间按{'恢复工作以前' if self._until() else '住院和医嘱休息共'}{term}天，原告没有固定收入，近三年的收入也没有凭证，比照本地相近行业的职工收入每天{yuan(daily)}计算",
            )
        return head.asked, ""

    def _until(self) -> int:
        """Days from the one after the injury to the one on which, as the defendant shows, work was taken up again; 0: not shown."""
        match, begins = _UNTIL.search(self._answer), next(iter(days(self._story)), None)
        if match is None or begins is None:
            return 0
        shown = [
            one
            for one in self._case.standing
            if one.offer.side == "defendant" and re.search("误工|出摊|上班|复工|工作", one.offer.says)
        ]
        end = next(iter(days(f"{match['y'] or begins.year}年{match['m']}月{match['d']}日")), None)
        return (end - begins).days if shown and end is not None and end > begins else 0

    def _monthly(self) -> tuple[float, str]:
        if match := _OVER.search(self._papers):
            months = (int(match["y2"]) - int(match["y1"])) * 12 + int(match["m2"]) - int(match["m1"]) + 1
            total = value_of(match["n"])
        elif match := _PAID.search(self._papers):
            months, total = _number(match["n"]), value_of(match["sum"])
        else:
            return 0.0, ""
        return (total / months, f"{yuan(total)}÷{months}个月") if 0 < months <= 60 else (0.0, "")

    def _own_monthly(self, head: Head) -> float:
        match = re.search(r"(?:每月|[×x*])(?P<n>[0-9.]+)元|(?P<m>[0-9.]+)元[/每]月", head.note)
        return value_of(match["n"] or match["m"]) if match else head.asked

    def _care(self, head: Head) -> tuple[float, str]:
        term, daily = self._term("护理", _CARE, with_stay=True), self._rate("护工|陪护|护理")
        if not re.search("护理|护工|陪护", self._answer) or not term:
            return head.asked, ""
        own = _own_rate(head)
        daily = min(daily, own) if daily and own else daily or own
        return (daily * term, f"按护工报酬每天{yuan(daily)}计算{term}天") if daily else (head.asked, "")

    def _meals(self, head: Head) -> tuple[float, str]:
        stay, daily = self._stay(), self._rate("伙食") or _own_rate(head)
        return (
            (daily * stay, f"按每天{yuan(daily)}计算{stay}天")
            if stay and daily and daily * stay < head.asked
            else (head.asked, "")
        )

    def _food(self, head: Head) -> tuple[float, str]:
        if "营养" not in self._answer:
            return head.asked, ""
        put = next(
            (m for part in re.split(r"[,，;；。]", self._answer) if "营养" in part and (m := re.search(_RATE, part))),
            None,
        )
        daily = self._rate("营养") or (value_of(put["n"] or put["m"]) if put else min(FOOD, _own_rate(head) or FOOD))
        term = self._term("营养", _FEED, with_stay=False) or (MONTH if "加强营养" in self._papers else self._stay())
        return (daily * term, f"按每天{yuan(daily)}计算{term}天") if term else (head.asked, "")

    def _travel(self, head: Head) -> tuple[float, str]:
        """By tickets; without them at discretion, by the days in hospital."""
        doubted = any(
            re.search("车票|交通", one.objection) and "relevance" in one.contested for one in self._case.standing
        )
        if (match := _TICKETS.search(self._papers)) and not doubted:
            return value_of(match["n"]), "以正式票据为准"
        if not self._stay():
            return head.asked, ""
        return ceil(self._stay() * A_DAY / 100) * 100.0, "没有足额票据，但就医必然发生，结合就医次数和住院天数酌定"

    def _later(self, head: Head) -> tuple[float, str]:
        for part in re.split(r"[;；。\n]", self._papers):
            if re.search("固定|二次手术|后续|取出|拆除", part) and (match := _COSTS.search(part)):
                return value_of(match["n"]), "有医疗证明，属必然发生"
        return 0.0, "的数额没有医疗证明、鉴定意见可以确定，可以在实际支出之后另案主张"

    def _grade(self) -> int:
        found = [_number(match["n"]) for match in _GRADE.finditer(self._papers) if "残" in self._papers]
        return min((value for value in found if 1 <= value <= 10), default=0)

    def _disability(self, head: Head) -> tuple[float, str]:
        if self._grade():
            return head.asked, ""
        return 0.0, "应当以伤残等级为依据，原告没有伤残等级，该项缺乏依据，可以在评残之后另案主张"

    def _mental(self, head: Head) -> tuple[float, str]:
        grade = self._grade()
        if not grade:
            return 0.0, "须以严重的精神损害为前提，原告的损伤没有评残，严重后果没有证据证明"
        value = PER_GRADE * (11 - grade) * self._share
        return value, f"考虑原告构成伤残的等级和双方的过错{'，包括原告自身的过错' if self._share < 1 else ''}酌定"


def noted_in(head: Head) -> float:
    """What a head says it has taken off already."""
    match = re.search(r"扣除[^0-9，。]{0,12}(?P<n>[0-9][0-9,.]*万?)元", head.note)
    return value_of(match["n"]) if match else 0.0


def _days(match: re.Match[str]) -> int:
    return _number(match["n"]) * (MONTH if match["u"] == "个月" else 1)


def _months_of(head: Head) -> int:
    match = re.search(r"(?P<n>[0-9]{1,2})个月", head.note)
    return int(match["n"]) * MONTH if match else 0


def _own_rate(head: Head) -> float:
    match = _OWN_RATE.search(head.note)
    return value_of(match["n"] or match["m"] or match["k"]) if match else 0.0


def _number(text: str) -> int:
    value = to_decimal(text)
    return int(value) if value is not None else 0
