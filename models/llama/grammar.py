"""From a JSON schema to a GBNF grammar, so that a model can only write values that the schema allows.

What the grammar allows is always valid JSON and, by `models.schema.violation`, a valid value; it may allow less than
the schema: properties come in the order of the schema, at most one blank stands after a comma or colon, texts are
bounded and hold no control characters, decimals between odd bounds keep to whole bounds, unique items keep the order
of their enumeration. What no grammar can express is a BadEngine that names the place. Lengths are in Unicode
characters.

llama.cpp follows all ways through a grammar that still fit, character by character, so alternatives share their
beginnings here (a tree of tool names, not a list), and long texts are counted in blocks instead of one rule a
character.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from models.errors import BadEngine
from models.llama.shapes import (
    BLANK,
    Shape,
    chars,
    choice,
    decimals,
    fixed,
    integers,
    literal,
    separated,
    sequence,
    text_pattern,
    written,
)
from models.schema import LONGEST_TEXT, Schema, kinds, resolved, violation

MOST_ITEMS = 50
"""Items of a list without `maxItems`."""
MOST_ENTRIES = 16
"""Entries of an object with free names without `maxProperties`."""
LONGEST_NAME = 64
LONGEST_BOUND = 100_000
"""The largest `maxLength` or `maxItems` of a grammar."""
MOST_DIGITS = 15
DEPTH = 40

_FIXED = {
    "blank": '" "?',
    "char": r'[ !#-\[\]-~\u00A0-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF] | "\\" escape',
    "escape": r'["\\/nt] | "u" code',
    "code": r'"00" ([2-6] hex | [a-fA-F] hex) | "0" [1-9a-fA-F] hex hex | [1-9a-cA-CeEfF] hex hex hex | [dD] [0-7] '
    r'hex hex',
    "hex": "[0-9a-fA-F]",
}  # fmt: skip
"""No control character and no half of a surrogate pair, escaped or not."""
_TOGETHER = ("anyOf", "oneOf", "allOf")
_USED_BY: dict[str, frozenset[str]] = {
    "string": frozenset(("minLength", "maxLength", "pattern")),
    "integer": frozenset(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")),
    "number": frozenset(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")),
    "boolean": frozenset(),
    "null": frozenset(),
    "array": frozenset(("items", "prefixItems", "minItems", "maxItems", "uniqueItems")),
    "object": frozenset(("properties", "required", "additionalProperties", "minProperties", "maxProperties")),
}
"""Type -> the keywords its grammar follows."""
_NEVER = frozenset(
    "not if then else patternProperties propertyNames dependentRequired dependentSchemas dependencies contains"
    " minContains maxContains unevaluatedItems unevaluatedProperties multipleOf".split()
)


def gbnf(schema: Mapping[str, Any]) -> str:
    """The grammar of one value, starting at `root`. Raises BadEngine for what no grammar can express."""
    try:
        return _Grammar(schema).text()
    except RecursionError as error:
        raise BadEngine("the schema is nested too deeply for a grammar") from error
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise BadEngine(f"the schema is malformed: {error}") from error


class _Grammar:
    """Rules under construction; equal schemas share a rule."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._root = schema
        self._rules: dict[str, str] = {}
        self._known: dict[str, str] = {}
        self._open: list[str] = []

    def text(self) -> str:
        """The whole grammar."""
        root = choice(self._shapes(self._root, "#"))
        rules = {"root": root, **self._rules, **_FIXED}
        return "\n".join(f"{name} ::= {body}" for name, body in rules.items()) + "\n"

    def _rule(self, body: str, key: str) -> str:
        """The atom of a rule with this body; `key` tells equal ones."""
        if key not in self._known:
            self._known[key] = f"r{len(self._known)}"
            self._rules[self._known[key]] = body
        return "@" + self._known[key]

    def _value(self, schema: Schema, where: str) -> Shape:
        """A value as part of a larger one: fixed values in full, others by a rule of their own."""
        key = json.dumps(schema, sort_keys=False, ensure_ascii=False)
        if key in self._open or len(self._open) > DEPTH:
            raise BadEngine(f"the schema at {where} contains itself or is nested too deeply for a grammar")
        if key in self._known:
            return ("@" + self._known[key],)
        self._open.append(key)
        shapes = self._shapes(schema, where)
        self._open.pop()
        if len(shapes) == 1 and (len(shapes[0]) == 1 or all(atom[0] == "'" for atom in shapes[0])):
            return shapes[0]
        return (self._rule(choice(shapes), key),)

    def _shapes(self, schema: Schema, where: str) -> list[Shape]:
        """All ways to write a value of a schema."""
        if len(self._open) > DEPTH:
            raise BadEngine(f"the schema at {where} contains itself or is nested too deeply for a grammar")
        plain = resolved(self._root, schema, where)
        if isinstance(plain, bool):
            raise BadEngine(f"the schema at {where} does not say what the value is")
        refused = sorted(_NEVER & plain.keys())
        if refused:
            raise BadEngine(f"no grammar can express '{refused[0]}' in the schema at {where}")
        if "const" in plain or "enum" in plain:
            return self._listed(plain, where)
        for keyword in _TOGETHER:
            if keyword in plain:
                return self._combined(plain, keyword, where)
        named = kinds(plain)
        if not named:
            raise BadEngine(f"the schema at {where} names no type")
        shapes: list[Shape] = []
        for kind in named:
            make = {"string": self._text, "array": self._list, "object": self._object}.get(kind)
            shapes += make(plain, where) if make else _simple(kind, plain, where)
        return shapes

    def _listed(self, schema: Mapping[str, Any], where: str) -> list[Shape]:
        values = [schema["const"]] if "const" in schema else list(schema["enum"])
        checked = {**schema, **{key: self._root[key] for key in ("$defs", "definitions") if key in self._root}}
        shapes = [fixed(value) for value in values if not violation(checked, value)]
        if not shapes:
            raise BadEngine(f"the schema at {where} allows no value")
        return list(dict.fromkeys(shapes))

    def _combined(self, schema: Mapping[str, Any], keyword: str, where: str) -> list[Shape]:
        rest: Mapping[str, Any] = {key: value for key, value in schema.items() if key != keyword}
        parts = [resolved(self._root, part, f"{where}/{keyword}/{at}") for at, part in enumerate(schema[keyword])]
        if keyword == "allOf":
            for at, part in enumerate(parts):
                rest = _merged(rest, part, f"{where}/allOf/{at}")
            return self._deeper(rest, where)
        places = [f"{where}/{keyword}/{at}" for at in range(len(parts))]
        shapes = [
            shape
            for part, place in zip(parts, places, strict=True)
            for shape in self._deeper(_merged(rest, part, place), place)
        ]
        if rest.get("nullable") is True:
            shapes.append(fixed(None))
        if not shapes:
            raise BadEngine(f"the schema at {where} allows no value")
        return list(dict.fromkeys(shapes))

    def _deeper(self, schema: Schema, where: str) -> list[Shape]:
        self._open.append(where)
        shapes = self._shapes(schema, where)
        self._open.pop()
        return shapes

    def _text(self, schema: Mapping[str, Any], where: str) -> list[Shape]:
        least, most = schema.get("minLength", 0), schema.get("maxLength", LONGEST_TEXT)
        if "pattern" in schema:
            return [('@"\\""', *text_pattern(schema["pattern"], least, schema.get("maxLength"), where), '@"\\""')]
        _check_bounds(least, most, "Length", where)
        return [(self._rule(f'"\\"" {self._times("char", least, most)} "\\""', f"text {least} {most}"),)]

    def _times(self, name: str, least: int, most: int) -> str:
        """A rule `least` to `most` times, in about the square root of as many rules."""
        exactly = self._exactly(name, least)
        more = most - least
        if more <= 64:
            return f"{exactly} {name}{{0,{more}}}" if more else exactly
        size = math.isqrt(more)
        block = self._rule(" ".join([name] * size), f"block {name} {size}")[1:]
        tail = self._rule(f"{name}{{0,{size - 1}}}", f"tail {name} {size - 1}")[1:]
        blocks, rest = divmod(more, size)
        last = self._rule(f"{name}{{0,{rest}}}", f"tail {name} {rest}")[1:]
        for count in range(1, blocks + 1):
            last = self._rule(f"{block} {last} | {tail}", f"blocks {name} {size} {rest} {count}")[1:]
        return f"{exactly} {last}"

    def _exactly(self, name: str, times: int) -> str:
        """A rule so many times, by doubling."""
        parts: list[str] = []
        unit = name
        while times:
            if times % 2:
                parts.append(unit)
            times //= 2
            if times:
                unit = self._rule(f"{unit} {unit}", f"twice {unit}")[1:]
        return " ".join(parts) or '""'

    def _list(self, schema: Mapping[str, Any], where: str) -> list[Shape]:
        first = schema.get("prefixItems", ())
        least = schema.get("minItems", 0)
        most = schema.get("maxItems", max(MOST_ITEMS, least))
        _check_bounds(least, most, "Items", where)
        if first:
            if not least == most == len(first) and not (schema.get("items") is False and least == len(first)):
                raise BadEngine(
                    f"the schema at {where} has 'prefixItems' but no fixed length, which is not supported"
                )
            parts = [self._value(part, f"{where}/prefixItems/{at}") for at, part in enumerate(first)]
            return [(*chars("["), *separated(parts), *chars("]"))]
        if most == 0 or schema.get("items") is False:
            return [chars("[]")]
        if "items" not in schema:
            raise BadEngine(f"the schema at {where} does not say what its items are")
        if schema.get("uniqueItems"):
            return self._unique(schema, least, most, where)
        item = self._value(schema["items"], f"{where}/items")
        name = self._rule(sequence(item), f"item {item}")[1:]
        more = self._rule(f'"," blank {name}', f"more {name}")[1:]
        body = f"{name} {self._times(more, max(least - 1, 0), most - 1)}"
        body = f'"[" {body} "]"' if least else f'"[" ({body})? "]"'
        return [(self._rule(body, f"list {name} {least} {most}"),)]

    def _unique(self, schema: Mapping[str, Any], least: int, most: int, where: str) -> list[Shape]:
        """Lists without repetition, in the order of the enumeration: one rule an item and number of items still
        free."""
        shapes = self._shapes(schema["items"], f"{where}/items")
        if any(atom[0] == "@" for shape in shapes for atom in shape):
            raise BadEngine(
                f"no grammar can express 'uniqueItems' in the schema at {where}: its items are no fixed list"
            )
        most = min(most, len(shapes))
        if least > most:
            raise BadEngine(f"the schema at {where} allows no value")
        key = json.dumps([shapes, least, most], ensure_ascii=False)

        def rest(at: int, count: int) -> str:
            """What may follow when items before `at` are past and `count` are written."""
            if count == most:
                return '""'
            choices = [f"{literal(written(shape))} {after(number + 1, count + 1)}" if not count else
                       f'"," blank {literal(written(shape))} {after(number + 1, count + 1)}'
                       for number, shape in list(enumerate(shapes))[at:]
                       if len(shapes) - number >= least - count]  # fmt: skip
            return " | ".join([*choices, '""'] if count >= least else choices) or '""'

        def after(at: int, count: int) -> str:
            return self._rule(rest(at, count), f"unique {at} {count} {key}")[1:]

        return [(*chars("["), "@" + after(0, 0), *chars("]"))]

    def _object(self, schema: Mapping[str, Any], where: str) -> list[Shape]:
        properties: Mapping[str, Schema] = schema.get("properties", {})
        required = list(schema.get("required", ()))
        unknown = [name for name in required if name not in properties]
        if unknown:
            raise BadEngine(f"the schema at {where} requires '{unknown[0]}' without describing it")
        if not properties:
            return self._free_names(schema, where)
        names = [name for name, part in properties.items() if part is not False]
        if schema.get("minProperties", 0) > len(required) or schema.get("maxProperties", len(names)) < len(names):
            raise BadEngine(f"no grammar can express the number of properties in the schema at {where}")
        pairs = [
            (
                name in required,
                (*fixed(name), "':", BLANK, *self._value(properties[name], f"{where}/properties/{name}")),
            )
            for name in names
        ]
        leading = 0
        while leading < len(pairs) and pairs[leading][0]:
            leading += 1
        start = (*chars("{"), *separated([pair for _, pair in pairs[:leading]]))
        if leading == len(pairs):
            return [(*start, *chars("}"))]
        return [(*start, "@" + self._optional(pairs[leading:], bool(leading)), *chars("}"))]

    def _optional(self, pairs: Sequence[tuple[bool, Shape]], started: bool) -> str:
        """The rule of pairs that may be left out; `started` says whether a comma comes first."""
        after, fresh = '""', '""'
        for needed, pair in reversed(pairs):
            text = sequence(pair)
            follow = self._rule(after, f"rest {after}")[1:]
            skip = self._rule(fresh, f"rest {fresh}")[1:]
            after = f'"," blank {text} {follow}' + ("" if needed else f" | {follow}")
            fresh = f"{text} {follow}" + ("" if needed else f" | {skip}")
        body = after if started else fresh
        return self._rule(body, f"rest {body}")[1:]

    def _free_names(self, schema: Mapping[str, Any], where: str) -> list[Shape]:
        extra = schema.get("additionalProperties", True)
        if extra is False or schema.get("maxProperties") == 0:
            return [chars("{}")]
        least, most = schema.get("minProperties", 0), schema.get("maxProperties", MOST_ENTRIES)
        if extra is True or least > 1:
            raise BadEngine(f"no grammar can express the free names of the object in the schema at {where}")
        name = f'"\\"" {self._times("char", 1, LONGEST_NAME)} "\\""'
        value = sequence(self._value(extra, f"{where}/additionalProperties"))
        pair = self._rule(f'{name} ":" blank {value}', f"pair {value}")[1:]
        more = self._rule(f'"," blank {pair}', f"more {pair}")[1:]
        body = f"{pair} {self._times(more, 0, most - 1)}"
        return [("@" + f'"{{" {body} "}}"' if least else "@" + f'"{{" ({body})? "}}"',)]


def _simple(kind: str, schema: Mapping[str, Any], where: str) -> list[Shape]:
    if kind == "boolean":
        return [chars("true"), chars("false")]
    if kind == "null":
        return [chars("null")]
    if kind not in _USED_BY:
        raise BadEngine(f"the schema at {where} names an unknown type {kind!r}")
    make = integers if kind == "integer" else decimals
    written = make(
        schema.get("minimum"), schema.get("maximum"), schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum"),
        MOST_DIGITS,
    )  # fmt: skip
    if not written:
        raise BadEngine(f"the schema at {where} allows no number that a grammar can write")
    return [(f"@({written})",)]


def _check_bounds(least: int, most: int, what: str, where: str) -> None:
    if not 0 <= least <= most:
        raise BadEngine(f"the schema at {where} allows no value: min{what} {least}, max{what} {most}")
    if most > LONGEST_BOUND:
        raise BadEngine(f"the schema at {where} has max{what} {most}, a grammar takes up to {LONGEST_BOUND}")


def _merged(one: Mapping[str, Any], other: Schema, where: str) -> Mapping[str, Any]:
    """Both schemas as one, where their keywords do not touch."""
    if isinstance(other, bool):
        raise BadEngine(f"the schema at {where} does not say what the value is")
    clash = [key for key in one if key in other and one[key] != other[key] and key in _ALL_USED]
    split = "additionalProperties" in one and "properties" in other and "properties" not in one
    if clash or split or ("additionalProperties" in other and "properties" in one and "properties" not in other):
        raise BadEngine(f"no grammar can express the combination in the schema at {where}")
    return {**one, **other}


_ALL_USED = frozenset(("type", "enum", "const", *_TOGETHER)).union(*_USED_BY.values())
