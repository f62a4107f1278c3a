"""Money as tables, questions and people write it, in yuan and exact.

Columns mix int, float, numeric text, texts in 万 and 亿 and four ways to say nothing; a question then asks for 万元.
People say 20万元, 二十万块钱 and 200,000元 for one sum.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Literal, NamedTuple

from store.text.normalise import fold_width
from store.text.numerals import to_decimal

MoneyUnit = Literal["元", "万元", "亿元"]
UNITS: dict[str, Decimal] = {"元": Decimal(1), "万元": Decimal(10**4), "亿元": Decimal(10**8)}
"""Unit -> yuan."""

_FRAME = re.compile(
    r"^(?:人民币|RMB|CNY|¥)? ?:? ?(?P<amount>.*?) ?(?:元|圆|块|人民币)*(?P<whole>[整正]?)$", re.DOTALL
)
_CONTEXT = Context(prec=60)
_HAN = "零一二三四五六七八九十百千两壹贰叁肆伍陆柒捌玖拾佰仟"
# A numeral is bounded and begins where none goes on: linear on any text.
_SUM = re.compile(
    rf"(?P<sum>(?:(?<![\d,.])\d[\d,]{{0,20}}(?:\.\d{{1,4}})?|(?<![{_HAN}])[{_HAN}]{{1,16}})[十百千]?万?亿?)"
    r"(?:余|多)?(?:元|块钱|块(?![儿头地]))"
)
_LONGEST = 20_000
"""Characters of a text that are read."""


def parse_money(value: str | int | float | None) -> Decimal | None:
    """Yuan, or None where the cell says nothing ('-', ' - ', '', None, nan) or another currency or text."""
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, float):
        return Decimal(repr(value)) if math.isfinite(value) else None
    if len(value) > 100:
        return None
    match = _FRAME.match(fold_width(value).strip())
    return to_decimal(match["amount"]) if match else None


def format_money(yuan: Decimal, unit: MoneyUnit, places: int | None = None) -> str:
    """The amount with its unit: 38700 yuan in 万元 is `3.87万元`.

    Args:
        yuan: the amount.
        unit: 元, 万元 or 亿元.
        places: digits after the point, rounded half up; None keeps the exact value without trailing zeros.
    """
    amount = _CONTEXT.divide(yuan, UNITS[unit])
    if places is not None:
        amount = amount.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP, context=_CONTEXT)
        return f"{amount:f}{unit}"
    text = f"{amount:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{text}{unit}"


class Sum(NamedTuple):
    """A sum that a text names: its value, and where it stands."""

    value: str
    start: int
    end: int


def sums(folded: str) -> Iterator[Sum]:
    """The sums of a text whose width is folded."""
    for match in _SUM.finditer(folded):
        yield Sum(by_value(match["sum"]), *match.span())


def sums_in(text: str) -> frozenset[str]:
    """The sums that a text names, by value: 20万元 and 200000元 are one."""
    return frozenset(one.value for one in sums(fold_width(text[:_LONGEST])))


def by_value(number: str) -> str:
    """One way to write a number, whatever way it is written in; itself where it is none."""
    amount = to_decimal(number)
    return number if amount is None else f"{amount.normalize():f}"


# --- in a claim or a ruling -----------------------------------------------------------------------------------------

_NUMERAL = "零〇○一二三四五六七八九十百千万亿两壹贰叁肆伍陆柒捌玖拾佰仟"
_NAMED = re.compile(
    r"(?P<sum>(?<![0-9.,])[0-9][0-9,]{0,18}(?:\.[0-9]{1,4})? ?[千百]?[万亿]?(?:[0-9]{1,4}(?=元))?"
    rf"|[{_NUMERAL}]{{1,20}}) ?余?元(?=(?P<after>[^,。;、]{{0,6}}))"
)
_BASE = re.compile(r"(?:以|按|基数为?|每[日天月年]|超过|低于|上限为?|扣除|其中|标准为?)(?:人民币|¥)?$")
_NO_SUM = re.compile(
    r"为(?:基数|本金|标准|限)|的(?:利息|基数|标准|[0-9.]{1,4}[倍%‰]|[一二三四五六七八九十两]{1,3}倍)"
    r"|归|部分|/|每|中的|×|÷"
)
_TOTAL = re.compile(r"(?:合计|共计|总计|总额|共)(?:为|人民币|¥|:)*$")
_NOTE = re.compile(r"\([^()]{0,300}\)")
_MOST = 10**13


class LabelledSum(NamedTuple):
    """A sum in yuan, and the words before it, from the sum before on."""

    amount: float
    label: str

    @property
    def total(self) -> bool:
        """Whether it adds up others (合计)."""
        return bool(_TOTAL.search(self.label))


def named_sums(text: str) -> list[LabelledSum]:
    """The sums that a claim or a ruling is about: notes in brackets, bases of interest, rates, deductions aside."""
    folded = _NOTE.sub("", fold_width(text))
    found = []
    start = 0
    for match in _NAMED.finditer(folded):
        label = folded[start : match.start()]
        amount = to_decimal(match["sum"].replace(" ", ""))
        if amount is None or _BASE.search(label) or _NO_SUM.match(match["after"]) or not 0 <= amount < _MOST:
            continue
        start = match.end()
        found.append(LabelledSum(round(float(amount), 2), label))
    return found


def one_sum(text: str) -> float | None:
    """The one sum that a text is about: the only one, or the total of several; else none."""
    found = named_sums(text)
    totals = [one.amount for one in found if one.total]
    if len(totals) == 1 and len(found) > 1:
        return totals[0]
    return found[0].amount if len(found) == 1 else None
