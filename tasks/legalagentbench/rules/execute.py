"""Carries a plan out through the tools. A generator: yields `PlannedCall`s, is sent `CallOutcome`s, and returns what
was found.

Nothing here reads the question: only steps, their filters and picks.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from store.schema import LOOKUPS, TABLES
from store.text.dates import parse_date
from store.text.money import parse_money
from tasks.legalagentbench.construct.source import WalkRejected, missing
from tasks.legalagentbench.construct.tree import IDENTITY, PLACE, PLACES, court_code, matched
from tasks.legalagentbench.rules.question import Mention
from tasks.legalagentbench.rules.search import OWN_FIRM, SIDE_FIRMS, LookupPlan, LookupStep
from tasks.legalagentbench.tools import UNKNOWN_CELL

MOST_CALLS = 200
MOST_COLUMNS = 5
"""Columns that the published parser lets a call ask for; a call without columns asks for all."""
_WHOLE = 100
"""Per cent of a wholly owned subsidiary."""

_READ = {OWN_FIRM: ("原告", "被告", *SIDE_FIRMS)}
"""Link that is no column -> the columns it is read from."""

Cell = Any
"""A cell of a corpus table: text, number or nothing, mixed within a column as upstream has it."""


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A tool call and the sentence that says why."""

    tool: str
    input: Mapping[str, Cell]
    why: str


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """What came back."""

    status: str
    value: Cell = None
    complete: bool = True


@dataclass(frozen=True)
class StepRow:
    """A row of a step, what it was asked with, and the row that led there."""

    cells: Mapping[str, Cell]
    asked: tuple[str, ...]
    origin: StepRow | None = None


@dataclass
class StepResult:
    """What a step found: all rows that pass its filters, and those it picks of them."""

    rows: list[StepRow] = field(default_factory=list)
    picked: list[StepRow] = field(default_factory=list)
    complete: bool = True


@dataclass
class PlanExecution:
    """A plan carried out. reached: by step, as far as it led."""

    plan: LookupPlan
    reached: list[StepResult] = field(default_factory=list)

    @property
    def depth(self) -> int:
        """Steps that found rows."""
        return sum(bool(one.picked) for one in self.reached)

    @property
    def whole(self) -> bool:
        """Whether every step found rows."""
        return len(self.reached) == len(self.plan.steps) == self.depth

    @property
    def counted(self) -> bool:
        """Whether all but the last step found rows, and of the last one it is asked how many there are."""
        last = self.plan.steps[-1]
        came = len(self.reached) == len(self.plan.steps) == self.depth + 1 and not self.reached[-1].rows
        return came and any(ask.how in ("count", "listed") for ask in last.asks)


Asking = Generator[PlannedCall, CallOutcome, CallOutcome]


class Tools:
    """Calls tools for one task: the same call is made once, and none beyond the budget."""

    def __init__(self) -> None:
        self._known: dict[str, CallOutcome] = {}

    def call(self, tool: str, given: Mapping[str, Cell], why: str) -> Asking:
        """The outcome of a call."""
        key = json.dumps([tool, given], ensure_ascii=False, sort_keys=True)
        if key not in self._known:
            if len(self._known) >= MOST_CALLS:
                return CallOutcome("outside_pack", None, False)
            self._known[key] = yield PlannedCall(tool, given, why)
        return self._known[key]


def walk(plan: LookupPlan, tools: Tools) -> Generator[PlannedCall, CallOutcome, PlanExecution]:
    """Carry out a plan until a step that others need finds nothing."""
    walked = PlanExecution(plan)
    for at, step in enumerate(plan.steps):
        reached = StepResult()
        walked.reached.append(reached)
        for asked, origin in _things(walked, step):
            given = _identified(step, asked)
            if given is None:
                continue
            columns = _columns(plan, at)
            outcome = yield from tools.call(step.tool, {**given, "columns": columns}, _why(step, asked))
            reached.complete &= outcome.complete and outcome.status != "outside_pack"
            rows = outcome.value if isinstance(outcome.value, list) else [outcome.value]
            for row in rows:
                if isinstance(row, str) and LOOKUPS[step.tool].shape == "name":
                    row = {LOOKUPS[step.tool].gives: row}
                if isinstance(row, dict):
                    reached.rows.append(StepRow(row, asked, origin))
        reached.rows = [found for found in reached.rows if all(_passes(found, one) for one in step.filters)]
        reached.picked = _picked(reached.rows, step.pick, _followed(plan, at))
        needed = any(later.parent == at for later in plan.steps)
        if needed and not reached.picked:
            break
    return walked


def _things(walked: PlanExecution, step: LookupStep) -> list[tuple[tuple[str, ...], StepRow | None]]:
    """What a step asks its tool with, each once, and where it comes from."""
    if step.parent < 0:
        return [(walked.plan.entity.values, None)]
    things: dict[tuple[str, ...], StepRow] = {}
    for found in walked.reached[step.parent].picked:
        for value in values(found, walked.plan.steps[step.parent].table, step.link):
            things.setdefault(value, found)
    return list(things.items())


def values(found: StepRow, table: str, link: str) -> list[tuple[str, ...]]:
    """The things to which a row leads by a link; parties and firms that stand together are several."""
    if link == PLACE:
        parts = tuple(str(found.cells.get(column) or "") for column in PLACES[table])
        return [parts] if all(map(known, parts)) else []
    cell = found.cells.get(link)
    if link == OWN_FIRM:
        sides = [side for side in SIDE_FIRMS if known(found.cells.get(side))]
        own = [side for side in sides if set(found.asked) & {*str(found.cells.get(side[:2])).split(",")}]
        cell = found.cells[(own or sides)[0]] if sides else None
    if not known(cell):
        return []
    names = str(cell).split(",") if table == "LegalDoc" and link != "案号" else [str(cell)]
    return [(name.strip(),) for name in names if known(name)]


def _identified(step: LookupStep, asked: tuple[str, ...]) -> dict[str, str] | None:
    """The identifying part of a tool's input."""
    lookup = LOOKUPS[step.tool]
    if step.via:
        with suppress(WalkRejected):
            return {lookup.parameters[0]: court_code(asked[0])}
        return None
    return dict(zip(lookup.parameters, asked, strict=True))


def _columns(plan: LookupPlan, at: int) -> list[str]:
    """What a step must read: the name of its rows, links, picks, filters and what is asked; all when that is much."""
    step = plan.steps[at]
    if LOOKUPS[step.tool].shape == "name":
        return []
    wanted = [IDENTITY[step.table], matched(step.tool, step.via or step.opened)]
    for operation in (*step.filters, *([step.pick] if step.pick else ())):
        wanted += operation.columns
        wanted += (operation.value,) if operation.operator == "role" else ()
    for ask in step.asks:
        wanted += (ask.column, ask.value, *_READ.get(ask.column, ()))
    for later in plan.steps:
        if later.parent == at:
            wanted += PLACES[step.table] if later.link == PLACE else _READ.get(later.link, (later.link,))
    kept = list(dict.fromkeys(column for column in wanted if column in TABLES[step.table]))
    return kept if len(kept) <= MOST_COLUMNS else []


def _followed(plan: LookupPlan, at: int) -> str:
    """The column by which the path goes on, or that is asked: of what the most frequent is meant."""
    for later in plan.steps:
        if later.parent == at:
            return later.link
    return next((ask.column for ask in plan.steps[at].asks if ask.how == "column"), "")


def _why(step: LookupStep, asked: tuple[str, ...]) -> str:
    about = f"案号{asked[0]}中的法院代字" if step.via else f"“{''.join(dict.fromkeys(asked))}”"
    return f"用{step.tool}查{about}。"


def known(cell: Cell) -> bool:
    """Whether a cell says something."""
    return not missing(cell) and str(cell).strip() not in ("nan", UNKNOWN_CELL)


def amount(cell: Cell) -> Decimal | None:
    """A cell as a number: yuan, percent, a count."""
    return parse_money(cell.rstrip("%％") if isinstance(cell, str) else cell) if known(cell) else None


def day(cell: Cell) -> date | None:
    """A cell as a day."""
    return parse_date(str(cell)) if known(cell) else None


def _passes(found: StepRow, test: Mention) -> bool:
    cell = found.cells.get(test.columns[0]) if test.columns else None
    match test.operator:
        case "year":
            when = day(cell)
            return when is not None and when.year == int(test.value)
        case "since":
            when = day(cell)
            return when is not None and when.year >= int(test.value)
        case "above" | "below":
            value, bound = amount(cell), Decimal(test.value)
            return value is not None and (value > bound if test.operator == "above" else value < bound)
        case "role":
            names = str(found.cells.get(test.value) or "").split(",")
            return bool(set(names) & {*found.asked})
        case "whole":
            return amount(cell) == _WHOLE
        case _:
            return any(test.value in str(each) for each in found.cells.values())


_ORDERS: Mapping[str, tuple[Callable[[Cell], Any], bool, int]] = {
    "max": (amount, True, 0), "min": (amount, False, 0), "second": (amount, True, 1),
    "latest": (day, True, 0), "earliest": (day, False, 0),
}  # fmt: skip
"""Pick -> how a cell is read, whether the greatest comes first, the place that is meant."""


def _picked(rows: list[StepRow], pick: Mention | None, followed: str) -> list[StepRow]:
    if pick is None:
        return rows
    if pick.operator == "mode":
        counts = Counter(str(found.cells.get(followed)) for found in rows if known(found.cells.get(followed)))
        most = counts.most_common(1)
        return [found for found in rows if str(found.cells.get(followed)) == most[0][0]] if most else []
    reads, greatest, place = _ORDERS[pick.operator]
    keyed = [(value, found) for found in rows if (value := reads(found.cells.get(pick.columns[0]))) is not None]
    ranks = sorted({value for value, _ in keyed}, reverse=greatest)
    if not keyed:
        return rows if len(rows) == 1 else []
    chosen = ranks[min(place, len(ranks) - 1)]
    return [found for value, found in keyed if value == chosen][:1]


def name_of(found: StepRow, table: str) -> str:
    """What a row is called."""
    cell = found.cells.get(IDENTITY[table])
    return str(cell).strip() if known(cell) else ""
