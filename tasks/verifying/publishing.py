"""What may be published of a task set: tasks that reviewers passed, each with the decisions by which it passed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tasks.errors import UsageError
from tasks.verifying.decisions import Decision
from tasks.verifying.standing import Standing, standings
from tasks.verifying.taskset import Task, TaskSet

FIELD = "verified"
"""The field of a published record that says where it comes from."""
REASONS = ("open", "few", "disputed", "rejected")
"""Why a task is left out: nobody decided, too few did, they disagree, they reject it."""


@dataclass(frozen=True, slots=True)
class Published:
    """The records that passed, and the others: reason -> count; causes of rejection -> count."""

    records: tuple[dict[str, Any], ...]
    accepted: int
    corrected: int
    refused: Mapping[str, int]
    causes: Mapping[str, int]


def publish(tasks: TaskSet, decisions: Sequence[Decision], reviewers: int = 2) -> Published:
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
    return Published(
        tuple(passed), verdicts["accept"], verdicts["correct"], {name: refused[name] for name in REASONS},
        dict(causes.most_common()),
    )  # fmt: skip


def refusal(standing: Standing, reviewers: int = 2) -> str:
    """Why a task may not be published, '' where it may."""
    if standing.status in ("open", "disputed"):
        return standing.status
    if standing.status != "settled" and len(standing.reviewers) < reviewers:
        return "few"
    return "rejected" if standing.outcome is not None and standing.outcome.verdict == "reject" else ""


def _record(tasks: TaskSet, task: Task, standing: Standing, outcome: Decision, day: str) -> dict[str, Any]:
    told = {
        "set": tasks.hash, "file": tasks.path.name, "published": day, "status": standing.status,
        "verdict": outcome.verdict, "reviewers": list(standing.reviewers),
        "decisions": [_told(one) for one in standing.decisions],
        "before": {name: task.record[name] for name in outcome.fields},
    }  # fmt: skip
    return {**tasks.corrected(task, outcome.fields), FIELD: told}


def _told(one: Decision) -> dict[str, Any]:
    return one.model_dump(mode="json", exclude={"task", "fields"}) | {"fields": sorted(one.fields)}
