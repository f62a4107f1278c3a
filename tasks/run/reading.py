"""Reading runs: run files, the records of an episode, what its episodes came to, the verdicts of graders. Nothing is
written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import overload

from store import places
from store.errors import NotFound
from store.journal import SUFFIX, EpisodeRow, Journal
from tasks.benchmark import Benchmark
from tasks.episode.events import ModelCalled, Record, Stopped, record_of
from tasks.episode.state import fold
from tasks.episode.with_tools import SEAT
from tasks.scoring.context import Grade
from tasks.scoring.result import Result

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


class Results(Sequence[Result]):
    """What the episodes of a run came to, the last attempt of each, in order. Each look at one reads it from the
    journal: a run of any length takes no more memory than its longest episode."""

    def __init__(
        self,
        opened: Callable[[], AbstractContextManager[Journal]],
        bench: Benchmark,
        only: Collection[str] | None = None,
    ) -> None:
        """Of the journal that `opened` gives, for the time of each look; only those episodes, or all."""
        self._opened = opened
        self._bench = bench
        self._only = only

    def __len__(self) -> int:
        with self._opened() as journal:
            return journal.count() if self._only is None else len(self._only)

    def __iter__(self) -> Iterator[Result]:
        with self._opened() as journal:
            for row, _ in journal.walk():
                if self._only is None or row.id in self._only:
                    yield self._result(journal, row)

    @overload
    def __getitem__(self, place: int) -> Result: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Result]: ...
    def __getitem__(self, place: int | slice) -> Result | Sequence[Result]:
        with self._opened() as journal:
            rows = [row for row in journal.episodes() if self._only is None or row.id in self._only][place]
            return (
                [self._result(journal, row) for row in rows]
                if isinstance(rows, list)
                else self._result(journal, rows)
            )

    def _result(self, journal: Journal, row: EpisodeRow) -> Result:
        return self._bench.result(row.task_id, row.epoch, fold(read_episode(journal, row.id)))


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
