"""Scores of LegalSearch: the block that `run`, `score`, `score-predictions` and every report print.

All scores are means from 0 to 100, by task. Compat is the published score, errors counted 0. Strict is the mean over
scored tasks, with bounds. `covered` is the mean over the questions whose statute the pack holds: a missing statute is no
fault of an agent. Intervals are at 95 %; the unit of sampling is `gold.cluster`. A consultation is scored by a grader's
verdict; without one it is unscored, and without any its task has no mean. An empty answer to it is wrong: no grader is asked.
`n_scored` says how many stand behind a mean, the bounds count the others as wrong or right.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tasks.episode.events import OUTCOMES
from tasks.legalsearch.answers import strict_answer
from tasks.legalsearch.kinds import IN_DOMAIN, KINDS, OUT_OF_DOMAIN
from tasks.legalsearch.measures import (
    COMPAT_VERSION,
    STRICT_VERSION,
    Measures,
    Verdict,
    compat_details,
    compat_score,
    strict_details,
    strict_score,
)
from tasks.legalsearch.questions import Question
from tasks.legalsearch.versions import Attribution, VersionTexts, attribute
from tasks.scoring.result import Result, Score
from tasks.scoring.statistics import Interval, design_effect, effective_n, mean_interval, rate_interval

BENCHMARK = "legalsearch"
FLAGS = ("outside_pack", "leak", "repaired", "rejected", "human", "rag_only")
SCORERS = ("compat", "strict", "wrong_version")
WRONG_VERSION = "wrong-version/1"
DIGITS = 10
MAX_CONSTANTS = 256
"""So many distinct golds of a task are tried as its constant answer; of more, as many evenly spaced ones."""

RIGHT_OR_WRONG = frozenset({"letters", "charges", "months"})
"""Forms of answers that score 0 or 1."""

_YEAR = re.compile("([0-9]{4})年")

Value = float | None


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
class Rated:
    """One result with its scores; `details` by rule. `compat` counts an error as 0, `strict` is None for it."""

    question: Question
    result: Result
    covered: bool | None
    attribution: Attribution | None
    compat: Value
    strict: Value
    details: Mapping[str, Measures]


def _rate(question: Question, result: Result, evidence: Evidence) -> Rated:
    verdict = evidence.verdicts.get((result.task_id, result.epoch))
    recited = question.kind.form == "article"
    failed = 0.0 if question.kind.form != "consultation" or evidence.verdicts else None
    silent = question.kind.form == "consultation" and not strict_answer(result.res)
    return Rated(
        question,
        result,
        question.id in evidence.covered if recited and evidence.covered is not None else None,
        _attribution(question, result, evidence.versions) if recited and evidence.versions else None,
        failed if silent or not result.scored else compat_score(question, result.res, verdict),
        None if not result.scored else failed if silent else strict_score(question, result.res, verdict),
        {"compat": compat_details(question, result.res), "strict": strict_details(question, result.res)},
    )


def _attribution(question: Question, result: Result, versions: VersionTexts) -> Attribution | None:
    if not result.scored:
        return None
    return attribute(strict_answer(result.res), question.gold.answer, versions(question))


def score_one(question: Question, result: Result, evidence: Evidence = NOTHING) -> list[Score]:
    """The scores of one attempt for the journal, as shares from 0 to 1."""
    rated = _rate(question, result, evidence)
    settings = {"outcome": result.outcome, "scored": result.scored, "task": question.kind.id}
    said = [{"read": strict_answer(result.res), "gold": question.gold.answer}]
    scores = [
        Score("compat", COMPAT_VERSION, settings, {"score": rated.compat, **rated.details["compat"]}, said),
        Score("strict", STRICT_VERSION, settings, {"score": rated.strict, **rated.details["strict"]}, said),
    ]
    if rated.attribution is not None:
        found = rated.attribution
        value: dict[str, Value] = {"wrong_version": float(found.reading == "wrong")}
        shown = [{"reading": found.reading, "version": found.label, "likeness": found.likeness}]
        scores.append(Score("wrong_version", WRONG_VERSION, settings, value, shown))
    return scores


def _mean(values: Iterable[Value], scale: float = 100.0) -> Value:
    numbers = [value for value in values if value is not None]
    return round(scale * math.fsum(numbers) / len(numbers), DIGITS) if numbers else None


def _interval(members: Sequence[Rated], pick: Callable[[Rated], Value]) -> Interval | None:
    """Wilson for what is right or wrong, else the interval of a mean; both know about clusters."""
    kept = [(value, one.question) for one in members if (value := pick(one)) is not None]
    values, clusters = [value for value, _ in kept], [question.gold.cluster for _, question in kept]
    if all(question.kind.form in RIGHT_OR_WRONG for _, question in kept):
        return rate_interval([value == 1.0 for value in values], clusters)
    return mean_interval(values, clusters)


def _bounds(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [round(100 * interval.low, DIGITS), round(100 * interval.high, DIGITS)]


def _covered(members: Sequence[Rated]) -> list[Rated]:
    return [one for one in members if one.covered]


def _coverage(members: Sequence[Rated]) -> int | None:
    return len(_covered(members)) if any(one.covered is not None for one in members) else None


def _compat(members: Sequence[Rated]) -> dict[str, Any]:
    return {
        "all": _mean(one.compat for one in members),
        "covered": _mean(one.compat for one in _covered(members)),
        "n": len(members),
        "n_covered": _coverage(members),
        "n_scored": sum(one.compat is not None for one in members),
    }


def _strict(members: Sequence[Rated]) -> dict[str, Any]:
    scored = [one for one in members if one.strict is not None]

    def with_errors(value: float) -> Value:
        return _mean(value if one.strict is None else one.strict for one in members) if scored else None

    return {
        "all": _mean(one.strict for one in members),
        "covered": _mean(one.strict for one in _covered(members)),
        "n": len(members),
        "n_covered": _coverage(members),
        "n_scored": len(scored),
        "bounds": {"errors_as_zero": with_errors(0.0), "errors_as_one": with_errors(1.0)},
    }


def _details(members: Sequence[Rated], rule: str) -> dict[str, Value]:
    scored = [one.details[rule] for one in members if one.result.scored]
    return {
        name: _mean((measures[name] for measures in scored), 1.0 if name == "log_distance" else 100.0)
        for name in (scored[0] if scored else ())
    }


Rule = Callable[[Question, str, Verdict | None], Value]
RULES: dict[str, Rule] = {"compat": compat_score, "strict": strict_score}
PICKS: dict[str, Callable[[Rated], Value]] = {"compat": lambda one: one.compat, "strict": lambda one: one.strict}


def _constant(questions: Sequence[Question], rule: Rule) -> dict[str, Any] | None:
    """The gold that, given to every question of a task, earns most; the first in alphabetical order among equals."""
    golds = sorted({question.gold.answer for question in questions})
    if len(golds) > MAX_CONSTANTS:
        golds = [golds[index * len(golds) // MAX_CONSTANTS] for index in range(MAX_CONSTANTS)]
    best: tuple[float, str] | None = None
    for gold in golds if questions[0].kind.form != "consultation" else ():
        mean = _mean(rule(question, gold, None) for question in questions)
        if mean is not None and (best is None or mean > best[0]):
            best = mean, gold
    return None if best is None else {"all": best[0], "answer": best[1]}


def floors(questions: Sequence[Question]) -> dict[str, Any]:
    """The best constant answer of each task under both rules, from the golds of the questions at hand."""
    by_task = _by_task(questions, lambda question: question)
    return {
        name: {task: _constant(members, rule) for task, members in by_task.items()} for name, rule in RULES.items()
    }


def ceilings(questions: Sequence[Question]) -> dict[str, Any]:
    """What the gold answers themselves earn; less than 100 would show a fault of a rule or of the data."""
    by_task = _by_task(questions, lambda question: question)
    perfect = Verdict(True, True)
    return {
        name: {
            task: {"all": _mean(rule(question, question.gold.answer, perfect) for question in members)}
            for task, members in by_task.items()
        }
        for name, rule in RULES.items()
    }


def _by_task(items: Sequence[Any], question: Callable[[Any], Question]) -> dict[str, list[Any]]:
    """Items by task in the order of the published tables; tasks without any are left out."""
    parts: dict[str, list[Any]] = {task: [] for task in KINDS}
    for item in items:
        parts[question(item).kind.id].append(item)
    return {task: members for task, members in parts.items() if members}


def _overall(means: Mapping[str, Value]) -> dict[str, Any]:
    """Plain mean of the task means, as published; `missing` names tasks of the domain that have no score here."""
    made = {}
    for domain, tasks in (("in_domain", IN_DOMAIN), ("out_of_domain", OUT_OF_DOMAIN)):
        scored = [task for task in tasks if means.get(task) is not None]
        made[domain] = {
            "mean": _mean((means[task] for task in scored), 1.0),
            "tasks": scored,
            "missing": [task for task in tasks if task not in scored],
        }
    return made


def wrong_version(rated: Sequence[Rated]) -> dict[str, Any] | None:
    """Share of recitals that are the article of another day, over those that are some version of it; None for none.

    Whoever recites nothing that resembles the article mixes nothing up: such answers are counted as `neither`.

    `covered` is the same over the questions whose text the pack holds: an agent that looks up what is not there can only
    give a neighbouring version.
    """
    found = [one for one in rated if one.attribution is not None]
    if not found:
        return None
    return {**_mixed_up(found), "covered": _mixed_up(_covered(found))}


def _mixed_up(found: Sequence[Rated]) -> dict[str, Any]:
    readings = Counter(one.attribution.reading for one in found if one.attribution)
    said = [one for one in found if one.attribution and one.attribution.reading != "neither"]
    wrong = [one.attribution is not None and one.attribution.reading == "wrong" for one in said]
    return {
        "rate": _mean(map(float, wrong)),
        "interval": _bounds(rate_interval(wrong, [one.question.gold.cluster for one in said])),
        "n": len(said),
        **{reading: readings.get(reading, 0) for reading in ("right", "wrong", "neither")},
    }


def by_year(rated: Sequence[Rated]) -> dict[str, dict[str, Any]]:
    """Recitals by the year of their question, oldest first: one row of the heat map of years."""
    years: dict[str, list[Rated]] = {}
    for one in rated:
        match = _YEAR.search(one.question.text)
        if one.question.kind.form == "article" and match:
            years.setdefault(match[1], []).append(one)
    return {year: _compat(years[year]) for year in sorted(years)}


def score_block(
    run: str, questions: Sequence[Question], results: Sequence[Result], evidence: Evidence = NOTHING
) -> dict[str, Any]:
    """The score block of a run.

    Args:
        run: id of the run.
        questions: all tasks that were asked; one without a result counts as an error.
        results: what the episodes came to, in any order, repeats included; results of no question are left out.
        evidence: coverage, verdicts of the grader, texts of versions.
    """
    known = {question.id: question for question in questions}
    found = {result.task_id for result in results}
    missing = [Result(question.id, "error", "", "") for question in questions if question.id not in found]
    rated = [
        _rate(known[result.task_id], result, evidence) for result in [*results, *missing] if result.task_id in known
    ]
    tasks = _by_task(rated, lambda one: one.question)
    intervals: dict[str, Any] = {rule: {} for rule in PICKS}
    methods: dict[str, Any] = {rule: {} for rule in PICKS}
    for rule, pick in PICKS.items():
        for task, members in tasks.items():
            made = {"all": _interval(members, pick), "covered": _interval(_covered(members), pick)}
            intervals[rule][task] = {part: _bounds(interval) for part, interval in made.items()}
            methods[rule][task] = {part: interval.method if interval else None for part, interval in made.items()}
    outcomes = Counter(one.result.outcome for one in rated)
    flags = Counter(flag for one in rated for flag in one.result.flags)
    tokens = [one.result.tokens for one in rated]
    compat = {task: _compat(members) for task, members in tasks.items()}
    strict = {task: _strict(members) for task, members in tasks.items()}
    return {
        "run": run,
        "benchmark": BENCHMARK,
        "n": len(rated),
        "groups": {task: len(members) for task, members in tasks.items()},
        "epochs": max((one.result.epoch for one in rated), default=0) + 1,
        "outcomes": {outcome: outcomes.get(outcome, 0) for outcome in OUTCOMES},
        "flags": {flag: flags.get(flag, 0) for flag in dict.fromkeys((*FLAGS, *sorted(flags)))},
        "compat": compat,
        "strict": strict,
        "details": {
            rule: {task: finer for task, members in tasks.items() if (finer := _details(members, rule))}
            for rule in PICKS
        },
        "overall": {
            rule: _overall({task: scores["all"] for task, scores in block.items()})
            for rule, block in (("compat", compat), ("strict", strict))
        },
        "intervals": intervals,
        "interval_methods": methods,
        "floor": {"rule": "best constant answer", **floors(questions)},
        "ceiling": {"rule": "gold answer", **ceilings(questions)},
        "ungraded": sum(one.strict is None and one.result.scored for one in rated),
        "wrong_version": wrong_version(rated),
        "lar_by_year": by_year(rated),
        "temporal": {task: sum(one.question.temporal for one in members) for task, members in tasks.items()},
        "clusters": {task: len({one.question.gold.cluster for one in members}) for task, members in tasks.items()},
        "design_effect": {task: _effect(members, design_effect) for task, members in tasks.items()},
        "effective_n": {task: _effect(members, effective_n) for task, members in tasks.items()},
        "tokens": {
            "total": sum(tokens),
            "mean": sum(tokens) / len(tokens) if tokens else None,
            "tasks": sum(count > 0 for count in tokens),
        },
        "scorers": {"compat": COMPAT_VERSION, "strict": STRICT_VERSION, "wrong_version": WRONG_VERSION},
    }


def _effect(members: Sequence[Rated], rule: Callable[[Sequence[float], Sequence[str]], float]) -> Value:
    kept = [(one.compat, one.question.gold.cluster) for one in members if one.compat is not None]
    return rule([value for value, _ in kept], [cluster for _, cluster in kept]) if kept else None
