"""Running a stored episode again against its record: the proof that the record says all that happened."""

from __future__ import annotations

import time
from pathlib import Path

from store.errors import Damaged
from tasks.episode.driver import Driver
from tasks.episode.state import completed
from tasks.errors import RecordMismatch
from tasks.run.stored import Stored


def verify_episode(name: str | Path, episode: str) -> int:
    """Run an episode again against its record and compare every event; returns the number of steps that agree.

    Raises:
        RecordMismatch: they differ. Damaged: an event holds half a character, which no run of ours has written.
    """
    stored = Stored.of(name, episode)
    try:
        return _verified(stored)
    except UnicodeEncodeError:
        raise Damaged(f"an event of episode {episode} holds half a character", "Use an earlier copy.") from None


def _verified(stored: Stored) -> int:
    with stored.program() as program:
        driver = Driver(stored.row.id, 0, program, time.time, time.perf_counter)
        driver.recorded = list(completed(stored.records))
        while driver.recorded:
            event = driver.recorded[0].event
            if driver.recorded[0].step == 0 or event.tag in ("seated", "limit_hit") or driver.stopped:
                driver.note(event, driver.recorded[0].parent)
            elif event.tag == "stopped":
                driver.note(event)
            else:
                driver.advance()
            if driver.ask is not None:
                raise RecordMismatch(
                    f"episode {driver.episode}: the record ends inside a step", "Resume the run first."
                )
        if driver.fresh:
            raise RecordMismatch(
                f"episode {driver.episode}: running it again yields more than its record", "See `moot show`."
            )
        return driver.state.steps
