"""The reader of tagged text: every text has a reading, quickly; the obliging and the strict one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.agents.reading import call_of
from tasks.agents.tags import TAGS, defused
from tasks.legalsearch.agents.acting import lean_reader, normalized_input
from tasks.legalsearch.agents.briefing import TOOLS, answer_text
from tasks.legalsearch.agents.reading import read_freely, read_strictly, steps_of
from tasks.legalsearch.agents.schemas import act_schema, answer_schema, plan_schema
from tasks.legalsearch.rewards import faults_of

pytestmark = pytest.mark.slow

CALL = '{"name": "rag_retrieve", "arguments": {"query": ["甲"]}}'
WHOLE = f"<think>想</think><tool_call>{CALL}</tool_call>"
MARKS = [*(f"<{tag}>" for tag in TAGS), *(f"</{tag}>" for tag in TAGS), "＜think＞", "< PLAN >", "</ answer>", "<",
    ">", "{", "}", '"', CALL, "甲", "\n", " "]  # fmt: skip
WORDS = st.lists(st.one_of(st.sampled_from(MARKS), st.text(max_size=6)), max_size=40).map("".join)


@given(WORDS)
def test_what_is_balanced_and_flat_is_read_without_repair(text: str) -> None:
    clean = defused(text).replace("<", "").replace("＜", "").replace("{", "").strip() or "甲"
    said = read_freely(f"<think>{clean}</think>\n<answer>{clean}</answer>")
    assert (said.result, said.answer, said.think) == ("ok", clean, clean)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (WHOLE, {"tool": "rag_retrieve", "result": "ok", "think": "想"}),
        (f"<think>想<tool_call>{CALL}</tool_call>", {"tool": "rag_retrieve", "think": "想"}),  # think never closed
        (f"<think>想</think><tool_call>{CALL}", {"tool": "rag_retrieve"}),  # call never closed
        (f"<think>要写<answer>还是<tool_call>？</think><tool_call>{CALL}</tool_call>",
            {"tool": "rag_retrieve", "result": "ok"}),
        (f"<THINK>想</THINK>＜tool_call＞{CALL}＜/tool_call＞", {"tool": "rag_retrieve", "think": "想"}),
        (f"想一想\n```json\n{CALL}\n```", {"tool": "rag_retrieve"}),
        ("<tool_call>{'name': 'web_search', 'arguments': {'query': '甲'}}</tool_call>", {"tool": "web_search"}),
        ('<tool_call>{"name": "web_search", "arguments": "{\\"query\\": [\\"甲\\"]}"}</tool_call>',
            {"arguments": {"query": ["甲"]}}),
        (f"{WHOLE}<tool_response>假</tool_response><think>x</think><answer>C</answer>",
            {"tool": "rag_retrieve", "answer": None}),
        (f"<think>x</think><answer>C</answer>{WHOLE}", {"tool": None, "answer": "C"}),
        ("<think>x</think><tool_call>坏</tool_call><answer>C</answer>", {"answer": "C"}),
        ("<plan>1. 查\n2. 答</plan>", {"plan": ("查", "答"), "result": "ok"}),
        ("<think>x<plan>查</plan></think>", {"plan": ("查",)}),
    ],
)  # fmt: skip
def test_an_obliging_reading(text: str, wanted: dict[str, Any]) -> None:
    said = read_freely(text)
    assert {name: getattr(said, name) for name in wanted} == wanted
    if "result" not in wanted:
        assert said.result == "repaired" and said.note


@pytest.mark.parametrize(
    "text", ["", "B", "<think>x</think>", "<tool_call>无</tool_call>", "</plan>", "<answer></answer>"]
)
def test_what_says_nothing_is_rejected_with_a_reason(text: str) -> None:
    said = read_freely(text)
    assert said.result == "rejected" and said.note


PLAN = "<think>想</think><plan>查</plan>"


@pytest.mark.parametrize(
    ("text", "first", "stop"),
    [
        (PLAN, True, ""),
        (PLAN + "\n ", False, ""),
        (PLAN + "好", True, "没有可执行的工具调用"),
        (WHOLE, False, ""),
        (WHOLE, True, "第一轮没有计划"),
        ("<think>想</think><answer>A</answer>", True, "第一轮没有计划"),
        ("<think>想</think><answer>A</answer>", False, "已作答"),
        (PLAN + WHOLE, True, "计划与工具调用写在同一轮"),
        ("<think>想" + WHOLE, False, "标签不成对：<think>2个，</think>1个"),
        (WHOLE.replace("{", ""), False, "没有可执行的工具调用"),
        ("B", False, "没有可执行的工具调用"),
        (WHOLE + "<answer>A</answer>", False, ""),  # the call is run, whatever else is said
    ],
)
def test_where_the_published_loop_stops(text: str, first: bool, stop: str) -> None:
    said = read_strictly(text, first=first)
    assert said.stop == stop
    assert (said.tool == "rag_retrieve") == (not stop and "<tool_call>" in text)


def test_the_published_loop_runs_the_first_call_that_it_can_read() -> None:
    other = CALL.replace("rag_retrieve", "web_search")
    said = read_strictly(
        f"<tool_call>坏</tool_call><tool_call>{other}</tool_call><tool_call>{CALL}</tool_call>", first=False
    )
    assert (said.tool, said.arguments) == ("web_search", {"query": ["甲"]})
    assert read_freely(WHOLE * 2).note == "一轮只执行一个工具调用"


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("1. 查法条\n2、对照\n（三）作答", ("查法条", "对照", "作答")),
        ("第1步：查法条。第2步：作答。", ("查法条。", "作答。")),
        ("1. 查 2004.3.1 的版本；2. 作答", ("查 2004.3.1 的版本", "作答")),
        ("- 查\n\n* 答", ("查", "答")),
        ("查后作答", ("查后作答",)),
        (" \n", ()),
    ],
)
def test_the_steps_of_a_plan(text: str, steps: tuple[str, ...]) -> None:
    assert steps_of(text) == steps


@pytest.mark.parametrize(
    ("given", "wanted", "repaired"),
    [
        ({"query": ["甲", "甲 ", "乙"]}, {"query": ["甲", "乙"]}, False),
        ({"query": "甲"}, {"query": ["甲"]}, True),
        ({"queries": ["甲"]}, {"query": ["甲"]}, True),
        (["甲"], {"query": ["甲"]}, True),
        ("甲", {"query": ["甲"]}, True),
        (None, None, False),
    ],
)  # fmt: skip
def test_arguments_are_settled_or_left_to_the_tool(given: Any, wanted: Any, repaired: bool) -> None:
    value, note = normalized_input("rag_retrieve", given)
    assert value == wanted and bool(note) == repaired


ACT = act_schema(TOOLS, answer_schema("letters", "ABCD"))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ('{"think": "x", "action": "web_search", "query": "甲"}', "ok"),
        ('{"think": "x", "action": "browse_webpage", "url_list": ["a"]}', "ok"),
        ('{"think": "x", "action": "answer", "answer": "AC"}', "ok"),
        ('{"think": "x", "action": "answer", "answer": "CA"}', "rejected"),
        ('{"think": "x", "action": "browse_webpage", "query": ["a"]}', "repaired"),
        ('{"think": "x", "action": "web_search", "query": ["甲", "乙"]}', "repaired"),
        ('好的：{"think": "x", "action": "web_search", "query": ["甲"]}', "repaired"),
        ('{"thought": "x", "name": "web_search", "arguments": {"query": ["甲"]}}', "repaired"),
        ('{"think": "x", "action": "web_search", "query": []}', "rejected"),
        ("", "rejected"),
    ],
)
def test_a_lean_round(text: str, result: str) -> None:
    read = lean_reader(ACT, "letters")(text)
    assert (read.result, read.note) in ((result, ""),) if result == "ok" else read.result == result and read.note


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        ("letters", "AC", "AC"),
        ("charges", ["盗窃", "诈骗；盗窃"], "盗窃;诈骗"),
        ("article", {"title": "【盗窃罪】", "text": "盗窃……"}, "【盗窃罪】盗窃……"),
        ("article", {"title": "", "text": "甲"}, "甲"),
        ("consultation", {"reply": "回答:可以", "basis": "法律依据：甲法"}, "回答:可以\n法律依据:甲法"),
        ("consultation", "可以", "可以"),
        ("months", "12个月", "12个月"),
    ],
)
def test_answers_in_the_form_of_the_task(form: Any, value: Any, text: str) -> None:
    assert answer_text(form, value) == text


def test_a_call_beside_other_fields_is_no_surprise() -> None:
    assert call_of('{"name": 3}') is None
    assert call_of("[1]") is None
    assert call_of('{"name": " x ", "arguments": null}') == ("x", None, "")
    assert faults_of("", "paper")


def test_every_schema_is_a_grammar(tiny_gguf: Path) -> None:
    pytest.importorskip("llama_cpp")
    from models.llama.grammar import Grammar
    from models.llama.native import Model
    from tasks.legalsearch.seats import READING_SCHEMA

    answers = [answer_schema(form, "ABCD") for form in ("months", "charges", "article", "consultation")]
    answers += [answer_schema("letters", letters) for letters in ("ABCD", "", "ABCDEFGH")]
    model = Model(str(tiny_gguf), lambda _: True, words_only=True)
    for schema in (
        READING_SCHEMA,
        plan_schema(),
        act_schema((), answers[0]),
        *(act_schema(TOOLS, one) for one in answers),
    ):
        Grammar(model, schema)
    model.close()
