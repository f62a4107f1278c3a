"""Who speaks next in a court environment, and when it is over: the controller's rules, as pure functions of the record.

A turn is one utterance of the tested seat with what is replied to it; both carry its number, the opening line is turn 0.
Order, opening lines, ends and limits under `j1` are those of the published benchmark; `law` computes its limits from the
agenda of the case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase, Env
from tasks.courts.casefile.visibility import TESTED, Role
from tasks.courts.play.tracking import FOLLOW_UPS, TopicTurn, open_topics
from tasks.courts.procedure import bench
from tasks.courts.procedure.hearing import hearing_of
from tasks.courts.procedure.quoting import texts_of
from tasks.courts.procedure.tables import ProfileName, turn_limit
from tasks.courts.procedure.turns import Turn
from tasks.courts.scores.drafted import END_MARK

J1_LIMITS: Mapping[Env, int] = {"KQ": 15, "LC": 10, "CD": 20, "DD": 15, "CI": 50, "CR": 35}
"""Turns of the published benchmark."""
STALLED: Mapping[ProfileName, int] = {"j1": 3, "law": 5}
"""So many turns of a judge in a row that reach nobody end a trial."""
CLOSING = "结束对话"
"""What the public says at last in KQ and LC."""
OPENING: Mapping[Env, str] = {
    "KQ": "您好，我是{title}，请问有什么法律问题要咨询？",
    "LC": "您好，我遇到了一件麻烦事，想请您从法律上帮我看看。",
    "CD": "律师您好，我想起诉，麻烦您帮我写一份民事起诉状。",
    "DD": "律师您好，我被人起诉了，麻烦您帮我写一份民事答辩状。",
    "CI": "现在开庭。",
    "CR": "现在开庭。",
}
"""The fixed line of turn 0; in `law` the court opens by itself, after the clerk."""


@dataclass(frozen=True, slots=True)
class TopicCue:
    """What somebody who asks for advice does next; the controller owns the pointer.

    kind: theme (speak of the matter in general), ask (put this question), follow_up (the reply left it open), close (thank
    and end). first: nothing but the opening line was said before.
    """

    kind: Literal["theme", "ask", "follow_up", "close"]
    id: str = ""
    question: str = ""
    aliases: tuple[str, ...] = ()
    first: bool = False


@dataclass(frozen=True, slots=True)
class Cue:
    """The next utterance: whose it is, the turn it belongs to; `fixed`: words that the environment says itself."""

    role: Role
    turn: int
    fixed: str = ""
    to: tuple[Role, ...] = ()
    topic: TopicCue | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """The episode is over."""

    outcome: Literal["finished", "turn_limit", "stalled"]
    reason: str


def limit_of(case: Case, profile: ProfileName) -> int:
    """Turns that an episode of the case may take: published under `j1`, else from what there is to ask."""
    if profile == "j1":
        return J1_LIMITS[case.env]
    if isinstance(case, AdviceCase):
        return 2 + len(case.topics) * (1 + FOLLOW_UPS)
    if isinstance(case, CriminalCase) or case.env == "CI":
        return turn_limit(hearing_of(case), profile)
    own = "plaintiff" if case.env == "CD" else "defendant"
    owner = {party.id for party in case.parties if party.side == own}
    points = case.claims if case.env == "CD" else case.defences
    return 14 + len(points) + sum(exhibit.owner in owner for exhibit in case.evidence)


def next_cue(
    case: Case, profile: ProfileName, limit: int, record: Sequence[Turn], tracked: Sequence[TopicTurn] = ()
) -> Cue | Ending:
    """Whose turn it is, or that it is over."""
    if isinstance(case, AdviceCase):
        return _advice(case, limit, record, tracked)
    if isinstance(case, CivilCase) and case.env != "CI":
        return _drafting(case, limit, record)
    return _trial(case, profile, limit, record)


def made(record: Sequence[Turn], env: Env) -> int:
    """Turns that the tested seat has made; the fixed line is none."""
    return sum(turn.speaker == TESTED[env] and turn.number > 0 for turn in record)


def pointer(case: AdviceCase, record: Sequence[Turn], tracked: Sequence[TopicTurn]) -> str:
    """The topic that was asked last; '' while the public speaks of the matter in general."""
    asked = sum(turn.speaker == "client" for turn in record)
    left = open_topics(case, tracked)
    return left[0] if asked > 1 and left else ""


def _advice(case: AdviceCase, limit: int, record: Sequence[Turn], tracked: Sequence[TopicTurn]) -> Cue | Ending:
    if not record:
        opener = "trainee" if case.env == "KQ" else "client"
        return Cue(opener, 0, OPENING[case.env].format(title=case.agent_title or "法律实习生"))
    done, left = made(record, case.env), open_topics(case, tracked)
    if record[-1].speaker == "trainee":
        cue = _topic_cue(case, record, tracked, left)
        if cue.kind != "close" and done >= limit:
            return Ending("turn_limit", f"limit of {limit} turns reached")
        return Cue("client", done + 1 if case.env == "KQ" else done, to=("trainee",), topic=cue)
    if not left:
        return Ending("finished", "all topics were asked")
    if done >= limit:
        return Ending("turn_limit", f"limit of {limit} turns reached")
    return Cue("trainee", done + 1, to=("client",))


def _topic_cue(
    case: AdviceCase, record: Sequence[Turn], tracked: Sequence[TopicTurn], left: Sequence[str]
) -> TopicCue:
    said = [turn for turn in record if turn.speaker == "client"]
    if case.env == "KQ" and not said:
        return TopicCue("theme", first=True)
    if not left:
        return TopicCue("close")
    topic = next(topic for topic in case.topics if topic.id == left[0])
    again = any(turn.pointer == topic.id for turn in tracked)
    first = case.env == "LC" and len(said) == 1
    return TopicCue("follow_up" if again else "ask", topic.id, topic.question, topic.aliases, first)


def _drafting(case: CivilCase, limit: int, record: Sequence[Turn]) -> Cue | Ending:
    lawyer = TESTED[case.env]
    client = "plaintiff" if case.env == "CD" else "defendant"
    if not record:
        return Cue(client, 0, OPENING[case.env], (lawyer,))
    done, last = made(record, case.env), record[-1]
    if last.speaker != lawyer:
        return Cue(lawyer, done + 1, to=(client,))
    if END_MARK in last.text:
        return Ending("finished", "the lawyer ended the interview")
    if done >= limit:
        return Ending("turn_limit", f"limit of {limit} turns reached")
    return Cue(client, done, to=(lawyer,))


def _trial(case: Case, profile: ProfileName, limit: int, record: Sequence[Turn]) -> Cue | Ending:
    env = case.env
    if not record:
        return Cue("clerk", 0) if profile == "law" else Cue("judge", 0, OPENING[env])
    said = [turn for turn in record if turn.speaker == "judge" and turn.number > 0]
    if said and bench.closes(said[-1].text) and bench.closes(bench.spoken_by_judge(said[-1].text, texts_of(case))):
        return Ending("finished", "the hearing was closed")
    if waiting := _waiting(record):
        return Cue(waiting[0], said[-1].number, to=("judge",))
    if len(said) > 1 and said[-1].text.strip() == said[-2].text.strip():
        return Ending("stalled", "the judge said the same twice")
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
        passed_on = bool(put) and not passed_on  # who is asked by a party answers; nobody is asked in turn by that answer
        if passed_on:
            waiting = put[:1] + waiting
    return waiting
