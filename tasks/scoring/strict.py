"""Keys in answers: strict matching of one, as a careful reader would accept it where plain substrings go wrong; and
the keyword rates of LegalAgentBench.

For strict matching both texts are brought to one spelling first: a *skeleton* in which every whole numeral and every
date is one mark, beside the list of their values. Then `2次` cannot be found in `12次`, `0.90亿元` equals `9000万元`,
`2014年8月19日` equals `2014-08-19`, and `第29条` equals `第二十九条`. Values are exact decimals, money in yuan; none
is rounded unless the key itself was written with decimals: then the found value is rounded half up to as many.

Source of the published rates: measured from the 24 published runs, all 336 rates. Success: share of `key` in `res`.
Process: share of `key` + `key_middle` in `summary`, another text. Keys are a list, so a repeated key counts twice.
All rates are shares from 0 to 1.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import Literal

from store.text.dates import parse_date
from store.text.ideographs import HAN
from store.text.normalise import fold_width
from store.text.numerals import chinese_to_int, to_decimal

VERSION = "strict/1"

NUMBER, DAY, COMMA = "\ue000", "\ue001", "\ue002"
"""Marks of a numeral, of a date and of a full-width comma (never a thousands comma); private-use characters."""
_PRIVATE = re.compile("[\ue000-\ue002]")
_SPELLING = str.maketrans(
    {"〔": "(", "〕": ")", "﹝": "(", "﹞": ")", "[": "(", "]": ")", "【": "(", "】": ")", "圆": "元", "“": '"',
        "”": '"',
     "‘": "'", "’": "'", COMMA: ","}
)  # fmt: skip
_HAN = "负零〇○一二三四五六七八九十百千万亿两廿卅壹贰叁肆伍陆柒捌玖拾佰仟萬億"
_DIGIT = {character: value for value, character in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "○": 0,
    "两": 2,
    "十": 10,
}
_ITEM = re.compile(
    r"(?P<word>(?<![0-9A-Za-z])(?=[0-9]*[A-Za-z])[0-9A-Za-z]+(?:\.[0-9]+)*)"
    r"|(?P<day>(?<![0-9.])[0-9]{4}(?: ?年 ?[0-9]{1,2} ?月(?: ?[0-9]{1,2} ?[日号])?"
    r"|(?P<mark>[-/.])[0-9]{1,2}(?P=mark)[0-9]{1,2}(?![0-9]))"
    r"|(?<![零〇○一二三四五六七八九])[零〇○一二三四五六七八九]{4}年[一二三四五六七八九十]{1,2}月"
    r"(?:[一二三四五六七八九十廿卅]{1,3}[日号])?)"
    r"|(?P<code>[0-9]+(?:\.[0-9]+){2,}|(?:0[0-9]+|[0-9]{15,})(?!\.?[0-9]| ?元))"
    rf"|(?P<number>(?:(?<![0-9A-Za-z){HAN}-])-)?(?:[0-9]{{1,3}}(?:,[0-9]{{3}})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?"
    r"(?: ?(?:[百千]?万亿|[十百千]?[万亿]|[百千](?=元))(?:[0-9]+(?:\.[0-9]+)?[十百千]?万?)?)?)"
    rf"|(?P<han>[{_HAN}]+)"
)
_SIZE = re.compile(r"(?P<digits>[0-9,]+(?:\.(?P<decimals>[0-9]+))?) ?(?P<unit>[十百千万亿]*)")
_UNIT = {"十": 1, "百": 2, "千": 3, "万": 4, "亿": 8}
_IGNORED = re.compile(r"[ \t\r\u00a0\u3000\u200b]+|\*\*|__|`")
_BULLET = re.compile(r"(?m)^[ \t]*[-*•][ \t]+(?=\S)")
_CONTEXT = Context(prec=80)


@dataclass(frozen=True, slots=True)
class Amount:
    """A whole numeral. `quantum` is the last written decimal in units of the value, None when none was written.

    `written` is the number in front of 万 or 亿; `one` marks a lone 一, which is more often an article than a count.
    """

    value: Decimal
    quantum: Decimal | None = None
    written: Decimal | None = None
    one: bool = False

    def met_by(self, found: Amount | PartialDate) -> bool:
        """Whether a found value is this one at the precision in which this one is written."""
        if not isinstance(found, Amount):
            return False
        return self._equals(found.value)

    def named_by(self, found: Amount | PartialDate) -> bool:
        """The same for a key that gives no unit at all: `4653` may stand for 4653万元."""
        return self.met_by(found) or (
            isinstance(found, Amount) and found.written is not None and self._equals(found.written)
        )

    def _equals(self, value: Decimal) -> bool:
        if self.quantum is None or self.value == 0:
            return value == self.value
        return _rounded(value, self.quantum) == _rounded(self.value, self.quantum)


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A date; `day` is 0 when only year and month are written."""

    year: int
    month: int
    day: int

    def met_by(self, found: Amount | PartialDate) -> bool:
        """Whether a found value is this date, or lies in this month when no day is written."""
        if not isinstance(found, PartialDate):
            return False
        return (self.year, self.month) == (found.year, found.month) and self.day in (0, found.day)


@dataclass(frozen=True, slots=True)
class Canonical:
    """A text in one spelling: `items[i]` is the value of the mark at `places[i]` of the skeleton."""

    skeleton: str
    items: tuple[Amount | PartialDate, ...]
    places: tuple[int, ...]


def _rounded(value: Decimal, quantum: Decimal) -> Decimal:
    steps = _CONTEXT.divide(value, quantum)
    return steps.quantize(Decimal(1), rounding=ROUND_HALF_UP, context=_CONTEXT)


def _day(text: str) -> PartialDate | None:
    parsed: date | None = parse_date(text)
    if parsed is not None:
        return PartialDate(parsed.year, parsed.month, parsed.day)
    before, _, after = text.replace(" ", "").partition("年")
    if not after.endswith("月"):
        return None
    year, month = to_decimal(before), to_decimal(after.removesuffix("月"))
    return (
        PartialDate(int(year), int(month), 0) if year is not None and month is not None and 1 <= month <= 12 else None
    )


def _amount(text: str) -> Amount | None:
    value = to_decimal(text)
    size = _SIZE.fullmatch(text.removeprefix("-"))
    if value is None or size is None:
        return None if value is None else Amount(value)
    written = to_decimal(size["digits"]) if size["unit"] else None
    if not size["decimals"]:
        return Amount(value, None, written)
    exponent = sum(_UNIT[character] for character in size["unit"]) - len(size["decimals"])
    return Amount(value, Decimal(1).scaleb(exponent), written)


@lru_cache(maxsize=4096)
def _han(text: str) -> Amount | None:
    if len(text) == 1:
        return Amount(Decimal(_DIGIT[text]), one=text == "一") if text in _DIGIT else None
    if not any(character in _DIGIT for character in text):
        return None
    value = chinese_to_int(text)
    return None if value is None else Amount(Decimal(value))


def _read(match: re.Match[str]) -> Amount | PartialDate | None:
    """The value of a match; words and codes have none: they are compared as text."""
    if match["day"] is not None:
        return _day(match[0])
    if match["number"] is not None:
        return _amount(match[0])
    return _han(match[0]) if match["han"] is not None else None


def _pieces(text: str) -> Iterator[str | Amount | PartialDate]:
    """The text cut at its numerals and dates; what cannot be read stays text."""
    position = 0
    while match := _ITEM.search(text, position):
        yield text[position : match.start()]
        position, item = match.end(), _read(match)
        if item is None and match["day"] is not None:  # not a day of the calendar: its year is a number
            position, item = match.start() + 4, _amount(match[0][:4])
        yield text[match.start() : position] if item is None else item
    yield text[position:]


@lru_cache(maxsize=512)
def canonical(text: str) -> Canonical:
    """The text in one spelling. Total: any text has a canonical form."""
    text = _BULLET.sub("", _PRIVATE.sub("\ufffd", text))
    text = fold_width(text.replace("，", COMMA))
    skeleton: list[str] = []
    items: list[Amount | PartialDate] = []
    places: list[int] = []
    length = 0
    for piece in _pieces(text):
        if isinstance(piece, str):
            piece = _IGNORED.sub("", piece).translate(_SPELLING).replace("人民币元", "元")
            skeleton.append(piece)
            length += len(piece)
        else:
            items.append(piece)
            places.append(length)
            skeleton.append(NUMBER if isinstance(piece, Amount) else DAY)
            length += 1
    return Canonical("".join(skeleton), tuple(items), tuple(places))


def _word(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _bounded(key: str, text: str, start: int) -> bool:
    """Whether the find is not part of something longer, counted (`第2次`) or denied (`不是上市公司`)."""
    end = start + len(key)
    before, after = text[max(start - 1, 0) : start], text[end : end + 1]
    if key[0] == NUMBER and before == "第":
        return False
    if key[0] == "是" and before in ("不", "非", "未"):
        return False
    for inside, outside in ((key[0], before), (key[-1], after)):
        if outside and _word(inside) and (_word(outside) or outside == NUMBER):
            return False
        if outside and inside == NUMBER and _word(outside):
            return False
        if outside and key == "-" and (_word(outside) or outside in f"-{NUMBER}{DAY}"):
            return False
    return True


def strict_hit(key: str, text: str) -> bool:
    """Whether the text states the key.

    Numerals and dates are compared as wholes and by value, money at the key's precision, letters and digits at word
    boundaries; widths, brackets, spaces and Markdown emphasis do not count. Han text is found anywhere, except that
    `是…` is not found in `不是…`.
    """
    wanted = canonical(key)
    if not wanted.skeleton:
        return key in text
    return _find(wanted, canonical(text))


def _find(wanted: Canonical, given: Canonical) -> bool:
    start = given.skeleton.find(wanted.skeleton)
    while start >= 0:
        first = bisect_left(given.places, start)
        found = given.items[first : first + len(wanted.items)]
        before = given.skeleton[max(start - 2, 0) : start]
        if (
            _met(wanted, found)
            and _bounded(wanted.skeleton, given.skeleton, start)
            and (wanted.skeleton[0] != NUMBER or _counts(wanted.items[0], found[0], before))
        ):
            return True
        start = given.skeleton.find(wanted.skeleton, start + 1)
    return False


def _met(wanted: Canonical, found: Sequence[Amount | PartialDate]) -> bool:
    if wanted.skeleton == NUMBER and isinstance(key := wanted.items[0], Amount) and key.written is None:
        return key.named_by(found[0])
    return all(key.met_by(item) for key, item in zip(wanted.items, found, strict=True))


def _counts(key: Amount | PartialDate, found: Amount | PartialDate, before: str) -> bool:
    """Whether a lone 一 is a count: `共一家`, `次数为一次`, but neither `是一家` nor `一起`."""
    lone = isinstance(found, Amount) and found.one
    return (
        not lone or key == found or before[-1:] in ("有", "共", "仅", "只", "计", "了") or before in ("数为", "量为")
    )


_COUNTED = re.compile(f"{NUMBER}(?:次|家|个|起|件|条|天|名|份|位|所|笔|处|宗|人)(?:以上)?")
_JUDGED = ("是上市公司", "不是上市公司", "非上市公司")


def is_derived(key: str) -> bool:
    """Whether a key can only be computed: counts, spans of days, yes-or-no. No table cell ever shows it."""
    return key in _JUDGED or _COUNTED.fullmatch(canonical(key).skeleton) is not None


def shows_key(key: str, observation: str) -> bool:
    """Whether an observation shows the key; an amount in 元 may stand there as a bare number, as table cells do."""
    wanted = canonical(key)
    if wanted.skeleton == f"{NUMBER}元":
        wanted = Canonical(NUMBER, wanted.items, wanted.places)
    return _find(wanted, canonical(observation)) if wanted.skeleton else key in observation


COMPAT_VERSION = "compat/1"
_ARTICLE = re.compile(r".{2,60}第[零〇一二三四五六七八九十百千]+条(?:之[一二三四五六七八九十]+)?")
_MARKS = str.maketrans("", "", "《》")


@dataclass(frozen=True, slots=True)
class KeyMatch:
    """One key and where it stands. Answer keys are looked up in `res`, middle keys in `summary`.

    `in_question`: the question already states it. `seen`: some real observation shows it. `derived`: it can only be
    computed, so no observation could show it.
    """

    key: str
    kind: Literal["key", "middle"]
    in_question: bool
    compat_hit: bool
    strict_hit: bool
    seen: bool
    derived: bool = False


def compat_hit(key: str, text: str) -> bool:
    """The published rule: a plain, case-sensitive substring."""
    return key in text


def share(keys: Sequence[str], hit: Callable[[str], bool]) -> float | None:
    """Share of the keys that hit, each as often as it is listed; None when there are no keys."""
    return sum(map(hit, keys)) / len(keys) if keys else None


def success_compat(res: str, keys: Sequence[str]) -> float:
    """Share of the keys that occur in the answer."""
    return share(keys, lambda key: compat_hit(key, res)) or 0.0


def process_compat(summary: str, keys: Sequence[str], middle: Sequence[str]) -> float:
    """Share of keys and middle keys together that occur in the detailed answer."""
    return share([*keys, *middle], lambda key: compat_hit(key, summary)) or 0.0


def success_strict(res: str, keys: Sequence[str]) -> float:
    """Share of the keys that the answer states, by the strict rule."""
    return share(keys, lambda key: strict_hit(key, res)) or 0.0


def process_strict(summary: str, keys: Sequence[str], middle: Sequence[str]) -> float:
    """Share of keys and middle keys together that the detailed answer states, by the strict rule."""
    return share([*keys, *middle], lambda key: strict_hit(key, summary)) or 0.0


def not_given(question: str, keys: Iterable[str]) -> list[str]:
    """The keys that the question does not state yet: what an agent has to find."""
    return [key for key in keys if not strict_hit(key, question)]


def _seen(key: str, observations: Sequence[str]) -> bool:
    return any(shows_key(key, observation) for observation in observations)


def evidence_rate(observations: Sequence[str], keys: Sequence[str], middle: Sequence[str]) -> float:
    """Share of keys and middle keys that real observations have shown so far; derived keys stay in the
    denominator."""
    return share([*keys, *middle], lambda key: _seen(key, observations)) or 0.0


def evidence_rate_literal(observations: Sequence[str], keys: Sequence[str], middle: Sequence[str]) -> float | None:
    """The same over the keys that an observation could show (counts and the like left out); None when there are
    none."""
    return share([key for key in (*keys, *middle) if not is_derived(key)], lambda key: _seen(key, observations))


def explain(
    keys: Sequence[str],
    middle: Sequence[str],
    res: str,
    summary: str,
    observations: Sequence[str] = (),
    question: str = "",
) -> list[KeyMatch]:
    """Every key of the task and where it stands, answer keys first, in the order of the task."""
    rows: list[tuple[str, Literal["key", "middle"], str]] = [(key, "key", res) for key in keys]
    rows += [(key, "middle", summary) for key in middle]
    return [
        KeyMatch(
            key=key,
            kind=kind,
            in_question=bool(question) and strict_hit(key, question),
            compat_hit=compat_hit(key, text),
            strict_hit=strict_hit(key, text),
            seen=_seen(key, observations),
            derived=is_derived(key),
        )
        for key, kind, text in rows
    ]


def article_recall(observations: Sequence[str], keys: Sequence[str]) -> float | None:
    """Share of the articles among the keys that a retriever gave among its k texts, each of which begins 法名第X条：.

    Observations hold texts as tools returned them. None where no key is a citation.
    """
    wanted = [key.translate(_MARKS) for key in keys if _ARTICLE.fullmatch(key)]
    seen = "\n".join(observations).translate(_MARKS)
    return sum(f"{article}：" in seen for article in wanted) / len(wanted) if wanted else None
