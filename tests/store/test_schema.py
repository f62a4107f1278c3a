"""The validator of structured replies: JSON Schema's rules, own rules for text, messages with a place."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import BadEngine
from models.schema import LONGEST_TEXT, violation

CALL = {
    "anyOf": [
        {
            "type": "object",
            "properties": {
                "action": {"const": "get_company_info"},
                "action_input": {
                    "type": "object",
                    "properties": {
                        "identifier": {"type": "string", "minLength": 1},
                        "columns": {"type": "array", "items": {"enum": ["注册资本", "法人代表"]}, "maxItems": 2},
                    },
                    "required": ["identifier"],
                    "additionalProperties": False,
                },
            },
            "required": ["action", "action_input"],
        },
        {"type": "object", "properties": {"action": {"enum": ["finish"]}, "answer": {"type": "string"}},
         "required": ["action", "answer"]},
    ]
}  # fmt: skip


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"action": "get_company_info", "action_input": {"identifier": "甲", "columns": ["注册资本"]}}, ""),
        ({"action": "finish", "answer": "好"}, ""),
        ({"action": "get_company_info", "action_input": {"identifier": "甲", "columns": ["注册资本", "住所"]}},
         "action_input.columns[1]：'住所'不在可选值之中：注册资本、法人代表"),
        ({"action": "get_company_info", "action_input": {"identifier": "甲", "columns": ["注册资本"] * 3}},
         "action_input.columns：列表有3项，至多2项"),
        ({"action": "get_company_info", "action_input": {"identifier": ""}},
            "action_input.identifier：文本有0字，至少1字"),
        ({"action": "get_company_info", "action_input": {}}, "action_input：缺少“identifier”"),
        ({"action": "get_company_info", "action_input": {"identifier": "甲", "列": 1}}, "action_input：不应有“列”"),
        ({"action": "get_company_info", "action_input": "甲"}, "action_input：应为对象，现为'甲'"),
        ({"action": "get_sum"}, "action：'get_sum'不在可选值之中：get_company_info、finish"),
        ({"action": "finish"}, "整体：缺少“answer”"),
        ({}, "整体：缺少“action”"),
        ([], "整体：[]不符合任何一种形式"),
    ],
)  # fmt: skip
def test_the_first_violation_and_its_place(value: Any, says: str) -> None:
    assert violation(CALL, value) == says


@pytest.mark.parametrize(
    ("schema", "value", "says"),
    [
        ({"type": "integer"}, True, "整体：应为整数，现为True"), ({"type": "number"}, math.nan, "整体：不是有限的数"),
        ({"minimum": 1}, 0, "整体：0小于最小值1"), ({"maximum": 3}, 3.5, "整体：3.5大于最大值3"),
        ({"maxLength": 2}, "甲乙丙", "整体：文本有3字，至多2字"), ({"maxLength": 2}, "😀😀", ""),
        ({"pattern": "^a+$"}, "b", "整体：'b'不合格式 ^a+$"), ({"minItems": 1}, [], "整体：列表有0项，至少1项"),
        ({"const": {"a": [1, True]}}, {"a": [1, 1]}, "整体：应为{'a': [1, True]}，现为{'a': [1, 1]}"),
        ({"items": {"const": 2}}, [2, 1], "[1]：应为2，现为1"),
    ],
)  # fmt: skip
def test_the_words_of_each_rule(schema: dict[str, Any], value: Any, says: str) -> None:
    assert violation(schema, value) == says


@pytest.mark.parametrize("text", ["\x1b[2J", "\x9b", "\ud800", "x" * (LONGEST_TEXT + 1)])
def test_own_rules_for_text(text: str) -> None:
    assert violation({"type": "string"}, text)
    assert violation({"type": "array", "items": {}}, [[{"a": text}]]) == "", (
        "what a schema does not describe is not looked into"
    )
    assert violation({"anyOf": [{"type": "string"}, {"type": "null"}]}, text)
    if len(text) < LONGEST_TEXT:
        assert violation({"type": "object"}, {text: 1})


def test_texts_may_have_lines_and_be_long_where_the_schema_says() -> None:
    assert violation({"type": "string"}, "一\n\t二\r\n" + "案" * (LONGEST_TEXT - 10)) == ""
    long = {"anyOf": [{"type": "string", "maxLength": 9000}, {"type": "null"}]}
    assert violation(long, "案" * 9000) == ""
    assert violation(long, "案" * 9001) == "整体：文本有9001字，至多9000字"


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"frobnicate": 1}, "'frobnicate'"), ({"properties": {"a": {"if": {}}}}, "#/properties/a"),
        ({"type": "text"}, "'text'"), ({"properties": {"a": 3}}, "#/properties/a cannot be used"),
        ({"pattern": "("}, "cannot be used"),
    ],
)  # fmt: skip
def test_a_schema_that_cannot_be_used_is_named(schema: dict[str, Any], says: str) -> None:
    with pytest.raises(BadEngine, match="the schema at #") as caught:
        for value in ("x", {"a": 1}):
            violation(schema, value)
    assert says in caught.value.title


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4) | st.sampled_from(["action",
        "answer"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(JSON)
def test_any_value_has_a_verdict(value: Any) -> None:
    said = violation(CALL, value)
    assert said.isprintable()
    assert (said == "") == (isinstance(value, dict) and value.get("action") == "finish"
        and isinstance(value.get("answer"), str)
                            and not violation({"type": "string"}, value["answer"])
                            and not violation({"type": "object"}, value))  # fmt: skip


def test_deep_and_large_values_are_refused_calmly() -> None:
    assert violation({"const": 1}, json.loads("[" * 900 + "]" * 900))
    assert violation(CALL, {"action": "x" * 10**6})[:20] == "action：'xxxxxxxxxxxx"
    assert len(violation(CALL, {"action": "x" * 10**6})) < 200
