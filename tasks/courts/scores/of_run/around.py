"""What a block says beside the scores: turns, stages, violations, and how consistent the simulated roles were."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from tasks.courts.casefile.case import Env
from tasks.courts.scores.of_run.columns import RULES
from tasks.courts.scores.of_run.gradings import simulated
from tasks.courts.scores.of_run.means import DIGITS
from tasks.courts.scores.of_run.members import Rated

Tree = dict[str, Any]


def turns(members: Sequence[Rated]) -> Tree:
    """Turns of the tested seat in attempts that the machinery did not break (paper, Table 10)."""
    counts = [one.turns for one in members if one.result.scored]
    if not counts:
        return {"mean": None, "median": None, "least": None, "most": None, "n": 0}
    return {
        "mean": round(sum(counts) / len(counts), DIGITS), "median": median(counts), "least": min(counts),
        "most": max(counts), "n": len(counts),
    }  # fmt: skip


def stages(members: Sequence[Rated]) -> Tree:
    """Rule -> stage -> share of the trials in which all its actions were done, 0 to 100 (paper, Figure 5)."""
    trials = [one.trial for one in members if one.trial is not None]
    made: Tree = {}
    for rule in RULES:
        # A trial with every stage comes first: it names them in their order.
        fullest = sorted(trials, key=lambda trial: -len(trial.stages[rule]))
        names = dict.fromkeys(name for trial in fullest for name in trial.stages[rule])
        made[rule] = {
            name: _mean(trial.stages[rule][name] for trial in trials if name in trial.stages[rule]) for name in names
        }
    return made if trials else {}


def violations(rated: Sequence[Rated]) -> dict[str, int]:
    """Code of a fault in the procedure -> how often it occurred."""
    count = Counter(code for one in rated if one.trial for code in one.trial.violations)
    return dict(sorted(count.items(), key=lambda item: (-item[1], item[0])))


def moved_by_text(members: Sequence[Rated]) -> dict[str, int]:
    """Compat metric -> trials in which it is what it is only for words that the judge read out of the case file."""
    return dict(Counter(metric for one in members for metric in one.moved))


def consistent(members: Mapping[Env, Sequence[Rated]]) -> dict[str, dict[str, float | None]]:
    """Environment -> simulated role -> share of its messages without a slip, each attempt with equal weight, 0 to 100."""
    return {
        env: {
            role: _mean(found.score for one in own for found in one.simulated if found.role == role)
            for role in simulated(own[0].case)
        }
        for env, own in members.items()
    }


def details(members: Sequence[Rated]) -> Tree:
    """Role -> messages, attempts, slips by kind, share of fitting style markers, and the grader's mean with its n."""
    made: Tree = {}
    for role in simulated(members[0].case):
        found = [one for member in members for one in member.simulated if one.role == role]
        grades = [member.graded_parts[role] for member in members if role in member.graded_parts]
        slips = Counter(slip.kind for one in found for slip in one.slips)
        made[role] = {
            "messages": sum(one.messages for one in found),
            "attempts": sum(one.score is not None for one in found),
            "slips": dict(sorted(slips.items())),
            "style": _mean(one.style for one in found),
            "graded": _mean(grades),
            "n_graded": len(grades),
        }
    return made


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(100 * math.fsum(known) / len(known), DIGITS) if known else None
