"""The few-shot examples are true on the sample pack, leak no task, and fit the forms that they teach."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from models.schema import violation
from store.pack import Pack
from tasks.agents.prompts import fill
from tasks.legalagentbench import schemas
from tasks.legalagentbench.agents import cards, reading
from tasks.legalagentbench.parser import compat_input
from tasks.legalagentbench.questions import LabQuestion, load_questions
from tasks.legalagentbench.tools import TOOLS, Toolbox

pytestmark = pytest.mark.slow

STORIES = cards.stories()
every_story = pytest.mark.parametrize("story", STORIES, ids=["1", "2", "3"])
METHODS = ("react", "plan-solve", "plan-execute")


@pytest.fixture(scope="module")
def pack(sample_built: Path) -> Iterator[Pack]:
    with Pack.open(sample_built) as opened:
        yield opened


@pytest.fixture(scope="module")
def questions(pack: Pack) -> list[LabQuestion]:
    path = pack.task_file("legalagentbench")
    assert path is not None
    return load_questions(path)


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)


@every_story
def test_every_observation_is_what_the_tool_says(story: Mapping[str, Any], pack: Pack) -> None:
    toolbox = Toolbox(pack)
    for call in story["call"]:
        result = toolbox.call(call["tool"], compat_input(call["tool"], call["input"]))
        assert result.observation == call["observation"]


@every_story
def test_no_task_of_the_pack_is_told(story: Mapping[str, Any], questions: list[LabQuestion]) -> None:
    """Neither its question nor anything that is asked about in an example stands in a task, its path or its
    answer."""
    tasks = [
        json.dumps([q.card, q.gold.answer, q.gold.keys, q.gold.middle, q.gold.calls], ensure_ascii=False)
        for q in questions
    ]
    asked = {text for call in story["call"] for text in texts({**call["input"], "columns": []}) if len(text) > 3}
    asked -= {text for text in asked if re.fullmatch(r"[0-9.]+[万亿]?|[0-9]{4}年[0-9]{2}月[0-9]{2}日", text)}
    assert asked
    for told in tasks:
        assert story["question"] not in told
        assert not [text for text in asked if text in told]


@every_story
def test_the_lean_forms_satisfy_their_schemas(story: Mapping[str, Any]) -> None:
    tools = cards.specs(cards.tools_for(cards.complete(story["tables"]), "lean"))
    before = {"react": {"thought": schemas.THOUGHT}, "plan-execute": {"plan": schemas.steps_schema()}}
    for method in METHODS:
        schema = schemas.action_schema(tools, before.get(method, {}))
        own = cards.shown(method).split(f"【例{STORIES.index(story) + 1}】")[1].split("【例")[0]
        objects = [json.loads(line) for line in own.splitlines() if line.startswith("{")]
        assert objects
        for value in objects:
            assert violation(schemas.plan_schema() if set(value) == {"plan"} else schema, value) == ""


@pytest.mark.parametrize(
    "kind", ["react+free", "plan-solve+free", "plan-execute+free", "react-thought+paper", "plan-action+paper"]
)
def test_the_free_forms_are_read_without_repair(kind: str) -> None:
    shown = cards.shown(kind)
    fences = re.findall(r"```json.*?```", shown, re.DOTALL)
    assert len(fences) >= 3
    for fence in fences:
        assert reading.action(fence).result == "ok"
    for plan in re.findall(r"计划：(第1步：.*)", shown):
        assert reading.steps_of(plan)


def test_no_prompt_keeps_an_unfilled_field() -> None:
    tools = cards.specs(cards.tools_for(["CompanyInfo"], "paper"))
    filled = [
        cards.paper_card("react-thought", "react-thought/1", tools, question="问", scratchpad="", number="1"),
        cards.paper_card("plan-solve", "plan-solve-paper/1", tools, question="问"),
        cards.paper_card("plan-execute", "plan-execute-paper/1", tools, question="问"),
        cards.paper_card("plan-action", "plan-action-paper/1", tools, step="步", scratchpad=""),
        cards.paper_card("replan", "replan/1", tools, question="问", plan="计", scratchpad=""),
        fill("answer/1", question="问", scratchpad=""),
        fill("summary/1", question="问", scratchpad=""),
    ]
    filled += [cards.lean_card(one, f"{one}/1", mode, tools) for one in METHODS for mode in ("lean", "free")]
    for text in filled:
        assert not re.search(r"\{[a-z]+\}", text)


def test_schemas_enumerate_tools_and_columns() -> None:
    tools = cards.specs(cards.tools_for(cards.complete(["LegalDoc"]), "lean"))
    schema = schemas.action_schema(tools, {"thought": schemas.THOUGHT})

    def fits(tool: str, given: Any) -> bool:
        return violation(schema, {"thought": "", "action": tool, "action_input": given}) == ""

    assert fits("get_legal_document", {"identifier": "（2020）1号", "columns": ["原告"]})
    assert not fits("get_legal_document", {"identifier": "（2020）1号", "columns": ["法院名称"]})
    assert not fits("get_legal_document", {"identifier": "", "columns": []})
    assert not fits("get_court_info", {"identifier": "甲法院", "columns": []})
    assert not fits("get_sum", {"identifier": []})
    assert fits("get_division", {"dividend": 1.5, "divisor": "3.87亿"})
    assert fits("legal_case_retriever", {"identifier": "违约金过高", "k": 2})
    assert fits("Final Answer", "答") and not fits("finish", {"answer": "答"})
    every = schemas.action_schema(TOOLS.values())
    named = [name for branch in every["anyOf"] for name in branch["properties"]["action"]["enum"]]
    assert sorted(named) == sorted({*TOOLS} - {"finish"} | {"Final Answer"})
