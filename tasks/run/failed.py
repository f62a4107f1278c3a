"""Which tasks failed in a stored run, so that they alone can be played again."""

from __future__ import annotations

from tasks.errors import UsageError
from tasks.run.comparing import Attempt, side_of
from tasks.run.engines import LATEST
from tasks.run.listing import runs

FINISHED = "finished"


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
    failed = tuple(task for task, attempts in side.tasks.items() if not all(map(_solved, attempts)))
    if not failed:
        raise UsageError(f"no task failed in run {side.run}", "There is nothing to play again.")
    return side.run, failed


def _solved(attempt: Attempt) -> bool:
    return attempt.outcome == FINISHED and attempt.whole("strict") == 1.0
