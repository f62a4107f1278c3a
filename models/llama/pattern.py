r"""A simple subset of regular expressions as grammar: what describes codes, dates and case numbers.

Anchored at both ends; literals, `.`, classes, `\d` and `\w` (ASCII), groups, alternatives, and counts of up to 100.
The characters are those inside a JSON string, so quotes, backslashes and control characters cannot be asked for.
"""

from __future__ import annotations

import re

from models.errors import BadEngine

_MOST = 100
_MOST_TOGETHER = 2000
"""llama.cpp's own limit for repetitions inside repetitions."""
_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_"}
_COUNT = re.compile(r"\{(\d{1,4})(,(\d{0,4}))?\}")
_ANY = r"[ !#-\[\]-~\u00A0-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]"


def text_pattern(pattern: str, least: int, most: int | None, where: str) -> tuple[str, ...]:
    """The atoms of a text that a pattern allows. Raises BadEngine for anything beyond the subset."""
    reader = _Reader(pattern, where)
    if least or most is not None:
        raise reader.fail("it stands beside minLength or maxLength")
    if not pattern.startswith("^") or not pattern.endswith("$") or pattern.endswith("\\$"):
        raise reader.fail("it is not anchored by ^ and $")
    body = reader.alternatives(0)[0]
    if reader.at != len(pattern) - 1:
        raise reader.fail("it has a bracket too many")
    return (f"@({body})",)


class _Reader:
    """Reads a pattern from left to right; each part comes with how often its parts may repeat in all."""

    def __init__(self, pattern: str, where: str) -> None:
        self._pattern = pattern
        self._end = len(pattern) - 1
        self._where = where
        self.at = 1

    def fail(self, what: str) -> BadEngine:
        """The pattern is beyond the subset."""
        return BadEngine(
            f"no grammar can express the pattern {self._pattern!r} in the schema at {self._where}: {what}"
        )

    def _next(self) -> str:
        return self._pattern[self.at] if self.at < self._end else ""

    def alternatives(self, depth: int) -> tuple[str, int]:
        """Sequences parted by bars, up to the end or a closing bracket."""
        if depth > 20:
            raise self.fail("it is nested too deeply")
        ways, weight = [], 1
        while True:
            parts: list[str] = []
            while self._next() and self._next() not in "|)":
                part, count = self._counted(depth)
                parts.append(part)
                weight = max(weight, count)
            ways.append(" ".join(parts) or '""')
            if self._next() != "|":
                return " | ".join(ways), weight
            self.at += 1

    def _counted(self, depth: int) -> tuple[str, int]:
        part, weight = self._single(depth)
        least, most = 1, 1
        match = _COUNT.match(self._pattern, self.at, self._end)
        if match:
            least = int(match[1])
            most = least if not match[2] else int(match[3]) if match[3] else max(least, _MOST)
            self.at = match.end()
        elif self._next() and self._next() in "?*+":
            least, most = {"?": (0, 1), "*": (0, _MOST), "+": (1, _MOST)}[self._next()]
            self.at += 1
        else:
            return part, weight
        if self._next() and self._next() in "?*+{":
            raise self.fail("it counts in an unusual way")
        if not least <= most <= _MOST or weight * max(most, 1) > _MOST_TOGETHER:
            raise self.fail(f"it repeats more than {_MOST} times")
        return f"{part}{{{least},{most}}}", weight * max(most, 1)

    def _single(self, depth: int) -> tuple[str, int]:
        character = self._next()
        self.at += 1
        if character == "(":
            if self._pattern.startswith("?:", self.at):
                self.at += 2
            elif self._next() == "?":
                raise self.fail("it has a special group")
            body, weight = self.alternatives(depth + 1)
            if self._next() != ")":
                raise self.fail("a bracket is missing")
            self.at += 1
            return f"({body})", weight
        if character == "[":
            return self._class(), 1
        if character == ".":
            return _ANY, 1
        if character == "\\":
            return self._escape(), 1
        if character in "?*+{}]^$":
            raise self.fail(f"{character!r} has an unusual place")
        return f"[{self._code(character)}]", 1

    def _escape(self) -> str:
        character = self._next()
        self.at += 1
        if character in _CLASSES:
            return f"[{_CLASSES[character]}]"
        if not character or character.isalnum():
            raise self.fail(f"'\\{character}' is not supported")
        return f"[{self._code(character)}]"

    def _code(self, character: str) -> str:
        if character in '"\\' or not character.isprintable():
            raise self.fail("quotes, backslashes and control characters are not supported")
        return f"\\U{ord(character):08X}"

    def _class(self) -> str:
        negated = self._next() == "^"
        self.at += negated
        parts: list[str] = []
        while self._next() != "]" or not parts:
            character = self._next()
            if not character or character == "[":
                raise self.fail("a class is not plain")
            self.at += 1
            if character == "\\" and self._next() in _CLASSES:
                parts.append(_CLASSES[self._next()])
                self.at += 1
                continue
            start = self._member(character)
            if self._next() == "-" and self._pattern[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 2
                end = self._member(self._pattern[self.at - 1])
                if end < start or (not negated and any(ord(start) <= ord(bad) <= ord(end) for bad in '"\\\x7f')):
                    raise self.fail("a range of a class is not plain")
                parts.append(f"{self._code(start)}-{self._code(end)}")
            else:
                parts.append(self._code(start))
        self.at += 1
        if negated:
            return r'[^"\\\x00-\x1F\x7F-\x9F\uD800-\uDFFF' + "".join(parts) + "]"
        return f"[{''.join(parts)}]"

    def _member(self, character: str) -> str:
        if character != "\\":
            return character
        escaped = self._next()
        self.at += 1
        if not escaped or escaped.isalnum():
            raise self.fail(f"'\\{escaped}' is not supported in a class")
        return escaped
