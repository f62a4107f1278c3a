"""Follows a plan from one entity over a source: every call, every value on the way, the answer's keys, or
Rejected."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from store.schema import LOOKUPS
from store.text.dates import parse_date
from tasks.legalagentbench.construct.plans import Plan, PlanRequest, PlanStep
from tasks.legalagentbench.construct.source import Record, Source, WalkRejected, missing, number, written
from tasks.legalagentbench.construct.tree import AMOUNTS, IDENTITY, PLACE, PLACES, court_code

_PARTIES = ("原告", "被告", "原告律师事务所", "被告律师事务所")
_ENFORCED = re.compile(r"执[^\d号]{0,2}\d+号")
"""A case number of an enforcement: its parties are 申请执行人 and 被执行人, whatever the columns of a document
say."""
_LAW = re.compile(r"《[^》]+》第[零一二三四五六七八九十百千]+条")
MOST_ROWS = 60
MOST_NAMES = 6
MEASURES: dict[str, str] = {
    "参保人数": "名", "业务量排名": "第", "服务已上市公司": "家", "报告期间所服务上市公司违规事件": "次",
    "报告期所服务上市公司接受立案调查": "次", "首发价格（元）": "元2",
}  # fmt: skip
"""Column -> how its value is written in a key, where that is not the cell itself."""
ROWS_OF: dict[str, str] = {
    "SubCompanyInfo": "家", "CourtInfo": "家", "LawfirmInfo": "家", "RestrictionCase": "次", "FinalizedCase": "次",
    "DishonestyCase": "次", "AdministrativeCase": "次", "LegalDoc": "件",
}  # fmt: skip
"""Table -> the measure word of its rows."""


@dataclass
class PlanResult:
    """What following a plan gives. shapes: how each key is written, for the wording; ask: the request with its value;
    about: what the last step is asked with."""

    ask: PlanRequest
    about: str = ""
    calls: list[tuple[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    shapes: list[str] = field(default_factory=list)
    middle: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)


def follow(plan: Plan, start: Sequence[str], source: Source, pick: Callable[[Sequence[str]], str]) -> PlanResult:
    """Follow a plan.

    Args:
        plan: the path.
        start: the entity: one value, or province, city and county.
        source: where the rows are.
        pick: chooses one of several values (a year, a bound).

    Raises:
        Rejected: the path breaks off, or has more than one reading.
    """
    made, value = PlanResult(plan.ask, seen=set(start)), tuple(start)
    for step in plan.steps:
        last = step is plan.steps[-1]
        made.about = "".join(dict.fromkeys(value))
        rows = _rows(step, value, source, plan.ask if last else None, made)
        if last and step.many and not step.pick:
            _over(rows, step, made, pick)
            return made
        row = _one(rows, step, made)
        if last:
            _columns(row, step, made)
            return made
        value = linked(row, step)
        if set(value) <= made.seen:
            raise WalkRejected("the path returns to where it was")
        made.seen.update(value)
        made.middle.append("".join(dict.fromkeys(value)))
    raise AssertionError("a plan has steps")


def cited_laws(text: str) -> list[str]:
    """Distinct citations 《法名》第X条 of a text, in order."""
    return list(dict.fromkeys(_LAW.findall(text)))


def _rows(
    step: PlanStep, value: tuple[str, ...], source: Source, ask: PlanRequest | None, made: PlanResult
) -> list[Record]:
    given = (court_code(value[0]),) if step.via else value
    if given != value:
        made.middle.append(given[0])
    found = source.find(step.tool, given)
    if found is None or source.hidden(step.tool, given[0]):
        raise WalkRejected("outside the source, or rows that the tool passes over")
    if not found or len(found) > (MOST_ROWS if step.many else 1):
        raise WalkRejected(f"{len(found)} rows")
    parameters = dict(zip(LOOKUPS[step.tool].parameters, given, strict=True))
    made.calls.append((step.tool, {**parameters, "columns": _asked(step, ask)}))
    if not step.role:
        return found
    if any("," in str(row.get(step.role)) for row in found):
        raise WalkRejected("several parties in one cell")
    kept = [row for row in found if row.get(step.role) == value[0]]
    for row in kept:
        _party(row, step.role)
    return kept


def _asked(step: PlanStep, ask: PlanRequest | None) -> list[str]:
    if LOOKUPS[step.tool].shape == "name":
        return []
    columns = [step.role, step.pick.partition(":")[2]]
    columns += list(PLACES[step.table]) if step.link == PLACE else [step.link]
    columns += list(ask.columns) if ask else []
    return [c for c in dict.fromkeys(columns) if c] or [IDENTITY[step.table]]


def linked(row: Record, step: PlanStep) -> tuple[str, ...]:
    """What a row leads on to.

    Raises:
        Rejected: nothing, or several things.
    """
    columns = PLACES[step.table] if step.link == PLACE else (step.link,)
    _party(row, step.link)
    cells = tuple(row.get(column) for column in columns)
    texts = tuple(str(cell).strip() for cell in cells)
    if any(missing(c) or not isinstance(c, str) or c != t or "," in t for c, t in zip(cells, texts, strict=True)):
        raise WalkRejected("no single entity")
    return texts


def _party(row: Record, column: str) -> None:
    if column in _PARTIES and _ENFORCED.search(str(row.get("案号"))):
        raise WalkRejected("an enforcement has no plaintiff and no defendant")


def _one(rows: list[Record], step: PlanStep, made: PlanResult) -> Record:
    how, _, column = step.pick.partition(":")
    if how in ("", "only"):
        if len(rows) != 1:
            raise WalkRejected(f"{len(rows)} rows where one is meant")
        return rows[0]
    if len(rows) < 2:
        raise WalkRejected("too few rows to choose from")
    measure = _day if how in ("latest", "earliest") else _money
    ranked = sorted(((measure(row.get(column)), i) for i, row in enumerate(rows)), reverse=how in ("max", "latest"))
    if ranked[0][0] == ranked[1][0] or not ranked[0][0]:
        raise WalkRejected("a tie")
    cells = [row.get(column) for row in rows]
    made.calls.append(("get_rank", {"identifier": cells, "is_desc": str(how in ("max", "latest"))}))
    chosen = rows[ranked[0][1]]
    made.middle.append(str(chosen.get(column)))
    return chosen


def _money(cell: object) -> Decimal:
    return number(cell)


def _day(cell: object) -> Decimal:
    day = None if missing(cell) else parse_date(str(cell))
    if day is None:
        raise WalkRejected("no date")
    return Decimal(day.toordinal())


def _unit(yuan: Decimal) -> str:
    return "元2" if yuan < 1_000_000 else ("万元2" if yuan < 1_000_000_000 else "亿元2")


_DIVISORS = {"万元2": 10_000, "亿元2": 100_000_000}


def _keyed(made: PlanResult, value: object, shape: str) -> None:
    text = written(value, shape)
    if len(text) > 60 or text in made.keys:
        raise WalkRejected("a long key, or equal ones")
    made.keys.append(text)
    made.shapes.append(shape)


def _amount(made: PlanResult, yuan: Decimal, cell: object) -> None:
    if yuan <= 0:
        raise WalkRejected("no amount")
    shape = _unit(yuan)
    if shape in _DIVISORS:
        made.calls.append(("get_division", {"dividend": cell, "divisor": _DIVISORS[shape]}))
    _keyed(made, str(yuan), shape)


def _columns(row: Record, step: PlanStep, made: PlanResult) -> None:
    how = made.ask.how
    for column in made.ask.columns:
        _party(row, column)
    cells = [row.get(column) for column in made.ask.columns]
    if any(missing(cell) for cell in cells):
        raise WalkRejected("missing")
    if how == "laws":
        laws = cited_laws(str(cells[0]))
        if not 0 < len(laws) <= MOST_NAMES:
            raise WalkRejected("no citations")
        for law in laws:
            _keyed(made, law, "text")
    elif how == "years":
        days = [parse_date(str(cell)) for cell in cells]
        if days[0] is None or days[1] is None or days[1].year <= days[0].year:
            raise WalkRejected("no dates")
        made.calls.append(("get_subtraction", {"minuend": days[1].year, "subtrahend": days[0].year}))
        made.middle += [str(cell) for cell in cells]
        _keyed(made, f"{days[1].year - days[0].year}年", "text")
    elif how == "product":
        made.middle.append(str(cells[0]))
        bare = str(cells[0]).removesuffix("元").removesuffix("人民币")
        if not bare.endswith("万") or not bare[:-1].replace(".", "", 1).isdigit():
            raise WalkRejected("capital is not in 万")
        made.calls.append(("get_multiplication", [bare[:-1], 10_000]))
        _keyed(made, str(number(bare)), "元2")
    else:
        for column, cell in zip(made.ask.columns, cells, strict=True):
            if column in AMOUNTS.get(step.table, ()):
                _amount(made, number(cell), cell)
            else:
                shape = MEASURES.get(column, "plain" if isinstance(cell, int | float) else "text")
                if isinstance(cell, str) and ("," in cell or cell != cell.strip()):
                    raise WalkRejected("several values in one cell")
                _keyed(made, cell, shape)


def _over(rows: list[Record], step: PlanStep, made: PlanResult, pick: Callable[[Sequence[str]], str]) -> None:
    if not rows:
        raise WalkRejected("no rows")
    ask, table = made.ask, step.table
    column = ask.columns[0] if ask.columns else ""
    cells = [row.get(column) for row in rows]
    if ask.how in ("names", "order"):
        _names(rows, ask, made)
    elif ask.how == "count":
        _keyed(made, len(rows), ROWS_OF[table])
    elif ask.how == "year":
        years = Counter(str(_year(cell)) for cell in cells)
        if len(years) < 2:
            raise WalkRejected("one year only")
        made.ask = PlanRequest(ask.how, ask.columns, pick(sorted(years)))
        _keyed(made, years[made.ask.value], ROWS_OF[table])
    elif ask.how == "over":
        _above(cells, ROWS_OF[table], made, pick)
    else:
        _sums(cells, made)


def _year(cell: object) -> int:
    day = None if missing(cell) else parse_date(str(cell))
    if day is None:
        raise WalkRejected("no date")
    return day.year


def _names(rows: list[Record], ask: PlanRequest, made: PlanResult) -> None:
    if not 2 <= len(rows) <= MOST_NAMES:
        raise WalkRejected("too many or too few names")
    if ask.how == "order":
        days = [_day(row.get(ask.columns[0])) for row in rows]
        if len(set(days)) < len(days):
            raise WalkRejected("a tie")
        made.calls.append(("get_rank", {"identifier": [row.get(ask.columns[0]) for row in rows], "is_desc": "False"}))
        rows = [row for _, _, row in sorted(zip(days, range(len(rows)), rows, strict=True))]
    for row in rows:
        _keyed(made, row.get(ask.columns[-1]), "text")


def _above(cells: list[Any], measure: str, made: PlanResult, pick: Callable[[Sequence[str]], str]) -> None:
    amounts = [_money(cell) for cell in cells]
    bounds = [
        str(bound)
        for digits in range(4, 10)
        for bound in (10**digits, 2 * 10**digits, 5 * 10**digits)
        if min(amounts) < bound < max(amounts) and bound not in amounts
    ]
    if not bounds:
        raise WalkRejected("no bound between")
    made.ask = PlanRequest(made.ask.how, made.ask.columns, pick(bounds))
    made.calls.append(("get_rank", {"identifier": cells, "is_desc": "True"}))
    _keyed(made, sum(amount > int(made.ask.value) for amount in amounts), measure)


def _sums(cells: list[Any], made: PlanResult) -> None:
    amounts = [_money(cell) for cell in cells]
    how, ranked = made.ask.how, sorted(amounts, reverse=True)
    if len(amounts) < (3 if how == "second" else 2):
        raise WalkRejected("too few rows")
    if how in ("sum", "average"):
        made.calls.append(("get_sum", cells))
        total = sum(amounts, Decimal(0))
        if how == "average":
            made.calls.append(("get_division", {"dividend": float(total), "divisor": len(amounts)}))
            total /= len(amounts)
    else:
        made.calls.append(("get_rank", {"identifier": cells, "is_desc": "True"}))
        if ranked[0] == ranked[1] or (how == "second" and ranked[1] == ranked[2]):
            raise WalkRejected("a tie")
        total = {"max": ranked[0], "second": ranked[1], "spread": ranked[0] - ranked[-1]}[how]
        if how == "spread":
            pair = {"minuend": float(ranked[0]), "subtrahend": float(ranked[-1])}
            made.calls.append(("get_subtraction", pair))
            made.middle += [str(cells[amounts.index(amount)]) for amount in (ranked[0], ranked[-1])]
    _amount(made, total, float(total))
