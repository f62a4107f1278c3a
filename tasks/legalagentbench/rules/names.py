"""The names a pack knows, found in a question: exactly by index, then nearly; numbers and codes also by their shape.

A name that differs by left-out characters is taken for a slip of the pen; exchanged characters (一建 and 三建) mark
another company.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product

from rapidfuzz import process
from rapidfuzz.distance import Indel

from store.pack import Pack
from store.text.ideographs import HAN
from tasks.legalagentbench.construct.tree import HOLDS, PLACE, PLACES

_FOLD = {0xFF10 + digit: 0x30 + digit for digit in range(10)} | {
    0xFF21 + letter: 0x41 + letter for letter in range(26)
}
_FOLD |= {
    ord(char): ord(other)
    for char, other in {
        "(": "（",
        ")": "）",
        "．": ".",
        "％": "%",
        "﹝": "〔",
        "﹞": "〕",
        "[": "〔",
        "]": "〕",
    }.items()
}
_SHORTEST = {"short": 2, "stock": 6, "address": 6, "credit": 15, "court_code": 3}
"""Kind -> characters of the shortest name that is looked for; 4 for the others."""
_DIVISION = re.compile(
    r"(?:维吾尔|壮族|回族)?自治区$|特别行政区$|(?:\w族){1,3}自治[州县]$|自治[州县旗]$|地区$|新区$|[省市区县旗盟]$"
)
"""What a short name of a province, city or county leaves out."""
_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "case",
        re.compile(
            rf"（[12]\d{{3}}）[{HAN}]{{1,3}}\d{{0,5}}[{HAN}]{{1,4}}\d{{1,6}}号(?:之[一二三四五六七八九十]{{1,2}})?"
        ),
    ),
    ("penalty", re.compile(rf"[{HAN}]{{2,16}}〔[12]\d{{3}}〕(?:第|字第)?\d{{1,8}}号")),
    ("credit", re.compile(r"(?<![0-9A-Z])(?=[0-9A-Z]*\d{6})[0-9A-HJ-NP-RT-UW-Y]{18}(?![0-9A-Z])")),
    ("stock", re.compile(r"(?<![\d.A-Za-z年（-])(?:[034689]\d{5})(?![\d.]|[元万亿家次个年号])")),
)
"""Kinds whose names can be told by their look, whether or not the pack holds them."""
_NAMED = re.compile(rf"[{HAN}A-Za-z0-9（）·]{{2,40}}?(公司|律师事务所|法院|局)")
_ENDINGS = {"公司": "company", "律师事务所": "firm", "法院": "court", "局": "agency"}
_NEAREST = 0.88


def tidy(text: str) -> str:
    """A text in one spelling: no white space, wide round brackets, narrow digits and capitals."""
    return re.sub(r"\s+", "", text).translate(_FOLD)


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing that a question names at text[start:end]. values: what a tool is asked with (three for a place)."""

    start: int
    end: int
    kind: str
    values: tuple[str, ...]

    @property
    def name(self) -> str:
        """The thing as a reader calls it; 北京市 is not said twice."""
        return "".join(dict.fromkeys(self.values))


Known = tuple[str, tuple[str, ...]]
"""A kind and the values of a thing of that kind."""


class NameIndex:
    """Spelling -> things, found by its first two characters."""

    def __init__(self, names: Mapping[str, Iterable[str]], places: Iterable[tuple[str, str, str]] = ()) -> None:
        self._things: defaultdict[str, dict[Known, None]] = defaultdict(dict)
        self._spellings: dict[str, list[str]] = {}
        for kind, words in names.items():
            kept = sorted({word for word in words if len(tidy(word)) >= _SHORTEST.get(kind, 4) and "," not in word})
            self._spellings[kind] = kept
            for word in kept:
                self._things[tidy(word)][kind, (word,)] = None
        for place in sorted(set(places)):
            for spelling in _spellings(*place):
                self._things[spelling][PLACE, place] = None
        self._heads: defaultdict[str, list[str]] = defaultdict(list)
        for spelling in sorted(self._things, key=lambda each: (-len(each), each)):
            self._heads[spelling[:2]].append(spelling)

    @classmethod
    def of(cls, pack: Pack) -> NameIndex:
        """The index of a pack."""
        names = {
            kind: [word for place in columns for word in pack.distinct(*place.split("."))]
            for kind, columns in HOLDS.items()
        }
        places = [
            (cells[0], cells[1], cells[2])
            for table, columns in PLACES.items()
            for row in pack.rows(table)
            for cells in [[str(row.cells.get(column) or "") for column in columns]]
            if all(len(cell) > 1 for cell in cells)
        ]
        return cls(names, places)

    def find(self, text: str) -> list[Entity]:
        """The things of a tidy text in order; of two that overlap the longer, then the one that stands first.

        A spelling that stands for several things gives one entity for each.
        """
        spans = {(start, end): self._things[text[start:end]] for start, end in self._exact(text)}
        for kind, shape in _SHAPES:
            for match in shape.finditer(text):
                covered = any(match.start() <= start and end == match.end() for start, end in spans)
                if not covered:
                    spans[match.span()] = {(kind, (match[0],)): None}
        chosen: list[tuple[int, int]] = []
        for start, end in sorted(spans, key=lambda span: (span[0] - span[1], span)):
            if all(end <= low or start >= high for low, high in chosen):
                chosen.append((start, end))
        found = [Entity(*span, *thing) for span in sorted(chosen) for thing in spans[span]]
        return found or self._near(text)

    def _exact(self, text: str) -> Iterable[tuple[int, int]]:
        for start in range(len(text)):
            for spelling in self._heads.get(text[start : start + 2], ()):
                end = start + len(spelling)
                if text.startswith(spelling, start) and not _inside(text, start, end):
                    yield start, end

    def _near(self, text: str) -> list[Entity]:
        """The one known thing whose name a text spells with a few characters left out or added."""
        for match in _NAMED.finditer(text):
            kind = _ENDINGS[match[1]]
            best: tuple[float, str, int] | None = None
            for start in range(match.start(), match.end() - 5):
                written = text[start : match.end()]
                for word, score, _ in process.extract(
                    written,
                    self._spellings.get(kind, ()),
                    scorer=Indel.normalized_similarity,
                    limit=2,
                    score_cutoff=_NEAREST,
                ):
                    if (_left_out(word, written) or _left_out(written, word)) and (best is None or score > best[0]):
                        best = score, word, start
            if best is not None:
                return [Entity(best[2], match.end(), kind, (best[1],))]
        return []


def _inside(text: str, start: int, end: int) -> bool:
    """Whether a number, or a short name, is part of something longer."""
    if text[start:end].isascii():
        return text[end : end + 1].isalnum() and text[end : end + 1].isascii() or text[start - 1 : start].isdigit()
    return end - start < 6 and bool(
        re.match(r"(?:股份|集团|控股)?(?:有限|公司)(?!的)|律师|人民|[镇路街]", text[end : end + 4])
    )


def _spellings(province: str, city: str, county: str) -> set[str]:
    """How people write a place: in full, without the province, with short names; a county alone only in full."""
    short = [_DIVISION.sub("", part) if len(part) > 2 else part for part in (province, city, county)]
    cities = ("",) if province == city else (city, short[1])
    fronts = {first + second for first, second in product(("", province, short[0]), cities)} - {""}
    if province == city:
        fronts |= {province + city}
    return {front + last for front in fronts for last in (county, short[2]) if len(last) > 1} | {county}


def _left_out(long: str, short: str) -> bool:
    """Whether the short text is the long one with at most three characters left out."""
    if not 0 < len(long) - len(short) <= 3:
        return False
    rest = iter(long)
    return all(character in rest for character in short)
