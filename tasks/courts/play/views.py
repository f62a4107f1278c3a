"""What a seat of a court is given before it speaks: what it holds, what was said in public, what is asked of it now.

Built from the visibility table: a policy cannot see a field that its role was not granted. Days are calendar days.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

from tasks.agents.budgets import Budget
from tasks.courts.casefile.case import Env, Fields
from tasks.courts.casefile.people import Level
from tasks.courts.casefile.roles import names_of, role_name
from tasks.courts.casefile.standpoints import Standpoint
from tasks.courts.environment import Role, TopicCue
from tasks.courts.play.duties import Owed
from tasks.courts.procedure.tables import ProfileName
from tasks.courts.procedure.turns import Turn
from tasks.episode.actions import Move
from tasks.episode.seats import View


@dataclass(frozen=True, slots=True, kw_only=True)
class CourtView(View):
    """The view of a seat of a court.

    role: as the visibility table names it. case_id: of the case. held: the fields that the role holds, with the shape
    of the case file, empty ones left out. never: what the role must not do, for prompts. record: all that was said,
    speakers and addressees by role. turn, limit: number of the exchange and how many there may be. there: roles that
    may be addressed.
    topic: what somebody who asks for advice does now. traits: levels of the five traits, {} for professionals.
    day: the day whose law applies to the procedure, or on which advice is asked. tools: names of the tools it may
        call now,
    offered: of those that it has at all. budget: the room of the engine in the seat. folds: whether the
    older part of the record may be folded. standpoints: fact -> where the seat's side stands to it. aided: whether a
    judge is told its open duties, owed: those of now.
    """

    role: Role
    env: Env
    profile: ProfileName
    case_id: str
    held: Fields
    never: Sequence[str] = ()
    record: tuple[Turn, ...] = ()
    turn: int = 1
    limit: int = 1
    there: tuple[Role, ...] = ()
    topic: TopicCue | None = None
    traits: Mapping[str, Level] = field(default_factory=dict)
    day: date | None = None
    tools: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    budget: Budget = Budget()
    folds: bool = True
    standpoints: Mapping[str, Standpoint] = field(default_factory=dict)
    aided: bool = False
    owed: Owed | None = None

    @property
    def asked(self) -> Turn | None:
        """The last utterance of somebody else: what is to be answered."""
        return next((turn for turn in reversed(self.record) if turn.speaker != self.role), None)

    def called(self, role: Role) -> str:
        """What a role is called in this case: 审判员 where one judge sits alone, 原告 where a party has no lawyer."""
        return names_of(self.card).get(role) or role_name(role, self.env)

    @property
    def own(self) -> tuple[Turn, ...]:
        """What this seat has said so far, the fixed line included."""
        return tuple(turn for turn in self.record if turn.speaker == self.role)


class CourtPolicy(Protocol):
    """Makes the moves of a seat of a court. All that matters between moves is in the view; it keeps no memory of its
    own."""

    def move(self, view: CourtView) -> Move:
        """One move: yields events and Asks, returns `Say`, or `CallTool` with one of the tools of the view."""
        ...
