"""Runs with native calls as a user starts them, on servers of every shape: tasks finish, and what was used is on
record."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from store.journal import Journal
from tests.cli.conftest import Moot
from tests.support.fake_endpoint import DONE, Call, FakeServer, chunk, usage

NAME, GIVEN = "get_sum", {"identifier": [1, 2]}
TEXT = json.dumps({"name": NAME, "arguments": GIVEN})
THOUGHT = 1200


def pieces(call: Call) -> None:
    given = json.dumps(GIVEN)
    for part in (
        {"id": "call-1", "function": {"name": NAME, "arguments": ""}},
        *({"function": {"arguments": x}} for x in given),
    ):
        call.write(chunk({"tool_calls": [{"index": 0, **part}]}))


def whole(call: Call) -> None:
    call.write(chunk({"tool_calls": [{"index": 0, "id": "c", "function": {"name": NAME, "arguments": GIVEN}}]}))


def thought(key: str) -> Callable[[Call], None]:
    return lambda call: [call.write(chunk({key: f"第{n}步想。"})) for n in range(THOUGHT)] and pieces(call)


def in_block(call: Call) -> None:
    call.write(chunk({"content": "<think>" + "想" * THOUGHT}))
    call.write(chunk({"content": "</think>我来算。"}))
    pieces(call)


SHAPES: dict[str, Callable[[Call], None]] = {
    "pieces": pieces,
    "whole": whole,
    "reasoning_content": thought("reasoning_content"),
    "think block": in_block,
    "left in the text": lambda call: call.write(chunk({"content": f"<tool_call>\n{TEXT}\n</tool_call>"})) and None,
    "bare": lambda call: call.write(chunk({"content": TEXT})) and None,
    "no call at all": lambda call: call.write(chunk({"content": "三。"})) and None,
}


def plays(shape: Callable[[Call], None]) -> Callable[[Call], None]:
    """A model behind a server of this shape: it calls a tool once, then it answers."""

    def chat(call: Call) -> None:
        body = call.body
        size = len(json.dumps([body["messages"], body.get("tools", [])]))
        call.begin()
        if "response_format" in body:
            tables = "tables" in json.dumps(body["response_format"])
            said = {"tables": ["CompanyInfo"]} if tables else {"answer": "共三。", "summary": "合计为三。"}
            call.write(chunk({"content": json.dumps(said, ensure_ascii=False)}))
        elif any(message["role"] == "tool" for message in body["messages"]):
            call.write(chunk({"content": "合计为三。"}))
        else:
            shape(call)
        call.write(chunk({}, "stop"))
        parted = {"completion_tokens_details": {"reasoning_tokens": THOUGHT}}
        call.write(chunk(usage={**usage(size, THOUGHT + 20), **parted}) + DONE)

    return chat


def called(path: Path) -> list[dict[str, Any]]:
    with Journal.open(path) as journal:
        return [entry.data for entry in journal.entries(journal.attempts("1")[-1].id) if entry.tag == "model_called"]


@pytest.mark.parametrize("shape", SHAPES)
def test_tasks_finish_on_servers_of_every_shape(shape: str, moot: Moot, server: FakeServer) -> None:
    server.chat = plays(SHAPES[shape])
    block = moot.run(f"endpoint:{server.spec}", "--calls", "native", "--task", "1").block()
    assert block["outcomes"]["finished"] == 1 and block["actions"].get("rejected", 0) == 0
    calls = called(moot.path())
    made = [call["calls"][0][0] for call in calls if call.get("calls")]
    assert made == ([] if shape == "no call at all" else [NAME])
    with Journal.open(moot.path()) as journal:
        spec = journal.header["spec"]
        tools = journal.text_of(next(call["tools_name"] for call in calls if call.get("tools_name")))
    assert spec["calls"] == "native" and NAME in tools
    told = moot("show", block["run"], "1", "--prompts").out
    assert f"思考 {THOUGHT:,} + 回复 20" in told and "[tools]" in told
    assert ("[tool] " in told) == bool(made)


def test_a_native_run_is_replayed_forked_and_exported(moot: Moot, server: FakeServer, tmp_path: Path) -> None:
    server.chat = plays(pieces)
    block = moot.run(f"endpoint:{server.spec}", "--calls", "native", "--task", "1").block()
    assert moot("show", block["run"]).out.splitlines()[0].endswith("calls native")
    assert moot("show", block["run"], "1", "--verify").code == 0, moot.err
    assert "calls = native" in moot("report", block["run"]).out
    first = moot.path()
    asked = len(server.asked)
    again = tmp_path / "again.moot"
    moot.run(f"recorded:{block['run']}", "--calls", "native", "--task", "1", "--out", str(again)).block()
    assert len(server.asked) == asked and [one["asked"] for one in called(again)] == [
        one["asked"] for one in called(first)
    ]
    forked = tmp_path / "forked.moot"
    assert moot("fork", block["run"], "1", "--turn", "1", "--out", str(forked), "--json").code == 0, moot.err
    with Journal.open(forked) as journal:
        for one in called(forked):
            assert all(journal.text(name) for _, name in one.get("carried", ()))
    lines = tmp_path / "lines.jsonl"
    assert moot("export", block["run"], "--to", "jsonl", "--out", str(lines)).code == 0, moot.err
    texts = {row["hash"] for row in map(json.loads, lines.read_text("utf-8").splitlines()) if row["kind"] == "text"}
    for one in called(first):
        assert {one.get("tools_name", ""), *(name for _, name in one.get("carried", ()))} - {""} <= texts


def test_what_cannot_be_is_said_before_anything_is_written(moot: Moot, server: FakeServer) -> None:
    server.chat = lambda call: call.speak("1")
    moot.run(f"endpoint:{server.spec}", "--calls", "native").refused(2, "leaves out tools", "--calls schema")
    needs = "tool choice requires --tool-call-parser"
    server.chat = lambda call: call.refuse(400, needs) if "tools" in call.body else call.speak("1")
    moot.run(f"endpoint:{server.spec}", "--calls", "native").refused(2, "does not take tools", "--calls schema")
    moot.run(f"endpoint:{server.spec}", "--paper", "--calls", "native").refused(2, "--paper and --calls native")
    moot.run(f"endpoint:{server.spec}", "--calls", "native", "--agent", "direct").refused(2, "has no native form")
