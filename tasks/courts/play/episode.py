"""An episode of a court: a step is one utterance, or one call of a tool before it. See `environment`.

The controller decides who speaks; who sits there says what. After an utterance come, in the same step, what follows
from it: its route, leaks, what the procedure or the tracker makes of it, and whether the episode is over.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from datetime import date

from tasks.agents.budgets import Budget
from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase, Env
from tasks.courts.casefile.people import Level, Persona
from tasks.courts.casefile.persona import drawn
from tasks.courts.casefile.roles import Standpoint, role_of, seat_of, standpoints
from tasks.courts.casefile.visibility import grant, leaks, visible
from tasks.courts.environment import Cue, Ending, Role, environment
from tasks.courts.play.flow import limit_of, next_cue, pointer
from tasks.courts.play.following import Owed, changes, omissions, owed
from tasks.courts.play.record import addressed_by_marker, known, spoken, topic_turns
from tasks.courts.play.speech import fault_of
from tasks.courts.play.standing import CourtPolicy, CourtView
from tasks.courts.play.tracking import TopicTurn, track
from tasks.courts.procedure.model import ProfileName, Turn
from tasks.episode.actions import Answer, CallTool, Say, Sent, Steps, Yield, emit
from tasks.episode.events import Fault, Leaked, Routed, Said, Stopped, ToolCalled
from tasks.episode.plain import plain_text
from tasks.episode.scheduler import HUMAN
from tasks.episode.state import State
from tasks.episode.with_tools import SEAT, Caller

CALLS = 3
"""Calls of tools before one utterance."""
SILENT = ("clerk", "tracker")
"""Seats that nobody speaks to."""
GOLD = "court-gold/"
"""Policies that are granted the gold: what they say is no leak."""

Named = Callable[[str, Case, Role], CourtPolicy]
"""Policy name, case and role -> the policy that sits there."""


class CourtEpisode:
    """The rules of an episode. `caller` carries out the tools named in `tools`, which only the tested seat has.
    `aided`: a judge is told in every turn what comes next (`law` only)."""

    def __init__(
        self, cases: Mapping[str, Case], named: Named, profile: ProfileName = "law", max_turns: int | None = None,
        caller: Caller | None = None, tools: Sequence[str] = (), *, fold: bool = False, aided: bool = False,
        measured: str = "",
    ) -> None:  # fmt: skip
        self._cases = cases
        self._named = named
        self._profile: ProfileName = profile
        self._max_turns = max_turns
        self._folds = fold or profile == "law"
        self._aided = aided
        self._measured = measured
        self._caller = caller
        self._tools = tuple(tools) if caller is not None else ()
        self._limits: dict[str, int] = {}

    def step(self, state: State) -> Steps:
        """One utterance and what comes of it, or one call of a tool."""
        case = self._cases[state.task_id]
        events = [record.event for record in state.records]
        record, tracked = spoken(events, case.env), topic_turns(events)
        cue = next_cue(case, self._profile, self._limit(case), record, tracked)
        if isinstance(cue, Ending):
            return (yield from self._end(case, cue, record))
        sits = state.seats[seat_of(case.env, cue.role)].policy
        fault: Fault = ""
        if cue.fixed:
            say = Say(cue.fixed, cue.to)
        else:
            view = self._view(case, state, record, cue)
            action = yield from self._named(sits, case, cue.role).move(view)
            if isinstance(action, CallTool) and self._caller is not None and action.tool in view.tools:
                return (yield from self._caller(state, action.tool, action.input))
            say = _speech(action)
            if state.seats[view.seat].engine != HUMAN:
                topic = pointer(case, record, tracked) if isinstance(case, AdviceCase) else ""
                fault = fault_of(view, plain_text(say.text), say.to, topic)
        return (yield from self._speak(case, state, record, tracked, cue, say, sits, fault))

    def _limit(self, case: Case) -> int:
        if case.id not in self._limits:
            self._limits[case.id] = self._max_turns or limit_of(case, self._profile)
        return self._limits[case.id]

    def _speak(
        self, case: Case, state: State, record: tuple[Turn, ...], tracked: tuple[TopicTurn, ...], cue: Cue, say: Say,
        sits: str, fault: Fault,
    ) -> Steps:  # fmt: skip
        to, dropped = self._route(case, cue, say)
        if self._profile == "j1" and cue.role == "judge" and say.routed == "field" and to:
            say = addressed_by_marker(say, to[0], case.env)
        seat, text = seat_of(case.env, cue.role), plain_text(say.text)
        stage = plain_text(say.stage) if cue.role == "judge" else ""
        seq = yield from emit(
            Said(
                seat=seat, text=text, to=to, turn=cue.turn, stage=stage, unfinished=say.unfinished, fault=fault
            )  # fmt: skip
        )
        here = environment(case.env)
        if here.trial and cue.role == "judge" and not cue.fixed:
            yield from emit(Routed(seat=seat, to=to, how=say.routed if to or dropped else "", dropped=dropped), seq)
        if not sits.startswith(GOLD) and not cue.fixed:
            for leak in leaks(text, case, case.env, cue.role, [turn.text for turn in record]):
                yield from emit(Leaked(seat=seat, field=leak.field, text=leak.text), seq)
        now = (*record, Turn(cue.turn, cue.role, to, text, stage, say.unfinished, fault))
        if isinstance(case, CivilCase | CriminalCase) and here.trial:
            for event in list(changes(case, now, self._profile)):
                yield from emit(event, seq)
        if isinstance(case, AdviceCase) and cue.role == here.tested and not cue.fixed:
            tracked = yield from self._tracked(case, state, record, tracked, text, fault, seq)
        after = next_cue(case, self._profile, self._limit(case), now, tracked)
        if isinstance(after, Ending):
            yield from self._end(case, after, now)

    def _route(self, case: Case, cue: Cue, say: Say) -> tuple[tuple[Role, ...], tuple[str, ...]]:
        """Whom an utterance reaches; outside a trial there is only one other."""
        if not environment(case.env).trial or cue.fixed:
            return cue.to, ()
        there = self._there(case, cue.role)
        to, dropped = known(say.to, cue.role, there)
        if cue.role == "judge":
            return (to[:1], (*to[1:], *dropped)) if self._profile == "j1" else (to, dropped)
        return (to[:1] if to and self._profile == "law" else cue.to), dropped

    def _there(self, case: Case, role: Role) -> tuple[Role, ...]:
        """Who may be spoken to; a case that is not in a court has two people."""
        return tuple(one for one in environment(case.env).seats if one not in SILENT and one != role)

    def _tracked(
        self, case: AdviceCase, state: State, record: tuple[Turn, ...], tracked: tuple[TopicTurn, ...], text: str,
        fault: Fault, seq: int,
    ) -> Generator[Yield, Sent, tuple[TopicTurn, ...]]:  # fmt: skip
        topic = pointer(case, record, tracked)
        if not topic:
            return tracked
        made = yield from track(case, topic, text, state.seats["tracker"].policy, seq)
        return (*tracked, TopicTurn(topic, text, made, fault=fault))

    def _end(self, case: Case, ending: Ending, record: tuple[Turn, ...]) -> Steps:
        if isinstance(case, CivilCase | CriminalCase) and environment(case.env).trial and record:
            for event in list(omissions(case, record, self._profile)):
                yield from emit(event)
        yield from emit(Stopped(outcome=ending.outcome, reason=ending.reason))

    def _view(self, case: Case, state: State, record: tuple[Turn, ...], cue: Cue) -> CourtView:
        role = cue.role
        persona = persona_of(case, role)
        tested = role == role_of(case.env, SEAT)
        measured = seat_of(case.env, role) == self._measures(case.env)
        aided = role == "judge" and self._profile == "law" and (self._aided or self._helps(state, measured))
        return CourtView(
            seat=seat_of(case.env, role), card=state.card, history=state.records, step=state.steps + 1,
            max_turns=self._max_turns, role=role, env=case.env, profile=self._profile, case_id=case.id,
            held=visible(case, case.env, role), never=grant(case.env, role).never, record=record, turn=cue.turn,
            limit=self._limit(case), there=self._there(case, role), topic=cue.topic,
            traits=drawn(persona, case.id, state.seed) if persona else {}, day=law_day(case),
            tools=self._open_tools(state) if tested else (), offered=self._tools if tested else (),
            folds=self._folds, budget=Budget.of(state.seats.get(seat_of(case.env, role))),
            standpoints=standpoints_of(case, role), measured=measured,
            owed=self._owed(case, record) if aided else None,
        )  # fmt: skip

    def _measures(self, env: Env) -> str:
        """The seat that is measured: the tested one, unless the run names another that is there."""
        return self._measured if self._measured in environment(env).others else SEAT

    def _helps(self, state: State, measured: bool) -> bool:
        """Whether a model judges a trial that measures somebody else: it is told what comes next."""
        return not measured and ":" in state.seats[SEAT].engine

    def _owed(self, case: Case, record: tuple[Turn, ...]) -> Owed | None:
        if not isinstance(case, CivilCase | CriminalCase) or not environment(case.env).trial:
            return None
        return owed(case, record, self._profile, self._limit(case))

    def _open_tools(self, state: State) -> tuple[str, ...]:
        calls = 0
        for record in reversed(state.records):
            if isinstance(record.event, Said):
                break
            calls += isinstance(record.event, ToolCalled)
        return self._tools if calls < CALLS else ()


def persona_of(case: Case, role: Role) -> Persona | None:
    """The personality of somebody who is no professional; lawyers, judges and the procurator have none (paper §3)."""
    if isinstance(case, AdviceCase):
        return case.client.persona if role == "client" else None
    if role in ("plaintiff", "defendant"):
        return next((party.persona for party in getattr(case, "parties", ()) if party.side == role), None)
    return None


def standpoints_of(case: Case, role: Role) -> Mapping[str, Standpoint]:
    """Where a party, or the lawyer of one, stands to the facts; nothing for who stands on no side."""
    side = role.removesuffix("_lawyer")
    return standpoints(case, side) if side in ("plaintiff", "defendant") else {}


def traits_of(case: Case, role: Role, seed: int) -> Mapping[str, Level]:
    """The traits with which a role plays a run of this seed."""
    persona = persona_of(case, role)
    return drawn(persona, case.id, seed) if persona else {}


def law_day(case: Case) -> date | None:
    """The day on which advice is asked or the trial held; for a draft the day of filing."""
    dates = case.dates
    if environment(case.env).kind == "draft":
        return dates.filed or dates.proceeding or dates.judged
    return dates.asked or dates.proceeding or dates.judged


def _speech(action: object) -> Say:
    """What a move says aloud; a move that says nothing is a silent turn."""
    match action:
        case Say():
            return action
        case Answer(res):
            return Say(res, routed="")
        case _:
            return Say("", routed="")
