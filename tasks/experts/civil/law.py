"""Which articles a civil judgment of first instance cites: by cause, by what was claimed and pleaded, as of the day.

The table is law.toml. Facts before the Civil Code (2021-01-01) are judged by the law of their time, those that
went on after it by the Code (《时间效力规定》第一条). An article that the index of laws does not know on the day is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

from store.statutes.applicable import CaseDates
from store.text.dates import dates_in
from tasks.courts.agents.citing import Cited, cite
from tasks.tables import beside

CODE = date(2021, 1, 1)
"""From this day on the Civil Code applies."""
_PERIOD = re.compile(r"自?[^。；]{0,24}?日(?:起)?[^。；]{0,16}(?:至|到)(?P<end>[^。；]{4,20}?日)")


@dataclass(frozen=True, slots=True)
class Cause:
    """The part of the table on one cause."""

    name: str
    group: str
    moment: str
    entries: tuple[Mapping[str, Any], ...]


def _table() -> Mapping[str, Any]:
    return beside(__package__, "law")


@cache
def cause_of(cause: str) -> Cause:
    """The first entry of the table that fits a cause of action."""
    entry = next(one for one in _table()["causes"] if re.search(one["match"], cause or "民事"))
    when = tuple(entry.get("when", ()))
    return Cause(
        entry["name"], entry["group"], entry.get("moment", "period"),
        ({"pattern": "", "laws": entry["laws"], "before": entry.get("before", ())}, *when),
    )  # fmt: skip


def causes() -> Sequence[str]:
    """Names of the causes the table knows."""
    return tuple(one["name"] for one in _table()["causes"])


def references() -> Iterator[Cited]:
    """Every article of the table."""
    for entry in [*_table()["common"], *_table()["causes"]]:
        for part in (entry, *entry.get("when", ())):
            for text in (*part["laws"], *part.get("before", ())):
                yield _reference(text)


def under_old_law(moment: str, story: str, hearing: date | None) -> bool:
    """Whether the facts lie before the Code: the end of the first period they name, of an event its day."""
    if moment == "hearing":
        return hearing is not None and hearing < CODE
    period = _PERIOD.search(story)
    ends = dates_in(period["end"]) if period and moment != "event" else []
    first = dates_in(story)[:1]
    told = ends or first
    return bool(told) and told[0] < CODE


def articles(
    cause: str,
    claims: str,
    answer: str,
    everything: str,
    acted: date | None,
    hearing: date | None,
    *,
    old: bool,
    granted: str = "",
) -> list[Cited]:
    """The articles for a case, those of substance first, in the order of the table, each once and known on the day.

    Args:
        cause: 案由.
        claims, answer, everything: what was claimed, pleaded, and said in all.
        acted, hearing: first day of the facts, day of the hearing.
        old: the law before the Code applies.
        granted: the claims that hold, whole or in part.
    """
    found = cause_of(cause)
    texts = {"claims": claims, "answer": answer, "all": everything, "granted": granted}
    general = [one for one in _table()["common"] if one["group"] in (found.group, "any")]
    named: list[Cited] = []
    for entry in (*found.entries, *general):
        if re.search(entry["pattern"], texts[entry.get("on", "all")]):
            named += [_reference(text) for text in entry.get("before" if old else "laws", ())]
    dates = CaseDates(acted, None, hearing, hearing)
    return [one for one in dict.fromkeys(named) if one.known(dates)]


def burden() -> Cited:
    """民诉法解释第九十条: who has to prove what, and what follows if he does not."""
    return Cited(_table()["names"]["民诉解释"], 90)


def continued() -> Cited:
    """Facts that began before the Code and went on after it are judged by the Code (时间效力规定第一条第三款)."""
    return Cited(_table()["names"]["时间效力"], 1, paragraph=3)


def _reference(text: str) -> Cited:
    name, _, number = text.partition(" ")
    return cite(number, _table()["names"][name])
