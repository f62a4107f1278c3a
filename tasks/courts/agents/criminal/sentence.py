"""Sentences of a criminal trial: the 量刑建议 as it was said in court, and how a sentence is pronounced and served.

A request is read as a judgment is: of what spans the prosecution names, the middle.
刑法第四十一条、第四十四条、第四十七条: a day in custody makes a day of 拘役 and 有期徒刑, two of 管制. Months,
calendar days and yuan.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from store.text.dates import plain_date
from store.text.numerals import int_to_chinese
from tasks.courts.agents.criminal.case import Case, hearing
from tasks.courts.agents.trial.agenda import filled
from tasks.courts.casefile.prosecution import TIMED, Sentence
from tasks.courts.casefile.sense import months_after
from tasks.courts.checking.criminal import term
from tasks.courts.scores.sentence import read_sentence
from tasks.legalsearch.charges import canonical

_N = r"[0-9零〇一二三四五六七八九十两]{1,4}"
_TERM = rf"({_N}年(?:零|又)?(?:{_N}个?月)?|{_N}个?月)"
_SUM = r"([0-9,.万]{1,16}|[零一二三四五六七八九十百千万两]{1,16})元?"
_TERMS = re.compile(rf"{_TERM}(?:至|到|-|—|以上)(?:有期徒刑|拘役|管制)?{_TERM}")
_SUMS = re.compile(rf"{_SUM}(?:至|到|-|—)(?:人民币)?{_SUM}")
_NO_SUSPENSION = re.compile(r"不(?:适用|宜适用|予适用|宣告)缓刑|实刑")
LEAST_FINE = 1000.0
"""Of 最高人民法院关于适用财产刑若干问题的规定第二条: what is asked for where a fine has no sum."""
_COUNT = re.compile(r"以(?P<name>[\u4e00-\u9fff、]{2,30}?罪)(?P<rest>判处[^；。]*)")
_REQUEST = re.compile(r"(?:量刑建议[^。\n]{0,4}[:：]|建议[^。；\n]{0,16}(?:判处|处以|适用))[^。\n]*")
_HELD = ("拘留", "逮捕")


def request_of(case: Case) -> Sentence | None:
    """The request over all charges; None where none was heard. The last one counts: a prosecutor may amend it."""
    return next((made for text in reversed(_texts(case)) if (made := _read(text))), None)


def count_request(case: Case, charge: str) -> Sentence | None:
    """What is asked for one charge of several."""
    for text in reversed(_texts(case)):
        for match in _COUNT.finditer(text):
            if canonical(match["name"]) == canonical(charge):
                return _read(match["rest"])
    return None


def _texts(case: Case) -> list[str]:
    return [match[0] for match in _REQUEST.finditer(case.all_of("procurator"))]


def _read(text: str) -> Sentence | None:
    ends = (_SUMS.sub(rf"\{end}元", _TERMS.sub(rf"\{end}", text)) for end in (1, 2))
    least, most = (read_sentence([one]) for one in ends)
    if least is None or most is None or least.kind not in (*TIMED, "单处罚金"):
        return None
    months = round((least.months + most.months) / 2)
    suspended = "缓刑" in text and not _NO_SUSPENSION.search(text)
    return Sentence(
        kind=least.kind,
        months=months,
        probation_months=(least.probation_months or months) if suspended else 0,
        fine=(least.fine + most.fine) / 2 or (LEAST_FINE if "罚金" in text else 0),
    )


def _money(yuan: float) -> str:
    """四千元; 1250.5元 where it is no whole number."""
    return f"{int_to_chinese(int(yuan))}元" if yuan == int(yuan) else f"{yuan:.2f}元"


def pronounced(made: Sentence) -> str:
    """判处有期徒刑八个月，缓刑一年，并处罚金人民币四千元."""
    if made.kind == "单处罚金":
        return f"单处罚金人民币{_money(made.fine)}"
    said = f"判处{made.kind}{term(made.months)}" if made.months else f"判处{made.kind}"
    if made.probation_months:
        said += f"，缓刑{term(made.probation_months)}"
    if made.fine:
        said += f"，并处罚金人民币{_money(made.fine)}"
    return said


def served(made: Sentence, custody: Sequence[Mapping[str, Any]]) -> str:
    """The note on how the sentence is served; '' for one without a term or a fine."""
    text = hearing()["order"]
    fine = text["fine"] if made.fine and made.kind != "单处罚金" else ""
    if made.kind == "单处罚金":
        return str(text["fine_only"])
    if not made.months:
        return ""
    if made.probation_months:
        return filled(text["suspended"], {"fine": fine})
    if made.kind == "管制":
        return filled(text["control"], {"fine": fine})
    since, less = set_off(custody)
    if since is None:
        return filled(text["served"], {"fine": fine})
    until = months_after(since, made.months) - timedelta(days=less)
    values = {"less": filled(text["less"], {"days": int_to_chinese(less)}) if less else "", "fine": fine}
    return filled(text["served_dates"], {**values, "since": plain_date(since), "until": plain_date(until)})


def set_off(custody: Sequence[Mapping[str, Any]]) -> tuple[date | None, int]:
    """The day since which the accused has been held without a break, and the days held before; None: he is not held
    now."""
    spans = sorted(
        (first, last) for one in custody if one.get("measure") in _HELD for first, last in [_span(one)] if first
    )
    if not spans or spans[-1][1] is not None:
        return None, 0
    since = spans[-1][0]
    earlier = 0
    for first, last in reversed(spans[:-1]):
        if last is not None and last >= since - timedelta(days=1):
            since = min(since, first)
        elif last is not None:
            earlier += (last - first).days + 1
    return since, earlier


def _span(one: Mapping[str, Any]) -> tuple[date, date | None]:
    first = date.fromisoformat(str(one["since"]))
    return first, date.fromisoformat(str(one["until"])) if one.get("until") else None
