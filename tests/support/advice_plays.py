"""Dialogues of advice and drafting for tests: whole ones in memory with rules in every seat, and single
utterances."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from tasks.courts.agents import registry
from tasks.courts.casefile.case import Case
from tasks.courts.casefile.visibility import visible
from tasks.courts.environment import environment
from tasks.courts.play.episode import CourtEpisode, law_day
from tasks.courts.play.tracking import RULES as TRACKER
from tasks.courts.play.view import CourtView
from tasks.courts.procedure.model import Turn
from tasks.episode.driver import Driver, Limits
from tasks.episode.events import AttemptStarted, Event, Said, Seated
from tasks.episode.with_tools import SEAT
from tasks.sample.build import court_cases

CASES = {case.id: case for case in court_cases() if case.env in ("KQ", "LC", "CD", "DD")}


class Play:
    """One episode in memory, everybody by rules but the tested seat."""

    def __init__(
        self, case: Case, profile: Any = "law", agent: str = registry.RULES, turns: int | None = None
    ) -> None:
        self.case = case
        program = CourtEpisode({case.id: case}, registry.policies(None, _nobody), profile, turns)
        driver = Driver(case.id, 1, program, lambda: 0.0, lambda: 0.0, Limits(turns=500))
        card = {"id": case.id, "env": case.env, "question": ""}
        driver.note(AttemptStarted(benchmark="courts", task_id=case.id, attempt=1, seed=7, card=card), step=0)
        for seat in (SEAT, *environment(case.env).others):
            policy = agent if seat == SEAT else TRACKER if seat == "tracker" else registry.RULES
            driver.note(Seated(seat=seat, policy=policy, engine=""), step=0)
        while not driver.stopped:
            driver.advance()
        self.state = driver.state
        self.events: list[Event] = [record.event for record in driver.state.records]
        self.said = [event for event in self.events if isinstance(event, Said)]
        self.outcome = driver.state.stopped.outcome if driver.state.stopped else ""

    @property
    def own(self) -> list[str]:
        return [event.text for event in self.said if event.seat == SEAT and event.turn > 0]


def _nobody(name: str) -> Any:
    raise AssertionError(f"no model plays here: {name}")


@cache
def play(case_id: str, profile: Any = "law", agent: str = registry.RULES) -> Play:
    return Play(CASES[case_id], profile, agent)


def said_by(policy: Any, case: Case, role: str, record: Sequence[Turn], **more: Any) -> str:
    """One utterance of a policy, with the view that the controller would give."""
    view = CourtView(
        seat=role, card={}, history=(), step=1, role=role, here=environment(case.env), profile="law", case_id=case.id,
        held=visible(case, case.env, role), record=tuple(record), limit=more.pop("limit", 20),
        turn=more.pop("turn", max(1, sum(turn.speaker == environment(case.env).tested and turn.number > 0
            for turn in record))),
        traits=more.pop("traits", {}), day=more.pop("day", law_day(case)), **more,
    )  # fmt: skip
    move = policy.move(view)
    with pytest.raises(StopIteration) as end:
        next(move)
    return str(end.value.value.text)
