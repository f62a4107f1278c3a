"""CRI: of which crimes a judgment convicts.

Compat looks for the words of the gold charge anywhere in reasons or rulings, as published. Strict reads the charges
of the rulings and compares them as a set, each under its official name; charges beyond the gold's are named, and cost
the score.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from store.text.charges import canonical, charges, same_charges
from store.text.normalise import fold_width

_PUBLISHED = re.compile("犯(.*?)罪")
_VERB = re.compile(
    r"(?P<no>不)?(?:构成(?:犯(?!罪))?|(?<!侵)(?<!罪)犯(?!罪)[有了]?|以(?=[^,。;]{2,40}罪(?:判处|定罪|追究|处)))"
)
_NOT = re.compile(r"(?:不能|不足以|没有|并非|尚不|未)(?:认定|证明)?(?:被告人[^,。;]{0,8})?$")
_FAILS = re.compile(r"[\"”'》」]*(?:的)?(?:指控|罪名|事实|证据|,)*(?:证据不足|不能|不成立|不予)")
_CLAUSE = re.compile(r"[^,。;:\n]*")
_STOP = re.compile(
    r"(?<=罪)[\"“”'》」]*(?:判处|处以|处(?=[有拘管罚死无])|免予|免除|免于|定罪|追究|并处|单处|不能|不成立|一案|的|$)"
)
_UNDONE = re.compile(r"(?:撤销|曾因|前因|此前)[^;。\n]*?(?:[;。\n]|,(?=被告人)|$)")
_ACQUITTED = re.compile(r"无罪(?!的?(?:辩护|意见|辩解))")
_NOTE = re.compile(r"\((?!边\))[^()]{0,400}\)")
_QUOTES = re.compile(r"[\"“”'‘’「」《》]")


@dataclass(frozen=True, slots=True)
class ChargeScore:
    """said: official names without 罪; extra, missing: against the gold; value: 1 for the same set, else 0."""

    value: float
    said: tuple[str, ...]
    extra: tuple[str, ...]
    missing: tuple[str, ...]
    acquitted: bool


def published_charge(reason: str, rulings: str, gold: Sequence[str]) -> float:
    """The published CRI: 1 where what stands between the first 犯 and the next 罪 of the gold occurs in the judgment.

    Args:
        reason, rulings: of the judgment, as said.
        gold: the gold rulings; only the first is read.
    """
    match = _PUBLISHED.search(gold[0]) if gold else None
    name = match[1] if match else ""
    return float(bool(name) and (name in reason or name in rulings))


def convictions(rulings: Sequence[str]) -> tuple[str, ...]:
    """The charges of which rulings convict, as they write them: 盗窃罪, 掩饰、隐瞒犯罪所得罪.

    Earlier convictions (撤销 …, 曾因犯 …) and charges that are said not to hold do not count.
    """
    found: list[str] = []
    for ruling in rulings:
        text = _QUOTES.sub("", _UNDONE.sub("", _NOTE.sub("", fold_width(ruling).replace("国(边)境", "国边境"))))
        place = 0
        while match := _VERB.search(text, place):
            clause = _CLAUSE.match(text, match.end())
            assert clause is not None
            place = max(match.end(), clause.end())
            if match["no"] or _NOT.search(text[max(0, match.start() - 24) : match.start()]):
                continue
            stop = _STOP.search(clause[0])
            head = clause[0][: stop.start()] if stop else clause[0]
            name = head[: head.rfind("罪") + 1].strip()
            if len(name) > 2 and not _FAILS.match(clause[0].strip()[len(name) :]):
                found += [part for part in re.split(r"(?<=罪)(?:、|和|与|及|以及|并)", name) if len(part) > 2]
    return tuple(dict.fromkeys(found))


def score_charges(rulings: Sequence[str], gold: Sequence[str]) -> ChargeScore:
    """The strict CRI. A gold without charges is an acquittal, earned by 无罪 and no conviction."""
    said = frozenset(name for text in convictions(rulings) for name in charges(text))
    wanted = frozenset(canonical(name) for name in gold)
    acquitted = not said and any(_ACQUITTED.search(ruling) for ruling in rulings)
    same = same_charges(said, wanted) if wanted else acquitted
    extra, missing = (said - wanted, wanted - said) if not same else (frozenset(), frozenset())
    return ChargeScore(float(same), tuple(sorted(said)), tuple(sorted(extra)), tuple(sorted(missing)), acquitted)
