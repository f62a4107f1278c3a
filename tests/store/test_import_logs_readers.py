"""The readers below the log importer: any text is read or refused, never more."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from store.errors import BadInput
from store.importers.logs.calls import (
    NotALiteral,
    infer_call,
    printed,
    read_action,
    read_literal,
    read_observation,
    rows_of,
    tools_named,
)
from store.importers.logs.harvest import Harvest
from store.importers.logs.merging import merge
from store.importers.logs.reading import Recording, Tally, looks_like_log, read_log
from store.schema import LOOKUPS

LITERAL_TEXT = st.text(alphabet="[]{}()'\"\\:, 0123456789.eE+-nanxbfu\n案号", max_size=60)
LOG_LINES = st.sampled_from(
    ["", "问题", "思考 1:  想", "思考 2:  想", "行动 1:  ", "行动 1:  ```json{}```", "观察 1: [1]", "观察 1: ",
        "观察 2: ['", "第1步计划: 甲",
     "第1步计划: 甲 执行结果: {'案号': 1}", "第2步计划: 甲 执行结果: 乙 执行结果: 丙", "final_anwer is 甲",
     "summary_answer is 乙", "Traceback (most recent call last):"]
)  # fmt: skip
VALUES = st.recursive(
    st.text(st.characters(exclude_categories=["Cs"]))
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(st.text() | LITERAL_TEXT)
def test_any_text_is_a_literal_or_refused(text: str) -> None:
    try:
        value = read_literal(text)
    except NotALiteral:
        return
    assert isinstance(value, str | int | float | list | dict)


@given(VALUES)
def test_what_python_prints_is_read_back(value: Any) -> None:
    assert printed(read_literal(printed([value]))) == printed([value])


@pytest.mark.parametrize(
    "text",
    ["__import__('os').system('x')", "1+1", "True", "None", "(1, 2)", "{1: 2}", "{'a': 1, 'a': 2}", "{1, 2}",
        "f'{x}'", "b'x'", "1e999", "[nan nan]",
     "[" * 5000, "[" * 13 + "]" * 13, "-" * 9000 + "1", "1" * 5000, "'a' 'b'", "'''a'''", "'\x00", "[x for x in 'a']",
     "", " ", "'\\ud800", "0x1", "[1]#"],
)  # fmt: skip
def test_more_than_plain_values_is_refused(text: str) -> None:
    with pytest.raises(NotALiteral):
        read_literal(text)


@given(st.text() | LITERAL_TEXT)
def test_actions_steps_and_observations_never_fail(text: str) -> None:
    for said in (text, f"```json{text}```", f"get_sum```py tool_call({text})```"):
        call = read_action(said)
        assert call is None or json.dumps(call.input, allow_nan=False)
    assert infer_call(f'使用get_company_info"{text}"') is None or text.strip()
    assert read_observation(text).status in ("ok", "unread", "no_data", "bad_column", "call_error", "math_error")
    tools_named(text)


@given(VALUES, st.sampled_from(sorted(LOOKUPS)))
def test_any_value_is_rows_of_a_table_or_none(value: Any, tool: str) -> None:
    rows = rows_of(LOOKUPS[tool], value, None)
    assert rows is None or all(rows)


@settings(max_examples=60)
@given(st.binary(max_size=200) | st.lists(LOG_LINES, max_size=25).map(lambda lines: "\n".join(lines).encode()))
@example(b"\x1f\x8b")
@example(gzip.compress("思考 1: 想\n".encode())[:-9])
@example(gzip.compress("思考 1: 想\n".encode())[:-5] + b"12345")
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    tally = Tally()
    harvest = Harvest()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "log.txt"
        file.write_bytes(content)
        try:
            looks_like_log(file)
            for recording in read_log(file, tally):
                assert recording.line <= tally.lines
                harvest.take(recording)
        except BadInput as error:
            assert "log.txt" in error.title
            return
    harvest.settle()
    merge(harvest)


@given(st.lists(st.tuples(st.sampled_from(["react", "plan"]), st.text(max_size=40), VALUES), max_size=6))
def test_a_harvest_takes_anything(recordings: list[tuple[Any, str, Any]]) -> None:
    harvest = Harvest()
    for layout, said, value in recordings:
        for tool in ("get_company_info", "get_finalized_case_court_list", "legal_article_retriever"):
            action = json.dumps({"action": tool, "action_input": {"identifier": said, "k": 1}})
            step = f'使用{tool}查询"{said}公司"'
            result = printed([{"案号": value}]) if isinstance(value, int) else printed(value)
            harvest.take(
                Recording(Path("a"), 1, layout, f"```json{action}```" if layout == "react" else step, result)
            )
    harvest.settle()
    merge(harvest)
