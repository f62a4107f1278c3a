"""The rules policy on the development half of LegalAgentBench, through the imported pack and the real tools."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from store.importers import silent
from store.pack import Pack
from tasks.episode.events import Event, Record, ToolCalled, ToolReturned
from tasks.episode.seats import Answer, CallTool, View
from tasks.legalagentbench.questions import load_questions
from tasks.legalagentbench.rules.names import NameIndex
from tasks.legalagentbench.rules.policy import RulesPolicy
from tasks.legalagentbench.tools import Toolbox
from tasks.registry import importer


def play(policy: RulesPolicy, toolbox: Toolbox, card: dict[str, object]) -> Answer:
    history: list[Record] = []
    while True:
        move = policy.move(View("agent", card, tuple(history), len(history) // 2 + 1))
        try:
            event = next(move)
            while isinstance(event, Event):
                event = move.send(0)
        except StopIteration as stop:
            action = stop.value
        if isinstance(action, Answer):
            return action
        assert isinstance(action, CallTool)
        result = toolbox.call(action.tool, action.input)
        called = ToolCalled(seat="agent", tool=action.tool, input=action.input)
        returned = ToolReturned(
            seat="agent", tool=action.tool, status=result.status, observation=result.observation, value=result.value,
            complete=result.complete,
        )  # fmt: skip
        history += [Record(len(history) + i, 1, None, 0.0, e) for i, e in enumerate((called, returned))]


@pytest.mark.slow
def test_success_on_the_development_half(data: Callable[..., Path]) -> None:
    folder = data("legalagentbench")
    importer("legalagentbench")(folder, "dev", silent)
    rates: dict[str, list[float]] = defaultdict(list)
    with Pack.open("dev") as pack:
        policy, toolbox = RulesPolicy(NameIndex.of(pack)), Toolbox(pack)
        for question in load_questions(folder / "dataset_dev.json"):
            assert set(question.card) == {"id", "question"}
            answer = play(policy, toolbox, question.card)
            rates[question.gold.group].append(
                sum(key in answer.res for key in question.gold.keys) / len(question.gold.keys)
            )
    every = [rate for group in rates.values() for rate in group]
    for name, group in (*rates.items(), ("all", every)):
        print(f"{name:8} n {len(group):3}  {sum(group) / len(group):.4f}")
    assert sum(every) / len(every) >= 0.70
    assert sum(rates["1-hop"]) / len(rates["1-hop"]) >= 0.90
