"""An episode of a court: a step is one utterance, or one call of a tool before it. See `environment`.

The controller decides who speaks; who sits there says what. After an utterance come, in the same step, what follows
from it: its route, leaks, what the procedure or the tracker makes of it, and whether the episode is over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date

from tasks.agents.budgets import Budget
from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase
from tasks.courts.casefile.people import Level, Persona
from tasks.courts.casefile.persona import drawn
from tasks.courts.casefile.roles import Standpoint, seat_of, standpoints
from tasks.courts.casefile.visibility import leaks, visible
from tasks.courts.environment import Cue, Ending, Role, environment
from tasks.courts.play.flow import limit_of, next_cue, pointer
from tasks.courts.play.record import addressed_by_marker, changes, known, omissions, owed, spoken, topic_turns
from tasks.courts.play.tracking import TopicTurn, track
from tasks.courts.play.view import CourtPolicy, CourtView, fault_of
from tasks.courts.procedure.model import ProfileName, Turn
from tasks.episode.actions import Answer, CallTool, Say, Steps, emit
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
        self.named = named
        self.profile: ProfileName = profile
        self.max_turns = max_turns
        self.folds = fold or profile == "law"
        self.aided = aided
        self.measured = measured
        self.caller = caller
        self.tools = tuple(tools) if caller is not None else ()
        self._limits: dict[str, int] = {}

    def step(self, state: State) -> Steps:
        """One utterance and what comes of it, or one call of a tool."""
        return _Step(self, self._cases[state.task_id], state).steps()

    def limit(self, case: Case) -> int:
        """Turns that a case may take."""
        if case.id not in self._limits:
            self._limits[case.id] = self.max_turns or limit_of(case, self.profile)
        return self._limits[case.id]


class _Step:
    """A step of an episode: the record before it, whose turn it is, and what comes of the utterance."""

    def __init__(self, rules: CourtEpisode, case: Case, state: State) -> None:
        events = [record.event for record in state.records]
        self.rules, self.case, self.state = rules, case, state
        self.here = environment(case.env)
        self.limit = rules.limit(case)
        self.record, self.tracked = spoken(events, case.env), topic_turns(events)
        self.trial = case if self.here.trial and isinstance(case, CivilCase | CriminalCase) else None
        """The case where the procedure of a court is followed."""

    def steps(self) -> Steps:
        """One utterance and what comes of it, or one call of a tool."""
        rules, cue = self.rules, self._next()
        if isinstance(cue, Ending):
            return (yield from self._end(cue))
        seat = seat_of(self.case.env, cue.role)
        sits = self.state.seats[seat]
        if cue.fixed:
            return (yield from self._speak(cue, Say(cue.fixed, cue.to), sits.policy, ""))
        view = self._view(cue)
        action = yield from rules.named(sits.policy, self.case, cue.role).move(view)
        if isinstance(action, CallTool) and rules.caller is not None and action.tool in view.tools:
            return (yield from rules.caller(self.state, action.tool, action.input))
        say = _speech(action)
        fault: Fault = ""
        if sits.engine != HUMAN:
            fault = fault_of(view, plain_text(say.text), say.to, self._topic())
        return (yield from self._speak(cue, say, sits.policy, fault))

    def _next(self) -> Cue | Ending:
        return next_cue(self.here, self.case, self.rules.profile, self.limit, self.record, self.tracked)

    def _topic(self) -> str:
        return pointer(self.case, self.record, self.tracked) if isinstance(self.case, AdviceCase) else ""

    def _speak(self, cue: Cue, say: Say, sits: str, fault: Fault) -> Steps:
        case, profile = self.case, self.rules.profile
        to, dropped = self._route(cue, say)
        if profile == "j1" and cue.role == "judge" and say.routed == "field" and to:
            say = addressed_by_marker(say, to[0], self.here)
        seat, text = seat_of(case.env, cue.role), plain_text(say.text)
        stage = plain_text(say.stage) if cue.role == "judge" else ""
        seq = yield from emit(
            Said(seat=seat, text=text, to=to, turn=cue.turn, stage=stage, unfinished=say.unfinished, fault=fault)
        )
        if self.here.trial and cue.role == "judge" and not cue.fixed:
            yield from emit(Routed(seat=seat, to=to, how=say.routed if to or dropped else "", dropped=dropped), seq)
        if not sits.startswith(GOLD) and not cue.fixed:
            for leak in leaks(text, case, case.env, cue.role, [turn.text for turn in self.record]):
                yield from emit(Leaked(seat=seat, field=leak.field, text=leak.text), seq)
        topic = self._topic()
        self.record = (*self.record, Turn(cue.turn, cue.role, to, text, stage, say.unfinished, fault))
        if self.trial:
            for event in list(changes(self.trial, self.record, profile)):
                yield from emit(event, seq)
        if topic and isinstance(case, AdviceCase) and cue.role == self.here.tested and not cue.fixed:
            made = yield from track(case, topic, text, self.state.seats["tracker"].policy, seq)
            self.tracked = (*self.tracked, TopicTurn(topic, text, made, fault=fault))
        after = self._next()
        if isinstance(after, Ending):
            yield from self._end(after)

    def _route(self, cue: Cue, say: Say) -> tuple[tuple[Role, ...], tuple[str, ...]]:
        """Whom an utterance reaches; outside a trial there is only one other."""
        if not self.here.trial or cue.fixed:
            return cue.to, ()
        to, dropped = known(say.to, cue.role, self._there(cue.role))
        if cue.role == "judge":
            return (to[:1], (*to[1:], *dropped)) if self.rules.profile == "j1" else (to, dropped)
        return (to[:1] if to and self.rules.profile == "law" else cue.to), dropped

    def _there(self, role: Role) -> tuple[Role, ...]:
        """Who may be spoken to; a case that is not in a court has two people."""
        return tuple(one for one in self.here.seats if one not in SILENT and one != role)

    def _end(self, ending: Ending) -> Steps:
        if self.trial and self.record:
            for event in list(omissions(self.trial, self.record, self.rules.profile)):
                yield from emit(event)
        yield from emit(Stopped(outcome=ending.outcome, reason=ending.reason))

    def _view(self, cue: Cue) -> CourtView:
        case, state, rules, role = self.case, self.state, self.rules, cue.role
        seat = seat_of(case.env, role)
        # The seat that is measured is the tested one, unless the run names another that is there.
        measured = seat == (rules.measured if rules.measured in self.here.others else SEAT)
        # A model that judges a trial which measures somebody else is told what comes next.
        helped = rules.aided or (not measured and ":" in state.seats[SEAT].engine)
        aided = role == "judge" and rules.profile == "law" and helped
        tested = role == self.here.tested
        return CourtView(
            seat=seat, card=state.card, history=state.records, step=state.steps + 1, max_turns=rules.max_turns,
            role=role, here=self.here, profile=rules.profile, case_id=case.id, held=visible(case, case.env, role),
            never=self.here.seats[role].never, record=self.record, turn=cue.turn, limit=self.limit,
            there=self._there(role), topic=cue.topic, traits=traits_of(case, role, state.seed), day=law_day(case),
            tools=self._open_tools() if tested else (), offered=rules.tools if tested else (), folds=rules.folds,
            budget=Budget.of(state.seats.get(seat)), standpoints=standpoints_of(case, role), measured=measured,
            owed=owed(self.trial, self.record, rules.profile, self.limit) if aided and self.trial else None,
        )  # fmt: skip

    def _open_tools(self) -> tuple[str, ...]:
        calls = 0
        for record in reversed(self.state.records):
            if isinstance(record.event, Said):
                break
            calls += isinstance(record.event, ToolCalled)
        return self.rules.tools if calls < CALLS else ()


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
