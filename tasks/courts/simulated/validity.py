"""How many turns of each simulated role are answers, per episode: shares from 0 to 1. Below `wording.VALID` a run is
not comparable.

A role that people held at any time is not judged as a simulator; that a person sat there forbids comparison anyway.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tasks.courts.casefile.case import Case, CivilCase, CriminalCase
from tasks.courts.environment import Role, environment
from tasks.courts.play.record import for_procedure
from tasks.courts.play.tracking import TopicTurn
from tasks.courts.procedure.hearing import hearing_of
from tasks.courts.procedure.machine import follow
from tasks.courts.procedure.tables import ProfileName
from tasks.courts.procedure.turns import Turn
from tasks.courts.simulated.talks import reasons
from tasks.courts.simulated.wording import NONSENSE, Reason


@dataclass(frozen=True, slots=True)
class Validity:
    """Of one role in one episode. turns: those that had something to answer; invalid: place in the record -> why."""

    role: Role
    turns: int
    invalid: Mapping[int, Reason] = field(default_factory=dict)

    @property
    def share(self) -> float | None:
        """Turns that are answers; None where the role was never asked."""
        return 1 - len(self.invalid) / self.turns if self.turns else None

    @property
    def counts(self) -> dict[str, int]:
        """Reason -> turns."""
        return dict(sorted(Counter(map(str, self.invalid.values())).items()))

    @property
    def nonsense(self) -> Mapping[int, Reason]:
        """The turns in which the role spoke as nobody of the case."""
        return {at: reason for at, reason in self.invalid.items() if reason in NONSENSE}


def validities(
    case: Case, roles: Sequence[Role], record: Sequence[Turn], tracked: Sequence[TopicTurn] = (),
    read: Sequence[int] = (),
    profile: ProfileName = "law",
) -> tuple[Validity, ...]:  # fmt: skip
    """The validity of each of these roles in an episode.

    Args:
        case: the case file.
        roles: of the visibility table, the simulated ones.
        record: what was said, by role.
        tracked: exchanges of KQ and LC; `read`: how many of them were over at each turn of the record.
        profile: of the procedure of a trial.
    """
    if isinstance(case, CivilCase | CriminalCase) and environment(case.env).trial:
        course = follow(for_procedure(record, case.env), hearing_of(case), profile)
        found = {
            role: [(one.at, one.reason) for one in course.replies if record[one.at].speaker == role] for role in roles
        }
    else:
        found = {role: list(reasons(case, role, record, tracked, read)) for role in roles}
    return tuple(
        Validity(role, len(turns), {at: reason for at, reason in turns if reason}) for role, turns in found.items()
    )
