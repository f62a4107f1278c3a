"""Numbers as Chinese text writes them: 一百二十三, 壹佰, 二〇二〇, 1,234.5, １２, 3.87亿, 1亿2000万.

Values are exact (int and Decimal); a text that is not one number gives None, never a guess.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from store.text.normalise import fold_width

_LONGEST = 64
"""No number in a text is longer; bounds the work on hostile input."""
_CHINESE = re.compile(r"[负零〇○一二三四五六七八九十百千万亿两廿卅壹贰貳叁參肆伍陆陸柒捌玖拾佰仟萬億弍弎]+")
_VARIANTS = str.maketrans("○貳參陸萬億弍弎", "〇贰叁陆万亿贰叁")
_ARABIC = re.compile(r"[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?")
_TERM = re.compile(r"(?P<number>[0-9][0-9,]*(?:\.[0-9]+)?) ?(?P<unit>[百千]?万亿|[十百千]?[万亿]|[百千])")
_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
_LARGEST_CHINESE = 10**16 - 1
_GAP = re.compile("亿(?=[一二三四五六七八九]千[^万]*$)")
"""Where the ten thousands are zero and cn2an leaves that out: 一亿一千 would be read as 一亿一千万."""


@lru_cache(maxsize=4096)
def chinese_to_int(text: str) -> int | None:
    """The whole number a Chinese numeral writes (plain, formal or digit by digit), or None."""
    text = text.strip()
    if len(text) > _LONGEST or not _CHINESE.fullmatch(text):
        return None
    import cn2an

    try:
        value = cn2an.cn2an(text.translate(_VARIANTS), "normal")
    except (ValueError, KeyError, IndexError):
        return None
    return int(value)


@lru_cache(maxsize=4096)
def int_to_chinese(number: int) -> str:
    """The number in Chinese, 675 -> 六百七十五; ValueError from 10**16 on."""
    if abs(number) > _LARGEST_CHINESE:
        raise ValueError(f"{number} has more than 16 digits")
    import cn2an

    return _GAP.sub("亿零", str(cn2an.an2cn(number, "low")))


def _arabic(text: str) -> Decimal | None:
    return Decimal(text.replace(",", "")) if _ARABIC.fullmatch(text) else None


def _with_units(text: str) -> Decimal | None:
    """3.87亿, 1亿2000万, 3万5千: digits with units, each unit smaller than the one before it."""
    sign = -1 if text.startswith("-") else 1
    position, total, last = (1 if text[:1] in "+-" and text else 0), Decimal(0), 0
    while match := _TERM.match(text, position):
        number = _arabic(match["number"])
        unit = 1
        for character in match["unit"]:
            unit *= _UNITS[character]
        if number is None or (last and unit >= last):
            return None
        total, last, position = total + number * unit, unit, match.end()
    rest = text[position:]
    if rest and last:
        small = _arabic(rest)
        if small is None or not 0 <= small < last:
            return None
        return sign * (total + small)
    return sign * total if last and not rest else None


def to_decimal(text: str) -> Decimal | None:
    """The one number a text writes, in Arabic digits (any width, thousands commas, 万 and 亿) or Chinese; else
    None."""
    text = fold_width(text).strip()
    if not text or len(text) > _LONGEST:
        return None
    plain = _arabic(text)
    if plain is None:
        plain = _with_units(text)
    if plain is not None:
        return plain
    whole, point, fraction = text.partition("点")
    number = chinese_to_int(whole)
    if number is None:
        return None
    if not point:
        return Decimal(number)
    digits = [chinese_to_int(digit) for digit in fraction]
    if not digits or any(digit is None or not 0 <= digit <= 9 for digit in digits):
        return None
    sign = "-" if whole.startswith("负") else ""
    return Decimal(f"{sign}{abs(number)}.{''.join(map(str, digits))}")
