"""Solves one question: plans, carries the best out, falls back to the next where the tools contradict a reading.

`solve` is an ordinary generator that yields `Call`s and is sent `Outcome`s; it has no memory beyond one run, so that
running it again with the same outcomes always makes the same calls.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field

from tasks.legalagentbench.rules.execute import Asking, Call, Hands, Item, Outcome, Walk
from tasks.legalagentbench.rules.frames import Frame, Plan, Wanted
from tasks.legalagentbench.rules.graph import CASE_ROWS
from tasks.legalagentbench.rules.names import NameIndex
from tasks.legalagentbench.rules.narrow import narrow
from tasks.legalagentbench.rules.plan import instead_of_documents
from tasks.legalagentbench.rules.values import Cell, date_of, known

GOOD = 0.95
POOR = 0.5
FEW_CALLS = 60
"""After so many calls no further reading is tried."""
MARGIN = 3.0
PLANS_TRIED = 4
_PRESUPPOSED = frozenset(("parent", "firm", "plaintiff_firm", "defendant_firm"))
_RETRIES = 8


@dataclass(frozen=True)
class Told:
    """An answer to one wanted thing: things with their cells, or a number."""

    frame: int
    wanted: Wanted
    cells: tuple[tuple[Item, Cell], ...] = ()
    number: int | None = None
    score: float = 0.0


@dataclass
class Findings:
    """What carrying out a plan brought."""

    plan: Plan
    items: list[list[Item]] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    doubtful: set[int] = field(default_factory=set)
    extra: list[tuple[Item, str, Cell]] = field(default_factory=list)

    @property
    def score(self) -> float:
        """How well the wanted things are answered, 0 to 1."""
        return sum(told.score for told in self.told) / len(self.told) if self.told else 0.0


def solve(plans: list[Plan], index: NameIndex) -> Generator[Call, Outcome, Findings | None]:
    """The findings of the plan that the tools support best."""
    hands = Hands(index)
    best: Findings | None = None
    best_value = -1.0
    for plan in plans[:PLANS_TRIED]:
        if plan.cost > plans[0].cost + MARGIN or hands.calls > FEW_CALLS:
            break
        found = yield from _carry_out(plan, hands)
        value = found.score - 0.03 * (plan.cost - plans[0].cost)
        if value > best_value + 1e-9:
            best, best_value = found, value
        if found.score >= GOOD:
            break
    if best is not None and best.score < POOR and hands.calls <= FEW_CALLS:
        for plan in instead_of_documents(plans[0]):
            found = yield from _carry_out(plan, hands)
            if found.score > max(best.score, POOR):
                return found
    return best


def _carry_out(plan: Plan, hands: Hands) -> Generator[Call, Outcome, Findings]:
    walk = Walk(plan, hands)
    spares: dict[int, list[Item]] = {}
    retries = index = 0
    while index < len(plan.frames):
        frame = plan.frames[index]
        items = yield from walk.reach(index)
        items, spare = yield from narrow(walk, frame, items)
        del walk.items[index:]
        walk.items.append(items)
        spares[index] = spare
        if not items and frame.relation in _PRESUPPOSED and retries < _RETRIES:
            earlier = _with_spare(plan, spares, index)
            if earlier is not None:
                retries += 1
                walk.items[earlier] = [spares[earlier].pop(0)]
                del walk.items[earlier + 1 :]
                index = earlier + 1
                continue
        index += 1
    found = Findings(plan, walk.items, doubtful=walk.doubtful)
    for number, frame in enumerate(plan.frames):
        for wanted in frame.wanted:
            found.told.append((yield from _tell(walk, number, frame, wanted)))
    found.told.sort(key=lambda told: told.wanted.at)
    return found


def _with_spare(plan: Plan, spares: dict[int, list[Item]], index: int) -> int | None:
    index = plan.frames[index].parent
    while index >= 0:
        if spares.get(index):
            return index
        index = plan.frames[index].parent
    return None


def _tell(walk: Walk, number: int, frame: Frame, wanted: Wanted) -> Asking:
    items = walk.items[number]
    doubt = number in walk.doubtful
    match wanted.kind:
        case "identity":
            cells = tuple((item, item.name) for item in _distinct(items))
            return Told(number, wanted, cells, score=(0.97 if doubt else 1.0) if cells else 0.0)
        case "count":
            return _count(walk, number, frame, wanted)
        case "listed":
            return (yield from _listed(walk, number, wanted))
        case "days":
            return (yield from _days(walk, number, frame, wanted))
        case _:
            return (yield from _cells(walk, number, frame, wanted))


def _distinct(items: list[Item]) -> list[Item]:
    seen: dict[str, Item] = {}
    for item in items:
        seen.setdefault(item.name, item)
    return list(seen.values())


def _count(walk: Walk, number: int, frame: Frame, wanted: Wanted) -> Told:
    items = walk.items[number]
    if frame.kind in CASE_ROWS:
        owners = {_owner(item).name for item in items}
        per_owner = wanted.unit == "家" or (wanted.unit == "个" and _fan_out(walk, number))
        amount = len(owners) if per_owner else len(items)
    else:
        amount = len(_distinct(items))
    chosen = tuple((item, item.name) for item in _distinct(items))
    alive = frame.parent < 0 or bool(walk.items[frame.parent])
    score = 1.0 if amount else 0.96 if alive and number not in walk.doubtful else 0.5 if alive else 0.2
    return Told(number, wanted, chosen, amount, score)


def _owner(item: Item) -> Item:
    """The thing that a case row was found for."""
    origin = item.origin
    while origin is not None and origin.name == item.name:
        origin = origin.origin
    return origin or item


def _fan_out(walk: Walk, number: int) -> bool:
    """Whether the rows were gathered over several things, so that a count of 个 counts these."""
    index = walk.plan.frames[number].parent
    while index >= 0 and walk.plan.frames[index].kind in CASE_ROWS:
        index = walk.plan.frames[index].parent
    return index >= 0 and walk.plan.frames[index].relation == "sub"


def _listed(walk: Walk, number: int, wanted: Wanted) -> Asking:
    cells: list[tuple[Item, Cell]] = []
    doubt = False
    for item in _distinct(walk.items[number]):
        given = {"identifier": item.name, "columns": ["公司名称", "公司简称", "公司代码"]}
        outcome = yield from walk.hands.call("get_company_info", given, f"查“{item.name}”是否为上市公司。")
        doubt = doubt or outcome.status == "outside_pack"
        cells.append((item, outcome.status == "ok"))
    return Told(number, wanted, tuple(cells), score=(0.96 if doubt else 1.0) if cells else 0.0)


_DAY_PAIRS: dict[str, tuple[str, str]] = {
    "company": ("founded", "listing_date"),
    "finalized": ("filed", "closed"), "restriction": ("filed", "published"), "dishonesty": ("filed", "published"),
}  # fmt: skip


def _days(walk: Walk, number: int, frame: Frame, wanted: Wanted) -> Asking:
    concepts = _DAY_PAIRS.get(frame.kind, ("date", "date"))
    cells: list[tuple[Item, Cell]] = []
    for item in walk.items[number]:
        first = yield from walk.attribute(item, frame, concepts[0])
        second = yield from walk.attribute(item, frame, concepts[1])
        if date_of(first) and date_of(second):
            cells.append((item, (str(first), str(second))))
    return Told(number, wanted, tuple(cells), score=1.0 if cells else 0.0)


def _cells(walk: Walk, number: int, frame: Frame, wanted: Wanted) -> Asking:
    cells: list[tuple[Item, Cell]] = []
    concept = wanted.concept
    asked = "abstract" if concept == "laws" else "judgment" if concept.startswith("clause:") else concept
    items = walk.items[number] if frame.kind in CASE_ROWS else _distinct(walk.items[number])
    for item in items:
        cells.append((item, (yield from walk.attribute(item, frame, asked))))
    certain = sum(1.0 if known(cell) else 0.85 if cell is not None else 0.0 for _, cell in cells)
    return Told(number, wanted, tuple(cells), score=certain / len(cells) if cells else 0.0)
