"""Sentences of errors and help in the language of the screen. The rooms below speak English and know of no language.

`errors.toml` and `help.toml` hold the Chinese twin of every English template of ours, `others.toml` of libraries;
`{}` is a value that was filled in, and `{0}` `{1}` name the values where their order differs. A sentence is known by
its template, its values may be sentences in turn; what no template fits is shown as it is.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from itertools import islice
from typing import NamedTuple

from app.strings import language
from store.text.ideographs import HAN

TABLES = ("errors.toml", "help.toml", "others.toml")
DEEPEST, JOINTS = 4, 3
"""Sentences within sentences that are looked for, and places at which one is looked at in parts."""
LONGEST = 4000
"""Characters of a text that is looked at."""
LEAST = 3
"""Letters of its own that a template has: `{} is {}` fits anything."""
_HOLE = re.compile(r"\{\d*\}")
_HAN = f"[{HAN}《》“”]"
_FILLED = re.compile(rf"(?P<before>(?<={_HAN}) )?\{{(?P<number>\d*)\}}(?P<after> (?={_HAN}))?")
"""A hole of a Chinese template with the blanks that part it from Chinese: none stands beside a Chinese value."""
_LISTED = re.compile(rf"(?<={_HAN}), (?={_HAN})")
_CHINESE = {": ": "：", "; ": "；", ". ": "。", " ": " "}
_JOINT = re.compile("[:;.] |(?<=') ")
"""Where a text that is no template as a whole may be one in parts."""


class Template(NamedTuple):
    """A sentence with holes: the English parts between them, and the Chinese text."""

    parts: tuple[str, ...]
    text: str


def translated(text: str) -> str:
    """A sentence in the language of the screen; as it is where its template is not known, or is English already."""
    return text if language() != "zh" or len(text) > LONGEST else _said(text, DEEPEST)


def error_text(error: BaseException) -> str:
    """What an error says, with what to do about it; several faults stand on a line each."""
    title, hint = getattr(error, "title", None), getattr(error, "hint", "")
    if not isinstance(title, str) or language() != "zh":
        return translated(str(error)).replace("\n", "; ")
    first = "；".join(map(translated, title.split("\n")))
    return f"{first}{'. ' if first == title else '。'}{translated(hint)}" if hint else first


def _said(text: str, depth: int) -> str:
    found = _whole(text, depth)
    if found != text or not depth:
        return found
    for joint in islice(_JOINT.finditer(text), JOINTS):
        before, after = text[: joint.start()], text[joint.end() :]
        first, rest = _whole(before, depth), _said(after, depth - 1)
        if first != before or rest != after:
            return f"{first}{_CHINESE[joint[0]]}{rest}"
    return text


def _whole(text: str, depth: int) -> str:
    found = table().get(text)
    if found is not None or not depth or " " not in text:
        return found or text
    for template in templates():
        values = _values(template.parts, text)
        if values is not None:
            names = (part.endswith("'") for part in template.parts)  # what stands in quotes is a name, no word
            words = [
                v if name else _LISTED.sub("、", _said(v, depth - 1)) for v, name in zip(values, names, strict=False)
            ]
            return _filled(template.text, words)
    return text


def _values(parts: Sequence[str], text: str) -> list[str] | None:
    """What stands in the holes of a template; None where the text is none of it. Each part where it comes first; a
    template without a colon reaches over one in a known sentence alone: `a, line 1: what` is a place and another."""
    if not text.startswith(parts[0]) or not text.endswith(parts[-1]):
        return None
    values, at, last = [], len(parts[0]), len(text) - len(parts[-1])
    for part in parts[1:-1]:
        found = text.find(part, at, last)
        if found < 0:
            return None
        values.append(text[at:found])
        at = found + len(part)
    rest = text[at:last]
    if at > last or (": " in rest and ":" not in "".join(parts) and rest not in table()):
        return None
    return [*values, rest]


def _filled(text: str, values: Sequence[str]) -> str:
    rest = iter(values)

    def value(hole: re.Match[str]) -> str:
        found = values[int(hole["number"])] if hole["number"] else next(rest)
        before = "" if re.match(_HAN, found) else hole["before"] or ""
        after = "" if re.match(_HAN, found[-1:]) else hole["after"] or ""
        return f"{before}{found}{after}"

    return _FILLED.sub(value, text)


@cache
def table() -> dict[str, str]:
    """English template -> Chinese text."""
    found: dict[str, str] = {}
    for name in TABLES:
        found |= tomllib.loads(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))
    return found


@cache
def templates() -> list[Template]:
    """The templates with holes that say something themselves, those that say most first."""
    found = [Template(tuple(_HOLE.split(key)), text) for key, text in table().items() if _HOLE.search(key)]
    found = [one for one in found if sum(map(str.isalpha, "".join(one.parts))) >= LEAST]
    return sorted(found, key=lambda one: -sum(map(len, one.parts)))


def of_system(error: OSError) -> str:
    """What the operating system refused, and of which file."""
    where = str(error.filename) if error.filename else "standard output or a temporary file"
    return f"{error.strerror or error} ({where})"
