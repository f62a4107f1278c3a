"""The 量刑建议 as it was said in court: kind, term or span of terms, suspension, fine. Months and yuan."""

from __future__ import annotations

import re
from dataclasses import dataclass

from store.text.numerals import to_decimal
from tasks.courts.agents.criminal.heard import Heard
from tasks.legalsearch.charges import canonical

_N = r"[0-9零〇一二三四五六七八九十两]{1,4}"
_SPAN = rf"(?:{_N}年(?:零|又)?(?:{_N}个?月)?|{_N}个?月)"
_TERM = re.compile(
    rf"(?P<kind>有期徒刑|拘役|管制)(?P<least>{_SPAN})(?:(?:至|到|-|—|以上)(?:(?:有期徒刑|拘役|管制)?)(?P<most>{_SPAN}))?"
)
_YEARS = re.compile(rf"(?:(?P<years>{_N})年)?(?:零|又)?(?:(?P<months>{_N})个?月)?")
_FINE = re.compile(
    r"罚金(?:人民币)?(?P<least>[0-9,.万]+|[零一二三四五六七八九十百千万两]+)元?(?:(?:至|到|-|—)(?:人民币)?(?P<most>[0-9,.万]+|[零一二三四五六七八九十百千万两]+)元?)?"
)
_SUSPENDED = re.compile(rf"缓刑(?:考验期(?:限)?)?(?P<term>{_SPAN})?")
_NO_SUSPENSION = re.compile(r"不(?:适用|宜适用|予适用|宣告)缓刑|实刑")
LEAST_FINE = 1000.0
"""Of 最高人民法院关于适用财产刑若干问题的规定第二条: what is asked for where a fine has no sum."""
_EXECUTED = re.compile(r"决定执行|合并执行")
_COUNT = re.compile(r"以(?P<name>[\u4e00-\u9fff、]{2,30}?罪)判处(?P<rest>[^；。]*)")
_REQUEST = re.compile(r"(?:量刑建议[^。\n]{0,4}[:：]|建议[^。；\n]{0,16}(?:判处|处以|适用))[^。\n]*")


@dataclass(frozen=True, slots=True)
class Request:
    """What the prosecution asks for. suspended: None where it leaves 缓刑 open."""

    kind: str
    months: tuple[int, int]
    suspended: bool | None = None
    probation: int = 0
    fine: tuple[float, float] | None = None


def request_of(heard: Heard) -> Request | None:
    """The request over all charges; None where none was heard. The last one counts: a prosecutor may amend it."""
    found = _texts(heard)
    for text in reversed(found):
        executed = _EXECUTED.search(text)
        if made := _read(text[executed.end() :] if executed else text):
            return made
    return None


def count_request(heard: Heard, charge: str) -> Request | None:
    """What is asked for one charge of several."""
    for text in reversed(_texts(heard)):
        for match in _COUNT.finditer(text):
            if canonical(match["name"]) == canonical(charge):
                return _read(match["rest"])
    return None


def _texts(heard: Heard) -> list[str]:
    said = [turn.text for turn in heard.record if turn.speaker == "procurator"]
    return [
        match[0] for text in said for match in _REQUEST.finditer(text) if _TERM.search(match[0]) or "罚金" in match[0]
    ]


def _read(text: str) -> Request | None:
    term, fine = _TERM.search(text), _FINE.search(text)
    if term is None and fine is None:
        return None
    least = months(term["least"]) if term else 0
    most = months(term["most"]) if term and term["most"] else least
    suspended = _SUSPENDED.search(text)
    refused = bool(_NO_SUSPENSION.search(text))
    sums = (_yuan(fine["least"]), _yuan(fine["most"] or fine["least"])) if fine else None
    return Request(
        term["kind"] if term else "单处罚金",
        (least, max(least, most)),
        False if refused else True if suspended else None,
        months(suspended["term"]) if suspended and suspended["term"] and not refused else 0,
        sums if sums and sums[1] else (LEAST_FINE, LEAST_FINE) if "罚金" in text else None,
    )


def months(text: str) -> int:
    """一年六个月 -> 18."""
    match = _YEARS.match(text)
    if not match:
        return 0
    years, rest = (int(to_decimal(match[part]) or 0) if match[part] else 0 for part in ("years", "months"))
    return min(years * 12 + rest, 300)


def _yuan(text: str) -> float:
    """A sum; 0 for what is none."""
    value = to_decimal(text.replace(",", ""))
    return float(value) if value is not None else 0.0
