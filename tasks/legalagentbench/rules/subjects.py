"""Names what an answer speaks of: the thing itself, or a short noun phrase hung on the last thing the question is
sure of."""

from __future__ import annotations

import re
from decimal import Decimal

from store.tables import Table, beside
from tasks.legalagentbench.rules.execute import Item
from tasks.legalagentbench.rules.frames import Frame
from tasks.legalagentbench.rules.graph import CASE_ROWS
from tasks.legalagentbench.rules.mentions import Modifier
from tasks.legalagentbench.rules.narrow import concept_of
from tasks.legalagentbench.rules.solve import Findings

_DATES = frozenset(("founded", "date", "filed", "published", "closed", "punished", "listing_date"))
_ENDS = {"max": ("最高", "最早"), "min": ("最低", "最晚"), "first": ("最早", "最早"), "last": ("最晚", "最晚")}
_OFTEN = "出现次数最多的"
_COMPARED = {">": "超过", ">=": "不低于", "<": "低于", "<=": "不超过", "=": "为", "between": ""}
_PLAIN = ("insured", "rank", "served", "violations", "investigations")
_RANKS = "零一二三四五六七八"
LONG = 28
"""A description longer than this many characters gives way to a pronoun."""


class _Subjects(Table):
    """What things are called: attributes, the things of a relation, courts and companies by the rows that name
    them."""

    labels: dict[str, str]
    nouns: dict[str, str]
    courts: dict[str, str]
    companies: dict[str, str]


def _table() -> _Subjects:
    return beside(__package__, "subjects", _Subjects)


def called(relation: str, other: str) -> str:
    """What the things of a relation are called; `other` where it has no word."""
    return _table().nouns.get(relation, other)


def label_of(frame: Frame, concept: str) -> str:
    """What an attribute of things of this kind is called."""
    if frame.kind == "administrative" and concept in ("amount", "date"):
        return {"amount": "处罚金额", "date": "处罚日期"}[concept]
    if frame.kind == "finalized" and concept == "amount":
        return "执行标的"
    if frame.kind == "doc" and concept == "date":
        return "审理日期"
    return _table().labels.get(concept, concept.removeprefix("clause:"))


def noun_of(found: Findings, frame: Frame) -> str:
    """What things of a frame are called in view of where they come from."""
    source = found.plan.frames[frame.parent].kind if frame.parent >= 0 else ""
    if frame.relation == "court":
        return _table().courts.get(source, "法院")
    if frame.relation == "company":
        return _table().companies.get(source, "公司")
    if frame.relation == "case":
        return {"doc": "案件", "administrative": "行政处罚案件"}.get(frame.kind, called(frame.kind, "案件"))
    return called(frame.relation, "记录")


def case_name(item: Item) -> str:
    """A case by its number."""
    return f"{item.name}案" if item.name.startswith("（") else item.name


def _only(found: Findings, number: int) -> Item | None:
    items = {item.name: item for item in found.items[number]} if number < len(found.items) else {}
    return next(iter(items.values())) if len(items) == 1 else None


def owner(found: Findings, number: int) -> str:
    """The thing a frame hangs on: its name where there is one only, else its description."""
    frame = found.plan.frames[number]
    only = _only(found, number)
    if frame.kind in ("address", "place") and frame.entity is None:
        return describe(found, number)
    if only is not None:
        return case_name(only) if frame.kind in (*CASE_ROWS, "case") else only.name
    return describe(found, number)


def _place(found: Findings, number: int) -> str:
    """X所在区县, X办公地址所在区县; the way over an address is left out."""
    frame = found.plan.frames[number]
    if frame.entity is not None:
        return frame.entity.name
    above = found.plan.frames[frame.parent]
    if frame.hop is None:
        return _place(found, frame.parent)
    if above.kind == "address" and above.entity is None and above.parent >= 0:
        kind = (
            "办公地址"
            if above.relation == "office_address"
            else "登记地址"
            if found.plan.frames[above.parent].kind == "company"
            else ""
        )
        return f"{owner(found, above.parent)}{kind}所在区县"
    return f"{owner(found, frame.parent)}所在区县"


def describe(found: Findings, number: int) -> str:
    """A frame in words: its owner, its noun, and the conditions put to it."""
    frame = found.plan.frames[number]
    if frame.entity is not None:
        return found.items[number][0].name if found.items[number] else frame.entity.name
    if frame.kind == "place":
        return _place(found, number)
    chain = [frame]
    while frame.hop is None and frame.parent >= 0 and frame.entity is None:
        frame = found.plan.frames[frame.parent]
        chain.append(frame)
    if frame.entity is not None:
        return found.items[number][0].name if found.items[number] else frame.entity.name
    base = owner(found, frame.parent)
    if len(base) > LONG and frame.parent >= 0 and found.plan.frames[frame.parent].entity is None:
        base = "其"
    filters, choice = _conditions(chain)
    noun = "" if filters.endswith("书") else noun_of(found, frame)
    if choice == _OFTEN:
        return f"{base}{'中' if found.plan.frames[frame.parent].kind in CASE_ROWS else '的'}{filters}{_OFTEN}{noun}"
    link = "" if base == "其" or re.match(r"\d{4}年|单独作为|作为", filters) else "的"
    return f"{base}{link}{filters}{noun}{choice}"


def _conditions(chain: list[Frame]) -> tuple[str, str]:
    filters: list[str] = []
    choice = ""
    for frame in reversed(chain):
        for modifier in frame.modifiers:
            concept = concept_of(frame, modifier)
            if modifier.op in _ENDS:
                word = _ENDS[modifier.op][concept in _DATES]
                word = word if modifier.nth == 1 else f"第{_RANKS[min(modifier.nth, 8)]}{word[-1]}"
                choice = f"中{label_of(frame, concept)}{word}的" + ("一件" if frame.kind in CASE_ROWS else "")
            elif modifier.op == "mode":
                choice = _OFTEN
            elif modifier.op == "role":
                side = "原告" if modifier.value == "plaintiff" else "被告"
                filters.append(f"{'单独' if modifier.concepts else ''}作为{side}的")
            elif modifier.op == "in":
                low, high = modifier.value
                span = (
                    f"{low}年"
                    if low == high
                    else f"{high}年及以前"
                    if low == 0
                    else f"{low}年以来"
                    if high == 9999
                    else f"{low}年至{high}年"
                )
                filters.append(span + ("成立的" if concept == "founded" else "的"))
            elif modifier.op == "listed":
                filters.append("上市的")
            elif modifier.op == "other":
                filters.append("其他")
            elif modifier.op in ("cause", "form", "type", "level") and modifier.value:
                filters.append(f"{modifier.value}类" if modifier.op == "cause" else str(modifier.value))
            elif modifier.op in _COMPARED:
                filters.append(_compared(modifier, concept, label_of(frame, concept)))
            else:
                filters.append(f"名称含“{modifier.value}”的" if modifier.op == "name" else "有相应记录的")
    kept = list(dict.fromkeys(filters))
    kept = [re.sub(r"(?<=\d{4}年)的$", "", words) if words is not kept[-1] else words for words in kept]
    return "".join(kept), choice


def _compared(modifier: Modifier, concept: str, label: str) -> str:
    if modifier.op == "between":
        return f"{label}在{_amount(modifier.value[0], concept)}与{_amount(modifier.value[1], concept)}之间的"
    return f"{label}{_COMPARED[modifier.op]}{_amount(modifier.value, concept)}的"


def _amount(value: Decimal, concept: str) -> str:
    """A threshold as people say it: 1.5亿元, 100%."""
    for scale, unit in ((10**8, "亿元"), (10**4, "万元")):
        if concept not in ("ratio", *_PLAIN) and value >= scale:
            return f"{(value / scale).normalize():f}{unit}"
    return f"{Decimal(value).normalize():f}{'%' if concept == 'ratio' else '' if concept in _PLAIN else '元'}"
