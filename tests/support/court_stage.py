"""A stage for courts: one episode in memory, an engine that answers in the form it is asked in, nobody reads a
disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import pytest

from models.engine import Ask, Reply, Usage
from tasks.courts.agents import registry
from tasks.courts.agents.model.seat import ModelSeat
from tasks.courts.casefile.case import Case
from tasks.courts.casefile.people import drawn
from tasks.courts.casefile.roles import own_names, role_of, seat_of
from tasks.courts.casefile.visibility import grant, visible
from tasks.courts.environment import Role, environment
from tasks.courts.play.episode import CourtEpisode, persona_of, standpoints_of
from tasks.courts.play.record import spoken
from tasks.courts.play.tools import CourtTools
from tasks.courts.play.tracking import RULES as TRACKER_RULES
from tasks.courts.play.view import CourtPolicy, CourtView
from tasks.courts.procedure.model import ProfileName, Turn
from tasks.episode.driver import Driver, Limits
from tasks.episode.events import AttemptStarted, Event, Seated
from tasks.episode.seats import Move, Say
from tasks.episode.with_tools import SEAT

Words = Callable[[Role, int], str]
"""Role and number of its call, from 1 -> what it says."""


def plain_reply(ask: Ask, role: Role, words: str, to: Sequence[str] = ()) -> str:
    """Words in the form that an Ask wants: an object under its schema, or as they are."""
    if ask.schema is None:
        return words
    schema = ask.schema["anyOf"][0] if "anyOf" in ask.schema else ask.schema
    value: dict[str, Any] = {}
    for name, part in schema["properties"].items():
        if name == "to":
            names = part["items"]["enum"] if "items" in part else part["enum"]
            wanted = [one for one in to if one in names] or names[:1]
            value["to"] = wanted if "items" in part else wanted[0]
        else:
            value[name] = part["enum"][-1] if name == "stage" else part["enum"][0] if "enum" in part else words
    if "topic_id" in value:
        value = {"topic_id": None, "answered": False, "verdict": "none", "quote": ""}
    return json.dumps(value, ensure_ascii=False)


class Speaks:
    """Says what a function makes of the view."""

    def __init__(self, speak: Callable[[CourtView], Say]) -> None:
        self.speak = speak

    def move(self, view: CourtView) -> Move:
        yield from ()
        return self.speak(view)


class Adding:
    """A policy that says a text after whatever it says."""

    def __init__(self, policy: CourtPolicy, text: str) -> None:
        self.policy, self.text = policy, text

    def move(self, view: CourtView) -> Move:
        action = yield from self.policy.move(view)
        return replace(action, text=f"{action.text}\n{self.text}") if isinstance(action, Say) else action


class Court:
    """One episode. `play` gives the raw reply to an Ask, its role and the number of that role's calls. context: in
    tokens.

    seats: seat -> policy, models where nothing is said; said_too: role -> a text after all that it says; sitting:
    role -> who speaks there in truth, whatever policy the record names.
    """

    def __init__(
        self,
        case: Case,
        play: Callable[[Ask, Role, int], str | Reply],
        *,
        profile: ProfileName = "law",
        free: bool = False,
        mode: str = "",
        turns: int | None = None,
        tools: CourtTools | None = None,
        seats: Mapping[Role, str] | None = None,
        said_too: Mapping[Role, str] | None = None,
        sitting: Mapping[Role, CourtPolicy] | None = None,
        tracker: str = TRACKER_RULES,
        context: int = 0,
        aided: bool = False,
    ) -> None:
        self.case, self.play = case, play
        self.asks: list[tuple[Role, Ask]] = []
        self.counts: dict[Role, int] = {}
        named = registry.policies(tools.search if tools else None, ModelSeat)

        def adding(name: str, of: Case, role: Role) -> CourtPolicy:
            policy = (sitting or {}).get(role) or named(name, of, role)
            text = (said_too or {}).get(role, "")
            return Adding(policy, text) if text else policy

        program = CourtEpisode(
            {case.id: case},
            adding,
            profile,
            turns,
            tools.call if tools else None,
            tools.offered if tools else (),
            aided=aided,
        )
        self.driver = Driver(case.id, 1, program, lambda: 0.0, lambda: 0.0, Limits(turns=500))
        card = {"id": case.id, "env": case.env, "question": ""}
        self.driver.note(AttemptStarted(benchmark="courts", task_id=case.id, attempt=1, seed=7, card=card), step=0)
        for seat in (SEAT, *environment(case.env).others):
            model = registry.MODEL + (f"+{mode or 'free'}" if (mode or free) and seat == SEAT else "")
            policy = {"clerk": registry.RULES, "tracker": tracker}.get(seat, (seats or {}).get(seat, model))
            engine = "" if policy in (registry.RULES, TRACKER_RULES) else "stub:x"
            self.driver.note(Seated(seat=seat, policy=policy, engine=engine, context=context), step=0)

    def step(self) -> None:
        self.driver.advance()
        while self.driver.ask is not None:
            ask = self.driver.ask
            role = role_of(self.case.env, ask.seat)
            self.counts[role] = self.counts.get(role, 0) + 1
            self.asks.append((role, ask))
            said = self.play(ask, role, self.counts[role])
            self.driver.reply(Reply(said, Usage(generated=len(said))) if isinstance(said, str) else said)
            self.driver.resume()

    def run(self, steps: int | None = None) -> Self:
        while not self.driver.stopped and (steps is None or self.driver.state.steps < steps):
            self.step()
        return self

    def prompts(self, role: Role) -> list[Ask]:
        """What a role was asked, in order."""
        return [ask for one, ask in self.asks if one == role]

    @property
    def events(self) -> list[Event]:
        return [record.event for record in self.driver.state.records]

    def tagged(self, tag: str) -> list[Any]:
        return [event for event in self.events if event.tag == tag]

    @property
    def record(self) -> tuple[Turn, ...]:
        return spoken(self.events, self.case.env)

    @property
    def outcome(self) -> str:
        stopped = self.driver.state.stopped
        return stopped.outcome if stopped else "unfinished"


def by_rules(
    case: Case, profile: ProfileName = "law", *, agent: str = registry.RULES, turns: int | None = None,
    aided: bool = False, said_too: Mapping[Role, str] | None = None, **sitting: CourtPolicy,
) -> Court:  # fmt: skip
    """An episode with rules in every seat, but for the tested one's agent and whoever is named by role."""
    seats = {**dict.fromkeys(environment(case.env).others, registry.RULES), SEAT: agent}
    told = {"profile": profile, "turns": turns, "aided": aided, "said_too": said_too}
    return Court(case, lambda *_: "", seats=seats, sitting=sitting, **told).run()  # type: ignore[arg-type]


def said_by(policy: CourtPolicy, view: CourtView) -> Say:
    """What a policy of rules says to a view."""
    with pytest.raises(StopIteration) as stopped:
        next(policy.move(view))
    assert isinstance(stopped.value.value, Say)
    return stopped.value.value


def talk(
    words: Words, to: Callable[[Role, int], Sequence[str]] = lambda role, number: ()
) -> Callable[[Ask, Role, int], str]:
    """Everybody says these words in the form that is wanted."""
    return lambda ask, role, number: plain_reply(ask, role, words(role, number), to(role, number))


def views(case: Case, role: str, **changes: Any) -> CourtView:
    """The view of a role before anything is said."""
    persona = persona_of(case, role)
    there = tuple(one for one in environment(case.env).seats if one not in (role, "clerk", "tracker"))
    given: dict[str, Any] = {
        "seat": seat_of(case.env, role), "card": {"names": own_names(case)}, "history": (), "step": 1, "role": role,
        "here": environment(case.env), "profile": "law",
        "case_id": case.id, "held": visible(case, case.env, role), "never": grant(case.env, role).never,
        "there": there,
        "traits": drawn(persona, case.id, 7) if persona else {}, "limit": 20,
        "standpoints": standpoints_of(case, role),
    }  # fmt: skip
    return CourtView(**{**given, **changes})
