"""How a sentence is pronounced: term, fine, suspension in words; days in custody set off against the term.

刑法第四十一条、第四十四条、第四十七条: a day in custody makes a day of 拘役 and 有期徒刑, two of 管制. Days are calendar days.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from store.text.dates import plain_date
from store.text.numerals import int_to_chinese
from tasks.courts.agents.criminal.agenda import hearing
from tasks.courts.agents.criminal.asking import filled
from tasks.courts.casefile.prosecution import Sentence
from tasks.courts.casefile.sense import months_after
from tasks.courts.checking.criminal import term

_HELD = ("拘留", "逮捕")


def money(yuan: float) -> str:
    """四千元; 1250.5元 where it is no whole number."""
    return f"{int_to_chinese(int(yuan))}元" if yuan == int(yuan) else f"{yuan:.2f}元"


def pronounced(made: Sentence) -> str:
    """判处有期徒刑八个月，缓刑一年，并处罚金人民币四千元."""
    if made.kind == "单处罚金":
        return f"单处罚金人民币{money(made.fine)}"
    said = f"判处{made.kind}{term(made.months)}" if made.months else f"判处{made.kind}"
    if made.probation_months:
        said += f"，缓刑{term(made.probation_months)}"
    if made.fine:
        said += f"，并处罚金人民币{money(made.fine)}"
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
