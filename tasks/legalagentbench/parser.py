"""Turns what a model wrote into a tool call, as upstream's action parser does, and says when it had to repair.

Upstream takes the first ```json fence, turns single quotes into double ones and loads it; without a fence it takes a
tool name followed by a fenced `pythontool_call(…)`. What it accepts is "ok" here. What it would have called an
illegal format but is plain to read (no fence, Python words, full-width punctuation, text after the object) is
"repaired"; the rest is "rejected". Total: any text has a result, in time linear in its length, and nothing is ever
evaluated.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from store.schema import LOOKUPS
from store.text.normalise import widen_brackets
from tasks.agents.reading import LONGEST_REPAIR, LiteralError, read_leniently
from tasks.episode.plain import plain_text

LONGEST_PYTHON = 1 << 16
MOST_COLUMNS = 5
"""More columns than this and upstream asks for all of them."""
DEPTH = 60

_FENCE = "```json"
_BARE = re.compile(r"[{｛]\s*+(?:[\"'“‘＂＇]\s*+)?(?:action|tool|tool_name|name|function)\b")
_PYTHON_CALL = "pythontool_call("
_BEFORE_CALL = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*```[a-z]*\s*$")
_TOOL_KEYS = ("action", "tool", "tool_name", "name", "function")
_INPUT_KEYS = ("action_input", "input", "arguments", "parameters", "args")
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class ParsedCall:
    """The call, if there is one. note: what was repaired or why it was rejected; empty when there is nothing to
    say."""

    result: Literal["ok", "repaired", "rejected"]
    tool: str | None
    input: Any
    note: str = ""


class _InvalidReply(ValueError):
    """The message is the note."""


def parse_action(text: str) -> ParsedCall:
    """The action in the reply of a model. Never raises."""
    if not isinstance(text, str):
        return ParsedCall("rejected", None, None, "不是文本")
    start = text.find(_FENCE)
    try:
        if start >= 0:
            return _fenced(text, start + len(_FENCE))
        if _PYTHON_CALL in text:
            return _python_call(text)
        return _bare(text)
    except _InvalidReply as rejected:
        return ParsedCall("rejected", None, None, str(rejected))


def _fenced(text: str, start: int) -> ParsedCall:
    end = text.find("```", start)
    body = (text[start:end] if end >= 0 else text[start:]).strip()
    notes = [] if end >= 0 else ["代码块没有结束"]
    value, repair = _data(body)
    if repair:
        notes.append(repair)
    tool, given, repair = _call(value)
    if repair:
        notes.append(repair)
    if notes:
        return ParsedCall("repaired", tool, given, "；".join(notes))
    more = text.find(_FENCE, end) >= 0
    return ParsedCall("ok", tool, given, "有多个代码块，只取第一个" if more else "")


def _bare(text: str) -> ParsedCall:
    match = _BARE.search(text[:LONGEST_REPAIR])
    if not match:
        raise _InvalidReply("没有 json 代码块，也没有可以识别的行动")
    end = text.find("```", match.start())
    body = text[match.start() : end] if end >= 0 else text[match.start() :]
    value, repair = _data(body)
    tool, given, second = _call(value)
    return ParsedCall("repaired", tool, given, "；".join(filter(None, ("没有 json 代码块", repair, second))))


def _load(text: str) -> tuple[bool, Any]:
    try:
        return True, json.loads(text)
    except (ValueError, RecursionError):
        return False, None


def _data(body: str) -> tuple[Any, str]:
    """The value in a fence and what was repaired (empty: upstream reads it as it is)."""
    loaded, value = _load(body)
    if loaded and "'" not in body:
        return value, ""
    accepted, swapped = _load(body.replace("'", '"'))
    if loaded:
        return value, "" if accepted else "文字里有单引号，论文所用的解析器不接受"
    if accepted:
        return swapped, ""
    if len(body) > LONGEST_REPAIR:
        raise _InvalidReply("行动太长，且不是合法的 JSON")
    start = next((at for at, character in enumerate(body) if character in "{[｛［"), -1)
    if start < 0:
        raise _InvalidReply("代码块里没有 JSON 对象")
    repairs: tuple[tuple[str, Callable[[], object]], ...] = (
        ("对象之外有多余文字或字符串里有换行", lambda: _DECODER.raw_decode(body, start)[0]),
        ("不是合法的 JSON，已按引号、标点和括号修复", lambda: read_leniently(body, start)),
    )
    reason = ""
    for note, attempt in repairs:
        try:
            return attempt(), note
        except LiteralError as error:
            reason = str(error)
        except (ValueError, RecursionError):
            reason = "数据无法读取"
    raise _InvalidReply(f"不是合法的 JSON：{reason}")


def _call(value: Any) -> tuple[str, object, str]:
    repair = ""
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        value, repair = value[0], "行动写成了列表，只取第一个"
    if not isinstance(value, Mapping):
        raise _InvalidReply("行动不是 JSON 对象")
    tool = value.get("action")
    if isinstance(tool, str) and tool and "action_input" in value:
        return plain_text(tool), value["action_input"], repair
    return _renamed(value, repair)


def _renamed(value: Mapping[str, Any], repair: str) -> tuple[str, Any, str]:
    """An action object with other names for its two fields, or with the parameters beside the tool."""
    tool_key = next((key for key in _TOOL_KEYS if isinstance(value.get(key), str) and value[key]), None)
    if tool_key is None:
        inner = next((value[key] for key in _TOOL_KEYS if isinstance(value.get(key), Mapping)), None)
        if inner is None or not any(isinstance(inner.get(key), str) for key in _TOOL_KEYS):
            raise _InvalidReply("没有 action，不知道要调用哪个工具")
        return _renamed(
            {key: item for key, item in inner.items() if not isinstance(item, Mapping) or key in _INPUT_KEYS}, repair
        )
    tool = plain_text(value[tool_key])
    input_key = next((key for key in _INPUT_KEYS if key in value), None)
    if input_key is None:
        given: Any = {key: item for key, item in value.items() if key != tool_key}
        if not given:
            raise _InvalidReply("没有 action_input")
        note = "参数没有放进 action_input"
    else:
        given, note = value[input_key], "字段名不是 action 和 action_input"
        if isinstance(given, str) and input_key == "arguments":
            loaded, data = _load(given)
            given = data if loaded else given
    return tool, given, "；".join(filter(None, (repair, note)))


def _python_call(text: str) -> ParsedCall:
    """Tool name, fence, pythontool_call(keyword=literal, …), fence. Read as syntax, never run."""
    start = text.index(_PYTHON_CALL)
    named = _BEFORE_CALL.search(text[max(0, start - 200) : start])
    if not named:
        raise _InvalidReply("pythontool_call 之前没有工具名和代码块")
    end = text.find("```", start)
    source = (text[start:end] if end >= 0 else text[start:]).strip()
    if len(source) > LONGEST_PYTHON:
        raise _InvalidReply("pythontool_call 太长")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call = ast.parse(source, mode="eval").body
        if not isinstance(call, ast.Call) or call.args or any(keyword.arg is None for keyword in call.keywords):
            raise _InvalidReply("pythontool_call 只能带关键字参数")
        given = {str(keyword.arg): _listed(ast.literal_eval(keyword.value)) for keyword in call.keywords}
    except (SyntaxError, TypeError, ValueError, MemoryError, RecursionError) as error:
        if isinstance(error, _InvalidReply):
            raise
        raise _InvalidReply("pythontool_call 的参数不是字面量") from error
    if end < 0:
        return ParsedCall("repaired", named[1], given, "代码块没有结束")
    return ParsedCall("ok", named[1], given)


def _listed(value: Any, depth: int = 0) -> Any:
    if isinstance(value, dict) and depth < DEPTH:
        return {str(key): _listed(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple) and depth < DEPTH:
        return [_listed(item, depth + 1) for item in value]
    if isinstance(value, set | frozenset) and depth < DEPTH:
        return sorted((_listed(item, depth + 1) for item in value), key=str)
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)


def compat_input(tool: str, input: Any) -> object:  # noqa: A002
    """The input as upstream's parser hands it to the tool.

    Single quotes become double ones and round brackets full-width, in keys and values alike; for database tools and
    retrievers `columns` becomes [] when it is missing or names more than five columns.
    """
    given = _respelled(input, 0)
    if isinstance(given, dict) and (tool in LOOKUPS or tool.endswith("_retriever")):
        columns = given.get("columns", [])
        given["columns"] = [] if isinstance(columns, list) and len(columns) > MOST_COLUMNS else columns
    return given


def _respelled(value: Any, depth: int) -> object:
    if isinstance(value, str):
        return widen_brackets(value).replace("'", '"')
    if depth >= DEPTH:
        return value
    if isinstance(value, dict):
        return {_respelled(key, depth): _respelled(item, depth + 1) for key, item in value.items()}
    return [_respelled(item, depth + 1) for item in value] if isinstance(value, list) else value
