"""A run as people score it: the seeded sample with what is scored and what waits, and one episode with what is asked
about it.

Everything here reads journals and is called from workers; `append` alone opens one for writing, for the time of one
row. Values are shares from 0 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.court_words import env_of
from app.strings import t
from store.journal import EpisodeRow, Journal, ScoreRow
from tasks.agents.prompts import load
from tasks.benchmark import Benchmark, benchmark
from tasks.courts.casefile.case import Env
from tasks.courts.casefile.questions import CourtQuestion
from tasks.courts.casefile.roles import role_of
from tasks.courts.play.record import spoken
from tasks.courts.scores.score import CONSISTENCY, CONSISTENCY_PROMPT
from tasks.courts.scores.transcript import simulated
from tasks.episode.events import Event, Seated
from tasks.episode.scheduler import HUMAN
from tasks.episode.state import State, fold
from tasks.episode.with_tools import SEAT
from tasks.errors import UsageError
from tasks.run.header import HeaderData, header_of, is_fictional
from tasks.run.plan import stored_task_file
from tasks.run.reading import GRADER, read_episode, stopped_of
from tasks.scoring.human import (
    SCORER,
    SEED,
    SHARE,
    SampledEpisode,
    add_score,
    drawn,
    group_of,
    newest,
    sample,
    scale_of,
)
from tasks.scoring.result import INFRASTRUCTURE, Result


@dataclass(frozen=True, slots=True)
class EpisodeToScore:
    """An ended episode in the list.

    sampled: people are asked about it; scored: metrics that somebody scored; waiting: those that nobody did. Both are
    known of the sample only.
    """

    chosen: SampledEpisode
    sampled: bool = False
    scored: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunToScore:
    """A run with its ended episodes, those of the sample first."""

    id: str
    benchmark: str
    fictional: bool
    episodes: tuple[EpisodeToScore, ...]


@dataclass(frozen=True, slots=True)
class ReviewMetric:
    """One thing to score: its name, the best value of its scale, and the words by which graders are told how."""

    metric: str
    scale: float
    rubric: str = ""


@dataclass(frozen=True, slots=True)
class EpisodeReview:
    """An ended episode with all that a scorer needs. `held`: a person still plays this task, so its gold stays
    hidden."""

    path: Path
    chosen: SampledEpisode
    question: Any
    env: Env | None
    events: tuple[Event, ...]
    result: Result
    seed: int
    asked: tuple[ReviewMetric, ...]
    rows: tuple[ScoreRow, ...]
    held: bool = False


@dataclass(frozen=True, slots=True)
class MetricScore:
    """One score of a metric: who gave it, person or grader, and why. `counts`: it is the newest word of its
    author."""

    author: str
    person: bool
    value: float | None
    reason: str
    counts: bool


def ended(path: Path) -> bool:
    """Whether every episode of a run is over."""
    with Journal.open(path) as journal:
        return all(stopped_of(journal, attempts[-1].id) is not None for _, attempts in journal.walk())


def tasks_in_play(path: Path) -> frozenset[str]:
    """Tasks of a run that a person plays in the tested seat and has not finished."""
    with Journal.open(path) as journal:
        states = (fold(read_episode(journal, row.id)) for row in _open(journal))
        return frozenset(state.task_id for state in states if _held(state))


def _open(journal: Journal) -> Iterator[EpisodeRow]:
    for row, attempts in journal.walk():
        if stopped_of(journal, attempts[-1].id) is None:
            yield row


def _held(state: State) -> bool:
    seated = state.seats.get(SEAT)
    return state.stopped is None and seated is not None and seated.engine == HUMAN


def read_run(path: Path) -> RunToScore:
    """The ended episodes of a run: the sample of each group first, with what is scored and what waits.

    Raises:
        StoreError: the run or its task file is gone.
        RecordMismatch: the task file is not the one of the run.
    """
    with Journal.open(path) as journal:
        header = header_of(journal)
        bench, questions = _questions(header)
        every = sample(journal, share=1.0, seed=SEED)
        asked = _sampled(every)
        of_episode = {one.episode: one for one in every}
        lines = [_line(journal, bench, questions, of_episode[name]) for name in asked]
        rest = [
            EpisodeToScore(of_episode[row.id])
            for row in journal.episodes()
            if row.id in of_episode and row.id not in asked
        ]
    return RunToScore(str(header.get("run", path.stem)), bench.name, is_fictional(header), (*lines, *rest))


def _questions(header: HeaderData) -> tuple[Benchmark, dict[str, Any]]:
    bench = benchmark(str(header["spec"]["benchmark"]))
    return bench, {question.id: question for question in bench.load(stored_task_file(header))}


def _sampled(every: Sequence[SampledEpisode]) -> list[str]:
    groups: dict[str, list[str]] = {}
    for one in every:
        groups.setdefault(one.group, []).append(one.episode)
    return [name for members in groups.values() for name in drawn(members, SHARE, SEED)]


def _line(journal: Journal, bench: Benchmark, questions: Mapping[str, Any], chosen: SampledEpisode) -> EpisodeToScore:
    question = questions.get(chosen.task_id)
    if question is None:
        return EpisodeToScore(chosen, True)
    state = fold(read_episode(journal, chosen.episode))
    asked = [one.metric for one in review_metrics(bench, question, bench.result(chosen.task_id, 0, state), state)]
    told = {metric for _, _, metric in newest(journal.scores(chosen.attempt))}
    scored = tuple(name for name in [*asked, *sorted(told - set(asked))] if name in told)
    return EpisodeToScore(chosen, True, scored, tuple(name for name in asked if name not in told))


def review_metrics(bench: Benchmark, question: Any, result: Result, state: State) -> tuple[ReviewMetric, ...]:
    """What a person may score of an episode: what graders are asked, and how far simulated roles kept to their
    part."""
    gradings = bench.gradings(question, result)
    found = {
        name: ReviewMetric(name, scale_of(name), rubric_of(grading.text))
        for grading in gradings
        for name in grading.failed
    }
    if isinstance(question, CourtQuestion) and result.scored:
        for role in _played(question, state):
            name = CONSISTENCY + role
            found.setdefault(name, ReviewMetric(name, scale_of(name), rubric_of(load(CONSISTENCY_PROMPT))))
    return tuple(found.values())


def _played(question: CourtQuestion, state: State) -> list[str]:
    env = question.case.env
    events = [record.event for record in state.records]
    spoke = {turn.speaker for turn in spoken(events, env) if turn.number > 0}
    people = {role_of(env, event.seat) for event in events if isinstance(event, Seated) and event.engine == HUMAN}
    return [role for role in simulated(question.case) if role in spoke - people]


def rubric_of(prompt: str) -> str:
    """What a grader is told about the scale: the prompt before the first text that it is given."""
    return prompt.partition("\n【")[0].strip()


def read_review(path: Path, episode: str) -> EpisodeReview:
    """One ended episode.

    Raises:
        UsageError: it has not come to an end of its own, or its task is not in the task file.
        StoreError, RecordMismatch: as for `read_run`.
    """
    with Journal.open(path) as journal:
        header = header_of(journal)
        bench, questions = _questions(header)
        row = next((row for row in journal.episodes() if row.id == episode), None)
        state = fold(read_episode(journal, episode)) if row is not None else State()
        if row is None or state.stopped is None or state.stopped.outcome in INFRASTRUCTURE:
            raise UsageError(t("review_screen.not_ended", episode=episode), t("review_screen.not_ended.hint"))
        question, attempt = questions.get(row.task_id), journal.attempts(row.id)[-1].id
        if question is None:
            raise UsageError(t("review_screen.no_task", task=row.task_id), t("review_screen.no_task.hint"))
        chosen = SampledEpisode(
            row.id, row.task_id, group_of(row.task_id, state.card), 0, state.stopped.outcome, attempt, ()
        )
        others = (fold(read_episode(journal, row.id)) for row in journal.episodes() if row.task_id == chosen.task_id)
        held = any(map(_held, others))
        rows = tuple(journal.scores(chosen.attempt))
    result = bench.result(chosen.task_id, 0, state)
    return EpisodeReview(
        path, chosen, question, env_of(state.card), tuple(record.event for record in state.records), result,
        state.seed, review_metrics(bench, question, result, state), rows, held,
    )  # fmt: skip


def append(review: EpisodeReview, metric: str, value: float, author: str, reason: str) -> EpisodeReview:
    """Append a score to the journal of a run, which is open for writing while that is done only; the episode as it is
    then.

    Raises:
        UsageError: as for `tasks.scoring.human.add_score`.
        StoreError: the run is being written by somebody else.
    """
    with Journal.open(review.path, write=True) as journal:
        add_score(journal, review.chosen.episode, metric, value, author, reason)
        return replace(review, rows=tuple(journal.scores(review.chosen.attempt)))


def given(rows: Iterable[ScoreRow], metric: str) -> list[MetricScore]:
    """What persons and graders said of a metric, oldest first."""
    rows = list(rows)
    newest_of = newest(rows)
    found = []
    for row in rows:
        if row.scorer not in (SCORER, GRADER) or not isinstance(row.value, Mapping) or metric not in row.value:
            continue
        value, person = row.value[metric], row.scorer == SCORER
        known = isinstance(value, int | float) and math.isfinite(value)
        counts = newest_of.get((row.attempt, row.author, metric)) is row if person else known
        found.append(MetricScore(row.author, person, value if known else None, _reason(row, metric), counts))
    return found


def _reason(row: ScoreRow, metric: str) -> str:
    kept = [one for one in row.evidence if isinstance(one, Mapping)] if isinstance(row.evidence, list) else []
    about = next((one for one in kept if one.get("verdict") in (metric, None)), {})
    return str(about.get("reason") or about.get("failed") or "")


def visible_to(rows: Iterable[ScoreRow], metric: str, author: str) -> tuple[list[MetricScore], int]:
    """What somebody may see of the scores of a metric, and how many stay hidden: all others' until the own one is
    given."""
    every = given(rows, metric)
    own = [one for one in every if one.person and one.author == author]
    return (every, 0) if own else ([], len(every))
