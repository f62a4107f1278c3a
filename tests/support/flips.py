"""Single bits of the files of a pack, flipped and put back; by seed. Used by a test (about 20) and by the benchmark
(240)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Flip:
    """A bit of a file; `file` is relative to the pack, `place` in bytes."""

    file: str
    place: int
    bit: int


def flips(pack: Path, count: int, seed: int) -> list[Flip]:
    """So many bits, spread over every file of a pack, the same for the same bytes and seed."""
    chance = random.Random(seed)
    files = sorted(path.relative_to(pack).as_posix() for path in pack.rglob("*") if path.is_file())
    sizes = {file: (pack / file).stat().st_size for file in files}
    chosen = [files[number % len(files)] for number in range(count)]
    return [Flip(file, chance.randrange(sizes[file]), chance.randrange(8)) for file in chosen]


@contextmanager
def flipped(pack: Path, flip: Flip) -> Iterator[None]:
    """The pack with this bit flipped."""
    with (pack / flip.file).open("rb+") as stream:
        stream.seek(flip.place)
        (byte,) = stream.read(1)

        def put(value: int) -> None:
            stream.seek(flip.place)
            stream.write(bytes([value]))
            stream.flush()

        put(byte ^ 1 << flip.bit)
        try:
            yield
        finally:
            put(byte)
