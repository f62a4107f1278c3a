"""Reading runs: run files, the records of an episode, the attempts with their score rows and what they sum up to, the
verdicts of graders. Nothing is written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
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
from tasks.run.header import header_of
from tasks.scoring.added import added_rows, with_added
from tasks.scoring.bertscore import SCORER as BERTSCORE
from tasks.scoring.bertscore import with_closeness
from tasks.scoring.context import Grade, ScoreContext
from tasks.scoring.metrics import Summary
from tasks.scoring.result import Result, Scored, newest

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


def answered_by_people(journal: Journal) -> frozenset[int]:
    """The attempts in which a person answered from the tested seat, whoever the header names."""
    calls = journal.holding(ModelCalled.tag, '"human":true')
    return frozenset(attempt for attempt, data in calls if data.get("human") is True and data.get("seat") == SEAT)


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


def attempts_of(journal: Journal, bench: Benchmark, only: Collection[str] | None = None) -> Iterator[Scored]:
    """The last attempts at the episodes of a run, all or those alone, in order, with their score rows on record. Each
    is read when it is looked at: memory does not grow with the run."""
    for row, attempts in journal.walk():
        if only is None or row.id in only:
            state, last = fold(read_episode(journal, row.id)), attempts[-1].id
            result = bench.result(row.task_id, row.epoch, state)
            yield Scored(result, newest(journal.scores(last)), last, state.stopped is not None)


AUXILIARY = frozenset({HUMAN, GRADER, BERTSCORE})
"""Scorers whose word stands beside the rules: an attempt that has no other is not scored yet."""


def is_scored(scorers: Iterable[str]) -> bool:
    """Whether the rules have scored an attempt that has rows of these scorers."""
    return not AUXILIARY.issuperset(scorers)


def score(
    bench: Benchmark, attempt: int, question: Question, result: Result, context: ScoreContext
) -> list[ScoreRow]:
    """The rows of an attempt: by the rules of its benchmark, and by the scorers of packages."""
    rows = bench.score_rows(attempt, question, result, context)
    return [*rows, *added_rows(bench.name, attempt, question, result)]


def scored(
    bench: Benchmark, questions: Iterable[Question], attempts: Iterable[Scored], context: ScoreContext
) -> Iterator[Scored]:
    """The attempts at these questions; one that the rules have not scored yet (it is open, or comes from elsewhere)
    is scored as it stands, and nothing is written."""
    known = {question.id: question for question in questions}
    for one in attempts:
        if (question := known.get(one.result.task_id)) is not None:
            rows = {} if is_scored(one.rows) else newest(score(bench, one.attempt, question, one.result, context))
            yield replace(one, rows={**one.rows, **rows})


def summarise(
    journal: Journal,
    bench: Benchmark,
    questions: Sequence[Question],
    context: ScoreContext,
    only: Collection[str] | None = None,
) -> Summary:
    """What a run came to, made of the score rows of its last attempts; `questions`: those that were asked; `only`:
    episodes, all where it is None."""

    def attempts() -> Iterator[Scored]:
        return scored(bench, questions, attempts_of(journal, bench, only), context)

    made = bench.summary(str(header_of(journal)["run"]), questions, attempts(), context)
    clusters = {one.id: one.cluster for one in questions}
    return with_closeness(with_added(made, clusters, attempts), clusters, journal)


def grades(journal: Journal) -> dict[tuple[str, int], Grade]:
    """(task id, epoch) -> the newest verdicts of graders on the last attempt of an episode; a failure hides no
    verdict."""
    found: dict[tuple[str, int], Grade] = {}
    for row, attempts in journal.walk():
        merged: dict[str, float | None] = {}
        for score in journal.scores(attempts[-1].id):
            if score.scorer == GRADER and isinstance(score.value, dict):
                merged |= {
                    name: value for name, value in score.value.items() if value is not None or name not in merged
                }
        if merged:
            found[row.task_id, row.epoch] = merged
    return found
