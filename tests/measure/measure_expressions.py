"""Times as people write them, labelled by somebody who had not seen the readers: read right, said unknown, or wrong.

A row is right when every time is read (marked ones by overlap, others to the day, a day forgiven at a border) and
nothing else is; it is said unknown when what was not read is named in a note; else it is wrong. The sentences of
`dev.jsonl` are there to mend classes by, those of `held.jsonl` only to measure. Units: rows.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from store.search.period import Period
from store.search.times import periods

TABLES = Path(__file__).resolve().parents[1] / "law_expressions"
TODAY = date(2026, 11, 22)
FLOORS = {"dev": (163, 22), "held": (142, 45)}
"""Table -> rows read right at least, rows read wrongly at most."""


def same(wanted: dict[str, Any], got: Period) -> bool:
    """Whether a period is what the words mean."""
    first = date.fromisoformat(wanted["from"]) if wanted["from"] else date.min
    last = date.fromisoformat(wanted["to"]) if wanted["to"] else date.max
    got_first, got_last = got.first or date.min, got.last or date.max
    if wanted["approx"]:
        return got_first <= last and first <= got_last
    day = timedelta(days=1)
    near = [(first, got_first), (last, got_last)]
    return all(a == b or (date.min < min(a, b) and max(a, b) < date.max and abs(a - b) <= day) for a, b in near)


def verdict(row: dict[str, Any]) -> str:
    """right, unknown or wrong."""
    got, notes = periods(row["text"], today=TODAY)
    left = list(got)
    missed = 0
    for wanted in row["times"]:
        found = next((one for one in left if same(wanted, one)), None)
        if found is None:
            missed += 1
        else:
            left.remove(found)
    unsaid = [words for words in row["unknown"] if not notes]
    if not missed and not left and not unsaid:
        return "right"
    return "unknown" if notes and not left else "wrong"


@pytest.mark.parametrize("table", FLOORS)
def test_times_are_read_or_said_to_be_unknown(table: str) -> None:
    rows = [json.loads(line) for line in (TABLES / f"{table}.jsonl").read_text(encoding="utf-8").splitlines()]
    by_class: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        by_class[row["class"]][verdict(row)] += 1
    for name, counts in sorted(by_class.items()):
        print(
            f"{table:5} {name:18} right {counts['right']:3} unknown {counts['unknown']:3} wrong {counts['wrong']:3}"
        )
    total = sum(by_class.values(), Counter[str]())
    print(f"{table:5} {'all':18} right {total['right']:3} unknown {total['unknown']:3} wrong {total['wrong']:3}")
    right, wrong = FLOORS[table]
    assert total["right"] >= right and total["wrong"] <= wrong
