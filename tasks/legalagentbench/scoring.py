"""Scores of LegalAgentBench: of an attempt, and the metric rows of a run with the block that is printed of them.

All rates are shares from 0 to 1, by hop group and for `all`; a group without tasks is left out. Compat is the mean
over all tasks of the published keyword rates, errors counted 0. Strict is the mean over scored tasks, with bounds.
Intervals are at 95 %; the unit of sampling is the solution path (`gold.cluster`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from tasks.legalagentbench.questions import ASKED, GROUPS, WRITING, LabQuestion
from tasks.reports.words import figure
from tasks.scoring.metrics import (
    RULES,
    AttemptCounts,
    Group,
    Limit,
    Measure,
    Metric,
    Pick,
    Summary,
    Tree,
    Value,
    nested,
)
from tasks.scoring.names import Names
from tasks.scoring.result import Result, Score, ScoredAttempt, complete, with_versions
from tasks.scoring.statistics import (
    Interval,
    design_effect,
    effective_n,
    intraclass_correlation,
    mean_interval,
    rate_interval,
)
from tasks.scoring.strict import (
    COMPAT_VERSION,
    article_recall,
    evidence_rate,
    evidence_rate_literal,
    explain,
    not_given,
    process_compat,
    process_strict,
    success_compat,
    success_strict,
)
from tasks.scoring.strict import VERSION as STRICT_VERSION

BENCHMARK = "legalagentbench"
ALL = "all"
FLAGS = (
    "outside_pack", "leak", "repaired", "rejected", "length", "repetition", "no_tool", "same_calls", "example",
    "human",
)  # fmt: skip
"""Flags that every block counts, present or not; others are added when they occur."""
READINGS = ("ok", "repaired", "rejected")
"""How replies of a model were read; a block counts all of them."""
RECALL = "retrieval_recall"
VERSIONS = {
    "compat": COMPAT_VERSION, "strict": STRICT_VERSION, "evidence": "evidence/1", "retrieval": "retrieval/1",
}  # fmt: skip
"""Of the scorers."""

DIGITS = 12
"""Decimals of a mean: published ties such as 0.66375 must round as they were printed."""


Rates = Mapping[str, Value]
"""The numbers of one attempt by rate; None where there is nothing to count."""


@dataclass(frozen=True, slots=True)
class LabScores:
    """An attempt at a question and its rates."""

    question: LabQuestion
    result: Result
    rates: Rates


COMPAT: dict[str, Callable[[LabQuestion, Result], Value]] = {
    "compat.success": lambda q, r: success_compat(r.res, q.gold.keys),
    "compat.process": lambda q, r: process_compat(r.summary, q.gold.keys, q.gold.middle),
}
STRICT: dict[str, Callable[[LabQuestion, Result], Value]] = {
    "strict.success": lambda q, r: success_strict(r.res, q.gold.keys),
    "strict.process": lambda q, r: process_strict(r.summary, q.gold.keys, q.gold.middle),
    "strict.success_not_given": lambda q, r: _not_given(q, r),
    "strict.all_keys": lambda q, r: float(success_strict(r.res, q.gold.keys) == 1.0),
}
EVIDENCE: dict[str, Callable[[LabQuestion, Result], Value]] = {
    "evidence_rate": lambda q, r: evidence_rate(r.observations, q.gold.keys, q.gold.middle),
    "evidence_rate_literal": lambda q, r: evidence_rate_literal(r.observations, q.gold.keys, q.gold.middle),
}


def _recall(question: LabQuestion, result: Result) -> Value:
    return article_recall(result.observations, question.gold.keys) if question.group == WRITING else None


def _question_text(question: LabQuestion) -> str:
    return str(question.card.get("question", ""))


def _not_given(question: LabQuestion, result: Result) -> Value:
    keys = not_given(_question_text(question), question.gold.keys)
    return success_strict(result.res, keys) if keys else None


def _rates(question: LabQuestion, result: Result) -> Rates:
    rates: dict[str, Value] = {
        **{name: rule(question, result) if result.scored else 0.0 for name, rule in COMPAT.items()},
        **{name: rule(question, result) for name, rule in (*STRICT.items(), *EVIDENCE.items())},
        RECALL: _recall(question, result),
    }
    return dict.fromkeys(rates) if question.group == ASKED else rates


def score_one(question: LabQuestion, result: Result) -> list[Score]:
    """The scores of one attempt, with every key as evidence."""
    rates = _rates(question, result)
    gold, asked = question.gold, _question_text(question)
    matches = explain(gold.keys, gold.middle, result.res, result.summary, result.observations, asked)
    evidence = [asdict(match) for match in matches]
    parts = {
        "compat": {name.removeprefix("compat."): rates[name] for name in COMPAT},
        "strict": {name.removeprefix("strict."): rates[name] for name in STRICT},
        "evidence": {name: rates[name] for name in EVIDENCE},
        **({} if rates[RECALL] is None else {"retrieval": {RECALL: rates[RECALL]}}),
    }
    return [
        Score(scorer, VERSIONS[scorer], {"outcome": result.outcome, "scored": result.scored}, value, evidence)
        for scorer, value in parts.items()
    ]


def _mean(values: Iterable[Value]) -> Value:
    """Mean of the numbers, free of the last digits' noise (thirds do not add up exactly); None when there are
    none."""
    numbers = [value for value in values if value is not None]
    return round(math.fsum(numbers) / len(numbers), DIGITS) if numbers else None


@dataclass(frozen=True, slots=True)
class Groups:
    """LabScores results by hop group; the last group is `all`."""

    members: Mapping[str, Sequence[LabScores]]

    @classmethod
    def of(cls, rated: Sequence[LabScores]) -> Groups:
        """Groups in the order of the published tables; empty ones are left out."""
        parts = {group: [one for one in rated if one.question.group == group] for group in GROUPS}
        return cls({**{group: members for group, members in parts.items() if members}, ALL: rated})

    @classmethod
    def answered(cls, questions: Sequence[LabQuestion], answer: Callable[[LabQuestion], str]) -> Groups:
        """A fixed answer to every question, given as answer and as detailed answer."""
        results = [(one, Result(one.id, "finished", text := answer(one), text)) for one in questions]
        return cls.of([LabScores(one, result, _rates(one, result)) for one, result in results])

    def mean(self, group: str, rate: str) -> Value:
        """The mean of a rate in a group."""
        return _mean(one.rates[rate] for one in self.members[group])

    def scored(self) -> Groups:
        """The same groups without what the machinery broke."""
        return Groups(
            {group: [one for one in members if one.result.scored] for group, members in self.members.items()}
        )


def _interval(members: Sequence[LabScores], rate: str) -> Interval | None:
    """The interval of a rate; yes-or-no rates get Wilson's."""
    kept = [(value, one) for one in members if (value := one.rates[rate]) is not None]
    values, clusters = [value for value, _ in kept], [one.question.cluster for _, one in kept]
    if rate == "strict.all_keys":
        return rate_interval([value == 1.0 for value in values], clusters)
    return mean_interval(values, clusters, [one.question.group for _, one in kept])


def _bounds(members: Sequence[LabScores], rate: str) -> tuple[Value, Value]:
    """The mean in which every unscored task counts 0, and in which it counts 1."""
    low, high = (
        _mean(one.rates[rate] if one.result.scored else missing for one in members) for missing in (0.0, 1.0)
    )
    return low, high


def _rated(question: LabQuestion, one: ScoredAttempt) -> LabScores:
    """An attempt with the rates of its rows; one without rows is no answer."""
    rates: dict[str, Value] = {
        **{name: None if question.group == ASKED else 0.0 for name in COMPAT},
        **dict.fromkeys((*STRICT, *EVIDENCE, RECALL)),
        **{f"{rule}.{name}": value for rule in RULES for name, value in one.values(rule).items()},
        **one.values("evidence"),
        **one.values("retrieval"),
    }
    return LabScores(question, one.result.light(), rates)


NAMES: Mapping[str, Names] = {
    **{f"{hops}-hop": (f"{hops} 跳", f"{hops}-hop") for hops in range(1, 6)}, WRITING: ("文书写作", "Writing"),
    ALL: ("全部", "All"),
}  # fmt: skip
SUCCESS = Measure("compat", "success")
MEASURES = (
    SUCCESS,
    Measure("compat", "process", answered=False),
    Measure("strict", "success"),
    Measure("strict", "process", answered=False),
    Measure("strict", "success_not_given"),
    Measure("strict", "all_keys"),
)
"""What is scored, in the order of tables."""
SEEN = tuple(Measure("", name, section="evidence") for name in EVIDENCE)
RECALLED = Measure("", RECALL, section="evidence")
BOUNDED = ("success", "process")
"""Strict scores of which a block has bounds."""


@dataclass(frozen=True)
class LabSummary(Summary):
    """actions: how replies of a model were read; icc: group -> how alike the tasks of a cluster are."""

    limits = {"floor": ("下限：复述题目", "Floor: question echoed")}
    actions: Mapping[str, int] = field(default_factory=dict)
    icc: Mapping[str, Value] = field(default_factory=dict)

    def tree(self, rows: Iterable[Metric], pick: Pick) -> Tree:
        """Measure -> group."""
        return nested((row.measure.name, row.group.name, pick(row)) for row in rows)

    def block(self) -> Tree:
        """The published block: rates by measure and group."""
        made, strict = super().block(), [row for row in self.scores if row.measure.rule == "strict"]
        bounded = [row for row in strict if row.measure.name in BOUNDED]
        scored = {row.group.name: row.n for row in strict}
        seen: Tree = {name: None for name in EVIDENCE}
        return {
            **made,
            "actions": dict(self.actions),
            "strict": {
                **self.tree(strict, lambda row: row.value),
                "n_scored": scored[ALL],
                "n_scored_by_group": scored,
                "bounds": {
                    "errors_as_zero": self.tree(bounded, lambda row: row.bounds and row.bounds[0]),
                    "errors_excluded": self.tree(bounded, lambda row: row.value),
                    "errors_as_one": self.tree(bounded, lambda row: row.bounds and row.bounds[1]),
                },
            },
            "floor": {"rule": "question echoed", **self.limit("floor")},
            "ceiling": {"reference": {"rule": "reference answer", **self.limit("reference")}},
            "icc": dict(self.icc),
            **seen,
            **self.tree(self.section("evidence"), lambda row: row.value),
        }

    def notes(self, language: str) -> list[tuple[str, str]]:
        """Bounds of the success rate, and how much of the keys was seen."""
        found = self.row("strict", ALL, "success")
        low, high = found.bounds if found and found.bounds else (None, None)
        shown = [figure(found, value) for value in (low, found.value, high)] if found else []
        return [
            ("bounds", " / ".join(shown)),
            *((row.measure.name, figure(row, row.value)) for row in self.section("evidence") if row.group.whole),
        ]


def summarise(
    run: str,
    questions: Sequence[LabQuestion],
    attempts: Iterable[ScoredAttempt],
    benchmark: str = BENCHMARK,
) -> LabSummary:
    """What a run came to.

    Args:
        run: id of the run.
        questions: all tasks that were asked; one without a result counts as an error.
        attempts: with their rows, in any order, repeats included.
    """
    known = {question.id: question for question in questions}
    versions: dict[str, str] = {}
    rated = [_rated(known[one.result.task_id], one) for one in complete(questions, with_versions(attempts, versions))]
    every = Groups.of(rated)
    scored = every.scored()
    limits: dict[Limit, Groups] = {
        "floor": Groups.answered(questions, _question_text),
        "reference": Groups.answered(questions, lambda question: question.gold.answer),
    }

    def metric(measure: Measure, group: Group) -> Metric:
        rate = f"{measure.rule}.{measure.name}"
        strict = measure.rule == "strict"
        members = (scored if strict else every).members[group.name]
        return Metric(
            measure, group, _mean(one.rates[rate] for one in members), len(members), _interval(members, rate),
            {name: made.mean(group.name, rate) for name, made in limits.items() if group.name in made.members},
            _bounds(every.members[group.name], rate) if strict and measure.name in BOUNDED else None,
            main=group.whole and measure.name == SUCCESS.name,
        )  # fmt: skip

    groups = [_group(name, members) for name, members in every.members.items()]
    rows = [metric(measure, group) for measure in MEASURES for group in groups]
    if any(one.result.observations for one in rated):
        rows += [
            Metric(seen, group, every.mean(group.name, seen.name), group.n or 0) for seen in SEEN for group in groups
        ]
        asked = [one for one in rated if one.rates[RECALL] is not None]
        rows += [Metric(RECALLED, group, _mean(one.rates[RECALL] for one in asked), len(asked),
            _interval(asked, RECALL))
                 for group in groups if asked and group.name in (WRITING, ALL)]  # fmt: skip
    return LabSummary(
        run, benchmark, AttemptCounts.of([one.result for one in rated], FLAGS), groups, rows, versions,
        actions={name: sum(one.result.actions.count(name) for one in rated) for name in READINGS},
        icc={name: intraclass_correlation(*_compat_success(own)) if own else None for name,
            own in every.members.items()},
    )  # fmt: skip


def _group(name: str, members: Sequence[LabScores]) -> Group:
    drawn = _compat_success(members)
    effect, independent = (design_effect(*drawn), effective_n(*drawn)) if members else (None, 0.0)
    clusters = len({one.question.cluster for one in members})
    return Group(name, NAMES[name], len(members), clusters, effect, independent, name == ALL)


def _compat_success(members: Sequence[LabScores]) -> tuple[list[float], list[str]]:
    return (
        [one.rates["compat.success"] or 0.0 for one in members],
        [one.question.cluster for one in members],
    )
