"""The policy `rules`: no model, no memory. Each move runs the solver from the start on the recorded results.

A move feeds `solve` (or `write` for a document task) the results in the record; the first call that has no result yet
is the action. The plan is published once, in the first move; every call is preceded by one visible sentence.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator, Sequence

from tasks.episode.actions import Action, Answer, CallTool, Move, emit
from tasks.episode.events import Planned, Record, Thought, ToolReturned
from tasks.episode.seats import View
from tasks.legalagentbench.construct.tree import ALIASES
from tasks.legalagentbench.rules.execute import Call, Outcome
from tasks.legalagentbench.rules.frames import Frame, Plan
from tasks.legalagentbench.rules.graph import TABLE_OF
from tasks.legalagentbench.rules.names import NameIndex
from tasks.legalagentbench.rules.phrase import answer
from tasks.legalagentbench.rules.plan import plans_for
from tasks.legalagentbench.rules.solve import solve
from tasks.legalagentbench.rules.subjects import called
from tasks.legalagentbench.rules.writing import is_writing, write, writing_steps

Work = Generator[Call, Outcome, tuple[str, str]]
_REMEMBERED = 64


class RulesPolicy:
    """Plans over the tool graph and answers in Chinese sentences."""

    name = "rules/1"

    def __init__(self, names: NameIndex) -> None:
        self._names = names
        self._plans: OrderedDict[str, list[Plan]] = OrderedDict()

    def move(self, view: View) -> Move:
        """The next call, or the answer."""
        question = str(view.card.get("question", ""))
        outcomes = _outcomes(view.history)
        if not outcomes:
            steps, tools = self._announce(question)
            yield from emit(Planned(seat=view.seat, steps=steps, tools=tools))
        work = self._work(question)
        action = _replay(work, outcomes)
        if isinstance(action, Call):
            yield from emit(Thought(seat=view.seat, text=action.why))
            return CallTool(action.tool, action.input)
        yield from emit(Thought(seat=view.seat, text="所需信息已查完，整理答案。"))
        return _answer(action)

    def _work(self, question: str) -> Work:
        if is_writing(question):
            return write(question, self._names)
        return self._solve(question)

    def _solve(self, question: str) -> Work:
        found = yield from solve(self._plans_for(question), self._names)
        return answer(found, question)

    def _plans_for(self, question: str) -> list[Plan]:
        """Plans are a pure function of question and names, so they may be remembered."""
        if question not in self._plans:
            self._plans[question] = plans_for(question, self._names)
            while len(self._plans) > _REMEMBERED:
                self._plans.popitem(last=False)
        return self._plans[question]

    def _announce(self, question: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if is_writing(question):
            return writing_steps(question, self._names)
        plans = self._plans_for(question)
        if not plans:
            return ("题目中没有可以识别的实体",), ("",)
        return describe(plans[0])


_OPERATIONS = {
    "max": "取最大", "min": "取最小", "first": "取最早", "last": "取最晚", "mode": "取次数最多",
    "ends": "取最高和最低", "in": "按年份筛选", "role": "按诉讼地位筛选", "name": "按名称筛选", "cause": "按案由筛选",
    "form": "按文书类型筛选", "type": "按案件类型筛选", "level": "按法院级别筛选", "listed": "筛选上市公司",
    "exists": "筛选有相应记录者", "other": "排除自身",
}  # fmt: skip


def describe(plan: Plan) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(steps, tools) of a plan for the screen."""
    steps: list[str] = []
    tools: list[str] = []
    for frame in plan.frames:
        text = _step(frame)
        if text:
            steps.append(text)
            tools.append(_tool(frame))
    return tuple(steps), tuple(tools)


def _tool(frame: Frame) -> str:
    if frame.entity is not None:
        return ALIASES[frame.entity.kind][0] if frame.entity.kind in ALIASES else ""
    return frame.hop.tool if frame.hop else ""


def _step(frame: Frame) -> str:
    marks = [_OPERATIONS.get(m.op, "按条件筛选") for m in frame.modifiers]
    if frame.entity is not None:
        text = f"起点：{frame.entity.name}"
    elif frame.hop is not None:
        noun = called(frame.relation, TABLE_OF.get(frame.kind, frame.kind))
        text = f"查{noun}" if frame.hop.tool else f"取记录中的{noun}"
    else:
        text = ""
    return "，".join([text, *marks] if text else marks)


def _outcomes(history: Sequence[Record]) -> list[Outcome]:
    return [
        Outcome(record.event.status, record.event.value, record.event.complete)
        for record in history
        if isinstance(record.event, ToolReturned)
    ]


def _replay(work: Work, outcomes: list[Outcome]) -> Call | tuple[str, str]:
    """Runs the solver on the recorded results; what it asks for next, or its answer."""
    try:
        call = next(work)
        for outcome in outcomes:
            call = work.send(outcome)
    except StopIteration as stop:
        value: tuple[str, str] = stop.value
        return value
    work.close()
    return call


def _answer(texts: tuple[str, str]) -> Action:
    return Answer(*texts)
