"""What a run says beside the scores: turns, stages, violations, how far the simulated roles answered, and how
consistent they were."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from tasks.courts.environment import environment
from tasks.courts.scores.of_run.means import DIGITS
from tasks.courts.scores.of_run.members import Rated
from tasks.courts.scores.of_run.rating import simulated
from tasks.courts.simulated.wording import REASONS, VALID, Reason
from tasks.scoring.metrics import COUNT, POINTS, RULES, Group, Measure, Metric


def rows(group: Group, members: Sequence[Rated]) -> Iterator[Metric]:
    """The rows of an environment beside its scores.

    Turns of the tested seat in attempts that the machinery did not break (paper, Table 10); rule and stage -> share
    of the trials in which all its actions were done (Figure 5); role -> turns that are answers, consistency
    by rules, and as a grader sees it.
    """
    counts = [one.turns for one in members if one.result.scored]
    found: dict[str, float | None] = dict.fromkeys(("mean", "median", "least", "most"))
    if counts:
        found = {"mean": _round(counts), "median": median(counts), "least": min(counts), "most": max(counts)}
    for name, value in found.items():
        yield Metric(Measure("", name, unit=COUNT, section="turns"), group, value, len(counts))
    trials = [one.trial for one in members if one.trial is not None]
    for rule in RULES:
        # A trial with every stage comes first: it names them in their order.
        fullest = sorted(trials, key=lambda trial: -len(trial.stages[rule]))
        for name in dict.fromkeys(name for trial in fullest for name in trial.stages[rule]):
            own = [trial.stages[rule][name] for trial in trials if name in trial.stages[rule]]
            yield Metric(Measure(rule, name, unit=POINTS, section="stages"), group, _percent(own), len(own))
    for role, answered in answers(members).items():
        label = environment(group.name).seats[role].name, role
        shares = [v.share for member in members for v in member.valid if v.role == role]
        counted = [f"{REASONS[reason][1]} {count}" for reason, count in answered.invalid.items()]
        low = [f"{answered.below} attempts below {100 * VALID:g}"] * bool(answered.below)
        yield Metric(
            Measure("", role, label, POINTS, section="validity"), group, _percent(shares), answered.attempts,
            why=", ".join([*counted, *low]),
        )  # fmt: skip
    for role, one in details(members).items():
        shares = [found.score for member in members for found in member.simulated if found.role == role]
        yield Metric(Measure("", role, unit=POINTS, section="consistency"), group, _percent(shares), one.attempts)
        yield Metric(Measure("", role, unit=POINTS, section="graded"), group, one.graded, one.n_graded)


def violations(rated: Sequence[Rated]) -> dict[str, int]:
    """Code of a fault in the procedure -> how often it occurred."""
    count = Counter(code for one in rated if one.trial for code in one.trial.violations)
    return dict(sorted(count.items(), key=lambda item: (-item[1], item[0])))


def moved_by_text(members: Sequence[Rated]) -> dict[str, int]:
    """Compat metric -> trials in which it is what it is only for words that the judge read out of the case file."""
    return dict(Counter(metric for one in members for metric in one.moved))


def unmet(members: Sequence[Rated]) -> dict[str, int]:
    """Act -> duties that the judge did and no simulator met with an answer: left out of strict PFS, STA and ACT."""
    return dict(sorted(Counter(act for one in members if one.trial for act in one.trial.unmet).items()))


@dataclass(frozen=True, slots=True)
class Simulated:
    """What is known of a simulated role. attempts: those with a message; slips: by kind; style: share of fitting
    style markers; graded: the grader's mean over `n_graded` attempts. Shares from 0 to 100."""

    messages: int
    attempts: int
    slips: dict[str, int]
    style: float | None
    graded: float | None
    n_graded: int


def details(members: Sequence[Rated]) -> dict[str, Simulated]:
    """The simulated roles of an environment."""
    made = {}
    for role in simulated(members[0].case):
        found = [one for member in members for one in member.simulated if one.role == role]
        grades = [member.graded_parts[role] for member in members if role in member.graded_parts]
        made[str(role)] = Simulated(
            sum(one.messages for one in found),
            sum(one.score is not None for one in found),
            dict(sorted(Counter(slip.kind for one in found for slip in one.slips).items())),
            _percent(one.style for one in found),
            _percent(grades),
            len(grades),
        )
    return made


@dataclass(frozen=True, slots=True)
class Answering:
    """How a simulated role answered. turns: those with something to answer; attempts: those with such a turn; below:
    of these how many lie below the threshold; invalid: reason -> turns."""

    turns: int
    attempts: int
    below: int
    invalid: dict[Reason, int]


def answers(members: Sequence[Rated]) -> dict[str, Answering]:
    """The simulated roles of an environment."""
    made = {}
    for role in simulated(members[0].case):
        found = [one for member in members for one in member.valid if one.role == role]
        shares = [one.share for one in found if one.share is not None]
        counts = Counter(reason for one in found for reason in one.invalid.values())
        below = sum(share < VALID for share in shares)
        made[str(role)] = Answering(sum(one.turns for one in found), len(shares), below, dict(sorted(counts.items())))
    return made


def _round(counts: Sequence[int]) -> float:
    return round(sum(counts) / len(counts), DIGITS)


def _percent(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(100 * math.fsum(known) / len(known), DIGITS) if known else None
