"""Results of court attempts made by hand: what was said, who sat there, how turns were routed."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.courts.casefile.case import AdviceCase, Case
from tasks.courts.casefile.questions import CourtQuestion
from tasks.courts.casefile.roles import seat_of
from tasks.courts.environment import environment
from tasks.courts.play.tracking import track_by_rules
from tasks.courts.procedure.model import Turn
from tasks.courts.scores.drafted import ceiling_document, with_end_mark
from tasks.courts.scores.judgment import gold_text
from tasks.courts.scores.topics import ceiling_reply
from tasks.episode.events import AttemptStarted, Event, Routed, Said, Seated, TopicTracked
from tasks.sample.build import court_cases
from tasks.scoring.result import Result

CASES = {case.id: case for case in court_cases()}
RULES = "court-rules/1"


def ask(case_id: str) -> CourtQuestion:
    """A sample case as a task."""
    return CourtQuestion(CASES[case_id])


def made(
    case: Case, events: Sequence[Event], outcome: str = "finished", epoch: int = 0, policy: str = RULES, seed: int = 0
) -> Result:
    """A result that holds these events; `policy` sits in every other seat."""
    began = AttemptStarted(benchmark="courts", task_id=case.id, attempt=1, seed=seed, card={})
    seats = [Seated(seat=role, policy=policy) for role in environment(case.env).others]
    own = [event.text for event in events if isinstance(event, Said) and event.seat == "agent" and event.turn > 0]
    return Result(
        case.id,
        outcome,
        own[-1] if own else "",
        "\n\n".join(own),
        tokens=10,
        epoch=epoch,
        heard=(began, *seats, *events),
    )


def advice(case_id: str, replies: dict[str, str] | None = None, **more: object) -> Result:
    """A dialogue: each topic is asked and answered by its gold, or by the reply of its id; '' leaves the topic
    out."""
    case = CASES[case_id]
    assert isinstance(case, AdviceCase)
    events: list[Event] = []
    for number, topic in enumerate(case.topics, 1):
        reply = (replies or {}).get(topic.id, ceiling_reply(topic))
        if not reply:
            continue
        tracked = track_by_rules(case, topic.id, reply)
        events += [
            Said(seat="client", text=topic.question, turn=number),
            Said(seat="agent", text=reply, turn=number),
            TopicTracked(
                seat="tracker", pointer=topic.id, topic=tracked.topic_id, answered=tracked.answered,
                verdict=tracked.verdict, quote=tracked.quote,
            ),
        ]  # fmt: skip
    return made(case, events, **more)  # type: ignore[arg-type]


def draft(case_id: str, document: str | None = None, **more: object) -> Result:
    """An interview of one question, then the document: the gold one, or this."""
    case = CASES[case_id]
    client = environment(case.env).others[0]
    name = next(party.name for party in case.parties if party.side == client)  # type: ignore[attr-defined]
    text = with_end_mark(ceiling_document(case)) if document is None else document  # type: ignore[arg-type]
    events = [
        Said(seat=client, text="律师您好。", turn=0),
        Said(seat="agent", text="请问您的姓名？", turn=1),
        Said(seat=client, text=f"呃，叫{name}。", turn=1),
        Said(seat="agent", text=text, turn=2),
    ]
    return made(case, events, **more)  # type: ignore[arg-type]


def trial(
    case_id: str, turns: Sequence[Turn] = (), judgment: str | None = None, how: str = "field", **more: object
) -> Result:
    """A trial: these turns, then the gold judgment, or this; '' leaves it out."""
    case = CASES[case_id]
    said: list[Event] = []
    number = 0
    for turn in turns:
        number = turn.number
        seat, to = seat_of(case.env, turn.speaker), turn.to
        said.append(Said(seat=seat, text=turn.text, to=to, turn=number, stage=turn.stage))
        if seat == "agent":
            said.append(Routed(seat=seat, to=to, how=how if to else ""))
    text = gold_text(case) if judgment is None else judgment  # type: ignore[arg-type]
    if text:
        said.append(Said(seat="agent", text=f"{text}\n现在闭庭。", turn=max(number + 1, 5)))
    return made(case, said, **more)  # type: ignore[arg-type]
