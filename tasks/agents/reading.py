"""Reads the replies of a model as data: an object under a schema, the first object in a text, a call. Total: every
text has a reading.

A structured reply is checked against the schema it was asked under. What is no JSON is tried once more with the
forgiving parser and then counts as repaired. Notes are short sentences for a person, and for a model that is asked
again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from models.schema import Schema, violation
from tasks.agents.lenient import LiteralError
from tasks.agents.lenient import read as read_leniently
from tasks.episode.plain import plain

LONGEST_REPAIR = 1 << 18
"""Characters of a reply up to which a repair is tried; no honest call is longer."""
CLOSED = "不是一个完整的 JSON 对象"
_NAME_KEYS = ("name", "action", "tool", "function", "tool_name")
_GIVEN_KEYS = ("arguments", "parameters", "action_input", "input", "args")
_FENCE = re.compile(r"^\s*```[a-z]{0,10}\s*|\s*```\s*$")
Result = Literal["ok", "repaired", "rejected"]


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """What a reply says: `value` is None when rejected; `note` names the repair or the reason."""

    result: Result
    value: Any = None
    note: str = ""


Reader = Callable[[str], ParsedReply]


def structured(schema: Schema, loosely: Reader) -> Reader:
    """A reader of replies under a schema; `loosely` has a second try at what does not satisfy it."""

    def read(text: str) -> ParsedReply:
        value, strict = _loaded(text)
        reason = violation(schema, value) if strict else CLOSED
        if not reason:
            return ParsedReply("ok", value)
        second = loosely(text)
        if isinstance(second.value, dict):
            kept = {name: second.value[name] for name in fields if name in second.value}
            also = violation(schema, kept)
            if not also:
                return ParsedReply("repaired", kept, second.note or "不是单独的 JSON 对象")
            reason = reason if strict else also
        return ParsedReply("rejected", None, reason)

    fields = (schema["anyOf"][0] if "anyOf" in schema else schema)["properties"]
    return read


def _loaded(text: str) -> tuple[Any, bool]:
    try:
        return plain(json.loads(text)), True
    except (ValueError, RecursionError):
        return None, False


def decoded(body: str, opened: int) -> tuple[Any, int, str]:
    """The value that begins at a bracket, where it ends (0: unknown), and what was repaired to read it; (None, 0,
    reason) where it cannot be read."""
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(body, opened)
        return plain(value), end, ""
    except (ValueError, RecursionError):
        pass
    try:
        return plain(read_leniently(body, opened)), 0, "不是合法的 JSON，已按引号和标点修复"
    except (LiteralError, ValueError, RecursionError):
        return None, 0, CLOSED


def first_object(text: str) -> tuple[Any, str]:
    """The first JSON object in a text and what was repaired to read it; (None, reason) when there is none."""
    body = text[:LONGEST_REPAIR]
    opened = min((at for at in (body.find("{"), body.find("｛")) if at >= 0), default=-1)
    if opened < 0:
        return None, "没有 JSON 对象"
    value, end, note = decoded(body, opened)
    if end and not note and (body[:opened].strip() or body[end:].strip()):
        note = "JSON 前后有多余文字"
    return value, note


def call_of(body: str) -> tuple[str, Any, str] | None:
    """Tool, arguments and what was repaired, of what stands inside call tags; None where nothing can be read."""
    value, note = first_object(_FENCE.sub("", body) if "```" in body[:40] else body)
    if not isinstance(value, Mapping):
        return None
    name_key = next((key for key in _NAME_KEYS if isinstance(value.get(key), str) and value[key].strip()), "")
    if not name_key:
        return None
    given_key = next((key for key in _GIVEN_KEYS if key in value), "")
    given = value[given_key] if given_key else {key: rest for key, rest in value.items() if key != name_key}
    if isinstance(given, str) and given.lstrip()[:1] == "{":
        given, inner = first_object(given)
        note = note or inner or "参数写成了文本"
    if not note and (name_key, given_key) != ("name", "arguments"):
        note = "工具调用的字段名已改正"
    return value[name_key].strip(), given, note
