"""Servers and calls of tools: what each of the common ones sends, and those that leave tools out, refuse or think for
ever."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from models.calls import PROBE
from models.endpoint import EndpointEngine
from models.engine import Ask, Message, ToolCall
from models.errors import BadEngine
from tests.models.conftest import question, reply
from tests.support.fake_endpoint import DONE, Call, FakeServer, chunk, usage

CALL = ToolCall("look_up", '{"text": "借款"}', "call-7")


def tooled(*more: Message, **named: Any) -> Ask:
    return question("怎么还款？", *more, tools=(PROBE,), **named)


def streams(*events: dict[str, Any], finish: str = "tool_calls", **counts: Any) -> Callable[[Call], None]:
    """A server that sends these deltas."""

    def chat(call: Call) -> None:
        call.begin()
        for delta in events:
            call.write(chunk(delta))
        call.write(chunk({}, finish))
        call.write(chunk(usage={**usage(10, 20), **counts}) + DONE)

    return chat


def piece(index: int, name: str = "", given: Any = None, key: str = "") -> dict[str, Any]:
    told = {**({"name": name} if name else {}), **({} if given is None else {"arguments": given})}
    return {"tool_calls": [{"index": index, **({"id": key, "type": "function"} if key else {}), "function": told}]}


def test_tools_and_history_are_sent_as_servers_know_them(server: FakeServer, engine: EndpointEngine) -> None:
    server.chat = streams({"content": "好"})
    history = (Message("assistant", "先查。", (CALL,)), Message("tool", "第六百七十五条", answers="call-7"))
    reply(engine, tooled(*history))
    body = server.asked[-1]
    assert body["tools"] == [
        {
            "type": "function",
            "function": {"name": PROBE.name, "description": PROBE.description, "parameters": PROBE.parameters},
        }
    ]
    assert body["tool_choice"] == "auto"
    made = {"id": "call-7", "type": "function", "function": {"name": "look_up", "arguments": CALL.arguments}}
    assert body["messages"][1:] == [
        {"role": "assistant", "content": "先查。", "tool_calls": [made]},
        {"role": "tool", "content": "第六百七十五条", "tool_call_id": "call-7"},
    ]
    reply(engine, tooled(*history, schema={"type": "object"}))
    assert server.asked[-1]["tool_choice"] == "none", "the schema leaves no room for a call"


SHAPES: dict[str, tuple[Callable[[Call], None], str]] = {
    "calls alone, in pieces (vLLM)": (
        streams(piece(0, "look_up", "", "call-7"), piece(0, given='{"text": '), piece(0, given='"借款"}')),
        "",
    ),
    "reasoning before them (vLLM, llama-server)": (
        streams({"reasoning_content": "要先查条文。"}, piece(0, "look_up", CALL.arguments, "call-7")),
        "",
    ),
    "a think block in the content": (
        streams({"content": "<think>要先"}, {"content": "查。</think>"},
            piece(0, "look_up", CALL.arguments, "call-7")),
        "",
    ),
    "words beside them": (streams({"content": "我来查。"}, piece(0, "look_up", CALL.arguments, "call-7")),
        "我来查。"),
    "arguments as an object (Ollama)": (streams(piece(0, "look_up", {"text": "借款"}, "call-7")), ""),
    "no number (Ollama)": (
        streams({"tool_calls": [{"id": "call-7", "function": {"name": "look_up", "arguments": CALL.arguments}}]}),
        "",
    ),
    "left in the content, marked": (
        streams({"content": '我来查。<tool_call>\n{"name": "look_up", "arguments": {"text": "借款"}}'},
            {"content": "\n</tool_call>"}, finish="stop"),
        "我来查。",
    ),
    "left in the content, bare": (
        streams({"content": '{"name": "look_up", "parameters": {"text": "借款"}}'}, finish="stop"),
        "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_a_call_is_read_from_every_kind_of_server(shape: str, server: FakeServer, engine: EndpointEngine) -> None:
    server.chat, said = SHAPES[shape]
    found = reply(engine, tooled())
    (made,) = found.calls
    assert (made.name, json.loads(made.arguments)) == ("look_up", {"text": "借款"})
    assert (found.text, found.finish) == (said, "stop")
    assert ("要先" in found.reasoning) == ("think" in shape or "reasoning" in shape)


def test_several_calls_keep_their_order_whatever_their_numbers(server: FakeServer, engine: EndpointEngine) -> None:
    two = [piece(0, "look_up", '{"text": "甲"}', "a"), piece(0, "look_up", '{"text": "乙"}', "b")]
    mixed = [
        piece(0, "look_up", key="a"),
        piece(1, "look_up", key="b"),
        piece(1, given='{"text": "乙"}'),
        piece(0, given='{"text": "甲"}'),
    ]
    for events in (two, mixed):
        server.chat = streams(*events)
        assert [json.loads(one.arguments)["text"] for one in reply(engine, tooled()).calls] == ["甲", "乙"]


def test_a_call_that_nobody_asked_for_stands_in_the_text(server: FakeServer, engine: EndpointEngine) -> None:
    server.chat = streams(piece(0, "look_up", CALL.arguments, "call-7"))
    found = reply(engine, question(schema={"type": "object"}))
    assert found.calls == () and '"name": "look_up"' in found.text and "借款" in found.text


def test_three_thousand_tokens_of_thought_are_told_apart(server: FakeServer, engine: EndpointEngine) -> None:
    parted = {"completion_tokens": 3020, "completion_tokens_details": {"reasoning_tokens": 3000}}
    server.chat = streams({"reasoning_content": "想" * 3000}, {"content": "按约定还。"}, finish="stop", **parted)
    found = reply(engine, tooled(settings={"max_tokens": 1024, "reasoning": 4096}))
    assert server.asked[-1]["max_tokens"] == 5120
    assert (found.usage.generated, found.usage.reasoned, found.text) == (3020, 3000, "按约定还。")
    server.chat = streams({"reasoning_content": "想" * 3000}, finish="length", completion_tokens=1024)
    endless = reply(engine, tooled(settings={"max_tokens": 1024}))
    assert (endless.text, endless.finish) == ("", "length")
    assert "all 1024 tokens went into reasoning" in endless.note and "reasoning=N" in endless.note


# --- before a run ---------------------------------------------------------------------------------------------------


def counting(call: Call) -> None:
    """A server whose template tells tools to its model."""
    size = len(json.dumps(call.body["messages"])) + len(json.dumps(call.body.get("tools", "")))
    call.begin()
    call.write(chunk({"content": "1"}))
    call.write(chunk({}, "length") + chunk(usage=usage(size, 1)) + DONE)


def test_a_server_is_tried_with_one_tool(server: FakeServer, engine: EndpointEngine) -> None:
    server.chat = counting
    engine.check_tools()
    without, told = server.asked
    assert "tools" not in without and told["tools"] and told["max_tokens"] == 1


def test_a_server_that_counts_nothing_is_believed(server: FakeServer, engine: EndpointEngine) -> None:
    server.chat = lambda call: call.send(chunk({"content": "1"}, "stop") + DONE)
    engine.check_tools()


@pytest.mark.parametrize(
    ("chat", "said"),
    [
        (lambda call: call.speak("1"), "leaves out tools"),
        (
            lambda call: call.refuse(400, '"auto" tool choice requires --enable-auto-tool-choice')
            if "tools" in call.body else counting(call),
            "does not take tools",
        ),
        (lambda call: call.refuse(500, "tools param requires --jinja flag") if "tools" in call.body
            else counting(call), "does not take tools"),
        (lambda call: call.refuse(400, "m does not support tools") if "tools" in call.body else counting(call),
            "does not take tools"),
        (lambda call: call.refuse(500, "out of memory"), "out of memory"),
    ],
)  # fmt: skip
def test_what_cannot_take_tools_says_so_in_a_sentence(
    chat: Callable[[Call], None], said: str, server: FakeServer, engine: EndpointEngine
) -> None:
    server.chat = chat
    with pytest.raises(BadEngine, match=said) as refused:
        engine.check_tools()
    assert "\n" not in str(refused.value)
