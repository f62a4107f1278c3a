"""Sums, days and rates in what is said in court, and the arithmetic of a judgment. Yuan with cents; rates a year.

Interest of whole months is a twelfth of the yearly rate each, of other spans the days over 365, both ends included.
"""

from __future__ import annotations

import calendar
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from importlib.resources import files

from store.text.normalise import fold_width
from store.text.numerals import chinese_to_int, to_decimal

_SUM = re.compile(
    r"(?P<n>(?<![0-9.,])[0-9][0-9,]{0,15}(?:\.[0-9]{1,2})? ?[万亿]?|[一二三四五六七八九十百千万两壹贰叁肆伍陆柒捌玖拾佰仟]{1,16}) ?(?:余)?元"
)
_DAY = re.compile(r"(?P<y>[0-9]{4}) ?年 ?(?P<m>[0-9]{1,2}) ?月 ?(?P<d>[0-9]{1,2}) ?[日号]")
_NOTE = re.compile(r"\([^()]{0,300}\)")
_GOES_ON = re.compile(
    r"[,;]?(?:并|以及|及)?(?:支付|给付)?自[^,;。]{0,30}(?:起|日)[^,;。]{0,12}(?:实际|清偿|付清|还清|履行)"
    r"|[,;](?:并|以及|及)?(?:支付|给付)?(?:此后|之后|其后)[^;。]{0,60}?(?:实际|清偿|付清|还清|履行)"
)
_NO_CLAIM = re.compile(r"^(?:为(?:基数|本金|限)|的(?:[一二三四五六七八九十两0-9]|利息|基数|标准)|/|每)")
_ACT = re.compile(r"办理|协助|配合|出具|腾退|停止|排除|恢复原状|更换")
_PAY = re.compile(r"支付|给付|返还|退还|归还|偿还|赔偿|补偿|清偿|交纳")
_TOTAL = re.compile(r"(?:合计|共计|总计|共)(?:人民币)?:?$")
_BASE = re.compile(r"以(?P<base>[^,;。以]{1,24}?元)(?:[^,;。以]{0,8})为(?:基数|本金)")
_TIMES_BASE = re.compile(r"(?P<base>[0-9][0-9,.]* ?万?元) ?[×x*] ?(?:年|月|日)?(?:利率|息)?[0-9.]+ ?%")
_NUMBER_DAY = re.compile(
    r"(?P<y>[〇零一二三四五六七八九]{4})年(?P<m>[一二三四五六七八九十]{1,3})月(?P<d>[一二三四五六七八九十]{1,3})[日号]"
)
_PLAIN_DAY = re.compile(
    r"(?<![0-9])(?P<y>(?:19|20)[0-9]{2})(?P<s>[-./])(?P<m>[0-9]{1,2})(?P=s)(?P<d>[0-9]{1,2})(?![0-9])"
)
_SAME_YEAR = re.compile(
    r"(?P<y>[0-9]{4})年(?P<m>[0-9]{1,2})月(?P<d>[0-9]{1,2})日(?:起)?(?P<to>至|到)(?P<m2>[0-9]{1,2})月(?=[0-9]{1,2}日)"
)
_SHARE = re.compile(r"(?P<n>[0-9]{1,3}(?:\.[0-9]+)?) ?%")
_RATES: tuple[tuple[re.Pattern[str], float], ...] = (
    (re.compile(r"(?:年利率|年息|年化|年)[^0-9,。;]{0,6}(?P<n>[0-9.]{1,6}) ?%"), 0.01),
    (re.compile(r"(?:月利率|月息|每月按?)[^0-9,。;]{0,4}(?P<n>[0-9.]{1,6}) ?%"), 0.12),
    (re.compile(r"月息(?P<n>[0-9.]{1,3}|[一二两三四五]) ?分"), 0.12),
    (re.compile(r"(?:每?日|每天|按日)[^0-9,。;]{0,6}千分之(?P<n>[0-9一二三四五六七八九])"), 0.365),
    (re.compile(r"(?:每?日|每天|按日)[^0-9,。;]{0,6}万分之(?P<n>[0-9一二三四五六七八九])"), 0.0365),
)
_LPR = re.compile(r"LPR|贷款市场报价利率")
_TIMES = re.compile(r"(?P<n>[0-9.]+|[两二三四]) ?倍|加计?(?P<more>[0-9]{1,3}) ?%")


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum in a text: yuan, its place, and the words around it."""

    yuan: float
    start: int
    end: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Span:
    """A base on which interest runs from the first to the last day, both included."""

    base: float
    first: date
    last: date


def sums(text: str) -> list[Sum]:
    """The sums of a text in their order; half-width text is expected for offsets to hold."""
    found = []
    for match in _SUM.finditer(text):
        value = to_decimal(match["n"].replace(" ", ""))
        if value is not None and value > 0:
            start, end = match.span()
            found.append(Sum(float(value), start, end, text[max(0, start - 12) : start], text[end : end + 12]))
    return found


def claimed(text: str) -> float | None:
    """What a claim asks for as far as it is reckoned: the total it names, else its last sum outside of notes."""
    plain = _NOTE.sub("", fold_width(text))
    if match := _GOES_ON.search(plain):
        plain = plain[: match.start()] or plain
    found = [one for one in sums(plain) if not _NO_CLAIM.match(one.after)]
    if found and _ACT.search(plain[: found[0].start]) and not _PAY.search(plain[: found[0].start]):
        return None
    total = next((one.yuan for one in found if _TOTAL.search(one.before)), None)
    return total if total is not None else found[-1].yuan if found else None


def yuan(value: float) -> str:
    """13679.14元, 9339.80元, 8000元."""
    text = f"{round(value + 1e-9, 2):.2f}".removesuffix(".00")
    return f"{text}元"


def cents(value: float) -> float:
    """Rounded to cents, half up."""
    return round(value + 1e-9, 2)


def days(text: str) -> list[date]:
    """The days of a text in their order; what is no day of the calendar is left out."""
    return [day for day, _ in _days(text)]


def chinese(day: date) -> str:
    """2024年6月14日."""
    return f"{day.year}年{day.month}月{day.day}日"


def rate(text: str, on: date | None = None) -> float | None:
    """The yearly rate that a text names; of the loan prime rate as published before a day."""
    plain = fold_width(text)
    for pattern, unit in _RATES:
        if match := pattern.search(plain):
            value = to_decimal(match["n"])
            return float(value) * unit if value is not None else None
    if (match := _LPR.search(plain)) and on is not None and (prime := lpr(on)) is not None:
        times = _TIMES.search(plain[match.end() : match.end() + 12])
        if times is None:
            return prime
        if times["more"]:
            return prime * (1 + int(times["more"]) / 100)
        value = to_decimal(times["n"])
        return prime * float(value) if value is not None else prime
    return None


def shares(text: str) -> list[float]:
    """The percentages of a text as shares of one."""
    return [float(match["n"]) / 100 for match in _SHARE.finditer(fold_width(text))]


def spans(text: str) -> list[Span]:
    """The bases and spans by which a claim reckons interest: 以X元为基数自…计算至…; spans without an end share the last."""
    plain = _written(fold_width(text))
    if match := _GOES_ON.search(plain):
        plain = plain[: match.start()] or plain
    bases = list(_BASE.finditer(plain))
    dated = _days(plain)
    if not bases:
        return _by_product(plain, [day for day, _ in dated])
    if not dated:
        return []
    if dated[0][1] < bases[0].start():
        edges = [0, *(match.end() for match in bases)]
        own = [
            [day for day, at in dated if first <= at < last] for first, last in zip(edges, edges[1:], strict=False)
        ]
        listed = list(zip(bases, own, strict=True))
        if all(len(days) > 1 for _, days in listed):
            named = [(sums(match["base"]), days) for match, days in listed]
            return [Span(base[0].yuan, days[0], days[-1]) for base, days in named if base and days[-1] > days[0]]
    found = []
    for number, match in enumerate(bases):
        until = bases[number + 1].start() if number + 1 < len(bases) else len(plain)
        mine = [day for day, at in dated if match.end() <= at < until]
        base = sums(match["base"])
        if not base or not mine:
            continue
        last = mine[1] if len(mine) > 1 else dated[-1][0]
        if last > mine[0]:
            found.append(Span(base[0].yuan, mine[0], last))
    return found


def _by_product(plain: str, dated: Sequence[date]) -> list[Span]:
    """A span that is reckoned as a product: 自…至…的利息 (250000元×月利率2%×7个月)."""
    match = _TIMES_BASE.search(plain)
    base = sums(match["base"]) if match else []
    return [Span(base[0].yuan, dated[0], dated[1])] if base and len(dated) > 1 and dated[0] < dated[1] else []


def reduced(found: Sequence[Span], less: float) -> list[Span]:
    """The spans on bases that are less by a sum: each of spans that follow one another, the first of parallel ones."""
    if not less or not found:
        return list(found)
    parallel = any(
        one.first <= two.last and two.first <= one.last for one, two in zip(found, found[1:], strict=False)
    )
    return [
        replace(span, base=max(0.0, span.base - less)) if place == 0 or not parallel else span
        for place, span in enumerate(found)
    ]


def interest(base: float, yearly: float, first: date, last: date) -> float:
    """Interest from the first to the last day, both included."""
    if months := _months(first, last + timedelta(days=1)):
        return base * yearly / 12 * months
    return base * yearly * ((last - first).days + 1) / 365


def prime_interest(span: Span) -> float:
    """Interest at the prime rate of each day, as it was published."""
    total, first = 0.0, span.first
    for until in [*turns(span)[1:], span.last + timedelta(days=1)]:
        total += interest(span.base, lpr(first) or 0.0, first, until - timedelta(days=1))
        first = until
    return total


def turns(span: Span) -> list[date]:
    """The first day of a span and the days on which the prime rate changed in it."""
    return [span.first, *(since for since, _ in _primes() if span.first < since <= span.last)]


def prime_of(day: date) -> tuple[date, float] | None:
    """The prime rate that held on a day, with the day of its publication; None before there was one."""
    return next((entry for entry in reversed(_primes()) if entry[0] <= day), None)


def lpr(day: date) -> float | None:
    """The one-year loan prime rate that was last published on a day; None before there was one."""
    known = [value for since, value in _primes() if since <= day]
    return known[-1] if known else None


@cache
def _primes() -> tuple[tuple[date, float], ...]:
    data = tomllib.loads(files(__package__).joinpath("points.toml").read_text(encoding="utf-8"))
    return tuple((entry["since"], entry["percent"] / 100) for entry in data["lpr"])


def _days(text: str) -> list[tuple[date, int]]:
    return list(_dated(_written(fold_width(text))))


def _written(text: str) -> str:
    """Days in one form: 二〇二三年九月五日 and 2023-09-05 become 2023年9月5日; 至5月8日 takes the year that goes before."""
    plain = _PLAIN_DAY.sub(lambda m: f"{m['y']}年{m['m']}月{m['d']}日", text)
    plain = _NUMBER_DAY.sub(_in_figures, plain)
    return _SAME_YEAR.sub(
        lambda m: f"{m[0][: m.start('m2') - m.start()]}{int(m['y']) + (int(m['m2']) < int(m['m']))}年{m['m2']}月",
        plain,
    )


def _in_figures(match: re.Match[str]) -> str:
    year = "".join(str("零一二三四五六七八九".index(sign.replace("〇", "零"))) for sign in match["y"])
    return f"{year}年{chinese_to_int(match['m']) or 0}月{chinese_to_int(match['d']) or 0}日"


def _dated(text: str) -> Iterator[tuple[date, int]]:
    for match in _DAY.finditer(text):
        try:
            yield date(int(match["y"]), int(match["m"]), int(match["d"])), match.start()
        except ValueError:
            continue


def _months(first: date, after: date) -> int:
    """Whole months from a day to the day after the last; 0 where they are not whole."""
    months = (after.year - first.year) * 12 + after.month - first.month
    if months <= 0:
        return 0
    year, month = divmod(first.month - 1 + months, 12)
    day = min(first.day, calendar.monthrange(first.year + year, month + 1)[1])
    return months if date(first.year + year, month + 1, day) == after else 0
