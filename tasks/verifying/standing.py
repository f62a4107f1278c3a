"""How tasks stand after the decisions about them: what a reviewer may see, how far reviewers agree, what may be
published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from typing import Any, Literal

from tasks.errors import UsageError
from tasks.scoring.agreement import Coefficient, weighted_kappa
from tasks.scoring.statistics import rate_interval
from tasks.verifying.decisions import VERDICTS, Decision
from tasks.verifying.taskset import Task, TaskSet

Status = Literal["open", "once", "agreed", "disputed", "settled"]
STATUSES: tuple[Status, ...] = ("open", "once", "agreed", "disputed", "settled")
FIELD = "verified"
"""The field of a published record that says where it comes from."""
REASONS = ("open", "few", "disputed", "rejected")
"""Why a task is left out: nobody decided, too few did, they disagree, they reject it."""


@dataclass(frozen=True, slots=True)
class TaskStatus:
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


def standings(tasks: TaskSet, decisions: Sequence[Decision]) -> dict[str, TaskStatus]:
    """Task id -> how it stands, in the order of the file."""
    said: dict[str, list[Decision]] = {task.id: [] for task in tasks.tasks}
    for one in decisions:
        said[one.task].append(one)
    return {name: _standing(name, tuple(given)) for name, given in said.items()}


def _standing(task: str, given: tuple[Decision, ...]) -> TaskStatus:
    own = {one.author: one for one in given if not one.consensus}
    first = list(dict.fromkeys(one.author for one in given if not one.consensus))
    newest = tuple(own[author] for author in first)
    outcomes = {(one.verdict, _changes(one)) for one in newest}
    settled = given[-1] if given and given[-1].consensus and len(newest) > 1 else None
    if settled is not None:
        return TaskStatus(task, given, newest, "settled", settled)
    if len(newest) < 2:
        return TaskStatus(task, given, newest, "once" if newest else "open", newest[0] if newest else None)
    if len(outcomes) > 1:
        return TaskStatus(task, given, newest, "disputed", None)
    return TaskStatus(task, given, newest, "agreed", newest[-1])


def _changes(decision: Decision) -> tuple[tuple[str, str | tuple[str, ...]], ...]:
    return tuple(sorted(decision.fields.items()))


def visible_to(standing: TaskStatus, author: str) -> tuple[tuple[Decision, ...], int]:
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


def agreement(found: Sequence[TaskStatus]) -> list[PairAgreement]:
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


@dataclass(frozen=True, slots=True)
class AcceptedRecords:
    """The records that passed, and the others: reason -> count; causes of rejection -> count."""

    records: tuple[dict[str, Any], ...]
    accepted: int
    corrected: int
    refused: Mapping[str, int]
    causes: Mapping[str, int]


def publish(tasks: TaskSet, decisions: Sequence[Decision], reviewers: int = 2) -> AcceptedRecords:
    """What passed: accepted or corrected by this many reviewers alike, or by their consensus.

    Raises:
        UsageError: nothing passed.
    """
    found = standings(tasks, decisions)
    passed: list[dict[str, Any]] = []
    refused: Counter[str] = Counter()
    causes: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    day = datetime.now(UTC).isoformat(timespec="seconds")
    for task in tasks.tasks:
        standing = found[task.id]
        reason = refusal(standing, reviewers)
        if reason:
            refused[reason] += 1
            causes.update(standing.outcome.causes if reason == "rejected" and standing.outcome else ())
            continue
        assert standing.outcome is not None
        verdicts[standing.outcome.verdict] += 1
        passed.append(_record(tasks, task, standing, standing.outcome, day))
    if not passed:
        told = ", ".join(f"{name} {refused[name]}" for name in REASONS if refused[name])
        raise UsageError(
            f"no task of {tasks.path} has passed: {told}", "`moot review FILE` shows what is left to do."
        )
    return AcceptedRecords(
        tuple(passed), verdicts["accept"], verdicts["correct"], {name: refused[name] for name in REASONS},
        dict(causes.most_common()),
    )  # fmt: skip


def refusal(standing: TaskStatus, reviewers: int = 2) -> str:
    """Why a task may not be published, '' where it may."""
    if standing.status in ("open", "disputed"):
        return standing.status
    if standing.status != "settled" and len(standing.reviewers) < reviewers:
        return "few"
    return "rejected" if standing.outcome is not None and standing.outcome.verdict == "reject" else ""


def _record(tasks: TaskSet, task: Task, standing: TaskStatus, outcome: Decision, day: str) -> dict[str, Any]:
    told = {
        "set": tasks.hash, "file": tasks.path.name, "published": day, "status": standing.status,
        "verdict": outcome.verdict, "reviewers": list(standing.reviewers),
        "decisions": [_told(one) for one in standing.decisions],
        "before": {name: task.record[name] for name in outcome.fields},
    }  # fmt: skip
    return {**tasks.corrected(task, outcome.fields), FIELD: told}


def _told(one: Decision) -> dict[str, Any]:
    return one.model_dump(mode="json", exclude={"task", "fields"}) | {"fields": sorted(one.fields)}
