"""Scores of the drafted documents of CD and DD: FOR and DOC with its parts, published and strict (shares from 0 to
1).

Published: FOR keeps both faults of the published code (the order of the labels never counts; the three labels of a
defence are divided by five, so that it ends at 0.6), identity fields are looked up letter by letter. Strict: the
order counts, the divisor is the number of labels, fields are compared in one spelling. Text parts are graded; without
a grader they are missing and only the proxies, slot coverage, speak. No document: every score is 0.

The proxies count slots: claims, amounts, dates, exhibits, points. A slot is filled when its section says it: amounts
and dates by value (20万元 is 200000元), words by shared pairs of characters. Amounts in yuan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from store.text.dates import plain_date
from store.text.ideographs import HAN
from tasks.agents.prompts import fill
from tasks.courts.casefile.case import CivilCase
from tasks.courts.casefile.people import Party
from tasks.courts.scores.bigrams import bigrams, makes_point, recall, sentences
from tasks.courts.scores.drafted import (
    DraftDocument,
    Kind,
    bare,
    kind_of_case,
    own_exhibits,
    published_document,
    side,
    strict_document,
)
from tasks.episode.plain import plain_text
from tasks.scoring.result import Grading
from tasks.scoring.strict import strict_hit

DIVISOR = 5
"""What the published code divides the labels of either document by."""
Rates = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class PartSpec:
    """One part of DOC: its section, the party whose identity it is, or the slots and the prompt of a text part."""

    name: str
    section: str
    side: Literal["plaintiff", "defendant", ""] = ""
    slots: Part | None = None
    prompt: str = ""


PARTS: Mapping[Kind, tuple[PartSpec, ...]] = {
    "CD": (
        PartSpec("PLA", "plaintiff", "plaintiff"),
        PartSpec("DEF", "defendant", "defendant"),
        PartSpec("CLA", "claims", slots="CLA", prompt="grader-claims/1"),
        PartSpec("EVI", "evidence", slots="EVI", prompt="grader-evidence/1"),
        PartSpec("F&R", "facts", slots="F&R", prompt="grader-facts/1"),
    ),
    "DD": (
        PartSpec("RES", "respondent", "defendant"),
        PartSpec("DEF", "answer", slots="DEF", prompt="grader-defence/1"),
        PartSpec("EVI", "evidence", slots="EVI", prompt="grader-evidence/1"),
    ),
}


@dataclass(frozen=True, slots=True)
class DocumentScore:
    """Rates by name: FOR with Label and Seq, DOC with its parts, and for the strict reading the proxies of the text
    parts.

    `document` is None when there is none; `evidence`: part -> what was found and what is missing.
    """

    rates: Rates
    document: DraftDocument | None
    evidence: dict[str, object] = field(default_factory=dict)


def compat_score(case: CivilCase, messages: Sequence[str], grades: Mapping[str, float | None]) -> DocumentScore:
    """The published scores of the messages of the tested lawyer.

    Args:
        case: of CD or DD; a trial raises ValueError.
        messages: of the tested lawyer, in order.
        grades: part -> 0 to 1; None or not there: not graded.
    """
    parts, document = _parts(case), published_document(case, messages)
    if document is None:
        return _nothing(parts, proxies=False)
    drafted = strict_document(case, messages)
    rates: Rates = {"FOR": len(document.found) / DIVISOR, "Label": document.labels, "Seq": 1.0}
    evidence: dict[str, object] = {"labels": list(document.found), "ordered": document.ordered}
    for part in parts:
        if part.side:
            # Where the section is not found the published code looks in the whole text.
            section = document.sections.get(part.section) or document.text
            values = [_published_value(value) for _, value in identity(side(case, part.side))]
            rates[part.name] = whole_mean([float(value in section) for value in values])
        else:
            # A later message that only mentions the document is what the published grader reads; it holds nothing.
            same = drafted is not None and drafted.message == document.message
            rates[part.name] = grades.get(part.name) if same else 0.0
    rates["DOC"] = whole_mean([rates[part.name] for part in parts])
    return DocumentScore(rates, document, evidence)


def strict_score(case: CivilCase, messages: Sequence[str], grades: Mapping[str, float | None]) -> DocumentScore:
    """The strict scores, and the proxies `CLA_proxy`, …, `DOC_proxy`; arguments as for `compat_score`.

    A text part whose section is missing is 0. A part of which the case has nothing (no exhibits) is left out.
    """
    parts, document = _parts(case), strict_document(case, messages)
    if document is None:
        return _nothing(parts, proxies=True)
    label, seq = document.labels, float(document.ordered)
    rates: Rates = {"FOR": label * seq, "Label": label, "Seq": seq}
    evidence: dict[str, object] = {
        "labels": list(document.found), "ordered": document.ordered, "repeated": list(document.repeated)
    }  # fmt: skip
    proxies: list[float | None] = []
    for part in parts:
        section = document.sections.get(part.section, "")
        if part.slots is None:
            missing = [name for name, value in identity(side(case, part.side)) if not stated(name, value, section)]
            asked = len(identity(side(case, part.side)))
            rates[part.name] = (asked - len(missing)) / asked if asked else None
            evidence[part.name] = {"missing": missing}
            proxies.append(rates[part.name])
            continue
        wanted = slots(case, part.slots)
        filled = coverage(wanted, section)
        rates[part.name] = grades.get(part.name) if section.strip() else 0.0
        rates[f"{part.name}_proxy"] = filled
        evidence[part.name] = {"missing": [_told(slot) for slot in wanted if not slot.filled(section)]}
        proxies.append(filled)
    rates["DOC"] = whole_mean([rates[part.name] for part in parts])
    rates["DOC_proxy"] = whole_mean(proxies)
    return DocumentScore(rates, document, evidence)


def gradings(case: CivilCase, messages: Sequence[str]) -> list[Grading]:
    """What a grader is asked: one grading a text part whose section is there; nothing without a document."""
    document = strict_document(case, messages)
    made: list[Grading] = []
    for part in _parts(case) if document else ():
        section = document.sections.get(part.section, "") if document else ""
        if part.prompt and section.strip():
            text = fill(part.prompt, gold=gold_text(case, part), given=section[:LONGEST])
            made.append(graded(part.prompt, text, part.name))
    return made


def gold_text(case: CivilCase, part: PartSpec) -> str:
    """What a grader compares a text part with: the material of the client."""
    if part.slots == "CLA":
        return "\n".join(f"{number}. {claim.text}" for number, claim in enumerate(case.claims, 1))
    if part.slots == "F&R":
        return case.complaint or "\n".join(fact.text for fact in case.facts)
    if part.slots == "DEF":
        return case.answer or "\n".join(f"{number}. {item.text}" for number, item in enumerate(case.defences, 1))
    lines = []
    for number, exhibit in enumerate(own_exhibits(case, "DD" if case.env == "DD" else "CD"), 1):
        witness = f"；证人：{exhibit.witness.name}，{exhibit.witness.address}" if exhibit.witness else ""
        source = f"；来源：{exhibit.source}" if exhibit.source else ""
        lines.append(f"{number}. {exhibit.title}{source}；{exhibit.purpose}{witness}")
    return "\n".join(lines) or "（无）"


def identity(party: Party | None) -> list[tuple[str, str | date]]:
    """The identity fields that count and have a value: five of a person, three of an organisation."""
    if party is None:
        return []
    names = ("name", "representative", "address") if party.kind == "company" else (
        "name", "gender", "ethnicity", "birth_date", "address"
    )  # fmt: skip
    return [(name, value) for name in names if (value := getattr(party, name))]


def _published_value(value: str | date) -> str:
    return plain_date(value) if isinstance(value, date) else value


_ALONE = rf"(?<![{HAN}]){{}}(?![{HAN}])"


def stated(name: str, value: str | date, section: str) -> bool:
    """Whether a section states an identity field: days in any spelling, 汉 for 汉族, 男 only as a word of its own."""
    if isinstance(value, date):
        return strict_hit(_published_value(value), section)
    if name == "gender":
        return re.search(rf"性别[:： ]*{value}|" + _ALONE.format(value), section) is not None
    if name == "ethnicity":
        short = value.removesuffix("族")
        return re.search(rf"{short}族|民族[:： ]*{short}", section) is not None
    return bare(value) in bare(section)


def _parts(case: CivilCase) -> list[PartSpec]:
    kind = kind_of_case(case)
    if kind is None:
        raise ValueError(f"{case.id} asks for no document")
    return [
        part for part in PARTS[kind] if (slots(case, part.slots) if part.slots else identity(side(case, part.side)))
    ]


def _nothing(parts: Sequence[PartSpec], *, proxies: bool) -> DocumentScore:
    names: Iterator[str] = iter(("FOR", "Label", "Seq", "DOC", *(part.name for part in parts)))
    rates: Rates = dict.fromkeys(names, 0.0)
    if proxies:
        rates |= {f"{part.name}_proxy": 0.0 for part in parts if part.slots} | {"DOC_proxy": 0.0}
    return DocumentScore(rates, None, {"document": "missing"})


def _told(slot: SectionPoint) -> dict[str, str]:
    return {"kind": slot.kind, "text": slot.text, "of": slot.of}


def whole_mean(values: Sequence[float | None]) -> float | None:
    """The mean; None where there is nothing, or where one value is missing."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


TOP = 10
LONGEST = 6000
"""Characters of an answer or of a section that a grader reads."""
SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "reason": {"type": "string", "minLength": 1, "maxLength": 300},
        "score": {"enum": list(range(TOP + 1))},
    },
    "required": ["reason", "score"],
    "additionalProperties": False,
}
"""The grade is an enumeration: a grammar cannot enforce the range of a number."""


def graded(prompt: str, text: str, name: str) -> Grading:
    """A grading with the one verdict `name`: the score over 10; None where the grading failed."""

    def read(value: Mapping[str, Any]) -> tuple[dict[str, float | None], dict[str, object]]:
        return {name: int(value["score"]) / TOP}, {"verdict": name, "reason": plain_text(str(value["reason"]))}

    return Grading(prompt, text, SCHEMA, read, {name: None})


# --- what a document has to hold, as slots --------------------------------------------------------------------------

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
class SectionPoint:
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


def slots(case: CivilCase, part: Part) -> tuple[SectionPoint, ...]:
    """What a part of the document has to say; empty where the case has nothing of the kind."""
    return tuple(dict.fromkeys(_OF[part](case)))


def coverage(wanted: Sequence[SectionPoint], section: str) -> float | None:
    """The share of the slots that a section fills; None where there are no slots."""
    return sum(slot.filled(section) for slot in wanted) / len(wanted) if wanted else None


def yuan(amount: float) -> str:
    """200000元, 2311.25元."""
    return f"{amount:.2f}".rstrip("0").rstrip(".") + "元"


def _stands(value: str, section: str) -> bool:
    """The same letters, no digit before them: a day behind 至 or 自 is a day as well."""
    return re.search(rf"(?<![\d.,]){re.escape(bare(value))}", bare(section)) is not None


def _claims(case: CivilCase) -> Iterator[SectionPoint]:
    for claim in case.claims:
        yield SectionPoint("claim", _ASKS.sub("", _ASIDE.sub("", claim.text)), claim.id)
        if claim.amount and strict_hit(yuan(claim.amount), claim.text):
            yield SectionPoint("amount", yuan(claim.amount), claim.id)


def _facts(case: CivilCase) -> Iterator[SectionPoint]:
    plaintiff = side(case, "plaintiff")
    told = case.complaint or "".join(
        fact.text for fact in case.facts if plaintiff is not None and plaintiff.id in fact.known_by
    )
    yield from _values(told)
    yield from _points(told)


def _evidence(case: CivilCase) -> Iterator[SectionPoint]:
    for exhibit in own_exhibits(case, "DD" if case.env == "DD" else "CD"):
        yield SectionPoint("exhibit", exhibit.title, exhibit.id)
        if exhibit.source:
            yield SectionPoint("source", exhibit.source, exhibit.id)
        if exhibit.witness:
            for text in filter(None, (exhibit.witness.name, exhibit.witness.address)):
                yield SectionPoint("witness", text, exhibit.id)


def _defence(case: CivilCase) -> Iterator[SectionPoint]:
    if case.defences:
        for defence in case.defences:
            yield SectionPoint("point", defence.text, defence.id)
            yield from _values(defence.text, defence.id)
    else:
        yield from _values(case.answer)
        yield from _points(case.answer)


_OF = {"CLA": _claims, "F&R": _facts, "EVI": _evidence, "DEF": _defence}


def _values(text: str, of: str = "") -> Iterator[SectionPoint]:
    for match in _DAY.finditer(text):
        yield SectionPoint("date", match.group(), of)
    for match in _SUM.finditer(text):
        yield SectionPoint("amount", match.group(), of)


def _points(text: str) -> Iterator[SectionPoint]:
    for sentence in sentences(text):
        if len(bigrams(sentence)) >= _SHORT:
            yield SectionPoint("point", sentence.strip())
