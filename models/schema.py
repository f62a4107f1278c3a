"""Checks a value against a JSON schema: after every structured reply, whatever engine wrote it.

jsonschema applies the rules; what is wrong is put into words here, since such words go into prompts. A keyword beyond
those that schemas of replies need (`_KEYWORDS`) is an error of the schema. Own rules on top: text holds no control
characters besides line breaks and tabs, no lone surrogates, and at most `LONGEST_TEXT` characters where the schema
sets no `maxLength`; numbers are finite. Lengths are in Unicode characters.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator, SchemaError, ValidationError
from jsonschema.validators import extend

from models.errors import BadEngine

LONGEST_TEXT = 2000
"""Characters of a text without `maxLength`."""
Schema = Mapping[str, Any]
_OWN = "own rules"
"""The keyword of the own rules, put into each part of a schema before all others."""
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


def rebuilt(schema: Any, change: Callable[[dict[str, Any], str], dict[str, Any]], where: str = "#") -> Any:
    """The schema with each part in it changed, from the inside out; `where` is the place of the part."""
    if not isinstance(schema, Mapping):
        return schema
    parts = dict(schema)
    if "items" in parts:
        parts["items"] = rebuilt(parts["items"], change, f"{where}/items")
    if isinstance(named := parts.get("properties"), Mapping):
        parts["properties"] = {
            name: rebuilt(part, change, f"{where}/properties/{name}") for name, part in named.items()
        }
    if isinstance(forms := parts.get("anyOf"), Sequence):
        parts["anyOf"] = [rebuilt(form, change, f"{where}/anyOf/{at}") for at, form in enumerate(forms)]
    return change(parts, where)


def violation(schema: Schema, value: Any) -> str:
    """The first violation in one sentence with its place, or "" for a valid value.

    Raises BadEngine if the schema itself cannot be used, an unknown keyword that may forbid something included.
    """
    try:
        error = next(_validator(json.dumps(schema)).iter_errors(value), None)
        return _sentence(error) if error is not None else ""
    except RecursionError:
        return "整体：嵌套太深"


@lru_cache(maxsize=256)
def _validator(text: str) -> Any:
    """The validator of a schema; it checks own rules at each part first."""
    schema = json.loads(text)
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        where = "/".join(("#", *map(str, error.absolute_path)))
        raise BadEngine(f"the schema at {where} cannot be used: {error.message}") from error
    return _Validator(rebuilt(schema, _with_own_rules))


def _with_own_rules(part: dict[str, Any], where: str) -> dict[str, Any]:
    if strange := [keyword for keyword in part if keyword not in _KEYWORDS]:
        raise BadEngine(f"the schema at {where} uses '{strange[0]}', which is not known here")
    return {_OWN: True, **part}


def _own_rules(_: Any, __: Any, value: Any, schema: Schema) -> Iterator[ValidationError]:
    if isinstance(value, str):
        if _UNPRINTABLE.search(value):
            yield ValidationError("文本含有控制字符")
        elif len(value) > LONGEST_TEXT and not _LEAVES_LENGTH & schema.keys():
            yield ValidationError(f"文本有{len(value)}字，至多{LONGEST_TEXT}字")
    if isinstance(value, dict) and any(_UNPRINTABLE.search(name) for name in value):
        yield ValidationError("字段名含有控制字符")
    if isinstance(value, float) and not math.isfinite(value):
        yield ValidationError("不是有限的数")


_Validator = extend(Draft202012Validator, {_OWN: _own_rules})


# --- sentences ------------------------------------------------------------------------------------------------------

_TYPES = {
    "string": "文本", "integer": "整数", "number": "数", "boolean": "真假值", "null": "空值", "array": "列表",
    "object": "对象",
}  # fmt: skip
_WORDS: Mapping[str, Callable[[Any, Any], str]] = {
    "type": lambda value, rule: f"应为{_TYPES[rule]}，现为{_shown(value)}",
    "enum": lambda value, rule: (
        f"{_shown(value)}不在可选值之中：{'、'.join(map(str, rule[:8]))}{'……' * (len(rule) > 8)}"
    ),
    "const": lambda value, rule: f"应为{_shown(rule)}，现为{_shown(value)}",
    "minLength": lambda value, rule: f"文本有{len(value)}字，至少{rule}字",
    "maxLength": lambda value, rule: f"文本有{len(value)}字，至多{rule}字",
    "pattern": lambda value, rule: f"{_shown(value)}不合格式 {rule}",
    "minimum": lambda value, rule: f"{_shown(value)}小于最小值{rule}",
    "maximum": lambda value, rule: f"{_shown(value)}大于最大值{rule}",
    "minItems": lambda value, rule: f"列表有{len(value)}项，至少{rule}项",
    "maxItems": lambda value, rule: f"列表有{len(value)}项，至多{rule}项",
    "required": lambda value, rule: f"缺少“{next(name for name in rule if name not in value)}”",
}
"""Keyword -> what is wrong with a value by a rule of it."""
_KEYWORDS = {_OWN, *_WORDS, "properties", "additionalProperties", "items", "anyOf"} | frozenset(
    "$schema $id $comment title description default examples example deprecated readOnly writeOnly format".split()
)
"""Those in the second part forbid nothing."""


def _sentence(error: ValidationError) -> str:
    """What is wrong and where."""
    if error.validator == "anyOf":
        return _closest(error)
    value, rule = error.instance, error.validator_value
    if error.validator == "additionalProperties":
        strange = next(name for name in value if name not in error.schema.get("properties", ()))
        return _at(error.absolute_path, f"不应有“{_shown(strange)[1:-1]}”")
    words = _WORDS.get(error.validator)
    return _at(error.absolute_path, words(value, rule) if words else error.message)


def _closest(error: ValidationError) -> str:
    """Of several unfit forms, the violation of the one that was meant: fixed properties and the type say which."""
    value, forms, path = error.instance, error.validator_value, error.absolute_path
    first: dict[Any, ValidationError] = {}
    for inner in error.context:
        first.setdefault(inner.schema_path[0], inner)
    tags = [_tags(form) for form in forms]
    if isinstance(value, dict) and (names := set.intersection(*map(set, tags))):
        name = min(names)
        if name not in value:
            return _at(path, f"缺少“{name}”")
        for at, tag in enumerate(tags):
            if _Validator({"enum": tag[name]}).is_valid(value[name]):
                return _sentence(first[at])
        return _at([*path, name], _WORDS["enum"](value[name], [allowed for tag in tags for allowed in tag[name]]))
    for at, form in enumerate(forms):
        if "type" in form and _Validator.TYPE_CHECKER.is_type(value, form["type"]):
            return _sentence(first[at])
    return _sentence(first[0]) if len(forms) == 1 else _at(path, f"{_shown(value)}不符合任何一种形式")


def _tags(form: Schema) -> dict[str, list[Any]]:
    """Properties of a form that allow fixed values only: they tell it from its neighbours."""
    return {
        name: [part["const"]] if "const" in part else part["enum"]
        for name, part in form.get("properties", {}).items()
        if "const" in part or "enum" in part
    }


def _at(path: Iterable[str | int], problem: str) -> str:
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")
    return f"{place or '整体'}：{problem}"


def _shown(value: Any) -> str:
    text = "".join(c if c.isprintable() else "�" for c in repr(value)[:60])
    return text if len(text) < 60 else f"{text[:40]}…"
