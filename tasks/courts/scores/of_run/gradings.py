"""What graders are asked about an attempt: what rules cannot score of the tested seat, and whether simulated roles
stay in their part. Names of verdicts are unique in an attempt: `topic:T6`, part of a document, `JUD`, `REA`,
`CON_<role>`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tasks.agents.prompts import fill
from tasks.courts.agents.registry import HUMAN, by_rules
from tasks.courts.casefile.case import Case
from tasks.courts.casefile.persona import style
from tasks.courts.casefile.questions import CourtQuestion
from tasks.courts.casefile.roles import role_name
from tasks.courts.casefile.visibility import visible
from tasks.courts.environment import Role, environment
from tasks.courts.play.episode import persona_of, traits_of
from tasks.courts.scores.graded import LONGEST, graded
from tasks.courts.scores.of_run.rating import Heard, gradings_of
from tasks.scoring.grading import Grading
from tasks.scoring.result import Result

CONSISTENCY = "CON_"
CONSISTENCY_PROMPT = "grader-consistency/1"
NO_PART = ("clerk", "tracker")
"""Seats without a part to play."""


def gradings(question: CourtQuestion, result: Result) -> Sequence[Grading]:
    """What a grader is asked about an attempt; nothing of one that the machinery broke."""
    if not result.scored:
        return ()
    heard = Heard.of(question.case, result)
    return [*gradings_of(question.case, heard), *_parts(question.case, heard)]


def simulated(case: Case) -> tuple[Role, ...]:
    """The roles that are simulated around the tested seat."""
    return tuple(role for role in environment(case.env).others if role not in NO_PART)


def _parts(case: Case, heard: Heard) -> list[Grading]:
    """One grading a role that a model plays, if only for a while; rules and people need none."""
    made = []
    for role in simulated(case):
        said = [turn.text for turn in heard.record if turn.speaker == role and turn.number > 0]
        if said and any(policy != HUMAN and not by_rules(policy) for policy in heard.sat.get(role, ())):
            traits, persona = traits_of(case, role, heard.seed or 0), persona_of(case, role)
            text = fill(
                CONSISTENCY_PROMPT,
                kind=environment(case.env).names[0],
                role=role_name(role, case.env),
                profile=json.dumps(visible(case, case.env, role), ensure_ascii=False, default=str)[:LONGEST],
                traits=style(traits, persona) if traits else "（职业人士，没有设定性格）",
                given="\n".join(f"{number}. {words}" for number, words in enumerate(said, 1))[:LONGEST],
            )
            made.append(graded(CONSISTENCY_PROMPT, text, CONSISTENCY + role))
    return made
