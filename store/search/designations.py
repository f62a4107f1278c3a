"""Versions of laws as texts name them: by a bracket (刑法(2020修正)), a year (97刑法), an age (旧公司法), or the day
on which one began (民法典施行前, 修正案（九）施行后).

A version that the book does not have, and a draft, give a note and no days: the year in their name is then nobody's
day. Days are inclusive; an open end is the first or last day there is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from store.search.law_names import Named, versions_named
from store.search.period import Period
from store.statutes.book import StatuteBook
from store.statutes.model import LawVersion
from store.statutes.names import without_amendment

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
class Designated:
    """What a text says of versions.

    named: its laws, an amendment in place of the law it changed being that law; spans: (first day, last day, words,
    law); gone: places of periods that are names and no days.
    """

    named: list[Named]
    spans: list[tuple[date, date, str, str]] = field(default_factory=list)
    gone: set[tuple[int, int]] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)


def designated(
    book: StatuteBook, text: str, named: Sequence[Named], times: Sequence[Period], today: date | None
) -> Designated:
    """Read the versions that a text of folded width names, law by law; `times` are its periods."""
    found = Designated([])
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


def _by_name(found: Designated, law: str, versions: Iterable[LawVersion], words: str, said: str) -> None:
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
    found: Designated, law: str, versions: Sequence[LawVersion], one: Named, border: re.Match[str] | None,
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


def _by_age(found: Designated, law: str, versions: Sequence[LawVersion], age: re.Match[str], said: str) -> None:
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
    found: Designated, law: str, versions: Sequence[LawVersion], text: str, one: Named, before: str,
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
