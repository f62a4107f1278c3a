"""The overall score of a courts run from the rows of its journal, without its case files: for lists of runs. Values
from 0 to 1.

It is the mean of column means as `means.overall` has it. A column in which a scored attempt still waits for a grader
is left out whole: the rest would be a selection of failures.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

from store.journal import ScoreRow
from tasks.courts.environment import codes
from tasks.courts.scores.of_run.columns import FINISHED_ONLY, averaged
from tasks.scoring.metrics import RULES, Rule, Value
from tasks.scoring.overall import Overall

_GRADED = frozenset({"NBIN", "DOC", "JUD", "REA"})
"""Columns that take a grader's word."""


MEASURE = "overall"
"""What the figures of a run of the courts are called."""


def stored_overall(rows: Iterable[ScoreRow]) -> Overall | None:
    """The mean of the columns of the published main table except VER, by rule, without a value where no column has one;
    None where nothing was scored."""
    columns: dict[tuple[Rule, str, str], list[Value]] = defaultdict(list)
    told = False
    waiting: set[tuple[Rule, str, str]] = set()
    known = {env: averaged(env) for env in codes()}
    for row in rows:
        rule = next((rule for rule in RULES if row.scorer.endswith(f"_{rule}")), None)
        settings = row.settings if isinstance(row.settings, dict) else {}
        env = str(settings.get("env", ""))
        told = told or rule is not None
        if rule is None or not isinstance(row.value, dict):
            continue
        for metric, value in row.value.items():
            if metric not in known.get(env, ()):
                continue
            if rule == "compat" and metric in FINISHED_ONLY and not settings.get("finished"):
                continue
            columns[rule, env, metric].append(value)
            if value is None and metric in _GRADED and settings.get("scored"):
                waiting.add((rule, env, metric))
    if not told:
        return None
    compat, strict = (
        _mean([_mean(values) for key, values in columns.items() if key[0] == rule and key not in waiting])
        for rule in RULES
    )
    return Overall(MEASURE, compat, strict)


def _mean(values: Iterable[Value]) -> Value:
    there = [value for value in values if value is not None]
    return math.fsum(there) / len(there) if there else None
