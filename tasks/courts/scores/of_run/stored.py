"""The overall score of a courts run from the rows of its journal, without its case files: for lists of runs. Values
from 0 to 1.

It is the mean of column means as `means.overall` has it. A column in which a scored attempt still waits for a grader
is left out whole: the rest would be a selection of failures.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from store.journal import ScoreRow
from tasks.courts.environment import codes
from tasks.courts.scores.of_run.columns import FINISHED_ONLY, OVERALL, averaged
from tasks.scoring.metrics import RULES, Rule, Value
from tasks.scoring.overall import Overall

_GRADED = frozenset({"NBIN", "DOC", "JUD", "REA"})
"""Columns that take a grader's word."""


def stored_overall(rows: Iterable[ScoreRow]) -> Overall | None:
    """The mean of the columns of the published main table except VER, by rule, without a value where no column has
    one; None where nothing was scored."""
    columns: dict[tuple[Rule, str, str], list[Value]] = defaultdict(list)
    told = False
    waiting: set[tuple[Rule, str, str]] = set()
    known = {env: averaged(env) for env in codes()}
    for rule, settings, metric, value in _counted(rows):
        env = str(settings.get("env", ""))
        told = True
        if metric in known.get(env, ()):
            columns[rule, env, metric].append(value)
            if value is None and metric in _GRADED and settings.get("scored"):
                waiting.add((rule, env, metric))
    if not told:
        return None
    compat, strict = (
        _mean([_mean(values) for key, values in columns.items() if key[0] == rule and key not in waiting])
        for rule in RULES
    )
    return Overall(OVERALL, compat, strict)


def stored_values(rows: Sequence[ScoreRow]) -> dict[tuple[Rule, str], Value]:
    """The values of one attempt by rule and metric, the overall score among them."""
    values = {(rule, metric): value for rule, _, metric, value in _counted(rows)}
    found = stored_overall(rows)
    return values | {("compat", OVERALL): found.compat, ("strict", OVERALL): found.strict} if found else values


def _counted(rows: Iterable[ScoreRow]) -> Iterator[tuple[Rule, Mapping[str, object], str, Value]]:
    """Rule, settings, metric and value of all that counts: of a dialogue that reached not every topic the published
    scores do not."""
    for row in rows:
        rule = next((rule for rule in RULES if row.scorer.endswith(f"_{rule}")), None)
        settings = row.settings if isinstance(row.settings, dict) else {}
        if rule is None or not isinstance(row.value, dict):
            continue
        for metric, value in row.value.items():
            if rule == "strict" or metric not in FINISHED_ONLY or settings.get("finished"):
                yield rule, settings, metric, value


def _mean(values: Iterable[Value]) -> Value:
    there = [value for value in values if value is not None]
    return math.fsum(there) / len(there) if there else None
