"""Sums and days in what is said in court. Yuan with cents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from store.text.normalise import fold_width
from store.text.numerals import chinese_to_int, to_decimal

_SUM = re.compile(
    r"(?P<n>(?<![0-9.,])[0-9][0-9,]{0,15}(?:\.[0-9]{1,2})? ?[万亿]?|[一二三四五六七八九十百千万两壹贰叁肆伍陆柒捌玖拾佰仟]{1,16}) ?(?:余)?元"
)
_DAY = re.compile(r"(?P<y>[0-9]{4}) ?年 ?(?P<m>[0-9]{1,2}) ?月 ?(?P<d>[0-9]{1,2}) ?[日号]")
_NOTE = re.compile(r"\([^()]{0,300}\)")
GOES_ON = re.compile(
    r"[,;]?(?:并|以及|及)?(?:支付|给付)?自[^,;。]{0,30}(?:起|日)[^,;。]{0,12}(?:实际|清偿|付清|还清|履行)"
    r"|[,;](?:并|以及|及)?(?:支付|给付)?(?:此后|之后|其后)[^;。]{0,60}?(?:实际|清偿|付清|还清|履行)"
)
_NO_CLAIM = re.compile(r"^(?:为(?:基数|本金|限)|的(?:[一二三四五六七八九十两0-9]|利息|基数|标准)|/|每)")
_ACT = re.compile(r"办理|协助|配合|出具|腾退|停止|排除|恢复原状|更换")
_PAY = re.compile(r"支付|给付|返还|退还|归还|偿还|赔偿|补偿|清偿|交纳")
_TOTAL = re.compile(r"(?:合计|共计|总计|共)(?:人民币)?:?$")
_NUMBER_DAY = re.compile(
    r"(?P<y>[〇零一二三四五六七八九]{4})年(?P<m>[一二三四五六七八九十]{1,3})月(?P<d>[一二三四五六七八九十]{1,3})[日号]"
)
_PLAIN_DAY = re.compile(
    r"(?<![0-9])(?P<y>(?:19|20)[0-9]{2})(?P<s>[-./])(?P<m>[0-9]{1,2})(?P=s)(?P<d>[0-9]{1,2})(?![0-9])"
)
_SAME_YEAR = re.compile(
    r"(?P<y>[0-9]{4})年(?P<m>[0-9]{1,2})月(?P<d>[0-9]{1,2})日(?:起)?(?P<to>至|到)(?P<m2>[0-9]{1,2})月(?=[0-9]{1,2}日)"
)


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum in a text: yuan, its place, and the words around it."""

    yuan: float
    start: int
    end: int
    before: str
    after: str


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
    if match := GOES_ON.search(plain):
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
    return [day for day, _ in dated_days(text)]


def chinese(day: date) -> str:
    """2024年6月14日."""
    return f"{day.year}年{day.month}月{day.day}日"


def dated_days(text: str) -> list[tuple[date, int]]:
    """The days of a text with their places."""
    return list(_dated(written(fold_width(text))))


def written(text: str) -> str:
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
