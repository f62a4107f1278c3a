"""Turns of phrase that carry meaning as a whole: thresholds, years, counts, roles, choices. General Chinese, one
entry of `patterns.toml` a turn."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

from store.tables import Table, beside, filled
from store.text.numerals import to_decimal
from tasks.legalagentbench.rules.mentions import Mention, Modifier
from tasks.legalagentbench.rules.vocabulary import words

_SCALE = {"亿": 10**8, "千万": 10**7, "百万": 10**6, "十万": 10**5, "万": 10**4}
_RANKS = "一二三四五六七八"


class _Turn(Table):
    """What a turn is taken for. op: of the modifier that it carries whatever else it says."""

    kind: str
    weight: float
    patterns: tuple[str, ...]
    op: str = ""
    relations: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    pointing: bool = False


class _Turns(Table):
    parts: dict[str, str]
    days: dict[str, str]
    places: dict[str, str]
    orders: dict[str, str]
    turns: dict[str, _Turn]


def _table() -> _Turns:
    return beside(__package__, "patterns", _Turns)


@cache
def _compiled() -> tuple[tuple[str, re.Pattern[str]], ...]:
    compared = {"OVER": words().greater, "UNDER": words().less}
    parts = {name: "|".join(sorted(listed, key=len, reverse=True)) for name, listed in compared.items()}
    parts |= _table().parts
    return tuple(
        (name, re.compile(filled(pattern, parts)))
        for name, turn in _table().turns.items()
        for pattern in turn.patterns
    )


def _amount(number: str, unit: str | None) -> Decimal:
    value = to_decimal(number) or Decimal(0)
    return value * _SCALE.get((unit or "").removesuffix("元"), 1)


def _threshold(m: re.Match[str]) -> Modifier:
    low, high = m["op"], m["tail"] or ""
    percent = (m["unit"] or "") in ("%", "％") or bool(m["per"])
    op = ">" if low in words().greater else "<" if low else ">=" if "上" in high else "<="
    if low in words().inclusive:
        op += "="
    return Modifier(op, ("ratio",) if percent else (), _amount(m["number"], m["unit"]))


def _years(m: re.Match[str]) -> Modifier:
    year, tail = int(m["year"]), m["tail"] or ""
    if m["until"]:
        return Modifier("in", ("date",), (year, int(m["until"])))
    if re.search(r"前", tail):
        return Modifier("in", ("date",), (0, year - 1))
    if re.search(r"以来|起|至今|开始|后", tail) or m["from"]:
        return Modifier("in", ("date",), (year, 9999))
    return Modifier("in", ("date",), (year, year))


def chosen(text: str) -> Modifier:
    """The choice that a word such as 最高, 最早 or 第二大 names."""
    if nth := re.search(r"第([二三四五六七八2-8])|^(?:排名|排在|位居|位列)?次", text):
        digit = nth[1] or "二"
        rank = _RANKS.index(digit) + 1 if digit in _RANKS else int(digit)
        return Modifier(_table().orders[text[-1]], (), None, rank)
    known = words()
    named = {"last": known.latest, "first": known.earliest, "min": known.minimum}
    return Modifier(next((order for order, listed in named.items() if text in listed), "max"))


def pattern_at(text: str, position: int, limit: int) -> Mention | None:
    """The longest turn of phrase at a position that ends before the limit."""
    best: Mention | None = None
    for name, pattern in _compiled():
        match = pattern.match(text, position, limit + 1)
        if match is None or match.end() > limit or match.end() == position:
            continue
        if best is None or match.end() > best.end:
            best = _mention(name, match)
    return best


def _mention(name: str, m: re.Match[str]) -> Mention:
    turn = _table().turns[name]
    modifier = Modifier(turn.op) if turn.op else None
    plain = Mention(
        turn.kind, m.start(), m.end(), m[0], turn.weight, turn.relations, turn.concepts, modifier,
        pointing=turn.pointing, facts=turn.facts,
    )  # fmt: skip
    return replace(plain, **_said(name, m))


def _predicate(text: str) -> tuple[str, ...]:
    """Marks 是上市公司: said of the noun before it, where 上市的 waits for the noun after it."""
    return ("predicate",) if text.startswith(("是", "为", "属于", "均为", "都是")) else ()


def _said(name: str, m: re.Match[str]) -> dict[str, Any]:
    """What the words of a turn change about its mention."""
    match name:
        case "threshold":
            return {"modifier": _threshold(m)}
        case "form":
            return {"modifier": Modifier("form", (), m[0])}
        case "equal":
            return {"modifier": Modifier("=", ("ratio",), _amount(m["number"], None))}
        case "when":
            return {"concepts": (_table().days[m["what"]],)}
        case "billion":
            scale = 10**8 if "亿" in m[0] else 10**7 if "千万" in m[0] else 10**6
            return {"modifier": Modifier(">", (), Decimal(scale))}
        case "between":
            ends = (_amount(m["a"], m["au"] or m["bu"]), _amount(m["b"], m["bu"]))
            return {"modifier": Modifier("between", (), ends)}
        case "date":
            return {"modifier": _years(m)}
        case "full":
            return {"modifier": Modifier("=", ("ratio",), Decimal(100))}
        case "nth":
            return {"modifier": chosen(m[0])}
        case "served":
            unit = re.search(r"(?:多少|几)([家次个])", m[0])
            return {"unit": unit[1] if unit else ""}
        case "are_listed":
            return {"facts": _predicate(m[0])}
        case "is_sub":
            return {"modifier": Modifier("exists", (), "parent"), "facts": _predicate(m[0])}
        case "role":
            role = "plaintiff" if m["role"] in ("原告", "起诉") else "defendant"
            return {"modifier": Modifier("role", ("sole",) if m["sole"] else (), role)}
        case "name":
            return {"modifier": Modifier("name", (), m["part"])}
        case "cause" | "type":
            return {"modifier": Modifier(name, (), m[name])}
        case "level":
            return {"modifier": Modifier("level", (), m["level"] or m["level2"])}
        case "sided":
            return {"relations": ("plaintiff_firm" if m["side"] == "原告" else "defendant_firm",)}
        case "placed":
            return {"concepts": (_table().places[m["part"]],) if m["part"] in _table().places else ()}
        case "days":
            return {"unit": "年" if "年" in (m["a"], m["b"]) else "天"}
        case "invests":
            return {"unit": (m["much"] or m["many"] or "")[-1:].strip("少几")}
        case "count":
            return {"unit": m["unit"] or "", "facts": ("case",) if m["about"] else ()}
        case "put_in":
            return {"unit": m["unit"]}
        case "money":
            summed = re.match(r"共计|总计|合计|一共|总共|共", m[0])
            return {"unit": m["unit"], "kind": "sum" if summed else "money"}
        case "clause":
            return {"concepts": (f"clause:{m['clause']}",)}
        case _:
            return {}
