"""Native calls in the three benchmarks: what a model is told, how its history stands, what is made of what it
says."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.engine import Ask, EngineError, Message, Reply, ToolCall, ToolInfo, Usage
from tasks.agents import native
from tasks.courts.play.tools import CourtTools
from tasks.episode.with_tools import ToolResult
from tasks.errors import UsageError
from tests.support import law_stage
from tests.support.court_run_fixture import first_cases
from tests.support.court_stage import Court, plain_reply
from tests.support.policy_stage import RANK, SUM, THOUGHT, Actor, Rehearsal, well_behaved

LAB = "react/1+native"
LAW = "search/1+native"


OBJECT = {"name": SUM[0], "arguments": SUM[1]}
TAGS = f"<function={SUM[0]}>\n<parameter=identifier>\n{json.dumps(SUM[1]['identifier'])}\n</parameter>\n</function>"


def called(call: tuple[str, Any], said: str = THOUGHT) -> Reply:
    """What an engine gives that was told tools."""
    made = ToolCall(call[0], json.dumps(call[1], ensure_ascii=False), "chatcmpl-1")
    return Reply(said, Usage(generated=9), calls=(made,), reasoning="先想想")


def lab(ask: Ask, number: int) -> Reply | str:
    """Two calls, then words; everything else under its schema."""
    if ask.schema is not None:
        return well_behaved("react/1")(ask, number)
    return {1: called(SUM), 2: called(RANK, "")}.get(ask.step, "查到两家。")


def rehearsed(play: Callable[[Ask, int], str | Reply | EngineError] = lab, **more: Any) -> Rehearsal:
    return Rehearsal(LAB, Actor(play), **more).run()


# --- LegalAgentBench ------------------------------------------------------------------------------------------------


def test_react_calls_tools_and_ends_with_words() -> None:
    stage = rehearsed()
    assert stage.actor.prompts == ["table-filter/1", *["react-native/1"] * 3, "answer-summary/1"]
    assert stage.outcome == "finished" and "1234家" in stage.events("answered")[0].res
    assert [(one.tool, one.input) for one in stage.events("tool_called")] == [SUM, RANK]
    assert [one.text for one in stage.events("thought")] == [THOUGHT]
    assert {one.result for one in stage.events("action_parsed")} == {"ok"}


def test_tools_are_told_and_history_is_calls_and_results() -> None:
    filtered, *asks, last = rehearsed().actor.asks
    assert filtered.tools == () and filtered.schema is not None
    names = [tool.name for tool in asks[0].tools]
    assert "get_sum" in names and "get_sub_company_info" in names and "finish" not in names
    assert all(ask.tools == asks[0].tools and ask.schema is None for ask in asks)
    assert last.tools == asks[0].tools and last.schema is not None, "what has been read stays in memory"
    assert "get_sum" not in asks[0].messages[0].content, "the template or the server tells them"
    sub = next(tool for tool in asks[0].tools if tool.name == "get_sub_company_info")
    assert (
        sub.parameters["properties"]["columns"]["items"]["enum"]
        and sub.parameters["properties"]["identifier"]["description"]
    )
    roles = [message.role for message in last.messages]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool", "assistant", "user"]
    first, second = last.messages[2], last.messages[4]
    assert (first.content, first.calls[0].name, json.loads(first.calls[0].arguments)) == (THOUGHT, *SUM)
    assert last.messages[3].answers == first.calls[0].id != second.calls[0].id
    assert {len(first.calls[0].id), len(second.calls[0].id)} == {9}, "some templates want nine characters"
    for before, after in zip(asks, asks[1:], strict=False):
        assert after.messages[: len(before.messages)] == before.messages


@pytest.mark.parametrize(
    ("said", "result", "note"),
    [
        (Reply("", calls=called(SUM).calls + called(RANK).calls), "repaired", native.SEVERAL),
        (Reply("", calls=(ToolCall("get_sum", "{'identifier': [1, 2]}"),)), "repaired", "JSON"),
        (Reply(f"<tools>\n{{{json.dumps(OBJECT)}}}\n</tools>"), "repaired", "JSON"),
        (Reply(f"先求和。\n```json\n{json.dumps(OBJECT)}\n```"), "repaired", "JSON"),
        (Reply(f"<tool_call>\n{TAGS}\n</tool_call>"), "repaired", native.ANOTHER),
        (Reply('<tools>\n{{"name": "get_sum", "argum'), "rejected", native.UNREAD),
        (Reply("<tool_call>今天不查</tool_call>"), "rejected", native.UNREAD),
        (Reply("  \n"), "rejected", native.NOTHING),
        (Reply("", finish="length", reasoning="想" * 3000), "rejected", native.NOTHING),
    ],
)
def test_one_call_is_run_and_the_rest_is_noted(said: Reply, result: str, note: str) -> None:
    stage = rehearsed(lambda ask, number: lab(ask, number) if ask.schema is not None or ask.step > 1 else said)
    first = stage.events("action_parsed")[0]
    assert (first.result, note in first.note) == (result, True)
    tried = [ask for ask in stage.actor.asks if ask.step == 1 and ask.schema is None]
    assert len(tried) == (2 if result == "rejected" else 1)
    assert stage.outcome == "finished", "no episode is stuck"
    if result == "repaired":
        assert (stage.events("tool_called")[0].tool, stage.events("tool_called")[0].input) == SUM


def test_only_words_end_the_task_at_once() -> None:
    """A server that leaves its tools out: its model answers, and nothing waits for a call."""
    stage = rehearsed(lambda ask, number: lab(ask, number) if ask.schema is not None else "两家。")
    assert stage.outcome == "finished" and not stage.events("tool_called")


# --- LegalSearch ----------------------------------------------------------------------------------------------------


def law(ask: Ask, number: int) -> Reply | str:
    if ask.schema is not None:
        return law_stage.lean_plan() if ask.prompt == "search-first/1" else law_stage.lean_answer()
    return {2: called(law_stage.QUERY), 3: called(law_stage.PAGES)}.get(ask.step, "应选 B。")


def test_the_search_agent_plans_calls_and_answers() -> None:
    episode = law_stage.Episode(LAW, law).run()
    asks = episode.actor.asks
    assert [ask.prompt for ask in asks] == ["search-first/1", *["search-native/1"] * 3, "search-close/1"]
    assert (episode.outcome, episode.answer) == ("finished", "B")
    assert [(one.tool, one.input) for one in episode.events("tool_called")] == [law_stage.QUERY, law_stage.PAGES]
    assert all(len(ask.tools) == 3 for ask in asks) and len({ask.messages[0].content for ask in asks}) == 1
    result = asks[2].messages[-1]
    assert result.role == "tool" and "<tool_response>" not in result.content, "the template marks it"
    assert asks[-1].messages[-1].role == "user" and asks[-1].schema is not None


def test_a_foreign_name_is_told_by_the_tool_and_turns_end() -> None:
    episode = law_stage.Episode(
        LAW, lambda ask, number: law(ask, number) if ask.schema else called(("no_such", {"q": "甲"})), turns=3
    )
    episode.run()
    assert episode.outcome == "turn_limit" and episode.answer == "B"
    assert {one.tool for one in episode.events("tool_called")} == {"no_such"}


# --- courts ---------------------------------------------------------------------------------------------------------

CASE = next(case for case in first_cases() if case.env == "CI")
SEARCH = ("search_law", {"query": "民间借贷 利率"})


def court(said: Callable[[Ask, int], Reply | str], mode: str = "native") -> Court:
    """A trial whose judge is asked natively; everybody else says one sentence under a schema."""
    tools = CourtTools(None, {CASE.id: CASE}, ("search_law", "show_law"))
    tools._returned = lambda *_: ToolResult("ok", "第六百七十五条")  # type: ignore[method-assign]

    def play(ask: Ask, role: str, number: int) -> Any:
        return said(ask, number) if role == "judge" else plain_reply(ask, role, "同意。")

    return Court(CASE, play, tools=tools, mode=mode)


def test_a_judge_looks_up_and_speaks() -> None:
    stage = court(
        lambda ask, number: called(SEARCH) if ask.messages[-1].role != "tool" else "请原告陈述诉讼请求。"
    ).run(6)
    judge = [ask for _, ask in stage.asks if ask.tools]
    assert [(one.tool, one.input) for one in stage.tagged("tool_called")][:1] == [SEARCH]
    assert [tool.name for tool in judge[0].tools] == ["search_law", "show_law"] and judge[0].schema is None
    assert "tool_call" not in judge[0].messages[0].content and "调用工具" in judge[0].messages[0].content
    assert [message.role for message in judge[1].messages[-2:]] == ["assistant", "tool"]
    assert judge[1].messages[-2].calls[0].name == "search_law"
    assert any(one.text == "请原告陈述诉讼请求。" for one in stage.tagged("said"))


def test_a_judge_who_only_calls_is_told_so_and_the_trial_goes_on() -> None:
    stage = court(lambda ask, number: called(SEARCH, "")).run(5)
    assert len(stage.tagged("tool_called")) == 3, "so many as a turn may have"
    assert "rejected" in {one.result for one in stage.tagged("action_parsed")}
    assert not any("tool_call" in one.text for one in stage.tagged("said"))


@pytest.mark.parametrize("mode", ["native", "free"])
def test_a_judgment_that_is_cut_off_goes_on_behind_the_very_prompt(mode: str) -> None:
    text = "本院认为，合同成立，被告应当还款。判决如下：一、被告返还原告借款五万元。"
    call = (
        called(SEARCH)
        if mode == "native"
        else '<tool_call>{"name": "search_law", "arguments": {"query": "借款"}}</tool_call>'
    )

    def said(ask: Ask, number: int) -> Reply | str:
        if number < 3:
            return (call, Reply(text[:20], finish="length"))[number - 1]
        return text[20:]

    stage = court(said, mode).run(3)
    _, cut, rest = stage.prompts("judge")[:3]
    assert rest.messages[: len(cut.messages)] == cut.messages and rest.tools == cut.tools
    assert any(message.role == "tool" for message in rest.messages) == (mode == "native")
    assert text in [one.text for one in stage.tagged("said")]


# --- what all share -------------------------------------------------------------------------------------------------


MARKS = [
    "<tool_call>", "</tool_call>", "[TOOL_CALLS]", "<|python_tag|>", "[ARGS]", "<arg_key>", "</arg_key>",
    "<arg_value>", '{"name": "f", "arguments": {}}', '{"name": "f", "parameters": "x"}', "[", "{", '"', "f", " ",
    "\n", "查",
]  # fmt: skip


@given(st.text(max_size=40) | st.lists(st.sampled_from(MARKS), max_size=14).map("".join))
def test_every_turn_has_a_reading_and_a_place_in_history(text: str) -> None:
    turn = native.turn_of(text)
    assert turn.tool is None or isinstance(turn.arguments, dict)
    talk = native.structured([Message("user", "问"), Message("assistant", text), Message("user", "答")])
    assert [message.role for message in talk] == ["user", "assistant", "tool" if turn.tool else "user"]
    assert all(json.loads(call.arguments) is not None for message in talk for call in message.calls)


def test_prose_before_a_call_is_kept_however_long() -> None:
    tools = (ToolInfo(SUM[0], "求和", {"type": "object"}),)
    for blanks in (1, 200_000):
        text = f"先查。{' ' * blanks}甲。\n<tools>\n```json\n{{{json.dumps(OBJECT)}}}\n```\n</tools>"
        turn = native.turn_of(text, tools)
        assert (turn.tool, turn.said) == (SUM[0], f"先查。{' ' * blanks}甲。")


def test_a_seat_without_tools_is_refused() -> None:
    with pytest.raises(UsageError, match="has no tools here"):
        native.check_tools("native", ())
    native.check_tools("schema", ())
