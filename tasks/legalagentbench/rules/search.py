"""Searches the planning tree of `construct` for the path that explains a question best, best first.

One cost, counted in hops: a tool call is a hop, so is a link through a column that no word names, and a word that the
path leaves unexplained costs as its weight says. What is equally good comes in the order of the tools.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, reduce
from heapq import heappop, heappush

from store.schema import LOOKUPS
from tasks.legalagentbench.construct.follow import MEASURES
from tasks.legalagentbench.construct.tree import (
    AMOUNTS,
    DATES,
    IDENTITY,
    PLACE,
    PLACES,
    branches,
    kind_of,
    matched,
    opens,
)
from tasks.legalagentbench.rules.names import Entity
from tasks.legalagentbench.rules.question import (
    ANSWERS,
    DAYS,
    FILTERS,
    NUMBERS,
    PICKS,
    Mention,
    ParsedQuestion,
    names_kind,
)

MOST_STEPS = 8
MOST_PLANS = 12
SPARE = 1.0
"""Hops by which a plan may cost more than the best and still be tried."""
SIDE_FIRMS = ("原告律师事务所", "被告律师事务所")
OWN_FIRM = "律师事务所"
"""The link from a document to the firm of the company that was asked about, whichever side that is."""
_AHEAD = 6
"""Characters between a name and a word before it that says what it is."""
MOST_STATES = 100_000
"""States that are looked at for a question; most need some hundred."""
_WAYS = 2
"""Paths to the same place that are followed further."""


@dataclass(frozen=True, slots=True)
class RowOperation:
    """What is to be said of the rows of a step. how: column, order, or an operation of `question.ANSWERS`."""

    how: str
    column: str = ""
    value: str = ""
    at: int = 0


@dataclass(frozen=True, slots=True)
class LookupStep:
    """A use of a tool for all things that the rows of another step lead to.

    via: the kind read out of their names, or "". parent: that step, -1 for what the question names. link: the column
    of its rows, or `place`. filters and pick: which of the found rows are meant.
    """

    tool: str
    via: str
    parent: int
    link: str
    opened: str
    filters: tuple[Mention, ...] = ()
    pick: Mention | None = None
    asks: tuple[RowOperation, ...] = ()

    @property
    def table(self) -> str:
        """The table it reads."""
        return LOOKUPS[self.tool].table

    @property
    def many(self) -> bool:
        """Whether it gives a list."""
        return LOOKUPS[self.tool].shape == "many"


@dataclass(frozen=True, slots=True)
class LookupPlan:
    """A path from a named thing. cost: in hops, and how many of them are words left unexplained."""

    entity: Entity
    steps: tuple[LookupStep, ...]
    cost: tuple[float, float]

    @property
    def path(self) -> tuple[object, ...]:
        """What two plans that ask the tools the same have in common."""
        steps = [(step.tool, step.parent, step.link, step.filters, step.pick) for step in self.steps]
        figures = [(at, ask.how) for at, step in enumerate(self.steps) for ask in step.asks if ask.how in ANSWERS]
        return (self.entity.values, *steps, *figures)


@dataclass(frozen=True, slots=True)
class _State:
    """Words read so far, the steps, and where the path is: at the rows of a step (kind ""), or at the things of a
    kind to which its link leads."""

    read: int
    steps: tuple[LookupStep, ...]
    at: int
    link: str
    kind: str

    @property
    def step(self) -> LookupStep:
        return self.steps[self.at]

    def of_several(self, at: int) -> bool:
        """Whether a step has several rows: a list, or one row each for several things."""
        step = self.steps[at]
        if step.many and step.pick is None:
            return True
        return step.pick is None and step.parent >= 0 and self.of_several(step.parent)

    def altered(self, **changes: object) -> _State:
        """With the step changed that the path is at."""
        steps = list(self.steps)
        steps[self.at] = replace(self.step, **changes)  # type: ignore[arg-type]
        return replace(self, steps=tuple(steps))

    def asking(self, ask: RowOperation) -> _State:
        """With one more thing asked of the step."""
        asks = self.step.asks
        for at, one in enumerate(asks):
            if (one.how, one.column) == (ask.how, ask.column):
                return (
                    self.altered(asks=(*asks[:at], replace(one, value=ask.value), *asks[at + 1 :]))
                    if ask.value
                    else self
                )
        return self.altered(asks=(*self.step.asks, ask))

    @property
    def key(self) -> tuple[object, ...]:
        step = self.step if self.at >= 0 else None
        before = self.steps[step.parent].tool if step and step.parent >= 0 else ""
        marks = (step.tool, before, bool(step.pick), bool(step.asks), bool(step.filters)) if step else ()
        return (self.read, marks, self.link, self.kind)


class Plans:
    """The best plans of a question, cheapest first; none if it names nothing. Each is searched for when it is asked
    for, and remembered."""

    def __init__(self, question: ParsedQuestion) -> None:
        self._found: list[LookupPlan] = []
        self._more = _distinct(question)

    def __iter__(self) -> Iterator[LookupPlan]:
        at = 0
        while at < len(self._found) or self._search():
            yield self._found[at]
            at += 1

    def _search(self) -> bool:
        plan = next(self._more, None)
        if plan is not None:
            self._found.append(plan)
        return plan is not None


def _distinct(question: ParsedQuestion) -> Iterator[LookupPlan]:
    """Plans that ask the tools different things, as long as they cost little more than the best."""
    paths: dict[tuple[object, ...], None] = {}
    least: float | None = None
    for plan in _search(question):
        least = plan.cost[0] if least is None else least
        if plan.cost[0] > least + SPARE:
            return
        if plan.path not in paths:
            paths[plan.path] = None
            yield plan
        if len(paths) == MOST_PLANS:
            return


def _search(question: ParsedQuestion) -> Iterator[LookupPlan]:
    mentions = question.mentions
    heap: list[tuple[float, float, int, int, Entity, _State]] = []
    pushed = 0
    for entity in question.entities:
        heappush(heap, (0.0, 0.0, 0, pushed, entity, _State(0, (), -1, "", entity.kind)))
        pushed += 1
    seen: Counter[tuple[object, ...]] = Counter()
    for _ in range(MOST_STATES):
        if not heap:
            return
        cost, left, _, _, entity, state = heappop(heap)
        key = (entity.kind, entity.start, *state.key)
        seen[key] += 1
        if seen[key] > _WAYS:
            continue
        if state.read == len(mentions) and (plan := _finished(entity, state, (cost, left))) is not None:
            yield plan
        for hops, words, after in _after(entity, state, mentions):
            heappush(heap, (cost + hops + words, left + words, -after.read, pushed, entity, after))
            pushed += 1


def _after(entity: Entity, state: _State, mentions: tuple[Mention, ...]) -> Iterator[tuple[float, float, _State]]:
    """What may follow a state, and at which cost in hops and in words."""
    if state.read < len(mentions):
        mention = mentions[state.read]
        onward = replace(state, read=state.read + 1)
        yield from ((0.0, 0.0, after) for after in _explained(entity, onward, mention))
        yield 0.0, mention.weight, onward
        yield from ((hops, 0.0, after) for hops, after in _moved(state))


def _moved(state: _State) -> Iterator[tuple[float, _State]]:
    """A tool opened, or a link taken that no word names."""
    if state.kind:
        if len(state.steps) < MOST_STEPS:
            for tool, via in opens(state.kind):
                if not _again(state, tool):
                    step = LookupStep(tool, via, state.at, state.link, state.kind)
                    yield 1.0, _State(state.read, (*state.steps, step), len(state.steps), "", "")
        return
    step = state.step
    free = {IDENTITY[step.table], *(ask.column for ask in step.asks), *([PLACE] if step.table == "AddrInfo" else [])}
    for link, gives in _links(step):
        yield 0.0 if link in free else 1.0, replace(state, link=link, kind=gives)
    if step.asks:
        yield 1.0, replace(state, at=step.parent, link=step.link, kind=step.opened)


def _again(state: _State, tool: str) -> bool:
    """Whether the tool would only read a row again that is there already."""
    if any((step.tool, step.parent, step.link) == (tool, state.at, state.link) for step in state.steps):
        return True
    if state.at < 0:
        return False
    before, lookup = state.step, LOOKUPS[tool]
    return state.link == IDENTITY[before.table] and lookup.table == before.table and lookup.shape != "many"


@cache
def _links_of(tool: str, via: str, opened: str) -> tuple[tuple[str, str], ...]:
    return tuple((one.link, one.gives) for one in branches(opened) if one.tool == tool and one.via == via)


def _links(step: LookupStep) -> tuple[tuple[str, str], ...]:
    """(column or place, kind) to which the rows of a step lead."""
    return _links_of(step.tool, step.via, step.opened)


def _explained(entity: Entity, state: _State, mention: Mention) -> Iterator[_State]:
    """The states in which the path explains a word where it is."""
    if state.kind:
        ahead = state.at < 0 and 0 <= entity.start - mention.end <= _AHEAD and names_kind(mention, state.kind)
        column = f"{state.step.table}.{state.link}" if state.at >= 0 else ""
        if ahead or state.kind in mention.things or column in mention.columns:
            yield state
    elif mention.operator:
        yield from _operated(state, mention)
    else:
        yield from _named(state, mention)


def _named(state: _State, mention: Mention) -> Iterator[_State]:
    """A word that names the table, a column of it, or a kind of thing its rows lead to."""
    step, table = state.step, state.step.table
    links = dict(_links(step))
    own = {matched(step.tool, step.via or step.opened)}
    same = {kind_of(table, IDENTITY[table]), step.via or step.opened}
    if table in mention.rows or same & {*mention.things}:
        yield state
    named = [column for name in mention.columns for owner, column in (name.split("."),) if owner == table]
    for column in named:
        if column in links:
            yield replace(state, link=column, kind=links[column])
    if named and not (step.many and table == "SubCompanyInfo" and own & {*named}):
        yield reduce(
            _State.asking, (RowOperation("column", one, at=mention.start) for one in named if one not in own), state
        )
    if PLACE in links and (PLACE in mention.things or {*named} & {PLACES.get(table, ("", "", ""))[2]}):
        yield replace(state, link=PLACE, kind=PLACE)
    for kind in mention.things:
        main = next((column for column, gives in links.items() if gives == kind), None)
        main = OWN_FIRM if main in SIDE_FIRMS else main
        if main is not None and main not in named and kind != PLACE:
            yield replace(state, link=main, kind=kind)
            yield state.asking(RowOperation("column", main, at=mention.start))


def _operated(state: _State, mention: Mention) -> Iterator[_State]:
    step, table, operator = state.step, state.step.table, mention.operator
    column = _worked_on(table, mention)
    if column is None:
        return
    several = state.of_several(state.at)
    if operator in PICKS and several:
        yield state.altered(pick=replace(mention, columns=(column,)))
    elif operator in FILTERS and (several or operator == "role"):
        yield state.altered(filters=(*step.filters, replace(mention, columns=(column,))))
    elif operator == "order" and several:
        yield state.asking(RowOperation("order", column, at=mention.start))
    elif operator == "count" and any(ask.column in MEASURES for ask in step.asks):
        yield state
    elif operator == "count" and not _counts(table, mention):
        return
    elif operator in ("amount", "when"):
        if any(f"{table}.{one}" in (NUMBERS if operator == "amount" else DAYS) for one in _figures(step)):
            yield state
        else:
            yield state.asking(RowOperation("column", column, at=mention.start))
    elif operator in ("days", "years"):
        days = [ask.column for ask in step.asks if f"{table}.{ask.column}" in DAYS]
        if len(days) > 1:
            yield state.asking(RowOperation(operator, days[0], days[1], at=mention.start))
    elif operator in ("laws", "listed"):
        yield state.asking(RowOperation(operator, column, at=mention.start))
    elif operator in ANSWERS and several:
        yield state.asking(RowOperation(operator, column, mention.value, at=mention.start))


def _counts(table: str, mention: Mention) -> bool:
    """Whether the rows of a table are what a count counts; a bare count counts any."""
    if not (mention.rows or mention.things or mention.columns):
        return True
    columns = [name.split(".")[1] for name in mention.columns if name.split(".")[0] == table]
    kind = kind_of(table, IDENTITY[table])
    return table in mention.rows or kind in mention.things or IDENTITY[table] in columns


def _figures(step: LookupStep) -> list[str]:
    """The columns of a step that an amount or a day may be asked of already."""
    return [*(step.pick.columns if step.pick else ()), *(ask.column for ask in step.asks)]


_NEEDS = {
    "laws": "LegalAbstract.文本摘要",
    "listed": "CompanyInfo.公司名称",
    "whole": "SubCompanyInfo.上市公司参股比例",
    "role": "LegalDoc.案号",
}
"""Operation -> the one column that it works on."""


def _worked_on(table: str, mention: Mention) -> str | None:
    """The column of a table that an operation works on, "" where it needs none, None if the table has it not."""
    if mention.operator == "count":
        return ""
    if mention.columns:
        return next((c for name in mention.columns for t, c in (name.split("."),) if t == table), None)
    if mention.operator in _NEEDS:
        owner, column = _NEEDS[mention.operator].split(".")
        return column if owner == table else None
    if mention.operator in ("latest", "earliest", "order", "year", "since", "when"):
        return next(iter(DATES.get(table, ())), None)
    if mention.operator in ("max", "min", "second", "above", "below", "sum", "average", "spread", "amount"):
        return next(iter(AMOUNTS.get(table, ())), None)
    return IDENTITY[table] if mention.operator == "contains" else ""


def _finished(entity: Entity, state: _State, cost: tuple[float, float]) -> LookupPlan | None:
    """The plan of a state that has read every word, or None when nothing would be said."""
    if state.at < 0:
        return None
    step = state.step
    if state.kind:
        told = PLACES[step.table][2] if state.link == PLACE else state.link
        state = state.asking(RowOperation("column", told))
    elif not step.asks:
        columns = [IDENTITY[step.table], step.pick.columns[0] if step.pick else ""]
        state = reduce(_State.asking, (RowOperation("column", column) for column in columns if column), state)
    return LookupPlan(entity, state.steps, cost)
