"""The scores of one attempt as rows of the journal: both rules apart, each with what it rests on."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from store.journal import ScoreRow
from tasks.courts.casefile.case import CivilCase, CriminalCase
from tasks.courts.casefile.questions import CourtQuestion
from tasks.courts.environment import codes, environment
from tasks.courts.play.record import for_procedure
from tasks.courts.procedure import pfs
from tasks.courts.procedure.hearing import hearing_of
from tasks.courts.scores.consistency import Consistency
from tasks.courts.scores.of_run.columns import FINISHED_ONLY, OVERALL, averaged
from tasks.courts.scores.of_run.rating import Heard, rates
from tasks.courts.scores.of_run.rests import of_procedure, rests
from tasks.courts.scores.of_run.simulators import answered, consistencies
from tasks.courts.settings import settings_of
from tasks.courts.simulated.validity import Validity
from tasks.scoring.context import ScoreContext
from tasks.scoring.metrics import RULES, Rule, Value
from tasks.scoring.overall import Overall
from tasks.scoring.result import Result, Score

CONSISTENCY_VERSION, VALIDITY_VERSION = "consistency/1", "validity/1"


def score_one(question: CourtQuestion, result: Result, context: ScoreContext) -> list[Score]:
    """`topics_`, `documents_` or `judgment_` with `compat` and `strict`, `pfs_compat`, `pfs_strict`, `consistency`,
    `validity`.

    The evidence of a strict score ends with the rows of `rests`, which say of every value what it rests on.
    An attempt that the machinery broke is 0 in compat and missing in strict. The compat VER is a matter of a run.
    """
    case, spec = question.case, context.spec
    heard = Heard.of(case, result)
    grades = context.graded.get((result.task_id, result.epoch), {})
    found = rates(case, heard)(grades)
    settings: dict[str, object] = {"env": case.env, "outcome": result.outcome, "scored": result.scored}
    values = {"compat": found.compat, "strict": found.strict}
    evidence = {**found.evidence, "strict": [*found.evidence["strict"], *rests(case, heard, found)]}
    made = [
        Score(
            f"{found.name}_{rule}", found.versions[rule],
            {**settings, "failed": found.failed, "finished": found.finished}, dict(values[rule]), evidence[rule],
        )
        for rule in RULES
    ]  # fmt: skip
    if isinstance(case, CivilCase | CriminalCase) and environment(case.env).trial:
        turns = for_procedure(heard.record, case.env)
        name = settings_of(spec).profile if spec else "law"
        for score in pfs.scores(turns, hearing_of(case), name):
            more = of_procedure(score.evidence, name, case) if score.scorer == pfs.STRICT else []
            made.append(replace(score, settings={**settings, **score.settings}, evidence=[*score.evidence, *more]))
    if not result.scored:
        made = [_broken(score) for score in made]
    valid = answered(case, heard, settings_of(spec).profile if spec else "law")
    seen = consistencies(case, heard, (spec.seed if spec else 0) + result.epoch, valid)
    made.append(
        Score(
            "consistency", CONSISTENCY_VERSION, settings, {one.role: one.score for one in seen},
            [row for one in seen for row in _slips(one)],
        )
    )  # fmt: skip
    made.append(
        Score(
            "validity", VALIDITY_VERSION, settings, {one.role: one.share for one in valid},
            [row for one in valid for row in _invalid(one)],
        )
    )  # fmt: skip
    return made


def _broken(score: Score) -> Score:
    lost = 0.0 if score.scorer.endswith("_compat") else None
    return replace(score, value=dict.fromkeys(score.value, lost))


def _slips(found: Consistency) -> list[dict[str, object]]:
    style: list[dict[str, object]] = [{"role": found.role, "messages": found.messages, "style": found.style}]
    return style + [
        {"role": found.role, "message": slip.message, "slip": slip.kind, "text": slip.text} for slip in found.slips
    ]


def _invalid(found: Validity) -> list[dict[str, object]]:
    turns: list[dict[str, object]] = [{"role": found.role, "turns": found.turns}]
    return turns + [{"role": found.role, "message": at, "reason": reason} for at, reason in found.invalid.items()]


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
