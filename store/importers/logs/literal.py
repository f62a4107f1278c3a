"""Reads what a tool printed: the Python text of a list, dict, string or number, and nothing else.

Observations are `str(value)` of the harness: single-quoted keys, `nan` without quotes. The text comes from a log
file, so it is never evaluated: it is parsed to a syntax tree of which only plain literals are accepted.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from typing import TypeAlias

MAX_CHARACTERS = 2_000_000
MAX_DEPTH = 12

_STRING = re.compile(r"""'(?:[^'\\\n]++|\\.)*+'|"(?:[^"\\\n]++|\\.)*+"|(['"].*)""", re.DOTALL)
_SKELETON = re.compile(r"[\[\]{},: 0-9.e+\-nas]*")
_JOINED = re.compile(r"s *s|[0-9nas\]}] *-|- *-|[^e]\+|s *[\[{]")

Literal: TypeAlias = "str | int | float | list[Literal] | dict[str, Literal]"
"""nan is kept as `math.nan`; the bare words True, False and None are no tool output and are refused."""


class NotALiteral(ValueError):
    """The text is not a list, dict, string or number as Python prints them."""


def read_literal(text: str) -> Literal:
    """The value that `text` prints.

    Raises:
        NotALiteral: whatever is wrong with the text; no other exception leaves this function.
    """
    text = text.strip(" ")
    if not text or len(text) > MAX_CHARACTERS:
        raise NotALiteral("empty or too long")
    _check_skeleton(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, mode="eval")
        return _value(tree.body, 0)
    except NotALiteral:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise NotALiteral(type(error).__name__) from None


def printed(value: Literal) -> str:
    """What the harness prints for a value; the opposite of `read_literal`."""
    return str(value)


def _check_skeleton(text: str) -> None:
    """Refuses, before any parsing, what no printed value has: operators, calls, names, deep nesting."""
    skeleton = _STRING.sub(lambda found: "!" if found[1] else "s", text)
    if not _SKELETON.fullmatch(skeleton) or _JOINED.search(skeleton):
        raise NotALiteral("holds more than plain values")
    depth = 0
    for letter in skeleton:
        if letter in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise NotALiteral("nested too deeply")
        elif letter in "]}":
            depth -= 1


def _value(node: ast.expr, depth: int) -> Literal:
    if depth > MAX_DEPTH:
        raise NotALiteral("nested too deeply")
    if isinstance(node, ast.Constant) and type(node.value) in (str, int, float):
        return _number(node.value)
    if isinstance(node, ast.Name) and node.id == "nan":
        return math.nan
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        operand = _value(node.operand, depth + 1)
        if isinstance(operand, int | float):
            return -operand
    if isinstance(node, ast.List):
        return [_value(item, depth + 1) for item in node.elts]
    if isinstance(node, ast.Dict):
        return _mapping(node, depth)
    raise NotALiteral(f"{type(node).__name__} is no plain literal")


def _number(value: object) -> Literal:
    if isinstance(value, float) and math.isinf(value):
        raise NotALiteral("number out of range")
    assert isinstance(value, str | int | float)
    return value


def _mapping(node: ast.Dict, depth: int) -> Literal:
    found: dict[str, Literal] = {}
    for key, item in zip(node.keys, node.values, strict=True):
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)) or key.value in found:
            raise NotALiteral("a key is not a string, or stands twice")
        found[key.value] = _value(item, depth + 1)
    return found
