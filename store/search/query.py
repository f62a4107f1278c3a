"""What a question asks the statute book: which days, laws, articles and headings it names, and its words of
substance.

By rules (`analyse`), or from the object that a model in the analyser seat fills in (`from_analyser`). Both are total:
text that cannot be read gives fewer filters and a note, never an error. Days are calendar days, both ends inclusive.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from store.search.date_readers import NOW, Period
from store.search.law_names import LawDesignation, designated, law_names
from store.search.references import MOST, Reference, headings, references
from store.search.terms import matter
from store.search.times import periods
from store.statutes.applicable import CaseDates
from store.statutes.book import StatuteBook
from store.statutes.model import ArticleNumber
from store.text.citation import citations, parse_number
from store.text.ideographs import HAN
from store.text.normalise import fold_width
from store.text.segment import cut

LONGEST = 8_000
"""Characters of a question that are looked at."""
KEYWORDS = 24
"""Words of a question that are kept."""

ANALYSER_SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "time_info": {"type": "array", "maxItems": 8, "items": {"type": "string", "maxLength": 24}},
        "law_info": {"type": "array", "maxItems": 8, "items": {"type": "string", "maxLength": 60}},
        "chapter_info": {"type": "array", "maxItems": 8, "items": {"type": "string", "maxLength": 24}},
        "keywords": {"type": "array", "maxItems": 12, "items": {"type": "string", "maxLength": 24}},
    },
    "required": ["time_info", "law_info", "chapter_info", "keywords"],
    "additionalProperties": False,
}
"""What the analyser seat fills in: days (YYYY-MM-DD, or any written form), names of laws, 第…条 or 第…章,
keywords."""

_HAN = re.compile(rf"[{HAN}]")


@dataclass(frozen=True, slots=True)
class Span:
    """A run of days that a text names; an open end is the first or last day there is. said: its words; about: a
    sensible reading."""

    first: date
    last: date
    said: str
    about: bool = False

    @property
    def is_open(self) -> bool:
        """Whether only one end is named (2015年以前)."""
        return self.first == date.min or self.last == date.max


@dataclass(frozen=True, slots=True)
class LawQuery:
    """A question and what was read from it.

    text: as asked; laws: official names; numbers: articles, those of `pairs` included; headings: 第三章, as in part,
    chapter or section; pairs: the articles of which the text says the law; notes: no_such_date:…, reversed_range:…,
    relative_date:…, unknown_law:…, unknown_version:….
    """

    text: str
    spans: tuple[Span, ...] = ()
    laws: tuple[str, ...] = ()
    numbers: tuple[ArticleNumber, ...] = ()
    headings: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    made_by: Literal["rules", "analyser", "given"] = "rules"
    pairs: tuple[tuple[str, ArticleNumber], ...] = ()
    notes: tuple[str, ...] = ()


def analyse(text: str, book: StatuteBook, *, today: date | None = None, case: CaseDates | None = None) -> LawQuery:
    """Read a question by rules.

    Args:
        text: the question; only its first `LONGEST` characters are read.
        book: the laws that can be named.
        today: the day on which 去年 and 三年前 lean; None: on the days of the case, else they are only noted.
        case: the days that 案发时, 行为时 and 判决时 mean.
    """
    folded = fold_width(text[:LONGEST])
    named = law_names(book).find(folded)
    notes = [f"unknown_law:{one.said}" for one in named if not one.laws]
    # A year in a version bracket is a name, not a day.
    dated = _blanked(folded, [(one.end - len(one.bracket) - 3, one.end) for one in named if one.bracket])
    times, said = periods(dated, today=today, case=case)
    versions = designated(book, folded, named, times, today)
    named, notes = versions.named, notes + versions.notes
    # Beside a version 现行 compares, and names no day.
    spare = versions.gone | {(one.start, one.end) for one in times if versions.spans and NOW.fullmatch(one.said)}
    times = [period for period in times if (period.start, period.end) not in spare]
    cited = references(folded, named)
    notes += [f"unknown_law:{one.said}" for one in cited if one.stated and not one.laws]
    numbers, pairs = _numbers(book, cited)
    inside = [(one.start, one.end) for one in named]
    beside = _beside(versions, times, pairs)
    notes += beside.values()
    placed = [one for one in headings(folded) if not any(low <= one[1] < high for low, high in inside)]
    covered = [
        *inside,
        *((one.start, one.end) for one in times),
        *((one.start, one.end) for one in cited),
        *((start, end) for _, start, end in placed),
    ]
    return LawQuery(
        text,
        _spans(
            [
                *(Span(*window[:3]) for window in versions.spans if window not in beside),
                *(Span(one.first, one.last, one.said, one.about) for one in times),
            ]
        ),
        tuple(dict.fromkeys(law for one in named for law in one.laws)),
        numbers,
        tuple(dict.fromkeys(heading for heading, _, _ in placed)),
        _keywords(_blanked(folded, covered)),
        "rules",
        pairs,
        tuple(dict.fromkeys([*notes, *said])),
    )


def from_analyser(text: str, value: Mapping[str, object], book: StatuteBook) -> LawQuery:
    """Read what the analyser seat filled in (`ANALYSER_SCHEMA`); what has another shape is left out."""
    notes: list[str] = []
    spans: list[Span] = []
    for said in _texts(value, "time_info"):
        found, told = periods(fold_width(said))
        notes += told
        spans += [Span(one.first, one.last, one.said) for one in found]
    laws: list[str] = []
    for said in _texts(value, "law_info"):
        entries = book.named(said)
        laws += [entry.name for entry in entries]
        if not entries:
            notes.append(f"unknown_law:{said}")
    numbers: list[ArticleNumber] = []
    places: list[str] = []
    for said in _texts(value, "chapter_info"):
        folded = fold_width(said)
        read = [one.number for one in citations(folded)]
        if not read and (alone := parse_number(folded)):
            read = [alone]
        numbers += read
        places += [heading for heading, _, _ in headings(folded)]
    keywords = [word.strip() for word in _texts(value, "keywords") if word.strip()]
    return LawQuery(
        text,
        _spans(_whole_units(spans)),
        tuple(dict.fromkeys(laws)),
        tuple(dict.fromkeys(numbers))[:MOST],
        tuple(dict.fromkeys(places)),
        tuple(dict.fromkeys(keywords))[:KEYWORDS],
        "analyser",
        tuple((law, number) for law in dict.fromkeys(laws) for number in numbers)[:MOST],
        tuple(dict.fromkeys(notes)),
    )


def _texts(value: Mapping[str, object], key: str) -> list[str]:
    given = value.get(key) if isinstance(value, Mapping) else None
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, Sequence):
        return []
    return [one[:120] for one in given if isinstance(one, str) and one.strip()][:KEYWORDS]


def _whole_units(spans: Sequence[Span]) -> list[Span]:
    """First and last day of one year or month, given one after the other, are that year or month."""
    whole: list[Span] = []
    for span in spans:
        last = whole[-1] if whole else None
        if last is not None and last.first == last.last < span.first == span.last and _unit(last.first, span.first):
            whole[-1] = Span(last.first, span.last, f"{last.said}—{span.said}")
        else:
            whole.append(span)
    return whole


def _unit(first: date, last: date) -> bool:
    if (first.year, first.day) != (last.year, 1):
        return False
    if (first.month, last.month, last.day) == (1, 12, 31):
        return True
    return first.month == last.month and last.day >= 28 and (last.month, last.day + 1) != (2, 29)


def _spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    unique: dict[tuple[date, date], Span] = {}
    for span in spans:
        unique.setdefault((span.first, span.last), span)
    return tuple(unique.values())


def _beside(
    versions: LawDesignation, times: Sequence[Period], pairs: Sequence[tuple[str, ArticleNumber]]
) -> dict[tuple[date, date, str, str], str]:
    """Versions that are named and applied on none of the days beside them, with a note on the article: the days
    count."""
    found: dict[tuple[date, date, str, str], str] = {}
    for window in versions.spans:
        first, last, _, law = window
        number = next((number for name, number in pairs if name == law), None)
        if number and times and all(one.last < first or last < one.first for one in times):
            day = times[0].last if times[0].last < first else times[0].first
            code, border = ("later", first) if day < first else ("ended", last)
            found[window] = f"{code}:{law}:{number.chinese}:{day}:{border}"
    return found


def _numbers(
    book: StatuteBook, cited: Sequence[Reference]
) -> tuple[tuple[ArticleNumber, ...], tuple[tuple[str, ArticleNumber], ...]]:
    numbers: dict[ArticleNumber, None] = {}
    pairs: dict[tuple[str, ArticleNumber], None] = {}
    for one in cited:
        if one.stated and not one.laws:
            continue
        for number in _expanded(book, one):
            if len(numbers) >= MOST and number not in numbers:
                break
            numbers[number] = None
            for law in one.laws:
                pairs[law, number] = None
    return tuple(numbers), tuple(pairs)


def _expanded(book: StatuteBook, one: Reference) -> list[ArticleNumber]:
    """All articles of a range, with those that were inserted where the law is known."""
    if one.until is None:
        return [one.number]
    last = min(one.until.number, one.number.number + MOST)
    found = {ArticleNumber(number) for number in range(one.number.number + 1, last + 1)} | {one.number}
    for law in one.laws:
        for version in book.versions(law):
            listed = book.numbers(version.law, version.label)
            found |= {number for number in listed if one.number <= number <= one.until}
    return sorted(number for number in found if number <= one.until)[:MOST]


def _blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    characters = list(text)
    for start, end in spans:
        start = max(0, start)
        characters[start:end] = " " * (end - start)
    return "".join(characters)


def _keywords(text: str) -> tuple[str, ...]:
    words: dict[str, None] = {}
    table = matter()
    for piece in cut(text):
        word = piece.strip()
        if (
            len(word) > 1
            and word not in table.stop_words
            and word not in table.frame_words
            and (_HAN.search(word) or word.isalpha())
        ):
            words[word] = None
    ordered = sorted(words, key=lambda word: not table.is_legal(word))
    return tuple(ordered[:KEYWORDS])
