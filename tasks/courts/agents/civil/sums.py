"""Sums in what is said in court. Yuan with cents."""

from __future__ import annotations

import re
from dataclasses import dataclass

from store.text.normalise import fold_width
from store.text.numerals import to_decimal

_SUM = re.compile(
    r"(?P<n>(?<![0-9.,])[0-9][0-9,]{0,15}(?:\.[0-9]{1,2})? ?[万亿]?|[一二三四五六七八九十百千万两壹贰叁肆伍陆柒捌玖拾佰仟]{1,16}) ?(?:余)?元"
)
_NOTE = re.compile(r"\([^()]{0,300}\)")
GOES_ON = re.compile(
    r"[,;]?(?:并|以及|及)?(?:支付|给付)?自[^,;。]{0,30}(?:起|日)[^,;。]{0,12}(?:实际|清偿|付清|还清|履行)"
    r"|[,;](?:并|以及|及)?(?:支付|给付)?(?:此后|之后|其后)[^;。]{0,60}?(?:实际|清偿|付清|还清|履行)"
)
_NO_CLAIM = re.compile(r"^(?:为(?:基数|本金|限)|的(?:[一二三四五六七八九十两0-9]|利息|基数|标准)|/|每)")
_ACT = re.compile(r"办理|协助|配合|出具|腾退|停止|排除|恢复原状|更换")
_PAY = re.compile(r"支付|给付|返还|退还|归还|偿还|赔偿|补偿|清偿|交纳")
_TOTAL = re.compile(r"(?:合计|共计|总计|共)(?:人民币)?:?$")


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


def cents(value: float) -> float:
    """Rounded to cents, half up."""
    return round(value + 1e-9, 2)
