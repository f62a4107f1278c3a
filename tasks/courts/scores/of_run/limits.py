"""Floor and ceiling of a case: what an episode of `echo` earns, and what the gold itself earns with the best grades.

The published faults keep some ceilings below 1: a defence reaches 0.6 of FOR, gold text may fail the rule on
citations. The ceiling of the procedure is 1 by definition, for the gold tells no trial; `--walker` names a run of
`gold` that does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase
from tasks.courts.environment import Environment, environment
from tasks.courts.procedure.turns import Turn
from tasks.courts.scores import drafts, judgment, rulings, topics
from tasks.courts.scores.drafted import kind_of_case
from tasks.courts.scores.of_run.rating import Followed, Heard, followed, gradings_of
from tasks.scoring.context import Grade

FULL = Followed(
    dict.fromkeys(("PFS", "STA", "ACT", "UNI"), 1.0), dict.fromkeys(("PFS", "STA", "ACT", "UNI", "ORD"), 1.0), {}, ()
)


class Limit(NamedTuple):
    """What is said at a limit, what graders say of it, and the procedure of it."""

    heard: Heard
    grades: Grade
    trial: Followed | None


def floor(case: Case) -> Limit:
    """The formula, without a grader: of a court the judgment in the first turn."""
    here = environment(case.env)
    if here.score is not None or not isinstance(case, AdviceCase | CivilCase | CriminalCase):
        return Limit(spoken_by(here, [topics.FLOOR_REPLY]), {}, None)
    if isinstance(case, AdviceCase):
        return Limit(Heard(topics=tuple(topics.floor_turns(case))), {}, None)
    if isinstance(case, CivilCase) and (kind := kind_of_case(case)):
        return Limit(Heard(own=(drafts.FLOOR_REPLY, drafts.with_end_mark(drafts.floor_document(kind)))), {}, None)
    heard = _judged(f"{judgment.FORMULA[case.env]}\n现在闭庭。", 1)
    return Limit(heard, {}, followed(case, heard, "law"))


def ceiling(case: Case) -> Limit | None:
    """The gold, when a grader gives all points; None where nobody knows what would be perfect."""
    here = environment(case.env)
    if here.score is not None:
        try:
            return Limit(spoken_by(here, list(here.perfect(case))), {}, None) if here.perfect is not None else None
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
    return Limit(heard, best, FULL if here.trial else None)


def spoken_by(here: Environment, said: Sequence[str]) -> Heard:
    """An episode in which the tested seat alone speaks."""
    return Heard(tuple(Turn(number, here.tested, (), text) for number, text in enumerate(said, 1)), tuple(said))


def _judged(said: str, turn: int) -> Heard:
    return Heard((Turn(turn, "judge", (), said),), (said,))
