"""Ways to write a value, as rows of atoms: what a grammar is put together from.

An atom is one literal character ("'x") or a piece of grammar ("@rule"). Kept as characters, alternatives can share
their beginnings, so that llama.cpp follows few ways at a time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

Shape = tuple[str, ...]
BLANK = "@blank"
"""The rule of an optional blank."""


def literal(text: str) -> str:
    """A text as a GBNF literal."""
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    return f"\\U{ord(character):08X}"


def chars(text: str) -> Shape:
    """A text character by character."""
    return tuple("'" + character for character in text)


def fixed(value: object) -> Shape:
    """A value that is always written the same."""
    return chars(json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False))


def separated(parts: Sequence[Shape]) -> Shape:
    """Parts with commas between them."""
    result: list[str] = []
    for at, part in enumerate(parts):
        result += (*(("',", BLANK) if at else ()), *part)
    return tuple(result)


def written(shape: Shape) -> str:
    """The text of a shape without rules."""
    return "".join(atom[1:] for atom in shape)


def sequence(shape: Iterable[str]) -> str:
    """Atoms in a row, neighbouring characters as one literal."""
    result: list[str] = []
    letters = ""
    for atom in shape:
        if atom[0] == "'":
            letters += atom[1:]
            continue
        if letters:
            result.append(literal(letters))
            letters = ""
        result.append(atom[1:])
    if letters:
        result.append(literal(letters))
    return " ".join(result) or '""'


def choice(shapes: Sequence[Shape]) -> str:
    """Several ways to write a value, with their common beginnings written once."""
    groups: dict[str, list[Shape]] = {}
    for shape in dict.fromkeys(shapes):
        groups.setdefault(shape[0] if shape else "", []).append(shape)
    parts: list[str] = []
    for group in groups.values():
        shared = _shared(group)
        rests = [shape[shared:] for shape in group]
        if len(group) == 1:
            parts.append(sequence(group[0]))
        else:
            parts.append(f"{sequence(group[0][:shared])} ({choice(rests)})")
    return " | ".join(parts)


def _shared(shapes: Sequence[Shape]) -> int:
    """How many atoms all begin with."""
    shortest, first = min(map(len, shapes)), shapes[0]
    at = 0
    while at < shortest and all(shape[at] == first[at] for shape in shapes):
        at += 1
    return at
