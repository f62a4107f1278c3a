"""A contention turned into the question it raises: 不应再计算利息 -> 应否再计算利息, 原告没有解除权 -> 原告有无解除权.

Clause by clause, by the table of turns in data/civil_issues.toml. Total and linear: clauses are read up to 120 characters, and a
clause that no turn fits gives nothing.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

LONGEST = 120
"""Characters of a clause that are read, and of a question."""
MOST = 3
"""Turned clauses that one question holds."""
_LEAD = re.compile(
    r"^(?:按照?(?:合同)?约定|依照约定|但是?|不过|而且|并且|且|并|也|故|因此|所以|至少|最多|更|均|都|就|仍|只|即使[^，]{0,12}，|其[一二三四五]，?|被告认为|我方认为|我认为)+"
)
_ADMITS = re.compile(r"(?:没有|无)异议|属实|(?<!不)(?<!不予)认可|(?<!不)承认|其余(?:同意|认可)|(?<!不)同意依法")
_IDLE = re.compile(
    r"^(?:依照|按照|根据|依据)[^，]{0,30}(?:[^合违]法|规定|司法解释|民法典)$|^(?:请|恳请|望)?(?:求)?(?:法院|法庭)|驳回|^现欠|^尚欠"
)
_SUM_NAMED = re.compile(r"(?:违约金|保证金|赔偿金|补偿金|[一-鿿]{1,2}[款费]|损失)[0-9][0-9,.]*万?元$")
_CONTEXT = re.compile(r"^(?:应否|能否|是否)(?:相应)?(?:从|按|在|计入|扣|抵|减|剔除|调|适当|再|自行|由|认定|有权)")
"""A question that says nothing without what it is about."""
_BORNE = re.compile(r"^应否(?:再|另)?(?:赔偿|支付|返还|退还|给付|付|承担|负担|道歉|补偿|归还|赔礼)")
"""What only the party that speaks can be made to do."""
_HEAD = re.compile(r"^(?P<s>[一-鿿《》〈〉0-9]{2,12}?)(?:具备|经|由|为|因|在|与|向|写明|载明|于)")
_PARTY = re.compile(r"^(?:原告|被告|双方|我方)")


@dataclass(frozen=True, slots=True)
class Turned:
    """A clause as a question. subject: before the asking word, '' where the clause names none; weight: 2 asks what follows
    in law, 1 whether something happened; deed: the clause asks for a deed of the defendant."""

    subject: str
    asks: str
    weight: int

    @property
    def text(self) -> str:
        """The question."""
        return f"{self.subject}{self.asks}"


@cache
def table() -> Mapping[str, Any]:
    """The table of turns and of the questions of law that come up again and again."""
    loaded: dict[str, Any] = tomllib.loads(
        files(__package__).joinpath("issues.toml").read_text(encoding="utf-8")
    )
    return loaded


@cache
def _turns() -> tuple[tuple[re.Pattern[str], str, int], ...]:
    return tuple((re.compile(one["pattern"]), one["asks"], one["weight"]) for one in table()["turns"])


def turned(clause: str) -> Turned | None:
    """A clause as a question; None where no turn fits."""
    plain = _LEAD.sub("", clause.strip("，,；;。 "))[:LONGEST]
    if _ADMITS.search(plain) or _IDLE.search(plain):
        return None
    for pattern, asks, weight in _turns():
        if match := pattern.match(plain):
            subject = (
                re.sub(r"(?:也|均|都|就|即|则|更|并|仍|仅|没有|并未|未|不)+$", "", match["s"])
                .removeprefix("我方")
                .removeprefix("我")
            )
            return Turned(
                subject, asks.format(v=match["v"].removesuffix("的") if "v" in match.groupdict() else ""), weight
            )
    return None


def question(part: str, me: str = "被告") -> str:
    """The question that a contention of one party raises; '' where it raises none. `me`: the party that speaks."""
    found: list[Turned] = []
    context = ""
    before: dict[int, str] = {}
    for clause in re.split(r"[，,]", part[: LONGEST * 4]):
        one = turned(clause)
        if one is None:
            plain = _LEAD.sub("", clause.strip())
            context = "" if _ADMITS.search(plain) or _IDLE.search(plain) else plain
            continue
        before[len(found)] = context
        found.append(one)
        context = ""
    return _joined(found, before, me)


def _joined(found: Sequence[Turned], before: Mapping[int, str], me: str) -> str:
    """The weightiest clauses in their order, with the subject that the first of them takes up."""
    kept = sorted(sorted(range(len(found)), key=lambda place: (-found[place].weight, -place))[:MOST])
    if len(kept) > 1 and not any(found[place].weight > 1 for place in kept):
        kept = kept[:2]
    said: list[str] = []
    for place in kept:
        one, context = found[place], before.get(place, "")
        text = one.text
        if not one.subject and (context or not said):
            text = _about(one, context, found[:place], me)
        said.append(text)
    return "，".join(dict.fromkeys(said))[:LONGEST]


def _about(one: Turned, context: str, earlier: Sequence[Turned], me: str) -> str:
    """A question without a subject, with what stands before it in the contention."""
    if _BORNE.match(one.asks):
        return f"{me}{one.asks}"
    if context and one.asks == "能否成立":
        return f"{context}{one.asks}"
    if context and _CONTEXT.search(one.asks):
        named = _SUM_NAMED.search(context)
        return f"{named[0]}{one.asks}" if named and len(context) > 16 else f"{context}，{one.asks}"
    told = next((past.subject for past in reversed(earlier) if past.subject and not _PARTY.match(past.subject)), "")
    head = _HEAD.match(context)
    return f"{head['s'] if head and not told else told or me}{one.asks}"


def parts_of(text: str) -> list[str]:
    """The contentions of a point: what stands between semicolons and stops."""
    return [part.strip("，, ") for part in re.split(r"[；;。\n]", text) if len(part.strip("，, ")) > 3]
