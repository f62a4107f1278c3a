"""Text that remembers which message it came from, while a chat template cuts and joins it.

A template sees true contents, so its own tests and trims decide as they should; what it makes of them is still known
to be content afterwards and can be tokenised as plain text. Where an operation cannot be followed character by
character (`format`, JSON), all of its result counts as content: the safe side. Units: characters.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Sequence, ValuesView
from typing import Any, SupportsIndex

from jinja2.utils import Namespace

Run = tuple[int, int | None]
"""Length of a stretch of text and the index of the message it came from; None is the template itself."""


class TracedText(str):
    """A string with the origin of each stretch; `runs` cover it exactly."""

    runs: tuple[Run, ...]

    def __new__(cls, text: str, runs: Sequence[Run]) -> TracedText:
        """A text and where it came from; neighbouring runs of one origin become one."""
        self = super().__new__(cls, text)
        merged: list[Run] = []
        for length, message in runs:
            if merged and merged[-1][1] == message:
                merged[-1] = (merged[-1][0] + length, message)
            elif length:
                merged.append((length, message))
        self.runs = tuple(merged)
        return self

    @classmethod
    def content(cls, text: str, message: int) -> TracedText:
        """The content of one message."""
        return cls(text, ((len(text), message),))

    def __str__(self) -> str:
        return self

    def __iter__(self) -> Iterator[str]:
        return (self.cut(at, at + 1) for at in range(len(self)))

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        if not isinstance(key, slice):
            at = range(len(self))[operator.index(key)]
            return self.cut(at, at + 1)
        start, stop, step = key.indices(len(self))
        if step == 1:
            return self.cut(start, max(start, stop))
        return joined([self.cut(at, at + 1) for at in range(start, stop, step)])

    def cut(self, start: int, stop: int) -> TracedText:
        """The stretch from `start` to `stop`, both inside the text."""
        runs: list[Run] = []
        at = 0
        for length, message in self.runs:
            kept = min(stop, at + length) - max(start, at)
            if kept > 0:
                runs.append((kept, message))
            at += length
        return TracedText(str.__getitem__(self, slice(start, stop)), runs)


def runs_of(text: str) -> tuple[Run, ...]:
    """The runs of any string; a plain one is the template's own."""
    return text.runs if isinstance(text, TracedText) else ((len(text), None),)


def joined(parts: Iterable[str]) -> str:
    """All parts as one text, each with its origin."""
    parts = list(parts)
    text = "".join(parts)
    if not any(isinstance(part, TracedText) for part in parts):
        return text
    return TracedText(text, [run for part in parts for run in runs_of(part)])


def origin_of(value: Any) -> int | None:
    """The first message that any text inside a value came from."""
    if isinstance(value, TracedText):
        return next((message for _, message in value.runs if message is not None), None)
    if isinstance(value, Namespace):
        value = value._Namespace__attrs
    parts: Iterable[Any] = ()
    if isinstance(value, dict):
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, (list, tuple, set, frozenset, KeysView, ValuesView, ItemsView)):
        parts = value
    return next((found for part in parts if (found := origin_of(part)) is not None), None)


def with_origin(text: str, *sources: Any) -> str:
    """A text made of `sources` in a way that cannot be followed: content as a whole if any of them holds content."""
    message = origin_of(sources)
    return text if message is None else TracedText.content(text, message)


def _cut(text: str, start: int, stop: int) -> str:
    return text.cut(start, stop) if isinstance(text, TracedText) else text[start:stop]


def _plain(text: str) -> str:
    return str.__str__(text)


def _strip(text: str, chars: str | None = None) -> str:
    return _rstrip(_lstrip(text, chars), chars)


def _lstrip(text: str, chars: str | None = None) -> str:
    return _cut(text, len(text) - len(_plain(text).lstrip(chars)), len(text))


def _rstrip(text: str, chars: str | None = None) -> str:
    return _cut(text, 0, len(_plain(text).rstrip(chars)))


def _placed(text: str, parts: Sequence[str], gap: int | None) -> list[str]:
    """Parts of a split with their origin. `gap` is the width of the separator, None for runs of blanks."""
    result: list[str] = []
    at = 0
    for part in parts:
        if gap is None:
            at = text.index(part, at)
        result.append(_cut(text, at, at + len(part)))
        at += len(part) + (gap or 0)
    return result


def _split(text: str, sep: str | None = None, maxsplit: int = -1) -> list[str]:
    return _placed(text, _plain(text).split(sep, maxsplit), None if sep is None else len(sep))


def _rsplit(text: str, sep: str | None = None, maxsplit: int = -1) -> list[str]:
    return _placed(text, _plain(text).rsplit(sep, maxsplit), None if sep is None else len(sep))


def _splitlines(text: str, keepends: bool = False) -> list[str]:
    return _placed(text, _plain(text).splitlines(keepends), 0 if keepends else None)


def _partition(text: str, sep: str) -> tuple[str, ...]:
    return tuple(_placed(text, _plain(text).partition(sep), 0))


def _rpartition(text: str, sep: str) -> tuple[str, ...]:
    return tuple(_placed(text, _plain(text).rpartition(sep), 0))


def _removeprefix(text: str, prefix: str) -> str:
    return _cut(text, len(prefix), len(text)) if text.startswith(prefix) else text


def _removesuffix(text: str, suffix: str) -> str:
    return _cut(text, 0, len(text) - len(suffix)) if suffix and text.endswith(suffix) else text


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    width = len(old)
    times = text.count(old) if count < 0 else min(count, text.count(old))
    parts: list[str] = []
    done = at = 0
    for _ in range(times):
        at = text.index(old, at)
        parts += (_cut(text, done, at), new)
        done = at + width
        at = done if width else at + 1
    return joined([*parts, _cut(text, done, len(text))])


def _join(text: str, items: Iterable[Any]) -> str:
    parts: list[str] = []
    for item in items:
        parts += (text, item)
    return joined(parts[1:])


def _format(text: str, *args: Any, **kwargs: Any) -> str:
    if re.search(r"\{[^{}:!]*[.\[]", text):
        raise ValueError("it reaches into values by a format string")
    return with_origin(_plain(text).format(*args, **kwargs), text, args, kwargs)


def _cased(name: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        changed = str(getattr(_plain(text), name)())
        if isinstance(text, TracedText) and len(changed) == len(text):
            return TracedText(changed, text.runs)
        return with_origin(changed, text)

    return change


METHODS: dict[str, Callable[..., Any]] = {
    "strip": _strip, "lstrip": _lstrip, "rstrip": _rstrip, "split": _split, "rsplit": _rsplit,
    "splitlines": _splitlines, "partition": _partition, "rpartition": _rpartition, "removeprefix": _removeprefix,
    "removesuffix": _removesuffix, "replace": _replace, "join": _join, "format": _format,
    **{name: _cased(name) for name in ("lower", "upper", "title", "capitalize", "casefold", "swapcase")},
}  # fmt: skip
"""Methods of a string that give text, and here keep its origin."""
QUESTIONS = frozenset(
    "startswith endswith find rfind index rindex count isdigit isalpha isalnum isspace isupper islower isnumeric"
    " isdecimal isascii istitle".split()
)
"""Methods of a string that a template may use and that give no text."""
