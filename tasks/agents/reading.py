"""Reads the replies of a model as data: an object under a schema, the first object in a text, a call. Total: every
text has a reading.

A structured reply is checked against the schema it was asked under. What is no JSON is tried once more by a forgiving
reader (single or Chinese quotes, Python words, full-width punctuation, bare words) and then counts as repaired: it
evaluates nothing, goes through the text once with a bound on nesting, and closes brackets that are missing at the
very end; a string that never ends is an error, because its content may be cut. Notes are short sentences for a
person, and for a model that is asked again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from models.schema import Schema, violation
from store.text.normalise import fold_width
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


DEPTH = 60
"""Deepest nesting that is read."""


class LiteralError(ValueError):
    """This is no data; the message says where."""


_CLOSERS = {'"': '"', "'": "'", "“": "”“", "‘": "’‘", "＂": "＂", "＇": "＇", "「": "」"}
_QUOTED = "|".join(rf"{opener}(?:[^\\{closers}]|\\.)*+[{closers}]" for opener, closers in _CLOSERS.items())
_MARKS = r",，;；、:：={}｛｝\[\]［］()（）\"'“”‘’＂＇「」"
_TOKEN = re.compile(
    rf"\s*+(?:(?P<string>{_QUOTED})|(?P<comma>[,，;；、])|(?P<colon>[:：=])|(?P<open>[{{｛\[［(（])"
    r"|(?P<close>[}｝\]］)）])"
    rf"|(?P<word>[^\s{_MARKS}]+)|(?P<end>$))",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}
_KEPT = frozenset("\"'\\/“”‘’")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WORDS: dict[str, object] = {
    "true": True, "True": True, "false": False, "False": False, "null": None, "None": None,
    "NaN": None, "nan": None, "Infinity": None, "-Infinity": None, "undefined": None,
}  # fmt: skip
_CLOSING = {"{": "}", "｛": "}", "[": "]", "［": "]", "(": ")", "（": ")"}
_PLAIN = {"}": "}", "｝": "}", "]": "]", "］": "]", ")": ")", "）": ")"}
_LONGEST_NUMBER = 400


def read_leniently(text: str, start: int = 0) -> Any:
    """The value that begins at `start`; whatever follows it is not looked at. Raises LiteralError."""
    return _LiteralReader(text, start).value(0)


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    return _ESCAPED.get(code, code if code in _KEPT else match[0])


def _string(token: str) -> str:
    inner = token[1:-1]
    return _ESCAPE.sub(_unescape, inner) if "\\" in inner else inner


def _word(text: str) -> object:
    if text in _WORDS:
        return _WORDS[text]
    number = text if text.isascii() else fold_width(text)
    if len(number) <= _LONGEST_NUMBER and _NUMBER.fullmatch(number):
        return int(number) if number.lstrip("+-").isdecimal() else float(number)
    return text


class _LiteralReader:
    """One token ahead: `_kind` and `_token` are the next one, `_last` the kind of the one before."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._at = start
        self._kind, self._token = "", ""
        self._step()

    def _step(self) -> None:
        self._last = self._kind
        match = _TOKEN.match(self._text, self._at)
        if not match or match.lastgroup is None:
            raise self._fail("引号没有配对")
        self._kind, self._token = match.lastgroup, match[match.lastgroup]
        self._at = match.end()

    def _fail(self, what: str) -> LiteralError:
        return LiteralError(f"第{self._at + 1}个字符附近：{what}")

    def value(self, depth: int) -> Any:
        """The value that the next token begins."""
        kind, token = self._kind, self._token
        if depth > DEPTH:
            raise self._fail("嵌套太深")
        if kind == "open":
            self._step()
            closer = _CLOSING[token]
            return self._object(depth) if closer == "}" else self._list(closer, depth)
        if kind not in ("string", "word"):
            raise self._fail("此处应有值")
        if depth:
            self._step()
        return _string(token) if kind == "string" else _word(token)

    def _closed(self, closer: str) -> bool:
        """Whether the bracket ends here. The end of the text ends it too, unless it may have cut a word off."""
        if self._kind == "close" and _PLAIN[self._token] == closer:
            return True
        if self._kind == "end":
            if self._last not in ("string", "close"):
                raise self._fail("文本在中途结束")
            return True
        return False

    def _leave(self, depth: int) -> None:
        """Steps over a closing bracket; the outermost one is the last token to be read."""
        if depth and self._kind == "close":
            self._step()

    def _separate(self, closer: str) -> None:
        if self._kind == "comma":
            self._step()
        elif not self._closed(closer):
            raise self._fail("此处应有逗号")

    def _object(self, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        while not self._closed("}"):
            kind, token = self._kind, self._token
            if kind not in ("string", "word"):
                raise self._fail("此处应有字段名")
            self._step()
            if self._kind != "colon":
                raise self._fail("此处应有冒号")
            self._step()
            result[_string(token) if kind == "string" else token] = self.value(depth + 1)
            self._separate("}")
        self._leave(depth)
        return result

    def _list(self, closer: str, depth: int) -> list[Any]:
        result: list[Any] = []
        while not self._closed(closer):
            result.append(self.value(depth + 1))
            self._separate(closer)
        self._leave(depth)
        return result
