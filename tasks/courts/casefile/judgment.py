"""The text of a judgment in its parts, and what every part may hold: numbered lists, sentences, rulings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from store.text.normalise import fold_width
from store.text.numerals import chinese_to_int

Env = Literal["CI", "CR"]
LONGEST = 20_000
"""Characters of one field of a case file."""
STARTS = r"(?:^|(?<=[。;:!?\n]))[ \t]*"


@dataclass(frozen=True, slots=True)
class Judgment:
    """A judgment in its parts; what was not found is empty.

    head: lines before the course of the case; course: how it came to trial; parts: claims, answer, charge, evidence
    and the like; reason: from 本院认为 to the laws; laws: the clause that names them; ruled: from 判决如下 on; tail:
    notice of appeal, bench, day.
    """

    env: Env
    text: str = ""
    head: tuple[str, ...] = ()
    course: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    laws: str = ""
    ruled: str = ""
    tail: str = ""

    def part(self, key: str) -> str:
        """The words of a part, or nothing."""
        return self.parts.get(key, "")

    def all_of(self, keys: str) -> str:
        """The words of several parts, those there are."""
        return "\n".join(filter(None, map(self.part, keys.split())))


def procedure_in(course: str) -> str:
    """The procedure under which a text says that the case was tried, "" where it says none."""
    course = fold_width(course)
    if re.search(r"转(?:为|换为)?(?:适用)?普通程序", course):
        return "普通程序"
    named = {"小额诉讼": "小额诉讼程序", **{name: name for name in ("速裁程序", "简易程序", "普通程序")}}
    return next((name for word, name in named.items() if word in course), "")


def clipped(text: str, name: str, notes: list[str]) -> str:
    """A text that fits into a field; a cut is noted."""
    text = text.strip()
    if len(text) > LONGEST:
        notes.append(f"{name}: cut at {LONGEST} characters")
    return text[:LONGEST].strip()


_RULING = re.compile(r"(?:^|(?<=[。;\n]))[ \t]*(?=[一二三四五六七八九十]{1,3}、)", re.MULTILINE)


def ruled_lines(ruled: str) -> list[str]:
    """判决主文, a paragraph or an item an entry, with their numbers."""
    cuts = [0, *(match.start() for match in _RULING.finditer(fold_width(ruled))), len(ruled)]
    parts = (ruled[start:end] for start, end in zip(cuts, cuts[1:], strict=False))
    return [line[:LONGEST] for part in parts for line in map(str.strip, part.split("\n")) if line]


_ROUND_DIGITS = "⓪①②③④⑤⑥⑦⑧⑨⑩"
_FAMILIES = (
    re.compile(rf"{STARTS}(?P<n>[一二三四五六七八九十]{{1,3}})、", re.MULTILINE),
    re.compile(
        rf"(?:{STARTS}|(?<=[有为下,]))(?P<n>[0-9]{{1,2}})[、.](?![0-9]+(?:[万亿]?元|%|[米克吨倍亩]))", re.MULTILINE
    ),
    re.compile(rf"{STARTS}\((?P<n>[0-9]{{1,2}}|[一二三四五六七八九十]{{1,3}})\)[、,.]?", re.MULTILINE),
    re.compile(r"(?P<n>[①②③④⑤⑥⑦⑧⑨⑩])"),
    re.compile(rf"{STARTS}证据(?P<n>[一二三四五六七八九十]{{1,3}}|[0-9]{{1,2}})[、,:.]?", re.MULTILINE),
    re.compile(rf"(?:{STARTS}|(?<=,))(?P<n>[一二三四五六七八九])是", re.MULTILINE),
)


def items(text: str, least: int = 2) -> tuple[str, list[str]]:
    """What stands before a numbered list, and its items without their numbers; no items where there is no list.

    Only numbers that count on from one belong to a list, whatever else looks like one. `least`: how many make a list.
    """
    folded = fold_width(text)
    for pattern in _FAMILIES:
        marks: list[re.Match[str]] = []
        for mark in pattern.finditer(folded):
            if _value(mark["n"]) == len(marks) + 1:
                marks.append(mark)
        if len(marks) < least:
            continue
        ends = [mark.start() for mark in marks[1:]] + [len(text)]
        found = [text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)]
        return text[: marks[0].start()].strip(), [item for item in found if item]
    return text, []


def _value(number: str) -> int:
    if number.isascii():
        return int(number)
    if number in _ROUND_DIGITS:
        return _ROUND_DIGITS.index(number)
    return chinese_to_int(number) or 0


_SENTENCE = re.compile(r"[^。！？\n]*[。！？]?[”』」]?")


def sentences(text: str) -> list[str]:
    """Sentences with the signs that end them."""
    return [found for match in _SENTENCE.finditer(text) if (found := match[0].strip())]
