"""Puts roundabout wording into the plain terms that the word tables read: families of Chinese phrases, one row of
`rewording.toml` a family.

Works between the named things: each stands in the text as one private character while the rows are applied, so that
no word inside a name is touched and a row can say "the named thing" (`{E}`) or "it" (`{P}`). Rows apply in order.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, partial

from store.tables import Table, beside, filled
from tasks.legalagentbench.rules.recognise import Entity

_FIRST = 0xE000
_GROUP = re.compile(r"\\g<(\w+)>")


class _Rewording(Table):
    """groups: name of a group -> what it found -> what is said for it; rows: pattern -> plain terms."""

    parts: dict[str, str]
    groups: dict[str, dict[str, str]]
    rows: dict[str, str]


def _table() -> _Rewording:
    return beside(__package__, "rewording", _Rewording)


@cache
def _rows() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(filled(pattern, _table().parts)), plain) for pattern, plain in _table().rows.items())


def _said(plain: str, m: re.Match[str]) -> str:
    """The plain terms of a row for what its pattern found."""

    def group(name: re.Match[str]) -> str:
        if name[1] == "order":
            return _ordered(m)
        found = m[name[1]] or ""
        return _table().groups.get(name[1], {}).get(found, found)

    return _GROUP.sub(group, plain)


def _ordered(m: re.Match[str]) -> str:
    """按金额从高到低排在第二位 -> 金额第二高的."""
    what, high, rank = m["what"], m["from"] in "高大多早近新", m["rank"]
    time = bool(re.search(r"日期|时间|先后|成立|年", what)) or m["from"] in "早晚"
    top, bottom = ("早", "晚") if time else ("高", "低")
    if time and m["from"] in "近新晚后":
        high = False
    word = top if high else bottom
    what = what.removesuffix("的")
    if rank in "一首头1":
        return f"{what}最{word}的"
    if rank in "末尾":
        return f"{what}最{bottom if high else top}的"
    return f"{what}第{rank}{word}的"


def reword(text: str, entities: list[Entity]) -> tuple[str, list[Entity]]:
    """The question in plain terms and its entities where they now stand."""
    pieces: list[str] = []
    position = 0
    for number, entity in enumerate(entities):
        pieces += [text[position : entity.start], chr(_FIRST + number)]
        position = entity.end
    bare = "".join([*pieces, text[position:]])
    for pattern, plain in _rows():
        bare = pattern.sub(partial(_said, plain), bare)
    moved: list[Entity] = []
    words: list[str] = []
    length = 0
    for character in bare:
        number = ord(character) - _FIRST
        word = character
        if 0 <= number < len(entities):
            entity = entities[number]
            word = text[entity.start : entity.end]
            moved.append(replace(entity, start=length, end=length + len(word)))
        words.append(word)
        length += len(word)
    return "".join(words), moved
