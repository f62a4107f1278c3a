"""Grammars from schemas, read by llama.cpp itself: what they let pass is valid, and what they should let pass, they
do."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import BadEngine
from models.llama.grammar import LONGEST_BOUND, gbnf
from models.llama.native import Wellformed
from models.schema import violation
from store.schema import LOOKUPS, TABLES

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
Serve = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def serve(tiny_gguf: Path) -> Iterator[Serve]:
    """llama.cpp in a process of its own: a crash there is an end of file here."""
    command = [sys.executable, "-m", "tests.support.grammar_box", str(tiny_gguf)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as box:
        assert box.stdin and box.stdout

        def ask(schema: Mapping[str, Any] | str, **order: Any) -> dict[str, Any]:
            grammar = schema if isinstance(schema, str) else gbnf(schema)
            box.stdin.write(json.dumps({"grammar": grammar, **order}) + "\n")  # type: ignore[union-attr]
            box.stdin.flush()  # type: ignore[union-attr]
            line = box.stdout.readline()  # type: ignore[union-attr]
            assert line, "llama.cpp died of this grammar"
            answer: dict[str, Any] = json.loads(line)
            assert answer["loaded"], "llama.cpp does not read this grammar"
            return answer

        yield ask
        box.stdin.close()


def closed(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def tool_calls() -> dict[str, Any]:
    """A tool-call schema of full size: 36 tools and the final answer, columns enumerated for each table."""
    named = {"type": "string", "minLength": 1, "maxLength": 100}
    forms = [
        closed(action={"const": lookup.tool}, action_input=closed(
            identifier=named,
            columns={"type": "array", "items": {"enum": list(TABLES[lookup.table])}, "maxItems": 5},
        ))
        for lookup in LOOKUPS.values()
    ]  # fmt: skip
    query = closed(query=named, k={"type": "integer", "minimum": 1, "maximum": 100})
    query["required"] = ["query"]
    for kind in ("knowledge", "article", "case"):
        forms.append(closed(action={"const": f"legal_{kind}_retriever"}, action_input=query))
    numbers = {
        "type": "array",
        "items": {"type": "number", "minimum": -1e9, "maximum": 1e12},
        "minItems": 1,
        "maxItems": 20,
    }
    for name in ("sum", "subtraction", "multiplication", "division", "rank"):
        forms.append(closed(action={"const": f"get_{name}"}, action_input=closed(numbers=numbers)))
    forms.append(closed(action={"const": "Final Answer"}, action_input={"type": "string", "maxLength": 2000}))
    return {"anyOf": forms}


def check_all(schema: Mapping[str, Any], texts: list[str]) -> None:
    for text in texts:
        assert violation(schema, json.loads(text)) == "", text[:300]


def test_every_random_tool_call_is_valid(serve: Serve) -> None:
    """As many as tell a broken grammar."""
    count = 60
    schema = tool_calls()
    assert len(schema["anyOf"]) == len(LOOKUPS) + 9
    grammar = gbnf(schema)
    assert len(grammar) < 20_000, "small enough to load with every call"
    texts = serve(grammar, samples=count, seed=7)["texts"]
    assert len(texts) == count
    check_all(schema, texts)
    assert len({json.loads(text)["action"] for text in texts}) > 10


def test_tool_calls_as_models_write_them_pass(serve: Serve) -> None:
    table = TABLES["CompanyInfo"]
    calls = [
        {
            "action": "get_company_info",
            "action_input": {"identifier": "上海某某(集团)有限公司", "columns": [table[0], table[-1]]},
        },
        {"action": "get_company_info", "action_input": {"identifier": '他说"\\"\n', "columns": []}},
        {"action": "legal_case_retriever", "action_input": {"query": "（2019）沪01民终1号", "k": 100}},
        {"action": "legal_case_retriever", "action_input": {"query": "𠮷"}},
        {"action": "get_sum", "action_input": {"numbers": [1, -2.5, 0]}},
        {"action": "Final Answer", "action_input": ""},
    ]
    compact = [json.dumps(call, ensure_ascii=False, separators=(",", ":")) for call in calls]
    spaced = [json.dumps(call, ensure_ascii=False) for call in calls]
    wrong = [
        compact[0].replace(table[0], "没有的列"), compact[0].replace("get_company_info", "get_company"),
        compact[0] + " ",
        spaced[0].replace(": ", ":  "), compact[0].replace('"columns"', '"column"'), compact[0][:-1], "", "null",
        compact[2].replace("100", "101"), compact[2].replace("100", "0"), compact[0].replace("上", "\x01"),
        compact[1].replace("\\n", "\n"), compact[1].replace("\\n", "\\u0000"), compact[1].replace("\\n", "\\ud800"),
        compact[1].replace("\\n", "\x7f"), compact[1].replace("\\n", "\x85"), compact[1].replace("\\n", "\\b"),
    ]  # fmt: skip
    accepted = serve(tool_calls(), accept=compact + spaced + wrong)["accepted"]
    assert accepted == [True] * 12 + [False] * len(wrong)


WAYS: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {
    "const": ({"const": '甲（"一"）\\'}, ['"甲（\\"一\\"）\\\\"'], ['"甲"', "甲"]),
    "enum of any values": (
        {"enum": ["", "a", "ab", 1, 12, None, True, [1, "x"], {"k": 2.5}]},
        ['""', '"a"', '"ab"', "1", "12", "null", "true", '[1,"x"]', '{"k":2.5}'], ['"b"', "2", "121", "[]", "false"],
    ),
    "boolean": ({"type": "boolean"}, ["true", "false"], ["True", "1", "null"]),
    "null": ({"type": "null"}, ["null"], ["None", ""]),
    "nullable choice": ({"anyOf": [{"type": "null"}, {"type": "string", "maxLength": 1}]}, ["null", '"a"'], ['"ab"']),
    "text of a length": ({"type": "string", "minLength": 2, "maxLength": 3}, ['"ab"', '"甲乙丙"', '"\\u4e00\\""'],
                         ['"a"', '"abcd"', '"ab', "ab"]),
    "escapes": ({"type": "string"}, ['"\\" \\\\ \\/ \\n \\t \\u00e9 \\uFFFD"', '"🏛"'],
                ['"\\r"', '"\\u001f"', '"\\u007F"', '"\\u0080"', '"\\uDC00"', '"\\x41"', "'a'"]),
    "integer": ({"type": "integer"}, ["0", "-7", "123456789012345"],
        ["-0", "01", "+1", "1.0", "1e5", "1234567890123456"]),
    "number": ({"type": "number"}, ["0", "-0.5", "3.141593", "12"], ["1e5", ".5", "5.", "00", "1.1234567"]),
    "whole numbers between bounds": ({"type": "integer", "minimum": -2, "maximum": 12}, ["-2", "0", "9", "12"],
        ["-3", "13", "1.0"]),
    "list": ({"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 3},
             ["[true]", "[true, false,true]"], ["[]", "[true,]", "[true,true,true,true]", "[ true]"]),
    "long list": ({"type": "array", "items": {"const": 1}, "maxItems": 300},
                  ["[]", f"[{','.join('1' * 300)}]"], [f"[{','.join('1' * 301)}]"]),
    "empty list": ({"type": "array", "items": {"const": 1}, "maxItems": 0}, ["[]"], ["[1]"]),
    "optional properties": (
        {"type": "object", "properties": {k: {"const": 1} for k in "abc"}, "required": ["b"],
            "additionalProperties": False},
        ['{"b":1}', '{"a":1,"b":1}', '{"b":1,"c":1}', '{"a": 1, "b": 1, "c": 1}'],
        ["{}", '{"a":1}', '{"a":1,"c":1}', '{"c":1,"b":1}', '{"b":1,}', '{,"b":1}', '{"b":1,"b":1}'],
    ),
    "all optional": (
        {"type": "object", "properties": {k: {"const": 1} for k in "ab"}},
        ["{}", '{"a":1}', '{"b":1}', '{"a":1,"b":1}'], ['{"c":1}', '{"a":1,"a":1}', '{,"b":1}'],
    ),
    "nothing inside": ({"type": "object", "additionalProperties": False}, ["{}"], ['{"a":1}', "{ }"]),
    "pattern": ({"type": "string", "pattern": r"^\d{4}-[01]?[0-9]月$"}, ['"2024-01月"', '"1999-2月"'],
                ['"2024-21月"', '"24-01月"', '"2024-01月 "', '""']),
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS)
def test_what_a_schema_allows_and_forbids(serve: Serve, name: str) -> None:
    schema, good, bad = WAYS[name]
    answer = serve(schema, accept=good + bad, samples=15)
    assert dict(zip(good + bad, answer["accepted"], strict=True)) == {
        **dict.fromkeys(good, True), **dict.fromkeys(bad, False)
    }  # fmt: skip
    for text in good:
        assert violation(schema, json.loads(text)) == ""
    check_all(schema, answer["texts"])


@pytest.mark.parametrize(
    ("least", "most"),
    [(0, 0), (0, 1), (1, 1), (0, 64), (0, 65), (0, 66), (3, 99), (0, 100), (70, 71), (100, 3000), (0, 3001)],
)
def test_texts_are_counted_exactly(serve: Serve, least: int, most: int) -> None:
    lengths = sorted({max(least - 1, 0), least, least + 1, (least + most) // 2, max(most - 1, 0), most, most + 1})
    schema = {"type": "string", "minLength": least, "maxLength": most}
    accepted = serve(schema, accept=['"' + "案" * length + '"' for length in lengths])["accepted"]
    assert accepted == [least <= length <= most for length in lengths]


WORDS = st.sampled_from(["a", "action", "名称", "（元）", '"', "\\", "\n", "😀", ""])
LEAVES = st.one_of(
    st.builds(lambda values: {"enum": values}, st.lists(WORDS | st.integers(-3, 12) | st.none(), min_size=1,
        max_size=4)),
    st.builds(lambda low, more: {"type": "string", "minLength": low, "maxLength": low + more}, st.integers(0, 3),
        st.integers(0, 5)),
    st.builds(lambda low, more: {"type": "integer", "minimum": low, "maximum": low + more}, st.integers(-20, 20),
        st.integers(0, 200)),
    st.sampled_from([{"type": "number"}, {"type": "boolean"}, {"type": "null"}]),
)  # fmt: skip


def _objects(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    def build(properties: dict[str, Any], needed: set[int]) -> dict[str, Any]:
        required = [name for at, name in enumerate(properties) if at in needed]
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}

    names = WORDS.filter(lambda word: word != "\n")
    return st.builds(build, st.dictionaries(names, inner, max_size=4), st.sets(st.integers(0, 3)))


SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        _objects(inner),
        st.builds(lambda item, low, more: {"type": "array", "items": item, "minItems": low, "maxItems": low + more},
                  inner, st.integers(0, 2), st.integers(0, 3)),
        st.builds(lambda forms: {"anyOf": forms}, st.lists(inner, min_size=1, max_size=3)),
    ),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=60)
@given(schema=SCHEMAS, seed=st.integers(0, 10**6))
def test_what_a_grammar_lets_pass_is_valid(serve: Serve, schema: dict[str, Any], seed: int) -> None:
    try:
        grammar = gbnf(schema)
    except BadEngine as error:
        assert "allows no" in error.title
        return
    check_all(schema, serve(grammar, samples=4, seed=seed)["texts"])


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "boolean"}
    for _ in range(levels):
        schema = {"type": "array", "items": schema, "maxItems": 1}
    return schema


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        (closed(a=closed(b={"type": "string", "not": {"const": "x"}})),
            "'not' in the schema at #/properties/a/properties/b"),
        ({"type": "integer", "multipleOf": 3}, "'multipleOf' in the schema at #"),
        ({"type": "string", "anyOf": [{"const": "a"}]}, "'type' in the schema at #"),
        ({"$ref": "#"}, "names no type"),
        (closed(a={}), "#/properties/a names no type"),
        (closed(a=True), "#/properties/a is no schema"),
        ({"type": "date"}, "unknown type 'date'"),
        ({"type": "array"}, "does not say what its items are"),
        ({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, "'uniqueItems' in the schema at #"),
        ({"type": "object"}, "free names"),
        ({"type": "object", "required": ["a"]}, "requires 'a' without describing it"),
        ({"type": "string", "minLength": 5, "maxLength": 2}, "allows no value"),
        ({"type": "string", "maxLength": LONGEST_BOUND + 1}, "maxLength 100001"),
        ({"type": "integer", "minimum": 5, "maximum": 4}, "allows no value"),
        ({"enum": []}, "allows no value"),
        ({"anyOf": []}, "allows no value"),
        (deep(3000), "nested too deeply"),
        ({"type": "object", "properties": 3}, "malformed"),
        ({"type": "string", "maxLength": "x"}, "malformed"),
        *(({"type": "string", "pattern": pattern}, "the pattern")
          for pattern in ("abc", "^a(?=b)$", "^(a)$", "^a{101}$", '^["]$', "^a+$", "^[^a]$", "^a|b$")),
        ({"type": "string", "pattern": "^a$", "maxLength": 3}, "'maxLength'"),
    ],
)  # fmt: skip
def test_what_no_grammar_can_express_is_named(schema: dict[str, Any], says: str) -> None:
    with pytest.raises(BadEngine) as caught:
        gbnf(schema)
    assert says in caught.value.title
    assert "\n" not in caught.value.title


# --- bytes ----------------------------------------------------------------------------------------------------------


def test_tokens_that_would_break_a_character_are_refused() -> None:
    import numpy as np

    pieces = [b'"', b"\xe4", b"\xb8", b"\x80", b"\xff", "案".encode(), b"<|im_end|>", b"a\xe4", b"", b"\x80a"]
    known = Wellformed(pieces, refused=[6])
    every = np.arange(len(pieces), dtype=np.int32)
    assert [pieces[at] for at in every[known.allowed(b"", every)]] == [b'"', b"\xe4", "案".encode(), b"a\xe4", b""]
    assert [pieces[at] for at in every[known.allowed(b"\xe4", every)]] == [b"\xb8", b"\x80"]
    assert [pieces[at] for at in every[known.allowed(b"\xe4\xb8", every)]] == [b"\xb8", b"\x80", b"\x80a"]
    assert [known.after(b"", 1), known.after(b"\xe4", 2), known.after(b"\xe4\xb8", 3)] == [b"\xe4", b"\xe4\xb8", b""]
