"""Flags of episodes with tools: none was called, the same call over and over, an answer out of the examples."""

from __future__ import annotations

import pytest

from tasks.episode.events import Answered, AttemptStarted, Event, Record, Seated, ToolCalled, ToolReturned
from tasks.episode.state import fold
from tasks.legalagentbench.benchmark import LegalAgentBench

EXAMPLE = "负责人是苗疏舟"
"""A name of the few-shot examples."""


def call(name: str = "甲公司", result: str = "没有查到") -> tuple[Event, Event]:
    tool = "get_company_info"
    return (
        ToolCalled(seat="agent", tool=tool, input={"identifier": name}),
        ToolReturned(seat="agent", tool=tool, status="no_data", observation=result),
    )


def flags(policy: str, *events: Event, res: str = "查到了", question: str = "问题") -> frozenset[str]:
    start = AttemptStarted(benchmark="legalagentbench", task_id="1", attempt=1, seed=0, card={"question": question})
    seated = Seated(seat="agent", policy=policy, engine="llama:x")
    rows = (start, seated, *events, Answered(seat="agent", res=res, summary=res))
    records = [Record(seq, 0, None, 0.0, event) for seq, event in enumerate(rows)]
    return LegalAgentBench().result("1", 0, fold(records)).flags


@pytest.mark.parametrize(
    ("policy", "events", "expected"),
    [
        ("react/1", (), {"no_tool"}),
        ("direct/1", (), set()),
        ("gold/1", (), set()),
        ("react/1", call(), set()),
        ("react/1+paper", call() * 4, {"same_calls"}),
        ("react/1+paper", call() * 3, set()),
        ("react/1", (*call() * 3, *call("乙公司")), set()),
        ("react/1", (*call() * 3, *call(result="查到了")), set()),
    ],
)
def test_calls_are_flagged(policy: str, events: tuple[Event, ...], expected: set[str]) -> None:
    assert flags(policy, *events) == expected


def test_an_answer_out_of_the_examples_is_flagged() -> None:
    assert "example" in flags("react/1", *call(), res=EXAMPLE)
    assert "example" not in flags("react/1", *call(result=EXAMPLE), res=EXAMPLE)
    assert "example" not in flags("react/1", *call(), res=EXAMPLE, question="苗疏舟是谁？")
    assert "example" not in flags("react/1+compact", *call(), res=EXAMPLE)
