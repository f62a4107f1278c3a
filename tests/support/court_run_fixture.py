"""Runs of the courts in a small world: one sample case of every environment, in turn, under the ids 1 to n."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from store.builder import PackBuilder
from tasks.courts.casefile.case import Case
from tasks.courts.environment import PUBLISHED
from tasks.sample.build import court_cases

ROLES = (
    "client",
    "tracker",
    "plaintiff",
    "defendant",
    "plaintiff_lawyer",
    "defendant_lawyer",
    "procurator",
    "defence_lawyer",
)
"""Seats beside the tested one and the clerk, of all environments."""


DROP = object()
"""The value of a field that is taken out."""


def changed(fields: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The fields of a case with another value at a path; `+` is behind the end of a list, a function makes the
    value."""
    fields = copy.deepcopy(fields)
    *way, last = path.split(".")
    place: Any = fields
    for key in way:
        place = place[int(key)] if isinstance(place, list) else place.setdefault(key, {})
    key = int(last) if isinstance(place, list) and last != "+" else last
    if callable(value):
        value = value(fields)
    if value is DROP:
        del place[key]
    elif last == "+":
        place.append(value)
    else:
        place[key] = value
    return fields


def first_cases() -> list[Case]:
    """The first sample case of each environment, in the order of the environments."""
    cases = court_cases()
    return [next(case for case in cases if case.env == env) for env in PUBLISHED]


def prepare_courts(folder: Path, tasks: int = len(PUBLISHED)) -> dict[str, Any]:
    """A pack without law, a task file, and the settings of a run on them; MOOT_HOME is `folder`."""
    with PackBuilder(
        "bare", jurisdiction="XX", source="test", licence="MIT", coverage="complete", as_of="2026-01-01"
    ) as pack:
        pack.add_row("CompanyInfo", {"公司名称": "甲公司", "公司代码": "999001"}, "authored")
    cases = first_cases()
    lines = [{**cases[n % len(cases)].fields(), "id": str(n + 1)} for n in range(tasks)]
    path = folder / "courts.jsonl"
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return {
        "benchmark": "courts", "agent": "rules", "model": "", "pack": "bare", "tasks": str(path), "seed": 5,
        "parallel": 2,
        "max_turns": None,
    }  # fmt: skip
