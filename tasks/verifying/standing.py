"""How a task stands after what people said of it, what a reviewer may see, and how far reviewers agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from tasks.scoring.agreement import Coefficient, weighted_kappa
from tasks.scoring.statistics import rate_interval
from tasks.verifying.decisions import VERDICTS, Decision
from tasks.verifying.taskset import TaskSet

Status = Literal["open", "once", "agreed", "disputed", "settled"]
STATUSES: tuple[Status, ...] = ("open", "once", "agreed", "disputed", "settled")


@dataclass(frozen=True, slots=True)
class Standing:
    """One task: everything said of it, in the order of the log, and how it stands.

    newest: the last word of each reviewer. outcome: what counts, None while open or disputed.
    """

    task: str
    decisions: tuple[Decision, ...]
    newest: tuple[Decision, ...]
    status: Status
    outcome: Decision | None

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Who has decided, in the order in which they began."""
        return tuple(one.author for one in self.newest)


def standings(tasks: TaskSet, decisions: Sequence[Decision]) -> dict[str, Standing]:
    """Task id -> how it stands, in the order of the file."""
    said: dict[str, list[Decision]] = {task.id: [] for task in tasks.tasks}
    for one in decisions:
        said[one.task].append(one)
    return {name: _standing(name, tuple(given)) for name, given in said.items()}


def _standing(task: str, given: tuple[Decision, ...]) -> Standing:
    own = {one.author: one for one in given if not one.consensus}
    first = list(dict.fromkeys(one.author for one in given if not one.consensus))
    newest = tuple(own[author] for author in first)
    outcomes = {(one.verdict, _changes(one)) for one in newest}
    settled = given[-1] if given and given[-1].consensus and len(newest) > 1 else None
    if settled is not None:
        return Standing(task, given, newest, "settled", settled)
    if len(newest) < 2:
        return Standing(task, given, newest, "once" if newest else "open", newest[0] if newest else None)
    if len(outcomes) > 1:
        return Standing(task, given, newest, "disputed", None)
    return Standing(task, given, newest, "agreed", newest[-1])


def _changes(decision: Decision) -> tuple[tuple[str, str | tuple[str, ...]], ...]:
    return tuple(sorted(decision.fields.items()))


def visible_to(standing: Standing, author: str) -> tuple[tuple[Decision, ...], int]:
    """What somebody may see of the decisions about a task, and how many stay hidden: all others' before the own
    one."""
    if author and author in standing.reviewers:
        return standing.decisions, 0
    return (), len(standing.decisions)


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How far two reviewers agree on the verdict: n tasks that both decided, the share decided alike, Cohen's
    kappa."""

    first: str
    second: str
    n: int
    equal: Coefficient
    kappa: Coefficient


def agreement(found: Sequence[Standing]) -> list[PairAgreement]:
    """Each pair of reviewers, by the first word of each about a task: later words were said with the other's in
    view."""
    verdicts: dict[str, dict[str, int]] = {}
    for standing in found:
        for one in standing.decisions:
            if not one.consensus:
                verdicts.setdefault(one.author, {}).setdefault(standing.task, VERDICTS.index(one.verdict))
    return [_pair(a, b, verdicts[a], verdicts[b]) for a, b in combinations(verdicts, 2)]


def _pair(first: str, second: str, one: dict[str, int], two: dict[str, int]) -> PairAgreement:
    both = [task for task in one if task in two]
    hits = [one[task] == two[task] for task in both]
    equal = (
        Coefficient(sum(hits) / len(hits), rate_interval(hits, both))
        if hits
        else Coefficient(None, reason="nothing_in_common")
    )
    kappa = weighted_kappa([one[task] for task in both], [two[task] for task in both], "nominal")
    return PairAgreement(first, second, len(both), equal, kappa)
