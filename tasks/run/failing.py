"""Why the attempts of a stored run failed: each episode, and how often each class. Reads, and writes nothing.

Of an episode its last attempt counts. A benchmark that does not tell failures itself is read by what every record
tells: why an episode did not come to its end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from store.journal import EpisodeRow, Journal, ScoreRow
from tasks.benchmark import Benchmark, Question
from tasks.episode.state import State, fold
from tasks.errors import UsageError
from tasks.run.comparing import side_of
from tasks.run.engines import LATEST
from tasks.run.listing import runs
from tasks.run.reading import episode_of, human_steps, read_episode
from tasks.run.rescoring import StoredRun, read_stored
from tasks.scoring.failures import CLASSES, STATUSES, VERSION, Diagnosis, Status, generic


@dataclass(frozen=True, slots=True)
class EpisodeFailure:
    """An episode and why it failed."""

    episode: str
    task: str
    epoch: int
    group: str
    outcome: str
    verdict: Diagnosis

    def data(self) -> dict[str, object]:
        """As JSON data."""
        main = self.verdict.main
        return {
            "episode": self.episode, "task": self.task, "epoch": self.epoch, "group": self.group,
            "outcome": self.outcome,
            "status": self.verdict.status,
            "main": main.failure if main else None,
            "step": main.step if main else None,
            "from_summary": self.verdict.from_summary,
            "findings": [finding.data() for finding in self.verdict.findings],
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class ClassCount:
    """A class in a run. main: failed episodes of which it is the main reason; any: those to which it applies;
    example: the first of `main`, else of `any`; step: where it shows the class."""

    name: str
    main: int
    any: int
    example: EpisodeFailure | None
    step: int = 0


@dataclass(frozen=True, slots=True)
class RunFailures:
    """Why the episodes of a run failed. tells: the classes that its benchmark can tell; left_out: the episodes in
    which a person answered for the policy that is tested."""

    run: str
    benchmark: str
    tells: Sequence[str]
    episodes: Sequence[EpisodeFailure]
    left_out: Sequence[str] = ()

    @property
    def failed(self) -> int:
        """How many failed."""
        return self.statuses["failed"]

    @property
    def statuses(self) -> Mapping[Status, int]:
        """Status -> episodes."""
        count = Counter(one.verdict.status for one in self.episodes)
        return {name: count[name] for name in STATUSES}

    @property
    def counts(self) -> list[ClassCount]:
        """The classes that the benchmark tells, most frequent main reasons first."""
        made = [self._count(one.name) for one in CLASSES if one.name in self.tells]
        return sorted(made, key=lambda one: (-one.main, -one.any))

    @property
    def main_reasons(self) -> dict[str, int]:
        """Class -> how many episodes failed for it above all, most frequent first; those alone that occur."""
        return {one.name: one.main for one in self.counts if one.main}

    def _count(self, name: str) -> ClassCount:
        every = [(one, found) for one in self.episodes for found in one.verdict.findings if found.failure == name]
        every = list({one.episode: (one, found) for one, found in reversed(every)}.values())[::-1]
        main = [(one, found) for one, found in every if one.verdict.main and one.verdict.main.failure == name]
        example, found = next(iter(main or every), (None, None))
        return ClassCount(name, len(main), len(every), example, found.step if found else 0)

    def data(self) -> dict[str, object]:
        """As JSON data: shares are of the failed episodes."""
        n = self.failed
        return {
            "run": self.run, "benchmark": self.benchmark, "version": VERSION, "n": len(self.episodes),
            "statuses": dict(self.statuses),
            "classes": {
                one.name: {
                    "main": one.main, "any": one.any, "share": one.main / n if n else None,
                    "example": {"episode": one.example.episode, "step": one.step} if one.example else None,
                }
                for one in self.counts
            },
            "not_told": [one.name for one in CLASSES if one.name not in self.tells],
            "left_out": list(self.left_out),
        }  # fmt: skip


def why(bench: Benchmark, question: Question | None, state: State, rows: Sequence[ScoreRow] = ()) -> Diagnosis:
    """Why an attempt failed; where the question is not at hand by what every record tells. rows: what scorers have
    stored of it."""
    return generic(state) if question is None else bench.failure(question, state, rows)


def reason_of(journal: Journal, row: EpisodeRow, bench: Benchmark, question: Question | None) -> EpisodeFailure:
    """The same of an episode of an open journal: reads its last attempt, and is quick enough for a screen."""
    state = fold(read_episode(journal, row.id))
    rows = journal.scores(journal.attempts(row.id)[-1].id)
    outcome = state.stopped.outcome if state.stopped else ""
    group = question.group if question else ""
    return EpisodeFailure(row.id, row.task_id, row.epoch, group, outcome, why(bench, question, state, rows))


def failures_of(run: str | Path | StoredRun, episode: str | None = None) -> RunFailures:
    """Why the episodes of a run failed, without those that a person answered in; or why one of them did.

    Raises:
        NotFound: the run has no such episode.
        StoreError, TaskError: the run or its task file cannot be read.
    """
    stored = run if isinstance(run, StoredRun) else read_stored(run)
    questions: dict[str, Question] = {question.id: question for question in stored.questions}
    with Journal.open(stored.path) as journal:
        left_out = [one.episode for one in human_steps(journal).values() if not one.counted]
        every = (row for row, _ in journal.walk() if row.id not in left_out)
        rows = every if episode is None else [episode_of(journal, episode)[0]]
        found = [reason_of(journal, row, stored.bench, questions.get(row.task_id)) for row in rows]
    name = str(stored.header["run"])
    return RunFailures(name, stored.bench.name, stored.bench.failures, found, left_out)


def failed_tasks(name: str, benchmark: str) -> tuple[str, tuple[str, ...]]:
    """The id of a run, and the tasks of it that failed, in its order; `latest` is the newest run of the benchmark.

    A task failed where an attempt did not finish, or is no full success by the strict rule; also where that rule says
    nothing of it. Of several repeats one that failed is enough.

    Raises:
        UsageError: the run is of another benchmark, or no task failed in it.
        NotFound: there is no such run.
        StoreError, TaskError: the run or its task file cannot be read.
    """
    newest = (line.path for line in runs() if line.benchmark == benchmark) if name == LATEST else iter(())
    side, _ = side_of(next(newest, name))
    if side.bench.name != benchmark:
        raise UsageError(
            f"run '{side.run}' is one of {side.bench.name}, not of {benchmark}", "Name a run of the same benchmark."
        )
    failed = tuple(
        task
        for task, attempts in side.tasks.items()
        if any(one.outcome != "finished" or one.whole("strict") != 1.0 for one in attempts)
    )
    if not failed:
        raise UsageError(f"no task failed in run {side.run}", "There is nothing to play again.")
    return side.run, failed
