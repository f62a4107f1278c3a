"""The readers below the log importer: any text is read or refused, never more."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.importers.logs.calls import (
    NotALiteral,
    read_literal,
)

LITERAL_TEXT = st.text(alphabet="[]{}()'\"\\:, 0123456789.eE+-nanxbfu\n案号", max_size=60)
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
    assert str(read_literal(str([value]))) == str([value])


@pytest.mark.parametrize(
    "text",
    ["__import__('os').system('x')", "1+1", "True", "None", "(1, 2)", "{1: 2}", "{'a': 1, 'a': 2}", "{1, 2}",
        "f'{x}'", "b'x'", "1e999", "[nan nan]",
     "[" * 5000, "[" * 300 + "]" * 300, "-" * 9000 + "1", "1" * 5000, "'a' 'b'", "'''a'''", "'\x00",
     "[x for x in 'a']", "", " ", "'\\ud800", "0x1", "[1]#"],
)  # fmt: skip
def test_more_than_plain_values_is_refused(text: str) -> None:
    with pytest.raises(NotALiteral):
        read_literal(text)
