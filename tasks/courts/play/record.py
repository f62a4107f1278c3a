"""The public record of a court episode, read from its events: who said what to whom, what the tracker made of it; and
what the procedure makes of a trial while it is played: what the last utterance changed, and what the judge does next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from tasks.courts.casefile.case import CivilCase, CriminalCase, Env
from tasks.courts.casefile.visibility import CaseKey
from tasks.courts.environment import Environment, Role, environment
from tasks.courts.play.tracking import TopicTurn, TrackedReply
from tasks.courts.procedure.acts import addressed, reopens
from tasks.courts.procedure.hearing import hearing_of
from tasks.courts.procedure.model import SIDES, Duty, ProfileName, TrialState, Turn, speaker_of
from tasks.courts.procedure.model import ProcedureViolation as Fault
from tasks.courts.procedure.tracker import follow
from tasks.episode.events import ActDone, Event, ExhibitMoved, Said, StageEntered, TopicTracked, Violation
from tasks.episode.seats import Say


def spoken(events: Iterable[Event], env: Env) -> tuple[Turn, ...]:
    """What was said, in order; speakers and addressees by role."""
    role_of = environment(env).role_of
    return tuple(
        Turn(one.turn, role_of(one.seat), one.to, one.text, one.stage, one.unfinished, one.fault)
        for one in events
        if isinstance(one, Said)
    )


def topic_turns(events: Iterable[Event]) -> tuple[TopicTurn, ...]:
    """The exchanges on topics: what was asked, the reply before the tracker's word, what was read in it."""
    found: list[TopicTurn] = []
    said = Said(seat="", text="")
    for event in events:
        if isinstance(event, Said):
            said = event
        elif isinstance(event, TopicTracked):
            tracked = TrackedReply(event.topic, event.answered, event.verdict, event.quote, event.made_by)
            found.append(TopicTurn(event.pointer, said.text, tracked, said.turn, said.fault))
    return tuple(found)


def topics_before(events: Iterable[Event]) -> tuple[int, ...]:
    """For each turn of the record how many exchanges on topics were over when it was made."""
    counts: list[int] = []
    over = 0
    for event in events:
        if isinstance(event, Said):
            counts.append(over)
        over += isinstance(event, TopicTracked)
    return tuple(counts)


_ALL = re.compile(r"(?:双方|控辩|各方)(?:当事人|委托诉讼代理人|代理人)?")
_MARKER = re.compile(r"对(?:原告|被告当事人|被告辩护人|被告|公诉机关)说[：:，,]?\s*")
_TAG = re.compile(r"<\s*/?\s*(?:开庭审理|法庭调查|庭审辩论|法庭辩论|法庭调解|评议宣判|最后陈述|结束庭审)\s*>\s*")


def roles_marked(text: str, here: Environment) -> tuple[Role, ...]:
    """The roles whose markers stand in a text, in the order of precedence."""
    return tuple(role for marker, role in here.markers.items() if marker in text)


def strict(text: str, here: Environment) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
    """The one role that the published routing reaches, and those that it drops."""
    found = roles_marked(text, here)
    return found[:1], found[1:]


def by_words(text: str, here: Environment) -> tuple[Role, ...]:
    """The roles that the words of a text speak to: a marker, 请原告…, 双方当事人; () where none is addressed."""
    env = here.code
    if env not in ("CI", "CR"):
        return ()
    if found := roles_marked(text, here):
        return found
    if env == "CI" and _ALL.search(text):
        return here.both
    called = addressed(text, "CI" if env == "CI" else "CR")
    found = tuple(speaker_of(env, side) for side in SIDES[env] if side in called)
    return found or (here.both if _ALL.search(text) else ())


def known(to: Sequence[str], speaker: Role, there: Sequence[Role]) -> tuple[tuple[Role, ...], tuple[str, ...]]:
    """The addressees that are there, each once, and the rest; nobody speaks to himself."""
    wanted = tuple(dict.fromkeys(to))
    return (
        tuple(role for role in wanted if role in there and role != speaker),
        tuple(role for role in wanted if role not in there),
    )


def addressed_by_marker(say: Say, role: Role, here: Environment) -> Say:
    """An utterance of a judge by rules as the published layout has it: the marker stands in the text and routes
    it."""
    marker = next((marker for marker, one in here.markers.items() if one == role), "")
    tags = "".join(match[0] for match in _TAG.finditer(say.text))
    bare = _TAG.sub("", say.text)
    return replace(say, text=f"{tags}{marker}：{bare}" if marker not in say.text else say.text, routed="marker")


def shown(text: str) -> str:
    """A text as it is read out: without markers of address and tags of stages."""
    return _MARKER.sub("", _TAG.sub("", text)).strip()


# --- what the procedure makes of it ---------------------------------------------------------------------------------

MOST_NAMED = 2
"""How often something is named that is not done."""
RETIRE, JUDGED = "deliberate", {"ruling", "verdict"}
"""The act that comes in a turn before the judgment, and those by which a judgment is known."""


def changes(case: CivilCase | CriminalCase, record: Sequence[Turn], profile: ProfileName) -> Iterator[Event]:
    """What the last utterance of a record changed."""
    hearing = hearing_of(case)
    before = follow(record[:-1], hearing, profile, final=False)
    yield from _differences(case, before, follow(record, hearing, profile, final=False))


def omissions(case: CivilCase | CriminalCase, record: Sequence[Turn], profile: ProfileName) -> Iterator[Event]:
    """What shows only at the end of a trial."""
    hearing = hearing_of(case)
    known = follow(record, hearing, profile, final=False).violations
    yield from map(_violation, follow(record, hearing, profile).violations[len(known) :])


def _differences(case: CivilCase | CriminalCase, known: TrialState, now: TrialState) -> Iterator[Event]:
    if now.stage != known.stage or not known.stage_of:
        stage = next(stage for stage in now.profile.stages if stage.id == now.stage)
        yield StageEntered(stage=stage.id, name=stage.name)
    fresh = now.credits[len(known.credits) :]
    basis = {duty.key: tuple(one.label for one in duty.basis) for duty in now.duties} if fresh else {}
    names = {duty.key: duty.spec.name for duty in now.duties}
    for credit in fresh:
        yield ActDone(
            key=credit.key, name=names.get(credit.key, now.profile.acts[credit.act].name), turn=credit.turn,
            side=credit.side or "", exhibit=credit.exhibit, basis=basis.get(credit.key, ()),
        )  # fmt: skip
    for violation in now.violations[len(known.violations) :]:
        yield _violation(violation)
    titles = {exhibit.id: exhibit.title for exhibit in case.evidence}
    for identity, shown in now.exhibits.items():
        if shown.state != known.exhibits[identity].state:
            yield ExhibitMoved(
                exhibit=identity, title=titles.get(identity, ""), state=shown.state, reason=shown.reason
            )


def _violation(fault: Fault) -> Violation:
    return Violation(
        code=fault.code, turn=fault.turn, act=fault.act, side=fault.side or "", detail=fault.detail, clear=fault.clear
    )


@dataclass(frozen=True, slots=True)
class NextDuty:
    """The one thing that a judge does next. stage: in which; reopened: whether the trial has left it; duty: None at
    the end; exhibits: titles of those to be heard on; parts: of the judgment, none where it was given."""

    stage: str
    duty: Duty | None = None
    exhibits: tuple[str, ...] = ()
    reopened: bool = False
    parts: tuple[str, ...] = ()


def owed(case: CivilCase | CriminalCase, record: Sequence[Turn], profile: ProfileName, limit: int) -> NextDuty | None:
    """What the judge does next, who may speak so often."""
    return _named(CaseKey(case), tuple(record), profile, limit)[-1]


@lru_cache(maxsize=1024)
def _named(same: CaseKey, record: tuple[Turn, ...], profile: ProfileName, limit: int) -> tuple[NextDuty | None, ...]:
    """What was next before every turn of the judge so far, and what is next now. A turn needs what was remembered of
    the turn before it and nothing older, so that many trials at once do not push each other out."""
    assert isinstance(same.case, CivilCase | CriminalCase)
    spoke = [at for at, turn in enumerate(record) if turn.speaker == "judge" and turn.number]
    earlier = _named(same, record[: spoke[-1]], profile, limit) if spoke else ()
    course = follow(record, hearing_of(same.case), profile, final=False)
    return (*earlier, _owed(course, limit - len(spoke), [one.duty if one else None for one in earlier]))


def _owed(course: TrialState, left: int, named: Sequence[Duty | None]) -> NextDuty | None:
    """The first duty, in the order of the hearing, that may be done now; None where the hearing is closed.

    What was named twice is passed over; where turns run out only the judgment is left.

    Args:
        course: where the trial stands.
        left: turns of the judge that are left, the coming one included.
        named: what was next in each turn so far.
    """
    if course.closed:
        return None
    end = course.profile.stages[-1]
    due = [duty for duty in _due(course, left) if named.count(duty) < MOST_NAMED]
    judgment = [duty for duty in due if duty.spec.stages[-1] == end.id]
    short = left <= 2 + any(duty.spec.id == RETIRE for duty in judgment)
    acts = {credit.act for credit in course.credits} | {
        fault.act for fault in course.violations if short and fault.turn == course.judge_turns
    }
    if acts & JUDGED:
        return NextDuty(end.name)
    for duty in due:
        apart = duty.spec.id == RETIRE and left > 2 or not short and duty not in judgment
        stage, reopened = _stage(course, duty)
        if apart and stage:
            asked = {one.exhibit for one in due if (one.spec, one.side) == (duty.spec, duty.side)}
            titles = tuple(item.title for item in course.hearing.exhibits if item.id in asked)
            return NextDuty(stage, duty, titles, reopened)
    return NextDuty(end.name, parts=tuple(duty.spec.name for duty in judgment))


def _due(course: TrialState, left: int) -> list[Duty]:
    """What is owed, and what every court does where there are turns for it, in the order of the hearing; of exhibits
    those that were shown are heard on first, and each side is called upon once for all that it has."""
    owing = ({duty.key for duty in course.owed()} | {one.key for one in course.unmet}) - course.done
    usual = {duty.key for duty in course.duties if duty.level == "practice" and not course.settled} - course.done
    owing |= usual if len(owing | usual) < left else set()
    due: dict[tuple[str, str | None, str], Duty] = {}
    for duty in course.duties:
        heard_on = duty.exhibit if duty.spec.exhibits == "other" else ""
        if duty.key in owing and (not heard_on or course.exhibits[heard_on].shown is not None):
            due.setdefault((duty.spec.id, duty.side, heard_on), duty)
    sides: Sequence[str | None] = (None, *course.hearing.sides)
    return sorted(
        due.values(), key=lambda duty: (duty.spec.order, duty.spec.exhibits == "owner", sides.index(duty.side))
    )


def _stage(course: TrialState, duty: Duty) -> tuple[str, bool]:
    """The name of the stage in which a duty may be done now, and whether it has to be reopened; '' where it may no
    more."""
    stages = {stage.id: stage for stage in course.profile.stages}
    fixed = [name for name, stage in stages.items() if not stage.floating]
    at = next((fixed.index(stage) for stage in reversed(course.stage_of) if stage in fixed), 0)
    places = [stage for stage in duty.spec.stages if stage not in fixed or fixed.index(stage) >= at]
    if places or at == 1:  # what the opening forgot may be made up for
        return stages[(*places, fixed[at])[0]].name, False
    name = stages[duty.spec.stages[-1]].name
    return (name, True) if reopens(f"恢复{name}") else ("", False)
