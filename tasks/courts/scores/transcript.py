"""The transcript of an episode: all that scorers of the courts read of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tasks.courts.casefile.case import Case
from tasks.courts.casefile.roles import role_of
from tasks.courts.environment import Role, environment
from tasks.courts.play.record import spoken, topic_turns, topics_before
from tasks.courts.play.tracking import TopicTurn
from tasks.courts.procedure.model import Turn
from tasks.episode.events import AttemptStarted, Leaked, Routed, Said, Seated, ToolCalled
from tasks.episode.with_tools import SEAT
from tasks.scoring.result import Result

NO_PART = ("clerk", "tracker")
"""Seats without a part to play."""


def simulated(case: Case) -> tuple[Role, ...]:
    """The roles that are simulated around the tested seat."""
    return tuple(role for role in environment(case.env).others if role not in NO_PART)


@dataclass(frozen=True, slots=True)
class CourtTranscript:
    """What was said in an episode. record: by role; own: words of the tested seat after the fixed line; topics:
    exchanges of KQ and LC; sat: role -> policies that held its seat, in order; routed: how the judge's turns found
    their addressee; tools: calls of tools; seed: of the attempt, None where nobody knows; over: see
    `record.topics_before`; players: role -> policies with their engines; leaks: roles that said what
    they do not hold and nobody had said."""

    record: tuple[Turn, ...] = ()
    own: tuple[str, ...] = ()
    topics: tuple[TopicTurn, ...] = ()
    sat: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    routed: tuple[str, ...] = ()
    tools: int = 0
    seed: int | None = None
    over: tuple[int, ...] = ()
    players: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    leaks: frozenset[Role] = frozenset()

    @classmethod
    def of(cls, case: Case, result: Result) -> CourtTranscript:
        """What a result holds."""
        events = result.heard
        sat: dict[str, tuple[str, ...]] = {}
        players: dict[str, tuple[str, ...]] = {}
        for event in events:
            if isinstance(event, Seated):
                role = role_of(case.env, event.seat)
                sat[role] = (*sat.get(role, ()), event.policy)
                players[role] = (*players.get(role, ()), f"{event.policy} {event.engine}".strip())
        return cls(
            spoken(events, case.env),
            tuple(
                event.text for event in events if isinstance(event, Said) and event.seat == SEAT and event.turn > 0
            ),
            topic_turns(events),
            sat,
            tuple(event.how for event in events if isinstance(event, Routed)),
            sum(isinstance(event, ToolCalled) for event in events),
            next((event.seed for event in events if isinstance(event, AttemptStarted)), None),
            topics_before(events),
            players,
            frozenset(role_of(case.env, event.seat) for event in events if isinstance(event, Leaked)),
        )

    @property
    def last(self) -> int:
        """Number of the last turn."""
        return max((turn.number for turn in self.record), default=0)
