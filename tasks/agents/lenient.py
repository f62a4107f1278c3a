"""Reads data that was meant to be JSON: single or Chinese quotes, Python words, full-width punctuation, bare words.

Used only after strict JSON has failed, and everything read here counts as repaired. Nothing is evaluated. The reader
goes through the text once, with a bound on nesting; where brackets are missing at the very end it closes them, but a
string that never ends is an error, because its content may be cut.
"""

from __future__ import annotations

import re
from typing import Any

from store.text.normalise import fold_width

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


def read(text: str, start: int = 0) -> Any:
    """The value that begins at `start`; whatever follows it is not looked at. Raises Unreadable."""
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
