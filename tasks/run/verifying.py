"""Running a stored episode again against its record: the proof that the record says all that happened."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from store.errors import Damaged
from store.journal import Journal
from tasks.episode.driver import Driver
from tasks.episode.events import Record
from tasks.episode.program import Program
from tasks.episode.state import completed
from tasks.errors import RecordMismatch
from tasks.run.engines import run_path
from tasks.run.header import header_of, refuse_imported
from tasks.run.reading import episode_of, read_episode
from tasks.run.stored import program_of


def verify(name: str | Path, episode: str | None = None) -> dict[str, int]:
    """Run an episode, or all of a run, again against the record and compare every event; returns the number of steps
    that agree, by episode.

    Raises:
        RecordMismatch: they differ. Damaged: an event holds half a character, which no run of ours has written.
        UsageError: the run was played elsewhere, and is only shown here.
    """
    with Journal.open(run_path(name)) as journal:
        header = header_of(journal)
        refuse_imported(header)
        names = [row.id for row in journal.episodes()] if episode is None else [episode_of(journal, episode)[0].id]
        with program_of(header) as program:
            return {one: _verified(one, read_episode(journal, one), program) for one in names}


def _verified(episode: str, records: Sequence[Record], program: Program) -> int:
    try:
        return _played(episode, records, program)
    except UnicodeEncodeError:
        raise Damaged(f"an event of episode {episode} holds half a character", "Use an earlier copy.") from None


def _played(episode: str, records: Sequence[Record], program: Program) -> int:
    driver = Driver(episode, 0, program, time.time, time.perf_counter)
    driver.recorded = list(completed(records))
    while driver.recorded:
        event = driver.recorded[0].event
        if driver.recorded[0].step == 0 or event.tag in ("seated", "limit_hit") or driver.stopped:
            driver.note(event, driver.recorded[0].parent)
        elif event.tag == "stopped":
            driver.note(event)
        else:
            driver.advance()
        if driver.ask is not None:
            raise RecordMismatch(f"episode {driver.episode}: the record ends inside a step", "Resume the run first.")
    if driver.fresh:
        raise RecordMismatch(
            f"episode {driver.episode}: running it again yields more than its record", "See `moot show`."
        )
    return driver.state.steps
