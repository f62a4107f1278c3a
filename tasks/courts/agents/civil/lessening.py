"""The sums of an answer that lessen a claim: what the plaintiff would have to prove, and set-offs that are proven. In yuan."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from store.text.normalise import fold_width
from tasks.courts.agents.civil.case import Lessened
from tasks.courts.agents.civil.heard import Claim, Point
from tasks.courts.agents.civil.quoting import gist
from tasks.courts.agents.civil.sums import Sum, cents, sums, yuan
from tasks.courts.agents.civil.weighing import NEAR, Weighed, nearest, overlap, points

UNIT = re.compile(r"(?P<label>每[天日月年]|每平方米|月工资|日工资|单价)[^0-9，。；]{0,4}(?P<n>[0-9][0-9,.]*)元")
FACTOR = re.compile(r"(?P<n>[0-9][0-9,.]*)元 ?[×x*÷/]")
HEADED = re.compile(r"(?P<head>[一-鿿]{2,8}费)(?:\((?P<note>[^()]{0,60})\))?(?P<sum>[0-9][0-9,.]*)元")
_CLAUSE = re.compile(r"[^，,；;。\n]+")
_NOTED = re.compile(
    r"(?:已)?扣除(?:了)?(?:被告|对方)?(?:已)?(?:垫付|支付|付|给付)?(?:的|了)?(?P<sum>[0-9][0-9,.]*万?)元"
)
_HEAD = re.compile(r"[一-鿿]{1,5}费")
_COUNTED = re.compile(r"[0-9]{1,6}(?:盏|台|件|套|天|日|个|间|平方米|吨|箱|辆|棵|只|笔)")
_BY_RECEIPT = re.compile(r"以?(?:正式)?(?:票据|发票)为准|凭票")


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
    for head in HEADED.finditer(fold_width(claim.text)):
        name, asked = head["head"][-3:], value_of(head["sum"])
        if name not in clause:
            continue
        own, put = UNIT.search(head["note"] or ""), UNIT.search(clause)
        if own and put and own["label"][:1] == put["label"][:1] and 0 < value_of(put["n"]) < value_of(own["n"]):
            return cents(asked - asked * value_of(put["n"]) / value_of(own["n"]))
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
    return bool(FACTOR.search(fold_width(claim.text)) and UNIT.search(fold_width(point.text)))


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


def minus(asked: float, less: Lessened, *, half: bool = False) -> tuple[str, ...]:
    """How a sum was lessened, with the words of the answer for each part."""
    part = "的一半" if half else ""
    steps = [f"{gist(words, 50)}，相应核减{yuan(value)}" for value, words in less.excluded]
    for value, words in less.sums:
        whole = any(abs(said.yuan - value) < 0.01 for said in sums(words))
        shown = "有证据证明" if whole else f"，有证据证明的部分为{yuan(value)}"
        steps.append(f"被告关于“{gist(words, 50)}”的意见{shown}，应当扣除{yuan(value)}{part}")
    if half:
        steps.append(f"{yuan(asked)}－{yuan(less.total)}÷2＝{yuan(asked - less.total / 2)}")
    return tuple(steps)


def dropped(claim: Claim, less: Lessened) -> tuple[str, ...]:
    """The heads of a claim that are left out by name with their whole sum."""
    return tuple(
        head["head"]
        for head in HEADED.finditer(fold_width(claim.text).partition(",其中")[0])
        if any(value == value_of(head["sum"]) and head["head"][-3:] in words for value, words in less.excluded)
    )


def noted(claim: Claim) -> float:
    """What a claim says it has taken off already: 已扣除被告垫付的8000元."""
    match = _NOTED.search(fold_width(claim.text))
    found = sums(f"{match['sum']}元") if match else []
    return found[0].yuan if found else 0.0


def value_of(text: str) -> float:
    """The number of a sum that is written without 元."""
    found = sums(f"{text}元")
    return found[0].yuan if found else 0.0
