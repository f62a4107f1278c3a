"""Episodes of a run that goes on: which are over, what is left of the others, and how each is taken up when its turn
comes.

An engine or a task that is not what it was when the record was made is refused before anything is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from models.errors import BadEngine
from store.errors import StoreError
from store.journal import EpisodeRow
from tasks.episode.driver import INFRASTRUCTURE, Driver
from tasks.episode.events import AttemptStarted, Record, Seated
from tasks.episode.program import Program
from tasks.episode.records import record_of
from tasks.episode.state import completed, fold
from tasks.errors import RecordMismatch, UsageError
from tasks.run.header import description_hash, header_of
from tasks.run.opened import Run, roomed
from tasks.run.plan import limits_of
from tasks.run.reading import stopped_of


def sit(run: Run, episode: str, seats: Mapping[str, Seated], check: bool = True) -> None:
    """Open the engines of the seats of an episode that goes on; with `check`, refuse one that differs from its
    record."""
    header = header_of(run.journal)["engines"]
    for sits in seats.values():
        try:
            run.open(sits.engine)
        except (BadEngine, StoreError) as error:
            raise UsageError(
                f"episode {episode}: the engine of seat {sits.seat} cannot be opened: {error.title}",
                error.hint
                or "Bring it back, or seat somebody else: `moot fork RUN EPISODE --turn K --seat ROLE=rules`.",
            ) from error
        known = header.get(sits.engine)
        recorded = sits.described or (description_hash(known) if known else "")
        if check and recorded and recorded != run.described(sits).described:
            raise RecordMismatch(
                f"engine {sits.engine} differs from its record", "Use the recorded file, or --new-attempt."
            )


def _program(run: Run) -> Program:
    if run.program is None:
        run.program = run.bench.program(run.pack, run.questions, run.spec)
    return run.program


def driver_of(run: Run, episode: str, attempt: int) -> Driver:
    """The driver of an attempt, which knows nothing of it yet."""
    scheduler = run.scheduler
    return Driver(
        episode, attempt, _program(run), scheduler.clock, scheduler.stopwatch, limits_of(run.bench, run.spec)
    )


def read_over(run: Run, episode: str) -> Driver:
    """An episode that is over, as its record has it."""
    attempt = run.journal.attempts(episode)[-1].id
    driver = driver_of(run, episode, attempt)
    driver.load([record_of(entry) for entry in run.journal.entries(attempt)])
    return driver


def look_at(run: Run, row: EpisodeRow, attempt: int) -> None:
    """Note how an episode of a run that goes on stands; what would keep it from going on is said at once."""
    run.rows[row.id] = row
    run.scheduler.episodes.expect((row.id,))
    if row.task_id not in run.by_id:
        raise RecordMismatch(f"task {row.task_id} is not in the task file any more", "Use the recorded file.")
    stopped = stopped_of(run.journal, attempt)
    if stopped is not None and not stopped.reason.startswith(INFRASTRUCTURE):
        run.scheduler.episodes.over(row.id, stopped.outcome, stopped.reason)
    else:
        _Left.of(run, row.id)


@dataclass(frozen=True, slots=True)
class _Left:
    """What is left of an episode that goes on: the records that stand, and whether its last attempt failed, or
    nothing of it counts any more."""

    attempt: int
    records: list[Record]
    kept: list[Record]
    failed: str
    anew: bool

    @classmethod
    def of(cls, run: Run, episode: str) -> _Left:
        """From the record of its last attempt; what is seated must be here, and be what it was."""
        row, journal = run.rows[episode], run.journal
        question, attempt = run.by_id[row.task_id], journal.attempts(episode)[-1].id
        records = [record_of(entry) for entry in journal.entries(attempt)]
        state = fold(records)
        if records and state.card and state.card != question.card and state.stopped is None:
            raise RecordMismatch(f"task {row.task_id} differs from its record", "Use the recorded task file.")
        anew = state.stopped is None and (run.new_attempt or not records)
        kept = completed(records, state.steps - 1) if state.stopped is not None else records
        seats = {s.seat: s for s in run.cast.at(question)} if anew else fold(kept).seats
        sit(run, episode, seats, check=not run.new_attempt)
        return cls(attempt, records, kept, state.stopped.reason if state.stopped else "", anew)


def taken_up(run: Run, episode: str) -> Driver:
    """An episode that begins or goes on: its first attempt, the one that was left, or another after one that
    failed."""
    left = _Left.of(run, episode)
    attempt = left.attempt
    if left.failed or (left.anew and left.records):
        attempt = run.journal.begin_attempt(episode, left.failed or "new attempt").id
    driver = driver_of(run, episode, attempt)
    if left.anew:
        _begin(run, driver)
    else:
        driver.load(left.kept)
    if left.failed:
        driver.fresh.extend(left.kept)
        run.scheduler.add(driver)
    return driver


def _begin(run: Run, driver: Driver) -> None:
    """The setting up: not committed alone but together with the first step."""
    row, spec = run.rows[driver.episode], run.spec
    question, number = run.by_id[row.task_id], len(run.journal.attempts(row.id))
    started = AttemptStarted(
        benchmark=spec.benchmark, task_id=row.task_id, attempt=number, seed=spec.seed + row.epoch, card=question.card
    )
    driver.note(started, step=0)
    for sits in run.cast.at(question):
        driver.note(roomed(sits, run.engines), step=0)
