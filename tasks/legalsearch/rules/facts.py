"""The facts of a criminal case, cut down to what was done, and how much they speak for each charge.

Points are without unit: 3 for a strong cue, 1 for a weak one, -3 for one that speaks against; a charge that the facts
name outright counts as its own cues do and more. The cues are a table, `charges.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from store.tables import Table, beside
from store.text.normalise import fold_width
from tasks.legalsearch.charges import canonical

STRONG, WEAK, AGAINST, NAMED = 3.0, 1.0, -3.0, 9.0
LONGEST = 1600
"""Characters of the facts that are read."""

_OPTIONS = re.compile(r"\n\s*选项\s*[:：]|\n\s*相关法条\s*[:：]")
_HEAD = re.compile(r"^\s*案件事实\s*[:：]\s*")
# Records of the accused and lists of evidence tell of other crimes, or of none.
_RECORD = re.compile(
    r"(?:曾|前|先后|又|还|此前)?因(?:涉嫌)?(?:犯|犯有)?[^，。；,;]{0,24}罪?(?:于[^，。；]{2,14})?被?[^，。；]{0,30}"
    r"(?:判处|劳动教养|刑满释放|行政拘留|强制戒毒|刑事拘留|取保候审|逮捕)[^。；;]{0,60}"
)
_EVIDENCE = re.compile(
    r"(?:上述(?:犯罪)?事实|认定上述|以上事实|为(?:证实|证明|支持)(?:上述|以上)?(?:指控|事实)|针对(?:上述|以上|指控)"
    r"|公诉机关(?:当庭)?(?:就|向|提供|提交|出示))"
    r"[^。]{0,900}?(?:证据|佐证|证实|证明|足以认定)[^。]{0,30}。?"
)
_STATED = re.compile(r"[\u4e00-\u9fff、()（）]{2,50}?罪(?![犯行名过责恶])")
_LEADING = re.compile(
    r".*(?:构成了?|应当?以|涉嫌|触犯了?|分别以|均以|已犯|犯|即|认定为|系|以|和|及|与)(?=[\u4e00-\u9fff])"
)
_SEVERAL = re.compile(
    r"数罪并罚|两罪|二罪|三罪|分别(?:触犯|构成|犯)|罪、(?:××|[\u4e00-\u9fff、]{2,40})罪|、××罪|和××罪|××罪[、和及]"
    r"|[一二两]、[^。；]{0,10}××|××(?:犯罪)?(?:事实|部分|罪)"
)


class Charge(Table):
    """One row of the table with its cues ready for use."""

    name: str
    strong: tuple[re.Pattern[str], ...] = ()
    weak: tuple[re.Pattern[str], ...] = ()
    against: tuple[re.Pattern[str], ...] = ()
    heading: str = ""

    @property
    def canonical(self) -> str:
        """Its official name of today."""
        return canonical(self.name)


@dataclass(frozen=True, slots=True)
class Facts:
    """What was done (`told`, without blanks), and the charges that the text names outright, canonical, in its
    order."""

    told: str
    stated: tuple[str, ...]
    several: bool
    """Whether the text speaks of several crimes."""
    points: Mapping[str, float]
    """Name of a charge in the table -> points; only those above 0."""


@cache
def table() -> tuple[Charge, ...]:
    """All charges, in the order of the file."""
    return tuple(Charge(name=name, **row) for name, row in beside(__package__, "charges").items())


@cache
def by_canonical() -> Mapping[str, Charge]:
    """Official name of today -> the first charge of that name in the table."""
    found: dict[str, Charge] = {}
    for charge in table():
        found.setdefault(charge.canonical, charge)
    return found


@lru_cache(maxsize=256)
def read_facts(question: str) -> Facts:
    """The facts of a question; options and named articles are left out."""
    whole = "".join(fold_width(_HEAD.sub("", _OPTIONS.split(question, maxsplit=1)[0])).split())
    without = _RECORD.sub("", whole)
    told = _EVIDENCE.sub("", without)[:LONGEST] or without[:LONGEST]
    stated = _stated(without[:4000])
    several = _SEVERAL.search(whole) is not None
    points = {}
    for charge in table():
        total = _points(charge, told) + (NAMED if charge.canonical in stated else 0.0)
        if total > 0:
            points[charge.name] = total
    return Facts(told, stated, several, points)


def _points(charge: Charge, told: str) -> float:
    strong = sum(cue.search(told) is not None for cue in charge.strong)
    weak: float = sum(cue.search(told) is not None for cue in charge.weak)
    if not strong and weak < 2:
        return 0.0
    against = sum(cue.search(told) is not None for cue in charge.against)
    if not strong:
        weak /= 2  # Words that go with a crime are little without an act.
    return STRONG * strong + WEAK * weak + AGAINST * against


def _stated(text: str) -> tuple[str, ...]:
    """Charges that the text names with 罪 behind them; those of other people and of former trials are gone
    already."""
    found: dict[str, None] = {}
    for match in _STATED.finditer(text):
        said = match.group()
        for start in range(len(said) - 2):
            name = canonical(said[start:])
            if name in by_canonical():
                found[name] = None
                break
    return tuple(found)
