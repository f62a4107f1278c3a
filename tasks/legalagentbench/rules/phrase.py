"""Writes the answer: every wanted value as it stands in the data and in the form the question asks for.

`res` is the answer; `summary` adds what was found on the way (names, case numbers, dates, amounts in yuan).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from store.text.money import MoneyUnit, format_money
from tasks.legalagentbench.rules.execute import Item
from tasks.legalagentbench.rules.graph import AMOUNT_COLUMN, ATTRIBUTES, CASE_ROWS
from tasks.legalagentbench.rules.narrow import FIGURES, concept_of, total
from tasks.legalagentbench.rules.recognise import tidy
from tasks.legalagentbench.rules.solve import Findings, Told
from tasks.legalagentbench.rules.subjects import called, case_name, describe, label_of
from tasks.legalagentbench.rules.values import Cell, date_of, known, money_of, text_of

_UNIT_OF: dict[str, str] = {
    "company": "家",
    "court": "家",
    "firm": "家",
    "place": "个",
    "address": "个",
    "agency": "家",
}
_MONEY = frozenset(
    ("amount", "fine", "target", "unpaid", "invested", "capital", "par_value", "issue_price", "net_raised")
)
_COUNTED: dict[str, str] = {"served": "家", "violations": "件", "investigations": "件", "insured": "人"}
LONGEST_LIST = 60


@dataclass(frozen=True)
class Form:
    """The form a question asks for: places after the point and the units of money with where they stand."""

    places: int | None
    units: tuple[tuple[int, str], ...]

    def unit(self, at: int) -> str | None:
        """The unit nearest to a wanted thing, preferring one that follows it."""
        after = [unit for position, unit in self.units if position >= at]
        return after[0] if after else self.units[-1][1] if self.units else None


_PLACES = re.compile(
    r"(?:保留|取|精确|精确到|到|写|留|要|带|给)(?:到|至)?(?:小数点后|小数)?(?:面)?(?P<a>[两二2一1三3四4])位"
    r"|小数点后(?:面)?(?:保留|留|取|写|要|带|给|写到|算到)?(?P<b>[两二2一1三3四4])位|"
    r"(?P<c>[两二2一1三3四4])位小数|(?P<cent>(?:精确|写|算|具体|准确|细|列|计)到(?:人民币)?(?:几角几)?分"
    r"(?![钟店公支部局院])|到分为止|角分)|(?P<whole>(?:保留|取)(?:到|至)?整|不(?:要|留|带)小数)"
)
_UNITS = re.compile(r"(?:多少|几|单位(?:为|是|：|:)?|以|按|用)(?:人民币)?(亿元|万元|亿|万|元)|（(亿元|万元|元)")
_DIGIT = {"两": 2, "二": 2, "2": 2, "一": 1, "1": 1, "三": 3, "3": 3, "四": 4, "4": 4}


def form_of(question: str) -> Form:
    """The form asked for in a question."""
    text = tidy(question)
    places = None
    match = _PLACES.search(text)
    if match:
        digit = match["a"] or match["b"] or match["c"]
        places = _DIGIT[digit] if digit else 2 if match["cent"] else 0
    units = tuple(
        (m.start(), unit if unit.endswith("元") else f"{unit}元")
        for m in _UNITS.finditer(text)
        if (unit := m[1] or m[2])
    )
    return Form(places, units)


def money(cell: Cell, form: Form, at: int) -> str:
    """An amount in the asked unit and precision; as it stands in the data where nothing is asked."""
    amount = money_of(cell)
    if amount is None:
        return text_of(cell)
    unit = form.unit(at)
    raw = text_of(cell)
    if unit is None and form.places is None:
        return raw if raw.endswith("元") else f"{raw}元"
    if unit is None and raw[-1:] in "万亿":
        unit = f"{raw[-1]}元"
    chosen: MoneyUnit = unit if unit in ("元", "万元", "亿元") else "元"  # type: ignore[assignment]
    places = form.places
    if places is None:
        return format_money(amount, chosen, 2 if chosen == "亿元" else None)
    return format_money(amount, chosen, places)


def _clause(text: str, word: str, form: Form) -> str:
    """Amounts named together with a word in a judgment, 违约金94160元 and the like."""
    found = re.findall(rf"{word}[^，。；,;\d]{{0,10}}([\d,]+(?:\.\d+)?)(万)?元", str(text))
    found = found or re.findall(rf"([\d,]+(?:\.\d+)?)(万)?元[^，。；\d]{{0,4}}{word}", str(text))
    amounts = [Decimal(number.replace(",", "")) * (10000 if ten else 1) for number, ten in found]
    return "、".join(format_money(amount, "元", form.places) for amount in dict.fromkeys(amounts))


def _shown(told: Told, cell: Cell, form: Form) -> str:
    concept = told.wanted.concept
    if concept.startswith("clause:"):
        return _clause(text_of(cell), concept.removeprefix("clause:"), form) or "判决结果未载明"
    if concept == "laws":
        laws = list(dict.fromkeys(re.findall(r"《[^《》]+》(?:第[^，。；、]{1,8}条)?", text_of(cell))))
        return "、".join(laws) if laws else text_of(cell)
    if cell is None:
        return "数据包未收录"
    if concept == "net_raised" and known(cell):
        return f"{text_of(cell)}万元"
    if concept in _MONEY:
        return money(cell, form, told.wanted.at)
    if concept == "rank" and known(cell):
        return f"第{text_of(cell)}名"
    if concept == "ratio" and known(cell):
        return f"{text_of(cell)}%"
    if concept in _COUNTED and known(cell):
        return f"{text_of(cell)}{told.wanted.unit or _COUNTED[concept]}"
    return text_of(cell)


def _of(found: Findings, told: Told, item: Item, label: str) -> str:
    """Whose attribute is told, and which: X的注册资本, Y对X的投资金额, X登记地址所在区县."""
    frame = found.plan.frames[told.frame]
    if frame.kind == "place":
        place = describe(found, told.frame)
        return f"{item.name}的{label}" if frame.entity is not None else f"{place.removesuffix('区县')}{label}"
    if frame.kind in CASE_ROWS or frame.kind == "case":
        return f"{case_name(item)}的{label}"
    if told.wanted.concept in ("invested", "ratio", "link"):
        sub, parent = _pair(item, frame.relation == "parent")
        return f"{parent}对{sub}的{label}"
    return f"{item.name}的{label}"


def _pair(item: Item, is_parent: bool) -> tuple[str, str]:
    """(subsidiary, parent) of a holding; a parent nobody named is the listed company."""
    above = item.origin
    while above is not None and above.name == item.name:
        above = above.origin
    if is_parent:
        return (above.name if above is not None else "该公司"), item.name
    named = str(item.row.get("关联上市公司全称") or "").strip()
    return item.name, named or (above.name if above is not None and "公司" in above.name else "上市公司")


def _sentence(found: Findings, told: Told, form: Form) -> str:
    frame = found.plan.frames[told.frame]
    subject = describe(found, told.frame)
    label = label_of(frame, told.wanted.concept)
    match told.wanted.kind:
        case "identity":
            if frame.entity is not None and frame.entity.kind in ("credit", "stock", "short"):
                subject = f"{frame.entity.name}对应的公司"
            return (
                f"{subject}是{'、'.join(text_of(cell) for _, cell in told.cells)}"
                if told.cells
                else f"未查到{subject}"
            )
        case "count":
            return _counted(found, told, subject)
        case "sum" | "average" | "spread":
            figure = FIGURES[told.wanted.kind]
            whole = figure.of([cell for _, cell in told.cells]) or Decimal(0)
            return f"{subject}的{label}{figure.called}为{_total(whole, form, told.wanted.at)}"
        case "listed":
            return (
                "，".join(f"{item.name}{'是' if cell else '不是'}上市公司" for item, cell in told.cells)
                or f"未查到{subject}"
            )
        case "days":
            return (
                "，".join(_gap(item, cell, told.wanted.unit) for item, cell in told.cells)
                or f"未查到{subject}的两个日期"
            )
        case _:
            if not told.cells:
                return f"未查到{subject}的{label}"
            if len(told.cells) == 1:
                item, cell = told.cells[0]
                if told.wanted.concept == "number":
                    return f"{subject}的案号是{_shown(told, cell, form)}"
                return f"{_of(found, told, item, label)}是{_shown(told, cell, form)}"
            if told.wanted.concept == "number":
                return f"{subject}的案号是{'、'.join(text_of(cell) for _, cell in told.cells)}"
            parts = [f"{item.name}：{_shown(told, cell, form)}" for item, cell in told.cells[:LONGEST_LIST]]
            text = f"{subject}的{label}分别是{'、'.join(parts)}"
            amount = total([cell for _, cell in told.cells]) if told.wanted.concept in _MONEY else None
            return text if amount is None else f"{text}，合计{_total(amount, form, told.wanted.at)}"


def _total(amount: Decimal, form: Form, at: int) -> str:
    unit = form.unit(at) or "元"
    chosen: MoneyUnit = unit if unit in ("元", "万元", "亿元") else "元"  # type: ignore[assignment]
    places = form.places if form.places is not None else 2 if chosen == "亿元" else None
    return format_money(amount, chosen, places)


def _counted(found: Findings, told: Told, subject: str) -> str:
    frame = found.plan.frames[told.frame]
    unit = told.wanted.unit or _UNIT_OF.get(frame.kind, "次")
    doubt = "（数据包未收录完整名单，按已收录记录计）" if told.frame in found.doubtful else ""
    text = f"{subject}共{told.number}{unit}{doubt}"
    if frame.kind not in CASE_ROWS and told.cells and len(told.cells) <= LONGEST_LIST:
        text += f"：{'、'.join(text_of(cell) for _, cell in told.cells)}"
    return text


def _gap(item: Item, days: Cell, unit: str) -> str:
    """From one day to another in days, or in years as the difference of the years."""
    first, second = days
    one, two = date_of(first), date_of(second)
    assert one is not None and two is not None
    apart = abs(two[0] - one[0]) if unit == "年" else abs((date(*two) - date(*one)).days)
    return f"{case_name(item)}从{first}到{second}相差{apart}{unit}"


def answer(found: Findings | None, question: str) -> tuple[str, str]:
    """(res, summary)."""
    if found is None:
        return "题目中没有可以识别的实体，无法查询。", "题目中没有可以识别的实体，无法查询。"
    form = form_of(found.plan.text or question)
    numbered = {told.frame for told in found.told if told.wanted.concept == "number" and told.cells}
    stated = [told for told in found.told if told.wanted.kind != "identity" or told.frame not in numbered]
    sentences = [_sentence(found, told, form) for told in stated]
    res = "；".join(dict.fromkeys(sentences)) + "。"
    return res, f"{res}\n经过：{'；'.join(_findings(found))}。"


def _findings(found: Findings) -> list[str]:
    """What each frame brought, in order, amounts both as they stand and in yuan."""
    lines: list[str] = []
    for number, frame in enumerate(found.plan.frames):
        items = found.items[number] if number < len(found.items) else []
        if not items:
            continue
        noun = called(frame.relation, "") or ("起点" if frame.entity else called(frame.kind, frame.kind))
        shown = [_detail(found, frame, item) for item in _unique(items)[:LONGEST_LIST]]
        more = f"等{len(items)}项" if len(items) > LONGEST_LIST else ""
        lines.append(
            f"{noun}：{'，'.join(shown)}{more}"
            + (f"（共{len(items)}次）" if frame.hop is None and frame.entity is None and len(items) > 1 else "")
        )
    return lines


def _unique(items: list[Item]) -> list[Item]:
    return list({(item.name, id(item.row) if item.row else 0): item for item in items}.values())


def _detail(found: Findings, frame: Any, item: Item) -> str:
    if frame.kind == "place":
        row = item.row
        return f"{item.name}（{row['省份']}{row['城市']}{row['区县']}）"
    cells: list[str] = []
    columns = {AMOUNT_COLUMN[frame.kind], "未履行金额（元）"} if frame.kind in CASE_ROWS else set()
    for modifier in frame.modifiers:
        for source in ATTRIBUTES.get(frame.kind, {}).get(concept_of(frame, modifier), ()):
            columns.add(source.column)
    if frame.relation in ("sub", "parent"):
        columns |= {"上市公司投资金额", "上市公司参股比例"}
    for column, cell in item.row.items():
        if column in columns and known(cell):
            amount = money_of(cell) if "金额" in column or "标的" in column or "资本" in column else None
            text = text_of(cell)
            cells.append(f"{column}{text}" + (f"即{_both(amount, text)}" if amount is not None else ""))
        elif frame.kind in CASE_ROWS and "日期" in column and known(cell):
            cells.append(f"{column}{text_of(cell)}")
        elif column in (
            "行政处罚公司名称",
            "限制高消费企业名称",
            "终本公司名称",
            "失信被执行公司名称",
            "执行法院",
        ) and known(cell):
            cells.append(text_of(cell))
    return item.name + (f"（{'，'.join(cells)}）" if cells else "")


def _both(amount: Decimal, raw: str) -> str:
    """An amount in yuan and in the unit it stands in."""
    plain = format_money(amount, "元", None)
    if raw[-1:] in "万亿":
        return f"{raw}元，{plain}"
    return f"{plain}，{format_money(amount.quantize(Decimal('0.01'), ROUND_HALF_UP), '元', 2)}"
