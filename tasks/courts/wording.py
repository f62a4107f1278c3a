"""Terms, fines and charges as judgments write them. Terms are in months, fines in yuan.

Only what a ruling says is read: 有期徒刑一年六个月, 缓刑二年, 罚金人民币三万元. A text that says nothing of the kind gives nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from store.text.normalise import fold_width
from store.text.numerals import to_decimal
from tasks.courts.prosecution import TIMED, Sentence, SentenceKind

_NUMBER = "[0-9零〇一二三四五六七八九十百两]+"
_TERM = rf"(?:(?P<years>{_NUMBER})年)?(?:零|又)?(?:(?P<months>{_NUMBER})个?月)?"
_KINDS: tuple[tuple[SentenceKind, str], ...] = (
    ("死刑缓期执行", r"死刑[,，]?\s*缓期"),
    ("死刑", "判处死刑"),
    ("无期徒刑", "无期徒刑"),
    ("有期徒刑", "有期徒刑"),
    ("拘役", "拘役"),
    ("管制", "判处管制"),
    ("免予刑事处罚", "免予刑事处罚|免除处罚"),
    ("无罪", "无罪"),
    ("单处罚金", "罚金"),
)
"""The first that a ruling names."""
_FINE = re.compile(
    r"罚金(?:人民币)?\s*(?P<amount>[0-9.,万]+|[零〇一二三四五六七八九十百千万两壹贰叁肆伍陆柒捌玖拾佰仟]+)\s*(?:余)?元"
)
_EXECUTED = re.compile("决定执行")
_CHARGE = re.compile(r"犯(?P<names>[\u4e00-\u9fff、“”（）]{2,60}?罪)(?=[,，。;；、判免]|$)")
_MONTHS = 12


def sentence_of(rulings: Sequence[str]) -> Sentence | None:
    """The sentence that rulings pronounce; of several charges the one that is to be served. None where there is none."""
    text = fold_width("".join(rulings))
    whole = text[match.end() :] if (match := _EXECUTED.search(text)) else text
    kind = next((name for name, pattern in _KINDS if re.search(pattern, whole)), None)
    if kind is None:
        return None
    fine = sum(filter(None, map(_fine, _FINE.finditer(whole))))
    timed = kind in TIMED
    return Sentence(
        kind=kind,
        months=_term(whole, kind) if timed else 0,
        probation_months=_term(whole, "缓刑") if timed else 0,
        fine=fine,
    )


def charges_of(rulings: Sequence[str]) -> tuple[str, ...]:
    """The charges of which rulings convict, in order: 犯盗窃罪 → 盗窃罪."""
    found = (match["names"] for ruling in rulings for match in _CHARGE.finditer(fold_width(ruling)))
    return tuple(dict.fromkeys(found))


def _term(text: str, kind: str) -> int:
    for match in re.finditer(rf"{kind}(?:考验期)?{_TERM}", text):
        if match["years"] or match["months"]:
            return _number(match["years"]) * _MONTHS + _number(match["months"])
    return 0


def _fine(match: re.Match[str]) -> float:
    amount = to_decimal(match["amount"].replace(",", ""))
    return float(amount) if amount is not None else 0.0


def _number(text: str | None) -> int:
    amount = to_decimal(text) if text else None
    return int(amount) if amount is not None else 0
