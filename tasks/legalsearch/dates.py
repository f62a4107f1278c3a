"""What the days of a question are days of: conduct, procedure, judgment, or none of these; for the marks beside
articles.

从旧兼从轻 and 程序从新 set the day of the act against the day of the procedure, so a day is read by the words in its
clause and the next (`dates_cues.toml`), never by its place in a list. The rule, which is ours:

- 出生, earlier convictions, 鉴定, 赔偿 and days of laws (施行, 修正) are no days of the case. Nor is a day of
  procedure, of a sentence or of a judgment that lies before the conduct: nobody is tried for what comes later.
- 投案, 抓获, 逮捕, 立案, 起诉, 开庭 and the like are procedure, the last of them counts; 判决 and 宣判 are the
  judgment. 行为时为, 裁判时为 and 诉讼时为 settle a day outright.
- What has a word for an act or a legal fact is conduct; a bare day is, where no day has such a word. Bare days more
  than a month apart, and acts more than a year apart without a word for a series, tell no day of conduct: `acted` is
  None and no version is then more than possibly applicable.
- Conduct goes on (`acted_until`) only over a range (从…至…), to 查获 where only its beginning is told, or where 先后,
  多次, 持续, numbered instances and the like make one series of several days; else the first day is the day. A year
  is no day: where crimes or penalties are in question it tells no day of conduct, elsewhere it stands for all its
  days.
- A day as of which a text is asked for (2016年时有效的…, or one bare day beside 第…条) is the day of the act and of
  the procedure. One bare day of a question about procedure is also the day of the procedure.

All days are calendar days, both ends inclusive. Every function is total.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache

from store.search.date_readers import Period
from store.search.query import LONGEST, Span
from store.search.times import periods
from store.statutes.applicable import CaseDates
from store.tables import beside
from store.text.normalise import fold_width

ONE_EVENT = timedelta(days=31)
"""Bare days as near to each other as this are of one event; a longer period is no day."""
ONE_MATTER = timedelta(days=366)
"""Acts further apart than this are not one conduct unless a word says so."""
_REACH = 80
"""Characters before and behind a day in which its words are looked for."""

_STOPS = re.compile(r"[。；;！？!?\n]")
_CLAUSE = re.compile(r"[,，]")
_TIME_OF_DAY = re.compile(
    r"^[\s、和及与的]*(?:许|左右|前后|[零〇]时|凌晨|早上|早晨|清晨|上午|中午|下午|傍晚|晚上?|夜间?|深夜|当[天日晚]"
    r"|某[天日]|一天|的一天|份|间|期间|\d{1,2}"
    r"[时点:：](?:\d{1,2}分?|半|多|许)?|\d{1,2}分|[钟许多]|\s)*$"
)
_AS_LABEL = r"(?:的)?(?:时间|日期)?(?:分别)?(?:为|是|在|于|自|从|[:：])?\s*$"
_RANGE = re.compile(r"[至到~–—]|[日月年号\d]\s*-\s*(?:\d{4}|\d{1,2}[日月])")
_GOES_ON = re.compile(r"(?:起|开始|以来|至今|到现在|迄今|今)$")
_ENDS_AT = re.compile(r"(?:直至|直到|至|到)\s*$")
_SO_FAR = re.compile(r"截[至止](?:到|至)?\s*$")
_EARLIER = re.compile(r"(?<!未)曾(?!某)|前科|累犯")
_ASIDE = re.compile(r"[(（〔\[][^()（）〔〕\[\]]{0,80}[)）〕\]]")
"""(已判刑), (在逃), (另案处理): of other people."""
_BORN = re.compile(r"[(（](?:[男女][,，、]\s*)?$")
_IN_TITLE = re.compile(r"《[^》]*$")
_OPTIONS = re.compile(r"\n\s*选项\s*[:：]")
_ARTICLE = re.compile(r"第\s*[\d一二三四五六七八九十百千零〇两]{1,8}\s*条")


@dataclass(frozen=True, slots=True)
class SpanMention:
    """A day or period of a text at one of its places, and what it is said to be.

    roles: of acted, proceeding, caught, judged, sentenced, asked, aside; none: a bare day. serial: part of conduct
    that goes on or is repeated.
    """

    span: Span
    start: int
    end: int
    roles: frozenset[str] = frozenset()
    serial: bool = False


@dataclass(frozen=True, slots=True)
class Conduct:
    """The conduct that a text tells: its day or days (None: untold or unclear), and the spans it was read from."""

    first: date | None
    last: date | None
    spans: tuple[Span, ...]


def case_dates(text: str, spans: Sequence[Span]) -> CaseDates:
    """The days of a case.

    Args:
        text: the question, as it was analysed.
        spans: the times that it names, of `analyse(text).spans`.
    """
    if not spans:
        return CaseDates()
    days = span_mentions(text, spans)
    if not days:
        # A version that the text names, 刑法(2015修正): its window is what is asked about. What only options name
        # happened in none.
        return CaseDates() if _OPTIONS.search(text) else _asked(spans)
    conduct = conduct_of(text, days)
    asked = [day.span for day in days if "asked" in day.roles]
    if conduct.first is None and asked and not conduct.spans:
        return _asked(asked)
    begins = conduct.first or min((span.first for span in conduct.spans), default=date.min)
    steps = _since(begins, days, "proceeding", "caught")
    judged = _since(begins, days, "judged", *(("sentenced",) if conduct.first else ()))
    proceeding = max(steps, default=None)
    if proceeding is None and not judged and len(days) == 1 and not days[0].roles and _is(text, "procedure"):
        proceeding = _day(days[0].span)
    until = conduct.last if conduct.last != conduct.first else None
    return CaseDates(conduct.first, until, proceeding, max(judged, default=None))


def span_mentions(text: str, spans: Sequence[Span]) -> tuple[SpanMention, ...]:
    """Every place at which the text names one of the spans, in its order, with what it says of it; options apart."""
    folded = _OPTIONS.split(fold_width(text[:LONGEST]))[0]
    places = _places(folded, spans)
    found: list[SpanMention] = []
    for number in range(len(places) - 1, -1, -1):
        day = places[number]
        begins = places[number - 1].end if number else 0
        ends = places[number + 1].start if number + 1 < len(places) else len(folded)
        before, after = _before(folded, day.start, begins), _after(folded, day.end, ends)
        following = found[-1] if found and ends - day.end < 4 else None
        if following and not after.strip("、,，和及与或 "):
            # 5月3日和5月4日: what is said behind the second is said of both.
            found.append(replace(day, roles=following.roles, serial=following.serial))
            continue
        found.append(_read(day, before, after))
    if len({day.span for day in found}) == 1 and not any(day.roles for day in found) and _ARTICLE.search(folded):
        return tuple(replace(day, roles=frozenset({"asked"})) for day in reversed(found))
    return tuple(reversed(found))


def conduct_of(text: str, days: Sequence[SpanMention]) -> Conduct:
    """The conduct among the days of a text."""
    acts = [day for day in days if "acted" in day.roles] or [day for day in days if not day.roles]
    bare = not any("acted" in day.roles for day in acts)
    acts = [day for day in acts if day.span.first > date.min]
    exact = [day for day in acts if day.serial or day.span.is_open or _is_day(day.span)]
    spans = tuple(dict.fromkeys(day.span for day in acts))
    if not exact:
        if len(spans) == 1 and not _is(text, "penal"):
            return Conduct(spans[0].first, spans[0].last, spans)
        return Conduct(None, None, spans)
    spans = tuple(dict.fromkeys(day.span for day in exact))
    first = min(span.first for span in spans)
    serial = [day.span for day in exact if day.serial]
    ends = [span.last for span in serial if span.last < date.max]
    if open_ones := [span.first for span in serial if span.last == date.max]:
        # Where only its beginning is told, conduct goes on until it is found out.
        ends += [
            day.span.last for day in days if "caught" in day.roles and min(open_ones) <= day.span.last < date.max
        ]
        if not ends:
            return Conduct(None, None, spans)
    last = max(ends, default=first)
    apart = ONE_EVENT if bare else ONE_MATTER
    single = [day.span.first for day in exact if not day.serial]
    low, high = min([span.first for span in serial], default=first), last
    if any(day > high + apart or day < low - apart for day in single):
        return Conduct(None, None, spans)
    return Conduct(first, last, spans)


def _asked(spans: Sequence[Span]) -> CaseDates:
    first, last = min(span.first for span in spans), max(span.last for span in spans)
    return CaseDates(acted=first, acted_until=last, proceeding=last)


def _since(begins: date, days: Iterable[SpanMention], *roles: str) -> list[date]:
    """The days in some of these roles, not before the conduct; 2019年以前起诉 tells of no day."""
    wanted = set(roles)
    return [
        _day(day.span)
        for day in days
        if day.roles & wanted and day.span.first > date.min and _day(day.span) >= begins
    ]


def _day(span: Span) -> date:
    return span.last if span.last < date.max else span.first


def _is_day(span: Span) -> bool:
    return span.last - span.first < ONE_EVENT


def _is_range(span: Span) -> bool:
    return span.first < span.last and _RANGE.search(span.said) is not None


def _places(folded: str, spans: Sequence[Span]) -> list[SpanMention]:
    """Where the text names the spans; by reading it again, as spans leave out a day that is named twice."""
    wanted = {(span.first, span.last): span for span in spans}
    found = [_at(wanted[(one.first, one.last)], one) for one in periods(folded)[0] if (one.first, one.last) in wanted]
    known = {day.span for day in found}
    for span in spans:
        # What leans on today is only found by its words.
        place = folded.find(span.said) if span.said and span not in known else -1
        if place >= 0 and not any(day.start < place + len(span.said) and place < day.end for day in found):
            found.append(SpanMention(span, place, place + len(span.said)))
    return sorted(found, key=lambda day: day.start)


def _at(span: Span, period: Period) -> SpanMention:
    return SpanMention(Span(span.first, span.last, period.said), period.start, period.end)


def _before(text: str, start: int, reached: int) -> str:
    """What stands before a day in its sentence, behind the last day."""
    passage = text[max(reached, start - _REACH, 0) : start]
    return _STOPS.split(passage)[-1]


def _after(text: str, end: int, reached: int) -> str:
    """What stands behind a day in its sentence, before the next day."""
    return _STOPS.split(_ASIDE.sub("", text[end : max(end, min(reached, end + _REACH))]))[0]


def _read(day: SpanMention, before: str, after: str) -> SpanMention:
    if role := _labelled(before):
        return _with_series(replace(day, roles=frozenset({role})), "", "")
    if _IN_TITLE.search(before) or (_BORN.search(before) and after.startswith((")", "）"))):
        return replace(day, roles=frozenset({"aside"}))
    clauses = [clause for clause in _CLAUSE.split(after) if not _TIME_OF_DAY.match(clause)]
    if not clauses and not before.strip():
        return _with_series(day, before, after)
    if _cue("asked", "before", end=True).search(before) or _cue("asked", "after").match(after.lstrip()):
        return replace(day, roles=frozenset({"asked"}))
    roles = _roles(clauses)
    if _EARLIER.search(before) and roles & {"sentenced", "judged", "proceeding", "aside"}:
        roles = frozenset({"aside"})
    if not roles and _cue("act", "late").search(before):
        roles = frozenset({"aside"})
    if not roles and _acts(before):
        roles = frozenset({"acted"})
    if roles and roles <= {"proceeding", "caught", "judged", "sentenced"} and _is_range(day.span):
        # 2006年至2013年在稽查局任职期间: no step takes so long.
        roles = frozenset({"acted"})
    if _SO_FAR.search(before) and "acted" not in roles:
        roles = roles or frozenset({"aside"})
    return _with_series(replace(day, roles=roles), before, after)


def _labelled(before: str) -> str:
    return next((role for role in _table()["labels"] if _cue("labels", role, end=True).search(before)), "")


def _roles(clauses: Sequence[str]) -> frozenset[str]:
    """What the first clause says that says anything; of the further ones only what is no deed."""
    for number, clause in enumerate(clauses[:3]):
        firsts = {
            role: match.start()
            for role in _table()["after"]
            if (match := _cue("after", role).search(clause)) is not None
        }
        act = _acts(clause)
        role = min(firsts, key=lambda name: (firsts[name], name != "sentenced")) if firsts else ""
        if role in ("proceeding", "judged") and "sentenced" in firsts:
            role = "sentenced"
        if act is not None and role and act.start() < firsts[role]:
            # 醉酒驾驶被查获, 盗窃后投案; but 被告人…投案 tells no deed.
            deed = _acts(clause, deeds=True)
            if deed is not None and deed.start() < firsts[role]:
                return frozenset({"acted", role} - {"aside", "sentenced"})
        if role:
            return frozenset({role})
        if act is not None and (number == 0 or _acts(clause, deeds=True)):
            # 被告人在家属陪同下,到公安机关投案.
            later = _roles(clauses[number + 1 :]) if _acts(clause, deeds=True) is None else frozenset()
            return later if later and later <= {"proceeding", "caught"} else frozenset({"acted"})
    return frozenset()


def _acts(text: str, *, deeds: bool = False) -> re.Match[str] | None:
    """The first word for an act that is not the name of a charge; deeds: who did it is not enough."""
    for match in _cue("act", "deeds" if deeds else "words").finditer(text):
        if _cue("act", "named").match(text, match.end()) or _cue("act", "cancelled", end=True).search(
            text[: match.start()]
        ):
            continue
        return match
    return None


def _with_series(day: SpanMention, before: str, after: str) -> SpanMention:
    """Marks what goes on: a range, a beginning, an end that 至 leads up to, numbered instances, words for
    repetition."""
    span, roles = day.span, day.roles
    if roles - {"acted", "caught"}:
        return day
    serial = bool(
        _is_range(span)
        or (span.last == date.max and _GOES_ON.search(span.said))
        or _cue("series", "attached").match(after)
        or (_ENDS_AT.search(before) and "caught" not in roles)
        or _cue("series", "enumerated", end=True).search(before)
        or _cue("series", "words").search(before + after)
    )
    return replace(day, serial=serial)


def _is(text: str, matter: str) -> bool:
    return _cue("matter", matter).search(text[:LONGEST]) is not None


@cache
def _cue(table: str, row: str, *, end: bool = False) -> re.Pattern[str]:
    """The cues of a row as one pattern; end: at the end of a text."""
    pieces = _table()[table]["words" if row == "deeds" else row]
    pattern = "|".join(pieces[1:] if row == "deeds" else pieces)
    if not end:
        return re.compile(f"(?:{pattern})")
    return re.compile(f"(?:{pattern})" + (_AS_LABEL if table in ("labels", "asked") else r"$"))


def _table() -> Mapping[str, Mapping[str, Sequence[str]]]:
    return beside(__package__, "dates_cues", dict[str, dict[str, tuple[str, ...]]])
