"""Runs that other processes play, in the list of runs: which they are, and how far they have come. Slow; called from
workers."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from app.library import RunLine
from store import places
from store.errors import StoreError
from store.writer import Writer, writer_of, writers
from tasks.episode.episodes import UNFINISHED
from tasks.run.following import standing


def is_played(path: Path) -> bool:
    """Whether another process plays a run at this moment."""
    writer = writer_of(path)
    return writer is not None and writer.process != os.getpid()


def played() -> dict[str, Writer]:
    """The runs of the list that other processes play, by file name."""
    return {name: one for name, one in writers(places.runs()).items() if one.process != os.getpid()}


def with_play(lines: Iterable[RunLine], found: dict[str, Writer]) -> list[RunLine]:
    """The lines, those that are played with how far they are now."""
    return [_now(line, found.get(line.path.name)) for line in lines]


def _now(line: RunLine, writer: Writer | None) -> RunLine:
    if writer is None or line.error:
        return replace(line, process=None, pace=None) if line.process is not None else line
    with suppress(StoreError):  # it has gone meanwhile: the next look finds that
        return counted(line, writer)
    return line


def counted(line: RunLine, writer: Writer | None) -> RunLine:
    """A line with how far its run is on disk at this moment, and who plays it.

    Raises:
        StoreError: the file cannot be read.
    """
    far = standing(line.path, writer)
    outcomes = {**far.outcomes, UNFINISHED: max(0, far.n - far.ended)}  # a damaged run may have ends without episodes
    return replace(line, outcomes=outcomes, process=writer.process if writer else None, pace=far.rate)
