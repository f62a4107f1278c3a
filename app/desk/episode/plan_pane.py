"""The plan and how far it has come: one line a planned step or hop, ticked by what the tools really returned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType
from textual.events import Click
from textual.message import Message

from app.desk.bindings import bindings
from app.desk.episode.renderers import TONES, one, step_list, totals
from app.desk.law.events import tool_name
from app.desk.messages import RunFacts
from app.desk.widgets.lines import DisplayRow, LineView, rows_of, wrapped
from app.strings import language, t
from app.terminal import width
from tasks.episode.events import Answered, Planned, Record, Stopped, ToolCalled, ToolReturned
from tasks.episode.state import State
from tasks.reports.model import replies_line
from tasks.reports.words import word
from tasks.run.reading import steps_by_people
from tasks.scoring.result import degenerate, replies_of


@dataclass(frozen=True, slots=True)
class PlanItem:
    """One line of the plan. `mark` is done, now, open, failed or extra (not planned); `seq` the record it came true
    with."""

    text: str
    tool: str
    mark: str
    calls: int = 0
    seq: int | None = None


MARKS = {
    "done": ("✔", "good"),
    "now": ("▶", "label"),
    "open": ("☐", "dim"),
    "failed": ("✘", "bad"),
    "extra": ("+", "dim"),
}


def plan_items(records: Sequence[Record]) -> list[PlanItem]:
    """The plan in force with ticks; without a plan, the calls that were made.

    A step of the plan is done when its tool returned, in the order of the plan; repeated calls of a tool count for
    the same step. A step without a tool is done when a later one is, or when the answer is given.
    """
    plan = next((r for r in reversed(records) if isinstance(r.event, Planned)), None)
    over = any(isinstance(record.event, Stopped | Answered) for record in records)
    returned = [r for r in records if isinstance(r.event, ToolReturned) and (plan is None or r.seq > plan.seq)]
    if plan is None or not isinstance(plan.event, Planned):
        return [_made(record, number) for number, record in enumerate(returned, 1)] + _open_call(records, over)
    steps = plan.event.steps
    tools = plan.event.tools or ("",) * len(steps)
    reached = _reached(tools, [record.event.tool for record in returned if isinstance(record.event, ToolReturned)])
    last = max((index for index in reached if index >= 0), default=-1)
    items: list[PlanItem] = []
    for index, step in enumerate(steps):
        own = [record for record, where in zip(returned, reached, strict=True) if where == index]
        done = bool(own) or (not tools[index] and (index < last or over or (index == 0 and bool(returned))))
        failed = own and all(_tone(record) == "bad" for record in own)
        mark = "failed" if failed else "done" if done else "open"
        items.append(PlanItem(step, tools[index], mark, len(own), own[0].seq if own else None))
    if not over:
        now = next((i for i, item in enumerate(items) if item.mark == "open" and i >= last), None)
        if now is not None:
            items[now] = PlanItem(items[now].text, items[now].tool, "now")
    return items + _unplanned([record for record, where in zip(returned, reached, strict=True) if where < 0])


def _unplanned(returned: Sequence[Record]) -> list[PlanItem]:
    """Calls that the plan does not name, one line a tool."""
    by_tool: dict[str, list[Record]] = {}
    for record in returned:
        assert isinstance(record.event, ToolReturned)
        by_tool.setdefault(record.event.tool, []).append(record)
    return [PlanItem("", tool, "extra", len(records), records[0].seq) for tool, records in by_tool.items()]


def _reached(tools: Sequence[str], called: Sequence[str]) -> list[int]:
    """For each call the index of the planned step it belongs to, -1 when it was not planned."""
    found: list[int] = []
    at = 0
    for tool in called:
        ahead = next((i for i in range(at, len(tools)) if tools[i] == tool), None)
        if ahead is None:
            ahead = next((i for i in range(len(tools)) if tools[i] == tool), -1)
        else:
            at = ahead
            if found and found[-1] == ahead and ahead + 1 < len(tools) and tools[ahead + 1] == tool:
                at = ahead = ahead + 1
        found.append(ahead)
    return found


def _tone(record: Record) -> str:
    return TONES.get(record.event.status, "bad") if isinstance(record.event, ToolReturned) else "bad"


def _made(record: Record, number: int) -> PlanItem:
    assert isinstance(record.event, ToolReturned)
    mark = "failed" if _tone(record) == "bad" else "done"
    return PlanItem(t("plan.call", n=number), record.event.tool, mark, 1, record.seq)


def _open_call(records: Sequence[Record], over: bool) -> list[PlanItem]:
    last = next((r for r in reversed(records) if isinstance(r.event, ToolCalled | ToolReturned)), None)
    if last is None or over or not isinstance(last.event, ToolCalled):
        return []
    return [PlanItem(t("plan.call", n="…"), last.event.tool, "now")]


def fact_lines(state: State, run: RunFacts, name: Callable[[str], str]) -> list[tuple[str, str]]:
    """What is known of a state in figures: name, value; `name` is what a seat is called."""
    calls = sum(isinstance(record.event, ToolReturned) for record in state.records)
    facts = [(t("fact.steps"), str(state.steps)), (t("fact.calls"), str(calls))]
    models, *figures = totals(state.records)
    if models:
        names = ("models", "read", "reused", "generated")
        facts += [(t(f"fact.{name}"), f"{n:,}") for name, n in zip(names, (models, *figures), strict=True)]
    elif state.tokens:
        facts.append((t("fact.tokens"), f"{state.tokens:,}"))
    if run.pack:
        facts.append((t("fact.pack"), run.pack))
    if parent := run.header.get("parent"):
        short = "-".join(str(parent.get("run", "")).split("-")[-2:])
        facts.append((t("fact.parent"), t("fact.parent.value", run=short, step=parent.get("step", 0))))
    if by_people := steps_by_people(state.records):
        facts.append((t("fact.people"), t("fact.people.value", steps=step_list(by_people))))
    if state.flags:
        facts.append((t("fact.flags"), "、".join(t(f"flag.{flag}") for flag in sorted(state.flags))))
    found = ((seat, own) for seat, own in replies_of(state.records).items() if degenerate(own))
    label = word("replies", language())
    return [*facts, *((label, replies_line(seat, own, language(), name(seat))) for seat, own in found)]


def fact_rows(facts: Sequence[tuple[str, str]], width_: int) -> Iterator[DisplayRow]:
    """Facts (name, value) below a line, the names in a column."""
    if not facts:
        return
    yield DisplayRow((("", "dim"),))
    yield DisplayRow((("─" * width_, "rule"),))
    column = max(width(name) for name, _ in facts) + 1
    for name, value in facts:
        for number, row in enumerate(wrapped(((one(value), "text"),), max(4, width_ - column))):
            label = name if number == 0 else ""
            yield DisplayRow(((label + " " * (column - width(label)), "dim"), *row))


class PlanPane(LineView):
    """Shows the plan of the episode as it stands."""

    help_id = "plan"
    BINDINGS: ClassVar[list[BindingType]] = bindings("pane")

    class StepSelected(Message):
        """A line of the plan was chosen: the record it came true with."""

        def __init__(self, seq: int) -> None:
            super().__init__()
            self.seq = seq

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._items: list[PlanItem] = []
        self._facts: list[tuple[str, str]] = []
        self._hidden = ""

    def show(self, items: Sequence[PlanItem], facts: Sequence[tuple[str, str]], hidden: str = "") -> None:
        """Show a plan and some facts under it (name, value); or say why it is hidden."""
        self._items, self._facts, self._hidden = list(items), list(facts), hidden
        self.rebuild()

    def build(self, width_: int) -> Iterable[DisplayRow]:
        if self._hidden:
            yield from rows_of(((self._hidden, "dim"),), width_)
        elif not self._items:
            yield from rows_of(((t("plan.empty"), "dim"),), width_)
        else:
            for index, item in enumerate(self._items):
                yield from self._item(index, item, width_)
        yield from fact_rows(self._facts, width_)

    def _item(self, index: int, item: PlanItem, width_: int) -> Iterator[DisplayRow]:
        sign, tone = MARKS[item.mark]
        text = one(item.text)
        same = text == item.tool or not text
        role = "dim" if item.mark == "open" else "text"
        times = f" ×{item.calls}" if item.calls > 1 else ""
        line = ((tool_name(item.tool), "tool"), (times, "label")) if same else ((text, role),)
        for number, row in enumerate(wrapped(line, max(4, width_ - 2))):
            yield DisplayRow(((sign if number == 0 else " ", tone), (" ", "text"), *row), index)
        if item.tool and not same:
            for row in wrapped(((tool_name(item.tool), "dim"), (times, "label")), max(4, width_ - 2)):
                yield DisplayRow((("  ", "text"), *row), index)

    def on_click(self, event: Click) -> None:
        y = event.get_content_offset_capture(self).y + self.scroll_offset.y
        if 0 <= y < len(self.rows) and self.rows[y].owner >= 0:
            seq = self._items[self.rows[y].owner].seq
            if seq is not None:
                self.post_message(self.StepSelected(seq))
