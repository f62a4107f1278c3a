"""The five mathematics tools: plain Python numbers, so that a sum shows 65040.020000000004 as the published runs did.

Elements are numbers or texts: "12", "3.87亿" (float(3.87) * 1e8), "459.15万"; get_rank also takes 2014年05月12日, as
the integer 20140512. No unit is attached. The error texts of sum and rank are upstream's; the other three tools were
never offered to a model, nobody has recorded how they fail, and their texts are Moot's own in the same form.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

Number = int | float

FAILED: dict[str, str] = {
    "get_sum": "求和时发生错误，请检查参数格式！",
    "get_rank": "排序时发生错误，请检查参数格式！",
    "get_subtraction": "求差时发生错误，请检查参数格式！",
    "get_multiplication": "求积时发生错误，请检查参数格式！",
    "get_division": "求商时发生错误，请检查参数格式！",
}
"""Tool -> what it says when the numbers are not numbers."""

_DATE = re.compile(r"([0-9]{4})年([0-9]{2})月([0-9]{2})日")
_UNITS = {"万": 1e4, "亿": 1e8}
_LONGEST = 400
_LARGEST = 1e300


class MathsError(ValueError):
    """The input is no input for this calculation."""


class ShapeError(ValueError):
    """The call lacks a parameter, or is no call of this tool at all."""


def _checked(number: Number) -> Number:
    if isinstance(number, float) and not math.isfinite(number):
        raise MathsError("not finite")
    if abs(number) > _LARGEST:
        raise MathsError("too large")
    return number


def _number(value: object) -> Number:
    """An element as a number; a text in 万 or 亿 becomes a float, digits alone an int."""
    if isinstance(value, bool):
        raise MathsError("a truth value")
    if isinstance(value, int | float):
        return _checked(value)
    if not isinstance(value, str) or len(value) > _LONGEST or "_" in value:
        raise MathsError("not a number")
    text = value.strip()
    try:
        if text[-1:] in _UNITS:
            return _checked(float(text[:-1]) * _UNITS[text[-1]])
        return _checked(int(text) if text.lstrip("+-").isdecimal() else float(text))
    except ValueError as error:
        raise MathsError(str(error)) from error


def _number_or_date(value: object) -> Number:
    match = _DATE.fullmatch(value) if isinstance(value, str) and len(value) < _LONGEST else None
    return int("".join(match.groups())) if match else _number(value)


def _elements(given: object) -> list[object]:
    """The list of a call: the whole input, or its `identifier`."""
    if isinstance(given, Mapping):
        if "identifier" not in given:
            raise ShapeError("identifier")
        given = given["identifier"]
        if not isinstance(given, list):
            raise MathsError("not a list")
    if not isinstance(given, list):
        raise ShapeError("a list")
    if not given:
        raise MathsError("an empty list")
    return given


def _pair(given: object, first: str, second: str) -> tuple[Number, Number]:
    if not isinstance(given, Mapping) or first not in given or second not in given:
        raise ShapeError(f"{first}, {second}")
    return _number(given[first]), _number(given[second])


def _sum(given: object) -> Number:
    total: Number = 0
    for value in _elements(given):  # not sum(): from Python 3.12 on it compensates rounding, upstream's did not
        total = _checked(total + _number(value))
    return total


def _product(given: object) -> Number:
    product: Number = 1
    for value in _elements(given):
        product = _checked(product * _number(value))
    return product


def _rank(given: object) -> list[Number]:
    descending = given.get("is_desc", "False") if isinstance(given, Mapping) else "False"
    if str(descending).strip().lower() not in ("true", "false") or not isinstance(descending, str | bool):
        raise MathsError("is_desc")
    numbers = [_number_or_date(value) for value in _elements(given)]
    return sorted(numbers, reverse=str(descending).strip().lower() == "true")


def _difference(given: object) -> Number:
    minuend, subtrahend = _pair(given, "minuend", "subtrahend")
    return _checked(minuend - subtrahend)


def _quotient(given: object) -> Number:
    dividend, divisor = _pair(given, "dividend", "divisor")
    if divisor == 0:
        raise MathsError("division by zero")
    return _checked(dividend / divisor)


_CALCULATIONS: dict[str, Callable[[object], Number | list[Number]]] = {
    "get_sum": _sum,
    "get_rank": _rank,
    "get_subtraction": _difference,
    "get_multiplication": _product,
    "get_division": _quotient,
}


def calculate(tool: str, given: object) -> Number | list[Number]:
    """The value of a mathematics tool.

    Raises:
        MathsError: the elements are no numbers (also: an empty list, an overflow, division by zero).
        ShapeError: the input does not have the parameters of the tool.
    """
    try:
        return _CALCULATIONS[tool](given)
    except OverflowError as error:
        raise MathsError(str(error)) from error
