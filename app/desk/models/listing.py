"""The library of models as the desk lists it: what each file is, what it needs, and whether that is free now.

Slow (files are read, sums are made): called from workers. A file that is gone or damaged is a line of the list with a
fault, never a failure of the list. Sizes are bytes, contexts tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from app.desk.episode.renderers import one
from app.strings import t
from models.errors import BadEngine
from models.llama import library, shipped
from models.llama.entry import Entry
from models.llama.header import Header, read_header
from models.llama.memory import Need, available, default_context, estimate
from store import places

Progress = Callable[[int, int], None]
"""Told of bytes done and bytes in all; may raise to stop."""
SLOTS = (1, 4, 8)
"""Sequences for which the memory is estimated."""
BLOCK = 1 << 22


class Stopped(Exception):
    """Raised by a `Progress` that wants no more."""


@dataclass(frozen=True)
class ModelLine:
    """One model of the library. `header` is None where the file cannot be read, and then `fault` says why."""

    entry: Entry
    file: Path
    header: Header | None
    fault: str = ""

    @property
    def name(self) -> str:
        """Its name in the library."""
        return self.entry.name

    @property
    def is_embedding(self) -> bool:
        """Whether it gives vectors and cannot speak."""
        return self.entry.is_embedding

    @property
    def needs(self) -> tuple[tuple[int, Need], ...]:
        """What it needs in the default context, by number of sequences."""
        if self.header is None:
            return ()
        return tuple((slots, estimate(self.header, default_context(self.header), slots)) for slots in SLOTS)

    @property
    def context(self) -> int:
        """Tokens of a sequence where nothing else is said."""
        return default_context(self.header) if self.header is not None else min(self.entry.context, 8192)

    @property
    def summary(self) -> str:
        """The model on one line of a list."""
        mark = t("models.shipped.mark") * self.entry.shipped
        return (
            f"{one(self.name)}{mark} · {billions(self.entry.parameters)} {one(self.entry.quantisation)} · "
            f"{size_words(self.entry.size)}"
        )


@dataclass(frozen=True)
class ModelShelf:
    """The library, and how much memory is free (0 = the system does not say). `fault` where it cannot be read at
    all."""

    lines: tuple[ModelLine, ...] = ()
    free: int = 0
    fault: str = ""
    hint: str = ""


_headers: dict[tuple[str, int, int], Header] = {}


def models() -> list[ModelLine]:
    """All models by name.

    Raises:
        BadEngine: the catalogue is damaged.
    """
    folder = places.models()
    return [_line(entry, entry.file(folder), entry.state(folder)) for entry in library.entries(folder)]


def shelf() -> ModelShelf:
    """Everything the Models screen shows."""
    try:
        return ModelShelf(tuple(models()), available())
    except BadEngine as error:
        return ModelShelf(fault=error.title, hint=error.hint)


def _line(entry: Entry, file: Path, state: str) -> ModelLine:
    if state != "ok":
        fault = shipped.gone(entry.name, state).title if entry.shipped else t(f"models.state.{state}")
        return ModelLine(entry, file, None, fault)
    key = (str(file), entry.size, entry.mtime)
    try:
        header = _headers.get(key) or read_header(file)
    except BadEngine as error:
        return ModelLine(entry, file, None, error.title)
    _headers[key] = header
    return ModelLine(entry, file, header)


def add(path: str, name: str, copy: bool, progress: Progress) -> Entry:
    """Take a file into the library; errors say in one sentence what is wrong with it."""
    return library.add(Path(path), places.models(), name=name or None, copy=copy, progress=progress)


def remove(name: str) -> tuple[Entry, bool]:
    """Take a model out of the library; whether its file was deleted."""
    return library.remove(name, places.models())


def verify(line: ModelLine, progress: Progress) -> tuple[ModelLine, str]:
    """Read the whole file again: the line as it now is, and the sha256 of its bytes ('' when there are none)."""
    folder = places.models()
    known = next((entry for entry in library.entries(folder) if entry.name == line.name), line.entry)
    found = _line(known, known.file(folder), known.state(folder))
    try:
        return found, _sum(found.file, progress)
    except OSError:
        return found, ""


def _sum(file: Path, progress: Progress) -> str:
    running, done, total = sha256(), 0, file.stat().st_size
    with file.open("rb") as source:
        while block := source.read(BLOCK):
            running.update(block)
            done += len(block)
            progress(done, total)
    return running.hexdigest()


def billions(count: int) -> str:
    """A number of parameters as models are called by: 7.6B, 494M."""
    return f"{count / 1e9:.1f}B" if count >= 1e9 else f"{count / 1e6:.0f}M" if count >= 1e6 else f"{count / 1e3:.0f}K"


def size_words(size: int) -> str:
    """A size as people say it."""
    return (
        f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
    )
