"""An episode of a court: a step is one utterance, or one call of a tool before it. See `environment`.

The controller decides who speaks; who sits there says what. After an utterance come, in the same step, what follows
from it: its route, leaks, what the procedure or the tracker makes of it, and whether the episode is over.

Whose turn it is is a pure function of the record. A turn is one utterance of the tested seat with what is replied to
it; both carry its number, the opening line is turn 0. Order, opening lines, ends and limits under `j1` are those of
the published benchmark; `law` computes its limits from the agenda of the case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date

from tasks.agents.budgets import ContextBudget
from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase
from tasks.courts.casefile.people import Level, Persona, drawn
from tasks.courts.casefile.roles import Standpoint, standpoints
from tasks.courts.casefile.visibility import leaks, visible
from tasks.courts.environment import Cue, Ending, Environment, Role, TopicCue, environment
from tasks.courts.play.record import addressed_by_marker, changes, known, omissions, owed, spoken, topic_turns
from tasks.courts.play.tracking import FOLLOW_UPS, TopicTurn, open_topics, track
from tasks.courts.play.view import CourtPolicy, CourtView, fault_of
from tasks.courts.procedure.acts import closes, spoken_by_judge, texts_of
from tasks.courts.procedure.hearing import hearing_of
from tasks.courts.procedure.model import ProfileName, Turn, turn_limit
from tasks.courts.scores.drafted import END_MARK
from tasks.episode.events import Fault, Leaked, Routed, Said, Stopped, ToolCalled
from tasks.episode.plain import plain_text
from tasks.episode.scheduler import HUMAN
from tasks.episode.seats import Answer, CallTool, Say, Steps, emit
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
        seat = self.here.seat_of(cue.role)
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
        seat, text = self.here.seat_of(cue.role), plain_text(say.text)
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
        seat = self.here.seat_of(role)
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
            budget=ContextBudget.of(state.seats.get(seat)), standpoints=standpoints_of(case, role), measured=measured,
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


# --- whose turn it is -----------------------------------------------------------------------------------------------

STALLED: Mapping[ProfileName, int] = {"j1": 3, "law": 5}
"""So many turns of a judge in a row that reach nobody end a trial."""
REPEATED: Mapping[ProfileName, int] = {"j1": 2, "law": 3}
"""So many turns of a judge in a row that say the same end a trial; under `law` a question may be put twice."""
_TIMES = {2: "twice", 3: "three times"}
CLOSING = "结束对话"
"""What the public says at last in KQ and LC."""


def limit_of(case: Case, profile: ProfileName) -> int:
    """Turns that an episode of the case may take: published under `j1`, else from what there is to ask."""
    here = environment(case.env)
    if profile == "j1":
        return here.turns
    if isinstance(case, AdviceCase):
        return 2 + len(case.topics) * (1 + FOLLOW_UPS)
    if isinstance(case, CivilCase | CriminalCase) and here.trial:
        return turn_limit(hearing_of(case), profile)
    if not isinstance(case, CivilCase) or here.kind != "draft":
        return here.turns
    own = "plaintiff" if case.env == "CD" else "defendant"
    owner = {party.id for party in case.parties if party.side == own}
    points = case.claims if case.env == "CD" else case.defences
    return 14 + len(points) + sum(exhibit.owner in owner for exhibit in case.evidence)


def next_cue(
    here: Environment, case: Case, profile: ProfileName, limit: int, record: Sequence[Turn],
    tracked: Sequence[TopicTurn] = (),
) -> Cue | Ending:  # fmt: skip
    """Whose turn it is in an environment, or that it is over."""
    if here.cue is not None:
        return here.cue(case, limit, record, tracked)
    if isinstance(case, AdviceCase):
        return _advice(here, case, limit, record, tracked)
    return _trial(here, case, profile, limit, record) if here.trial else _talk(here, limit, record)


def made(record: Sequence[Turn], here: Environment) -> int:
    """Turns that the tested seat has made; the fixed line is none."""
    return sum(turn.speaker == here.tested and turn.number > 0 for turn in record)


def pointer(case: AdviceCase, record: Sequence[Turn], tracked: Sequence[TopicTurn]) -> str:
    """The topic that was asked last; '' while the public speaks of the matter in general."""
    asked = sum(turn.speaker == "client" for turn in record)
    left = open_topics(case, tracked)
    return left[0] if asked > 1 and left else ""


def _advice(
    here: Environment, case: AdviceCase, limit: int, record: Sequence[Turn], tracked: Sequence[TopicTurn]
) -> Cue | Ending:
    if not record:
        opener = here.tested if here.tested_opens else "client"
        return Cue(opener, 0, here.opening.format(title=case.agent_title or here.seats[here.tested].name))
    done, left = made(record, here), open_topics(case, tracked)
    if record[-1].speaker == here.tested:
        cue = _topic_cue(here, case, record, tracked, left)
        if cue.kind != "close" and done >= limit:
            return Ending("turn_limit", f"limit of {limit} turns reached")
        return Cue("client", done + here.tested_opens, to=(here.tested,), topic=cue)
    if not left:
        return Ending("finished", "all topics were asked")
    if done >= limit:
        return Ending("turn_limit", f"limit of {limit} turns reached")
    return Cue(here.tested, done + 1, to=("client",))


def _topic_cue(
    here: Environment, case: AdviceCase, record: Sequence[Turn], tracked: Sequence[TopicTurn], left: Sequence[str]
) -> TopicCue:
    said = [turn for turn in record if turn.speaker == "client"]
    opens = here.tested_opens
    if opens and not said:
        return TopicCue("theme", first=True)
    if not left:
        return TopicCue("close")
    topic = next(topic for topic in case.topics if topic.id == left[0])
    again = any(turn.pointer == topic.id for turn in tracked)
    first = not opens and len(said) == 1
    return TopicCue("follow_up" if again else "ask", topic.id, topic.question, topic.aliases, first)


def _talk(here: Environment, limit: int, record: Sequence[Turn]) -> Cue | Ending:
    """The second seat answers whatever the tested one says, until that one ends it."""
    tested, other = here.tested, here.others[0]
    if not record:
        first, then = (tested, other) if here.tested_opens else (other, tested)
        return Cue(first, 0, here.opening, (then,))
    done, last = made(record, here), record[-1]
    if last.speaker != tested:
        return Cue(tested, done + 1, to=(other,))
    if END_MARK in last.text:
        return Ending(
            "finished", "the lawyer ended the interview" if here.kind == "draft" else "the tested seat ended the talk"
        )
    if done >= limit:
        return Ending("turn_limit", f"limit of {limit} turns reached")
    return Cue(other, done + here.tested_opens, to=(tested,))


def _trial(here: Environment, case: Case, profile: ProfileName, limit: int, record: Sequence[Turn]) -> Cue | Ending:
    if not record:
        return Cue("clerk", 0) if profile == "law" else Cue("judge", 0, here.opening)
    said = [turn for turn in record if turn.speaker == "judge" and turn.number > 0]
    if said and closes(said[-1].text) and closes(spoken_by_judge(said[-1].text, texts_of(case))):
        return Ending("finished", "the hearing was closed")
    if waiting := _waiting(record):
        return Cue(waiting[0], said[-1].number, to=("judge",))
    same = REPEATED[profile]
    if len(said) >= same and len({turn.text.strip() for turn in said[-same:]}) == 1:
        return Ending("stalled", f"the judge said the same {_TIMES[same]}")
    idle = STALLED[profile]
    if len(said) >= idle and not any(turn.to for turn in said[-idle:]):
        return Ending("stalled", f"{idle} turns of the judge in a row reached nobody")
    if len(said) >= limit:
        return Ending("turn_limit", f"limit of {limit} turns reached")
    return Cue("judge", len(said) + 1)


def _waiting(record: Sequence[Turn]) -> list[Role]:
    """Who was addressed since the judge last spoke and has not answered, the next one first."""
    start = max((at for at, turn in enumerate(record) if turn.speaker == "judge"), default=-1)
    if start < 0 or record[start].number == 0:
        return []
    waiting = list(record[start].to)
    passed_on = False
    for turn in record[start + 1 :]:
        if waiting and turn.speaker == waiting[0]:
            waiting.pop(0)
        else:
            passed_on = False
        put = [role for role in turn.to if role != "judge"]
        passed_on = (
            bool(put) and not passed_on
        )  # who is asked by a party answers; nobody is asked in turn by that answer
        if passed_on:
            waiting = put[:1] + waiting
    return waiting
