"""A path with everything that is to be asked along it: steps, how a row is chosen of several, and the final request.

A plan is data that goes into the task file, so that whoever checks a task needs neither its question nor this code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter

from store.schema import LOOKUPS, TABLES
from tasks.legalagentbench.construct.tree import (
    AMOUNTS,
    DATES,
    IDENTITY,
    PLACE,
    PLACES,
    Branch,
    branches,
    dull,
    kind_of,
    opens,
    starts,
)

LONG = frozenset({
    "主营业务", "经营范围", "机构简介", "企业简介", "事务所简介", "事实", "判决结果", "标题", "文件名", "关联证券",
    "文本摘要", "处罚结果", "入选指数", "首发募资净额（元）", "级别", "英文名称", "曾用名", "曾用简称",
    "每股面值（元）",
})  # fmt: skip
"""Columns that no question asks for: whole texts, and values that many rows share or lack."""
_COLUMNS = frozenset(
    f"{table}.{column}" for table in TABLES for column in (*TABLES[table], *([PLACE] if table in PLACES else []))
)
"""What a path can start from or lead on by."""
_STRICT = ConfigDict(extra="forbid")
_MANY = ("count", "year", "over", "sum", "max", "second", "average", "spread", "names", "order", "row")


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One use of a tool. pick: "" for a tool that gives one row, only, or max / min / latest / earliest and a column
    after a colon. role: a column of LegalDoc in which the company asked with must stand, or ""."""

    __pydantic_config__ = _STRICT
    tool: str
    opened: str
    via: Annotated[str, Field(pattern="^(court_code)?$")] = ""
    link: str = ""
    pick: Annotated[str, Field(pattern=r"^(only|(max|min|latest|earliest):.+)?$")] = ""
    role: str = ""

    @property
    def table(self) -> str:
        """The table it reads."""
        return LOOKUPS[self.tool].table

    @property
    def many(self) -> bool:
        """Whether it gives a list."""
        return LOOKUPS[self.tool].shape == "many"


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """What is wanted in the end. how: columns, laws, years, product, or a way to count and sum over a list; value: a
    year or a bound in yuan."""

    __pydantic_config__ = _STRICT
    how: str
    columns: tuple[str, ...] = ()
    value: Annotated[str, Field(pattern=r"^[0-9]{0,12}$")] = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """Where a path starts (kind, Table.column), its steps and the request."""

    __pydantic_config__ = _STRICT
    kind: str
    start: str
    steps: Annotated[tuple[PlanStep, ...], Field(min_length=1, max_length=len(LOOKUPS))]
    ask: PlanRequest

    @property
    def way(self) -> str:
        """Tool names joined as upstream writes them."""
        return "----".join(step.tool for step in self.steps)

    def as_dict(self) -> dict[str, Any]:
        """The plan as JSON-ready data."""
        return {**asdict(self), "ask": asdict(self.ask), "steps": [asdict(step) for step in self.steps]}

    @classmethod
    def of(cls, data: object) -> Plan:
        """A plan from such data.

        Raises:
            ValueError: it is none, or asks what its tables and tools do not answer.
        """
        plan = _PLAN.validate_python(data)
        if not _fits(plan):
            raise ValueError("a step or the request fits no table or no tool")
        return plan


_PLAN = TypeAdapter(Plan)


def _fits(plan: Plan) -> bool:
    """Whether there is all that a plan names, and each tool takes what is handed to it and gives what is asked."""
    given, last = plan.start, plan.steps[-1]
    for step in plan.steps:
        named = {step.role, step.pick.partition(":")[2]} - {""}
        if given not in _COLUMNS or step.tool not in LOOKUPS or not named <= set(TABLES[step.table]):
            return False
        if (given.endswith(f".{PLACE}") and not step.via) != (len(LOOKUPS[step.tool].parameters) > 1):
            return False
        given = f"{step.table}.{step.link}"
    how, columns = plan.ask.how, plan.ask.columns
    answered = {"columns"} if last.pick else {*requests(last.tool)} - {"row"}
    if (last.link and given not in _COLUMNS) or how not in answered:
        return False
    wanted = max(1, len(columns)) if how == "columns" else len(_ask(last.tool, Random(0), how).columns)
    return len(columns) == wanted and set(columns) <= set(TABLES[last.table])


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A path of the tree without picks and request: the branches, and the tool that ends it."""

    kind: str
    start: str
    tools: tuple[str, ...]
    branches: tuple[Branch, ...]
    last: tuple[str, str]
    """Kind that opens the last tool, and the kind read out of it."""

    @property
    def edges(self) -> frozenset[str]:
        """What two paths can have in common: a link between two tools, or the first or last tool."""
        links = [f"{b.tool}.{b.link}>{tool}" for b, tool in zip(self.branches, self.tools[1:], strict=True)]
        return frozenset((f"^{self.kind}>{self.tools[0]}", *links, f"{self.tools[-1]}$"))


Leads = Callable[[str, tuple[Branch, ...]], bool]


def skeletons(hops: int, rng: Random, most: int, leads: Leads = lambda start, walked: True) -> list[Skeleton]:
    """Paths of a length: all of them where there are at most `most`, else a draw that is even over first tools.

    leads: whether the rows lead anywhere from a start along some branches; nothing is drawn beyond a dead end.
    """
    by_first: dict[str, list[Skeleton]] = {}
    for kind, tool, start in starts():
        found = by_first.setdefault(tool, [])
        if hops <= 2:
            found += list(_grown(kind, start, tool, hops))
        else:
            found += _drawn(kind, start, tool, hops, rng, most // 24, leads)
    made = []
    for found in by_first.values():
        unique = list(dict.fromkeys(found))
        made += rng.sample(unique, min(len(unique), max(4, most // len(by_first))))
    return made


def _next(kind: str, used: Sequence[str], before: Branch | None) -> Iterator[tuple[str, str]]:
    for tool, via in opens(kind):
        if tool not in used and not (before and dull(before, tool)):
            yield tool, via


def _grown(kind: str, start: str, tool: str, hops: int) -> Iterator[Skeleton]:
    if hops == 1:
        yield Skeleton(kind, start, (tool,), (), (kind, ""))
        return
    for branch in branches(kind):
        if branch.tool == tool and not branch.via:
            for other, via in _next(branch.gives, (tool,), branch):
                yield Skeleton(kind, start, (tool, other), (branch,), (branch.gives, via))


def _drawn(
    kind: str, start: str, tool: str, hops: int, rng: Random, most: int, leads: Leads
) -> list[Skeleton]:  # fmt: skip
    found: list[Skeleton] = []
    for _ in range(4 * most):
        here, opened, used, walked = kind, (kind, ""), [tool], list[Branch]()
        while len(used) < hops:
            ways = [
                b for b in branches(here)
                if b.tool == used[-1] and b.via == opened[1] and leads(start, (*walked, b))
            ]  # fmt: skip
            if not ways:
                break
            branch = rng.choice(ways)
            further = list(_next(branch.gives, used, branch))
            if not further:
                break
            following, via = rng.choice(further)
            walked.append(branch)
            used.append(following)
            here, opened = branch.gives, (branch.gives, via)
        if len(used) == hops:
            found.append(Skeleton(kind, start, tuple(used), tuple(walked), opened))
    return found[: 2 * most]


def dressed(skeleton: Skeleton, rng: Random, how: str = "") -> Plan:
    """A plan over a skeleton with picks and a request drawn; `how` fixes the request."""
    steps = [
        PlanStep(b.tool, b.opened, b.via, b.link, _pick(b.tool, rng), _role(b.tool, b.link, rng))
        for b in skeleton.branches
    ]
    tool = skeleton.tools[-1]
    ask = _ask(tool, rng, how)
    pick = _pick(tool, rng, at_end=True) if ask.how == "row" else ""
    steps.append(PlanStep(tool, *skeleton.last, "", pick, _role(tool, "", rng)))
    return Plan(
        skeleton.kind, skeleton.start, tuple(steps), PlanRequest("columns", ask.columns) if ask.how == "row" else ask
    )


def requests(tool: str) -> tuple[str, ...]:
    """The requests that a last tool allows."""
    lookup = LOOKUPS[tool]
    if lookup.shape == "many":
        money, days = lookup.table in AMOUNTS, lookup.table in DATES
        fits = {
            "year": days,
            "order": days,
            **dict.fromkeys(("over", "sum", "max", "second", "average", "spread"), money),
        }
        return tuple(how for how in _MANY if fits.get(how, True))
    if lookup.table == "LegalAbstract":
        return ("laws",)
    extra = {"CompanyInfo": ("years",), "CompanyRegister": ("product",)}.get(lookup.table, ())
    return ("columns", *(extra if lookup.shape == "one" else ()))


def _ask(tool: str, rng: Random, how: str) -> PlanRequest:
    how = how or rng.choice(requests(tool))
    lookup = LOOKUPS[tool]
    table = lookup.table
    if how in ("columns", "row"):
        if lookup.shape == "name":
            return PlanRequest("columns", (lookup.gives,))
        plain = askable(table, lookup.match[0], how == "row")
        return PlanRequest(how, tuple(rng.sample(plain, min(len(plain), rng.choice((1, 1, 2, 2, 3))))))
    if how == "year":
        return PlanRequest(how, (rng.choice(DATES[table]),))
    if how == "order":
        return PlanRequest(how, (rng.choice(DATES[table]), IDENTITY[table]))
    if how == "names":
        return PlanRequest(how, (IDENTITY[table],))
    if how == "years":
        return PlanRequest(how, ("成立日期", "上市日期"))
    if how == "laws":
        return PlanRequest(how, ("文本摘要",))
    return PlanRequest(how, (rng.choice(AMOUNTS[table]),) if how not in ("count",) else ())


def askable(table: str, matched: Sequence[str], listed: bool = False) -> list[str]:
    """Columns that a question may ask for: short values that do not name what was asked with."""
    own = {kind_of(table, column) for column in matched}
    return [
        column
        for column in TABLES[table]
        if column not in LONG and column not in matched and (listed or kind_of(table, column) not in own)
    ]


def _pick(tool: str, rng: Random, at_end: bool = False) -> str:
    lookup = LOOKUPS[tool]
    if lookup.shape != "many":
        return ""
    money = [f"{how}:{column}" for column in AMOUNTS.get(lookup.table, ()) for how in ("max", "max", "min")]
    days = [f"{how}:{column}" for column in DATES.get(lookup.table, ()) for how in ("latest", "earliest")]
    forms: list[str] = [*money, *days, *(() if at_end else ("only",))]
    return rng.choice(forms)


def _role(tool: str, link: str, rng: Random) -> str:
    if tool != "get_legal_document_company_list" or rng.random() < 0.4:
        return ""
    return rng.choice([column for column in ("原告", "被告") if column != link])
