"""Plan-and-Solve (paper §5): one complete plan, then one action a step, until Final Answer or the end of the plan.

Lean and free: the plan is the first turn of the conversation, every step one more call. Paper: the plan is cut at its
第n步： marks, each action call gets the text of one step and a scratchpad of steps and observations, without the
question and without the earlier calls. The published loop had no limit of its own; a plan of more than `LONGEST_PLAN`
steps is cut.
"""

from __future__ import annotations

from collections.abc import Sequence

from tasks.agents.budgets import Budget
from tasks.agents.conversation import Conversation
from tasks.agents.modes import TURNS, split
from tasks.agents.phrases import phrase
from tasks.agents.prompts import fill
from tasks.episode.actions import Move, emit
from tasks.episode.events import ActionParsed
from tasks.episode.seats import View
from tasks.legalagentbench.agents import cards, history, reading, scratchpad, stepwise
from tasks.legalagentbench.agents.acting import Final, act, action_call, plan_call, planned
from tasks.legalagentbench.agents.answering import conclude, paper_answer
from tasks.legalagentbench.agents.choosing import tools_of_task
from tasks.legalagentbench.agents.examples import numbered
from tasks.legalagentbench.schemas import MOST_STEPS
from tasks.legalagentbench.tools import ToolSpec

PLAN, ACTION = "plan-solve/1", "plan-action/1"
PAPER_PLAN = "plan-solve-paper/1"
LONGEST_PLAN = 20
"""Steps of a paper plan that are carried out; published plans had up to eleven."""


class PlanSolvePolicy:
    """Plans once, then carries the plan out step by step."""

    def __init__(self, name: str, added: tuple[ToolSpec, ...] = ()) -> None:
        self.name = name
        self._added = added
        _, self._mode = split(name)

    def move(self, view: View) -> Move:
        """One step; the first one plans as well."""
        tools = yield from tools_of_task(view, self._mode, self._added)
        return (yield from (self._paper(view, tools) if self._mode == "paper" else self._talking(view, tools)))

    def _talking(self, view: View, tools: tuple[ToolSpec, ...]) -> Move:
        asks_plan = plan_call(PLAN, self._mode, MOST_STEPS)
        asks_action = action_call(ACTION, self._mode, tools)
        talk = Conversation(cards.lean_card("plan-solve", PLAN, self._mode, tools), Budget.at(view).characters())
        talk.hear(phrase("turn", "question", question=str(view.card["question"])))
        plan: Sequence[str] = ()
        done = 0
        for turn in history.turns(view):
            if turn.policy != self.name:
                stepwise.hear_others(talk, turn)
                continue
            if turn.plan:
                talk.hear(phrase("turn", "plan"))
                talk.say(turn.replies(PLAN), asks_plan)
                plan, done = turn.plan, 0
            talk.hear(_execute(plan, done))
            talk.say(turn.replies(ACTION), asks_action)
            talk.hear(turn.seen)
            done += 1
        if plan and done >= len(plan):
            return (yield from conclude(view, talk, self._mode))
        if view.step > (view.max_turns or TURNS):
            return (yield from conclude(view, talk, self._mode, outcome="turn_limit"))
        if not plan:
            talk.hear(phrase("turn", "plan"))
            read = yield from talk.put(view, asks_plan)
            if read.result != "ok":
                yield from emit(ActionParsed(seat=view.seat, result=read.result, note=f"计划：{read.note}"))
            if read.value is None:
                return (yield from conclude(view, talk, self._mode))
            plan = read.value["plan"]
            yield from emit(planned(view.seat, plan))
        talk.hear(_execute(plan, done))
        action = yield from act(view.seat, (yield from talk.put(view, asks_action)))
        if isinstance(action, Final):
            return (yield from conclude(view, talk, self._mode, final=action.text))
        return action

    def _paper(self, view: View, tools: tuple[ToolSpec, ...]) -> Move:
        question = str(view.card["question"])
        plan: Sequence[str] = ()
        done: list[tuple[str, history.Turn]] = []
        position = 0
        for turn in history.turns(view):
            own = turn.policy == self.name
            if own and turn.plan:
                plan, position = turn.plan, 0
            done.append((plan[position] if own else scratchpad.own_words(turn), turn))
            position += own
        if plan and position >= len(plan):
            return (yield from paper_answer(view, scratchpad.plan_lines(done)))
        if view.step > (view.max_turns or LONGEST_PLAN):
            return (yield from paper_answer(view, scratchpad.plan_lines(done), "turn_limit"))
        if not plan:
            text = cards.paper_card("plan-solve", PAPER_PLAN, tools, question=question)
            plan = reading.steps_of((yield from scratchpad.put(view, PAPER_PLAN, text)))[:LONGEST_PLAN]
            if not plan:
                yield from emit(ActionParsed(seat=view.seat, result="rejected", note="计划里没有“第n步：”"))
                return (yield from paper_answer(view, scratchpad.plan_lines(done)))
            yield from emit(planned(view.seat, plan))
        return (yield from scratchpad.step(view, tools, plan[position], done))


def _execute(plan: Sequence[str], position: int) -> str:
    step = plan[position] if position < len(plan) else ""
    return fill(ACTION, number=str(position + 1), step=step)


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
