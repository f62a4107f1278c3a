"""Plan-and-Execute (paper §5): a plan that is revised after every step, at most T = 10 steps.

Lean and free: every reply lists the steps that are left and acts on the first of them, in one call. Paper: a plan
call, then an action call and a call for a new plan in turns. The next step is taken from the new plan by its
position, as published: a model that drops what is done from its plan so skips work. A new plan without any step is no
plan: the old one stays.
"""

from __future__ import annotations

from collections.abc import Sequence

from tasks.agents.modes import TURNS, split
from tasks.episode.actions import Move, emit
from tasks.episode.events import ActionParsed
from tasks.episode.seats import View
from tasks.legalagentbench.agents import cards, history, reading, scratchpad, stepwise
from tasks.legalagentbench.agents.acting import planned
from tasks.legalagentbench.agents.answering import paper_answer
from tasks.legalagentbench.agents.choosing import tools_of_task
from tasks.legalagentbench.agents.examples import numbered
from tasks.legalagentbench.tools import ToolSpec

LEAN = "plan-execute/1"
FIRST, REPLAN = "plan-execute-paper/1", "replan/1"


class PlanExecutePolicy:
    """Plans, carries out one step, plans again."""

    def __init__(self, name: str, added: tuple[ToolSpec, ...] = ()) -> None:
        self.name = name
        self._added = added
        _, self._mode = split(name)

    def move(self, view: View) -> Move:
        """One step."""
        if self._mode != "paper":
            return (yield from stepwise.step(view, self.name, LEAN, self._mode, self._added))
        tools = yield from tools_of_task(view, "paper", self._added)
        return (yield from self._paper(view, tools))

    def _paper(self, view: View, tools: tuple[ToolSpec, ...]) -> Move:
        plan: Sequence[str] = ()
        done: list[tuple[str, history.Turn]] = []
        position = 0
        for turn in history.turns(view):
            own = turn.policy == self.name
            plan = turn.plan if own and turn.plan else plan
            done.append((plan[position] if own else scratchpad.own_words(turn), turn))
            position += own
        lines = scratchpad.plan_lines(done)
        if view.step > (view.max_turns or TURNS):
            return (yield from paper_answer(view, lines, "turn_limit"))
        question = str(view.card["question"])
        if position == 0:
            prompt, text = FIRST, cards.paper_card("plan-execute", FIRST, tools, question=question)
        else:
            prompt = REPLAN
            text = cards.paper_card("replan", REPLAN, tools, question=question, plan=numbered(plan), scratchpad=lines)
        steps = reading.steps_of((yield from scratchpad.put(view, prompt, text)))
        if steps:
            plan = steps
            yield from emit(planned(view.seat, steps))
        else:
            yield from emit(ActionParsed(seat=view.seat, result="rejected", note="计划里没有“第n步：”"))
        if position >= len(plan):
            return (yield from paper_answer(view, lines))
        return (yield from scratchpad.step(view, tools, plan[position], done))
