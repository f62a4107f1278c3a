"""The judgment of a criminal case as gold: charges, 宣告刑, reasons and laws, by the readers of the scores. Terms in
months, fines in yuan."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from store.text.normalise import fold_width
from tasks.courts.from_judgment.citing import laws_of
from tasks.courts.from_judgment.figures import TERM, days, months
from tasks.courts.from_judgment.sections import Paper
from tasks.courts.from_judgment.stories import clipped, ruled_lines
from tasks.courts.scores.charge import convictions
from tasks.courts.scores.rulings import read_judgment
from tasks.courts.scores.sentence import read_sentence

_ACCUSED = re.compile(r"被告人(?P<name>[^,。;:、\s被告]{2,12}?)(?=犯|无罪|的行为(?:已)?构成)")
_FROM_TO = re.compile(r"(?:刑期|即)?自(?P<since>[^,。;()]{6,20}?日)起至(?P<until>[^,。;()]{6,20}?日)止")
_RIGHTS = re.compile(rf"剥夺政治权利(?P<term>{TERM})")
_THINGS = re.compile(r"追缴|退赔|没收|退出违法所得|发还|上缴")
_ADOPTED = re.compile(
    r"量刑(?:建议|意见)[^。;]{0,40}?(?P<no>不予采纳|不当|偏[轻重高低])|量刑(?:建议|意见)[^。;]{0,50}?(?P<yes>予以采纳"
    r"|应予采纳|予以支持|予以确认|可予采纳|采纳)"
)
_OUT_OF_COURT = ("死刑", "无期徒刑")


def accused_in(ruled: str) -> list[str]:
    """Whom the rulings call 被告人, in order."""
    return list(dict.fromkeys(match["name"] for match in _ACCUSED.finditer(fold_width(ruled))))


def of_accused(text: str, name: str) -> str:
    """A text without what it says of other accused; the whole text where it names one only, or none by this name."""
    marks = list(_ACCUSED.finditer(fold_width(text)))
    names = {mark["name"] for mark in marks}
    if len(names) < 2 or name not in names:
        return text
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    own = (text[mark.start() : end] for mark, end in zip(marks, ends, strict=True) if mark["name"] == name)
    return text[: marks[0].start()] + "".join(own)


def criminal_gold(paper: Paper, notes: list[str]) -> dict[str, Any]:
    """The fields of `CriminalGold` that reasons, laws and rulings of a judgment give. `notes` gathers what a reader
    has to know."""
    rulings = read_judgment(f"本院认为\n判决如下：\n{paper.ruled}").rulings
    charges = list(convictions(rulings))
    sentence = _sentence(paper.reason, paper.ruled, rulings, charges)
    if sentence is None:
        notes.append("gold.sentence: the rulings pronounce no sentence that can be read")
    made = {
        "charges": charges,
        "sentence": sentence,
        "judgment": ruled_lines(paper.ruled),
        "reason": clipped(paper.reason, "gold.reason", notes),
        **laws_of(paper.laws, notes),
    }
    given = {key: value for key, value in made.items() if value not in ("", [], {}, None)}
    return given | ({"charges": []} if sentence and sentence["kind"] == "无罪" else {})


def _sentence(reason: str, ruled: str, rulings: tuple[str, ...], charges: list[str]) -> dict[str, Any] | None:
    """宣告刑 by the reader of the scores, and what else the rulings say of it."""
    read = read_sentence(rulings)
    if read is None:
        return None
    folded = fold_width(ruled)
    found: dict[str, Any] = {
        "kind": read.kind,
        "months": read.months,
        "probation_months": read.probation_months,
        "fine": read.fine,
    }
    if (match := _RIGHTS.search(folded)) and (term := months(match["term"])) and read.kind not in _OUT_OF_COURT:
        found["political_rights_months"] = term
    if not read.probation_months and (match := _FROM_TO.search(folded)):
        ends = [next((day.day for day in days(match[key])), None) for key in ("since", "until")]
        found |= {
            key: day.isoformat() for key, day in zip(("since", "until"), ends, strict=True) if isinstance(day, date)
        }
    found["property"] = "\n".join(line for line in ruled_lines(ruled) if _THINGS.search(line))[:20_000]
    if match := _ADOPTED.search(fold_width(reason)):
        found["request_adopted"] = match["no"] is None
    if len(charges) > 1:
        found["counts"] = _counts(folded, charges)
    return {key: value for key, value in found.items() if value is False or value not in ("", 0, [], None)}


def _counts(ruled: str, charges: list[str]) -> list[dict[str, object]]:
    """Each crime by itself, where the rulings say its punishment."""
    found = []
    for charge in charges:
        start = ruled.find(charge)
        others = [
            place for other in charges if other != charge and (place := ruled.find(other, start + 1)) > start >= 0
        ]
        ends = [
            *others,
            *(place for word in ("决定执行", "数罪并罚") if (place := ruled.find(word, start)) > 0),
            len(ruled),
        ]
        read = read_sentence([ruled[start : min(ends)]]) if start >= 0 else None
        if read is not None:
            fine = {"fine": read.fine} if read.fine else {}
            found.append({"charge": charge, "kind": read.kind, "months": read.months, **fine})
    return found
