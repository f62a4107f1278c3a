"""Attempts of the courts summed up: what their rows say, what counts as 0, what is left out, what is missing and
why; means with their intervals, and the overall score. Values are from 0 to 100, clusters of cases drawn whole.

Compat: an attempt that the machinery broke earns 0, a criminal one fails in VER; dialogues of KQ and LC that did not
reach every topic are dropped from BIN and NBIN, as published. Strict leaves broken attempts out and shows both
bounds.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

import numpy as np

from store.journal import ScoreRow
from tasks.courts.casefile.case import Case, Env
from tasks.courts.environment import codes, environment
from tasks.courts.procedure import pfs
from tasks.courts.procedure.answers import VALID
from tasks.courts.procedure.model import REASONS, Reason
from tasks.courts.scores.columns import FINISHED_ONLY, OVERALL, averaged, family, measure, metrics, scale
from tasks.courts.scores.score import CONSISTENCY, PROCEDURE
from tasks.courts.scores.transcript import CourtTranscript, simulated
from tasks.scoring.metrics import COUNT, POINTS, RULES, Group, Limit, Measure, Metric, Rule, Tree, Value, in_points
from tasks.scoring.names import DISTANCES
from tasks.scoring.overall import Overall
from tasks.scoring.result import Grade, Result, ScoredAttempt
from tasks.scoring.statistics import DRAWS, FEW_CLUSTERS, Interval, mean_interval

Values = Mapping[Rule, Mapping[str, Value]]


@dataclass(frozen=True, slots=True)
class RoleScores:
    """A simulated role in one attempt. consistent: share of its messages without a slip, valid: share of its turns
    that are answers, None where there was none; slips, invalid: why, one entry each."""

    role: str
    consistent: Value
    messages: int
    style: Value
    slips: tuple[str, ...]
    valid: Value
    turns: int
    invalid: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class CourtScores:
    """One attempt as its rows have it. values: rule -> metric -> share. bounds: strict values if what is missing were
    0 or 1, where they differ from the value. gradings: metric -> graded (all verdicts are there), failed (one was
    asked for and failed) or ungraded (one was never asked for). distances: of the term and the fine of a criminal
    judgment; stages: rule -> (stage, whether it was done); violations, unmet: codes of faults, acts without a valid
    answer, one entry each; moved: compat metrics that words from the case file moved."""

    case: Case
    result: Result
    transcript: CourtTranscript
    values: Values
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    gradings: Mapping[str, str] = field(default_factory=dict)
    finished: bool = True
    distances: tuple[Value, float] | None = None
    stages: Mapping[Rule, Sequence[tuple[str, float]]] = field(default_factory=dict)
    violations: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    roles: tuple[RoleScores, ...] = ()
    graded_parts: Mapping[str, float] = field(default_factory=dict)
    moved: tuple[str, ...] = ()

    @property
    def env(self) -> Env:
        """Its environment."""
        return self.case.env

    @property
    def turns(self) -> int:
        """Turns that the tested seat made."""
        return len(self.transcript.own)


Members = Mapping[Env, Sequence[CourtScores]]


def values_of(env: Env, one: ScoredAttempt) -> dict[Rule, dict[str, Value]]:
    """All metrics of an attempt, in the order of tables."""
    found = {(rule, metric): value for rule, _, metric, value in _counted(one.rows.values())}
    return {rule: {metric: found.get((rule, metric)) for metric in metrics(rule, env)} for rule in RULES}


def rated(case: Case, one: ScoredAttempt, grades: Grade, best: Values) -> CourtScores:
    """An attempt as its rows have it; `best`: the values of the ceiling of its case, for one that the machinery
    broke: of all that it could have earned, nothing (compat), or anything (strict)."""
    transcript = CourtTranscript.of(case, one.result)
    if not one.result.scored:
        return CourtScores(
            case, one.result, transcript,
            {
                "compat": {metric: None if value is None else 0.0 for metric, value in best["compat"].items()},
                "strict": dict.fromkeys(best["strict"]),
            },
            {metric: (0.0, 1.0) for metric, value in best["strict"].items() if value is not None},
        )  # fmt: skip
    values = values_of(case.env, one)
    settings: dict[str, dict[str, Any]] = defaultdict(dict)
    for scorer, row in one.rows.items():
        settings[scorer.rpartition("_")[2]] |= row.settings
    told = {scorer: one.evidence(scorer) for scorer in one.rows}
    moved = {scorer == pfs.COMPAT for scorer, rows in told.items() for row in rows if "moved_by_text" in row}
    procedure = told.get(pfs.STRICT, ())
    parts = (
        (name.removeprefix(CONSISTENCY), value) for name, value in grades.items() if name.startswith(CONSISTENCY)
    )
    distances = settings["compat"].get("distances")
    return CourtScores(
        case, one.result, transcript, values,
        {metric: (low, high) for metric, (low, high) in settings["strict"].get("bounds", {}).items()},
        settings["strict"].get("grading", {}),
        bool(settings["compat"].get("finished", True)),
        tuple(distances) if distances else None,
        {rule: list(settings[rule].get("stages", {}).items()) for rule in RULES},
        tuple(str(row["violation"]) for row in procedure if "violation" in row),
        tuple(str(row["unmet"]).partition("/")[0] for row in procedure if "unmet" in row),
        _roles_of(case, one),
        {role: value for role, value in parts if value is not None},
        tuple(metric for metric in values["compat"] if (metric in PROCEDURE) in moved),
    )  # fmt: skip


def _roles_of(case: Case, one: ScoredAttempt) -> tuple[RoleScores, ...]:
    """The simulated roles of an attempt, those of which a row tells."""
    consistent, valid = one.values("consistency"), one.values("validity")
    rows = [*one.evidence("consistency"), *one.evidence("validity")]

    def own(role: str, key: str) -> list[Any]:
        return [row[key] for row in rows if row.get("role") == role and key in row]

    return tuple(
        RoleScores(
            role, consistent.get(role), sum(own(role, "messages")), next(iter(own(role, "style")), None),
            tuple(own(role, "slip")), valid.get(role), sum(own(role, "turns")), tuple(own(role, "reason")),
        )
        for role in simulated(case)
    )  # fmt: skip


def with_verdicts(members: Sequence[CourtScores]) -> list[CourtScores]:
    """The attempts with their compat SEN, FINE and VER as published: distances scaled to 0–1 over the finished trials
    of the run, 0 where they are all alike, failures 1; a gold without a term has no SEN."""
    finished = [one.distances for one in members if one.distances is not None]
    months = [months for months, _ in finished if months is not None]
    fines = [fine for _, fine in finished]
    made = []
    for one in members:
        if one.env != "CR":
            made.append(one)
            continue
        sen = 1.0 if one.distances is None else _scaled(one.distances[0], months)
        fine = 1.0 if one.distances is None else _scaled(one.distances[1], fines)
        parts = [value for value in (sen, fine) if value is not None]
        verdict: dict[str, Value] = {"SEN": sen, "FINE": fine, "VER": sum(parts) / len(parts)}
        made.append(replace(one, values={**one.values, "compat": {**one.values["compat"], **verdict}}))
    return made


def _scaled(value: Value, among: Sequence[float]) -> Value:
    if value is None:
        return None
    width = max(among) - min(among)
    return (value - min(among)) / width if width else 0.0


# --- means ----------------------------------------------------------------------------------------------------------


DIGITS = 10
NO_GRADER = "no grader"
UNFINISHED = "no dialogue reached every topic"
NOTHING_SCORED = "no attempt was scored"
NOTHING_TO_RATE = "nothing to rate"
ALIKE = "scaled over the trials of this run: one alone, or all alike, comes to 0 whatever it is"


Columns = Mapping[tuple[Env, str], Metric]
"""Environment and metric -> its row."""


def columns(members: Members, rule: Rule, groups: Mapping[Env, Group]) -> Columns:
    """The means of all metrics over the attempts of each environment."""
    made = {
        (env, metric): _column(groups[env], own, rule, metric)
        for env, own in members.items()
        for metric in metrics(rule, env)
    }
    if rule == "compat" and "CR" in members:
        # The published VER is the mean of two means; they differ from the mean of cases where a gold has no term.
        parts = [value for name in ("SEN", "FINE") if (value := made["CR", name].value) is not None]
        ver = sum(parts) / len(parts) if parts else None
        made["CR", "VER"] = replace(made["CR", "VER"], value=ver, bounds=None)
        if len({one.distances for one in members["CR"] if one.distances is not None}) == 1:
            alike = (("CR", name) for name in ("SEN", "FINE", "VER"))
            made |= {key: replace(made[key], why=made[key].why or ALIKE) for key in alike}
    return made


def _column(group: Group, members: Sequence[CourtScores], rule: Rule, metric: str) -> Metric:
    """The mean of a metric over attempts.

    Where some attempts wait for a grader and none has got its word, the rest would be a selection of failures: no
    mean.
    """
    gradings = [grading for one in members if (grading := _grading(one, rule, metric))]
    failed, ungraded = gradings.count("failed"), gradings.count("ungraded")
    lacking = [f"{failed} gradings failed"] * bool(failed) + [f"{ungraded} not graded"] * bool(ungraded)
    made = Metric(
        measure(rule, metric), group, None, 0, bounds=_bounds(members, metric) if rule == "strict" else None,
        waits=bool(lacking), main=metric in environment(group.name).reported,
    )  # fmt: skip
    if lacking and "graded" not in gradings:
        return replace(made, why=", ".join(lacking) if failed else NO_GRADER)
    points = _points_of(members, rule, metric)
    if not points:
        return replace(made, why=_why_nothing(members, rule), waits=False)
    values, clusters = [value for value, _ in points], [cluster for _, cluster in points]
    interval = None if metric in DISTANCES else in_points(mean_interval(values, clusters))
    mean = _percent(math.fsum(values) / len(values), metric)
    return replace(made, value=mean, n=len(points), interval=interval, why=", ".join(lacking))


def _points_of(members: Sequence[CourtScores], rule: Rule, metric: str) -> list[tuple[float, str]]:
    """Share and cluster of the attempts behind a mean."""
    return [(value, one.case.cluster) for one in members if (value := one.values[rule].get(metric)) is not None]


def _grading(one: CourtScores, rule: Rule, metric: str) -> str:
    """How the grading of a metric stands; '' where it needs none, or where the attempt does not count anyway."""
    dropped = rule == "compat" and metric in FINISHED_ONLY and not one.finished
    found = "" if dropped else one.gradings.get(metric, "")
    there = one.values[rule].get(metric) is not None
    return found if there == (found == "graded") else ""


def _why_nothing(members: Sequence[CourtScores], rule: Rule) -> str:
    if not any(one.result.scored for one in members):
        return NOTHING_SCORED
    return UNFINISHED if rule == "compat" and not any(one.finished for one in members) else NOTHING_TO_RATE


def _bounds(members: Sequence[CourtScores], metric: str) -> tuple[float, float] | None:
    """The mean if all that is missing were 0, and if it were 1."""
    if metric in DISTANCES:
        return None
    pairs = [
        (value, value) if (value := one.values["strict"].get(metric)) is not None else one.bounds.get(metric)
        for one in members
    ]
    known = [pair for pair in pairs if pair is not None]
    if not known:
        return None
    low, high = (_percent(math.fsum(pair[side] for pair in known) / len(known), metric) for side in (0, 1))
    return low, high


def _percent(share: float, metric: str) -> float:
    return round(scale(metric) * share, DIGITS)


def averaged_in(made: Columns) -> list[tuple[Env, str]]:
    """The columns of the published main table except VER (paper §4.2) that have a value."""
    envs = dict.fromkeys(env for env, _ in made)
    wanted = ((env, metric) for env in envs for metric in averaged(env))
    return [key for key in wanted if key in made and made[key].value is not None]


def mean_of(made: Columns, keys: Iterable[tuple[Env, str]]) -> Value:
    """The mean of those of these columns that are there: what a limit comes to where a run has only them."""
    known = [value for key in keys if key in made and (value := made[key].value) is not None]
    return round(math.fsum(known) / len(known), DIGITS) if known else None


def overall(
    made: Columns, members: Members, rule: Rule, whole: Group, n: int, limits: Mapping[Limit, Columns]
) -> list[Metric]:
    """The overall score of some columns, and the mean of the means of environments."""
    there = averaged_in(made)
    by_env = [
        math.fsum(own) / len(own)
        for env in members
        if (own := [float(made[key].value or 0.0) for key in there if key[0] == env])
    ]
    span = _drawn([(family(env), _points_of(members[env], rule, metric)) for env, metric in there])
    extremes = {name: mean_of(own, there) for name, own in limits.items()}
    mean = round(math.fsum(by_env) / len(by_env), DIGITS) if by_env else None
    return [
        Metric(measure(rule, OVERALL), whole, mean_of(made, there), n, in_points(span), extremes, main=True),
        Metric(Measure(rule, "by_env", unit=POINTS, section="overall"), whole, mean, n),
    ]


def _drawn(columns: Sequence[tuple[str, Sequence[tuple[float, str]]]]) -> Interval | None:
    """Percentile interval of a mean of column means: clusters are drawn within a family, for all its columns
    together.

    None where all draws agree: there is no spread to learn from.
    """
    if not columns:
        return None
    generator = np.random.default_rng(0)
    total, count = np.zeros(DRAWS), 0
    for name in dict.fromkeys(name for name, _ in columns):
        mine = [points for own, points in columns if own == name]
        place = {
            cluster: number for number, cluster in enumerate(dict.fromkeys(c for points in mine for _, c in points))
        }
        size = len(place)
        count += size
        weights = generator.multinomial(size, np.full(size, 1.0 / size), size=DRAWS)
        for points in mine:
            sums, sizes = np.zeros(size), np.zeros(size)
            for value, cluster in points:
                sums[place[cluster]] += value
                sizes[place[cluster]] += 1
            drawn = weights @ sizes
            # A draw that misses a thin column altogether says nothing of it: the column's own mean stands in.
            total += np.where(drawn > 0, weights @ sums / np.maximum(drawn, 1.0), sums.sum() / sizes.sum())
    low, high = np.quantile(total / len(columns), [0.025, 0.975])
    if high - low < 1e-12:
        return None
    few = f", only {count} clusters" if count < FEW_CLUSTERS else ""
    return Interval(float(low), float(high), f"cluster bootstrap, {DRAWS} draws, seed 0, by group{few}")


# --- beside the scores ----------------------------------------------------------------------------------------------


def beside(group: Group, members: Sequence[CourtScores]) -> Iterator[Metric]:
    """The rows of an environment beside its scores.

    Turns of the tested seat in attempts that the machinery did not break (paper, Table 10); rule and stage -> share
    of the trials in which all its actions were done (Figure 5); role -> turns that are answers, consistency
    by rules, and as a grader sees it.
    """
    counts = [one.turns for one in members if one.result.scored]
    found: dict[str, float | None] = dict.fromkeys(("mean", "median", "least", "most"))
    if counts:
        found = {
            "mean": round(sum(counts) / len(counts), DIGITS),
            "median": median(counts),
            "least": min(counts),
            "most": max(counts),
        }
    for name, value in found.items():
        yield Metric(Measure("", name, unit=COUNT, section="turns"), group, value, len(counts))
    for rule in RULES:
        # A trial with every stage comes first: it names them in their order.
        trials = [dict(one.stages.get(rule, ())) for one in members]
        fullest = sorted(trials, key=lambda stages: -len(stages))
        for name in dict.fromkeys(name for stages in fullest for name in stages):
            own = [stages[name] for stages in trials if name in stages]
            yield Metric(Measure(rule, name, unit=POINTS, section="stages"), group, _points(own), len(own))
    for role in simulated(members[0].case):
        found_in = _roles(members, role)
        shares = [one.valid for one in found_in if one.valid is not None]
        counted = Counter(reason for one in found_in for reason in one.invalid)
        why = [f"{REASONS[reason][1]} {count}" for reason, count in sorted(counted.items())]
        below = sum(share < VALID for share in shares)
        why += [f"{below} attempts below {100 * VALID:g}"] * bool(below)
        label = environment(group.name).seats[role].name, role
        yield Metric(
            Measure("", role, label, POINTS, section="validity"), group, _points(shares), len(shares),
            why=", ".join(why),
        )  # fmt: skip
    for role in simulated(members[0].case):
        shares = [one.consistent for one in _roles(members, role) if one.consistent is not None]
        grades = [one.graded_parts[role] for one in members if role in one.graded_parts]
        for section, values in (("consistency", shares), ("graded", grades)):
            yield Metric(Measure("", role, unit=POINTS, section=section), group, _points(values), len(values))


def violations(rated: Sequence[CourtScores]) -> dict[str, int]:
    """Code of a fault in the procedure -> how often it occurred."""
    count = Counter(code for one in rated for code in one.violations)
    return dict(sorted(count.items(), key=lambda item: (-item[1], item[0])))


def moved_by_text(members: Sequence[CourtScores]) -> dict[str, int]:
    """Compat metric -> trials in which it is what it is only for words that the judge read out of the case file."""
    return dict(Counter(metric for one in members for metric in one.moved))


def unmet(members: Sequence[CourtScores]) -> dict[str, int]:
    """Act -> duties that the judge did and no simulator met with an answer: left out of strict PFS, STA and ACT."""
    return dict(sorted(Counter(act for one in members for act in one.unmet).items()))


def _roles(members: Sequence[CourtScores], role: str) -> list[RoleScores]:
    """A simulated role in each attempt."""
    return [one for member in members for one in member.roles if one.role == role]


def details(members: Sequence[CourtScores]) -> dict[str, Tree]:
    """Simulated role of an environment -> what is known of it. attempts: those with a message; slips: by kind; style:
    share of fitting style markers; graded: the grader's mean over `n_graded` attempts. Shares from 0 to 100."""
    made: dict[str, Tree] = {}
    for role in simulated(members[0].case):
        found = _roles(members, role)
        grades = [member.graded_parts[role] for member in members if role in member.graded_parts]
        made[role] = {
            "messages": sum(one.messages for one in found),
            "attempts": sum(one.consistent is not None for one in found),
            "slips": dict(sorted(Counter(slip for one in found for slip in one.slips).items())),
            "style": _points(one.style for one in found),
            "graded": _points(grades),
            "n_graded": len(grades),
        }
    return made


def answers(members: Sequence[CourtScores]) -> dict[str, Tree]:
    """Simulated role of an environment -> how it answered. turns: those with something to answer; attempts: those
    with such a turn; below: of these how many lie below the threshold; invalid: reason -> turns."""
    made: dict[str, Tree] = {}
    for role in simulated(members[0].case):
        found = _roles(members, role)
        shares = [one.valid for one in found if one.valid is not None]
        counts = Counter(reason for one in found for reason in one.invalid)
        made[role] = {
            "turns": sum(one.turns for one in found), "attempts": len(shares),
            "below": sum(share < VALID for share in shares), "invalid": dict(sorted(counts.items())),
        }  # fmt: skip
    return made


def _points(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(100 * math.fsum(known) / len(known), DIGITS) if known else None


# --- of an open journal ---------------------------------------------------------------------------------------------


_GRADED = frozenset({"NBIN", "DOC", "JUD", "REA"})
"""Columns that take a grader's word."""


def stored_overall(rows: Iterable[ScoreRow]) -> Overall | None:
    """The mean of the columns of the published main table except VER, by rule, without a value where no column has
    one; None where nothing was scored."""
    columns: dict[tuple[Rule, str, str], list[Value]] = defaultdict(list)
    told = False
    waiting: set[tuple[Rule, str, str]] = set()
    known = {env: averaged(env) for env in codes()}
    for rule, settings, metric, value in _counted(rows):
        env = str(settings.get("env", ""))
        told = True
        if metric in known.get(env, ()):
            columns[rule, env, metric].append(value)
            if value is None and metric in _GRADED and settings.get("scored"):
                waiting.add((rule, env, metric))
    if not told:
        return None
    compat, strict = (
        _share([_share(values) for key, values in columns.items() if key[0] == rule and key not in waiting])
        for rule in RULES
    )
    return Overall(OVERALL, compat, strict)


def stored_values(rows: Sequence[ScoreRow]) -> dict[tuple[Rule, str], Value]:
    """The values of one attempt by rule and metric, the overall score among them."""
    values = {(rule, metric): value for rule, _, metric, value in _counted(rows)}
    found = stored_overall(rows)
    return values | {("compat", OVERALL): found.compat, ("strict", OVERALL): found.strict} if found else values


def _counted(rows: Iterable[ScoreRow]) -> Iterator[tuple[Rule, Mapping[str, object], str, Value]]:
    """Rule, settings, metric and value of all that counts: of a dialogue that reached not every topic the published
    scores do not."""
    for row in rows:
        rule = next((rule for rule in RULES if row.scorer.endswith(f"_{rule}")), None)
        settings = row.settings if isinstance(row.settings, dict) else {}
        if rule is None or not isinstance(row.value, dict):
            continue
        for metric, value in row.value.items():
            if rule == "strict" or metric not in FINISHED_ONLY or settings.get("finished"):
                yield rule, settings, metric, value


def _share(values: Iterable[Value]) -> Value:
    there = [value for value in values if value is not None]
    return math.fsum(there) / len(there) if there else None
