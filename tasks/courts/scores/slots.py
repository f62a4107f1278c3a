"""What a document has to hold, as slots that can be checked without a grader: claims, amounts, dates, exhibits,
points.

A slot is filled when its section says it: amounts and dates by value (20万元 is 200000元), words by shared pairs of
characters. Shares are from 0 to 1; amounts in yuan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tasks.courts.casefile.case import CivilCase
from tasks.courts.casefile.material import Exhibit
from tasks.courts.scores.bigrams import bigrams, makes_point, recall, sentences
from tasks.courts.scores.drafted import Kind, bare, side
from tasks.scoring.strict import strict_hit

Part = Literal["CLA", "F&R", "EVI", "DEF"]
TITLE_SHARE = 0.7
"""An exhibit is named when so much of its title stands in one line."""
_SHORT = 8
"""Sentences with fewer pairs make no point of their own."""

_DAY = re.compile(r"\d{4}年\d{1,2}月\d{1,2}日")
_SUM = re.compile(r"\d[\d,]*(?:\.\d+)?[百千万亿]*元")
_NUMBERED = re.compile(r"^[ \t]*[(（]?\d{1,2}[)）.．、][ \t]*", re.MULTILINE)
_ASIDE = re.compile(r"（[^（）]{0,200}）|\([^()]{0,200}\)")
_ASKS = re.compile(r"^(?:请求)?(?:依法)?判令(?:被告|原告)?")


@dataclass(frozen=True, slots=True)
class Slot:
    """One thing that a section has to say. `of`: the claim, exhibit or defence it belongs to, if any."""

    kind: Literal["claim", "amount", "date", "point", "exhibit", "source", "witness"]
    text: str
    of: str = ""

    def filled(self, section: str) -> bool:
        """Whether a section says it."""
        if self.kind in ("amount", "date"):
            # 3．2020年3月5日 is the third item, not 3.2020.
            listed = _NUMBERED.sub("", section)
            return strict_hit(self.text, listed) or _stands(self.text, listed)
        if self.kind == "witness":
            return bare(self.text) in bare(section)
        if self.kind == "exhibit":
            wanted = bigrams(self.text)
            return any(recall(wanted, bigrams(line)) >= TITLE_SHARE for line in section.splitlines())
        return makes_point(self.text, section)


def slots(case: CivilCase, part: Part) -> tuple[Slot, ...]:
    """What a part of the document has to say; empty where the case has nothing of the kind."""
    return tuple(dict.fromkeys(_OF[part](case)))


def coverage(wanted: Sequence[Slot], section: str) -> float | None:
    """The share of the slots that a section fills; None where there are no slots."""
    return sum(slot.filled(section) for slot in wanted) / len(wanted) if wanted else None


def own_exhibits(case: CivilCase, kind: Kind) -> list[Exhibit]:
    """The exhibits of the side that the document is drafted for."""
    party = side(case, "plaintiff" if kind == "CD" else "defendant")
    return [exhibit for exhibit in case.evidence if party is not None and exhibit.owner == party.id]


def yuan(amount: float) -> str:
    """200000元, 2311.25元."""
    return f"{amount:.2f}".rstrip("0").rstrip(".") + "元"


def _stands(value: str, section: str) -> bool:
    """The same letters, no digit before them: a day behind 至 or 自 is a day as well."""
    return re.search(rf"(?<![\d.,]){re.escape(bare(value))}", bare(section)) is not None


def _claims(case: CivilCase) -> Iterator[Slot]:
    for claim in case.claims:
        yield Slot("claim", _ASKS.sub("", _ASIDE.sub("", claim.text)), claim.id)
        if claim.amount and strict_hit(yuan(claim.amount), claim.text):
            yield Slot("amount", yuan(claim.amount), claim.id)


def _facts(case: CivilCase) -> Iterator[Slot]:
    plaintiff = side(case, "plaintiff")
    told = case.complaint or "".join(
        fact.text for fact in case.facts if plaintiff is not None and plaintiff.id in fact.known_by
    )
    yield from _values(told)
    yield from _points(told)


def _evidence(case: CivilCase) -> Iterator[Slot]:
    for exhibit in own_exhibits(case, "DD" if case.env == "DD" else "CD"):
        yield Slot("exhibit", exhibit.title, exhibit.id)
        if exhibit.source:
            yield Slot("source", exhibit.source, exhibit.id)
        if exhibit.witness:
            for text in filter(None, (exhibit.witness.name, exhibit.witness.address)):
                yield Slot("witness", text, exhibit.id)


def _defence(case: CivilCase) -> Iterator[Slot]:
    if case.defences:
        for defence in case.defences:
            yield Slot("point", defence.text, defence.id)
            yield from _values(defence.text, defence.id)
    else:
        yield from _values(case.answer)
        yield from _points(case.answer)


_OF = {"CLA": _claims, "F&R": _facts, "EVI": _evidence, "DEF": _defence}


def _values(text: str, of: str = "") -> Iterator[Slot]:
    for match in _DAY.finditer(text):
        yield Slot("date", match.group(), of)
    for match in _SUM.finditer(text):
        yield Slot("amount", match.group(), of)


def _points(text: str) -> Iterator[Slot]:
    for sentence in sentences(text):
        if len(bigrams(sentence)) >= _SHORT:
            yield Slot("point", sentence.strip())
