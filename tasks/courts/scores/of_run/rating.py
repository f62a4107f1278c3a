"""The scores of one transcript by both rules, as shares from 0 to 1: topics, documents or judgment, and the
procedure.

All that a transcript is scored by stands in `Heard`; an episode, the floor and the ceiling of a case all become one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from tasks.agents.prompts import fill
from tasks.courts.agents.registry import HUMAN, by_rules
from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase
from tasks.courts.casefile.persona import style
from tasks.courts.casefile.questions import CourtQuestion
from tasks.courts.casefile.roles import role_name, role_of
from tasks.courts.casefile.visibility import visible
from tasks.courts.environment import Environment, Role, environment
from tasks.courts.play.episode import persona_of, traits_of
from tasks.courts.play.record import for_procedure, spoken, topic_turns, topics_before
from tasks.courts.play.tracking import TopicTurn
from tasks.courts.procedure import pfs
from tasks.courts.procedure.hearing import hearing_of
from tasks.courts.procedure.tables import Duty, ProfileName
from tasks.courts.procedure.turns import Turn
from tasks.courts.scores import documents, judgment, topics
from tasks.courts.scores.documents import LONGEST, graded
from tasks.courts.scores.drafted import Kind
from tasks.courts.scores.of_run.columns import OF_RUN, metrics
from tasks.courts.scores.rulings import Failure, failure
from tasks.courts.scores.sentence import Published
from tasks.episode.events import AttemptStarted, Leaked, Routed, Said, Seated, ToolCalled
from tasks.episode.with_tools import SEAT
from tasks.scoring.context import Grade
from tasks.scoring.metrics import Rule, Value
from tasks.scoring.result import Grading, Result


@dataclass(frozen=True, slots=True)
class Heard:
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
    def of(cls, case: Case, result: Result) -> Heard:
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


@dataclass(frozen=True, slots=True)
class Rates:
    """Metric -> value by rule; None: nothing to rate, or a grader is needed and has not spoken.

    name: which scorer; failed: why the published code gives 0 for everything, '' where it does not; finished: whether
        every
    topic was reached; distances: of a criminal judgment.
    """

    name: str
    compat: Mapping[str, Value]
    strict: Mapping[str, Value]
    evidence: Mapping[Rule, Sequence[Mapping[str, object]]]
    versions: Mapping[Rule, str]
    failed: str = ""
    finished: bool = True
    distances: Published | None = None
    moved: str = ""


def gradings_of(case: Case, heard: Heard) -> Sequence[Grading]:
    """What a grader is asked about what the tested seat said."""
    here = environment(case.env)
    if here.score is not None:
        return ()
    if isinstance(case, AdviceCase):
        return topics.gradings(case, heard.topics)
    if isinstance(case, CivilCase) and not here.trial:
        return documents.gradings(case, heard.own)
    return judgment.gradings(case, heard.own) if isinstance(case, CivilCase | CriminalCase) else ()


def rates(case: Case, heard: Heard) -> Callable[[Grade], Rates]:
    """What gives the scores of topics, documents or judgment, once or more often, by grades: verdict -> 0 to 1."""
    here = environment(case.env)
    if here.score is not None or not isinstance(case, AdviceCase | CivilCase | CriminalCase):
        found = _of_its_own(here, case, heard)
        return lambda _: found
    if isinstance(case, AdviceCase):
        return partial(_advice, case, heard)
    if isinstance(case, CivilCase) and not here.trial:
        return partial(_draft, case, heard)
    scored = judgment.score(case, heard.own, turns=heard.last)
    return partial(_judgment, case, scored, _failure_moved(case, heard, scored.failed))


def _of_its_own(here: Environment, case: Case, heard: Heard) -> Rates:
    found: Mapping[str, Value] = {}
    wrong: list[Mapping[str, object]] = []
    try:
        found = dict(here.score(case, heard.record)) if here.score is not None else {}
        if odd := {name: value for name, value in found.items() if value is not None and not 0 <= value <= 1}:
            raise ValueError(f"{odd!r:.80}: no shares from 0 to 1")
    except Exception as error:  # it is somebody else's: the run is scored without it, and says so
        found, wrong = {}, [{"failed": f"{type(error).__name__}: {error}"[:200]}]
    version = f"{here.code}/{here.version}"
    return Rates(
        here.code.lower(), _kept(found, "compat", case), _kept(found, "strict", case),
        {"compat": wrong, "strict": wrong},
        {"compat": version, "strict": version},
    )  # fmt: skip


def _advice(case: AdviceCase, heard: Heard, grades: Grade) -> Rates:
    compat = topics.compat_scores(case, heard.topics, grades)
    strict = topics.strict_scores(case, heard.topics, grades)
    evidence: Mapping[Rule, Sequence[Mapping[str, object]]] = {
        "compat": [_topic(row) for row in compat.topics], "strict": [_topic(row) for row in strict.topics]
    }  # fmt: skip
    return Rates(
        "topics", _kept(compat.rates, "compat", case), _kept(strict.rates, "strict", case), evidence,
        {"compat": topics.VERSION_COMPAT, "strict": topics.VERSION_STRICT}, finished=compat.finished,
    )  # fmt: skip


def _topic(row: topics.TopicScore) -> dict[str, object]:
    return {
        "topic": row.topic_id, "type": row.type, "reached": row.reached, "score": row.score, "proxy": row.proxy,
        **row.evidence,
    }  # fmt: skip


_KINDS: Mapping[str, Kind] = {"CD": "CD", "DD": "DD"}


def _draft(case: CivilCase, heard: Heard, grades: Grade) -> Rates:
    # A part of which no grader is asked holds nothing: 0, not missing.
    asked = {name for grading in documents.gradings(case, heard.own) for name in grading.failed}
    grades = {**{part.name: 0.0 for part in documents.PARTS[_KINDS[case.env]] if part.name not in asked}, **grades}
    compat = documents.compat_score(case, heard.own, grades)
    strict = documents.strict_score(case, heard.own, grades)
    return Rates(
        "documents", _kept(compat.rates, "compat", case), _kept(strict.rates, "strict", case),
        {"compat": [compat.evidence], "strict": [strict.evidence]},
        {"compat": documents.VERSION_COMPAT, "strict": documents.VERSION_STRICT},
        failed="" if compat.document else "no_document",
    )  # fmt: skip


JUDGMENT_VERSIONS: Mapping[Rule, str] = {"compat": "compat/1", "strict": "strict/1"}


def _judgment(case: CivilCase | CriminalCase, scored: judgment.Scores, moved: str, grades: Grade) -> Rates:
    compat, strict = dict(scored.compat), dict(scored.strict)
    # Without a judgment there is nothing that a grader could read: that is 0, not missing.
    none = not scored.evidence["judgment"]
    golds = {"JUD": bool(case.gold.judgment) and isinstance(case, CivilCase), "REA": bool(case.gold.reason)}
    for metric, has in golds.items():
        given = 0.0 if none else grades.get(metric)
        if has:
            strict[metric] = given
            compat[metric] = 0.0 if scored.failed else given
        else:
            compat.pop(metric, None)
    if not case.gold.laws and not case.gold.as_cited:
        compat.pop("LAW", None)
    return Rates(
        "judgment", _kept(compat, "compat", case), _kept(strict, "strict", case),
        {
            "compat": [{"failure": scored.failed}] * bool(scored.failed) + [{"moved_by_text": moved}] * bool(moved),
            "strict": [dict(scored.evidence)],
        },
        JUDGMENT_VERSIONS, failed=scored.failed or "", distances=scored.distances, moved=moved,
    )  # fmt: skip


def _failure_moved(case: CivilCase | CriminalCase, heard: Heard, failed: Failure | None) -> str:
    """The failure that is there, or is not, only for words that are quoted from the case."""
    hearing = hearing_of(case)
    own = [pfs.own_words_of(text, hearing) for text in heard.own]
    bare = failure(hearing.env, own, heard.last)
    return "" if bare == failed else failed or bare or ""


def _kept(found: Mapping[str, Value], rule: Rule, case: Case) -> dict[str, Value]:
    """The metrics of a rule; a document has the parts of which the case holds something, a run scales its own VER."""
    of_run = OF_RUN if rule == "compat" else frozenset[str]()
    names = [name for name in metrics(rule, case.env) if name not in of_run and name not in PROCEDURE]
    return {name: found.get(name) for name in names}


PROCEDURE = ("PFS", "STA", "ACT", "UNI", "ORD")


@dataclass(frozen=True, slots=True)
class Followed:
    """The procedure of a trial by both rules. stages: rule -> stage -> whether all its actions are done, 0 in a trial
    whose score is 0; violations: codes in order; unmet: acts that got no valid answer, a duty an entry; moved: see
    `pfs.moved_by_text`."""

    compat: Mapping[str, Value]
    strict: Mapping[str, Value]
    stages: Mapping[Rule, Mapping[str, float]]
    violations: tuple[str, ...]
    moved: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()


def followed(case: Case, heard: Heard, profile: ProfileName) -> Followed | None:
    """How a trial kept the procedure; None for cases that are no trial."""
    if not isinstance(case, CivilCase | CriminalCase) or not environment(case.env).trial:
        return None
    turns = for_procedure(heard.record, case.env)
    hearing = hearing_of(case)
    published, ours = pfs.compat(turns, hearing.env), pfs.strict(turns, hearing, profile)
    counts = bool(published.uni) and not published.failures
    stages: dict[Rule, Mapping[str, float]] = {
        "compat": {
            stage: float(counts and all(action in published.credits for action in actions))
            for stage, actions in pfs.PUBLISHED[hearing.env].items()
        },
        "strict": {name: ours.uni * float(share == 1) for name, share in _stages(ours).items()},
    }
    return Followed(
        {"PFS": published.pfs, "STA": published.sta, "ACT": published.act, "UNI": published.uni},
        {"PFS": ours.pfs, "STA": ours.sta, "ACT": ours.act, "UNI": ours.uni, "ORD": ours.ord},
        stages,
        tuple(violation.code for violation in ours.course.violations),
        pfs.moved_by_text(turns, hearing),
        tuple(one.act for one in ours.course.unmet),
    )


def _stages(found: pfs.Strict) -> dict[str, float]:
    """Name of a stage -> share of its groups of duties that are wholly done."""
    groups: dict[str, Duty] = {}
    for duty in found.course.owed():
        groups.setdefault(duty.group, duty)
    done: dict[str, list[bool]] = {}
    for name, duty in groups.items():
        done.setdefault(duty.spec.stages[-1 if duty.spec.ends else 0], []).append(found.shares[name] == 1)
    return {
        stage.name: sum(done[stage.id]) / len(done[stage.id])
        for stage in found.course.profile.stages
        if stage.id in done
    }


CONSISTENCY = "CON_"
CONSISTENCY_PROMPT = "grader-consistency/1"
NO_PART = ("clerk", "tracker")
"""Seats without a part to play."""


def gradings(question: CourtQuestion, result: Result) -> Sequence[Grading]:
    """What a grader is asked about an attempt; nothing of one that the machinery broke."""
    if not result.scored:
        return ()
    heard = Heard.of(question.case, result)
    return [*gradings_of(question.case, heard), *_parts(question.case, heard)]


def simulated(case: Case) -> tuple[Role, ...]:
    """The roles that are simulated around the tested seat."""
    return tuple(role for role in environment(case.env).others if role not in NO_PART)


def _parts(case: Case, heard: Heard) -> list[Grading]:
    """One grading a role that a model plays, if only for a while; rules and people need none."""
    made = []
    for role in simulated(case):
        said = [turn.text for turn in heard.record if turn.speaker == role and turn.number > 0]
        if said and any(policy != HUMAN and not by_rules(policy) for policy in heard.sat.get(role, ())):
            traits, persona = traits_of(case, role, heard.seed or 0), persona_of(case, role)
            text = fill(
                CONSISTENCY_PROMPT,
                kind=environment(case.env).names[0],
                role=role_name(role, case.env),
                profile=json.dumps(visible(case, case.env, role), ensure_ascii=False, default=str)[:LONGEST],
                traits=style(traits, persona) if traits else "（职业人士，没有设定性格）",
                given="\n".join(f"{number}. {words}" for number, words in enumerate(said, 1))[:LONGEST],
            )
            made.append(graded(CONSISTENCY_PROMPT, text, CONSISTENCY + role))
    return made
