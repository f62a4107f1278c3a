"""Scores of LegalSearch: of an attempt, and the metric rows of a run; `summary.py` has the block that is printed of
them.

All scores are means from 0 to 100, by task. Compat is the published score, errors counted 0. Strict is the mean over
scored tasks, with bounds. `covered` is the mean over the questions whose statute the pack holds: a missing statute is
no fault of an agent. Intervals are at 95 %; the unit of sampling is `gold.cluster`. A consultation is scored by a
grader's verdict; without one it is unscored, and where some wait and none has one their task has no mean. An empty
answer to it is wrong: no grader is asked. Who abstains recites no version: strictly 0, and counted apart. `n_scored`
says how many stand behind a mean, the bounds count the others as wrong or right.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tasks.legalsearch.answers import strict_answer
from tasks.legalsearch.coverage import ABSTAINED, Attribution, VersionTexts, attribute
from tasks.legalsearch.measures import (
    Measures,
    Verdict,
    compat_details,
    compat_score,
    strict_details,
    strict_score,
)
from tasks.legalsearch.questions import LawQuestion
from tasks.legalsearch.settings import KINDS
from tasks.legalsearch.summary import ALL, COVERED, DOMAINS, GROUPS, LawSummary, VersionConfusion
from tasks.scoring.metrics import (
    DISTANCE,
    POINTS,
    AttemptCounts,
    Group,
    Limit,
    Measure,
    Metric,
    Rule,
    Value,
    in_points,
)
from tasks.scoring.names import DISTANCES
from tasks.scoring.result import Result, Score, ScoredAttempt, complete, with_versions
from tasks.scoring.statistics import Interval, design_effect, effective_n, mean_interval, rate_interval

BENCHMARK = "legalsearch"
FLAGS = (
    "outside_pack", "leak", "repaired", "rejected", "length", "repetition", "no_tool", "same_calls", "human",
    "rag_only", "abstained",
)  # fmt: skip
VERSIONS = {"compat": "compat/2", "strict": "strict/2", "wrong_version": "wrong-version/1"}
"""Of the scorers."""
DIGITS = 10
MAX_CONSTANTS = 256
"""So many distinct golds of a task are tried as its constant answer; of more, as many evenly spaced ones."""

RIGHT_OR_WRONG = frozenset({"letters", "charges", "months"})
"""Forms of answers that score 0 or 1."""

_YEAR = re.compile("([0-9]{4})年")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What scoring needs beyond questions and results.

    covered: ids of the questions whose statute the pack holds, None when nobody looked. verdicts: (task id, epoch) ->
    the grader's word. versions: the article of a question in every version, for the wrong-version rate.
    """

    covered: Collection[str] | None = None
    verdicts: Mapping[tuple[str, int], Verdict] = field(default_factory=dict)
    versions: VersionTexts | None = None


NOTHING = Evidence()


@dataclass(frozen=True, slots=True)
class LawScores:
    """One attempt with its scores; `details` by rule. `compat` counts an error as 0, `strict` is None for it."""

    question: LawQuestion
    result: Result
    covered: bool | None
    attribution: Attribution | None
    compat: Value
    strict: Value
    details: Mapping[str, Measures]


def _rated(question: LawQuestion, one: ScoredAttempt, evidence: Evidence) -> LawScores:
    """An attempt with the scores of its rows; one without rows is no answer."""
    recited = question.kind.form == "article"
    details: dict[str, Measures] = {rule: one.values(rule) for rule in PICKS}
    compat, strict = (details[rule].pop("score", None) for rule in PICKS)
    return LawScores(
        question,
        one.result.light(),
        question.id in evidence.covered if recited and evidence.covered is not None else None,
        next(map(_stored, one.evidence("wrong_version")), None),
        compat if one.rows else 0.0,
        strict,
        details,
    )


def _without_failures(rated: Sequence[LawScores]) -> list[LawScores]:
    """The attempts before any grader spoke: where consultations wait for one those that failed would be a selection,
    and no consultation has a score."""
    asked = {one.question.id for one in rated if one.question.kind.form == "consultation"}
    if not any(one.question.id in asked and one.strict is None and one.result.scored for one in rated):
        return list(rated)
    return [replace(one, compat=None, strict=None) if one.question.id in asked else one for one in rated]


def _stored(seen: Mapping[str, Any]) -> Attribution:
    return Attribution(seen["reading"], seen["version"], seen["likeness"])


def _attribution(question: LawQuestion, result: Result, versions: VersionTexts) -> Attribution | None:
    if not result.scored:
        return None
    found = attribute(strict_answer(result.res), question.gold.answer, versions(question))
    return Attribution(ABSTAINED, "", 0.0) if found and ABSTAINED in result.flags else found


def score_one(question: LawQuestion, result: Result, evidence: Evidence = NOTHING) -> list[Score]:
    """The scores of one attempt for the journal, as shares from 0 to 1."""
    verdict = evidence.verdicts.get((result.task_id, result.epoch))
    recited = question.kind.form == "article"
    silent = question.kind.form == "consultation" and not strict_answer(result.res)
    abstained = recited and ABSTAINED in result.flags
    compat = 0.0 if silent or not result.scored else compat_score(question, result.res, verdict)
    strict = 0.0 if silent or abstained else strict_score(question, result.res, verdict)
    settings = {"outcome": result.outcome, "scored": result.scored, "task": question.kind.id}
    said = [{"read": strict_answer(result.res), "gold": question.gold.answer}]
    scores = [
        Score(
            "compat", VERSIONS["compat"], settings, {"score": compat, **compat_details(question, result.res)}, said
        ),
        Score(
            "strict",
            VERSIONS["strict"],
            settings,
            {"score": strict if result.scored else None, **strict_details(question, result.res)},
            said,
        ),
    ]
    if recited and evidence.versions and (found := _attribution(question, result, evidence.versions)) is not None:
        value: dict[str, Value] = {"wrong_version": float(found.reading == "wrong")}
        shown = [{"reading": found.reading, "version": found.label, "likeness": found.likeness}]
        scores.append(Score("wrong_version", VERSIONS["wrong_version"], settings, value, shown))
    return scores


def _mean(values: Iterable[Value], scale: float = 100.0) -> Value:
    numbers = [value for value in values if value is not None]
    return round(scale * math.fsum(numbers) / len(numbers), DIGITS) if numbers else None


Scorer = Callable[[LawQuestion, str, Verdict | None], Value]
ANSWERS: Mapping[Rule, Scorer] = {"compat": compat_score, "strict": strict_score}
PICKS: Mapping[Rule, Callable[[LawScores], Value]] = {
    "compat": lambda one: one.compat,
    "strict": lambda one: one.strict,
}
MEASURES = tuple(Measure(rule, name, unit=POINTS) for rule in PICKS for name in (ALL, COVERED))
"""What is scored, in the order of tables."""


def _interval(members: Sequence[LawScores], pick: Callable[[LawScores], Value]) -> Interval | None:
    """Wilson for what is right or wrong, else the interval of a mean; both know about clusters."""
    kept = [(value, one.question) for one in members if (value := pick(one)) is not None]
    values, clusters = [value for value, _ in kept], [question.cluster for _, question in kept]
    if all(question.kind.form in RIGHT_OR_WRONG for _, question in kept):
        return in_points(rate_interval([value == 1.0 for value in values], clusters))
    return in_points(mean_interval(values, clusters))


def _covered(members: Sequence[LawScores]) -> list[LawScores]:
    return [one for one in members if one.covered]


def _bounds(members: Sequence[LawScores]) -> tuple[Value, Value]:
    """The mean if errors were 0, and if they were 1; no value where nothing was scored."""
    if all(one.strict is None for one in members):
        return None, None
    low, high = (_mean(missing if one.strict is None else one.strict for one in members) for missing in (0.0, 1.0))
    return low, high


def _scores(
    measure: Measure, group: Group, members: Sequence[LawScores], limits: Mapping[Limit, Value]
) -> Metric | None:
    """A score of a task; None where nobody looked which questions are covered."""
    assert measure.rule
    pick, strict = PICKS[measure.rule], measure.rule == "strict"
    if measure.name == COVERED:
        if all(one.covered is None for one in members):
            return None
        inside = _covered(members)
        return Metric(measure, group, _mean(map(pick, inside)), len(inside), _interval(inside, pick))
    waiting = sum(one.strict is None and one.result.scored for one in members)
    return Metric(
        measure, group, _mean(map(pick, members)), sum(pick(one) is not None for one in members),
        _interval(members, pick), limits, _bounds(members) if strict else None,
        f"{waiting} not graded" if waiting else "", bool(waiting), not measure.section,
    )  # fmt: skip


def _details(members: Sequence[LawScores], group: Group) -> list[Metric]:
    scored = [one for one in members if one.result.scored]
    made = []
    for rule in PICKS:
        for name in scored[0].details[rule] if scored else ():
            unit = DISTANCE if name in DISTANCES else POINTS
            value = _mean((one.details[rule][name] for one in scored), 1.0 if unit is DISTANCE else unit.top)
            made.append(Metric(Measure(rule, name, unit=unit, section="details"), group, value, len(scored)))
    return made


def constant(questions: Sequence[LawQuestion], rule: Rule) -> tuple[float, str] | None:
    """The gold that, given to every question of a task, earns most, and its mean; the first in alphabetical order
    among equals."""
    golds = sorted({question.gold.answer for question in questions})
    if len(golds) > MAX_CONSTANTS:
        golds = [golds[index * len(golds) // MAX_CONSTANTS] for index in range(MAX_CONSTANTS)]
    best: tuple[float, str] | None = None
    for gold in golds if questions[0].kind.form != "consultation" else ():
        mean = _mean(ANSWERS[rule](question, gold, None) for question in questions)
        if mean is not None and (best is None or mean > best[0]):
            best = mean, gold
    return best


def ceiling(questions: Sequence[LawQuestion], rule: Rule) -> Value:
    """What the gold answers themselves earn; less than 100 would show a fault of a rule or of the data."""
    return _mean(ANSWERS[rule](question, question.gold.answer, Verdict(True, True)) for question in questions)


def mixed_up(rated: Sequence[LawScores]) -> VersionConfusion | None:
    """Share of recitals that are the article of another day, over those that are some version of it; None for none.

    Whoever recites nothing that resembles the article mixes nothing up: such answers are counted as `neither`, those
    that say that the text is missing as `abstained`.
    """
    found = [(one, one.attribution.reading) for one in rated if one.attribution is not None]
    if not found:
        return None
    readings = Counter(reading for _, reading in found)
    said = [(one.question.cluster, reading == "wrong") for one, reading in found if reading in ("right", "wrong")]
    wrong = [mixed for _, mixed in said]
    interval = in_points(rate_interval(wrong, [cluster for cluster, _ in said]))
    return VersionConfusion(
        _mean(map(float, wrong)), interval, len(said), readings["right"], readings["wrong"], readings["neither"],
        readings[ABSTAINED],
    )  # fmt: skip


def _by_year(rated: Sequence[LawScores]) -> list[Metric]:
    """Recitals by the year of their question, oldest first: one row of the heat map of years."""
    years: dict[str, list[LawScores]] = {}
    for one in rated:
        match = _YEAR.search(one.question.text)
        if one.question.kind.form == "article" and match:
            years.setdefault(match[1], []).append(one)
    found = []
    for year in sorted(years):
        group = Group(year, (year, year), len(years[year]))
        for name in (ALL, COVERED):
            row = _scores(Measure("compat", name, unit=POINTS, section="year"), group, years[year], {})
            found += [row] if row else []
    return found


def summarise(
    run: str, questions: Sequence[LawQuestion], attempts: Iterable[ScoredAttempt], evidence: Evidence = NOTHING
) -> LawSummary:
    """What a run came to.

    Args:
        run: id of the run.
        questions: all tasks that were asked; one without a result counts as an error.
        attempts: with their rows, in any order, repeats included; attempts at no question are left out.
        evidence: coverage, verdicts of the grader.
    """
    known = {question.id: question for question in questions}
    versions: dict[str, str] = {}
    found = complete(questions, with_versions(attempts, versions))
    rated = [_rated(known[one.result.task_id], one, evidence) for one in found]
    rated = rated if evidence.verdicts else _without_failures(rated)
    tasks = {task: own for task in KINDS if (own := [one for one in rated if one.question.group == task])}
    asked = {task: [question for question in questions if question.group == task] for task in tasks}
    groups = [_group(task, members) for task, members in tasks.items()]
    best = {(rule, task): constant(own, rule) for rule in PICKS for task, own in asked.items()}
    rows: list[Metric] = []
    for measure in MEASURES:
        rule = measure.rule or "compat"
        for group in groups:
            floor = best[rule, group.name]
            limits: dict[Limit, Value] = {} if floor is None else {"floor": floor[0]}
            limits["reference"] = ceiling(asked[group.name], rule)
            row = _scores(measure, group, tasks[group.name], limits)
            rows += [row] if row else []
    domains, means = _domains(rows)
    recited = [one for one in rated if one.attribution is not None]
    wrong = mixed_up(recited)
    return LawSummary(
        run, BENCHMARK, AttemptCounts.of([one.result for one in rated], FLAGS), [*groups, *domains],
        sorted([*rows, *means], key=lambda row: MEASURES.index(row.measure))
        + [row for group in groups for row in _details(tasks[group.name], group)] + _by_year(rated),
        versions, "rules",
        constants={key: floor[1] for key, floor in best.items() if floor},
        ungraded=sum(one.strict is None and one.result.scored for one in rated),
        wrong_version=(wrong, mixed_up(_covered(recited)) or VersionConfusion()) if wrong else None,
        dated={task: sum(one.question.temporal for one in members) for task, members in tasks.items()},
    )  # fmt: skip


def _domains(rows: Sequence[Metric]) -> tuple[list[Group], list[Metric]]:
    """Plain means of the task means, as published, of those domains of which some task has a score."""
    scores = {
        (row.measure.rule, row.group.name): row for row in rows if row.measure.name == ALL and row.value is not None
    }
    groups, means = [], []
    for domain, tasks in DOMAINS.items():
        there = {rule: [row for task in tasks if (row := scores.get((rule, task)))] for rule in PICKS}
        if there["compat"]:
            group = Group(domain, GROUPS[domain], None, whole=True)
            groups.append(group)
            for measure in MEASURES:
                if measure.name == ALL:
                    own = there[measure.rule or "compat"]
                    means.append(
                        Metric(
                            measure,
                            group,
                            _mean((row.value for row in own), 1.0),
                            sum(row.group.n or 0 for row in own),
                        )
                    )
    return groups, means


def _group(task: str, members: Sequence[LawScores]) -> Group:
    kept = [(one.compat, one.question.cluster) for one in members if one.compat is not None]
    drawn = [value for value, _ in kept], [cluster for _, cluster in kept]
    effects = (design_effect(*drawn), effective_n(*drawn)) if kept else (None, None)
    return Group(task, GROUPS[task], len(members), len({one.question.cluster for one in members}), *effects)
