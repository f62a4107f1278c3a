"""A run as JSON lines: all that its journal holds, for programs that do not read SQLite.

One object a line, told apart by `kind`: `header` first, then each `episode` with its `attempt`s, their `event`s in
order and their `score`s; a `text` that events refer to by hash stands before the first event that does. Times are
seconds since the epoch. Every benchmark's runs have this form.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from store.errors import StoreError
from store.files import cannot_write, fsync_folder, naming, written_whole
from store.journal import Entry, Journal
from tasks.episode.events import ModelCalled, record_of
from tasks.run.engines import run_path
from tasks.run.header import header_of


def event_lines(name: str | Path) -> Iterator[dict[str, object]]:
    """The lines of a run, read one attempt at a time."""
    with Journal.open(run_path(name)) as journal:
        yield {"kind": "header", "header": header_of(journal)}
        told: set[str] = set()
        for row in journal.episodes():
            yield {"kind": "episode", **asdict(row)}
            for attempt in journal.attempts(row.id):
                yield {"kind": "attempt", **asdict(attempt)}
                for entry in journal.entries(attempt.id):
                    yield from _texts(journal, entry, told)
                    yield {"kind": "event", **asdict(entry)}
                for score in journal.scores(attempt.id):
                    yield {"kind": "score", **asdict(score)}


def _texts(journal: Journal, entry: Entry, told: set[str]) -> Iterator[dict[str, object]]:
    event = record_of(entry).event
    for name in event.texts if isinstance(event, ModelCalled) else ():
        if name not in told:
            told.add(name)
            yield {"kind": "text", "hash": name, "text": journal.text_of(name)}


def refuse_existing(out: Path) -> None:
    """Nothing is ever written over."""
    if out.exists() or out.is_symlink():
        raise StoreError(f"{out} is there already", "Give another --out, or move it away.")


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """A folder to fill: it takes its place when all of it is written, and leaves nothing behind when that fails."""
    refuse_existing(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    except OSError as error:
        raise cannot_write(out, error) from error
    try:
        with naming(out, fresh):
            yield fresh
            fresh.chmod(0o777 & ~_umask())
            refuse_existing(out)
            os.rename(fresh, out)
            fsync_folder(out.parent)
    except StoreError as error:
        # A file of the folder failed under the name that it has for now.
        raise (cannot_write(out, error.__cause__) if isinstance(error.__cause__, OSError) else error) from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def write_lines(out: Path, lines: Iterable[str]) -> int:
    """Write a file of lines so that it is there whole or not at all; returns how many. Nothing is written over."""
    refuse_existing(out)
    count = 0
    with written_whole(out, new=True, parents=True) as file:
        for line in lines:
            file.write(f"{line}\n")
            count += 1
    return count


def _umask() -> int:
    """What this process takes away from the rights of new files; a temporary folder is for its owner alone."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
