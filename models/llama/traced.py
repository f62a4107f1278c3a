"""Text that remembers which message it came from, while a chat template cuts and joins it.

A template sees true contents, so its own tests and trims decide as they should; what it makes of them is still known
to be content afterwards and can be tokenised as plain text. Where an operation cannot be followed character by
character (`format`, JSON), all of its result counts as content: the safe side. Every operation counts what it makes
(`meter`) before it makes it. Units: characters.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, SupportsIndex

from models.llama.meter import TooMuch, inside, spend, weight

Run = tuple[int, int | None]
"""Length of a stretch of text and the index of the message it came from; None is the template itself."""


class Traced(str):
    """A string with the origin of each stretch; `runs` cover it exactly."""

    runs: tuple[Run, ...]

    def __new__(cls, text: str, runs: Sequence[Run]) -> Traced:
        """A text and where it came from; neighbouring runs of one origin become one."""
        self = super().__new__(cls, text)
        merged: list[Run] = []
        _trace(runs)
        for length, message in runs:
            if merged and merged[-1][1] == message:
                merged[-1] = (merged[-1][0] + length, message)
            elif length:
                merged.append((length, message))
        self.runs = tuple(merged)
        return self

    @classmethod
    def content(cls, text: str, message: int) -> Traced:
        """The content of one message."""
        return cls(text, ((len(text), message),))

    def __str__(self) -> str:
        return self

    def __iter__(self) -> Iterator[str]:
        for at in range(len(self)):
            spend(0, 1)
            yield self.cut(at, at + 1)

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        if not isinstance(key, slice):
            at = range(len(self))[operator.index(key)]
            return self.cut(at, at + 1)
        start, stop, step = key.indices(len(self))
        if step == 1:
            return self.cut(start, max(start, stop))
        places = range(start, stop, step)
        spend(0, len(places))
        return joined([self.cut(at, at + 1) for at in places])

    def cut(self, start: int, stop: int) -> Traced:
        """The stretch from `start` to `stop`, both inside the text."""
        runs: list[Run] = []
        at = 0
        _trace(self.runs)
        for length, message in self.runs:
            kept = min(stop, at + length) - max(start, at)
            if kept > 0:
                runs.append((kept, message))
            at += length
        return Traced(str.__getitem__(self, slice(start, stop)), runs)


def _trace(runs: Sequence[Run]) -> None:
    """Count the work of following many runs; honest texts have a few."""
    if len(runs) > 16:
        spend(0, len(runs) >> 3)


def runs_of(text: str) -> tuple[Run, ...]:
    """The runs of any string; a plain one is the template's own."""
    return text.runs if isinstance(text, Traced) else ((len(text), None),)


def joined(parts: Iterable[str]) -> str:
    """All parts as one text, each with its origin."""
    parts = list(parts)
    spend(sum(map(len, parts)))
    text = "".join(parts)
    if not any(isinstance(part, Traced) for part in parts):
        return text
    return Traced(text, [run for part in parts for run in runs_of(part)])


def owner(value: Any) -> int | None:
    """The first message that any text inside a value came from; the value has been weighed."""
    if isinstance(value, Traced):
        return next((message for _, message in value.runs if message is not None), None)
    return next((found for part in inside(value) or () if (found := owner(part)) is not None), None)


def owned(text: str, *sources: Any) -> str:
    """A text made of `sources` in a way that cannot be followed: content as a whole if any of them holds content."""
    spend(len(text))
    message = owner(sources)
    return text if message is None else Traced.content(text, message)


def _cut(text: str, start: int, stop: int) -> str:
    spend(max(0, stop - start))
    return text.cut(start, stop) if isinstance(text, Traced) else text[start:stop]


def _plain(text: str) -> str:
    return str.__str__(text)


def _searched(text: str, wanted: str | None) -> str:
    """A text that the interpreter is to go through for each character of what is wanted: where its search is a plain
    one."""
    spend(len(text) * len(wanted or "") >> 6)
    return _plain(text)


def _strip(text: str, chars: str | None = None) -> str:
    return _rstrip(_lstrip(text, chars), chars)


def _lstrip(text: str, chars: str | None = None) -> str:
    return _cut(text, len(text) - len(_searched(text, chars).lstrip(chars)), len(text))


def _rstrip(text: str, chars: str | None = None) -> str:
    return _cut(text, 0, len(_searched(text, chars).rstrip(chars)))


def _placed(text: str, parts: Sequence[str], gap: int | None) -> list[str]:
    """Parts of a split with their origin. `gap` is the width of the separator, None for runs of blanks."""
    spend(len(text), len(parts))
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
    return _placed(text, _searched(text, sep).rsplit(sep, maxsplit), None if sep is None else len(sep))


def _splitlines(text: str, keepends: bool = False) -> list[str]:
    return _placed(text, _plain(text).splitlines(keepends), 0 if keepends else None)


def _partition(text: str, sep: str) -> tuple[str, ...]:
    return tuple(_placed(text, _plain(text).partition(sep), 0))


def _rpartition(text: str, sep: str) -> tuple[str, ...]:
    return tuple(_placed(text, _searched(text, sep).rpartition(sep), 0))


def _removeprefix(text: str, prefix: str) -> str:
    return _cut(text, len(prefix), len(text)) if text.startswith(prefix) else text


def _removesuffix(text: str, suffix: str) -> str:
    return _cut(text, 0, len(text) - len(suffix)) if suffix and text.endswith(suffix) else text


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    width = len(old)
    times = text.count(old) if count < 0 else min(count, text.count(old))
    spend(len(text) + times * len(new), times)
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
        spend(len(text) + len(item), 1)
    return joined(parts[1:])


_SPECS = re.compile(r"[%)][^A-Za-z%]*|\{[^{}:]*:[^{}]*")
"""Where a format string may ask for a width: after a % or its key in brackets, and behind the colon of a field."""
_COMPUTED = re.compile(r"%[^A-Za-z%]*\*|\{[^{}]*\{")
"""Widths that are values themselves."""
_NAMED = re.compile(r"%\(([^)]*)|\{([^{}:!]+)")
"""Fields with a name, which may come again and again with the same value."""


def formatted(text: str, make: Callable[[], str], *values: Any) -> str:
    """A text made by a format string: refused before it is made if it may become too long."""
    if _COMPUTED.search(text.replace("{{", "")):
        raise TooMuch("it formats text to a computed width")
    widths = sum(int(digits[:9]) for spec in _SPECS.findall(text) for digits in re.findall(r"\d+", spec))
    members, characters = weight(values)
    times = max(Counter(_NAMED.findall(text)).values(), default=1)
    fields = text.count("%") + text.count("{")
    spend(len(text) + widths + 400 * fields + times * (characters + 4 * members), members)
    return owned(make(), text, values)


def _format(text: str, *args: Any, **kwargs: Any) -> str:
    if re.search(r"\{[^{}:!]*[.\[]", text):
        raise TooMuch("it reaches into values by a format string")
    return formatted(text, lambda: _plain(text).format(*args, **kwargs), args, kwargs)


def _cased(name: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        spend(len(text))
        changed = str(getattr(_plain(text), name)())
        if isinstance(text, Traced) and len(changed) == len(text):
            return Traced(changed, text.runs)
        return owned(changed, text)

    return change


def _found(name: str) -> Callable[..., int]:
    def search(text: str, wanted: str, *bounds: int) -> int:
        return int(getattr(_searched(text, wanted), name)(wanted, *bounds))

    return search


METHODS: dict[str, Callable[..., Any]] = {
    "strip": _strip, "lstrip": _lstrip, "rstrip": _rstrip, "split": _split, "rsplit": _rsplit,
    "splitlines": _splitlines, "partition": _partition, "rpartition": _rpartition, "removeprefix": _removeprefix,
    "removesuffix": _removesuffix, "replace": _replace, "join": _join, "format": _format,
    **{name: _cased(name) for name in ("lower", "upper", "title", "capitalize", "casefold", "swapcase")},
    **{name: _found(name) for name in ("rfind", "rindex")},
}  # fmt: skip
"""Methods of a string that are done here: those that give text keep its origin, searches from the end count their
work."""
QUESTIONS = frozenset(
    "startswith endswith find index count isdigit isalpha isalnum isspace isupper islower isnumeric"
    " isdecimal isascii istitle".split()
)
"""Methods of a string that a template may use and that give no text."""
