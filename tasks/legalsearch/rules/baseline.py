"""Terms that a criminal law itself computes: a 基准刑 for the plain case, steps by amount, shares for circumstances.

Months. Everything is read from the texts of the retrieved articles:
价值三千五百元以上的，…；基准刑为六个月，价值每增加二千元，增加一个月; 减少基准刑的百分之三十. Steps that are not full
and fractions of a month do not count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from store.text.numerals import chinese_to_int

_N = "[零一二两三四五六七八九十百千万]+"
_PLAIN = re.compile(rf"基准刑为(?:(?P<years>{_N})年)?(?:(?P<months>{_N})个月)?")
_FROM = re.compile(rf"(?P<sum>{_N})元以上")
_STEP = re.compile(rf"每增加(?P<step>{_N})元，增加(?P<months>{_N})个月")
_SHARE = re.compile(rf"(?P<sign>减少|增加)基准刑的百分之(?P<share>{_N})")


def computed_term(texts: Sequence[str], amount: float) -> int | None:
    """The term of a case, or None where none of the articles states a plain case.

    Args:
        texts: the articles that the case cites.
        amount: the largest sum of the case in yuan; 0 without one.
    """
    text = next((text for text in texts if _PLAIN.search(text)), "")
    plain = _PLAIN.search(text)
    if plain is None:
        return None
    months = 12 * _value(plain["years"]) + _value(plain["months"])
    begins, step = _FROM.search(text), _STEP.search(text)
    if begins and step and _value(step["step"]):
        over = max(0.0, amount - _value(begins["sum"]))
        months += int(over // _value(step["step"])) * _value(step["months"])
    percent = 100
    for other in texts:
        if other != text and (share := _SHARE.search(other)):
            percent += _value(share["share"]) * (1 if share["sign"] == "增加" else -1)
    return max(1, months * max(0, percent) // 100) if months else None


def _value(numeral: str | None) -> int:
    return (chinese_to_int(numeral) or 0) if numeral else 0
