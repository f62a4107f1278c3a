"""Three methods with a scripted engine, `rules`, `gold` and `echo` on the 300 constructed tasks, by hop: all keys,
strict.

Prints a table: `pytest -s tests/measure/measure_methods_constructed.py`. The engine is no model: it knows the path of
each task, replies in the form that the method asks for, and errs with a fixed chance a call (a tool that knows
nothing of it, or no reply that can be read). It answers rightly once the path is walked. So the table says what a
method makes of an agent that is right so often: how far errors add up over hops, steps and plans.
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from models.engine import Ask
from store.pack import Pack
from tasks.episode.driver import Driver, Limits
from tasks.episode.events import AttemptStarted, Seated
from tasks.episode.program import Program
from tasks.legalagentbench.benchmark import LegalAgentBench
from tasks.legalagentbench.construct.compose import Parts, shipped_parts
from tasks.legalagentbench.construct.generate import construct_set, generator
from tasks.legalagentbench.construct.writing import writing_set
from tasks.legalagentbench.questions import Question, read_question
from tasks.run.spec import RunSpec
from tasks.scoring.statistics import rate_interval
from tasks.scoring.strict import strict_hit
from tests.support.policy_stage import SPEC, Actor, lean

METHODS = ("react/1", "plan-solve/1", "plan-execute/1")
ERRS = (0.0, 0.1, 0.3)
"""Chance of an error a call."""
NOTHING = "未能查明。"


def walker(task: Mapping[str, Any], errs: float) -> Callable[[Ask, int], str]:
    """Replies of an agent that knows the path of a task and errs so often."""
    calls = [(call["tool"], call["input"]) for call in task["path"]]
    steps = [f"用{tool}查" for tool, _ in calls][:10]
    chance, done = random.Random(f"{task['id']}/{errs}"), 0

    def acted() -> tuple[str, Any]:
        nonlocal done
        if chance.random() < errs:
            return ("get_company_info", {"identifier": "无此公司", "columns": []})
        done += 1
        return calls[done - 1] if done <= len(calls) else ("Final Answer", task["answer"])

    def play(ask: Ask, number: int) -> str:
        if "answer" not in ask.prompt and chance.random() < errs / 3:
            return "嗯……"
        answer = task["answer"] if done >= len(calls) else NOTHING
        match ask.prompt:
            case "table-filter/1":
                return json.dumps({"tables": ["CompanyInfo"]})
            case "react/1":
                return lean(acted(), thought="下一步")
            case "plan-solve/1":
                return json.dumps({"plan": steps}, ensure_ascii=False)
            case "plan-action/1":
                return lean(acted())
            case "plan-execute/1":
                return lean(acted(), plan=steps[done:] or ["作答"])
            case "answer-summary/1":
                return json.dumps({"answer": answer, "summary": answer}, ensure_ascii=False)
        raise AssertionError(ask.prompt)

    return play


def answered(program: Program, policy: str, question: Question, actor: Actor) -> str:
    """What an agent answers to a question."""
    driver = Driver("0", 1, program, lambda: 0.0, lambda: 0.0, Limits(turns=60))
    started = AttemptStarted(benchmark="legalagentbench", task_id=question.id, attempt=1, seed=7, card=question.card)
    driver.note(started, step=0)
    driver.note(Seated(seat="agent", policy=policy, engine=SPEC), step=0)
    while not driver.stopped:
        driver.advance()
        while driver.ask is not None:
            (reply,) = actor.answer([driver.ask])
            driver.reply(reply)
            driver.resume()
    return next((r.event.res for r in reversed(driver.state.records) if r.event.tag == "answered"), "")


@pytest.mark.slow
def test_methods_on_constructed_tasks(sample_pack: Path) -> None:
    rows: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    clusters: dict[str, list[str]] = defaultdict(list)
    with Pack.open(sample_pack) as pack:
        text = shipped_parts()
        made = generator(pack, lambda rng: Parts(text, rng), 2026)
        tasks = construct_set(made, writing=lambda wanted: writing_set(made, wanted)).tasks
        questions = [read_question(task["id"], task) for task in tasks]
        program = LegalAgentBench().program(pack, questions, RunSpec(benchmark="legalagentbench"))
        for task, question in zip(tasks, questions, strict=True):
            agents = [(f"{name} errs {errs:g}", name, errs) for name in METHODS for errs in ERRS]
            agents += [(name, f"{name}/1", 0.0) for name in ("rules", "gold", "echo")]
            for row, policy, errs in agents:
                res = answered(program, policy, question, Actor(walker(task, errs)))
                hit = all(strict_hit(key, res) for key in question.gold.keys)
                rows[row][question.group].append(hit)
                rows[row]["all"].append(hit)
            clusters["all"].append(question.cluster)
    groups = [str(group) for group in dict(Counter(question.group for question in questions))] + ["all"]
    print("\n" + f"{'':26}" + "".join(f"{group:>9}" for group in groups))
    for row, hits in rows.items():
        span = rate_interval(hits["all"], clusters["all"])
        shares = "".join(f"{sum(hits[group]) / len(hits[group]):9.3f}" for group in groups)
        print(f"{row:26}{shares}" + (f"  [{span.low:.3f}, {span.high:.3f}]" if span else ""))
    whole = {row: _share(hits["all"]) for row, hits in rows.items()}
    assert whole["gold"] == 1.0 and whole["echo"] == 0.0
    assert all(whole[f"{name} errs 0"] > whole[f"{name} errs 0.3"] for name in METHODS)


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits)
