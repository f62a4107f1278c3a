"""Who speaks next in a court environment, and when it is over: the controller's rules, as pure functions of the
record.

A turn is one utterance of the tested seat with what is replied to it; both carry its number, the opening line is turn
0. Order, opening lines, ends and limits under `j1` are those of the published benchmark; `law` computes its limits
from the agenda of the case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase
from tasks.courts.environment import Cue, Ending, Environment, Role, TopicCue, environment
from tasks.courts.play.tracking import FOLLOW_UPS, TopicTurn, open_topics
from tasks.courts.procedure.acts import closes, spoken_by_judge, texts_of
from tasks.courts.procedure.hearing import hearing_of
from tasks.courts.procedure.model import ProfileName, Turn, turn_limit
from tasks.courts.scores.drafted import END_MARK

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
