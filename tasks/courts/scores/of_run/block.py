"""The score block of a courts run, as `run`, `score` and every report print it: values from 0 to 100.

Trees (compat, strict, intervals, floor, ceiling, n_scored, unscored) hold one object an environment; where one environment
ran, its metrics stand at the top level too. `unscored` says why a metric has no value, `moved_by_text` in how many trials
words that the judge only read out of the case file move a published score. Compat counts failures as published, strict leaves
broken attempts out and shows both bounds. VER, SEN, FINE and LAW_FAKE are better when low.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tasks.courts.casefile.case import ENVS, Case, Env
from tasks.courts.casefile.questions import CourtQuestion
from tasks.courts.procedure import pfs
from tasks.courts.scores.of_run import around
from tasks.courts.scores.of_run.columns import METRICS, RULES, Rule
from tasks.courts.scores.of_run.limits import Limit, ceiling, floor
from tasks.courts.scores.of_run.means import NOTHING_SCORED, Column, Overall, column, overall
from tasks.courts.scores.of_run.members import Rated, rate, scored, with_verdicts
from tasks.courts.scores.of_run.rating import JUDGMENT_VERSIONS
from tasks.courts.scores.of_run.rows import CONSISTENCY_VERSION
from tasks.courts.scores.of_run.simulators import objections
from tasks.courts.settings import settings_of
from tasks.episode.events import OUTCOMES
from tasks.scoring.context import ScoreContext
from tasks.scoring.result import Result

BENCHMARK = "courts"
FLAGS = ("outside_pack", "leak", "repaired", "rejected", "human", "human_role")
Tree = dict[str, Any]
Columns = Mapping[tuple[Env, str], Column]


def score_block(
    run: str, questions: Sequence[CourtQuestion], results: Sequence[Result], context: ScoreContext
) -> Tree:
    """The score block of a run.

    Args:
        run: id of the run.
        questions: all tasks that were asked; one without a result counts as an error.
        results: what the episodes came to, in any order, repeats included; results of no question are left out.
        context: what was run (its profile and seed), the words of graders, a run of `gold` as another ceiling.
    """
    cases = {question.id: question.case for question in questions}
    found = {result.task_id for result in results}
    missing = [Result(question.id, "error", "", "") for question in questions if question.id not in found]
    rated = [rate(cases[one.task_id], one, context) for one in [*results, *missing] if one.task_id in cases]
    members = by_env(rated)
    parts = {rule: _Part(rule, members) for rule in RULES}
    consistent = around.consistent(members)
    reasons = objections(context, [one.heard for one in rated], consistent)
    reasons += [] if any(one.result.scored for one in rated) else [NOTHING_SCORED]
    epochs = max((one.result.epoch for one in rated), default=0) + 1
    return {
        "run": run,
        "benchmark": BENCHMARK,
        "profile": settings_of(context.spec).profile if context.spec else "law",
        "n": len(rated),
        "groups": {env: len(own) for env, own in members.items()},
        "epochs": epochs,
        "outcomes": _counted((one.result.outcome for one in rated), OUTCOMES),
        "flags": _counted((flag for one in rated for flag in sorted(one.result.flags)), FLAGS),
        "compat": parts["compat"].values(),
        "strict": {
            **parts["strict"].values(),
            "n_scored": sum(one.result.scored for one in rated),
            "bounds": {
                "errors_as_zero": parts["strict"].tree(lambda made: made.bounds and made.bounds[0]),
                "errors_as_one": parts["strict"].tree(lambda made: made.bounds and made.bounds[1]),
            },
        },
        "overall": {rule: part.described() for rule, part in parts.items()},
        "intervals": {rule: part.intervals() for rule, part in parts.items()},
        "interval_methods": {rule: part.methods() for rule, part in parts.items()},
        "n_scored": {rule: part.tree(lambda made: made.n) for rule, part in parts.items()},
        "unscored": {rule: part.reasons() for rule, part in parts.items()},
        "floor": {"rule": "an episode of echo", **_limits(cases.values(), floor)},
        "ceiling": {
            "rule": "gold answer, full grades; procedure by definition",
            **_limits(cases.values(), ceiling),
            "walker": _walker(cases, context),
        },
        "clusters": _clusters(members),
        "design_effect": {},
        "effective_n": {},
        "unfinished": {env: sum(not one.finished for one in own) for env, own in members.items() if env in ("KQ", "LC")},
        "turns": {env: around.turns(own) for env, own in members.items()},
        "stages": {env: stages for env, own in members.items() if (stages := around.stages(own))},
        "violations": around.violations(rated),
        "moved_by_text": {env: moved for env, own in members.items() if (moved := around.moved_by_text(own))},
        "consistency": shaped(consistent, members),
        "consistency_details": {env: around.details(own) for env, own in members.items()},
        "comparable": not reasons,
        "not_comparable": reasons,
        "repeats": _repeats(rated, epochs),
        "tokens": _tokens([one.result.tokens for one in rated]),
        "scorers": {
            **JUDGMENT_VERSIONS, pfs.COMPAT: f"{pfs.COMPAT}/{pfs.COMPAT_VERSION}",
            pfs.STRICT: f"{pfs.STRICT}/{pfs.STRICT_VERSION}", "consistency": CONSISTENCY_VERSION,
        },
    }  # fmt: skip


def by_env(rated: Sequence[Rated]) -> dict[Env, list[Rated]]:
    """Attempts by environment in the order of the published tables, the compat VER of the run filled in."""
    full = with_verdicts(rated)
    found = {env: [one for one in full if one.env == env] for env in ENVS}
    return {env: own for env, own in found.items() if own}


def shaped(tree: Mapping[str, Any], members: Mapping[Env, Any]) -> Tree:
    """A tree by environment; where one ran, what it holds stands at the top level too."""
    only = tree.get(next(iter(members)), {}) if len(members) == 1 else {}
    return {**tree, **only}


class _Part:
    """All columns of some attempts under one rule, as the trees of a block."""

    def __init__(self, rule: Rule, members: Mapping[Env, Sequence[Rated]]) -> None:
        self.members = members
        self.columns = _columns(members, rule)
        self.sums = overall(self.columns, list(members))

    def tree(self, pick: Callable[[Column], Any]) -> Tree:
        """Environment -> metric -> what is picked of its column."""
        made: dict[str, Tree] = {env: {} for env in self.members}
        for (env, metric), found in self.columns.items():
            made[env][metric] = pick(found)
        return shaped(made, self.members)

    def values(self) -> Tree:
        """The means."""
        return {**self.tree(lambda made: made.value), "overall": self.sums.value}

    def intervals(self) -> Tree:
        """[low, high] at 95 %."""
        return {**self.tree(_ends), "overall": _ends(self.sums)}

    def methods(self) -> Tree:
        """How the intervals were made."""
        return {**self.tree(_method), "overall": _method(self.sums)}

    def reasons(self) -> Tree:
        """Why a metric has no value, or what its value leaves out; metrics of which nothing is missing are not named."""
        made: dict[str, Tree] = {env: {} for env in self.members}
        for (env, metric), found in self.columns.items():
            if why := found.reason or found.note:
                made[env][metric] = why
        return shaped(made, self.members)

    def described(self) -> Tree:
        """What the overall score is made of."""
        return {
            "mean": self.sums.value,
            "by_env": self.sums.by_env,
            "columns": [f"{env} {metric}" for env, metric in self.sums.columns],
            "missing": [f"{env} {metric}" for env, metric in self.sums.missing],
        }


def _columns(members: Mapping[Env, Sequence[Rated]], rule: Rule) -> Columns:
    made = {(env, metric): column(own, rule, metric) for env, own in members.items() for metric in METRICS[rule][env]}
    if rule == "compat" and "CR" in members:
        # The published VER is the mean of two means; they differ from the mean of cases where a gold has no term.
        parts = [value for name in ("SEN", "FINE") if (value := made["CR", name].value) is not None]
        seen = made["CR", "VER"]
        value = sum(parts) / len(parts) if parts else None
        made["CR", "VER"] = Column(value, seen.n, seen.reason, "", seen.points, seen.interval)
    return made


def _ends(made: Column | Overall) -> list[float] | None:
    return None if made.interval is None else [round(100 * made.interval.low, 10), round(100 * made.interval.high, 10)]


def _method(made: Column | Overall) -> str | None:
    return made.interval.method if made.interval else None


def _limits(cases: Iterable[Case], limit: Callable[[Case], Limit]) -> dict[str, Tree]:
    """Means over cases of what a limit earns, by both rules."""
    made = []
    for case in cases:
        heard, grades, trial = limit(case)
        made.append(scored(case, Result(case.id, "finished", "", ""), heard, grades, trial))
    members = by_env(made)
    return {rule: _Part(rule, members).values() for rule in RULES}


def _walker(cases: Mapping[str, Case], context: ScoreContext) -> dict[str, Tree] | None:
    """What a run of `gold` earned on the same tasks, without a grader; None where none is named."""
    if context.walker is None:
        return None
    plain = ScoreContext(spec=context.spec)
    members = by_env([rate(cases[one.task_id], one, plain) for one in context.walker if one.task_id in cases])
    return {rule: _Part(rule, members).values() for rule in RULES}


def _clusters(members: Mapping[Env, Sequence[Rated]]) -> Tree:
    every = {one.case.cluster for own in members.values() for one in own}
    made: Tree = {env: len({one.case.cluster for one in own}) for env, own in members.items()}
    return {**made, "overall": len(every)}


def _repeats(rated: Sequence[Rated], epochs: int) -> list[Tree]:
    """The means of each repeat of the tasks; nothing where they ran once."""
    made = []
    for epoch in range(epochs if epochs > 1 else 0):
        members = by_env([one for one in rated if one.result.epoch == epoch])
        parts = {rule: _Part(rule, members) for rule in RULES}
        trees: Tree = {rule: part.values() for rule, part in parts.items()}
        made.append({"epoch": epoch, **trees})
    return made


def _counted(names: Iterable[str], always: Sequence[str]) -> dict[str, int]:
    count = Counter(names)
    return {name: count.get(name, 0) for name in dict.fromkeys((*always, *sorted(count)))}


def _tokens(counts: Sequence[int]) -> Tree:
    return {
        "total": sum(counts),
        "mean": sum(counts) / len(counts) if counts else None,
        "tasks": sum(count > 0 for count in counts),
    }
