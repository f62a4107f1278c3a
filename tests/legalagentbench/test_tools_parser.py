"""The action parser is total: every text has a result, valid calls come through unchanged, nothing is evaluated."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from models.schema import violation
from tasks.legalagentbench import schemas
from tasks.legalagentbench.agents import reading
from tasks.legalagentbench.parser import Parsed, compat_input, parse_action
from tasks.legalagentbench.tools import TOOLS, Toolbox

TOOLBOX = Toolbox(None)

KEYS = st.text(max_size=8)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
FRAGMENTS = st.lists(
    st.sampled_from(
        ["```json", "```", "{", "}", "[", "]", '"action"', "'action'", ":", "：", ",", "，", "“", "”", '"', "'", "\\",
            "\\u",
         "\ud800", "NaN", "None", "True", "1e999", '"action_input"', "get_sum", "pythontool_call(", ")", "a=", "(",
         "*",
         "lambda:0", "\n", "\x00", "{'action':", "=", "思考", "#", "'''"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


def fenced(action: Any) -> str:
    return f"思考：查一下。\n```json\n{json.dumps(action, ensure_ascii=False)}\n```"


@pytest.mark.slow
@given(st.text(min_size=1, max_size=20), JSON)
def test_valid_calls_come_through_unchanged(tool: str, given_input: Any) -> None:
    text = fenced({"action": tool, "action_input": given_input})
    parsed = parse_action(text)
    if "```" in json.dumps([tool, given_input], ensure_ascii=False):
        return
    assert parsed.tool == tool
    assert parsed.input == given_input
    assert parsed.result == ("repaired" if "'" in text and parsed.note else "ok")


@given(st.one_of(st.text(), FRAGMENTS, FRAGMENTS.map(lambda text: "```json" + text)))
@example("```json" + "{" * 3000)
@example('```json{"a":' * 2000)
@example("x```pythontool_call(a=" + "(" * 5000)
@example("x```pythontool_call(a=" + "-" * 5000 + "1)```")
def test_any_text_has_a_result(text: str) -> None:
    parsed = parse_action(text)
    assert parsed.result in ("ok", "repaired", "rejected")
    assert (parsed.tool is None) == (parsed.result == "rejected")
    assert parsed.note or parsed.result == "ok"
    if parsed.tool is not None:
        parsed.tool.encode()
        compat_input(parsed.tool, parsed.input)


@given(st.one_of(st.text(), FRAGMENTS, JSON.map(json.dumps), JSON.map(fenced)))
def test_any_reply_is_read_in_every_way(text: str) -> None:
    """What is accepted under a schema satisfies it, however it was written."""
    action = schemas.action_schema(TOOLS.values(), {"thought": schemas.THOUGHT, "plan": schemas.steps_schema()})
    ways = (
        (action, reading.action_loosely),
        (schemas.tables_schema(), reading.tables),
        (schemas.plan_schema(), reading.plan_loosely),
        (schemas.answer_schema(), reading.answer_loosely),
    )
    for schema, loosely in ways:
        read = reading.structured(schema, loosely)(text)
        assert (read.value is None) == (read.result == "rejected")
        assert read.value is None or violation(schema, read.value) == ""
    for free in (reading.action, reading.action_strictly, reading.plan, reading.tables, reading.answer):
        read = free(text)
        assert (read.value is None) == (read.result == "rejected")


@given(JSON, st.data())
def test_a_cut_or_changed_call_still_has_a_result(given_input: Any, data: st.DataObject) -> None:
    text = fenced({"action": "get_sum", "action_input": given_input})
    at = data.draw(st.integers(0, len(text)))
    parse_action(text[:at])
    parse_action(text[:at] + data.draw(FRAGMENTS) + text[at:])


@pytest.mark.parametrize(
    ("text", "tool", "given_input"),
    [
        ("```json\n{'action': 'get_sum', 'action_input': [1, 2]}\n```", "get_sum", [1, 2]),
        ('```json\n{"action": "a", "action_input": {"x": 1, "x": 2}}\n```', "a", {"x": 2}),
        (
            '```json{"action": "a", "action_input": "b"}``` 以及 ```json{"action": "c", "action_input": "d"}```',
            "a",
            "b",
        ),
        (
            'get_court_info\n```python\npythontool_call(identifier="甲(乙)法院", columns=("x",))\n```',
            "get_court_info",
            {"identifier": "甲(乙)法院", "columns": ["x"]},
        ),
    ],
)
def test_what_upstream_accepts_is_ok(text: str, tool: str, given_input: Any) -> None:
    parsed = parse_action(text)
    assert (parsed.result, parsed.tool, parsed.input) == ("ok", tool, given_input)


@pytest.mark.parametrize(
    ("text", "given_input"),
    [
        ('{"action": "get_x", "action_input": [1]} 就这样', [1]),
        ('```\n{"action": "get_x", "action_input": [1]}\n```', [1]),
        ('```json\n{"action": "get_x", "action_input": [1]} 就这样\n```', [1]),
        ('```json\n{"action": "get_x", "action_input": [1]', [1]),
        ("```json\n{'action': 'get_x', 'action_input': [1, None, True,]}\n```", [1, None, True]),
        ("```json\n{“action”：“get_x”，“action_input”：［１，“二”］｝\n```", [1, "二"]),
        ("```json\n{action: get_x, action_input: {identifier: 某某公司}}\n```", {"identifier": "某某公司"}),
        ('{"name": "get_x", "arguments": "{\\"identifier\\": \\"a\\"}"}', {"identifier": "a"}),
        ('{"function": {"name": "get_x", "arguments": {"identifier": "a"}}}', {"identifier": "a"}),
        ('```json\n{"action": "get_x", "identifier": "a"}\n```', {"identifier": "a"}),
        ('```json\n[{"action": "get_x", "action_input": 1}]\n```', 1),
        ('```json\n{"action": "get_x", "action_input": "第一行\n第二行"}\n```', "第一行\n第二行"),
        ('```json\n{"action": "get_x", "action_input": "it\'s"}\n```', "it's"),
    ],
)
def test_what_is_plain_to_read_is_repaired(text: str, given_input: Any) -> None:
    parsed = parse_action(text)
    assert (parsed.result, parsed.tool, parsed.input) == ("repaired", "get_x", given_input)
    assert parsed.note


@pytest.mark.parametrize(
    "text",
    [
        "", "抱歉，我无法回答。", "```json\n```", '```json\n{"action": "", "action_input": {}}\n```',
        "```json\n3\n```",
        '```json\n{"action": "Final Answer"}\n```', '```json\n{"action": "get_x", "action_input": "没有说完',
        '```json\n{"action": "get_sum", "action_input": [39, 39, 3',
        "get_x\n```\npythontool_call(identifier=__import__('os').getcwd())\n```",
        "get_x\n```\npythontool_call('a')\n```", "get_x\n```\npythontool_call(**{'a': 1})\n```",
        "pythontool_call(a=1)",
    ],
)  # fmt: skip
def test_the_rest_is_rejected_with_a_reason(text: str) -> None:
    parsed = parse_action(text)
    assert parsed.result == "rejected"
    assert parsed.note


def test_large_input_is_read_once() -> None:
    for text in (
        "```json" + "{" * 10**7,
        "{ " * 5 * 10**6,
        '```json{"a": "' + "\\" * 10**6,
        "'" * 10**7,
        "{" + " " * 10**7,
    ):
        assert parse_action(text).result == "rejected"
    numbers = [1] * 10**6
    assert parse_action(fenced({"action": "get_sum", "action_input": numbers})) == Parsed("ok", "get_sum", numbers)


def test_compat_input_follows_the_published_parser() -> None:
    lookup = {"identifier": "(2020)甲'乙'号", "columns": ["涉案金额(元)"] * 6}
    assert compat_input("get_legal_document", lookup) == {"identifier": '（2020）甲"乙"号', "columns": []}
    assert compat_input("get_legal_document", {"identifier": "a"}) == {"identifier": "a", "columns": []}
    assert compat_input("get_sum", {"identifier": [1]}) == {"identifier": [1]}
    assert compat_input("get_sum", ["1(万)"]) == ["1（万）"]
    assert lookup["columns"], "the given input stays as it was"


def test_recorded_actions(data: Any) -> None:
    """Every accepted action of two published logs is read to the recorded call, no refused one passes as ok."""
    recorded = {(call["tool"], json.dumps(call["input"], sort_keys=True)) for call in _calls(data)}
    accepted = 0
    for log in sorted(Path(data("legalagentbench", "raw_logs")).glob("log_react*")):
        lines = log.read_text(encoding="utf-8").split("\n")
        for line, following in zip(lines, lines[1:], strict=False):
            match = re.match(r"行动 \d+: (.*)", line)
            if not match:
                continue
            parsed = parse_action(match[1])
            assert (parsed.result == "ok") == ("行动格式非法" not in following)
            if parsed.result == "ok" and parsed.tool and parsed.tool != "Final Answer":
                accepted += 1
                call = (parsed.tool, json.dumps(compat_input(parsed.tool, parsed.input), sort_keys=True))
                assert call in recorded
    assert accepted > 1000


MARKS = [
    *"{}[]()\"'“”‘’：:，,；\\/`\n\x00\ud800｛｝（）", "```", "```json", "\\u12", "NaN", "1e999", "-Infinity", "None",
    "True",
    '"action":', '{"action": "get_sum",', "pythontool_call(", "观察：", "思考：", "第1步：", "[[[[[", "}}}}}",
    '{"a":' * 40,
    "<think>", "９", "　",
]  # fmt: skip


def _mutated(text: str, chance: random.Random) -> str:
    """One to four of the things that go wrong: cut, lost, doubled or moved pieces, foreign marks, other quotes and
    widths."""
    for _ in range(chance.randint(1, 4)):
        at, to = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
        kind = chance.randrange(10)
        if kind == 0:
            text = text[:at]
        elif kind == 1:
            text = text[at:]
        elif kind == 2:
            text = text[:at] + text[to:]
        elif kind == 3:
            text = text[:to] + text[at:to] * chance.randint(1, 3) + text[to:]
        elif kind == 4:
            text = text[to:] + text[:to]
        elif kind == 5:
            text = text[:at] + "".join(chance.choices(MARKS, k=chance.randint(1, 5))) + text[at:]
        elif kind == 6:
            text = text.replace('"', chance.choice(["'", "“", "＂", ""]))
        elif kind == 7:
            text = text.replace(chance.choice(MARKS), chance.choice(MARKS))
        elif kind == 8:
            text = text.translate({ord(mark): ord(mark) + 0xFEE0 for mark in "{}[]:,()"})
        else:
            text = json.dumps(text, ensure_ascii=chance.random() < 0.5)
    return text


@pytest.mark.slow
def test_ten_thousand_mutated_recorded_actions_all_have_a_result(data: Any) -> None:
    """Real calls of a published run, damaged: each is read as an action, a plan, a choice of tables and an answer."""
    chance = random.Random(20)
    seeds = [fenced({"action": call["tool"], "action_input": call["input"]}) for call in _calls(data)]
    seen: Counter[str] = Counter()
    for _ in range(10_000):
        text = _mutated(chance.choice(seeds), chance)
        parsed = parse_action(text)
        assert (parsed.tool is None) == (parsed.result == "rejected") and (parsed.note or parsed.result == "ok")
        seen[parsed.result] += 1
        if parsed.tool is not None:
            TOOLBOX.call(parsed.tool, compat_input(parsed.tool, parsed.input))
        for read in (reading.action, reading.plan_loosely, reading.tables, reading.answer, reading.answer_loosely):
            found = read(text)
            assert (found.value is None) == (found.result == "rejected")
    assert min(seen[result] for result in ("ok", "repaired", "rejected")) > 100, "the damage is of every degree"


def _calls(data: Any) -> list[dict[str, Any]]:
    import gzip

    with gzip.open(data("legalagentbench", "calls.jsonl.gz"), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
