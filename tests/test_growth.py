"""The guard against readers whose work grows faster than their text: it lets linear ones pass and stops squared ones."""

from __future__ import annotations

import re

import pytest

from tests.growth import assert_linear


def test_squares_are_caught_and_lines_pass() -> None:
    assert_linear(lambda text: re.findall("a", text), "a", 400_000)
    with pytest.raises(AssertionError, match="times the text"):
        assert_linear(lambda text: re.search("a*b", text), "a", 24_000)
