"""Scores of LegalAgentBench: the block that `run`, `score`, `score-predictions` and every report print.

All rates are shares from 0 to 1, by hop group and for `all`; a group without tasks is left out. Compat is the mean over
all tasks of the published keyword rates, errors counted 0. Strict is the mean over scored tasks, with bounds. Intervals
are at 95 %; the unit of sampling is the solution path (`gold.cluster`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tasks.episode.events import OUTCOMES
from tasks.legalagentbench.questions import GROUPS, Question
from tasks.scoring.keywords import (
    COMPAT_VERSION,
    evidence_rate,
    evidence_rate_literal,
    explain,
    not_given,
    process_compat,
    process_strict,
    success_compat,
    success_strict,
)
from tasks.scoring.result import Result, Score
from tasks.scoring.statistics import (
    Interval,
    design_effect,
    effective_n,
    intraclass_correlation,
    mean_interval,
    rate_interval,
)
from tasks.scoring.strict import VERSION as STRICT_VERSION

BENCHMARK = "legalagentbench"
ALL = "all"
FLAGS = ("outside_pack", "leak", "repaired", "rejected", "human")
"""Flags that every block counts, present or not; others are added when they occur."""
READINGS = ("ok", "repaired", "rejected")
"""How replies of a model were read; a block counts all of them."""
SCORERS = ("compat", "strict", "evidence")
EVIDENCE_VERSION = "evidence/1"

DIGITS = 12
"""Decimals of a mean: published ties such as 0.66375 must round as they were printed."""

Rates = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Rated:
    """One result with the numbers of all its rates; None where a rate has nothing to count."""

    question: Question
    result: Result
    rates: Mapping[str, float | None]

    @property
    def group(self) -> str:
        """Hop group."""
        return self.question.gold.group


COMPAT: dict[str, Callable[[Question, Result], float | None]] = {
    "success": lambda q, r: success_compat(r.res, q.gold.keys),
    "process": lambda q, r: process_compat(r.summary, q.gold.keys, q.gold.middle),
}
STRICT: dict[str, Callable[[Question, Result], float | None]] = {
    "success": lambda q, r: success_strict(r.res, q.gold.keys),
    "process": lambda q, r: process_strict(r.summary, q.gold.keys, q.gold.middle),
    "success_not_given": lambda q, r: _not_given(q, r),
    "all_keys": lambda q, r: float(success_strict(r.res, q.gold.keys) == 1.0),
}
EVIDENCE: dict[str, Callable[[Question, Result], float | None]] = {
    "evidence_rate": lambda q, r: evidence_rate(r.observations, q.gold.keys, q.gold.middle),
    "evidence_rate_literal": lambda q, r: evidence_rate_literal(r.observations, q.gold.keys, q.gold.middle),
}


def _question_text(question: Question) -> str:
    return str(question.card.get("question", ""))


def _not_given(question: Question, result: Result) -> float | None:
    keys = not_given(_question_text(question), question.gold.keys)
    return success_strict(result.res, keys) if keys else None


def _rate(question: Question, result: Result) -> Rated:
    compat = {f"compat.{name}": rule(question, result) if result.scored else 0.0 for name, rule in COMPAT.items()}
    strict = {f"strict.{name}": rule(question, result) for name, rule in STRICT.items()}
    evidence = {name: rule(question, result) for name, rule in EVIDENCE.items()}
    return Rated(question, result, {**compat, **strict, **evidence})


def score_one(question: Question, result: Result) -> list[Score]:
    """The scores of one attempt, with every key as evidence."""
    rates = _rate(question, result).rates
    matches = explain(question.gold, result.res, result.summary, result.observations, _question_text(question))
    evidence = [match.as_dict() for match in matches]
    parts = {
        "compat": (COMPAT_VERSION, {name: rates[f"compat.{name}"] for name in COMPAT}),
        "strict": (STRICT_VERSION, {name: rates[f"strict.{name}"] for name in STRICT}),
        "evidence": (EVIDENCE_VERSION, {name: rates[name] for name in EVIDENCE}),
    }
    return [
        Score(scorer, version, {"outcome": result.outcome, "scored": result.scored}, value, evidence)
        for scorer, (version, value) in parts.items()
    ]


def _mean(values: Iterable[float | None]) -> float | None:
    """Mean of the numbers, free of the last digits' noise (thirds do not add up exactly); None when there are none."""
    numbers = [value for value in values if value is not None]
    return round(math.fsum(numbers) / len(numbers), DIGITS) if numbers else None


@dataclass(frozen=True, slots=True)
class Groups:
    """Rated results by hop group; the last group is `all`."""

    members: Mapping[str, Sequence[Rated]]

    @classmethod
    def of(cls, rated: Sequence[Rated]) -> Groups:
        """Groups in the order of the published tables; empty ones are left out."""
        parts = {group: [one for one in rated if one.group == group] for group in GROUPS}
        return cls({**{group: members for group, members in parts.items() if members}, ALL: rated})

    def means(self, rate: str) -> Rates:
        """The mean of a rate in each group."""
        return {group: _mean(one.rates[rate] for one in members) for group, members in self.members.items()}

    def each(self, measure: Callable[[Sequence[Rated]], Any]) -> dict[str, Any]:
        """Any measure of each group."""
        return {group: measure(members) for group, members in self.members.items()}

    def where(self, keep: Callable[[Rated], bool]) -> Groups:
        """The same groups with some members only."""
        return Groups({group: [one for one in members if keep(one)] for group, members in self.members.items()})

    def intervals(self, rate: str) -> dict[str, Interval | None]:
        """The interval of a rate in each group; yes-or-no rates get Wilson's."""

        def interval(members: Sequence[Rated]) -> Interval | None:
            kept = [one for one in members if one.rates[rate] is not None]
            values = [value for one in kept if (value := one.rates[rate]) is not None]
            clusters = [one.question.gold.cluster for one in kept]
            if rate == "strict.all_keys":
                return rate_interval([value == 1.0 for value in values], clusters)
            return mean_interval(values, clusters, [one.group for one in kept])

        return self.each(interval)


def _complete(questions: Sequence[Question], results: Sequence[Result]) -> list[Rated]:
    """Every result rated; a question without any result counts as one error. Results of no question are left out."""
    by_id = {question.id: question for question in questions}
    found = {result.task_id for result in results}
    missing = [Result(question.id, "error", "", "") for question in questions if question.id not in found]
    return [_rate(by_id[result.task_id], result) for result in [*results, *missing] if result.task_id in by_id]


def _answers(questions: Sequence[Question], answer: Callable[[Question], str]) -> dict[str, Any]:
    """Rates of a fixed answer to every question, given as answer and as detailed answer."""
    results = [Result(question.id, "finished", text := answer(question), text) for question in questions]
    return _lines(Groups.of([_rate(q, r) for q, r in zip(questions, results, strict=True)]))


def _lines(groups: Groups) -> dict[str, Any]:
    return {
        "compat": {name: groups.means(f"compat.{name}") for name in COMPAT},
        "strict": {name: groups.means(f"strict.{name}") for name in STRICT},
    }


def _ceiling(questions: Sequence[Question], walker: Sequence[Result] | None, reason: str) -> dict[str, Any]:
    reference = {"rule": "reference answer", **_answers(questions, lambda question: question.gold.answer)}
    walked = [question for question in questions if question.gold.calls]
    if walker is not None and not walked:
        walker, reason = None, "the tasks name tools but no calls to walk"
    if walker is None:
        return {"reference": reference, "walker": None, "walker_reason": reason}
    groups = Groups.of(_complete(walked, walker))
    made = {"rule": "path walker", "n": len(walked), **_lines(groups)}
    return {"reference": reference, "walker": made, "walker_reason": ""}


def _mean_with(rate: str, missing: float, members: Sequence[Rated]) -> float | None:
    return _mean(one.rates[rate] if one.result.scored else missing for one in members)


def _strict(groups: Groups) -> dict[str, Any]:
    scored = groups.where(lambda one: one.result.scored)
    names = ("success", "process")

    def with_missing(value: float) -> dict[str, Any]:
        """Means in which every unscored task counts `value`."""
        return {name: groups.each(partial(_mean_with, f"strict.{name}", value)) for name in names}

    return {
        **{name: scored.means(f"strict.{name}") for name in STRICT},
        "n_scored": len(scored.members[ALL]),
        "n_scored_by_group": scored.each(len),
        "bounds": {
            "errors_as_zero": with_missing(0.0),
            "errors_excluded": {name: scored.means(f"strict.{name}") for name in names},
            "errors_as_one": with_missing(1.0),
        },
    }


def _intervals(groups: Groups) -> tuple[dict[str, Any], dict[str, Any]]:
    """Intervals that mirror both blocks, and the method of each group."""
    scored = groups.where(lambda one: one.result.scored)
    made = {
        "compat": {name: groups.intervals(f"compat.{name}") for name in COMPAT},
        "strict": {name: scored.intervals(f"strict.{name}") for name in STRICT},
    }

    def mirror(show: Callable[[Interval], Any]) -> dict[str, Any]:
        return {
            rule: {
                name: {group: show(i) if i is not None else None for group, i in by_group.items()}
                for name, by_group in rates.items()
            }
            for rule, rates in made.items()
        }

    return mirror(lambda i: [i.low, i.high]), mirror(lambda i: i.method)


def _compat_success(members: Sequence[Rated]) -> tuple[list[float], list[str]]:
    return (
        [one.rates["compat.success"] or 0.0 for one in members],
        [one.question.gold.cluster for one in members],
    )


def score_block(
    run: str,
    questions: Sequence[Question],
    results: Sequence[Result],
    *,
    walker: Sequence[Result] | None = None,
    walker_reason: str = "needs a run of --agent gold on the same tasks",
) -> dict[str, Any]:
    """The score block of a run.

    Args:
        run: id of the run.
        questions: all tasks that were asked; one without a result counts as an error.
        results: what the episodes came to, in any order, repeats included.
        walker: the results of the gold agent on the same tasks, for the path walker's ceiling; only tasks whose gold
            carries calls count, on the others that agent merely recites the reference.
        walker_reason: why there is no such ceiling, when `walker` is None.
    """
    rated = _complete(questions, results)
    groups = Groups.of(rated)
    outcomes = Counter(one.result.outcome for one in rated)
    flags = Counter(flag for one in rated for flag in one.result.flags)
    observed = any(one.result.observations for one in rated)
    tokens = [one.result.tokens for one in rated]
    actions = Counter(reading for one in rated for reading in one.result.actions)
    intervals, methods = _intervals(groups)
    return {
        "run": run,
        "benchmark": BENCHMARK,
        "n": len(rated),
        "groups": groups.each(len),
        "epochs": max((one.result.epoch for one in rated), default=0) + 1,
        "outcomes": {outcome: outcomes.get(outcome, 0) for outcome in OUTCOMES},
        "flags": {flag: flags.get(flag, 0) for flag in dict.fromkeys((*FLAGS, *sorted(flags)))},
        "actions": {reading: actions.get(reading, 0) for reading in READINGS},
        "compat": {name: groups.means(f"compat.{name}") for name in COMPAT},
        "strict": _strict(groups),
        "intervals": intervals,
        "interval_methods": methods,
        "floor": {"rule": "question echoed", **_answers(questions, _question_text)},
        "ceiling": _ceiling(questions, walker, walker_reason),
        "clusters": groups.each(lambda members: len({one.question.gold.cluster for one in members})),
        "design_effect": groups.each(lambda members: design_effect(*_compat_success(members)) if members else None),
        "effective_n": groups.each(lambda members: effective_n(*_compat_success(members)) if members else 0.0),
        "icc": groups.each(lambda members: intraclass_correlation(*_compat_success(members)) if members else None),
        "evidence_rate": groups.means("evidence_rate") if observed else None,
        "evidence_rate_literal": groups.means("evidence_rate_literal") if observed else None,
        "tokens": {
            "total": sum(tokens),
            "mean": sum(tokens) / len(tokens) if tokens else None,
            "tasks": sum(t > 0 for t in tokens),
        },
        "scorers": {"compat": COMPAT_VERSION, "strict": STRICT_VERSION, "evidence": EVIDENCE_VERSION},
    }
