"""One shard on a node: an ordinary run with a journal of its own, which is copied to the asking machine as it grows.

The copy is made at most every `every` seconds, and so seldom that it takes at most a twentieth of the time; with it
the node may be lost: whoever plays the shard next goes on from there. What was played since the last copy is played
again. Times are seconds.
"""

from __future__ import annotations

import glob
import os
import platform
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.cluster.hub import Begun, shard_file
from app.cluster.parcels import PIECE, Parcel, fetch
from app.engine_away import away_text
from app.guard import install_guard, open_hosts
from models.errors import ForeignHost
from store import places
from store.files import is_running, naming, written_whole
from store.journal import Journal
from tasks.episode.events import ModelCalled, Stopped
from tasks.episode.watcher import Committed, EngineAway, Notice
from tasks.errors import TaskError
from tasks.run import engines
from tasks.run.opened import Run
from tasks.run.runner import resume_run, start_run
from tasks.run.spec import RunSpec

TOLD = 0.5
"""Seconds between two words to the asking machine."""
SHARE = 20
"""Copying takes at most this part of the time."""

Line = Callable[..., Any]
"""Asks the hub: the name of its method, and arguments."""


@dataclass(frozen=True, slots=True)
class Order:
    """What all shards of a run have in common.

    spec: of the whole run; parcels: as the run names them -> what lies there; hosts: host beyond the machine that may
    be reached -> variable with its key, as whoever asked has decided; every: seconds between two copies of a journal.
    """

    spec: dict[str, Any]
    parcels: Mapping[str, Parcel]
    hosts: Mapping[str, str]
    shards: int
    every: float
    argv: tuple[str, ...] = ()


def play(order: Order, number: int, node: str, line: Line) -> int | None:
    """Play a shard to its end, or until the hub says no; gives how many episodes are left, None where none was begun.

    Raises:
        TaskError: episodes stand still, for an engine cannot be reached from here.
        Exception: whatever a run raises.
    """
    install_guard()
    open_hosts(order.hosts)
    engines.admit = Permitted(order.hosts)
    begun: Begun = line("begin", number, node, os.getpid())
    if not begun.goes_on:
        return None
    places.bring({name: fetch(parcel, _reader(line)) for name, parcel in order.parcels.items()})
    with _scratch() as folder:
        path = shard_file(Path(folder), number, order.shards)
        if begun.size:
            _copied(path, number, begun.size, line)
            made = resume_run(path)
        else:
            spec = RunSpec.model_validate({**order.spec, "shard": (number, order.shards)})
            made = start_run(spec, out=path, argv=order.argv)
        post = Post(number, begun.turn, line, order.every)
        with made:
            left = post.follow(made)
            if not left:
                made.record_scores()
            lost = [error.args[0] for error in made.scheduler.lost.values()]
        post.keep(path)
    if left and post.goes_on:
        why = f": {lost[0]}" if lost else ""
        raise TaskError(f"shard {number}/{order.shards}: {left} episodes stand still{why}", "")
    return left


class Permitted:
    """Lets engines reach the hosts that were allowed where the run was asked for, and no other."""

    def __init__(self, hosts: Mapping[str, str]) -> None:
        self._hosts = hosts

    def __call__(self, refusal: ForeignHost) -> str:
        """The variable with the key for the host; the refusal where it was not allowed."""
        if refusal.host not in self._hosts:
            raise refusal
        return self._hosts[refusal.host]


class Post:
    """Follows a shard that is played here: tells the hub how far it is, and hands it copies of the journal."""

    def __init__(
        self, number: int, turn: int, line: Line, every: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.goes_on = True
        """Whether the hub wants more: the run was not stopped, and nobody else plays the shard by now."""
        self._number, self._turn = number, turn
        self._line, self._every, self._clock = line, every, clock
        self._journal: Journal | None = None
        self._outcomes: Counter[str] = Counter()
        self._tokens = 0
        self._said: list[str] = []
        self._told, self._kept, self._cost = clock(), clock(), 0.0

    def follow(self, made: Run) -> int:
        """Play a run, told of everything; gives how many of its episodes are left."""
        episodes = made.scheduler.episodes
        self._outcomes.update(filter(None, map(episodes.outcome, episodes)))
        self._journal = made.journal
        made.scheduler.watchers.append(self)
        made.go(lambda: self.goes_on)
        self._tell()
        return episodes.open

    def notify(self, notice: Notice) -> None:
        """Count what is on disk; now and then tell, and hand on a copy."""
        if isinstance(notice, EngineAway):
            self._said.append(away_text(notice))
        if not isinstance(notice, Committed):
            return
        for record in notice.records:
            if isinstance(record.event, ModelCalled):
                self._tokens += record.event.generated
            elif isinstance(record.event, Stopped):
                self._outcomes[record.event.outcome] += 1
        if self._clock() - self._told >= TOLD:
            self._tell()
        due = self._clock() - self._kept >= max(self._every, SHARE * self._cost)
        if due and self._journal is not None and self._journal.settled():
            self.keep(self._journal.path)

    def keep(self, path: Path) -> None:
        """Hand the journal on as it lies there; nobody writes it meanwhile."""
        began, offset = self._clock(), 0
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            while offset < size:
                piece = file.read(PIECE)
                last = offset + len(piece) >= size
                if not self._line("keep", self._number, self._turn, offset, piece, last):
                    self.goes_on = False
                    break
                offset += len(piece)
        self._kept = self._clock()
        self._cost = self._kept - began

    def _tell(self) -> None:
        said, self._said = self._said, []
        outcomes = dict(self._outcomes)
        if not self._line("tell", self._number, self._turn, outcomes, self._tokens, said):
            self.goes_on = False
        self._told = self._clock()


def _scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder for the journal; what killed processes of this machine left behind is swept."""
    cache, ours = places.cache(), f"shard-{platform.node()}-"
    with naming(cache):
        cache.mkdir(parents=True, exist_ok=True)
        for left in cache.glob(f"{glob.escape(ours)}*"):
            pid = left.name[len(ours) :].partition("-")[0]
            if pid.isdigit() and not is_running(int(pid)):
                shutil.rmtree(left, ignore_errors=True)
        return tempfile.TemporaryDirectory(prefix=f"{ours}{os.getpid()}-", dir=cache)


def _reader(line: Line) -> Callable[[str, int, int], bytes]:
    def read(parcel: str, number: int, offset: int) -> bytes:
        return bytes(line("read", parcel, number, offset))

    return read


def _copied(path: Path, number: int, size: int, line: Line) -> None:
    """The journal of a shard as it was handed on last."""
    with written_whole(path, binary=True) as file:
        while file.tell() < size:
            file.write(line("journal", number, file.tell()))
