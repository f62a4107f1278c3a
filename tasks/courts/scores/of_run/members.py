"""The attempts of a run with their scores, ready to be averaged: what counts as 0, what is left out, what is missing
and why.

Compat: an attempt that the machinery broke earns 0, a criminal one fails in VER; dialogues of KQ and LC that did not
reach every topic are dropped from BIN and NBIN, as published. Strict leaves broken attempts out and shows both
bounds.

The floor of a case is what an episode of `echo` earns, its ceiling the gold itself with the best grades. The
published faults keep some ceilings below 1: a defence reaches 0.6 of FOR, gold text may fail the rule on citations.
The ceiling of the procedure is 1 by definition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase, Env
from tasks.courts.environment import Environment, environment
from tasks.courts.procedure.turns import Turn
from tasks.courts.scores import drafts, judgment, rulings, topics
from tasks.courts.scores.consistency import Consistency
from tasks.courts.scores.drafted import kind_of_case
from tasks.courts.scores.of_run.columns import FINISHED_ONLY, feeds, metrics
from tasks.courts.scores.of_run.rating import (
    CONSISTENCY,
    PROCEDURE,
    Followed,
    Heard,
    Rates,
    followed,
    gradings_of,
    rates,
)
from tasks.courts.scores.of_run.simulators import Validity, answered, consistencies
from tasks.courts.scores.sentence import Published
from tasks.courts.settings import settings_of
from tasks.scoring.context import Grade, ScoreContext
from tasks.scoring.metrics import RULES, Rule, Value
from tasks.scoring.result import Result

Grading = Literal["graded", "failed", "ungraded"]
"""All verdicts are there; one was asked for and failed; one was never asked for."""


@dataclass(frozen=True, slots=True)
class Rated:
    """One attempt. values: rule -> metric -> share. bounds: strict values if what is missing were 0 or 1, where they
    differ from the value. needs: metric -> how its grading stands, where it takes one. turns: of the tested seat."""

    case: Case
    result: Result
    heard: Heard
    values: Mapping[Rule, Mapping[str, Value]]
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    needs: Mapping[str, Grading] = field(default_factory=dict)
    finished: bool = True
    distances: Published | None = None
    trial: Followed | None = None
    simulated: tuple[Consistency, ...] = ()
    valid: tuple[Validity, ...] = ()
    graded_parts: Mapping[str, float] = field(default_factory=dict)
    moved: tuple[str, ...] = ()

    @property
    def env(self) -> Env:
        """Its environment."""
        return self.case.env

    @property
    def turns(self) -> int:
        """Turns that the tested seat made."""
        return len(self.heard.own)


def rate(case: Case, result: Result, context: ScoreContext) -> Rated:
    """The scores of one attempt."""
    spec = context.spec
    heard = Heard.of(case, result)
    grades = context.graded.get((result.task_id, result.epoch), {})
    if not result.scored:
        return _broken(case, result, heard)
    profile = settings_of(spec).profile if spec else "law"
    made = scored(case, result, heard, grades, followed(case, heard, profile))
    parts = {
        name.removeprefix(CONSISTENCY): value
        for name, value in grades.items()
        if name.startswith(CONSISTENCY) and value is not None
    }
    valid = answered(case, heard, profile)
    seen = consistencies(case, heard, (spec.seed if spec else 0) + result.epoch, valid)
    return replace(made, simulated=seen, valid=valid, graded_parts=parts)


def scored(case: Case, result: Result, heard: Heard, grades: Grade, trial: Followed | None) -> Rated:
    """The scores of a transcript whose procedure is known, simulated roles aside."""
    rated = rates(case, heard)
    found = rated(grades)
    names = [name for grading in gradings_of(case, heard) for name in grading.failed]
    missing = [name for name in names if grades.get(name) is None]
    values = together(found, trial, case.env)
    values["compat"] = {
        metric: None if metric in FINISHED_ONLY and not found.finished else value
        for metric, value in values["compat"].items()
    }
    bounds: dict[str, tuple[float, float]] = {}
    if missing:
        low, high = (
            together(rated({**grades, **dict.fromkeys(missing, given)}), trial, case.env)["strict"]
            for given in (0.0, 1.0)
        )
        for metric, value in values["strict"].items():
            least, most = low[metric], high[metric]
            if value is None and least is not None and most is not None:
                bounds[metric] = least, most
    needs: dict[str, Grading] = {}
    for metric in metrics("strict", case.env):
        own = [name for name in names if feeds(name, metric)]
        lacking = [name for name in own if name in missing]
        if own:
            needs[metric] = (
                "graded" if not lacking else "failed" if all(name in grades for name in lacking) else "ungraded"
            )
    moved = tuple(
        metric
        for metric in metrics("compat", case.env)
        if (found.moved if metric not in PROCEDURE else trial is not None and trial.moved)
    )
    return Rated(case, result, heard, values, bounds, needs, found.finished, found.distances, trial, moved=moved)


def together(found: Rates, trial: Followed | None, env: Env) -> dict[Rule, Mapping[str, Value]]:
    """All metrics of a transcript, in the order of tables."""
    parts = {"compat": found.compat, "strict": found.strict}
    steps = {"compat": trial.compat, "strict": trial.strict} if trial else {}
    return {
        rule: {metric: steps.get(rule, {}).get(metric, parts[rule].get(metric)) for metric in metrics(rule, env)}
        for rule in RULES
    }


def _broken(case: Case, result: Result, heard: Heard) -> Rated:
    """What the machinery broke: of everything that its case could have earned, nothing (compat), or anything
    (strict)."""
    best = ceiling(case)
    could: Mapping[Rule, Mapping[str, Value]] = (
        together(rates(case, best.heard)(best.grades), best.trial, case.env)
        if best is not None
        else {rule: dict.fromkeys(metrics(rule, case.env), 1.0) for rule in RULES}
    )
    return Rated(
        case, result, heard,
        {
            "compat": {metric: None if value is None else 0.0 for metric, value in could["compat"].items()},
            "strict": dict.fromkeys(could["strict"]),
        },
        {metric: (0.0, 1.0) for metric, value in could["strict"].items() if value is not None},
    )  # fmt: skip


def with_verdicts(members: Sequence[Rated]) -> list[Rated]:
    """The attempts with their compat SEN, FINE and VER as published: distances scaled to 0–1 over the finished trials
    of the run, 0 where they are all alike, failures 1; a gold without a term has no SEN."""
    finished = [one.distances for one in members if one.distances is not None]
    months = [found.sen_d for found in finished if found.sen_d is not None]
    fines = [found.fine_d for found in finished]
    made = []
    for one in members:
        if one.env != "CR":
            made.append(one)
            continue
        found = one.distances
        sen = 1.0 if found is None else _scaled(found.sen_d, months)
        fine = 1.0 if found is None else _scaled(found.fine_d, fines)
        parts = [value for value in (sen, fine) if value is not None]
        verdict: dict[str, Value] = {"SEN": sen, "FINE": fine, "VER": sum(parts) / len(parts)}
        made.append(replace(one, values={**one.values, "compat": {**one.values["compat"], **verdict}}))
    return made


def _scaled(value: Value, among: Sequence[float]) -> Value:
    if value is None:
        return None
    width = max(among) - min(among)
    return (value - min(among)) / width if width else 0.0


# --- floor and ceiling of a case ------------------------------------------------------------------------------------


FULL = Followed(
    dict.fromkeys(("PFS", "STA", "ACT", "UNI"), 1.0), dict.fromkeys(("PFS", "STA", "ACT", "UNI", "ORD"), 1.0), {}, ()
)


class Extreme(NamedTuple):
    """What is said at a limit, what graders say of it, and the procedure of it."""

    heard: Heard
    grades: Grade
    trial: Followed | None


def floor(case: Case) -> Extreme:
    """The formula, without a grader: of a court the judgment in the first turn."""
    here = environment(case.env)
    if here.score is not None or not isinstance(case, AdviceCase | CivilCase | CriminalCase):
        return Extreme(spoken_by(here, [topics.FLOOR_REPLY]), {}, None)
    if isinstance(case, AdviceCase):
        return Extreme(Heard(topics=tuple(topics.floor_turns(case))), {}, None)
    if isinstance(case, CivilCase) and (kind := kind_of_case(case)):
        return Extreme(Heard(own=(drafts.FLOOR_REPLY, drafts.with_end_mark(drafts.floor_document(kind)))), {}, None)
    heard = _judged(f"{judgment.FORMULA[case.env]}\n现在闭庭。", 1)
    return Extreme(heard, {}, followed(case, heard, "law"))


def ceiling(case: Case) -> Extreme | None:
    """The gold, when a grader gives all points; None where nobody knows what would be perfect."""
    here = environment(case.env)
    if here.score is not None:
        try:
            return Extreme(spoken_by(here, list(here.perfect(case))), {}, None) if here.perfect is not None else None
        except Exception:  # it is somebody else's, and only a ceiling
            return None
    if isinstance(case, AdviceCase):
        heard = Heard(topics=tuple(topics.ceiling_turns(case)))
    elif isinstance(case, CivilCase) and kind_of_case(case):
        heard = Heard(own=(drafts.with_end_mark(drafts.ceiling_document(case)),))
    elif not isinstance(case, CivilCase | CriminalCase):
        return None
    else:
        # The text of a judgment without its trial: the published rule on short trials is left aside.
        heard = _judged(judgment.gold_text(case), rulings.LEAST_TURNS)
    best = {name: 1.0 for grading in gradings_of(case, heard) for name in grading.failed}
    return Extreme(heard, best, FULL if here.trial else None)


def spoken_by(here: Environment, said: Sequence[str]) -> Heard:
    """An episode in which the tested seat alone speaks."""
    return Heard(tuple(Turn(number, here.tested, (), text) for number, text in enumerate(said, 1)), tuple(said))


def _judged(said: str, turn: int) -> Heard:
    return Heard((Turn(turn, "judge", (), said),), (said,))
