"""Which days a text speaks of: years, months, days, ranges, and words that lean on another day (次年, 三年前, 案发时).

A period is a run of days, both ends inclusive. 以前, 之前 and 前 leave the named period out; 以后, 起 and 以来 keep it in. 年初 and 年底
are read as the first and last quarter, 月初 and 月底 as ten days: wide enough for what people mean. Years of case and
document numbers, money and durations (有期徒刑三年) are no days. A date that does not exist (2015年2月30日), a range that runs backwards and a
word that leans on nothing give a note, never an error. Offsets are in characters of the given text, width folded.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from store.statutes.applicable import CaseDates
from store.text.numerals import chinese_to_int

MOST = 64
"""Periods of a text that are looked at."""
_DAY = timedelta(days=1)

_CN = "〇零○一二三四五六七八九"
_B = r"[ \t\u00a0]{0,2}"
_MONTH = r"(?:1[0-2]|0?[1-9]|\d{2}|十[一二]|[一二三四五六七八九十元正])"
_DAYNUM = r"(?:\d{1,2}|[二三]?十[一二三四五六七八九]?|廿[一二三四五六七八九]?|卅一?|初?[一二三四五六七八九十])"
_YEAR = rf"(?:(?<![\d第])[12]\d{{3}}|(?<![{_CN}])[一二][{_CN}]{{3}})"
_MONTH_PART = r"(?P<tenth>上旬|中旬|下旬|初|底|末|中(?=[,，。;；、\s]|$))"
_YEAR_PART = (
    r"(?P<half>上半年|下半年)|第?(?P<quarter>[一二三四1-4])季度"
    r"|(?P<part>初|年?底|年?末|中(?=[,，。;；、\s的时]|$))"
)
_LEANING_YEAR = r"大前年|去年|前年|今年|本年度?|明年|后年|同年|当年|该年|次年|翌年|第二年"
_TAIL = rf"(?:{_B}(?P<month>{_MONTH}){_B}月份?(?:{_B}(?P<day>{_DAYNUM}){_B}[日号](?!楼)|{_MONTH_PART})?|{_B}(?:{_YEAR_PART}))?"
_CALENDAR = re.compile(rf"(?:(?P<year>{_YEAR}){_B}年度?|(?P<leaning>{_LEANING_YEAR})的?){_TAIL}")
_SHORT_YEAR = re.compile(
    rf"(?<![\d.\-/第满{_CN}十百])(?P<year>\d{{2}}|[{_CN}]{{2}})年(?P<month>{_MONTH})月(?P<day>{_DAYNUM})[日号]"
    rf"|(?<![\d.\-/第满])(?P<old>0\d|[5-9]\d)年(?:(?P<old_month>{_MONTH})月份?|(?P<old_part>初|底|末))"
)
_SEPARATED = re.compile(
    r"(?<![\d./A-Za-z])(?P<year>(?:19|20)\d\d)(?P<mark>[-./])(?P<month>\d{1,2})(?:(?P=mark)(?P<day>\d{1,2}))?"
    r"(?![\d]|(?P=mark)\d|" + _B + r"[万亿元%％米克吨]|[A-Za-z](?<!T))"
)
_COMPACT = re.compile(
    r"(?<![A-Za-z\d.\-/])(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])(?![A-Za-z\d.\-/号元万])"
)
_LEANING_MONTH = re.compile(rf"(?P<word>上个?月|本月|这个月|下个?月|同月|当月|次月)(?:(?P<day>{_DAYNUM})[日号])?")
_LEANING_DAY = re.compile(r"(?P<word>今天|今日|昨天|昨日|前天|明天|同日|当日|次日|翌日|第二天)")
_AGO = re.compile(
    r"(?<![\d.第满])(?P<count>\d{1,3}|[一二两三四五六七八九十百]{1,4}|半)(?P<unit>个?年|个月|天|日|周|个?星期)(?:多|左右)?(?:之|以)?(?P<side>前|后)(?!期|续)"
)
_DECADE = re.compile(
    rf"(?P<century>上个?世纪|本世纪|(?:1[89]|2[01]|十九|二十一?)世纪)?(?P<decade>(?<!\d)(?:1[89]|20)?\d0|[一二三四五六七八九]十|[{_CN}]{{2}})年代(?P<part>初期?|前期|中期?|末期?|后期)?"
)
_MONTH_DAY = re.compile(rf"(?<![\d.\-/个年第])(?P<month>{_MONTH})月(?:(?P<day>{_DAYNUM})[日号]|份|{_MONTH_PART})")
_SHARED_YEAR = re.compile(rf"(?P<first>{_YEAR}){_B}(?:至|到|-+|—+|~|–){_B}(?={_YEAR}{_B}年)")
_NOW = re.compile(r"现行|目前|当前|现在(?!是)|今(?=天|日)")
_MOMENTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(
            r"(?:案发|行为|作案|犯罪|犯案|事发|事故发生|侵权|违法行为|法律事实发生|签订合同|合同签订|合同订立)(?:之?时(?![效间限期常而])|当时|当日|期间)"
        ),
        "acted",
    ),
    (re.compile(r"(?:判决|裁判|审判|宣判|裁决|作出裁判|作出判决)(?:之?时(?![效间限期常而])|当时|当日)"), "judged"),
    (re.compile(r"(?:起诉|立案|审理|诉讼|程序进行|受理)(?:之?时(?![效间限期常而])|当时|当日|期间)"), "proceeding"),
)
_NUMBERS = re.compile(
    r"[(\[〔【]\s*[12]\d{3}\s*年?\s*[)\]〕】][^,，。;；\s]{0,24}?号|[12]\d{3}年第\s*[\d一二三四五六七八九十百]{1,6}\s*[号期]"
)
"""Numbers of cases, documents and gazettes: (2015)民初字第12号, 法释〔2015〕12号, 公告2015年第12号."""

_CLOCK = r"(?:\s{0,2}(?:凌晨|早上|上午|中午|下午|傍晚|晚上?|夜间?|深夜)?\s{0,2}(?:\d{1,2}[时点:](?:\d{1,2}分?)?(?:许|左右)?)?)"
_JOINS = re.compile(rf"^{_CLOCK}\s{{0,2}}(?:起|开始)?\s{{0,2}}(?:至|到|-+|—+|~|–){_CLOCK}\s{{0,2}}$")
_JOINED_REST = re.compile(
    rf"{_CLOCK}{_B}(?:起|开始)?{_B}(?:至|到|-+|—+|~|–){_B}(?:(?P<month>{_MONTH})月份?(?:(?P<day>{_DAYNUM})[日号])?|(?P<only>{_DAYNUM})[日号])"
)
_BEFORE = re.compile(
    rf"{_B}(?:之前|以前|(?:及其?)?以前|前(?!后|述|款|项|科|夫|妻|期|往|来|去|置|身|提|列|例|一|半|几|任))"
)
_AFTER = re.compile(
    rf"{_B}(?:及?以后|之后|以来|后(?!期|来|续|果|半|者|几|被|年)|起(?!诉|草|义|步|源|初|点|止|因|来|获|床|火|争)|开始|至今|到现在|迄今)"
)
_ENDS = re.compile(r"^\s{0,2}(?:及其?)?$")
_CENTURIES = {"上世纪": 1900, "上个世纪": 1900, "本世纪": 2000}
_THIRDS = {"初": 0, "前": 0, "中": 1, "末": 2, "后": 2}
_YEARS_AWAY = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "本年": 0, "本年度": 0, "明年": 1, "后年": 2}
_MONTHS_AWAY = {"上": -1, "本": 0, "这": 0, "下": 1}
_DAYS_AWAY = {"今天": 0, "今日": 0, "昨天": -1, "昨日": -1, "前天": -2, "明天": 1}
_QUARTERS = {"一": 1, "二": 2, "三": 3, "四": 4}


@dataclass(frozen=True, slots=True)
class Period:
    """A run of days that a text names at [start, end); said: its words."""

    first: date
    last: date
    start: int
    end: int
    said: str

    @property
    def is_open(self) -> bool:
        """Whether only one end is named."""
        return self.first == date.min or self.last == date.max


@dataclass(slots=True)
class _Reader:
    text: str
    today: date | None
    case: CaseDates
    notes: list[str]
    anchor: date | None = None
    """The first day of the last period: what 同年 and 次月 lean on."""

    def note(self, code: str, said: str) -> None:
        self.notes.append(f"{code}:{said.strip()}")

    def now(self) -> date | None:
        return self.today or self.case.judged or self.case.proceeding or self.case.acted


def periods(text: str, *, today: date | None = None, case: CaseDates | None = None) -> tuple[list[Period], list[str]]:
    """The periods of a text in its order, and notes: no_such_date:…, reversed_range:…, relative_date:… (leans on nothing)."""
    reader = _Reader(text, today, case or CaseDates(), [])
    masked = _NUMBERS.sub(lambda match: "#" * len(match.group()), text)
    reader.text = masked
    single = _single(reader, masked)
    joined = _joined(reader, single)
    return joined[:MOST], list(dict.fromkeys(reader.notes))


def _single(reader: _Reader, text: str) -> list[Period]:
    """Every period by itself, from left to right, so that 次年 leans on what stands before it."""
    matches: list[tuple[int, int, int, re.Match[str]]] = []
    for order, (pattern, _) in enumerate(_READERS):
        matches += [(match.start(), order, -match.end(), match) for match in pattern.finditer(text)]
    matches.sort(key=lambda entry: entry[:3])
    found: list[Period] = []
    reached = 0
    for start, order, _, match in matches:
        if start < reached:
            continue
        period = _READERS[order][1](reader, match)
        if period is None:
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
        found = [period for match in list(_NOW.finditer(text))[:1] if (period := _present(reader, match))]
    return found


def _joined(reader: _Reader, single: Sequence[Period]) -> list[Period]:
    """Ranges of two periods become one, and 以前 and 以后 open an end."""
    text = reader.text
    found: list[Period] = []
    place = 0
    while place < len(single):
        period = single[place]
        following = single[place + 1] if place + 1 < len(single) else None
        if following is not None and _JOINS.match(text[period.end : following.start]):
            place += 1
            said = text[period.start : following.end]
            if following.last < period.first:
                reader.note("reversed_range", said)
                place += 1
                continue
            period = Period(period.first, max(period.last, following.last), period.start, following.end, said)
        elif match := _BEFORE.match(text, period.end):
            period = _before(period, text, match.end())
        elif match := _AFTER.match(text, period.end):
            last = reader.today if reader.today and "今" in match.group() else None
            last = last if last and last >= period.first else date.max
            period = replace(period, last=last, end=match.end(), said=text[period.start : match.end()])
        found.append(period)
        place += 1
    return found


def _before(period: Period, text: str, end: int) -> Period:
    last = period.first - _DAY if period.first > date.min else period.first
    return replace(period, first=date.min, last=last, end=end, said=text[period.start : end])


def _rest(period: Period, match: re.Match[str]) -> Period | None:
    """The second half of a range that leaves out what both halves share."""
    first = period.first
    try:
        if match["only"]:
            day = first.replace(day=_whole(match["only"]) or 0)
            return Period(day, day, match.start("only"), match.end(), match.group())
        month = _whole(match["month"]) or 0
        if match["day"]:
            day = first.replace(month=month, day=_whole(match["day"]) or 0)
            return Period(day, day, match.start("month"), match.end(), match.group())
        return replace(_month(first.year, month), start=match.start("month"), end=match.end(), said=match.group())
    except ValueError:
        return None


def _calendar(reader: _Reader, match: re.Match[str]) -> Period | None:
    leaning = match["leaning"]
    year = _leaning_year(reader, leaning) if leaning else _whole(match["year"])
    if year is None:
        reader.note("relative_date", match.group())
        return None
    try:
        period = _within_year(year, match)
    except ValueError:
        reader.note("no_such_date", match.group())
        return None
    return _at(period, match)


def _within_year(year: int, match: re.Match[str]) -> Period:
    if match["month"]:
        month = _whole(match["month"]) or 0
        if match["day"]:
            day = date(year, month, _whole(match["day"]) or 0)
            return Period(day, day, 0, 0, "")
        return _tenth(_month(year, month), match["tenth"])
    if match["half"]:
        return _months(year, 1, 6) if match["half"] == "上半年" else _months(year, 7, 12)
    if match["quarter"]:
        quarter = _QUARTERS.get(match["quarter"]) or int(match["quarter"])
        return _months(year, 3 * quarter - 2, 3 * quarter)
    if part := match["part"]:
        return _year_part(year, part[-1])
    return _months(year, 1, 12)


def _year_part(year: int, part: str) -> Period:
    return {"初": _months(year, 1, 3), "中": _months(year, 5, 8)}.get(part) or _months(year, 10, 12)


def _leaning_year(reader: _Reader, word: str) -> int | None:
    if word in _YEARS_AWAY:
        now = reader.now()
        return now.year + _YEARS_AWAY[word] if now else None
    base = reader.anchor or reader.case.acted or (reader.today if word == "当年" else None)
    if base is None:
        return None
    return base.year + (1 if word in ("次年", "翌年", "第二年") else 0)


def _short_year(reader: _Reader, match: re.Match[str]) -> Period | None:
    two = _whole(match["year"] or match["old"])
    if two is None:
        return None
    year = two + (1900 if two >= 50 else 2000)
    try:
        if match["year"]:
            day = date(year, _whole(match["month"]) or 0, _whole(match["day"]) or 0)
            return _at(Period(day, day, 0, 0, ""), match)
        if match["old_month"]:
            return _at(_month(year, _whole(match["old_month"]) or 0), match)
        return _at(_year_part(year, match["old_part"]), match)
    except ValueError:
        reader.note("no_such_date", match.group())
        return None


def _separated(reader: _Reader, match: re.Match[str]) -> Period | None:
    year, month = int(match["year"]), int(match["month"])
    if match["day"] is None:
        # 2012.35 and 2012/80 are no months.
        return _at(_month(year, month), match) if 1 <= month <= 12 else None
    try:
        day = date(year, month, int(match["day"]))
    except ValueError:
        reader.note("no_such_date", match.group())
        return None
    return _at(Period(day, day, 0, 0, ""), match)


def _leaning_month(reader: _Reader, match: re.Match[str]) -> Period | None:
    word = match["word"]
    away = _MONTHS_AWAY.get(word[0])
    base = reader.now() if away is not None else reader.anchor
    if base is None:
        reader.note("relative_date", match.group())
        return None
    count = base.year * 12 + base.month - 1 + (away if away is not None else int(word == "次月"))
    try:
        period = _month(count // 12, count % 12 + 1)
        if match["day"]:
            day = period.first.replace(day=_whole(match["day"]) or 0)
            period = Period(day, day, 0, 0, "")
    except ValueError:
        reader.note("no_such_date", match.group())
        return None
    return _at(period, match)


def _leaning_day(reader: _Reader, match: re.Match[str]) -> Period | None:
    word = match["word"]
    away = _DAYS_AWAY.get(word)
    base = reader.now() if away is not None else reader.anchor
    if base is None:
        if away is not None:
            reader.note("relative_date", match.group())
        return None
    return _moved(base, away if away is not None else int(word in ("次日", "翌日", "第二天")), match)


def _ago(reader: _Reader, match: re.Match[str]) -> Period | None:
    unit, count = match["unit"].removeprefix("个"), _whole(match["count"])
    sign = -1 if match["side"] == "前" else 1
    base = reader.now() if sign < 0 else reader.anchor or reader.now()
    if base is None:
        # Without a day to lean on these are mostly terms: 三日后, 十五日前.
        return None
    try:
        if match["count"] == "半":
            unit, count = ("月", 6) if unit == "年" else ("天", 15)
        if count is None:
            return None
        if unit == "年":
            return _at(_months(base.year + sign * count, 1, 12), match)
        if unit == "月":
            months = base.year * 12 + base.month - 1 + sign * count
            return _at(_month(months // 12, months % 12 + 1), match)
        return _moved(base, sign * count * (7 if unit in ("周", "星期") else 1), match)
    except ValueError:
        return None


def _moved(base: date, days: int, match: re.Match[str]) -> Period | None:
    try:
        day = base + timedelta(days=days)
    except OverflowError:
        return None
    return _at(Period(day, day, 0, 0, ""), match)


def _decade(reader: _Reader, match: re.Match[str]) -> Period | None:
    value = _whole(match["decade"])
    if value is None:
        return None
    century = match["century"]
    if value < 100:
        if century in _CENTURIES:
            value += _CENTURIES[century]
        elif century:
            value += ((_whole(century.removesuffix("世纪")) or 20) - 1) * 100
        else:
            value += 1900 if value >= 50 else 2000
    if value % 10 or not 1000 <= value <= 2990:
        return None
    first, last = value, value + 9
    if part := match["part"]:
        third = _THIRDS[part[0]]
        first, last = value + (0, 4, 7)[third], value + (3, 6, 9)[third]
    return _at(Period(date(first, 1, 1), date(last, 12, 31), 0, 0, ""), match)


def _month_day(reader: _Reader, match: re.Match[str]) -> Period | None:
    base = reader.anchor or reader.now()
    if base is None:
        return None
    try:
        month = _whole(match["month"]) or 0
        if match["day"]:
            day = date(base.year, month, _whole(match["day"]) or 0)
            return _at(Period(day, day, 0, 0, ""), match)
        return _at(_tenth(_month(base.year, month), match["tenth"]), match)
    except ValueError:
        reader.note("no_such_date", match.group())
        return None


def _compact(reader: _Reader, match: re.Match[str]) -> Period | None:
    try:
        day = date(int(match["year"]), int(match["month"]), int(match["day"]))
    except ValueError:
        return None
    return _at(Period(day, day, 0, 0, ""), match)


def _shared_year(reader: _Reader, match: re.Match[str]) -> Period | None:
    """2010 in 2010至2012年."""
    year = _whole(match["first"])
    if year is None:
        return None
    end = match.start("first") + len(match["first"])
    return replace(_months(year, 1, 12), start=match.start(), end=end, said=match["first"])


def _moment(name: str, reader: _Reader, match: re.Match[str]) -> Period | None:
    day: date | None = getattr(reader.case, name)
    if day is None:
        # 签订合同时 and 起诉时 mostly say under which condition; these say which law.
        if match.group().startswith(("案发", "行为", "作案", "判决", "裁判")):
            reader.note("relative_date", match.group())
        return None
    last = reader.case.ended if name == "acted" and reader.case.ended else day
    return _at(Period(day, last, 0, 0, ""), match)


def _present(reader: _Reader, match: re.Match[str]) -> Period | None:
    return _at(Period(reader.today, reader.today, 0, 0, ""), match) if reader.today else None


_READERS = (
    (_SHARED_YEAR, _shared_year),
    (_DECADE, _decade),
    (_CALENDAR, _calendar),
    (_SEPARATED, _separated),
    (_SHORT_YEAR, _short_year),
    (_COMPACT, _compact),
    (_LEANING_MONTH, _leaning_month),
    (_LEANING_DAY, _leaning_day),
    (_AGO, _ago),
    (_MONTH_DAY, _month_day),
    *((pattern, lambda reader, match, name=name: _moment(name, reader, match)) for pattern, name in _MOMENTS),
)
"""How a date may be written, and what reads it; where two begin at one place the earlier row is asked first."""


def _at(period: Period, match: re.Match[str]) -> Period:
    return replace(period, start=match.start(), end=match.end(), said=match.group().strip())


def _months(year: int, first: int, last: int) -> Period:
    return Period(date(year, first, 1), date(year, last, monthrange(year, last)[1]), 0, 0, "")


def _month(year: int, month: int) -> Period:
    if not 1 <= month <= 12:
        raise ValueError(month)
    return _months(year, month, month)


def _tenth(month: Period, part: str | None) -> Period:
    if not part:
        return month
    first = {"上": 1, "初": 1, "中": 11}.get(part[0], 21)
    last = month.last.day if first == 21 else first + 9
    return replace(month, first=month.first.replace(day=first), last=month.first.replace(day=last))


def _whole(text: str) -> int | None:
    """A numeral of a date: 2012, 二〇一二, 十二, 廿五, 初三, 元, 正."""
    text = text.removeprefix("初")
    if text.isascii():
        return int(text) if text.isdigit() else None
    if text in ("元", "正"):
        return 1
    if all(character in _CN for character in text):
        return int("".join(str(_DIGITS[character]) for character in text))
    return chinese_to_int(text.replace("廿", "二十").replace("卅", "三十"))


_DIGITS = {character: place for character, place in zip(_CN, (0, 0, 0, *range(1, 10)), strict=True)}
