"""A stage for policies: one episode, an engine that answers by the prompt it is asked with, no pack and no model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from models.engine import Ask, EngineError, Reply, Usage
from store.journal import EpisodeRow, Journal
from tasks.driver import Driver, Limits
from tasks.events import AttemptStarted, Record, Seated
from tasks.legalagentbench.benchmark import PROMPTS, LegalAgentBench
from tasks.policies.model.modes import named
from tasks.records import entry_of, record_of
from tasks.scheduler import Scheduler

SPEC = "toy:x"
QUESTION = "甲公司投资的公司有几家？"
LEAN = ("react/2", "plan-solve/1", "plan-execute/1", "direct/1")
FREE = tuple(named(policy, free=True) for policy in LEAN)
PAPER = tuple(named(policy, paper=True) for policy in PROMPTS["paper"])
EVERY = (*LEAN, *FREE, *PAPER)

SUM = ("get_sum", {"identifier": [1, 2]})
RANK = ("get_rank", {"identifier": [1, 2], "is_desc": True})
FINAL = ("Final Answer", "两家")
STEPS = ("用get_sum求和", "用get_rank排序", "根据以上结果回答问题")
"""A plan, and what to do in its steps."""
ACTIONS = (SUM, RANK, FINAL)
THOUGHT = "还缺合计。"


class Actor:
    """An engine: `play` gives the reply to an Ask and its number among those with the same prompt, from 1."""

    def __init__(self, play: Callable[[Ask, int], str | Reply | EngineError]) -> None:
        self.play = play
        self.asks: list[Ask] = []
        self.counts: Counter[str] = Counter()

    @property
    def prompts(self) -> list[str]:
        return [ask.prompt for ask in self.asks]

    def describe(self) -> dict[str, Any]:
        return {"kind": "toy"}

    def answer(self, asks: Sequence[Ask], listen: object = None) -> list[Reply | EngineError]:
        return [self._one(ask) for ask in asks]

    def cancel(self) -> None: ...

    def close(self) -> None: ...

    def _one(self, ask: Ask) -> Reply | EngineError:
        self.asks.append(ask)
        self.counts[ask.prompt] += 1
        said = self.play(ask, self.counts[ask.prompt])
        return Reply(said, Usage(generated=len(said)), reasoning="先想想") if isinstance(said, str) else said


def lean(action: tuple[str, Any], **before: Any) -> str:
    return json.dumps({**before, "action": action[0], "action_input": action[1]}, ensure_ascii=False)


def fenced(action: tuple[str, Any]) -> str:
    return f"```json\n{lean(action)}\n```"


def plan_text(steps: Sequence[str]) -> str:
    return "计划：\n" + "\n".join(f"第{n}步：{step}" for n, step in enumerate(steps, 1)) + "\n计划结束。"


def well_behaved(policy: str) -> Callable[[Ask, int], str]:
    """Replies of a model that does in every form as it is told; it needs three turns. Finds its place by the step."""
    free = "+" in policy

    def play(ask: Ask, number: int) -> str:
        turn = min(ask.step, len(ACTIONS)) - 1
        action = ACTIONS[turn]
        return {
            "table-filter/1": '["SubCompanyInfo"]' if free else '{"tables": ["SubCompanyInfo"]}',
            "react/2": f"思考：{THOUGHT}\n行动：{fenced(action)}" if free else lean(action, thought=THOUGHT),
            "plan-solve/2": plan_text(STEPS) if free else json.dumps({"plan": STEPS}, ensure_ascii=False),
            "plan-action/2": f"行动：{fenced(action)}" if free else lean(action),
            "plan-execute/2": plan_text(STEPS[turn:]) + fenced(action) if free else lean(action, plan=STEPS[turn:]),
            "react-thought/1": THOUGHT,
            "react-action/1": fenced(action),
            "plan-solve/1": plan_text(STEPS),
            "plan-execute/1": plan_text(STEPS),
            "replan/1": plan_text(STEPS),
            "plan-action/1": fenced(action),
            "answer/1": "答：1,234家",
            "summary/1": "详：1,234家",
            "answer-summary/1": "答案：1,234家\n详情：共1,234家"
            if free
            else '{"answer": "1,234家", "summary": "共1,234家"}',
            "direct/1": "答案：1,234家\n详情：共1,234家" if free else '{"answer": "1,234家", "summary": "共1,234家"}',
        }[ask.prompt]

    return play


class Stage:
    """One episode on disk."""

    def __init__(
        self, path: Path, policy: str, actor: Actor, *, turns: int | None = None, records: Sequence[Record] = (),
        engine: str = SPEC,
    ) -> None:  # fmt: skip
        self.journal = Journal.create(path, {"run": "r"}, [EpisodeRow("0", 0, "1")])
        self.actor = actor
        self.scheduler = Scheduler(self.journal, {SPEC: actor})
        program = LegalAgentBench().program(None, [], turns)  # type: ignore[arg-type]
        limits = Limits(turns=(turns or 400) + 1)
        self.driver = Driver("0", 1, program, self.scheduler.clock, self.scheduler.stopwatch, limits)
        if records:
            self.journal.append([entry_of(1, record) for record in records])
            self.driver.load([record_of(entry) for entry in self.journal.entries(1)])
        else:
            card = {"id": "1", "question": QUESTION}
            self.driver.note(AttemptStarted(benchmark="b", task_id="1", attempt=1, seed=7, card=card), step=0)
            self.driver.note(Seated(seat="agent", policy=policy, engine=engine), step=0)
        self.scheduler.add(self.driver)

    def run(self) -> Stage:
        self.scheduler.run()
        return self

    @property
    def records(self) -> tuple[Record, ...]:
        return self.driver.state.records

    def events(self, tag: str) -> list[Any]:
        return [record.event for record in self.records if record.event.tag == tag]

    @property
    def outcome(self) -> str:
        stopped = self.driver.state.stopped
        return stopped.outcome if stopped else "unfinished"
