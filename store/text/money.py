"""Money as the tables and questions write it, in yuan and exact.

Columns mix int, float, numeric text, texts in 万 and 亿 and four ways to say nothing; a question then asks for 万元.
"""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Literal

from store.text.normalise import fold_width
from store.text.numerals import to_decimal

MoneyUnit = Literal["元", "万元", "亿元"]
UNITS: dict[str, Decimal] = {"元": Decimal(1), "万元": Decimal(10**4), "亿元": Decimal(10**8)}
"""Unit -> yuan."""

_FRAME = re.compile(
    r"^(?:人民币|RMB|CNY|¥)? ?:? ?(?P<amount>.*?) ?(?:元|圆|块|人民币)*(?P<whole>[整正]?)$", re.DOTALL
)
_CONTEXT = Context(prec=60)


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
