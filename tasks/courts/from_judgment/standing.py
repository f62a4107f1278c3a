"""What a text on an accused tells of the time before the trial: earlier punishments, and 强制措施 of this case, each
kept apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, get_args

from store.text.normalise import fold_width
from tasks.courts.casefile.prosecution import Custody
from tasks.courts.from_judgment.figures import days

_MEASURES = tuple(
    name
    for name in ("指定居所监视居住", "监视居住", "取保候审", "逮捕", "拘留")
    if name in get_args(Custody.model_fields["measure"].annotation)
)
_MEASURE = re.compile(r"(?P<measure>指定居所监视居住|监视居住|取保候审|(?:执行|批准)?逮捕|(?:刑事)?拘留)")
_NOT_CUSTODY = re.compile(
    r"行政拘留|司法拘留|拘留[0-9一二三四五六七八九十]{1,3}[日天]|(?:决定|批准|不)(?:予)?逮捕(?:,|。|$)|解除|撤销"
)
_PUNISHED_SO = re.compile(r"行政拘留|司法拘留|拘留[0-9一二三四五六七八九十]{1,3}[日天]")
_HELD = re.compile(r"羁押|涉嫌|因本案")
_PLACE = re.compile(r"(?:现)?羁押于(?P<place>[^,。;]{2,30})")
_RECORD = re.compile(r"曾因|因犯|前科|刑满释放|行政处罚|劣迹|判处|累犯|行政拘留|违法犯罪记录")
_DAY_ALONE = re.compile(r"\s*[于自]?(?:[0-9]{4}年|同年)?[0-9]{1,2}月[0-9]{1,2}日[,;]?\s*")
_CLAUSE = re.compile(r"[^,;。\n]+[,;。\n]*")


@dataclass(frozen=True, slots=True)
class Standing:
    """record: 前科劣迹, "" where the text tells none; custody: as a case file writes it; rest: what is neither, or
    has no day."""

    record: str
    custody: tuple[dict[str, Any], ...]
    rest: str


def standing_of(text: str) -> Standing:
    """Sentence by sentence: what lies between the first and the last clause on measures of this case is custody, what
    else tells of punishments is the record.
    """
    record: list[str] = []
    custody: list[str] = []
    rest: list[str] = []
    for sentence in re.findall(r"[^。\n]+[。\n]?", text):
        clauses = [sentence[match.start() : match.end()] for match in _CLAUSE.finditer(fold_width(sentence))]
        held = [place for place, clause in enumerate(clauses) if _is_custody(clause)]
        first, last = (held[0], held[-1] + 1) if held else (0, 0)
        # A day may stand before the measure in a clause of its own.
        if first and _DAY_ALONE.fullmatch(fold_width(clauses[first - 1])):
            first -= 1
        custody.append("".join(clauses[first:last]))
        other = "".join([*clauses[:first], *clauses[last:]])
        (record if _RECORD.search(fold_width(other)) else rest).append(other)
    told = _custody("".join(custody))
    undated = "".join(custody) if not told else ""
    return Standing(_whole(record), tuple(told), _whole([*rest, undated]))


def _whole(parts: list[str]) -> str:
    return "".join(parts).strip(" ,，;；\n")


def _is_custody(clause: str) -> bool:
    folded = fold_width(clause)
    if _PUNISHED_SO.search(folded) or re.search(r"曾因|判处|刑满", folded):
        return False
    return bool(_HELD.search(folded) or _MEASURE.search(folded))


def _custody(told: str) -> list[dict[str, Any]]:
    """强制措施 with the day from which each holds; the next one ends it."""
    folded = fold_width(told)
    found: list[dict[str, Any]] = []
    named = list(days(told))
    for place, day in enumerate(named):
        until = named[place + 1].start if place + 1 < len(named) else len(folded)
        clause = re.split(r"[。]", folded[day.end : until])[0]
        match = _MEASURE.search(clause)
        if match is None or _NOT_CUSTODY.search(clause[: match.end() + 6]):
            continue
        measure = next(name for name in _MEASURES if name in match["measure"])
        if found:
            found[-1]["until"] = day.day.isoformat()
        found.append({"measure": measure, "since": day.day.isoformat()})
    if found and (place_match := _PLACE.search(folded)):
        found[-1]["place"] = told[place_match.start("place") : place_match.end("place")]
    return found
