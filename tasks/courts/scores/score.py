"""The scores of one attempt by both rules, as shares from 0 to 1: topics, documents or judgment, the procedure, and
how the simulated roles kept to their parts; and what a grader is asked about it.

A transcript is all that is scored; an episode, the floor and the ceiling of a case all become one. Scores are rows of
the journal, and what a run comes to is made of them alone (`aggregate.py`). What needs a grader and has none is
missing, never 0: the settings of the strict row say how its grading stands, and its value if what is missing were 0,
and 1.

The floor of a case is what an episode of `echo` earns, its ceiling the gold itself with the best grades. The
published faults keep some ceilings below 1: a defence reaches 0.6 of FOR, gold text may fail the rule on citations.
The ceiling of the procedure is 1 by definition.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tasks.agents.prompts import fill
from tasks.courts.agents.registry import HUMAN, by_rules
from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase
from tasks.courts.casefile.people import style
from tasks.courts.casefile.questions import CourtQuestion
from tasks.courts.casefile.roles import role_name
from tasks.courts.casefile.visibility import visible
from tasks.courts.environment import Environment, codes, environment
from tasks.courts.play.episode import persona_of, traits_of
from tasks.courts.procedure import pfs
from tasks.courts.procedure.hearing import hearing_of
from tasks.courts.procedure.model import ProfileName, Turn
from tasks.courts.scores import documents, drafted, judgment, rulings, topics
from tasks.courts.scores.columns import OF_RUN, feeds, metrics
from tasks.courts.scores.consistency import Consistency
from tasks.courts.scores.documents import LONGEST, graded
from tasks.courts.scores.drafted import Kind, kind_of_case
from tasks.courts.scores.grounds import of_procedure, rests
from tasks.courts.scores.rulings import Failure, failure
from tasks.courts.scores.sentence import PublishedDistances
from tasks.courts.scores.simulators import Validity, answered, consistencies
from tasks.courts.scores.transcript import CourtTranscript, simulated
from tasks.courts.settings import settings_of
from tasks.scoring.metrics import RULES, Rule, Value
from tasks.scoring.result import Grade, Grading, Result, Score, ScoreContext

VERSIONS: Mapping[str, str] = {
    "topics_compat": "topics_compat/2", "topics_strict": "topics_strict/2", "documents_compat": "documents_compat/2",
    "documents_strict": "documents_strict/2", "judgment_compat": "judgment_compat/2",
    "judgment_strict": "judgment_strict/2", **pfs.VERSIONS, "consistency": "consistency/2", "validity": "validity/3",
}  # fmt: skip
"""Scorer -> its version; environments of packages have their own."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Metric -> value by rule; None: nothing to rate, or a grader is needed and has not spoken.

    name: which scorer; failed: why the published code gives 0 for everything, '' where it does not; finished: whether
    every topic was reached; distances: of a criminal judgment.
    """

    name: str
    compat: Mapping[str, Value]
    strict: Mapping[str, Value]
    evidence: Mapping[Rule, Sequence[Mapping[str, object]]]
    failed: str = ""
    finished: bool = True
    distances: PublishedDistances | None = None


def versions() -> Mapping[str, str]:
    """Scorer -> its version, the scorers of environments among them."""
    every = [environment(code) for code in codes()]
    own = {f"{here.code.lower()}_{rule}": f"{here.code}/{here.version}" for here in every for rule in RULES}
    return {**own, **VERSIONS}


def gradings_of(case: Case, transcript: CourtTranscript) -> Sequence[Grading]:
    """What a grader is asked about what the tested seat said."""
    here = environment(case.env)
    if here.score is not None:
        return ()
    if isinstance(case, AdviceCase):
        return topics.gradings(case, transcript.topics)
    if isinstance(case, CivilCase) and not here.trial:
        return documents.gradings(case, transcript.own)
    return judgment.gradings(case, transcript.own) if isinstance(case, CivilCase | CriminalCase) else ()


def rates(case: Case, transcript: CourtTranscript) -> Callable[[Grade], Rates]:
    """What gives the scores of topics, documents or judgment, once or more often, by grades: verdict -> 0 to 1."""
    here = environment(case.env)
    if here.score is not None or not isinstance(case, AdviceCase | CivilCase | CriminalCase):
        found = _of_its_own(here, case, transcript)
        return lambda _: found
    if isinstance(case, AdviceCase):
        return partial(_advice, case, transcript)
    if isinstance(case, CivilCase) and not here.trial:
        return partial(_draft, case, transcript)
    scored = judgment.score(case, transcript.own, turns=transcript.last)
    return partial(_judgment, case, scored, _failure_moved(case, transcript, scored.failed))


def _of_its_own(here: Environment, case: Case, transcript: CourtTranscript) -> Rates:
    found: Mapping[str, Value] = {}
    wrong: list[Mapping[str, object]] = []
    try:
        found = dict(here.score(case, transcript.record)) if here.score is not None else {}
        if odd := {name: value for name, value in found.items() if value is not None and not 0 <= value <= 1}:
            raise ValueError(f"{odd!r:.80}: no shares from 0 to 1")
    except Exception as error:  # it is somebody else's: the run is scored without it, and says so
        found, wrong = {}, [{"failed": f"{type(error).__name__}: {error}"[:200]}]
    return Rates(
        here.code.lower(), _kept(found, "compat", case), _kept(found, "strict", case),
        {"compat": wrong, "strict": wrong},
    )  # fmt: skip


def _advice(case: AdviceCase, transcript: CourtTranscript, grades: Grade) -> Rates:
    compat = topics.compat_scores(case, transcript.topics, grades)
    strict = topics.strict_scores(case, transcript.topics, grades)
    return Rates(
        "topics", _kept(compat.rates, "compat", case), _kept(strict.rates, "strict", case),
        {"compat": [_topic(row) for row in compat.topics], "strict": [_topic(row) for row in strict.topics]},
        finished=compat.finished,
    )  # fmt: skip


def _topic(row: topics.TopicScore) -> dict[str, object]:
    return {
        "topic": row.topic_id, "type": row.type, "reached": row.reached, "score": row.score, "proxy": row.proxy,
        **row.evidence,
    }  # fmt: skip


_KINDS: Mapping[str, Kind] = {"CD": "CD", "DD": "DD"}


def _draft(case: CivilCase, transcript: CourtTranscript, grades: Grade) -> Rates:
    # A part of which no grader is asked holds nothing: 0, not missing.
    asked = {name for grading in documents.gradings(case, transcript.own) for name in grading.failed}
    grades = {**{part.name: 0.0 for part in documents.PARTS[_KINDS[case.env]] if part.name not in asked}, **grades}
    compat = documents.compat_score(case, transcript.own, grades)
    strict = documents.strict_score(case, transcript.own, grades)
    return Rates(
        "documents", _kept(compat.rates, "compat", case), _kept(strict.rates, "strict", case),
        {"compat": [compat.evidence], "strict": [strict.evidence]},
        failed="" if compat.document else "no_document",
    )  # fmt: skip


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
        failed=scored.failed or "", distances=scored.distances,
    )  # fmt: skip


def _failure_moved(case: CivilCase | CriminalCase, transcript: CourtTranscript, failed: Failure | None) -> str:
    """The failure that is there, or is not, only for words that are quoted from the case."""
    hearing = hearing_of(case)
    own = [pfs.own_words_of(text, hearing) for text in transcript.own]
    bare = failure(hearing.env, own, transcript.last)
    return "" if bare == failed else failed or bare or ""


def _kept(found: Mapping[str, Value], rule: Rule, case: Case) -> dict[str, Value]:
    """The metrics of a rule; a document has the parts of which the case holds something, a run scales its own VER."""
    of_run = OF_RUN if rule == "compat" else frozenset[str]()
    names = [name for name in metrics(rule, case.env) if name not in of_run and name not in PROCEDURE]
    return {name: found.get(name) for name in names}


PROCEDURE = ("PFS", "STA", "ACT", "UNI", "ORD")


def _content(case: Case, transcript: CourtTranscript, grades: Grade) -> list[Score]:
    """Topics, documents or judgment by both rules."""
    rated = rates(case, transcript)
    found = rated(grades)
    names = [name for grading in gradings_of(case, transcript) for name in grading.failed]
    missing = [name for name in names if grades.get(name) is None]
    bounds: dict[str, list[Value]] = {}
    if missing:
        low, high = (rated({**grades, **dict.fromkeys(missing, given)}).strict for given in (0.0, 1.0))
        bounds = {
            metric: [low[metric], high[metric]]
            for metric, value in found.strict.items()
            if value is None and None not in (low[metric], high[metric])
        }
    grading: dict[str, str] = {}
    for metric in metrics("strict", case.env):
        if own := [name for name in names if feeds(name, metric)]:
            lacking = [name for name in own if name in missing]
            failed = all(name in grades for name in lacking)
            grading[metric] = "graded" if not lacking else "failed" if failed else "ungraded"
    settings: dict[str, object] = {"failed": found.failed, "finished": found.finished}
    more: Mapping[Rule, Mapping[str, object]] = {
        "compat": {"distances": [found.distances.sen_d, found.distances.fine_d]} if found.distances else {},
        "strict": {**({"grading": grading} if grading else {}), **({"bounds": bounds} if bounds else {})},
    }
    values = {"compat": found.compat, "strict": found.strict}
    known = versions()
    return [
        Score(
            f"{found.name}_{rule}", known[f"{found.name}_{rule}"], {**settings, **more[rule]}, dict(values[rule]),
            found.evidence[rule],
        )
        for rule in RULES
    ]  # fmt: skip


def _procedure(case: Case, transcript: CourtTranscript, profile: ProfileName) -> list[Score]:
    """The procedure of a trial by both rules; nothing for cases that are no trial."""
    if not isinstance(case, CivilCase | CriminalCase) or not environment(case.env).trial:
        return []
    return pfs.scores(transcript.record, hearing_of(case), profile)


CONSISTENCY = "CON_"
CONSISTENCY_PROMPT = "grader-consistency/1"


def gradings(question: CourtQuestion, result: Result) -> Sequence[Grading]:
    """What a grader is asked about an attempt; nothing of one that the machinery broke."""
    if not result.scored:
        return ()
    transcript = CourtTranscript.of(question.case, result)
    return [*gradings_of(question.case, transcript), *_parts(question.case, transcript)]


def _parts(case: Case, transcript: CourtTranscript) -> list[Grading]:
    """One grading a role that a model plays, if only for a while; rules and people need none."""
    made = []
    for role in simulated(case):
        said = [turn.text for turn in transcript.record if turn.speaker == role and turn.number > 0]
        if said and any(policy != HUMAN and not by_rules(policy) for policy in transcript.sat.get(role, ())):
            traits, persona = traits_of(case, role, transcript.seed or 0), persona_of(case, role)
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


def score_one(question: CourtQuestion, result: Result, context: ScoreContext) -> list[Score]:
    """`topics_`, `documents_` or `judgment_` with `compat` and `strict`, `pfs_compat`, `pfs_strict`, `consistency`,
    `validity`.

    The evidence of a strict score ends with the rows of `grounds`, which say of every value what it rests on. An
    attempt that the machinery broke is 0 in compat and missing in strict. The compat VER is a matter of a run.
    """
    case, spec = question.case, context.spec
    profile = settings_of(spec).profile if spec else "law"
    transcript = CourtTranscript.of(case, result)
    settings: dict[str, object] = {"env": case.env, "outcome": result.outcome, "scored": result.scored}
    made = []
    scores = _content(case, transcript, context.graded.get((result.task_id, result.epoch), {}))
    for score in (*scores, *_procedure(case, transcript, profile)):
        more: Sequence[Mapping[str, object]] = ()
        if score.scorer == pfs.STRICT and isinstance(case, CivilCase | CriminalCase):
            more = of_procedure(score.evidence, profile, case)
        elif score.scorer.endswith("_strict"):
            more = rests(case, transcript, score)
        one = replace(score, settings={**settings, **score.settings}, evidence=[*score.evidence, *more])
        made.append(one if result.scored else _broken(one))
    valid = answered(case, transcript, profile)
    seen = consistencies(case, transcript, (spec.seed if spec else 0) + result.epoch, valid)
    by_role = [
        (
            "consistency",
            VERSIONS["consistency"],
            {one.role: one.score for one in seen},
            [r for one in seen for r in _slips(one)],
        ),
        (
            "validity",
            VERSIONS["validity"],
            {one.role: one.share for one in valid},
            [r for one in valid for r in _invalid(one)],
        ),
    ]
    return [*made, *(Score(scorer, version, settings, values, rows) for scorer, version, values, rows in by_role)]


def _broken(score: Score) -> Score:
    lost = 0.0 if score.scorer.endswith("_compat") else None
    return replace(score, value=dict.fromkeys(score.value, lost))


def _slips(found: Consistency) -> list[dict[str, object]]:
    style: list[dict[str, object]] = [{"role": found.role, "messages": found.messages, "style": found.style}]
    return style + [
        {"role": found.role, "message": slip.message, "slip": slip.kind, "text": slip.text} for slip in found.slips
    ]


def _invalid(found: Validity) -> list[dict[str, object]]:
    turns: list[dict[str, object]] = [{"role": found.role, "turns": found.turns}]
    return turns + [{"role": found.role, "message": at, "reason": reason} for at, reason in found.invalid.items()]


# --- floor and ceiling of a case ------------------------------------------------------------------------------------


def floor(case: Case) -> list[Score]:
    """The formula, without a grader: of a court the judgment in the first turn."""
    here = environment(case.env)
    if here.score is not None or not isinstance(case, AdviceCase | CivilCase | CriminalCase):
        said = _spoken_by(here, [topics.FLOOR_REPLY])
    elif isinstance(case, AdviceCase):
        said = CourtTranscript(topics=tuple(topics.floor_turns(case)))
    elif isinstance(case, CivilCase) and (kind := kind_of_case(case)):
        said = CourtTranscript(own=(drafted.FLOOR_REPLY, drafted.with_end_mark(drafted.floor_document(kind))))
    else:
        said = _judged(f"{judgment.FORMULA[case.env]}\n现在闭庭。", 1)
    return [*_content(case, said, {}), *_procedure(case, said, "law")]


def ceiling(case: Case) -> list[Score]:
    """The gold, when a grader gives all points; nothing where nobody knows what would be perfect."""
    here = environment(case.env)
    if here.score is not None:
        try:
            return _content(case, _spoken_by(here, list(here.perfect(case))), {}) if here.perfect is not None else []
        except Exception:  # it is somebody else's, and only a ceiling
            return []
    if isinstance(case, AdviceCase):
        said = CourtTranscript(topics=tuple(topics.ceiling_turns(case)))
    elif isinstance(case, CivilCase) and kind_of_case(case):
        said = CourtTranscript(own=(drafted.with_end_mark(drafted.ceiling_document(case)),))
    elif not isinstance(case, CivilCase | CriminalCase):
        return []
    else:
        # The text of a judgment without its trial: the published rule on short trials is left aside.
        said = _judged(judgment.gold_text(case), rulings.LEAST_TURNS)
    best = {name: 1.0 for grading in gradings_of(case, said) for name in grading.failed}
    full = {pfs.COMPAT: ("PFS", "STA", "ACT", "UNI"), pfs.STRICT: PROCEDURE}
    trial = [Score(scorer, VERSIONS[scorer], {}, dict.fromkeys(names, 1.0)) for scorer, names in full.items()]
    return [*_content(case, said, best), *(trial if here.trial else ())]


def _spoken_by(here: Environment, said: Sequence[str]) -> CourtTranscript:
    """An episode in which the tested seat alone speaks."""
    return CourtTranscript(
        tuple(Turn(number, here.tested, (), text) for number, text in enumerate(said, 1)), tuple(said)
    )


def _judged(said: str, turn: int) -> CourtTranscript:
    return CourtTranscript((Turn(turn, "judge", (), said),), (said,))
