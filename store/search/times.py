"""Which days a text speaks of: years, months, days, ranges, and words that lean on another day (次年, 三年前,
案发时).

A period is a run of days, both ends inclusive. 之前 and 前 leave the named period out, 以前 a month or
year, too; 之后 and 后 leave a day out; 以后, 起 and 以来 keep it in; 前后, 左右 and 大约 widen it and mark it. 年初
and 年底 are read as the first and last quarter, 月初 and 月底 as ten days: wide enough for what people mean. Years of
case and document numbers, money and durations (有期徒刑三年) are no days. A date that does not exist (2015年2月30日),
a range that runs backwards and a word that leans on nothing give a note, never an error. Offsets are in characters of
the given text, width folded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta

from store.search.date_readers import (
    BLANK,
    DAY,
    MONTH,
    NOW,
    READERS,
    DateReaderState,
    Period,
    at,
    month_of,
    numeral,
    plain_numerals,
    present,
    widened,
)
from store.statutes.applicable import CaseDates

MOST = 64
"""Periods of a text that are looked at."""
_ONE_DAY = timedelta(days=1)
_NUMBERS = re.compile(
    r"[(\[〔【]\s*[12]\d{3}\s*年?\s*[)\]〕】][^,，。;；\s]{0,24}?号"
    r"|[12]\d{3}年第\s*[\d一二三四五六七八九十百]{1,6}\s*[号期]"
)
"""Numbers of cases, documents and gazettes: (2015)民初字第12号, 法释〔2015〕12号, 公告2015年第12号."""

_CLOCK = (
    r"(?:\s{0,2}(?:凌晨|早上|上午|中午|下午|傍晚|晚上?|夜间?|深夜)?"
    r"\s{0,2}(?:\d{1,2}[时点:](?:\d{1,2}分?)?(?:许|左右)?)?)"
)
_JOINS = re.compile(rf"^{_CLOCK}\s{{0,2}}(?:起|开始)?\s{{0,2}}(?:至|到|-+|—+|~|–){_CLOCK}\s{{0,2}}$")
_JOINED_REST = re.compile(
    rf"{_CLOCK}{BLANK}(?:起|开始)?{BLANK}(?:至|到|-+|—+|~|–){BLANK}(?:(?P<month>{MONTH})月份?"
    rf"(?:(?P<day>{DAY})[日号])?|(?P<only>{DAY})[日号])"
)
_BEFORE = re.compile(
    rf"{BLANK}(?:之前|以前|(?:及其?)?以前|前(?!后|述|款|项|科|夫|妻|期|往|来|去|置|身|提|列|例|一|半|几|任))"
)
_ABOUT = re.compile(rf"{BLANK}(?:前后|左右|上下)")
_PERHAPS = re.compile(r"(?:大约|大概|好像|似乎|差不多|约)(?:是|在|于)?\s?$")
_UP_TO = re.compile(r"(?:截[至止](?:到|至)?|不[晚迟]于|[最至]迟|最晚)\s?$")
_UNTIL = re.compile(rf"{BLANK}(?:为止|止(?!付|损|境|步))")
_AFTER = re.compile(
    rf"{BLANK}(?:及?以后|之后|以来|后(?!期|来|续|果|半|者|几|被|年)|起(?!诉|草|义|步|源|初|点|止|因|来|获|床|火|争)"
    r"|开始(?!的|施行|实施)|至今|到现在|迄今)"
)


def periods(text: str, *, today: date | None = None, case: CaseDates | None = None) -> tuple[list[Period], list[str]]:
    """The periods of a text in its order, and notes: no_such_date:…, reversed_range:…, relative_date:… (leans on
    nothing)."""
    reader = DateReaderState(text, today, case or CaseDates(), [])
    masked = plain_numerals(_NUMBERS.sub(lambda match: "#" * len(match.group()), text))
    reader.text = masked
    single = _single(reader, masked)
    joined = [replace(one, said=text[one.start : one.end].strip()) for one in _joined(reader, single)[:MOST]]
    return joined, list(dict.fromkeys([*reader.notes, *(() if joined else reader.later)]))


def _single(reader: DateReaderState, text: str) -> list[Period]:
    """Every period by itself, from left to right, so that 次年 leans on what stands before it."""
    matches: list[tuple[int, int, int, re.Match[str]]] = []
    for order, (pattern, _) in enumerate(READERS):
        matches += [(match.start(), order, -match.end(), match) for match in pattern.finditer(text)]
    matches.sort(key=lambda entry: entry[:3])
    found: list[Period] = []
    reached = 0
    for start, order, _, match in matches:
        if start < reached:
            continue
        told = len(reader.notes)
        period = _read(reader, match, READERS[order][1])
        if period is None:
            # What was said to be unknown is not read again in parts.
            reached = match.end() if len(reader.notes) > told else reached
            continue
        # What 月 or 日 was left out of is read as the rest of this date: 2012年3月至5月.
        reached = match.end()
        found.append(period)
        reader.anchor = period.first if period.first != date.min else reader.anchor
        if rest := _JOINED_REST.match(text, reached):
            second = _rest(period, rest)
            if second is not None and second.last >= period.first:
                found.append(second)
                reader.anchor = second.first
                reached = rest.end()
            elif second is not None:
                reader.note("reversed_range", text[start : rest.end()])
                found.pop()
                reached = rest.end()
        if len(found) > 2 * MOST:
            break
    if not found:
        unread = reader.notes or reader.later
        found = [one for match in list(NOW.finditer(text))[:1] if not unread and (one := present(reader, match))]
    return found


def _read(
    reader: DateReaderState, match: re.Match[str], read: Callable[[DateReaderState, re.Match[str]], Period | None]
) -> Period | None:
    try:
        period = read(reader, match)
    except OverflowError:
        return None
    except ValueError:
        reader.note("no_such_date", match.group())
        return None
    return at(period, match) if period and not period.said else period


def _joined(reader: DateReaderState, single: Sequence[Period]) -> list[Period]:
    """Ranges of two periods become one, and 以前 and 以后 open an end."""
    text = reader.text
    found: list[Period] = []
    place = 0
    while place < len(single):
        period = single[place]
        following = single[place + 1] if place + 1 < len(single) else None
        between = text[period.end : following.start] if following is not None else ""
        if following is not None and (_JOINS.match(between) or _follows(period, following, between)):
            place += 1
            said = text[period.start : following.end]
            if following.last < period.first:
                reader.note("reversed_range", said)
                place += 1
                continue
            about = period.about or following.about
            period = Period(period.first, max(period.last, following.last), period.start, following.end, said, about)
        else:
            period = _qualified(reader, period)
        found.append(period)
        place += 1
    return found


def _follows(period: Period, following: Period, between: str) -> bool:
    """Whether the second begins the day after the first, with hardly anything between them: 2020年底2021年初."""
    return between in ("", "、", "与", "和") and following.first.toordinal() == period.last.toordinal() + 1


def _qualified(reader: DateReaderState, period: Period) -> Period:
    """A period with the words around it: 大约 and 前后 widen it, 截至, 以前 and 以后 open an end."""
    text = reader.text
    if (match := _ABOUT.match(text, period.end)) or _PERHAPS.search(text, max(0, period.start - 5), period.start):
        period = replace(widened(period), end=match.end() if match else period.end)
    exact = period.first == period.last and not period.about
    if match := _UNTIL.match(text, period.end):
        return replace(period, first=date.min, end=match.end())
    if _UP_TO.search(text, max(0, period.start - 4), period.start):
        return replace(period, first=date.min)
    if match := _BEFORE.match(text, period.end):
        # 1997年9月30日以前 holds that day, 之前 and 前 do not.
        holds = exact and "以前" in match.group()
        before = _before(period, match.end())
        return replace(before, last=period.last) if holds else before
    if match := _AFTER.match(text, period.end):
        words = match.group().strip()
        last = reader.today if reader.today and ("今" in words or words in ("以来", "到现在")) else None
        last = last if last and last >= period.first else date.max
        first = (
            period.first + _ONE_DAY if exact and words in ("后", "之后") and period.first < date.max else period.first
        )
        return replace(period, first=first, last=last, end=match.end())
    return period


def _before(period: Period, end: int) -> Period:
    last = period.first - _ONE_DAY if period.first > date.min else period.first
    return replace(period, first=date.min, last=last, end=end)


def _rest(period: Period, match: re.Match[str]) -> Period | None:
    """The second half of a range that leaves out what both halves share."""
    first = period.first
    try:
        if match["only"]:
            day = first.replace(day=numeral(match["only"]) or 0)
            return Period(day, day, match.start("only"), match.end(), match.group())
        month = numeral(match["month"]) or 0
        if match["day"]:
            day = first.replace(month=month, day=numeral(match["day"]) or 0)
            return Period(day, day, match.start("month"), match.end(), match.group())
        return replace(month_of(first.year, month), start=match.start("month"), end=match.end(), said=match.group())
    except ValueError:
        return None
