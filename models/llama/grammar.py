"""From a JSON schema to a GBNF grammar, so that a model can only write values that the schema allows.

What the grammar allows is valid JSON and, but for the bounds of numbers that are no short range of whole ones, a
valid value by `models.schema.violation`; it may allow less: properties come in the order of the schema, at most one
blank stands after a comma or colon, texts are bounded and hold no control characters. What no grammar can express is
a BadEngine that names the place. Lengths are in Unicode characters.

llama.cpp follows all ways through a grammar that still fit, character by character, so alternatives share their
beginnings here (a tree of tool names, not a list), and long texts are counted in blocks instead of one rule a
character.

A way to write a value is a row of atoms: one literal character ("'x") or a piece of grammar ("@rule").
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence

from models.errors import BadEngine
from models.schema import IGNORED, LONGEST_TEXT, Schema

MOST_ITEMS = 50
"""Items of a list without `maxItems`."""
LONGEST_BOUND = 100_000
"""The largest `maxLength` or `maxItems` of a grammar."""
MOST_LISTED = 1000
"""Whole numbers between two bounds that are listed one by one."""
MOST_REPEATED = 100
"""Repetitions of a part of a pattern."""

Shape = tuple[str, ...]
_BLANK = "@blank"
_FIXED = {
    "blank": '" "?',
    "char": r'[ !#-\[\]-~\u00A0-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF] | "\\" escape',
    "escape": r'["\\/nt] | "u" code',
    "code": r'"00" ([2-6] hex | [a-fA-F] hex) | "0" [1-9a-fA-F] hex hex | [1-9a-cA-CeEfF] hex hex hex | [dD] [0-7] '
    r"hex hex",
    "hex": "[0-9a-fA-F]",
}
"""No control character and no half of a surrogate pair, escaped or not."""
_WHOLE = '"0" | "-"? [1-9] [0-9]{0,14}'
_SIMPLE = {
    "null": "null",
    "integer": f"@({_WHOLE})",
    "number": '@("-"? ("0" | [1-9] [0-9]{0,14}) ("." [0-9]{1,6})?)',
}
_USED_BY: Mapping[str, frozenset[str]] = {
    "string": frozenset(("minLength", "maxLength", "pattern")),
    "integer": frozenset(("minimum", "maximum")),
    "number": frozenset(("minimum", "maximum")),
    "boolean": frozenset(),
    "null": frozenset(),
    "array": frozenset(("items", "minItems", "maxItems")),
    "object": frozenset(("properties", "required", "additionalProperties")),
}
"""Type -> the keywords that its grammar follows."""
_PATTERN_PART = re.compile(r'(\[[^\[\]\\^"]+\]|\\d|[^\\\[\](){}|.*+?^$"])(?:\{(\d+)(?:,(\d+))?\}|(\?))?')
"""A class or a character of a pattern, and how often it comes: {2}, {1,3}, ? or once."""


def gbnf(schema: Schema) -> str:
    """The grammar of one value, starting at `root`. Raises BadEngine for what no grammar can express."""
    try:
        return _Grammar().text(schema)
    except RecursionError as error:
        raise BadEngine("the schema is nested too deeply for a grammar") from error
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise BadEngine(f"the schema is malformed: {error}") from error


class _Grammar:
    """Rules under construction; equal schemas share a rule."""

    def __init__(self) -> None:
        self._rules: dict[str, str] = {}
        self._known: dict[str, str] = {}

    def text(self, schema: Schema) -> str:
        """The whole grammar."""
        root = _choice(self._shapes(schema, "#"))
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
        key = json.dumps(schema, ensure_ascii=False)
        if key in self._known:
            return ("@" + self._known[key],)
        shapes = self._shapes(schema, where)
        if len(shapes) == 1 and (len(shapes[0]) == 1 or all(atom[0] == "'" for atom in shapes[0])):
            return shapes[0]
        return (self._rule(_choice(shapes), key),)

    def _shapes(self, schema: Schema, where: str) -> list[Shape]:
        """All ways to write a value of a schema."""
        if not isinstance(schema, Mapping):
            raise BadEngine(f"the schema at {where} is no schema")
        if "const" in schema or "enum" in schema:
            values = [schema["const"]] if "const" in schema else list(schema["enum"])
            return _some([_fixed(value) for value in values], where)
        if "anyOf" in schema:
            _only(schema, frozenset(("anyOf",)), where)
            parts = enumerate(schema["anyOf"])
            return _some([way for at, part in parts for way in self._shapes(part, f"{where}/anyOf/{at}")], where)
        kind = str(schema.get("type", ""))
        if kind not in _USED_BY:
            raise BadEngine(
                f"the schema at {where} names an unknown type {kind!r}"
                if kind
                else f"the schema at {where} names no type"
            )
        _only(schema, _USED_BY[kind] | {"type"}, where)
        if kind == "boolean":
            return [_chars("true"), _chars("false")]
        if kind == "integer" and {"minimum", "maximum"} <= schema.keys():
            listed = range(math.ceil(schema["minimum"]), math.floor(schema["maximum"]) + 1)
            if len(listed) <= MOST_LISTED:
                return _some([_fixed(number) for number in listed], where)
        if kind in _SIMPLE:
            return [(_SIMPLE[kind],) if _SIMPLE[kind][0] == "@" else _chars(_SIMPLE[kind])]
        return {"string": self._text, "array": self._list, "object": self._object}[kind](schema, where)

    def _text(self, schema: Schema, where: str) -> list[Shape]:
        if "pattern" in schema:
            _only(schema, frozenset(("type", "pattern")), where)
            return [('@"\\""', f"@({_pattern(schema['pattern'], where)})", '@"\\""')]
        least, most = schema.get("minLength", 0), schema.get("maxLength", LONGEST_TEXT)
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

    def _list(self, schema: Schema, where: str) -> list[Shape]:
        least = schema.get("minItems", 0)
        most = schema.get("maxItems", max(MOST_ITEMS, least))
        _check_bounds(least, most, "Items", where)
        if most == 0:
            return [_chars("[]")]
        if "items" not in schema:
            raise BadEngine(f"the schema at {where} does not say what its items are")
        item = self._value(schema["items"], f"{where}/items")
        name = self._rule(_sequence(item), f"item {item}")[1:]
        more = self._rule(f'"," blank {name}', f"more {name}")[1:]
        body = f"{name} {self._times(more, max(least - 1, 0), most - 1)}"
        body = f'"[" {body} "]"' if least else f'"[" ({body})? "]"'
        return [(self._rule(body, f"list {name} {least} {most}"),)]

    def _object(self, schema: Schema, where: str) -> list[Shape]:
        properties: Mapping[str, Schema] = schema.get("properties", {})
        required = list(schema.get("required", ()))
        unknown = [name for name in required if name not in properties]
        if unknown:
            raise BadEngine(f"the schema at {where} requires '{unknown[0]}' without describing it")
        if not properties:
            if schema.get("additionalProperties") is not False:
                raise BadEngine(f"no grammar can express the free names of the object in the schema at {where}")
            return [_chars("{}")]
        pairs = [
            (name in required, (*_fixed(name), "':", _BLANK, *self._value(part, f"{where}/properties/{name}")))
            for name, part in properties.items()
        ]
        leading = next((at for at, (needed, _) in enumerate(pairs) if not needed), len(pairs))
        start = list(_chars("{"))
        for at, (_, pair) in enumerate(pairs[:leading]):
            start += (*(("',", _BLANK) if at else ()), *pair)
        if leading == len(pairs):
            return [(*start, *_chars("}"))]
        return [(*start, "@" + self._optional(pairs[leading:], bool(leading)), *_chars("}"))]

    def _optional(self, pairs: Sequence[tuple[bool, Shape]], started: bool) -> str:
        """The rule of pairs that may be left out; `started` says whether a comma comes first."""
        after, fresh = '""', '""'
        for needed, pair in reversed(pairs):
            text = _sequence(pair)
            follow = self._rule(after, f"rest {after}")[1:]
            skip = self._rule(fresh, f"rest {fresh}")[1:]
            after = f'"," blank {text} {follow}' + ("" if needed else f" | {follow}")
            fresh = f"{text} {follow}" + ("" if needed else f" | {skip}")
        body = after if started else fresh
        return self._rule(body, f"rest {body}")[1:]


def _only(schema: Schema, used: frozenset[str], where: str) -> None:
    """Refuse a keyword that this part of the grammar does not follow."""
    if strange := [keyword for keyword in schema if keyword not in used and keyword not in IGNORED]:
        raise BadEngine(f"no grammar can express '{strange[0]}' in the schema at {where}")


def _some(shapes: list[Shape], where: str) -> list[Shape]:
    if not shapes:
        raise BadEngine(f"the schema at {where} allows no value")
    return list(dict.fromkeys(shapes))


def _check_bounds(least: int, most: int, what: str, where: str) -> None:
    if not 0 <= least <= most:
        raise BadEngine(f"the schema at {where} allows no value: min{what} {least}, max{what} {most}")
    if most > LONGEST_BOUND:
        raise BadEngine(f"the schema at {where} has max{what} {most}, a grammar takes up to {LONGEST_BOUND}")


def _pattern(pattern: str, where: str) -> str:
    """The grammar of the texts of a pattern: ^, characters and classes with counts, $."""
    at, parts = 1, []
    while pattern.startswith("^") and (match := _PATTERN_PART.match(pattern, at, len(pattern) - 1)):
        single, least, most, once = match.groups()
        single = "[0-9]" if single == "\\d" else single if single[0] == "[" else f"[\\U{ord(single):08X}]"
        if int(most or least or 1) > MOST_REPEATED:
            break
        parts.append(single + (f"{{{least},{most or least}}}" if least else once or ""))
        at = match.end()
    if at != len(pattern) - 1 or not pattern.endswith("$"):
        raise BadEngine(
            f"no grammar can express the pattern {pattern!r} in the schema at {where}",
            "Between ^ and $ it may have characters and classes, each with a count like {1,3}.",
        )
    return " ".join(parts) or '""'


# --- ways to write a value ------------------------------------------------------------------------------------------


def _chars(text: str) -> Shape:
    return tuple("'" + character for character in text)


def _fixed(value: object) -> Shape:
    """A value that is always written the same."""
    return _chars(json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False))


def _literal(text: str) -> str:
    """A text as a GBNF literal."""
    escaped = ("\\" + c if c in '"\\' else c if c.isprintable() else f"\\U{ord(c):08X}" for c in text)
    return '"' + "".join(escaped) + '"'


def _sequence(shape: Iterable[str]) -> str:
    """Atoms in a row, neighbouring characters as one literal."""
    result: list[str] = []
    letters = ""
    for atom in (*shape, "@"):
        if atom[0] == "'":
            letters += atom[1:]
            continue
        result += filter(None, (letters and _literal(letters), atom[1:]))
        letters = ""
    return " ".join(result) or '""'


def _choice(shapes: Sequence[Shape]) -> str:
    """Several ways to write a value, with their common beginnings written once."""
    groups: dict[str, list[Shape]] = {}
    for shape in dict.fromkeys(shapes):
        groups.setdefault(shape[0] if shape else "", []).append(shape)
    parts: list[str] = []
    for group in groups.values():
        if len(group) == 1:
            parts.append(_sequence(group[0]))
        else:
            shared = next(
                at for at in range(len(min(group, key=len)) + 1) if len({way[: at + 1] for way in group}) > 1
            )
            parts.append(f"{_sequence(group[0][:shared])} ({_choice([way[shared:] for way in group])})")
    return " | ".join(parts)
