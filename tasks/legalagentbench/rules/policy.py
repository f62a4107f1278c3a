"""The policy `rules`: no model, no memory. Each move runs the solver from the start on the recorded results.

The first call that has no result yet is the action. The plan is published once, in the first move; every call is
preceded by one visible sentence.

The answer says the way to it, and every value asked for in the form that the question wants; its summary adds what
was found on the way.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import cast

from store.text.dates import days_between
from store.text.money import MoneyUnit, format_money
from tasks.episode.events import Planned, Record, Thought, ToolReturned
from tasks.episode.seats import Answer, CallTool, Move, View, emit
from tasks.legalagentbench.construct.follow import MEASURES, ROWS_OF
from tasks.legalagentbench.construct.tree import IDENTITY, PLACE
from tasks.legalagentbench.rules.execute import (
    CallOutcome,
    Cell,
    PlanExecution,
    PlannedCall,
    StepResult,
    StepRow,
    Tools,
    amount,
    day,
    known,
    name_of,
    values,
    walk,
)
from tasks.legalagentbench.rules.names import NameIndex, tidy
from tasks.legalagentbench.rules.question import MONEY, is_writing, read
from tasks.legalagentbench.rules.search import OWN_FIRM, LookupPlan, LookupStep, Plans, RowOperation

LONGEST_LIST = 60
NOTHING_NAMED = "题目中没有可以识别的实体，无法查询。"
NO_WRITING = "规则只查表和计算，不撰写法律文书。"

_PLACES = re.compile(
    r"(?:保留|取|留|精确|小数点后|小数)(?:到|至)?(?:小数点)?(?:后|面)*(?:保留|取|留)?(?P<digit>[两二2一1三3四4])位"
    r"|(?P<digits>[两二2一1三3四4])位小数|(?P<cent>到分|角分)|(?P<whole>整数|取整|不[要留带]小数)"
)
_UNITS = re.compile(
    r"(?:多少|几|单位(?:为|是|：|:)?|以|按|用|折成|折合|换算成)(?:人民币)?(亿元|万元|亿|万|元)|（(亿元|万元|元)"
)
_DIGITS = {"两": 2, "二": 2, "2": 2, "一": 1, "1": 1, "三": 3, "3": 3, "四": 4, "4": 4}
_LAW = re.compile(r"《[^《》]+》(?:第[零一二三四五六七八九十百千\d]+条)?")


@dataclass(frozen=True, slots=True)
class AmountFormat:
    """How amounts are to be written: digits after the point, and the units with where they stand."""

    places: int | None
    units: tuple[tuple[int, MoneyUnit], ...]

    @classmethod
    def of(cls, text: str) -> AmountFormat:
        """The form that a tidy question asks for."""
        match = _PLACES.search(text)
        digit = match and (match["digit"] or match["digits"])
        places = None if match is None else _DIGITS[digit] if digit else 2 if match["cent"] else 0
        units = [(one.start(), one[1] or one[2]) for one in _UNITS.finditer(text)]
        return cls(places, tuple((at, cast(MoneyUnit, unit.removesuffix("元") + "元")) for at, unit in units))

    def money(self, value: Decimal, raw: str, at: int) -> str:
        """An amount in the unit asked for after a place in the question, or anywhere."""
        after = [unit for place, unit in self.units if place >= at]
        own: MoneyUnit = cast(MoneyUnit, f"{raw[-1]}元") if raw[-1:] in ("万", "亿") else "元"
        unit = after[0] if after else self.units[-1][1] if self.units else own
        return format_money(value, unit, self.places if self.places is not None else 2 if unit == "亿元" else None)


FIGURES: Mapping[str, tuple[str, Callable[[Sequence[Decimal]], Decimal]]] = {
    "sum": ("合计", sum),  # type: ignore[dict-item]
    "average": ("平均", lambda amounts: sum(amounts, Decimal()) / len(amounts)),
    "spread": ("最高与最低相差", lambda amounts: max(amounts) - min(amounts)),
}
"""Operation -> what it is called, and the figure it makes of amounts."""


def answer(walked: PlanExecution, text: str) -> tuple[str, str]:
    """(res, summary) of a plan that was carried out for a tidy question."""
    form = AmountFormat.of(text)
    way = _way(walked)
    said: list[str] = []
    for at, reached in enumerate(walked.reached):
        step = walked.plan.steps[at]
        said += [_said(walked, at, step, reached, ask, form) for ask in step.asks if ask.how != "order"]
    if len(walked.reached) < len(walked.plan.steps):
        said.append(f"未查到{_label(walked, len(walked.reached) - 1)}，无法继续")
    res = "；".join(dict.fromkeys([*way, *said])) + "。"
    return res, f"{res}\n经过：{'；'.join(_details(walked))}。"


def _way(walked: PlanExecution) -> list[str]:
    """The things through which the path went, where it is one at a time."""
    named: list[str] = []
    for at, step in enumerate(walked.plan.steps):
        if step.parent < 0 or at >= len(walked.reached) or step.link == PLACE:
            continue
        rows = walked.reached[step.parent].picked
        before = walked.plan.steps[step.parent]
        things = list(dict.fromkeys("".join(value) for row in rows for value in values(row, before.table, step.link)))
        if len(things) == 1 and things[0] not in walked.plan.entity.values:
            named.append(f"{step.link}是{things[0]}")
    return named


def _about(walked: PlanExecution, at: int) -> str:
    """What a step is asked with."""
    step = walked.plan.steps[at]
    if step.parent < 0:
        return walked.plan.entity.name
    rows = walked.reached[step.parent].picked
    things = [thing for row in rows[:1] for thing in values(row, walked.plan.steps[step.parent].table, step.link)]
    return "".join(dict.fromkeys(things[0])) if things and len(rows) == 1 else "各对象"


def _label(walked: PlanExecution, at: int) -> str:
    """What the rows of a step are called."""
    return f"{_about(walked, at)}的{NOUNS[walked.plan.steps[at].table]}"


NOUNS = {
    "CompanyInfo": "上市公司信息",
    "CompanyRegister": "工商登记",
    "SubCompanyInfo": "投资关系",
    "LegalDoc": "裁判文书",
    "CourtInfo": "法院",
    "CourtCode": "法院代字",
    "LawfirmInfo": "律师事务所",
    "LawfirmLog": "律所业务记录",
    "AddrInfo": "地址信息",
    "LegalAbstract": "文书摘要",
    "RestrictionCase": "限制高消费案件",
    "FinalizedCase": "终本案件",
    "DishonestyCase": "失信被执行案件",
    "AdministrativeCase": "行政处罚",
}
"""Table -> what its rows are called in an answer and a plan."""


def _said(
    walked: PlanExecution, at: int, step: LookupStep, reached: StepResult, ask: RowOperation, form: AmountFormat
) -> str:
    label = _label(walked, at)
    if ask.how == "listed":
        if step.parent >= 0 and len(walked.reached[step.parent].picked) > 1:
            listed = list(dict.fromkeys(name_of(found, step.table) for found in reached.rows))
            return f"其中{len(listed)}{ask.value or '家'}是上市公司：{'、'.join(listed) or '没有'}"
        return f"{_about(walked, at)}{'是' if reached.rows else '不是'}上市公司"
    if ask.how == "count":
        number = len({name_of(found, step.table) for found in reached.rows}) if _distinct(step) else len(reached.rows)
        doubt = "" if reached.complete else "（数据包未收录完整名单，按已收录记录计）"
        return f"{label}共{number}{ask.value or ROWS_OF.get(step.table, '个')}{doubt}"
    if not reached.picked:
        return f"未查到{label}"
    if ask.how in FIGURES:
        called, figure = FIGURES[ask.how]
        amounts = [value for found in reached.rows if (value := amount(found.cells.get(ask.column))) is not None]
        if not amounts:
            return f"{label}没有可以计算的{ask.column}"
        return f"{label}的{ask.column}{called}{form.money(figure(amounts), '', ask.at)}"
    if ask.how in ("days", "years"):
        return "，".join(_gap(found, ask) for found in reached.picked)
    ordered = _ordered(reached.picked, step)
    if ask.how == "laws":
        return "、".join(
            dict.fromkeys(law for found in ordered for law in _LAW.findall(str(found.cells[ask.column])))
        )
    if ask.column == OWN_FIRM:
        cells = [name for found in ordered for (name,) in values(found, step.table, OWN_FIRM)] or ["-"]
    else:
        cells = [written(found.cells.get(ask.column), step.table, ask, form) for found in ordered]
    if len(cells) > 1:
        cells = list(dict.fromkeys(cells)) if ask.column == IDENTITY[step.table] else cells
    text = f"{label}的{ask.column}{'是' if len(cells) == 1 else '分别是'}{'、'.join(cells[:LONGEST_LIST])}"
    amounts = [value for found in ordered if (value := amount(found.cells.get(ask.column))) is not None]
    if len(amounts) > 1 and f"{step.table}.{ask.column}" in MONEY:
        text += f"，合计{form.money(sum(amounts, Decimal()), '', ask.at)}"
    return text


def _distinct(step: LookupStep) -> bool:
    return step.table in ("CourtInfo", "LawfirmInfo", "SubCompanyInfo")


def _ordered(rows: Sequence[StepRow], step: LookupStep) -> list[StepRow]:
    """Rows by the day that an order asks for; else as found."""
    column = next((ask.column for ask in step.asks if ask.how == "order"), "")
    if not column:
        return list(rows)
    return sorted(rows, key=lambda found: str(day(found.cells.get(column)) or ""))


def _gap(found: StepRow, ask: RowOperation) -> str:
    """From one day to another in days, or in years as the difference of the years."""
    first, second = day(found.cells.get(ask.column)), day(found.cells.get(ask.value))
    if first is None or second is None:
        return f"{ask.column}或{ask.value}没有记载"
    apart = abs(first.year - second.year) if ask.how == "years" else abs(days_between(first, second))
    return f"{ask.column}与{ask.value}相差{apart}{'年' if ask.how == 'years' else '天'}"


def written(cell: Cell, table: str, ask: RowOperation, form: AmountFormat) -> str:
    """A cell as an answer writes it."""
    if cell is None or not known(cell):
        return "-" if cell is None else str(cell).strip() or "-"
    column = ask.column
    value = amount(cell)
    if value is not None and (f"{table}.{column}" in MONEY or MEASURES.get(column, "").startswith("元")):
        return form.money(value, str(cell).strip(), ask.at)
    if column in MEASURES:
        mark = MEASURES[column]
        return f"第{cell}名" if mark == "第" else f"{cell}{mark}"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def _details(walked: PlanExecution) -> list[str]:
    """What each step brought: names, case numbers, days and amounts as they stand."""
    lines: list[str] = []
    for at, reached in enumerate(walked.reached):
        step = walked.plan.steps[at]
        shown = ["，".join(f"{k}{_plain(v)}" for k, v in found.cells.items() if known(v)) for found in reached.picked]
        lines.append(f"{_label(walked, at)}：{'；'.join(shown[:LONGEST_LIST]) or '没有'}")
        if len(reached.rows) > 1:
            lines.append(f"共{len(reached.rows)}{ROWS_OF.get(step.table, '个')}")
    return lines


def _plain(cell: Cell) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()


_REMEMBERED = 64


class RulesPolicy:
    """Plans over the tree of look-ups and answers in Chinese sentences."""

    name = "rules/1"

    def __init__(self, names: NameIndex) -> None:
        self._names = names
        self._plans: OrderedDict[str, Plans] = OrderedDict()

    def move(self, view: View) -> Move:
        """The next call, or the answer."""
        question = str(view.card.get("question", ""))
        found = () if is_writing(question) else self._plans_of(question)
        best = next(iter(found), None)
        outcomes = _outcomes(view.history)
        if not outcomes:
            steps, tools = describe(best) if best else ((_reason(question),), ("",))
            yield from emit(Planned(seat=view.seat, steps=steps, tools=tools))
        if best is None:
            return Answer(_reason(question), _reason(question))
        action = _replay(solve(found), outcomes)
        if isinstance(action, PlannedCall):
            yield from emit(Thought(seat=view.seat, text=action.why))
            return CallTool(action.tool, action.input)
        yield from emit(Thought(seat=view.seat, text="所需信息已查完，整理答案。"))
        return Answer(*answer(action, tidy(question)))

    def _plans_of(self, question: str) -> Plans:
        """Plans are a pure function of question and names, so they may be remembered."""
        if question not in self._plans:
            self._plans[question] = Plans(read(question, self._names))
            while len(self._plans) > _REMEMBERED:
                self._plans.popitem(last=False)
        return self._plans[question]


def solve(found: Iterable[LookupPlan]) -> Generator[PlannedCall, CallOutcome, PlanExecution]:
    """Carry out plans, cheapest first, until one finds rows at every step.

    A count of nothing is an answer too: it stands where no plan of the same cost finds rows. Else the plan that came
    furthest is taken.
    """
    tools = Tools()
    best: PlanExecution | None = None
    for plan in found:
        if best is not None and best.counted and plan.cost > best.plan.cost:
            break
        walked = yield from walk(plan, tools)
        if walked.whole:
            return walked
        if best is None or _rank(walked) > _rank(best):
            best = walked
    assert best is not None
    return best


def _rank(walked: PlanExecution) -> tuple[bool, bool, int]:
    """Whether a plan counts to nothing, whether it came to its last step, and how many steps found rows."""
    return walked.counted, len(walked.reached) == len(walked.plan.steps), walked.depth


_PICKS = {
    "max": "取最大",
    "min": "取最小",
    "second": "取第二大",
    "latest": "取最晚",
    "earliest": "取最早",
    "mode": "取次数最多",
}
_FILTERS = {
    "year": "按年份筛选",
    "since": "按年份筛选",
    "above": "按金额筛选",
    "below": "按金额筛选",
    "role": "按诉讼地位筛选",
    "whole": "筛选全资子公司",
    "contains": "按名称筛选",
}


def describe(plan: LookupPlan) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(steps, tools) of a plan for the screen."""
    steps = [f"起点：{plan.entity.name}", *map(_step, plan.steps)]
    return tuple(steps), ("", *(step.tool for step in plan.steps))


def _step(step: LookupStep) -> str:
    through = "" if step.parent < 0 else f"经{'所在区县' if step.link == PLACE else step.link}"
    marks = [_FILTERS[one.operator] for one in step.filters]
    if step.pick is not None:
        marks.append(
            f"按{step.pick.columns[0]}{_PICKS[step.pick.operator]}" if step.pick.columns[0] else "取次数最多"
        )
    return "，".join([f"{through}查{NOUNS[step.table]}", *dict.fromkeys(marks)])


def _reason(question: str) -> str:
    return NO_WRITING if is_writing(question) else NOTHING_NAMED


def _outcomes(history: Sequence[Record]) -> list[CallOutcome]:
    return [
        CallOutcome(record.event.status, record.event.value, record.event.complete)
        for record in history
        if isinstance(record.event, ToolReturned)
    ]


def _replay(
    work: Generator[PlannedCall, CallOutcome, PlanExecution], outcomes: Sequence[CallOutcome]
) -> PlannedCall | PlanExecution:
    """Runs the solver on the recorded results; what it asks for next, or what it found."""
    try:
        call = next(work)
        for outcome in outcomes:
            call = work.send(outcome)
    except StopIteration as stop:
        found: PlanExecution = stop.value
        return found
    work.close()
    return call
