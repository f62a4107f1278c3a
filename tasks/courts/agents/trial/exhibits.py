"""Exhibits as they are offered in court and opinions on them, read as a court hears them.

Readers of free text: total, linear, and content with any wording. What they cannot read gives nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from store.text.numerals import int_to_chinese, to_decimal
from tasks.courts.procedure.replies import numbers_named

MOST = 30
"""Exhibits that are read of one reply."""
LONGEST = 6_000
"""Characters of a reply that are read."""

Aspect = Literal["truth", "legality", "relevance", "weight"]
ASPECTS: tuple[tuple[Aspect, str], ...] = (
    ("truth", "真实性"), ("legality", "合法性"), ("relevance", "关联性"), ("weight", "证明目的"),
)  # fmt: skip
NO_OBJECTION = re.compile(r"[^，。；：\n]*(?:(?:没有|无)(?:任何)?(?:异议|意见)|不持异议)")
"""A clause that agrees."""

_NUMBER = r"[一二三四五六七八九十]{1,3}|[0-9]{1,3}"
_EXHIBIT = re.compile(rf"证据\s*(?P<n>{_NUMBER})\s*(?:[：:、，,.]|是|为|系|(?=《))")
_TITLE_END = re.compile(r"[，,。；;（(\n：:]")
_OFFERS = re.compile(
    r"(?:出示|提交|举示|宣读|提供)(?:了)?(?:的)?(?:以下)?(?:证据(?!\s*[一二三四五六七八九十0-9]))?(?:有|是|为|一份"
    r"|一组)?\s*[：:，,]?(?P<title>[^，,。；;\n]{2,80})"
)
_PURPOSE = re.compile(r"(?:拟证明|用以证明|用于证明|用来证明|证明目的[是为：:]+)(?P<purpose>[^\n。]{2,300})")
_PROVES = re.compile(r"(?:^|[，,；;。])(?:能够|可以)?证明(?P<purpose>[^\n。]{2,300})")
_EXCERPT = re.compile(r"(?:载明|内容)[^“\n]{0,6}“(?P<excerpt>[^”\n]{2,600})”")
_NONE_LEFT = re.compile(
    r"(?:出示|举证|提交|提供|举示)(?:均|都|已|已经|全部)*完毕|(?:没有|无|再无|不再)(?:其他|别的|更多|新的|任何|提交"
    r"|补充)*的?证据"
    r"|证据.{0,8}(?:没有了|到此为止|就这些)|^\s*(?:没有了?|无|没了|完毕|不提交)[了。！.]*\s*$"
)
_NEGATIVE = re.compile(
    r"不(?:予)?认可|有异议|持异议|有意见|不属实|不真实|不合法|无关|不具有|不能(?:证明|达到|看出|反映|说明|代表)|不予"
    r"|否认|不承认|无法(?:确认|核实|证明)|不符|伪造"
)
_NAMED: tuple[tuple[re.Pattern[str], tuple[Aspect, ...]], ...] = (
    (re.compile(r"三性"), ("truth", "legality", "relevance")), (re.compile(r"真实"), ("truth",)),
    (re.compile(r"合法"), ("legality",)), (re.compile(r"关联|相关性"), ("relevance",)),
    (re.compile(r"证明目的|证明力|证明内容|证明对象|证明事项"), ("weight",)),
)  # fmt: skip
_ABOUT = re.compile(
    rf"[^，。；;：:\n与和同]{{0,16}}?证据\s*(?:{_NUMBER})[^，,。；;：:\n]*(?:[，,]证据[^，,。；;：:\n]*)*"
)
"""The head of a sentence that names exhibits; 与证据三矛盾 is about another."""
_OTHERS = re.compile(r"[^，。；;：:\n与和同]{0,12}?(?:其余|其他|全部|所有|上述|以上)")
_SENTENCE = re.compile(r"[^。；;！!？?\n]+")
_COUNTED = re.compile(r"[一二三四五六七八九十两0-9第]")


@dataclass(frozen=True, slots=True)
class Offer:
    """An exhibit as a side offered it, in words of its own. words: all that was said of it."""

    side: str
    number: int
    title: str
    purpose: str = ""
    excerpt: str = ""
    words: str = ""

    @property
    def name(self) -> str:
        """证据一借条一张, 证据二《购销合同》: 《》 only where the document has a title of its own."""
        return numbered(self.number, self.title)

    @property
    def says(self) -> str:
        """All that it is said to show."""
        return f"{self.title}。{self.purpose}。{self.excerpt or self.words}"


@dataclass(frozen=True, slots=True)
class Opinion:
    """What the other side says on an exhibit: aspect -> its objection; an aspect without one is not contested."""

    against: dict[Aspect, str] = field(default_factory=dict)
    words: str = ""


def numbered(number: int, title: str) -> str:
    """证据一借条一张; a title that begins with a number stands in brackets: 证据三（2020年的照片）."""
    return f"证据{int_to_chinese(number)}" + (f"（{title}）" if _COUNTED.match(title) else title)


@lru_cache(maxsize=1024)
def offers_in(text: str, side: str, before: int = 0) -> tuple[Offer, ...]:
    """The exhibits that a side offers in a reply; `before`: how many it has offered already, for those without
    numbers."""
    text = text[:LONGEST]
    marks = [mark for mark in _EXHIBIT.finditer(text) if not _quoted(text, mark.start())]
    found: dict[int, Offer] = {}
    for mark, after in zip(marks, [*marks[1:], None], strict=bool(marks)):
        words = text[mark.end() : after.start() if after else len(text)].strip()
        number = int(to_decimal(mark["n"]) or 0)
        if words and number not in found:
            found[number] = _offer(side, number, _title(words), words)
    if not marks:
        told = "。".join(part for part in _SENTENCE.findall(text) if not _NONE_LEFT.search(part))
        return (_offer(side, before + 1, match["title"], told),) if (match := _OFFERS.search(told)) else ()
    return tuple(found.values())[:MOST]


def _quoted(text: str, at: int) -> bool:
    return text.rfind("“", 0, at) > text.rfind("”", 0, at)


def _title(words: str) -> str:
    depth = 0
    for at, character in enumerate(words[:120]):
        depth += (character == "《") - (character == "》")
        if depth <= 0 and _TITLE_END.match(character) and not (character in "（(" and at < 40):
            return words[:at]
    return words[:60]


def _offer(side: str, number: int, title: str, words: str) -> Offer:
    rest = words.replace(title, "", 1)
    excerpt = _EXCERPT.search(rest)
    plain = rest.replace(excerpt[0], "") if excerpt else rest
    proves = _PURPOSE.search(plain) or _PROVES.search(plain)
    purpose = proves["purpose"].strip("；;，, ") if proves else ""
    return Offer(side, number, title.strip("，,。；;：: 、"), purpose, excerpt["excerpt"] if excerpt else "", words)


def none_left(text: str, offered: bool = False) -> bool:
    """Whether a side says that it has no (further) exhibits; beside an offer only its last sentence can say so."""
    parts = [part for part in _SENTENCE.findall(text[:LONGEST]) if part.strip()]
    if offered:
        return bool(parts) and bool(_NONE_LEFT.search(parts[-1])) and "证明" not in parts[-1]
    return any(_NONE_LEFT.search(part) for part in parts)


def spoken_on(text: str, offers: Sequence[Offer]) -> dict[int, str]:
    """What an opinion says of each exhibit, by number, as far as it speaks of single ones: from the sentence that
    names it (by title where none is named by number) to that which names the next; what is said of the others
    (其余证据) belongs to those without words of their own."""
    parts = re.split(r"(?<=[。；;\n])", text[:LONGEST])
    named = [numbers_named(head[0]) if (head := _ABOUT.match(part)) else frozenset[int]() for part in parts]
    if not any(named):
        named = [
            frozenset(one.number for one in offers if one.title and one.title[:20] in part[:60]) for part in parts
        ]
    found: dict[int, str] = {}
    rest, now = "", frozenset[int]()
    for part, numbers in zip(parts, named, strict=True):
        if not numbers and _OTHERS.match(part):
            rest, now = rest + part, numbers
            continue
        now = numbers or now
        found |= {number: found.get(number, "") + part for number in now}
    return {**({one.number: rest for one in offers} if rest and found else {}), **found}


def opinion_in(text: str) -> Opinion:
    """What a side says on one exhibit."""
    against: dict[Aspect, str] = {}
    for sentence in _SENTENCE.findall(text[:LONGEST]):
        clauses = [one for one in re.split(r"[，,]", NO_OBJECTION.sub("", sentence)) if one.strip()]
        hit = next((clause for clause in clauses if _NEGATIVE.search(clause)), None)
        if hit is None:
            continue
        meant = [aspect for pattern, aspects in _NAMED for aspect in aspects if pattern.search(hit)]
        why = "，".join(clause for clause in clauses if clause is not hit).strip() or sentence.strip()
        for aspect in meant or ["weight"]:
            against.setdefault(aspect, why[:160])
    plain = not re.search(r"无异议|没有异议|认可|属实|没有意见|无意见|不持异议", text)
    if not against and plain and len(text.strip()) > 20 and re.search(r"没有|不是|单方|未", text):
        against["weight"] = text.strip()[:160]
    return Opinion(against, text[:800])
