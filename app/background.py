"""A run without a terminal: the same command in a session of its own, which goes on when whoever began it is gone.

The one that begins it waits until the run has begun: what is wrong before that is said where it was asked for. The
run tells so in one line on its standard output; from then on it says into a file what the command would have said to
a terminal. Nothing else is spoken between the two: who wants to see it reads the run file, who wants it stopped
leaves a wish beside it (`store.writer`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from store import places
from store.files import cannot_write, real_path
from store.worker import command
from tasks.episode.scheduler import HUMAN
from tasks.episode.state import fold
from tasks.errors import UsageError
from tasks.run.reading import read_episode

if TYPE_CHECKING:
    from tasks.run.opened import Run

WORD = "_background"
"""What stands before the command of a run without a terminal; the entry point knows it too."""
MARK = "moot_background"
_here = False


@dataclass(frozen=True, slots=True)
class BackgroundRun:
    """A run that goes on by itself: its id and file, its process, and the file of what the command says."""

    run: str
    path: str
    pid: int
    output: str


class NotBegun(Exception):
    """The command ended before the run began; what it said, and its exit code."""

    def __init__(self, code: int, out: str, words: str) -> None:
        super().__init__(f"the command ended with code {code}")
        self.title = words.strip().removeprefix("moot: ") or str(self)
        self.hint = ""
        self.code = code
        self.exit_code = code or 1
        self.out = out
        self.words = words


def begin(arguments: Sequence[str]) -> BackgroundRun:
    """Begin a command in the background, and wait until its run has begun.

    Raises:
        NotBegun: it ended before.
    """
    with tempfile.TemporaryFile() as words:
        child = subprocess.Popen(
            [*command(WORD, "app.cli.main"), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=words, start_new_session=True, creationflags=_flags(),
        )  # fmt: skip
        assert child.stdout is not None
        with child.stdout:
            try:
                first = child.stdout.readline()
                if (begun := _begun(first)) is not None:
                    child.returncode = 0  # it is nobody's child any more: not to be waited for
                    return begun
                rest = child.stdout.read()
                code = child.wait()
            except BaseException:  # nobody waits for it any more
                child.terminate()
                child.wait()
                raise
        words.seek(0)
        raise NotBegun(code, (first + rest).decode("utf-8", "replace"), words.read().decode("utf-8", "replace"))


def _flags() -> int:
    if sys.platform == "win32":
        return subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
    return 0


def _begun(line: bytes) -> BackgroundRun | None:
    try:
        return BackgroundRun(**json.loads(line)[MARK])
    except (ValueError, LookupError, TypeError):
        return None


# --- in the process without a terminal ------------------------------------------------------------------------------


def be_here() -> None:
    """This process was begun by `begin`."""
    global _here
    _here = True


def is_here() -> bool:
    """Whether this process was begun by `begin`."""
    return _here


def refuse_people(engines: Iterable[str]) -> None:
    """Raise where a person sits: nobody could be asked. engines: of all seats."""
    if HUMAN in engines:
        raise UsageError(
            "a person sits in this run, and in the background there is nobody to be asked",
            "Leave out --background, or seat somebody else.",
        )


def engines_of(made: Run) -> Iterator[str]:
    """Who is asked in a run that goes on; episodes are read one after the other."""
    yield from (made.spec.agent, *made.spec.seats.values())
    episodes = made.scheduler.episodes
    for name in episodes:
        if not episodes.outcome(name):
            driver = episodes.moving.get(name)
            state = fold(read_episode(made.journal, name)) if driver is None else driver.state
            yield from (sits.engine for sits in state.seats.values())


def began(run: str, path: Path) -> None:
    """Tell that the run has begun, and say everything into a file from now on.

    Raises:
        StoreError: the file cannot be written.
    """
    folder = places.logs()
    words = folder / f"{run}.txt"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        said = words.open("ab", buffering=0)
    except OSError as error:
        raise cannot_write(words, error) from error
    begun = BackgroundRun(run, str(real_path(path)), os.getpid(), str(words))
    print(json.dumps({MARK: asdict(begun)}), flush=True)
    sys.stderr.flush()
    with said:
        for stream in (1, 2):
            os.dup2(said.fileno(), stream)
