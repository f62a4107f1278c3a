"""Which articles and headings a text refers to, and of which law: 刑法第一百三十三条之一, 第十条至第十二条,
第三、五条, 刑法133条, 第三章.

Single articles are read by `store.text.citation`; what is added here is what stands between several of them, and to
which of the laws named in the text each belongs. A reference to a law that the book lacks is not searched in other
laws.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from store.search.law_names import LawMention, law_names
from store.statutes.book import StatuteBook
from store.statutes.counterparts import Counterpart
from store.statutes.model import ArticleNumber
from store.text.citation import citations, parse_number
from store.text.ideographs import HAN
from store.text.normalise import fold_width
from store.text.numerals import chinese_to_int, int_to_chinese

MOST = 64
"""Articles of a text that are looked at; also the longest range."""

_NUM = r"[0-9零〇○一二三四五六七八九十百千两]{1,9}"
_LISTED = re.compile(
    rf"第\s{{0,2}}({_NUM}(?:\s{{0,2}}(?:[、,]|和|与|及|或|至|到|[-~–—]+)\s{{0,2}}第?\s{{0,2}}{_NUM}"
    r"(?!\s{0,2}[款项])){1,30})\s{0,2}条"
)
_PIECE = re.compile(rf"(至|到|[-~–—]+)?\s*第?\s*({_NUM})")
_BARE_LIST = re.compile(
    rf"({_NUM})\s{{0,2}}条?((?:\s{{0,2}}(?:[、,和与及或至到]"
    rf"|[-~–—]+)\s{{0,2}}第?\s{{0,2}}{_NUM}\s{{0,2}}条?){{1,30}})(?<=条)"
)
_BETWEEN = re.compile(r"\s{0,3}(?:至|到|[-~–—]+)\s{0,3}")
_AFTER_NAME = re.compile(
    r"\s{0,3}的?\s{0,3}((?<=\s)(?!19\d\d|20\d\d)[0-9]{1,4}(?=\s|$)"
    rf"|(?:[0-9]{{1,4}}(?:-|之)[0-9]{{1,2}}(?![\d-]))|{_NUM}\s{{0,2}}条(?:\s{{0,2}}之\s{{0,2}}{_NUM})?)"
)
_NAMED_PART = re.compile(
    rf"(?:(?<=[典》])|(?<=法)(?!典))(总则|分则|[{HAN}]{{2,6}}?)(?:编|(?=\s{{0,2}}第.{{1,6}}[编章节])|$)"
)
_HEADING = re.compile(r"第\s{0,2}([0-9零〇一二三四五六七八九十百]{1,6})\s{0,2}(分编|编|章|节)(?!课|目)")
_UNTIL_SUB = re.compile(rf"{_BETWEEN.pattern}之\s{{0,2}}({_NUM})")
_PRIVATE = re.compile(r"(?:合同|协议书?|章程|公约|规约)[中里]?的?\s{0,2}$")
"""What stands before an article of no law."""
_SENTENCE = re.compile(r"[。;；\n?？!！]")


@dataclass(frozen=True, slots=True)
class Reference:
    """Articles at [start, end) of a text; laws: official names they may belong to.

    until: the last article of a range; stated: whether the text says which law it is (laws empty then: one that the
    book lacks, `said`).
    """

    number: ArticleNumber
    laws: tuple[str, ...]
    start: int
    end: int
    until: ArticleNumber | None = None
    stated: bool = False
    said: str = ""


def references(text: str, named: Sequence[LawMention]) -> list[Reference]:
    """The articles that a text of folded width refers to, in order; at most `MOST`."""
    found: list[Reference] = []
    masked = list(text)
    around = _LawNamesAt(text, named)
    for match in _LISTED.finditer(text):
        found += _listed(match, around)
        masked[match.start() : match.end()] = "#" * (match.end() - match.start())
    for one in named:
        if listed := _BARE_LIST.match("".join(masked), one.end):
            found += _pieces(listed, listed[0].replace("条", ""), one.laws, True, one.said)
            masked[listed.start() : listed.end()] = "#" * (listed.end() - listed.start())
            continue
        match_after = _AFTER_NAME.match("".join(masked[one.end : one.end + 40]))
        if match_after and (number := parse_number(re.sub(r"\s", "", match_after[1]))):
            start, end = one.end + match_after.start(1), one.end + match_after.end()
            found.append(Reference(number, one.laws, start, end, stated=True, said=one.said))
            masked[start:end] = "#" * (end - start)
    found += _cited("".join(masked), named)
    found.sort(key=lambda reference: reference.start)
    return _ranges(found, text)[:MOST]


def headings(text: str) -> list[tuple[str, int, int]]:
    """第三章 and its like as statutes print them, with their spans."""
    found = [(f"{match[1]}编", match.start(), match.end()) for match in _NAMED_PART.finditer(text) if _is_part(match)]
    for match in _HEADING.finditer(text):
        value = int(match[1]) if match[1].isascii() else chinese_to_int(match[1])
        if value and value < 1000:
            found.append((f"第{int_to_chinese(value)}{match[2]}", match.start(), match.end()))
    return found


def _is_part(match: re.Match[str]) -> bool:
    return match.group().endswith("编") or match[1] in ("总则", "分则")


def _cited(text: str, named: Sequence[LawMention]) -> list[Reference]:
    found: list[Reference] = []
    around = _LawNamesAt(text, named)
    for one in citations(text):
        number_at = text.find("第", one.start, one.end) if one.law is None else text.rfind("第", one.start, one.end)
        if one.law is None and _PRIVATE.search(text, max(0, one.start - 8), one.start):
            continue
        laws, stated, said = around.law_of(max(one.start, number_at))
        if not stated and one.law is not None and one.law.endswith("法") and not around.named(one.start, one.end):
            # A name that the book does not know, written before the number: 外星法第三条.
            laws, stated, said = (), True, one.law
        # 第一百二十条之一至之六: the last one has no number of its own.
        rest = _UNTIL_SUB.match(text, one.end) if one.number.sub else None
        last = parse_number(f"{one.number.number}-{rest[1]}") if rest else None
        until = last if last and last > one.number else None
        end = rest.end() if rest and until else one.end
        found.append(Reference(one.number, laws, one.start, end, until, stated, said))
    return found


class _LawNamesAt:
    """The laws named in a text, asked for at many places of it without reading it again for each."""

    def __init__(self, text: str, named: Sequence[LawMention]) -> None:
        self._laws: list[LawMention] = []
        for one in named:
            if not self._laws or one.end > self._laws[-1].end:
                self._laws.append(one)
        self._ends = [one.end for one in self._laws]
        self._stops = [match.start() for match in _SENTENCE.finditer(text)]
        only = {one.laws for one in named}
        self._only = next(iter(only)) if len(only) == 1 else ()

    def law_of(self, place: int) -> tuple[tuple[str, ...], bool, str]:
        """The law named last before a place in its sentence; else the only law of the text."""
        if before := bisect_right(self._ends, place):
            last = self._laws[before - 1]
            if bisect_left(self._stops, last.end) == bisect_left(self._stops, place):
                return last.laws, True, last.said
        return self._only, False, ""

    def named(self, start: int, end: int) -> bool:
        """Whether some of the text from `start` to `end` names a law."""
        after = bisect_right(self._ends, start)
        return after < len(self._laws) and self._laws[after].start < end


def _listed(match: re.Match[str], around: _LawNamesAt) -> list[Reference]:
    return _pieces(match, match[1], *around.law_of(match.start()))


def _pieces(match: re.Match[str], pieces: str, laws: tuple[str, ...], stated: bool, said: str) -> list[Reference]:
    found: list[Reference] = []
    for joint, numeral in _PIECE.findall(pieces):
        number = parse_number(numeral)
        if number is None:
            continue
        if joint and found and found[-1].until is None and found[-1].number < number:
            last = found.pop()
            found.append(Reference(last.number, laws, match.start(), match.end(), number, stated, said))
        else:
            found.append(Reference(number, laws, match.start(), match.end(), None, stated, said))
    return found


def _ranges(found: Sequence[Reference], text: str) -> list[Reference]:
    """第十条至第十二条: two references with 至 between them are one range."""
    joined: list[Reference] = []
    for one in found:
        last = joined[-1] if joined else None
        if (
            last is not None
            and last.until is None
            and last.number < one.number
            and (not one.stated or one.laws == last.laws)
            and _BETWEEN.fullmatch(text[last.end : one.start])
        ):
            joined[-1] = Reference(last.number, last.laws, last.start, one.end, one.number, last.stated, last.said)
        else:
            joined.append(one)
    return joined


LONGEST = 8_000
"""Characters of a text that are read."""


@dataclass(frozen=True, slots=True)
class SucceededReference:
    """An article that a text refers to, and its counterpart."""

    law: str
    number: ArticleNumber
    now: Counterpart


def following(book: StatuteBook, text: str, day: date, own: str = "") -> list[SucceededReference]:
    """The articles of laws that had ended on a day to which a text refers, in its order; those of the law `own` are
    its own."""
    folded = fold_width(text[:LONGEST])
    if not citations(folded):
        return []
    found: dict[tuple[str, ArticleNumber], SucceededReference] = {}
    for one in references(folded, law_names(book).find(folded)):
        for law in one.laws:
            key = (law, one.number)
            if law != own and key not in found and (now := book.counterparts.of(*key, day)):
                found[key] = SucceededReference(law, one.number, now)
    return list(found.values())
