"""Reading runs: run files, the records of an episode, the attempts with their score rows and what they sum up to, the
verdicts of graders. Nothing is written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from store import places
from store.errors import NotFound
from store.journal import SUFFIX, EpisodeRow, Journal, ScoreRow
from tasks.benchmark import Benchmark, Question
from tasks.episode.events import ModelCalled, Record, Stopped, record_of
from tasks.episode.scheduler import HUMAN
from tasks.episode.state import fold
from tasks.episode.with_tools import SEAT
from tasks.run.header import header_of, spec_of, tested
from tasks.scoring.added import added_rows, with_added
from tasks.scoring.bertscore import SCORER as BERTSCORE
from tasks.scoring.bertscore import with_closeness
from tasks.scoring.metrics import Summary
from tasks.scoring.result import Grade, HumanSteps, Result, ScoreContext, ScoredAttempt, newest

GRADER = "grader"
"""The scorer under which a grader's word stands in the journal."""


def list_runs() -> list[Path]:
    """All run files, newest first."""
    folder = places.runs()
    if not folder.is_dir():
        return []
    return sorted(folder.glob(f"*{SUFFIX}"), key=_changed, reverse=True)


def _changed(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0


def stopped_of(journal: Journal, attempt: int) -> Stopped | None:
    """How an attempt ended, None while it has not; reads no more than its end."""
    for entry in journal.tail(attempt, Stopped.tag)[:1]:
        if isinstance(event := record_of(entry).event, Stopped):
            return event
    return None


def human_steps(journal: Journal) -> dict[int, HumanSteps]:
    """What people did in the last attempts of a run, by attempt, whoever the header names; {} where nobody did."""
    found: dict[int, dict[str, dict[int, None]]] = {}
    for attempt, step, data in journal.holding(ModelCalled.tag, '"human":true'):
        if data.get("human") is True:
            found.setdefault(attempt, {}).setdefault(str(data.get("seat")), {})[step] = None
    if not found:
        return {}
    header = header_of(journal)
    spec = header.get("spec") or {}
    sits = {**(spec.get("seats") or {}), SEAT: HUMAN if HUMAN in tested(header) else ""}
    of_figures = [seat for seat in (SEAT, spec.get("measured") or SEAT) if sits.get(seat) != HUMAN]
    made = {}
    for row, attempts in journal.walk():
        if attempts and (own := found.get(attempts[-1].id)):
            steps = {seat: list(numbers) for seat, numbers in own.items()}
            made[attempts[-1].id] = HumanSteps(row.id, steps, not any(seat in own for seat in of_figures))
    return made


def steps_by_people(records: Iterable[Record]) -> frozenset[int]:
    """The steps of an attempt in which a person spoke or acted, in whichever seat."""
    return frozenset(one.step for one in records if isinstance(one.event, ModelCalled) and one.event.human)


def episode_of(journal: Journal, episode: str) -> tuple[EpisodeRow, list[Record]]:
    """The row of an episode and the records of its last attempt.

    Raises:
        NotFound: the run has no such episode.
    """
    rows = {row.id: row for row in journal.episodes()}
    row = rows.get(episode)
    if row is None:
        raise NotFound(
            f"no episode '{episode}' in {journal.path.name}", f"It has {len(rows)}: `moot show RUN` lists them."
        )
    return row, read_episode(journal, episode)


def read_episode(journal: Journal, episode: str, attempt: int | None = None) -> list[Record]:
    """The records of an episode: its last attempt, or the attempt with this number."""
    attempts = journal.attempts(episode)
    if not attempts:
        raise NotFound(f"no episode '{episode}' in {journal.path.name}", "`moot show RUN` lists its episodes.")
    chosen = [a for a in attempts if attempt is None or a.number == attempt]
    if not chosen:
        raise NotFound(f"episode {episode} has no attempt {attempt}", f"It has {len(attempts)}.")
    return [record_of(entry) for entry in journal.entries(chosen[-1].id)]


def attempts_of(journal: Journal, bench: Benchmark, only: Collection[str] | None = None) -> Iterator[ScoredAttempt]:
    """The last attempts at the episodes of a run, all or those alone, in order, with their score rows on record. Each
    is read when it is looked at: memory does not grow with the run."""
    for row, attempts in journal.walk():
        if only is None or row.id in only:
            yield _attempt(journal, bench, row, attempts[-1].id)


def _attempt(journal: Journal, bench: Benchmark, row: EpisodeRow, attempt: int) -> ScoredAttempt:
    state = fold([record_of(entry) for entry in journal.entries(attempt)])
    result = bench.result(row.task_id, row.epoch, state)
    return ScoredAttempt(result, newest(journal.scores(attempt)), attempt, state.stopped is not None)


AUXILIARY = frozenset({HUMAN, GRADER, BERTSCORE})
"""Scorers whose word stands beside the rules: an attempt that has no other is not scored yet."""


def is_scored(rows: Mapping[str, ScoreRow], versions: Mapping[str, str]) -> bool:
    """Whether the rules have scored an attempt, in the versions that they have today: another one gave other values,
    or said less. rows: see `newest`; versions: those of its benchmark, `Benchmark.scorers`."""
    same = all(row.version == versions.get(scorer, row.version) for scorer, row in rows.items())
    return same and not AUXILIARY.issuperset(rows)


def score(
    bench: Benchmark, attempt: int, question: Question, result: Result, context: ScoreContext
) -> list[ScoreRow]:
    """The rows of an attempt: by the rules of its benchmark, and by the scorers of packages."""
    rows = bench.score_rows(attempt, question, result, context)
    return [*rows, *added_rows(bench.name, attempt, question, result)]


def scored(
    bench: Benchmark, questions: Iterable[Question], attempts: Iterable[ScoredAttempt], context: ScoreContext
) -> Iterator[ScoredAttempt]:
    """The attempts at these questions; one that the rules of today have not scored (it is open, comes from elsewhere,
    was left by a kill or scored by an older version) is scored as it stands, and nothing is written."""
    known = {question.id: question for question in questions}
    for one in attempts:
        if (question := known.get(one.result.task_id)) is not None:
            there = is_scored(one.rows, bench.scorers)
            rows = {} if there else newest(score(bench, one.attempt, question, one.result, context))
            yield replace(one, rows={**one.rows, **rows})


def rows_of(
    journal: Journal, bench: Benchmark, row: EpisodeRow, attempt: int, question: Question | None
) -> Mapping[str, ScoreRow]:
    """The rows of an attempt by scorer, as `scored` has them; its events are read only where it is over and has to be
    scored. An open one has none, nor has one whose question is not known."""
    kept = journal.scores(attempt)
    rows = newest(kept)
    if question is None or is_scored(rows, bench.scorers) or stopped_of(journal, attempt) is None:
        return rows
    graded, spec = {(row.task_id, row.epoch): grade_of(kept)}, spec_of(header_of(journal))
    attempts = [_attempt(journal, bench, row, attempt)]
    (one,) = scored(bench, [question], attempts, ScoreContext(graded=graded, spec=spec))
    return one.rows


def summarise(
    journal: Journal,
    bench: Benchmark,
    questions: Sequence[Question],
    context: ScoreContext,
    only: Collection[str] | None = None,
) -> Summary:
    """What a run came to, made of the score rows of its last attempts; `questions`: those that were asked; `only`:
    episodes, all where it is None. Where a person answered for the policy that is tested, no figure counts the
    episode; `Summary.people` names it, and the flag `human` counts it."""
    people = [one for one in human_steps(journal).values() if only is None or one.episode in only]
    if left_out := {one.episode for one in people if not one.counted}:
        rows = [row for row, _ in journal.walk() if row.id not in left_out and (only is None or row.id in only)]
        only, asked = {row.id for row in rows}, {row.task_id for row in rows}
        questions = [question for question in questions if question.id in asked]

    def attempts() -> Iterator[ScoredAttempt]:
        return scored(bench, questions, attempts_of(journal, bench, only), context)

    made = bench.summary(str(header_of(journal)["run"]), questions, attempts(), context)
    clusters = {one.id: one.cluster for one in questions}
    made = with_closeness(with_added(made, clusters, attempts), clusters, journal, only)
    flags = {**made.tally.flags, "human": len(left_out)} if left_out else made.tally.flags
    return replace(made, tally=replace(made.tally, flags=flags), people=tuple(people))


def grades(journal: Journal) -> dict[tuple[str, int], Grade]:
    """(task id, epoch) -> the newest verdicts of graders on the last attempt of an episode."""
    found = (((row.task_id, row.epoch), journal.scores(attempts[-1].id)) for row, attempts in journal.walk())
    return {key: grade for key, rows in found if (grade := grade_of(rows))}


def grade_of(rows: Iterable[ScoreRow]) -> Grade:
    """The newest verdicts of graders among the rows of an attempt; a failure hides no verdict."""
    merged: dict[str, float | None] = {}
    for row in rows:
        if row.scorer == GRADER and isinstance(row.value, dict):
            merged |= {name: value for name, value in row.value.items() if value is not None or name not in merged}
    return merged
