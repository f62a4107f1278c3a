"""What a shard needs of the machine that asked for it: packs, task files, models; by sha256, fetched once a node and
checked.

A parcel that lies on a node under the same path with the same bytes (a shared disk, the asking machine itself) is
used where it is. Sizes and offsets are bytes.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from filelock import FileLock

from store import identity, places
from store.errors import Damaged, StoreError
from store.files import naming
from store.importers.reading import files_in

PIECE = 8_000_000
"""Bytes that travel at a time."""

Read = Callable[[str, int, int], bytes]
"""Asks for (parcel, number of its file, offset): up to PIECE bytes, none at the end."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """A file, or a folder with all that is in it.

    name: of the file or folder; home: where it lies on the asking machine; files: (path below the folder, sha256), of
    a plain file one with the path ''.
    """

    name: str
    home: str
    files: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, path: Path) -> Parcel:
        """The parcel of what lies there; what was hashed before is not read again."""
        path = path.absolute()
        inside = [path] if path.is_file() else sorted(files_in(path))
        marks = identity.marks(inside)
        relative = ("" if file == path else file.relative_to(path).as_posix() for file in inside)
        return cls(
            path.name,
            str(path),
            tuple((name, marks[file].sha256) for name, file in zip(relative, inside, strict=True)),
        )

    @property
    def id(self) -> str:
        """sha256 over the names and hashes of its files."""
        lines = "".join(f"{digest}  {name}\n" for name, digest in self.files)
        return hashlib.sha256(lines.encode()).hexdigest()

    def at(self, root: Path) -> list[Path]:
        """Its files, if it lies at `root`."""
        return [root / name if name else root for name, _ in self.files]

    def is_at(self, root: Path) -> bool:
        """Whether it lies there, byte for byte."""
        try:
            marks = identity.marks(self.at(root))
        except StoreError:
            return False
        return [mark.sha256 for mark in marks.values()] == [digest for _, digest in self.files]


def read_piece(parcels: Mapping[str, Parcel], parcel: str, number: int, offset: int) -> bytes:
    """A piece of a file of a parcel, on the asking machine."""
    known = parcels[parcel]
    with known.at(Path(known.home))[number].open("rb") as file:
        file.seek(offset)
        return file.read(PIECE)


def fetch(parcel: Parcel, read: Read) -> Path:
    """Where the parcel lies on this node; fetched if nobody has done it before.

    Raises:
        Damaged: what came is not what was promised.
        StoreError: it cannot be written here.
    """
    if parcel.is_at(Path(parcel.home)):
        return Path(parcel.home)
    shelf = places.cache() / "fetched" / parcel.id
    target = shelf / parcel.name
    with naming(shelf, target):
        shelf.mkdir(parents=True, exist_ok=True)
    with FileLock(shelf.with_name(f"{parcel.id}.lock")):  # one fetches, the others on this node wait
        if parcel.is_at(target):
            return target
        begun = shelf / ".part"
        _remove(begun)
        try:
            for number, (file, (_, digest)) in enumerate(zip(parcel.at(begun), parcel.files, strict=True)):
                _copy(file, digest, partial(read, parcel.id, number), parcel.name)
            _remove(target)  # damaged since, or half of it gone
            os.replace(begun, target)
        except BaseException:
            _remove(begun)
            raise
    return target


def _copy(file: Path, digest: str, read: Callable[[int], bytes], name: str) -> None:
    found, offset = hashlib.sha256(), 0
    with naming(file, file.parent):
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as stream:
            while piece := read(offset):
                found.update(piece)
                stream.write(piece)
                offset += len(piece)
    if found.hexdigest() != digest:
        raise Damaged(f"{name} did not arrive as it was sent", "Try again; if it happens again, check the network.")


def _remove(path: Path) -> None:
    with suppress(FileNotFoundError):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
