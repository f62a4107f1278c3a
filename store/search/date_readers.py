"""How one date may be written in a text, and what reads it: calendar dates, and words that lean on another day.

Each reader takes the match of its pattern and gives the period, or None and perhaps a note; ValueError says that
there is no such date.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from store.statutes.applicable import CaseDates
from store.text.ideographs import HAN
from store.text.numerals import chinese_to_int

HAN_DIGITS = "〇零○一二三四五六七八九"
BLANK = r"[ \t\u00a0]{0,2}"
MONTH = r"(?:1[0-2]|0?[1-9]|\d{2}|十[一二]|[〇零]?[一二三四五六七八九十元正]|[〇零])"
DAY = (
    r"(?:\d{1,2}|[〇零][一二三四五六七八九]|[二三]?十[一二三四五六七八九]?"
    r"|廿[一二三四五六七八九]?|卅一?|初?[一二三四五六七八九十])"
)
"""Patterns of the numerals in a date."""


@dataclass(frozen=True, slots=True)
class Period:
    """A run of days that a text names at [start, end); said: its words; about: its ends are a sensible reading, not
    told."""

    first: date
    last: date
    start: int
    end: int
    said: str
    about: bool = False

    @property
    def is_open(self) -> bool:
        """Whether only one end is named."""
        return self.first == date.min or self.last == date.max


def at(period: Period, match: re.Match[str]) -> Period:
    """The period at the place of its words."""
    return replace(period, start=match.start(), end=match.end(), said=match.group().strip())


def days(first: date, last: date | None = None, *, about: bool = False) -> Period:
    """A day or a run of days, without a place in a text."""
    return Period(first, last or first, 0, 0, "", about)


def months_of(year: int, first: int, last: int) -> Period:
    """The months `first` to `last` of a year, without a place in a text."""
    return days(date(year, first, 1), date(year, last, monthrange(year, last)[1]))


def month_of(year: int, number: int) -> Period:
    """One month of a year; ValueError when there is none of this number."""
    if not 1 <= number <= 12:
        raise ValueError(number)
    return months_of(year, number, number)


def year_part(year: int, part: str) -> Period:
    """年初, 年中, 年底 and the seasons: the first quarter, four months of summer, the last quarter, three months."""
    months = {"初": (1, 3), "中": (5, 8), "春": (3, 5), "夏": (6, 8), "秋": (9, 11)}.get(part, (10, 12))
    if part == "冬":
        return days(date(year, 12, 1), date(year + 1, 3, 1) - _DAY, about=True)
    return replace(months_of(year, *months), about=True)


def tenth_of(period: Period, part: str | None) -> Period:
    """The ten days of a month that 上旬, 中旬, 下旬, 初 or 底 names; the month itself without such a word."""
    if not part:
        return period
    first = {"上": 1, "初": 1, "中": 11}.get(part[0], 21)
    last = {"上旬": 10, "初": 10, "上中旬": 20, "中旬": 20, "中": 20}.get(part, period.last.day)
    about = part in ("初", "底", "末", "中")
    return replace(period, first=period.first.replace(day=first), last=period.last.replace(day=last), about=about)


def widened(period: Period) -> Period:
    """前后 and 左右: a week on both sides of a day or two, a month on both sides of a month, else a year."""
    length = (period.last - period.first).days
    if period.is_open:
        return replace(period, about=True)
    try:
        if length < 27:
            first, last = period.first - 7 * _DAY, period.last + 7 * _DAY
        elif length < 32:
            after = period.last + _DAY
            first, last = (period.first - _DAY).replace(day=1), month_of(after.year, after.month).last
        else:
            first, last = (
                period.first.replace(year=period.first.year - 1),
                period.last.replace(year=period.last.year + 1),
            )
    except (ValueError, OverflowError):
        return replace(period, about=True)
    return replace(period, first=first, last=last, about=True)


def plain_numerals(text: str) -> str:
    """贰零壹陆年陆月 as 二〇一六年六月, where years, months and days are counted; nothing changes its place."""
    return _FORMAL.sub(lambda match: match.group().translate(_PLAIN), text)


def numeral(text: str) -> int | None:
    """A numeral of a date: 2012, 二〇一二, 十二, 廿五, 初三, 元, 正."""
    text = text.removeprefix("初")
    if text.isascii():
        return int(text) if text.isdigit() else None
    if text in ("元", "正"):
        return 1
    if all(character in HAN_DIGITS for character in text):
        return int("".join(str(_DIGITS[character]) for character in text))
    return chinese_to_int(text.replace("廿", "二十").replace("卅", "三十"))


_DAY = timedelta(days=1)
_PLAIN = str.maketrans("零○壹贰貳弍叁參弎肆伍陆陸柒捌玖拾", "〇〇一二二二三三三四五六六七八九十")
_FORMAL = re.compile(r"[零〇○壹贰貳弍叁參弎肆伍陆陸柒捌玖拾]{1,4}(?=[ \t]{0,2}[年月日号])")
_DIGITS = {character: place for character, place in zip(HAN_DIGITS, (0, 0, 0, *range(1, 10)), strict=True)}


_FEASTS: dict[str, tuple[str, int, int, int]] = {
    "元旦": ("solar", 1, 1, 1), "清明": ("solar", 4, 4, 2), "五一": ("solar", 5, 1, 1), "劳动节": ("solar", 5, 1, 1),
    "六一": ("solar", 6, 1, 1), "七一": ("solar", 7, 1, 1), "八一": ("solar", 8, 1, 1), "国庆": ("solar", 10, 1, 7),
    "十一": ("solar", 10, 1, 7), "圣诞": ("solar", 12, 25, 1), "双十一": ("solar", 11, 11, 1),
    "春节": ("lunar", 1, 1, 7), "过年": ("lunar", 1, 1, 7), "除夕": ("eve", 1, 1, 1), "元宵": ("lunar", 1, 15, 1),
    "端午": ("lunar", 5, 5, 1), "七夕": ("lunar", 7, 7, 1), "中秋": ("lunar", 8, 15, 1), "重阳": ("lunar", 9, 9, 1),
    "腊八": ("lunar", 12, 8, 1), "小年": ("lunar", 12, 23, 2),
}  # fmt: skip
"""Name -> calendar, month, day, and how many days it lasts."""

FEAST = "(?:" + "|".join(sorted(_FEASTS, key=len, reverse=True)) + ")(?!月)节?(?:夜|假期|期间|当天|那天|长假)*"
"""Pattern of a feast behind its year."""
_MONTHS = {"正": 1, "冬": 11, "腊": 12}


def feast(year: int, words: str) -> Period:
    """The days of a feast in a year; those of the Chinese calendar by its year. ValueError where that is not
    known."""
    name = max((name for name in _FEASTS if words.startswith(name)), key=len)
    calendar, month, day, length = _FEASTS[name]
    first = date(year, month, day) if calendar == "solar" else _solar(year, month, day)
    first -= timedelta(days=calendar == "eve")
    return days(first, first + timedelta(days=length - 1), about=calendar != "solar" or length > 1)


def lunar_day(year: int, month: str, day: int) -> date | None:
    """A day of the Chinese calendar (month as written: 八, 闰四, 腊); None where there is no such day."""
    number = _MONTHS.get(month) or numeral(month.removeprefix("闰")) or 0
    try:
        return _solar(year, number, day, leap=month.startswith("闰"))
    except ValueError:
        return None


def _solar(year: int, month: int, day: int, *, leap: bool = False) -> date:
    from lunardate import LunarDate  # a table of two centuries, needed by few questions

    day_of_ours: date = LunarDate(year, month, day, leap).to_solar_date()
    return day_of_ours


_YEAR = rf"(?:(?<![\d第])[12]\d{{3}}|(?<![{HAN_DIGITS}])[一二][{HAN_DIGITS}]{{3}})"
_MONTH_PART = r"(?P<tenth>上旬|上中旬|中下旬|中旬|下旬|初|底|末|中(?=[,，。;；、\s]|$))"
_YEAR_PART = (
    r"(?P<half>上半年|下半年)|第?(?P<quarter>[一二三四1-4])季度"
    r"|(?P<part>初|年?底|年?末|中(?=[,，。;；、\s的时]|$)|[春夏秋冬](?=天|季))(?:天|季节?)?"
    rf"|(?:的|那年的?)?(?P<feast>{FEAST})"
)
_LEANING_YEAR = r"大前年|去年|前年|今年|本年度?|明年|后年|同年|当年|该年|次年|翌年|第二年"
_TAIL = (
    rf"(?:{BLANK}(?P<month>{MONTH}){BLANK}月份?(?:{BLANK}(?P<day>{DAY}){BLANK}[日号](?!楼)|{_MONTH_PART})?"
    rf"|{BLANK}(?:{_YEAR_PART}))?"
)
_CALENDAR = re.compile(rf"(?:(?P<year>{_YEAR}){BLANK}年度?|(?P<leaning>{_LEANING_YEAR})的?){_TAIL}")
_SHORT_YEAR = re.compile(
    rf"(?<![\d.\-/第满{HAN_DIGITS}十百刑期])'?(?:(?P<year>\d{{2}}|[{HAN_DIGITS}]{{2}})年(?P<month>{MONTH})月"
    rf"(?:(?P<day>{DAY})[日号]|份)?"
    r"|(?P<old>0\d|[5-9]\d)年(?P<old_part>初|底|末)"
    rf"|(?P<bare>0\d|[89][1-9]|[〇零][{HAN_DIGITS}]|九[一二三四五六七八九])年(?![代限期以之内后前多来]"
    rf"|[{HAN}]?产权))"
)
_SEPARATED = re.compile(
    r"(?<![\d./A-Za-z])(?P<year>(?:19|20)\d\d)(?P<mark>[-./])(?P<month>\d{1,2})(?:(?P=mark)(?P<day>\d{1,2}))?"
    r"(?![\d]|(?P=mark)\d|" + BLANK + r"[万亿元%％米克吨]|[A-Za-z](?<!T))"
)
_COMPACT = re.compile(
    r"(?<![A-Za-z\d.\-/])(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)(?![A-Za-z\d.\-/号元万])"
)
_BLANKED = re.compile(r"(?<!\S)(?P<year>(?:19|20)\d\d) (?P<month>0[1-9]|1[0-2])(?: (?P<day>\d\d))?(?!\S| \d)")
_BARE_YEAR = re.compile(r"(?<!\S)(?P<bare_year>(?:19|20)\d\d)(?!\S)")
_WEEK = re.compile(
    r"(?P<week>上上个?|上个?|这个?|本|下个?)(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天末](?![个份]))?"
)
_LEANING_MONTH = re.compile(
    rf"(?P<word>上个?月|本月|这个月|下个?月|同月|当月|次月)(?:(?P<day>{DAY})[日号]|{_MONTH_PART})?"
)
_LEANING_DAY = re.compile(r"(?P<word>今天|今日|昨天|昨日|前天|明天|同日|当日|次日|翌日|第二天)")
_AGO = re.compile(
    r"(?<![\d.第满几数])(?P<count>\d{1,3}|[一二两三四五六七八九十百]{1,4}|半)(?P<unit>个?年|个月|天|日|周"
    r"|个?星期)(?:多|左右)?(?:之|以)?(?P<side>前|后)(?!期|续)"
)
_RECENT = re.compile(
    r"(?:最?近|过去)(?P<count>\d{1,2}|[一二两三四五六七八九十]{1,2})(?P<unit>年|个月)(?:以?来|内|间)?"
)
_DECADE = re.compile(
    r"(?P<century>上个?世纪|本世纪|(?:1[89]|2[01]|十九|二十一?)世纪)?(?P<decade>(?<!\d)(?:1[89]|20)?\d0"
    rf"|[一二三四五六七八九]十|[{HAN_DIGITS}]{{2}})年代(?P<part>初期?|前期|中期?|末期?|后期)?"
)
_MONTH_DAY = re.compile(rf"(?<![\d.\-/个年第])(?P<month>{MONTH})月(?:(?P<day>{DAY})[日号]|份|{_MONTH_PART})")
_SHARED_YEAR = re.compile(rf"(?P<first>{_YEAR}){BLANK}(?:至|到|-+|—+|~|–|、|或|和){BLANK}(?={_YEAR}{BLANK}年)")
_LUNAR = re.compile(
    rf"(?=[农阴旧正冬腊]|{_YEAR}年[农阴旧正冬腊]|(?:{_YEAR}年)?{MONTH}月(?:初[一二三四五六七八九十]|廿))"
    rf"(?:[农阴旧]历)?{BLANK}(?:(?P<lunar_year>{_YEAR}){BLANK}年)?{BLANK}(?:[农阴旧]历)?"
    rf"(?P<lunar_month>闰?{MONTH}|[正冬腊])月(?P<lunar_day>{DAY})(?:日|号)?"
)
_FEAST_ALONE = re.compile(FEAST + r"(?<=[节夜天期间假])")
_ERA = re.compile(
    rf"[{HAN}]{{0,6}}?(?:[会灾震疫战赛洪]|疫情|非典|新冠|封城|封控|奥运|世博|严打|文革|运动|大革命|开放|解放"
    r"|建国|事件|危机|风波)"
    r"(?:期间|时期|年间|[初中前后]期|前[后夕]|之?[前后](?!军|遗)|当[天年时]|那(?:[年天时]|会儿?|阵子?)|的?时候|时"
    r"|以[来前后])"
    rf"|[{HAN}]{{2,6}}(?<![〇零一二三四五六七八九十纪])年代"
)
"""Times that people name by what happened: known to everybody, and nowhere laid down to the day."""
_VAGUE = re.compile(
    r"小时候|年轻时|(?:上学|上班|当兵|下乡|读书)(?:的?时候?|期间)|[好几多数若干很久十百]{1,3}(?:年|个?月|天|日)?(?:以"
    r"|之)?前|[前早近这头](?:[一两三几些](?:年|个月|天)|一?[阵段])"
    r"|好[几多些]{1,2}年|一段时间(?:以|之)?[前后]|早年|近[来期年]|最近|不久(?:以|之)?前|前不久|[往昔旧]日|往年|从前"
    r"|早先|当初|(?!当年)(?:[那当某]|有一)[几些一]{0,2}(?:年(?!的|度|满)|[天晚]|[月日](?!期)|时候?(?!效)|会儿|阵子?"
    r"|段(?:时间|日子))"
    r"|(?:一审|二审|再审|侦查|审查起诉)期间"
)
_MOMENTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(
            r"(?:案发|行为|作案|犯罪|犯案|事发|事故发生|侵权|违法行为|法律事实发生|签订合同|合同签订"
            r"|合同订立)(?:之?时(?![效间限期常而])|当时|当日|期间)"
        ),
        "acted",
    ),
    (re.compile(r"(?:判决|裁判|审判|宣判|裁决|作出裁判|作出判决)(?:之?时(?![效间限期常而])|当时|当日)"), "judged"),
    (re.compile(r"(?:起诉|立案|审理|诉讼|程序进行|受理)(?:之?时(?![效间限期常而])|当时|当日|期间)"), "proceeding"),
)
NOW = re.compile(r"现行|目前|当前|现在(?!是)|今(?=天|日)")
_CENTURIES = {"上世纪": 1900, "上个世纪": 1900, "本世纪": 2000}
_THIRDS = {"初": 0, "前": 0, "中": 1, "末": 2, "后": 2}
_YEARS_AWAY = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "本年": 0, "本年度": 0, "明年": 1, "后年": 2}
_MONTHS_AWAY = {"上": -1, "本": 0, "这": 0, "下": 1}
_DAYS_AWAY = {"今天": 0, "今日": 0, "昨天": -1, "昨日": -1, "前天": -2, "明天": 1}
_QUARTERS = {"一": 1, "二": 2, "三": 3, "四": 4}


@dataclass(slots=True)
class DateReaderState:
    """What the readers know of a text while it is read from left to right."""

    text: str
    today: date | None
    case: CaseDates
    notes: list[str]
    anchor: date | None = None
    """The first day of the last period: what 同年 and 次月 lean on."""
    later: list[str] = field(default_factory=list)
    """Notes that count only where the text names no day."""

    def note(self, code: str, said: str) -> None:
        """Keep a note on these words."""
        self.notes.append(f"{code}:{said.strip()}")

    def now(self) -> date | None:
        """The day that 去年 and 本月 lean on."""
        return self.today or self.case.judged or self.case.proceeding or self.case.acted


def _calendar(reader: DateReaderState, match: re.Match[str]) -> Period | None:
    leaning = match["leaning"]
    year = _leaning_year(reader, leaning) if leaning else numeral(match["year"])
    if year is None:
        reader.note("relative_date", match.group())
        return None
    return _within_year(year, match)


def _in_month(year: int, match: re.Match[str]) -> Period:
    """A day of a month, ten days of it, or all of it."""
    month = numeral(match["month"]) or 0
    if match["day"]:
        return days(date(year, month, numeral(match["day"]) or 0))
    return tenth_of(month_of(year, month), match.groupdict().get("tenth"))


def _within_year(year: int, match: re.Match[str]) -> Period:
    if match["month"]:
        return _in_month(year, match)
    if match["half"]:
        return months_of(year, 1, 6) if match["half"] == "上半年" else months_of(year, 7, 12)
    if match["quarter"]:
        quarter = _QUARTERS.get(match["quarter"]) or int(match["quarter"])
        return months_of(year, 3 * quarter - 2, 3 * quarter)
    if part := match["part"]:
        return year_part(year, part[-1])
    if match["feast"]:
        return feast(year, match["feast"])
    return months_of(year, 1, 12)


def _leaning_year(reader: DateReaderState, word: str) -> int | None:
    if word in _YEARS_AWAY:
        now = reader.now()
        return now.year + _YEARS_AWAY[word] if now else None
    base = reader.anchor or reader.case.acted
    if base is None:
        return None
    return base.year + (1 if word in ("次年", "翌年", "第二年") else 0)


def _short_year(reader: DateReaderState, match: re.Match[str]) -> Period | None:
    two = numeral(match["year"] or match["old"] or match["bare"])
    if two is None:
        return None
    year = two + (1900 if two >= 50 else 2000)
    if match["old"]:
        return year_part(year, match["old_part"])
    if match["bare"]:
        return months_of(year, 1, 12)
    return _in_month(year, match)


def _bare_year(reader: DateReaderState, match: re.Match[str]) -> Period | None:
    return months_of(int(match["bare_year"]), 1, 12)


def _week(reader: DateReaderState, match: re.Match[str]) -> Period | None:
    base, word = reader.now(), match["week"]
    if base is None:
        reader.note("relative_date", match.group())
        return None
    away = -2 if word.startswith("上上") else {"上": -1, "下": 1}.get(word[0], 0)
    day, last = 0, 6
    if weekday := match["weekday"]:
        day = 5 if weekday == "末" else "一二三四五六日".find(weekday.replace("天", "日"))
        last = 6 if weekday == "末" else day
    monday = base - timedelta(days=base.weekday() - 7 * away)
    return days(monday + timedelta(days=day), monday + timedelta(days=last), about=True)


def _separated(reader: DateReaderState, match: re.Match[str]) -> Period | None:
    year, month = int(match["year"]), int(match["month"])
    if match["day"] is None:
        # 2012.35 and 2012/80 are no months.
        return month_of(year, month) if 1 <= month <= 12 else None
    return days(date(year, month, int(match["day"])))


def _leaning_month(reader: DateReaderState, match: re.Match[str]) -> Period | None:
    word = match["word"]
    away = _MONTHS_AWAY.get(word[0])
    base = reader.now() if away is not None else reader.anchor
    if base is None:
        reader.note("relative_date", match.group())
        return None
    count = base.year * 12 + base.month - 1 + (away if away is not None else int(word == "次月"))
    period = month_of(count // 12, count % 12 + 1)
    if match["day"]:
        return days(period.first.replace(day=numeral(match["day"]) or 0))
    return tenth_of(period, match["tenth"])


def _leaning_day(reader: DateReaderState, match: re.Match[str]) -> Period | None:
    word = match["word"]
    away = _DAYS_AWAY.get(word)
    base = reader.now() if away is not None else reader.anchor
    if base is None:
        if away is not None:
            reader.note("relative_date", match.group())
        return None
    return days(base + timedelta(days=away if away is not None else word in ("次日", "翌日", "第二天")))


def _ago(reader: DateReaderState, match: re.Match[str]) -> Period | None:
    unit, count = match["unit"].removeprefix("个"), numeral(match["count"])
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
            return replace(months_of(base.year + sign * count, 1, 12), about=True)
        if unit == "月":
            months = base.year * 12 + base.month - 1 + sign * count
            return replace(month_of(months // 12, months % 12 + 1), about=True)
        return days(base + timedelta(days=sign * count * (7 if unit in ("周", "星期") else 1)))
    except ValueError:
        return None


def _recent(reader: DateReaderState, match: re.Match[str]) -> Period | None:
    """近两年: that many years or months up to today."""
    base, count = reader.now(), numeral(match["count"])
    if base is None or not count:
        return None
    months = base.year * 12 + base.month - 1 - count * (12 if match["unit"] == "年" else 1)
    first = date(months // 12, months % 12 + 1, min(base.day, 28))
    return days(first, base, about=True)


def _decade(reader: DateReaderState, match: re.Match[str]) -> Period | None:
    value = numeral(match["decade"])
    if value is None:
        return None
    century = match["century"]
    if value < 100:
        if century in _CENTURIES:
            value += _CENTURIES[century]
        elif century:
            value += ((numeral(century.removesuffix("世纪")) or 20) - 1) * 100
        else:
            value += 1900 if value >= 50 else 2000
    if value % 10 or not 1000 <= value <= 2990:
        return None
    first, last = value, value + 9
    if part := match["part"]:
        third = _THIRDS[part[0]]
        first, last = value + (0, 4, 7)[third], value + (3, 6, 9)[third]
    return days(date(first, 1, 1), date(last, 12, 31), about=bool(match["part"]))


def _month_day(reader: DateReaderState, match: re.Match[str]) -> Period | None:
    base = reader.anchor or reader.now()
    return _in_month(base.year, match) if base else None


def _compact(reader: DateReaderState, match: re.Match[str]) -> Period | None:
    try:
        day = date(int(match["year"]), int(match["month"]), int(match["day"]))
    except ValueError:
        reader.note("unclear_time", match.group())
        return None
    return days(day)


def _shared_year(reader: DateReaderState, match: re.Match[str]) -> Period | None:
    """2010 in 2010至2012年."""
    year = numeral(match["first"])
    if year is None:
        return None
    end = match.start("first") + len(match["first"])
    return replace(months_of(year, 1, 12), start=match.start(), end=end, said=match["first"])


def _moment(name: str, reader: DateReaderState, match: re.Match[str]) -> Period | None:
    day: date | None = getattr(reader.case, name)
    if day is None:
        # 签订合同时 and 起诉时 mostly say under which condition; these say which law.
        if match.group().startswith(("案发", "行为", "作案", "判决", "裁判")):
            reader.later.append(f"relative_date:{match.group()}")
        return None
    last = reader.case.ended if name == "acted" and reader.case.ended else day
    return days(day, last)


def present(reader: DateReaderState, match: re.Match[str]) -> Period | None:
    """Today, for 现行 and 目前; None where no day counts as today."""
    return at(days(reader.today), match) if reader.today else None


def _lunar(reader: DateReaderState, match: re.Match[str]) -> Period | None:
    years, near = [numeral(match["lunar_year"])] if match["lunar_year"] else [], reader.anchor
    if near and not years:
        # The last months of a year of that calendar lie in the next one of ours.
        years = [near.year - 1, near.year]
    month, number = match["lunar_month"], numeral(match["lunar_day"]) or 0
    found = [day for year in years if year and (day := lunar_day(year, month, number))]
    day = min(found, key=lambda one: abs(one - near) if near else timedelta(), default=None)
    if day is None:
        reader.note("unclear_time", match.group())
        return None
    return days(day, about=True)


def _era(reader: DateReaderState, match: re.Match[str]) -> Period | None:
    reader.note("unclear_time", match.group())
    return None


def _vague(reader: DateReaderState, match: re.Match[str]) -> Period | None:
    reader.later.append(f"unclear_time:{match.group()}")
    return None


READERS = (
    (_ERA, _era),
    (_LUNAR, _lunar),
    (_SHARED_YEAR, _shared_year),
    (_DECADE, _decade),
    (_CALENDAR, _calendar),
    (_SEPARATED, _separated),
    (_SHORT_YEAR, _short_year),
    (_COMPACT, _compact),
    (_BLANKED, _separated),
    (_BARE_YEAR, _bare_year),
    (_WEEK, _week),
    (_LEANING_MONTH, _leaning_month),
    (_LEANING_DAY, _leaning_day),
    (_AGO, _ago),
    (_RECENT, _recent),
    (_MONTH_DAY, _month_day),
    (_VAGUE, _vague),
    (_FEAST_ALONE, _vague),
    *((pattern, lambda reader, match, name=name: _moment(name, reader, match)) for pattern, name in _MOMENTS),
)
"""How a date may be written, and what reads it; where two begin at one place the earlier row is asked first."""
