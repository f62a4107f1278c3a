"""The action parser is total: every text has a result, valid calls come through unchanged, nothing is evaluated."""

from __future__ import annotations

import gzip
import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tasks.legalagentbench.parser import compat_input, parse_action

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


def test_compat_input_follows_the_published_parser() -> None:
    lookup = {"identifier": "(2020)甲'乙'号", "columns": ["涉案金额(元)"] * 6}
    assert compat_input("get_legal_document", lookup) == {"identifier": '（2020）甲"乙"号', "columns": []}
    assert compat_input("get_legal_document", {"identifier": "a"}) == {"identifier": "a", "columns": []}
    assert compat_input("get_sum", {"identifier": [1]}) == {"identifier": [1]}
    assert compat_input("get_sum", ["1(万)"]) == ["1（万）"]
    assert lookup["columns"], "the given input stays as it was"


def test_recorded_actions(data: Any) -> None:
    """Every accepted action of two published logs is read to the recorded call, no refused one passes as ok."""
    with gzip.open(data("legalagentbench", "calls.jsonl.gz"), "rt", encoding="utf-8") as lines:
        calls = [json.loads(line) for line in lines]
    recorded = {(call["tool"], json.dumps(call["input"], sort_keys=True)) for call in calls}
    accepted = 0
    for log in sorted(Path(data("legalagentbench", "raw_logs")).glob("log_react*")):
        for line, following in itertools.pairwise(log.read_text(encoding="utf-8").split("\n")):
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
