"""What the days of a question are days of: conduct, procedure or judgment; for the marks beside articles.

从旧兼从轻 and 程序从新 set the day of the act against the day of the procedure. A day is read by the words in its
sentence, never by its place in a list; the rule is ours:

- 行为时为, 裁判时为, 诉讼时为 settle a day outright. A day as of which a text is asked for (2016年时有效的…, or one
  bare day beside 第…条) is the day of the act and of the procedure.
- Birth, earlier convictions, 鉴定, 赔偿 and days of laws (施行, 修正) are no days of the case; nor is a step of
  procedure or a judgment before the conduct: nobody is tried for what comes later.
- 投案, 抓获, 逮捕, 起诉, 开庭 and the like are procedure, the last of them counts; 判决 and 宣判 are the judgment.
- What has none of these words is conduct. Days more than a year apart tell no day of conduct, then no version is
  more than possibly applicable; nor does a year by itself where crimes or penalties are in question.
- Conduct goes on (`acted_until`) over a range (从…至…), to 查获 where only its beginning is told, and over the days
  of a series (先后, 多次); else the first day is the day.

All days are calendar days, both ends inclusive. Every function is total.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from store.search.query import LONGEST, Span
from store.search.times import periods
from store.statutes.applicable import CaseDates
from store.text.normalise import fold_width

ONE_EVENT = timedelta(days=31)
"""A longer period is no day."""
ONE_MATTER = timedelta(days=366)
"""Acts further apart than this are not one conduct unless a word says so."""
_REACH = 80
"""Characters before and behind a day in which its words are looked for."""

_LABELS = {
    "acted": r"(?:行为|违法|犯罪|作案|案发|事发)(?:发生)?(?:时|日|之日|当日)?",
    "proceeding": r"(?:(?:诉讼|程序)时|(?:起诉|立案|受理|审理|开庭|投案|到案|逮捕)(?:时|日|之日|当日)?)",
    "judged": r"(?:裁判|判决|宣判|裁定|裁决)(?:作出|生效)?(?:时|日|之日|当日)?",
    "aside": r"(?:出生|生日|生于|释放|刑期|考验期)",
}
_LABEL = {
    role: re.compile(rf"{words}(?:的)?(?:时间|日期)?(?:为|是|在|于|自|从|:)?\s*$") for role, words in _LABELS.items()
}
"""Role -> the words right before a day that settle it."""
_CUES = {
    "aside": re.compile(
        r"出生|^生(?=[),,。、人]|$)|释放|假释|减刑|执行完毕|劳动教养|行政(?:拘留|处罚)|判处|判刑|[潜外出在]逃|逃匿|鉴定|谅解"
        r"|退赃|退赔|报警|报案|赔偿|公布|颁布|修正|修订|施行|生效"
    ),
    "caught": re.compile(r"抓获|查获|捕获|查处|查封|扣押|缴获|搜查"),
    "proceeding": re.compile(
        r"投案|自首|到案|归案|传唤|讯问|拘留|刑拘|逮捕|取保候审|监视居住|立案|移送|提起公诉|公诉至|起诉(?!书|指控)|诉至"
        r"|仲裁|上诉(?!人)|抗诉|开庭|庭审|审理(?!查明)|再审|受理|强制执行"
    ),
    "judged": re.compile(r"宣判|判决(?!书|时|前)|裁判(?!时)|裁决|裁定"),
}
"""Role -> the words behind a day that tell it; the first that stands there counts."""
_ASKED = re.compile(
    r"(?:时|当时|期间)?[,]?(?:所?适用|有效|正在(?:施行|实施)|现行|(?:施行|实施|生效)(?:中|着)?的)|的?《"
    r"|(?:的|这一)?(?:时间|时代|历史)背景"
)
_NOW = re.compile(r"(?:现在|今天|当前|目前|假设|假定|假如)(?:现在|今天|当前)?(?:是|为|处于|:)?\s*$")
_EARLIER = re.compile(r"(?<!未)曾(?!某)|前科|累犯")
_RANGE = re.compile(r"[至到~–—]|[日月年号\d]\s*-\s*(?:\d{4}|\d{1,2}[日月])")
_SERIES = re.compile(r"先后|多次|数次|连续|陆续|持续|长期|不断|再次|继续|期间|以来|\d+余?次|[两三四五六七八九十]次")
_STOPS = re.compile(r"[。；;！？!?\n]")
_ASIDE = re.compile(r"[(〔\[][^()〔〕\[\]]{0,80}[)〕\]]")
"""(已判刑), (在逃), (另案处理): of other people."""
_OPTIONS = re.compile(r"\n\s*选项\s*[::]")
_ARTICLE = re.compile(r"第\s*[\d一二三四五六七八九十百千零〇两]{1,8}\s*条")
_PENAL = re.compile(r"被告人|犯罪|嫌疑人|罪|刑法|刑罚|公诉|处罚|违法")
_PROCEDURE = re.compile(r"诉讼|管辖|受理|审理|开庭|仲裁|送达|执行|举证|回避|保全|法院|检察|侦查|强制措施|期限")


@dataclass(frozen=True, slots=True)
class _Day:
    """A day or period at one of its places: its role ('' for a bare one), whether it is part of a series."""

    span: Span
    role: str
    serial: bool


def case_dates(text: str, spans: Sequence[Span]) -> CaseDates:
    """The days of a case.

    Args:
        text: the question, as it was analysed.
        spans: the times that it names, of `analyse(text).spans`.
    """
    folded = _OPTIONS.split(fold_width(text[:LONGEST]))[0]
    days = list(_days(folded, spans))
    if not days:
        # A version that the text names, 刑法(2015修正): its window is what is asked about, unless only options do.
        return CaseDates() if not spans or folded != fold_width(text[:LONGEST]) else _asked(spans)
    bare = [day for day in days if day.role in ("", "acted") and day.span.first > date.min]
    bare = bare or [day for day in days if day.role == "caught"][:1]  # 醉酒驾驶被查获
    if not bare and (asked := [day.span for day in days if day.role == "asked"]):
        return _asked(asked)
    if {(day.span, day.role) for day in days} == {(days[0].span, "")} and _ARTICLE.search(folded):
        return _asked([days[0].span])
    first, last = _conduct(folded, days, bare)
    begins = first or min((day.span.first for day in bare), default=date.min)
    steps = [_end(day.span) for day in days if day.role in ("proceeding", "caught") and _end(day.span) >= begins]
    judged = [_end(day.span) for day in days if day.role == "judged" and _end(day.span) >= begins]
    if not steps and not judged and len(days) == 1 and bare and _PROCEDURE.search(folded):
        steps = [_end(days[0].span)]
    return CaseDates(first, last if last != first else None, max(steps, default=None), max(judged, default=None))


def _conduct(text: str, days: Sequence[_Day], acts: Sequence[_Day]) -> tuple[date | None, date | None]:
    """First and last day of the conduct; None where it is untold or unclear."""
    exact = [day for day in acts if day.serial or day.span.last - day.span.first < ONE_EVENT]
    if not exact:
        alone = {day.span for day in acts}
        span = next(iter(alone)) if len(alone) == 1 and not _PENAL.search(text) else None
        return (span.first, span.last) if span else (None, None)
    first, serial = min(day.span.first for day in exact), [day.span for day in exact if day.serial]
    ends = [span.last for span in serial if span.last < date.max]
    if begun := [span.first for span in serial if span.last == date.max]:
        # Where only its beginning is told, conduct goes on until it is found out.
        ends += [_end(day.span) for day in days if day.role == "caught" and _end(day.span) >= min(begun)]
        if not ends:
            return None, None
    last = max(ends, default=first)
    low = min((span.first for span in serial), default=first)
    single = [day.span.first for day in exact if not day.serial]
    return (None, None) if any(day > last + ONE_MATTER or day < low - ONE_MATTER for day in single) else (first, last)


def _asked(spans: Sequence[Span]) -> CaseDates:
    first, last = min(span.first for span in spans), max(span.last for span in spans)
    return CaseDates(acted=first, acted_until=last, proceeding=last)


def _end(span: Span) -> date:
    return span.last if span.last < date.max else span.first


def _days(text: str, spans: Sequence[Span]) -> Iterator[_Day]:
    """Every place at which a text names one of the spans, with what its sentence says of it."""
    wanted = {(span.first, span.last) for span in spans}
    places = [one for one in periods(text)[0] if (one.first, one.last) in wanted]
    for at, one in enumerate(places):
        last = at
        while last + 1 < len(places) and not text[places[last].end : places[last + 1].start].strip("、,和及与或 "):
            last += 1  # 5月3日和5月4日: what is said behind the second is said of both
        begins, end = places[at - 1].end if at else 0, places[last].end
        ends = places[last + 1].start if last + 1 < len(places) else len(text)
        before = _STOPS.split(text[max(begins, one.start - _REACH) : one.start])[-1]
        after = _STOPS.split(_ASIDE.sub("", text[end : max(end, min(ends, end + _REACH))]))[0]
        span, role = Span(one.first, one.last, one.said), _role(before, after)
        ranged = span.first < span.last and bool(_RANGE.search(span.said))
        role = "acted" if ranged and role in ("proceeding", "caught", "judged") else role
        serial = ranged or span.last == date.max or bool(_SERIES.search(before + after))
        yield _Day(span, role, serial and role in ("", "acted"))


def _role(before: str, after: str) -> str:
    for role, label in _LABEL.items():
        if label.search(before):
            return role
    if before.rstrip().endswith("《") or re.search(r"《[^》]*$", before):
        return "aside"
    if _NOW.search(before) or _ASKED.match(after.lstrip()):
        return "asked"
    found = {role: match.start() for role, cue in _CUES.items() if (match := cue.search(after))}
    role = min(found, key=lambda name: found[name], default="")
    return "aside" if role and _EARLIER.search(before) else role
