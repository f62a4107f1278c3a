"""Checks a value against a JSON schema: after every structured reply, whatever engine wrote it.

A grammar cannot see everything (uniqueness, wide ranges of decimals), and an endpoint may ignore it. Own rules on top
of the schema's: text holds no control characters besides line breaks and tabs, no lone surrogates, and at most
`LONGEST_TEXT` characters where the schema sets no `maxLength`; numbers are finite. Lengths are in Unicode characters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from models.errors import BadEngine

LONGEST_TEXT = 2000
"""Characters of a text without `maxLength`."""
DEPTH = 60
"""Deepest nesting of a value."""
Schema = Mapping[str, Any] | bool
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_Check = Callable[["_Place", Any, Any, Mapping[str, Any]], str]


def violation(schema: Mapping[str, Any], value: Any) -> str:
    """The first violation in one sentence with its place, or "" for a valid value.

    Raises BadEngine if the schema itself cannot be used: an unknown keyword that may forbid something, a bad
    reference.
    """
    try:
        return next(_Place(schema, "", "#", 0).violations(schema, value), "")
    except RecursionError:
        return "整体：嵌套太深"


def resolved(root: Schema, schema: Schema, where: str = "#") -> Schema:
    """What a schema refers to, through any number of `$ref`. Raises BadEngine for one that leads nowhere."""
    seen: set[str] = set()
    while isinstance(schema, Mapping) and "$ref" in schema:
        reference = schema["$ref"]
        if not isinstance(reference, str) or reference in seen or not (reference + "/").startswith("#/"):
            raise BadEngine(f"the schema at {where} has a reference that leads nowhere: {reference!r}")
        seen.add(reference)
        target: Any = root
        for part in reference[2:].split("/") if len(reference) > 1 else ():
            name = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(target, Mapping) or name not in target:
                raise BadEngine(f"the schema at {where} has a reference that leads nowhere: {reference!r}")
            target = target[name]
        beside = {key: rest for key, rest in schema.items() if key != "$ref" and key in _CHECKS}
        schema = {"allOf": [target, beside]} if beside else target
    if not isinstance(schema, (Mapping, bool)):
        raise BadEngine(f"the schema at {where} is no schema")
    return schema


def kinds(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """The types a schema names; `nullable` adds null."""
    named = schema.get("type", ())
    listed = (named,) if isinstance(named, str) else tuple(named)
    return (*listed, "null") if listed and schema.get("nullable") is True and "null" not in listed else listed


class _Place:
    """A place in the value (`path`, for people) and in the schema (`where`)."""

    __slots__ = ("bounded", "depth", "path", "root", "where")

    def __init__(self, root: Mapping[str, Any], path: str, where: str, depth: int, bounded: bool = False) -> None:
        self.root = root
        self.path = path
        self.where = where
        self.depth = depth
        self.bounded = bounded
        """Whether a schema beside this one bounds the length of a text."""

    def violations(self, schema: Schema, value: Any) -> Iterator[str]:
        """Each violation here and below, in the order of the schema's keywords."""
        if self.depth > DEPTH:
            yield self.says("嵌套太深")
            return
        schema = resolved(self.root, schema, self.where)
        if isinstance(schema, bool):
            if not schema:
                yield self.says("此处不应有值")
            return
        problem = _own_rules(value, schema, self.bounded)
        if problem:
            yield self.says(problem)
        if value is None and schema.get("nullable") is True:
            return
        for keyword, rule in schema.items():
            check = _CHECKS.get(keyword)
            if check is None:
                if keyword not in IGNORED:
                    raise BadEngine(f"the schema at {self.where} uses '{keyword}', which is not known here")
                continue
            try:
                problem = check(self, value, rule, schema)
            except (TypeError, ValueError, AttributeError, re.error) as error:
                raise BadEngine(f"the schema at {self.where}/{keyword} cannot be used") from error
            if problem:
                yield problem

    def first(self, schema: Schema, value: Any, *, at: str = "", under: str = "", bounded: bool = False) -> str:
        """The first violation of a part of the value (`at`) against a part of the schema (`under`)."""
        step = self.path + at if not self.path or not at or at[0] == "[" else f"{self.path}.{at}"
        place = _Place(self.root, step, f"{self.where}/{under}", self.depth + 1, bounded)
        return next(place.violations(schema, value), "")

    def says(self, what: str) -> str:
        """A violation here."""
        return f"{self.path or '整体'}：{what}"


_LEAVES_LENGTH = {"maxLength", "const", "enum", "allOf", "anyOf", "oneOf"}


def _own_rules(value: Any, schema: Mapping[str, Any], bounded: bool) -> str:
    if isinstance(value, str):
        if _UNPRINTABLE.search(value):
            return "文本含有控制字符"
        if len(value) > LONGEST_TEXT and not bounded and not _LEAVES_LENGTH & schema.keys():
            return f"文本有{len(value)}字，至多{LONGEST_TEXT}字"
    if isinstance(value, dict) and any(_UNPRINTABLE.search(name) for name in value):
        return "字段名含有控制字符"
    if isinstance(value, float) and not math.isfinite(value):
        return "不是有限的数"
    return ""


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
}  # fmt: skip


def _type(place: _Place, value: Any, rule: Any, schema: Mapping[str, Any]) -> str:
    named = kinds(schema)
    for name in named:
        if name not in _TYPES:
            raise BadEngine(f"the schema at {place.where} names an unknown type {name!r}")
    if any(_TYPES[name][1](value) for name in named):
        return ""
    return place.says(f"应为{'或'.join(_TYPES[name][0] for name in named)}，现为{_shown(value)}")


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


def _enum(place: _Place, value: Any, rule: Any, schema: Mapping[str, Any]) -> str:
    if any(same(value, allowed) for allowed in rule):
        return ""
    names = "、".join(str(allowed) for allowed in rule[:8]) + ("……" if len(rule) > 8 else "")
    return place.says(f"{_shown(value)}不在可选值之中：{names}")


def _const(place: _Place, value: Any, rule: Any, schema: Mapping[str, Any]) -> str:
    return "" if same(value, rule) else place.says(f"应为{_shown(rule)}，现为{_shown(value)}")


def _size(kind: type, fits: Callable[[int, int], bool], words: str) -> _Check:
    def check(place: _Place, value: Any, rule: Any, schema: Mapping[str, Any]) -> str:
        if not isinstance(value, kind) or fits(len(value), rule):  # type: ignore[arg-type]
            return ""
        return place.says(words.format(have=len(value), rule=rule))  # type: ignore[arg-type]

    return check


def _bound(fits: Callable[[Any, Any], bool], words: str) -> _Check:
    def check(place: _Place, value: Any, rule: Any, schema: Mapping[str, Any]) -> str:
        if not _is_number(value) or fits(value, rule):
            return ""
        return place.says(words.format(have=_shown(value), rule=rule))

    return check


def _multiple(place: _Place, value: Any, rule: Any, schema: Mapping[str, Any]) -> str:
    if not _is_number(value) or (value / rule == value // rule if isinstance(value, float) else value % rule == 0):
        return ""
    return place.says(f"{_shown(value)}不是{rule}的倍数")


def _pattern(place: _Place, value: Any, rule: Any, schema: Mapping[str, Any]) -> str:
    if not isinstance(value, str) or re.search(rule, value):
        return ""
    return place.says(f"{_shown(value)}不合格式 {rule}")


def _unique(place: _Place, value: Any, rule: Any, schema: Mapping[str, Any]) -> str:
    if not rule or not isinstance(value, list):
        return ""
    for at, item in enumerate(value):
        if any(same(item, earlier) for earlier in value[:at]):
            return place.says(f"{_shown(item)}重复")
    return ""


def _items(place: _Place, value: Any, rule: Any, schema: Mapping[str, Any]) -> str:
    if not isinstance(value, list):
        return ""
    start = len(schema.get("prefixItems", ()))
    found = (place.first(rule, item, at=f"[{at}]", under="items") for at, item in enumerate(value) if at >= start)
    return next(filter(None, found), "")


def _prefix(place: _Place, value: Any, rule: Any, schema: Mapping[str, Any]) -> str:
    if not isinstance(value, list):
        return ""
    pairs = enumerate(zip(rule, value, strict=False))
    found = (place.first(part, item, at=f"[{at}]", under=f"prefixItems/{at}") for at, (part, item) in pairs)
    return next(filter(None, found), "")


def _properties(place: _Place, value: Any, rule: Any, schema: Mapping[str, Any]) -> str:
    if not isinstance(value, dict):
        return ""
    found = (
        place.first(part, value[name], at=name, under=f"properties/{name}")
        for name, part in rule.items()
        if name in value
    )
    return next(filter(None, found), "")


def _required(place: _Place, value: Any, rule: Any, schema: Mapping[str, Any]) -> str:
    missing = [name for name in rule if name not in value] if isinstance(value, dict) else ()
    return place.says(f"缺少“{missing[0]}”") if missing else ""


def _additional(place: _Place, value: Any, rule: Any, schema: Mapping[str, Any]) -> str:
    if not isinstance(value, dict):
        return ""
    for name in value:
        if name in schema.get("properties", ()):
            continue
        if rule is False:
            return place.says(f"不应有“{_shown(name)[1:-1]}”")
        if found := place.first(rule, value[name], at=_shown(name)[1:-1], under="additionalProperties"):
            return found
    return ""


def _all_of(place: _Place, value: Any, rule: Any, schema: Mapping[str, Any]) -> str:
    parts = [resolved(place.root, part, place.where) for part in rule]
    bounded = any(isinstance(part, Mapping) and "maxLength" in part for part in (*parts, schema))
    found = (place.first(part, value, under=f"allOf/{at}", bounded=bounded) for at, part in enumerate(parts))
    return next(filter(None, found), "")


def _choice(name: str, alone: bool) -> _Check:
    def check(place: _Place, value: Any, rule: Any, schema: Mapping[str, Any]) -> str:
        found = [place.first(part, value, under=f"{name}/{at}") for at, part in enumerate(rule)]
        fitting = found.count("")
        if fitting == 1 or (fitting and not alone):
            return ""
        if fitting:
            return place.says(f"同时符合{fitting}种形式，只应符合一种")
        return _best(place, value, rule, found)

    return check


def _best(place: _Place, value: Any, branches: Sequence[Schema], found: Sequence[str]) -> str:
    """Of several unfit forms, the violation of the one that was meant: fixed properties and the type say which."""
    parts = [resolved(place.root, branch, place.where) for branch in branches]
    tags = [_tags(place.root, part) for part in parts]
    if isinstance(value, dict) and (names := set.intersection(*map(set, tags)) if tags else set()):
        name = sorted(names)[0]
        if name not in value:
            return place.says(f"缺少“{name}”")
        for tag, problem in zip(tags, found, strict=True):
            if any(same(value[name], allowed) for allowed in tag[name]):
                return problem
        merged = [allowed for tag in tags for allowed in tag[name]]
        return _enum(_Place(place.root, f"{place.path}.{name}".lstrip("."), place.where, 0), value[name], merged, {})
    for part, problem in zip(parts, found, strict=True):
        named = kinds(part) if isinstance(part, Mapping) else ()
        if any(kind in _TYPES and _TYPES[kind][1](value) for kind in named):
            return problem
    return found[0] if len(found) == 1 else place.says(f"{_shown(value)}不符合任何一种形式")


def _tags(root: Schema, schema: Schema) -> dict[str, Sequence[Any]]:
    """Properties of a form that allow fixed values only: they tell it from its neighbours."""
    if not isinstance(schema, Mapping):
        return {}
    parts = ((name, resolved(root, part)) for name, part in schema.get("properties", {}).items())
    fixed = ((name, part) for name, part in parts if isinstance(part, Mapping))
    return {
        name: (part["const"],) if "const" in part else part["enum"]
        for name, part in fixed
        if "const" in part or "enum" in part
    }


def _not(place: _Place, value: Any, rule: Any, schema: Mapping[str, Any]) -> str:
    return "" if place.first(rule, value, under="not") else place.says("属于被排除的形式")


_CHECKS: dict[str, _Check] = {
    "type": _type, "enum": _enum, "const": _const,
    "minLength": _size(str, lambda have, rule: have >= rule, "文本有{have}字，至少{rule}字"),
    "maxLength": _size(str, lambda have, rule: have <= rule, "文本有{have}字，至多{rule}字"),
    "pattern": _pattern,
    "minimum": _bound(lambda have, rule: have >= rule, "{have}小于最小值{rule}"),
    "maximum": _bound(lambda have, rule: have <= rule, "{have}大于最大值{rule}"),
    "exclusiveMinimum": _bound(lambda have, rule: have > rule, "{have}应大于{rule}"),
    "exclusiveMaximum": _bound(lambda have, rule: have < rule, "{have}应小于{rule}"),
    "multipleOf": _multiple,
    "minItems": _size(list, lambda have, rule: have >= rule, "列表有{have}项，至少{rule}项"),
    "maxItems": _size(list, lambda have, rule: have <= rule, "列表有{have}项，至多{rule}项"),
    "uniqueItems": _unique, "items": _items, "prefixItems": _prefix,
    "minProperties": _size(dict, lambda have, rule: have >= rule, "对象有{have}个字段，至少{rule}个"),
    "maxProperties": _size(dict, lambda have, rule: have <= rule, "对象有{have}个字段，至多{rule}个"),
    "required": _required, "properties": _properties, "additionalProperties": _additional,
    "allOf": _all_of, "anyOf": _choice("anyOf", False), "oneOf": _choice("oneOf", True), "not": _not,
}  # fmt: skip
IGNORED = frozenset(
    "$schema $id $defs $comment definitions title description default examples example deprecated readOnly writeOnly"
    " format nullable discriminator contentMediaType contentEncoding".split()
)
"""Keywords that forbid nothing."""
