"""Where a text names laws of a statute book: in 《》 or bare, by any alias, with the version that a bracket names.

A bare name counts where it begins and ends on the border of words (取消法定程序 does not name 消法) and where no
longer name covers it (劳动合同法 does not name 合同法). One matcher a book: a table from the first two characters to
the aliases that begin so, longest first, which stays quick for thousands of aliases. Offsets are in characters of the
given text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import lru_cache
from weakref import WeakKeyDictionary

from store.search.date_readers import Period
from store.statutes.book import StatuteBook
from store.statutes.model import LawVersion
from store.statutes.names import ABBREVIATIONS, LIFETIMES, STATE, aliases_of, key_of_name, without_amendment
from store.text.dates import parse_date
from store.text.ideographs import HAN
from store.text.normalise import fold_width
from store.text.segment import cut

_NICKNAME = re.compile(r"\s{0,2}(?:(?P<made>修正|修订|修改|通过|公布|颁布|制定)(?:后|版)?的?|版?的?)?\s{0,2}《?$")
_SHORT_YEAR = re.compile(r"(?<!\d)(?P<year>[5-9]\d|[012]\d)年?(?:修正|修订|修改|版)?的?《?$")
_AGE = re.compile(
    r"(?:(?P<both>新[旧老]|旧新)|(?P<new>新|现行|修[正订改]之?后)|(?P<old>[旧老原]|已?(?:废止|失效)"
    r"|修[正订改]之?前))的?《?$"
)
_BORDER = re.compile(
    r"\s{0,2}(?P<year>(?:19|20)\d\d)?年?(?P<changed>修[正订改])?案?(?P<made>施行|实施|生效|出台|颁布|公布|通过|废止"
    r"|失效)?(?:之?日)?"
    r"(?:(?P<before>[之以]?前(?![款条者述项科面半期置]))|[之以]后|后(?![款条者述面半期续果])|以来|起)"
    r"|\s{0,2}(?P<whole>时代|时期)|\s{0,2}(?:还?没有?|尚?未)(?P<early>施行|实施|生效|出台|颁布|公布|通过)"
)
"""What makes of a name a day: the first day of the version."""
_DRAFT = re.compile(r"[(（]?(?:修[正订改])?(?:草案|征求意见稿)")


@dataclass(slots=True)
class LawDesignation:
    """What a text says of versions.

    named: its laws, an amendment in place of the law it changed being that law; spans: (first day, last day, words,
    law); gone: places of periods that are names and no days.
    """

    named: list[LawMention]
    spans: list[tuple[date, date, str, str]] = field(default_factory=list)
    gone: set[tuple[int, int]] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)


def designated(
    book: StatuteBook, text: str, named: Sequence[LawMention], times: Sequence[Period], today: date | None
) -> LawDesignation:
    """Read the versions that a text of folded width names, law by law; `times` are its periods."""
    found = LawDesignation([])
    for one in named:
        amended = book.law(without_amendment(one.laws[0])) if one.laws else None
        border = _border(text, one.end, amended is not None)
        short = amended is not None and "修正案" not in one.said
        found.named.append(replace(one, laws=(amended.name,)) if amended and (border or short) else one)
        for law in one.laws:
            versions = [version for version in book.versions(law) if version.valid_from]
            before = text[max(0, one.start - 16) : one.start + (text[one.start : one.start + 1] == "《")]
            age = _AGE.search(before)
            if one.bracket:
                said = one.said if one.bracket in one.said else f"{one.said}({one.bracket})"
                _by_name(found, law, versions_named(versions, one.bracket), one.bracket, said)
            elif draft := _DRAFT.match(text, one.end):
                found.notes.append(f"unknown_version:{law}({draft.group().strip('(（')})")
                found.gone |= {(period.start, period.end) for period in times if 0 <= one.start - period.end <= 3}
            elif border or short:
                _by_border(found, law, versions, one, border, age, times, today)
            elif age:
                _by_age(found, law, _begun(versions, today), age, age.group() + text[one.start : one.end])
            else:
                _by_year(found, law, versions, text, one, before, times)
    return found


def _by_name(found: LawDesignation, law: str, versions: Iterable[LawVersion], words: str, said: str) -> None:
    windows = [(one.valid_from, one.valid_to or date.max, said, law) for one in versions if one.valid_from]
    found.spans += windows
    if not windows:
        found.notes.append(f"unknown_version:{law}({words})")


def _border(text: str, end: int, alone: bool) -> re.Match[str] | None:
    """The words behind a name that make a day of it; 前 and 后 alone only behind an amendment, a year only with a
    word of making."""
    border = _BORDER.match(text, end)
    if not border or (border["year"] and not (border["changed"] or border["made"])):
        return None
    return border if alone or len(border.group().strip()) > 1 else None


def _by_border(
    found: LawDesignation, law: str, versions: Sequence[LawVersion], one: LawMention, border: re.Match[str] | None,
    age: re.Match[str] | None, times: Sequence[Period], today: date | None,
) -> None:  # fmt: skip
    """The days before a version began or the law ended, or from then on; which version the words leave open is the
    first, 修正 and 新 the newest."""
    told = border.groupdict() if border else {}
    year, changed = told.get("year"), told.get("changed")
    said = one.said + (border.group().strip() if border else "")
    if year:
        versions = _made_in(versions, int(year))
    elif changed or (age and age["new"]):
        versions = _begun(versions, today)[-1:]
    first = versions[0].valid_from if versions else None
    end = border.end() if border else one.end
    found.gone |= {(period.start, period.end) for period in times if one.end <= period.start < end}
    if first is None:
        found.notes.append(f"unknown_version:{law}({year or changed})")
    elif told.get("made") in ("废止", "失效"):
        if told["before"] and versions[-1].valid_to:
            found.spans.append((date.min, versions[-1].valid_to, said, law))
    elif told.get("whole"):
        found.spans.append((first, versions[-1].valid_to or date.max, said, law))
    elif told.get("before") or told.get("early"):
        found.spans.append((date.min, _before(first), said, law))
    else:
        found.spans.append((first, date.max, said, law))


def _begun(versions: Sequence[LawVersion], today: date | None) -> Sequence[LawVersion]:
    return [version for version in versions if not today or (version.valid_from or today) <= today]


def _before(first: date) -> date:
    return first - timedelta(days=1) if first > date.min else first


def _by_age(found: LawDesignation, law: str, versions: Sequence[LawVersion], age: re.Match[str], said: str) -> None:
    """新 and 现行: the newest version that has begun. 旧 and 原: all days of a law that ended, else those before the
    newest version."""
    if not versions or not versions[-1].valid_from:
        return
    first, last = versions[-1].valid_from, versions[-1].valid_to
    if age["new"] or age["both"]:
        found.spans.append((first, last or date.max, said, law))
    if not age["new"]:
        found.spans.append((date.min, last or _before(first), said, law))


def _by_year(
    found: LawDesignation, law: str, versions: Sequence[LawVersion], text: str, one: LawMention, before: str,
    times: Sequence[Period],
) -> None:  # fmt: skip
    """A year right before a name may be the name of a version: 1997年刑法, 2012年修正的刑事诉讼法, 97刑法.

    A bare year that no version has stays a year; one with a word of making is nothing else.
    """
    period = next((p for p in reversed(times) if p.end <= one.start), None)
    year, made, said = "", False, ""
    if period is not None and (match := _NICKNAME.fullmatch(text[period.end : one.start])):
        year = str(period.first.year)
        if period.first == date(period.first.year, 1, 1) and period.last == date(period.first.year, 12, 31):
            made, said = bool(match["made"]), text[period.start : one.end]
        else:
            year = ""
    elif match := _SHORT_YEAR.search(before):
        two = int(match["year"])
        year, said = str(two + (1900 if two >= 50 else 2000)), match.group() + one.said
        period = None
    if not year:
        return
    chosen = _made_in(versions, int(year))
    if chosen or made:
        _by_name(found, law, chosen, f"{year}年", said)
        if period is not None:
            found.gone.add((period.start, period.end))


def _made_in(versions: Sequence[LawVersion], year: int) -> list[LawVersion]:
    """The versions that people call by a year; where nothing else fits, one that began in the next year
    and of which nobody says when it was adopted: 1979年刑法."""
    found = versions_named(versions, str(year))
    if found or _in_force(versions, year):
        return found
    return [v for v in versions if v.valid_from and v.valid_from.year == year + 1 and not v.adopted]


def _in_force(versions: Sequence[LawVersion], year: int) -> bool:
    return any(one.valid_from and one.valid_from.year <= year <= (one.valid_to or date.max).year for one in versions)


_OPEN, _CLOSE = "《〈<", "》〉>"
_LONGEST_TITLE = 120
_SKIPPED = frozenset("《》〈〉<>「」“”\"' \t\r\n\u00a0\u200b\ufeff")
"""What `key_of_name` leaves out of a name."""
_TITLE = re.compile(r"(?:法|法典|条例|规定|解释|办法|通则|总则|细则|规则|决定|批复|修正案|章程)(?:\([^()]*\))?$")
_BRACKET = re.compile(r"[ ]?[\[(〔【]([^\[\]()〔〕【】]{2,24})[\])〕】]")
_CHANGED = r"(?:修正|修订|修改|试行|公布|颁布|通过|制定|施行)"
_VERSION_WORDS = re.compile(
    r"(?:(?:19|20)\d\d(?:[-./年]\d{1,2}(?:[-./月]\d{1,2}日?)?)?年?)?"
    rf"(?:第[一二三四五六七八九十\d]+次)?{_CHANGED}?(?:版本?|文本)?"
)
_FILLER = re.compile(r"年|版本?$|文本$|\s")
_LABEL = re.compile(r"\(([^()]*)\)$")
_BEFORE = re.compile(
    r"(?:^|[^\w]|依照|依据|根据|按照|参照|适用|违反|违背|触犯|符合|援引|结合|关于|属于|以及|或者|我国|现行|正在施行"
    r"|有效|的|了|和|与|及|或|即|是|对|由|在|为|按|依|据|看|查|新|旧|原"
    r"|[年月日时号前后])$"
)
_AFTER = re.compile(r"(?:$|[^\w]|[第的中里上对之是有没何怎如规前后\d])")
_SHORTENED = re.compile(rf"(?=([{HAN}]{{2,3}}法)\s{{0,2}}(?:第|[0-9零〇一二三四五六七八九十百千]{{1,9}}\s{{0,2}}条))")
"""A name right before an article that may be short for a longer one."""
_SURE = 6
"""A bare name of so many characters is no accident, wherever words are cut."""


@dataclass(frozen=True, slots=True)
class LawMention:
    """One mention of a law.

    start, end: the span with marks and version bracket; laws: official names it may mean, none where the book has no
    such law; said: the name as written; bracket: the words of the version bracket, or nothing.
    """

    start: int
    end: int
    laws: tuple[str, ...]
    said: str
    bracket: str = ""


class LawNames:
    """Finds the names of the laws of one book."""

    def __init__(self, aliases: Mapping[str, Sequence[str]]) -> None:
        known: dict[str, tuple[str, ...]] = {key: tuple(laws) for key, laws in aliases.items() if len(key) > 1}
        # Laws that exist although this book lacks them: their names must not be read as the end of others.
        for law in {*LIFETIMES, *ABBREVIATIONS}:
            for key in aliases_of(law):
                if len(key) > 3:
                    known.setdefault(key, ())
        self._known = known
        self._begins: dict[str, list[str]] = {}
        for key in sorted(known, key=lambda key: (-len(key), key)):
            self._begins.setdefault(key[:2], []).append(key)

    def find(self, text: str) -> list[LawMention]:
        """All mentions in a text whose width is folded, in order, none inside another."""
        found = list(self._quoted(text))
        if found:
            # 最高人民法院关于适用《合同法》若干问题的解释: the title reaches beyond the marks within it.
            whole = [one for one in self._bare(text, ()) if _holds(one, found)]
            found = [*whole, *(inner for inner in found if not _held(inner, whole))]
        found += self._bare(text, [(one.start, one.end) for one in found])
        found += self._shortened(text, [(one.start, one.end) for one in found])
        return sorted(found, key=lambda one: one.start)

    def _shortened(self, text: str, taken: Sequence[tuple[int, int]]) -> Iterable[LawMention]:
        """食安法第三条: the first character of a title and others of it in order, when no other title fits."""
        end = 0
        ordered = sorted(taken)
        for match in _SHORTENED.finditer(text):
            start, said = match.start(), match[1]
            before = bisect_left(ordered, (start + len(said), 0))  # spans do not overlap: the last before it decides
            if start < end or (before and start < ordered[before - 1][1]):
                continue
            fits = [key for key in self._begins_with(said[0]) if _is_short_for(said, key)]
            laws = {law for key in fits for law in self._known[key]}
            if len(laws) == 1:
                end = start + len(said)
                yield LawMention(start, end, tuple(laws), said)

    def _begins_with(self, character: str) -> Iterable[str]:
        return (key for begin, keys in self._begins.items() if begin[0] == character for key in keys)

    def _quoted(self, text: str) -> Iterable[LawMention]:
        for start, end in _titles(text):
            said = text[start + 1 : end - 1].strip()
            laws = self._known.get(key_of_name(said), ())
            if not laws and not _TITLE.search(said):
                continue
            bracket = _LABEL.search(said)
            inside = bracket[1] if bracket and _names_version(bracket[1]) else ""
            after, stop = _bracket_after(text, end)
            yield LawMention(start, stop if not inside else end, laws, said, inside or after)

    def _bare(self, text: str, taken: Sequence[tuple[int, int]]) -> Iterable[LawMention]:
        compact, places = _compact(text, taken)
        borders: frozenset[int] | None = None
        position = 0
        while position < len(compact) - 1:
            key = next(
                (
                    k
                    for k in self._begins.get(compact[position : position + 2], ())
                    if compact.startswith(k, position)
                ),
                "",
            )
            if not key:
                position += 1
                continue
            start, end = places[position], places[position + len(key) - 1] + 1
            if text.endswith(STATE, 0, start):
                start -= len(STATE)
            if borders is None:
                borders = _borders(text)
            if len(key) < _SURE and not _stands_alone(text, start, end, borders):
                position += 1
                continue
            said = text[start:end]
            bracket, stop = _bracket_after(text, end)
            yield LawMention(start, stop, self._known[key], said, bracket)
            position += len(key)


def _holds(outer: LawMention, inner: Sequence[LawMention]) -> bool:
    """Whether one of some mentions, in order and none inside another, lies within this one."""
    at = bisect_right(inner, outer.start, key=lambda one: one.start)
    return at < len(inner) and inner[at].end <= outer.end


def _held(inner: LawMention, outer: Sequence[LawMention]) -> bool:
    """Whether this mention lies within one of some others, in order and none inside another."""
    at = bisect_left(outer, inner.start, key=lambda one: one.start)
    return at > 0 and inner.end <= outer[at - 1].end


_books: WeakKeyDictionary[StatuteBook, LawNames] = WeakKeyDictionary()


def law_names(book: StatuteBook) -> LawNames:
    """The matcher of a book, made once."""
    if book not in _books:
        _books[book] = LawNames(book.aliases())
    return _books[book]


def versions_named(versions: Sequence[LawVersion], words: str) -> list[LawVersion]:
    """The versions of one law that a bracket names: by its label (2012修正), the day or the year; none where none
    fits."""
    wanted = _plain(words)
    exact = [version for version in versions if (label := _label(version)) and _plain(label) == wanted]
    if exact or not (year := re.search(r"(?:19|20)\d\d", wanted)):
        return exact
    if day := parse_date(re.sub(r"[^\d日月年./-]", "", fold_width(words))):
        return [version for version in versions if day in (version.valid_from, version.adopted)]
    for told in (_label, _adopted, _began):
        if found := [version for version in versions if year.group() in told(version)]:
            return found
    return []


def _adopted(version: LawVersion) -> str:
    return version.adopted.isoformat()[:4] if version.adopted else ""


def _began(version: LawVersion) -> str:
    return version.valid_from.isoformat()[:4] if version.valid_from else ""


def _label(version: LawVersion) -> str:
    match = _LABEL.search(fold_width(version.label))
    return match[1] if match else ""


@lru_cache(maxsize=4096)
def _plain(words: str) -> str:
    return _FILLER.sub("", fold_width(words)).replace("修改", "修正")


def _names_version(words: str) -> bool:
    return bool(_VERSION_WORDS.fullmatch(words)) and words != ""


def _bracket_after(text: str, end: int) -> tuple[str, int]:
    """The version bracket that follows a name, and where it ends."""
    match = _BRACKET.match(text, end)
    if match and _names_version(match[1].strip()):
        return match[1].strip(), match.end()
    return "", end


def _titles(text: str) -> Iterable[tuple[int, int]]:
    """Outermost 《…》, titles in titles included; one that is not closed is none."""
    start, depth = -1, 0
    for place, character in enumerate(text):
        if start >= 0 and place - start > _LONGEST_TITLE:
            start, depth = -1, 0
        if character in _OPEN:
            if depth == 0:
                if character == "<":
                    continue
                start = place
            depth += 1
        elif character in _CLOSE and depth:
            depth -= 1
            if depth == 0:
                yield start, place + 1
                start = -1


def _compact(text: str, taken: Sequence[tuple[int, int]]) -> tuple[str, list[int]]:
    """The text as keys are written (no marks, no 中华人民共和国), and where each character stood; taken spans as a
    wall."""
    inside = bytearray(len(text))
    for start, end in taken:
        inside[start:end] = b"\1" * (end - start)
    characters: list[str] = []
    places: list[int] = []
    place = 0
    while place < len(text):
        if inside[place]:
            characters.append("\0")
            places.append(place)
        elif text.startswith(STATE, place):
            place += len(STATE)
            continue
        elif text[place] not in _SKIPPED:
            lower = text[place].lower()
            characters.append(lower if len(lower) == 1 else text[place])
            places.append(place)
        place += 1
    return "".join(characters), places


def _is_short_for(said: str, key: str) -> bool:
    """Whether all characters of a short name stand in a longer one in order, both ending alike."""
    rest = iter(key)
    return len(key) > len(said) and key[-1] == said[-1] and all(character in rest for character in said)


def _borders(text: str) -> frozenset[int]:
    places, place = {0}, 0
    for piece in cut(text):
        place += len(piece)
        places.add(place)
    return frozenset(places)


def _stands_alone(text: str, start: int, end: int, borders: frozenset[int]) -> bool:
    begins = start in borders or _BEFORE.search(text[max(0, start - 8) : start]) is not None
    return begins and (end in borders or _AFTER.match(text, end) is not None)
