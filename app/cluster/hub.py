"""What the asking machine keeps while others play: the files they ask for, a copy of every shard's journal, what came
so far.

The copies lie beside the run file in a folder of its name with `.shards` at the end. A shard that is begun again, on
whatever node, goes on from its copy; an earlier player of it that turns out to be alive is not listened to any more
(`turn`). The folder outlives everybody: the same command takes it up.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from app.cluster.parcels import PIECE, Parcel, read_piece
from store.files import naming
from store.journal import SUFFIX


@dataclass(frozen=True, slots=True)
class Begun:
    """The answer to whoever begins a shard. turn: counts who begins it; size: bytes of the journal so far, 0 for
    none; goes_on: whether it is wanted at all."""

    turn: int
    size: int
    goes_on: bool


@dataclass(slots=True)
class Standing:
    """How far a shard is: who plays it, how its episodes ended, tokens that models wrote in this turn."""

    turn: int = 0
    node: str = ""
    pid: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Look:
    """How far all are. said: sentences for a person that are new since the last look."""

    outcomes: dict[str, int]
    tokens: int
    said: list[str]
    players: dict[int, tuple[str, int]]
    """Shard -> node and process of its present player."""


def shard_file(folder: Path, number: int, of: int) -> Path:
    """Where the journal of a shard is kept."""
    return folder / f"{number}-of-{of}{SUFFIX}"


class Hub:
    """One process beside the one that asked; every method is called from elsewhere, one at a time."""

    def __init__(
        self, folder: str, shards: int, parcels: Mapping[str, Parcel], max_failures: int | None = None
    ) -> None:
        self._folder = Path(folder)
        self._parcels = {parcel.id: parcel for parcel in parcels.values()}
        self._most = max_failures
        self._stopped = False
        self._said: list[str] = []
        self._standing = {number: Standing() for number in range(1, shards + 1)}

    def read(self, parcel: str, number: int, offset: int) -> bytes:
        """A piece of a file that a shard needs."""
        return read_piece(self._parcels, parcel, number, offset)

    def begin(self, shard: int, node: str, pid: int) -> Begun:
        """Somebody begins a shard, for the first time or again."""
        standing = self._standing[shard]
        standing.turn, standing.node, standing.pid = standing.turn + 1, node, pid
        file = self._file(shard)
        return Begun(standing.turn, file.stat().st_size if file.is_file() else 0, self._goes_on())

    def journal(self, shard: int, offset: int) -> bytes:
        """A piece of the journal of a shard."""
        with self._file(shard).open("rb") as file:
            file.seek(offset)
            return file.read(PIECE)

    def keep(self, shard: int, turn: int, offset: int, piece: bytes, last: bool) -> bool:
        """Take a piece of a journal; with the last one the whole takes the place of the copy before. False where
        somebody else plays the shard by now.

        Raises:
            StoreError: it cannot be written here.
        """
        if turn != self._standing[shard].turn:
            return False
        file = self._file(shard)
        partial = file.with_name(f".{file.name}.part")
        with naming(file, partial):
            with partial.open("r+b" if offset else "wb") as stream:
                stream.seek(offset)
                stream.write(piece)
                if last:
                    stream.flush()
                    os.fsync(stream.fileno())
            if last:
                os.replace(partial, file)
        return True

    def tell(self, shard: int, turn: int, outcomes: dict[str, int], tokens: int, said: list[str]) -> bool:
        """How far a shard is; gives whether it is to go on."""
        standing = self._standing[shard]
        if turn != standing.turn:
            return False
        standing.outcomes, standing.tokens = outcomes, tokens
        self._said += [sentence for sentence in said if sentence not in self._said]
        return self._goes_on()

    def stop(self) -> None:
        """No shard is to begin a step any more."""
        self._stopped = True

    def look(self) -> Look:
        """How far all are."""
        outcomes: Counter[str] = Counter()
        for standing in self._standing.values():
            outcomes.update(standing.outcomes)
        said, self._said = self._said, []
        return Look(
            dict(outcomes), sum(standing.tokens for standing in self._standing.values()), said,
            {number: (standing.node, standing.pid) for number, standing in self._standing.items() if standing.turn},
        )  # fmt: skip

    def _goes_on(self) -> bool:
        failed = sum(standing.outcomes.get("error", 0) for standing in self._standing.values())
        return not self._stopped and (self._most is None or failed < self._most)

    def _file(self, shard: int) -> Path:
        return shard_file(self._folder, shard, len(self._standing))


def forget(folder: Path) -> None:
    """Take away the copies: the merged run holds all of them."""
    for file in [*folder.iterdir()] if folder.is_dir() else []:
        with suppress(OSError):
            file.unlink()
    with suppress(OSError):
        folder.rmdir()
