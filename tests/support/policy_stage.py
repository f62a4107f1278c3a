"""A stage for policies: one episode, an engine that answers by the prompt it is asked with, no pack and no model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

from models.engine import Ask, EngineError, Reply, Usage
from store.journal import EpisodeRow, Journal
from tasks.agents.modes import named
from tasks.episode.driver import Driver, Limits
from tasks.episode.events import AttemptStarted, Record, Seated
from tasks.episode.scheduler import Scheduler
from tasks.episode.seats import Program
from tasks.legalagentbench.benchmark import METHODS, LegalAgentBench
from tasks.run.spec import RunSpec

SPEC = "toy:x"
QUESTION = "甲公司投资的公司有几家？"
LEAN = ("react/1", "plan-solve/1", "plan-execute/1", "direct/1")
FREE = tuple(named(policy, "free") for policy in LEAN)
PAPER = tuple(named(policy, "paper") for policy, modes in METHODS.items() if "paper" in modes)
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
            "react/1": f"思考：{THOUGHT}\n行动：{fenced(action)}" if free else lean(action, thought=THOUGHT),
            "plan-solve/1": plan_text(STEPS) if free else json.dumps({"plan": STEPS}, ensure_ascii=False),
            "plan-action/1": f"行动：{fenced(action)}" if free else lean(action),
            "plan-execute/1": plan_text(STEPS[turn:]) + fenced(action) if free else lean(action, plan=STEPS[turn:]),
            "react-thought/1": THOUGHT,
            "react-action/1": fenced(action),
            "plan-solve-paper/1": plan_text(STEPS),
            "plan-execute-paper/1": plan_text(STEPS),
            "replan/1": plan_text(STEPS),
            "plan-action-paper/1": fenced(action),
            "answer/1": "答：1,234家",
            "summary/1": "详：1,234家",
            "answer-summary/1": "答案：1,234家\n详情：共1,234家"
            if free
            else '{"answer": "1,234家", "summary": "共1,234家"}',
            "direct/1": "答案：1,234家\n详情：共1,234家" if free else '{"answer": "1,234家", "summary": "共1,234家"}',
        }[ask.prompt]

    return play


class Driven:
    """One episode in memory, driven by hand: quick."""

    def __init__(
        self,
        program: Program,
        policy: str,
        actor: Actor,
        card: dict[str, Any],
        *,
        turns: int | None,
        records: Sequence[Record],
        engine: str = SPEC,
    ) -> None:
        self.actor = actor
        self.driver = Driver("0", 1, program, lambda: 0.0, lambda: 0.0, Limits(turns=(turns or 400) + 1))
        if records:
            self.driver.load(list(records))
        else:
            self.driver.note(AttemptStarted(benchmark="b", task_id="1", attempt=1, seed=7, card=card), step=0)
            self.driver.note(Seated(seat="agent", policy=policy, engine=engine), step=0)

    def run(self, steps: int | None = None) -> Self:
        while not self.driver.stopped and (steps is None or self.driver.state.steps < steps):
            self.driver.advance()
            while self.driver.ask is not None:
                (reply,) = self.actor.answer([self.driver.ask])
                self.driver.reply(reply)
                self.driver.resume()
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


class Rehearsal(Driven):
    """One of LegalAgentBench."""

    def __init__(
        self,
        policy: str,
        actor: Actor,
        *,
        turns: int | None = None,
        records: Sequence[Record] = (),
        engine: str = SPEC,
    ) -> None:
        program = LegalAgentBench().program(None, [], RunSpec(benchmark="b", max_turns=turns))  # type: ignore[arg-type]
        card = {"id": "1", "question": QUESTION}
        super().__init__(program, policy, actor, card, turns=turns, records=records, engine=engine)


class Stage(Rehearsal):
    """The same on disk, with a scheduler: for seats that change hands."""

    def __init__(self, path: Path, policy: str, actor: Actor, *, engine: str = SPEC) -> None:
        super().__init__(policy, actor, engine=engine)
        self.journal = Journal.create(path, {"run": "r"}, [EpisodeRow("0", 0, "1")])
        self.scheduler = Scheduler(self.journal, {SPEC: actor})
        self.scheduler.add(self.driver)

    def run(self, steps: int | None = None) -> Self:
        assert steps is None
        self.scheduler.run()
        return self
