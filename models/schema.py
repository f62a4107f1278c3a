"""Checks a value against a JSON schema: after every structured reply, whatever engine wrote it.

The subset of JSON Schema that schemas of replies need (`RULES`, `PARTS`); a keyword beyond it is an error of the
schema. Own rules on top: text holds no control characters besides line breaks and tabs, no lone surrogates, and at
most `LONGEST_TEXT` characters where the schema sets no `maxLength`; numbers are finite. Lengths are in Unicode
characters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from models.errors import BadEngine

LONGEST_TEXT = 2000
"""Characters of a text without `maxLength`."""
Schema = Mapping[str, Any]
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_LEAVES_LENGTH = {"maxLength", "const", "enum", "anyOf"}


def object_schema(properties: Mapping[str, Schema]) -> Schema:
    """All properties in this order, and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def violation(schema: Schema, value: Any) -> str:
    """The first violation in one sentence with its place, or "" for a valid value.

    Raises BadEngine if the schema itself cannot be used, an unknown keyword that may forbid something included.
    """
    try:
        return next(_violations(schema, value, "", "#"), "")
    except RecursionError:
        return "整体：嵌套太深"


def _violations(schema: Schema, value: Any, path: str, where: str) -> Iterator[str]:
    """Each violation here and below, in the order of the schema's keywords; `path` leads to the value, `where` to the
    schema."""
    if not isinstance(schema, Mapping):
        raise BadEngine(f"the schema at {where} is no schema")
    if problem := _own_rules(value, schema):
        yield _at(path, problem)
    for keyword, rule in schema.items():
        try:
            if keyword in RULES:
                if problem := RULES[keyword](value, rule):
                    yield _at(path, problem)
            elif keyword in PARTS:
                yield from PARTS[keyword](value, rule, path, where)
            elif keyword == "additionalProperties" and isinstance(rule, bool):
                if not rule and isinstance(value, dict):
                    strange = (name for name in value if name not in schema.get("properties", ()))
                    yield from (_at(path, f"不应有“{_shown(name)[1:-1]}”") for name in strange)
            elif keyword not in IGNORED:
                raise BadEngine(f"the schema at {where} uses '{keyword}', which is not known here")
        except (TypeError, ValueError, AttributeError, KeyError, re.error) as error:
            raise BadEngine(f"the schema at {where}/{keyword} cannot be used: {error}") from error


def _at(path: str, problem: str) -> str:
    return f"{path or '整体'}：{problem}"


def _own_rules(value: Any, schema: Schema) -> str:
    if isinstance(value, str):
        if _UNPRINTABLE.search(value):
            return "文本含有控制字符"
        if len(value) > LONGEST_TEXT and not _LEAVES_LENGTH & schema.keys():
            return f"文本有{len(value)}字，至多{LONGEST_TEXT}字"
    if isinstance(value, dict) and any(_UNPRINTABLE.search(name) for name in value):
        return "字段名含有控制字符"
    if isinstance(value, float) and not math.isfinite(value):
        return "不是有限的数"
    return ""


# --- rules for a value by itself ------------------------------------------------------------------------------------


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_TYPES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "string": ("文本", lambda value: isinstance(value, str)),
    "integer": ("整数", lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer())),
    "number": ("数", _is_number),
    "boolean": ("真假值", lambda value: isinstance(value, bool)),
    "null": ("空值", lambda value: value is None),
    "array": ("列表", lambda value: isinstance(value, list)),
    "object": ("对象", lambda value: isinstance(value, dict)),
}


def _type(value: Any, rule: Any) -> str:
    if rule not in _TYPES:
        raise ValueError(f"unknown type {rule!r}")
    name, fits = _TYPES[rule]
    return "" if fits(value) else f"应为{name}，现为{_shown(value)}"


def _shown(value: Any) -> str:
    text = "".join(c if c.isprintable() else "�" for c in repr(value)[:60])
    return text if len(text) < 60 else f"{text[:40]}…"


def same(one: Any, other: Any) -> bool:
    """Equality of JSON: true is not 1, 1.0 is 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


def _enum(value: Any, rule: Any) -> str:
    if any(same(value, allowed) for allowed in rule):
        return ""
    names = "、".join(str(allowed) for allowed in rule[:8]) + ("……" if len(rule) > 8 else "")
    return f"{_shown(value)}不在可选值之中：{names}"


def _size(kind: type, fits: Callable[[int, int], bool], words: str) -> Callable[[Any, Any], str]:
    return lambda value, rule: (
        "" if not isinstance(value, kind) or fits(len(value), rule) else words.format(have=len(value), rule=rule)  # type: ignore[arg-type]
    )


RULES: Mapping[str, Callable[[Any, Any], str]] = {
    "type": _type,
    "enum": _enum,
    "const": lambda value, rule: "" if same(value, rule) else f"应为{_shown(rule)}，现为{_shown(value)}",
    "minLength": _size(str, lambda have, rule: have >= rule, "文本有{have}字，至少{rule}字"),
    "maxLength": _size(str, lambda have, rule: have <= rule, "文本有{have}字，至多{rule}字"),
    "pattern": lambda value, rule: (
        "" if not isinstance(value, str) or re.search(rule, value) else f"{_shown(value)}不合格式 {rule}"
    ),
    "minimum": lambda value, rule: f"{_shown(value)}小于最小值{rule}" if _is_number(value) and value < rule else "",
    "maximum": lambda value, rule: f"{_shown(value)}大于最大值{rule}" if _is_number(value) and value > rule else "",
    "minItems": _size(list, lambda have, rule: have >= rule, "列表有{have}项，至少{rule}项"),
    "maxItems": _size(list, lambda have, rule: have <= rule, "列表有{have}项，至多{rule}项"),
}
"""Keyword -> what is wrong with a value by a rule, "" for nothing."""


# --- parts of a value -----------------------------------------------------------------------------------------------


def _items(value: Any, rule: Any, path: str, where: str) -> Iterator[str]:
    for at, item in enumerate(value if isinstance(value, list) else ()):
        yield from _violations(rule, item, f"{path}[{at}]", f"{where}/items")


def _properties(value: Any, rule: Any, path: str, where: str) -> Iterator[str]:
    for name, part in rule.items():
        if isinstance(value, dict) and name in value:
            yield from _violations(part, value[name], f"{path}.{name}".lstrip("."), f"{where}/properties/{name}")


def _required(value: Any, rule: Any, path: str, where: str) -> Iterator[str]:
    missing = [name for name in rule if name not in value] if isinstance(value, dict) else ()
    yield from (_at(path, f"缺少“{name}”") for name in missing)


def _any_of(value: Any, rule: Any, path: str, where: str) -> Iterator[str]:
    found = [next(_violations(part, value, path, f"{where}/anyOf/{at}"), "") for at, part in enumerate(rule)]
    if "" not in found:
        yield _best(value, rule, found, path)


def _best(value: Any, forms: Sequence[Schema], found: Sequence[str], path: str) -> str:
    """Of several unfit forms, the violation of the one that was meant: fixed properties and the type say which."""
    tags = [_tags(form) for form in forms]
    if isinstance(value, dict) and (names := set.intersection(*map(set, tags)) if tags else set()):
        name = sorted(names)[0]
        if name not in value:
            return _at(path, f"缺少“{name}”")
        for tag, problem in zip(tags, found, strict=True):
            if any(same(value[name], allowed) for allowed in tag[name]):
                return problem
        merged = [allowed for tag in tags for allowed in tag[name]]
        return _at(f"{path}.{name}".lstrip("."), _enum(value[name], merged))
    for form, problem in zip(forms, found, strict=True):
        if form.get("type") in _TYPES and _TYPES[form["type"]][1](value):
            return problem
    return found[0] if len(found) == 1 else _at(path, f"{_shown(value)}不符合任何一种形式")


def _tags(form: Schema) -> dict[str, Sequence[Any]]:
    """Properties of a form that allow fixed values only: they tell it from its neighbours."""
    return {
        name: (part["const"],) if "const" in part else part["enum"]
        for name, part in form.get("properties", {}).items()
        if "const" in part or "enum" in part
    }


PARTS: Mapping[str, Callable[[Any, Any, str, str], Iterator[str]]] = {
    "items": _items,
    "properties": _properties,
    "required": _required,
    "anyOf": _any_of,
}
IGNORED = frozenset(
    "$schema $id $comment title description default examples example deprecated readOnly writeOnly format".split()
)
"""Keywords that forbid nothing."""
