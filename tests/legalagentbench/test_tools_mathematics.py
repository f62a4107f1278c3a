"""Calculators print what Python prints, as the published runs did; anything that is no number is a maths error."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.legalagentbench.mathematics import FAILED
from tasks.legalagentbench.tools import CALL_ERROR, Toolbox

BOX = Toolbox(None)
HUGE = 10**5000


@pytest.mark.parametrize(
    ("tool", "given_input", "shown"),
    [
        ("get_sum", [0.1, 0.2, 0.3], "0.6000000000000001"),
        ("get_sum", ["12", 3], "15"),
        ("get_sum", ["12.50", "3"], "15.5"),
        ("get_sum", {"identifier": ["5.10亿"]}, "509999999.99999994"),
        ("get_sum", ["459.15万", 1], "4591501.0"),
        ("get_rank", [3, 1, "2.5"], "[1, 2.5, 3]"),
        ("get_rank", {"identifier": [1, 3, 2], "is_desc": "True"}, "[3, 2, 1]"),
        ("get_rank", {"identifier": [1, 3, 2], "is_desc": True}, "[3, 2, 1]"),
        ("get_rank", {"identifier": [1, 3, 2]}, "[1, 2, 3]"),
        (
            "get_rank",
            {"identifier": ["2014年05月12日", "1999年10月01日"], "is_desc": "False"},
            "[19991001, 20140512]",
        ),
        ("get_multiplication", [2, "3", 0.5], "3.0"),
        ("get_subtraction", {"minuend": "3万", "subtrahend": 1}, "29999.0"),
        ("get_division", {"dividend": 7, "divisor": 2}, "3.5"),
    ],
)
def test_values(tool: str, given_input: Any, shown: str) -> None:
    result = BOX.call(tool, given_input)
    assert (result.status, result.observation) == ("ok", shown)


@pytest.mark.parametrize(
    ("tool", "given_input"),
    [
        ("get_sum", []), ("get_sum", ["2014年05月12日"]), ("get_sum", ["-"]), ("get_sum", [" - ", 1]),
        ("get_sum", [None]),
        ("get_sum", [{"金额": 1}]), ("get_sum", [True]), ("get_sum", ["nan"]), ("get_sum", ["1_000"]),
        ("get_sum", [float("inf")]),
        ("get_sum", [HUGE]), ("get_sum", ["9" * 5000]), ("get_sum", ["1e999"]), ("get_sum", {"identifier": "12"}),
        ("get_rank", ["某某法院"]), ("get_rank", []), ("get_rank", {"identifier": [1], "is_desc": "maybe"}),
        ("get_multiplication", [1e300, 1e300]), ("get_division", {"dividend": 1, "divisor": 0}),
        ("get_subtraction", {"minuend": "多", "subtrahend": 1}),
    ],
)  # fmt: skip
def test_no_numbers_are_a_maths_error(tool: str, given_input: Any) -> None:
    result = BOX.call(tool, given_input)
    assert (result.status, result.observation) == ("math_error", FAILED[tool])


@pytest.mark.parametrize(
    ("tool", "given_input"),
    [
        ("get_sum", "12"), ("get_sum", None), ("get_sum", {"numbers": [1]}), ("get_rank", 3),
        ("get_division", [1, 2]), ("get_subtraction", {"minuend": 1}),
    ],
)  # fmt: skip
def test_a_missing_parameter_is_a_call_error(tool: str, given_input: Any) -> None:
    result = BOX.call(tool, given_input)
    assert (result.status, result.observation) == ("call_error", CALL_ERROR)


@given(st.lists(st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9), min_size=1, max_size=20))
def test_sum_adds_from_left_to_right_and_rank_sorts(numbers: list[int | float]) -> None:
    total: int | float = 0
    for number in numbers:
        total += number
    assert BOX.call("get_sum", numbers).observation == repr(total)
    assert BOX.call("get_rank", numbers).value == sorted(numbers)
