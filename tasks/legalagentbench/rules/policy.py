"""The policy `rules`: no model, no memory. Each move runs the solver from the start on the recorded results.

The first call that has no result yet is the action. The plan is published once, in the first move; every call is
preceded by one visible sentence.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator, Iterable, Sequence

from tasks.episode.actions import Answer, CallTool, Move, emit
from tasks.episode.events import Planned, Record, Thought, ToolReturned
from tasks.episode.seats import View
from tasks.legalagentbench.construct.tree import PLACE
from tasks.legalagentbench.rules.answer import NO_WRITING, NOTHING_NAMED, NOUNS, answer
from tasks.legalagentbench.rules.execute import Call, Outcome, Tools, Walked, walk
from tasks.legalagentbench.rules.names import NameIndex, tidy
from tasks.legalagentbench.rules.question import is_writing, read
from tasks.legalagentbench.rules.search import Plan, Plans, Step

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
        if isinstance(action, Call):
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


def solve(found: Iterable[Plan]) -> Generator[Call, Outcome, Walked]:
    """Carry out plans, cheapest first, until one finds rows at every step.

    A count of nothing is an answer too: it stands where no plan of the same cost finds rows. Else the plan that came
    furthest is taken.
    """
    tools = Tools()
    best: Walked | None = None
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


def _rank(walked: Walked) -> tuple[bool, bool, int]:
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


def describe(plan: Plan) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(steps, tools) of a plan for the screen."""
    steps = [f"起点：{plan.entity.name}", *map(_step, plan.steps)]
    return tuple(steps), ("", *(step.tool for step in plan.steps))


def _step(step: Step) -> str:
    through = "" if step.parent < 0 else f"经{'所在区县' if step.link == PLACE else step.link}"
    marks = [_FILTERS[one.operator] for one in step.filters]
    if step.pick is not None:
        marks.append(
            f"按{step.pick.columns[0]}{_PICKS[step.pick.operator]}" if step.pick.columns[0] else "取次数最多"
        )
    return "，".join([f"{through}查{NOUNS[step.table]}", *dict.fromkeys(marks)])


def _reason(question: str) -> str:
    return NO_WRITING if is_writing(question) else NOTHING_NAMED


def _outcomes(history: Sequence[Record]) -> list[Outcome]:
    return [
        Outcome(record.event.status, record.event.value, record.event.complete)
        for record in history
        if isinstance(record.event, ToolReturned)
    ]


def _replay(work: Generator[Call, Outcome, Walked], outcomes: Sequence[Outcome]) -> Call | Walked:
    """Runs the solver on the recorded results; what it asks for next, or what it found."""
    try:
        call = next(work)
        for outcome in outcomes:
            call = work.send(outcome)
    except StopIteration as stop:
        found: Walked = stop.value
        return found
    work.close()
    return call
