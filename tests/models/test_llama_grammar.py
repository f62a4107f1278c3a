"""Grammars from schemas over the tokens of a model: what they let pass is valid, and what they should let pass, they
do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.schema import violation
from store.schema import LOOKUPS, TABLES

pytest.importorskip("llama_cpp")
from models.llama.grammar import Grammar
from models.llama.native import Model, NativeError

pytestmark = pytest.mark.slow


class Box:
    """A vocabulary, and replies that are read or drawn under a schema."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.ends = [token for token in range(model.size) if model.ends(token)]
        self.pieces = [model.piece(token) for token in range(model.size)]
        self.letters = {piece: token for token, piece in reversed(list(enumerate(self.pieces)))}
        self.ascii = [token for token, piece in enumerate(self.pieces) if len(piece) == 1 and token not in self.ends]

    def accepts(self, schema: Mapping[str, Any], text: str) -> bool:
        grammar = Grammar(self.model, schema)
        for letter in text:
            raw = letter.encode("utf-8", "surrogatepass")
            for token in [self.letters[raw]] if raw in self.letters else [self.letters[bytes([b])] for b in raw]:
                if not grammar.allows(token):
                    return False
                grammar.accept(token)
        return grammar.allows(self.ends[0])

    def sample(self, schema: Mapping[str, Any], rng: np.random.Generator) -> str:
        """Random tokens; quotes and the end come more often than chance, or texts would all be of full length."""
        grammar, text = Grammar(self.model, schema), b""
        for _ in range(100_000):
            token = int(rng.integers(self.model.size))
            if rng.random() < 0.15:
                token = int(rng.choice([self.letters[b'"'], *self.ends]))
            if not grammar.allows(token):
                allowed = grammar.allowed()
                letters = np.intersect1d(allowed, self.ascii)
                token = int(rng.choice(letters if len(letters) and rng.random() < 0.7 else allowed))
                assert grammar.allows(token)
            if token in self.ends:
                return text.decode("utf-8")
            grammar.accept(token)
            text += self.pieces[token]
        return "endless: " + text.decode("utf-8", "replace")

    def samples(self, schema: Mapping[str, Any], count: int, seed: int = 1) -> list[str]:
        rng = np.random.default_rng(seed)
        return [self.sample(schema, rng) for _ in range(count)]


@pytest.fixture(scope="module")
def box(tiny_gguf: Path) -> Iterator[Box]:
    model = Model(str(tiny_gguf), lambda _: True, words_only=True)
    yield Box(model)
    model.close()


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
    number = {"type": "number", "minimum": -1e9, "maximum": 1e12}
    numbers = {"type": "array", "items": number, "minItems": 1, "maxItems": 20}
    for name in ("sum", "subtraction", "multiplication", "division", "rank"):
        forms.append(closed(action={"const": f"get_{name}"}, action_input=closed(numbers=numbers)))
    forms.append(closed(action={"const": "Final Answer"}, action_input={"type": "string", "maxLength": 2000}))
    return {"anyOf": forms}


def check_all(schema: Mapping[str, Any], texts: list[str]) -> None:
    for text in texts:
        assert violation(schema, json.loads(text)) == "", text[:300]


def test_every_random_tool_call_is_valid(box: Box) -> None:
    schema = tool_calls()
    assert len(schema["anyOf"]) == len(LOOKUPS) + 9
    texts = box.samples(schema, 20, seed=7)
    check_all(schema, texts)
    assert len({json.loads(text)["action"] for text in texts}) > 10


def test_tool_calls_as_models_write_them_pass(box: Box) -> None:
    table = TABLES["CompanyInfo"]
    company = {"identifier": "上海某某(集团)有限公司", "columns": [table[0], table[-1]]}
    calls = [
        {"action": "get_company_info", "action_input": company},
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
    accepted = [box.accepts(tool_calls(), text) for text in compact + spaced + wrong]
    assert accepted == [True] * 12 + [False] * len(wrong)


WAYS: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {
    "enum of any values": (
        {"enum": ["", "a", "ab", 1, 12, None, True, [1, "x"], {"k": 2.5}]},
        ['""', '"a"', '"ab"', "1", "12", "null", "true", '[1,"x"]', '{"k":2.5}'], ['"b"', "2", "121", "[]", "false"],
    ),
    "nullable choice": ({"anyOf": [{"type": "null"}, {"type": "string", "maxLength": 1}]}, ["null", '"a"'], ['"ab"']),
    "text of a length": ({"type": "string", "minLength": 2, "maxLength": 3}, ['"ab"', '"甲乙丙"', '"一\\""'],
                         ['"a"', '"abcd"', '"ab', "ab"]),
    "escapes": ({"type": "string"}, ['"\\" \\\\ / \\n \\t é \ufffd"', '"🏛"'],
                ['"\\r"', '"\\u001f"', '"\\u007F"', '"\\u0080"', '"\\uDC00"', '"\\x41"', "'a'", '"\x85"', '"\\/"',
                 '"\\u00e9"']),
    "integer": ({"type": "integer"}, ["0", "-7", "123456789012345"], ["01", "+1", "1.0", "1e5", "1234567890123456"]),
    "number": ({"type": "number"}, ["0", "-0.5", "3.141593", "12"], ["1e5", ".5", "5.", "00", "1.1234567",
        "1234567890123456"]),
    "whole numbers between bounds": ({"type": "integer", "minimum": -2, "maximum": 12}, ["-2", "0", "9", "12"],
        ["-3", "13", "1.0"]),
    "list": ({"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 3},
             ["[true]", "[true, false,true]"], ["[]", "[true,]", "[true,true,true,true]", "[ true]"]),
    "list without a bound": ({"type": "array", "items": {"const": 1}}, ["[]", f"[{','.join('1' * 50)}]"],
                             [f"[{','.join('1' * 51)}]"]),
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
    "pattern": ({"type": "string", "pattern": r"^\d{4}-[01]?[0-9]月$"}, ['"2024-01月"', '"1999-2月"'],
                ['"2024-21月"', '"24-01月"', '"2024-01月 "', '""']),
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS)
def test_what_a_schema_allows_and_forbids(box: Box, name: str) -> None:
    schema, good, bad = WAYS[name]
    assert {text: box.accepts(schema, text) for text in good + bad} == {
        **dict.fromkeys(good, True), **dict.fromkeys(bad, False)
    }  # fmt: skip
    for text in good:
        assert violation(schema, json.loads(text)) == ""
    check_all(schema, box.samples(schema, 8))


@pytest.mark.parametrize(("least", "most"), [(0, 0), (1, 1), (0, 65), (70, 71), (100, 3000)])
def test_texts_are_counted_exactly(box: Box, least: int, most: int) -> None:
    lengths = sorted({max(least - 1, 0), least, least + 1, (least + most) // 2, max(most - 1, 0), most, most + 1})
    schema = {"type": "string", "minLength": least, "maxLength": most}
    accepted = [box.accepts(schema, f'"{"案" * length}"') for length in lengths]
    assert accepted == [least <= length <= most for length in lengths]


def test_a_vocabulary_without_an_end_is_refused_in_one_sentence(tiny_gguf: Path) -> None:
    class Endless(Model):
        def ends(self, token: int) -> bool:
            return False

    model = Endless(str(tiny_gguf), lambda _: True, words_only=True)
    with pytest.raises(NativeError, match="replies of this model cannot be bound to a schema: eos_token list"):
        Grammar(model, {"type": "boolean"})
    model.close()


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        (closed(a=closed(b={"type": "string", "not": {"const": "x"}})), 'Unimplemented keys: ["not"]'),
        ({"$ref": "#/nowhere"}, "'/nowhere' does not exist"),
        ({"type": "date"}, "Invalid type: date"),
        ({"type": "integer", "minimum": 5, "maximum": 4}, "minimum (5) is greater than maximum (4)"),
        ({"type": "string", "maxLength": "x"}, "{0,x}"),
        ({"type": "string", "pattern": "^a(?=b)$"}, "look-around"),
    ],
)
def test_what_no_grammar_can_express_is_named(box: Box, schema: dict[str, Any], says: str) -> None:
    with pytest.raises(NativeError, match="no grammar can express the schema: ") as caught:
        Grammar(box.model, schema)
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_a_reply_that_a_grammar_cannot_follow_is_no_fault_of_the_schema(box: Box) -> None:
    grammar = Grammar(box.model, {"enum": ["a"]})
    wrong = next(token for token in range(box.model.size) if not grammar.allows(token))
    with pytest.raises(NativeError, match="^the grammar of the schema cannot follow the reply: "):
        grammar.accept(wrong)
