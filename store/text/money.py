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
