"""How a value becomes the string that an answer must contain: counts with their measure word, money in a stated unit.

A value that could be written in two ways under the wording of the question (a rounding tie) is rejected.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from store.text.dates import parse_date
from store.text.money import parse_money

Scalar = str | int | float | None
_MONEY = re.compile(r"(元|万元|亿元)(\d)")
_UNITS = {"元": Decimal(1), "万元": Decimal(10_000), "亿元": Decimal(100_000_000)}
_COUNTS = ("次", "家", "件", "个", "名", "天", "起")


class Rejected(ValueError):
    """This walk gives no task: missing, tied or ambiguous."""


def missing(value: object) -> bool:
    """Upstream's marks for nothing: null, '-', ' -', ' - ', empty."""
    return value is None or (isinstance(value, str) and value.strip() in ("", "-"))


def number(value: object) -> Decimal:
    """The amount of a cell in its own unit (万 and 亿 resolved)."""
    if missing(value) or not isinstance(value, str | int | float):
        raise Rejected("no number")
    parsed = parse_money(value)
    if parsed is None:
        raise Rejected(f"no number: {value!r}")
    return parsed


def written(value: object, shape: str = "text") -> str:
    """The key string of a value. shape: text, plain, a measure word, 第 (a rank), or 元2 / 万元2 / 亿元2 (unit and
    decimals)."""
    if missing(value):
        raise Rejected("missing")
    if shape in _COUNTS:
        return f"{value}{shape}"
    if shape == "第":
        return f"第{value}名"
    if match := _MONEY.fullmatch(shape):
        return _money(number(value), match[1], int(match[2]))
    if shape == "plain":
        exact = number(value).normalize()
        return f"{exact:f}"
    text = str(value).strip()
    if "年" in text and shape == "date" and parse_date(text) is None:
        raise Rejected(f"no date: {text}")
    return text


def _money(yuan: Decimal, unit: str, places: int) -> str:
    step = Decimal(1).scaleb(-places)
    amount = yuan / _UNITS[unit]
    shown = amount.quantize(step, ROUND_HALF_UP)
    if shown != amount.quantize(step, ROUND_HALF_EVEN) or not shown:
        raise Rejected("rounding tie or nothing left")
    return f"{shown:f}{unit}"
