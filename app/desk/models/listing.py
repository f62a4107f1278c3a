"""The library of models as the desk lists it: what each file is, what it needs, and whether that is free now.

Slow (files are read, sums are made): called from workers. A file that is gone or damaged is a line of the list with a
fault, never a failure of the list. Sizes are bytes, contexts tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.desk.episode.renderers import Line, one
from app.strings import billions, size_words, t
from app.strings.sentences import translated
from app.terminal import pad
from models.errors import BadEngine
from models.llama import library, shipped
from models.llama.header import GgufHeader, model_sha256, read_header
from models.llama.library import LibraryEntry
from models.llama.memory import Need, available, default_context, estimate
from models.llama.process import EngineProcess
from store import places
from store.errors import StoreError

Progress = Callable[[int, int], None]
"""Told of bytes done and bytes in all; may raise to stop."""
SLOTS = (1, 4, 8)
"""Sequences for which the memory is estimated."""


class ReadCancelled(Exception):
    """Raised by a `Progress` that wants no more."""


@dataclass(frozen=True)
class ModelLine:
    """One model of the library. `header` is None where the file cannot be read, and then `fault` says why."""

    entry: LibraryEntry
    file: Path
    header: GgufHeader | None
    fault: str = ""

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def is_embedding(self) -> bool:
        return self.entry.is_embedding

    @property
    def needs(self) -> tuple[tuple[int, Need], ...]:
        """What it needs in the default context, by number of sequences."""
        if self.header is None:
            return ()
        return tuple((slots, estimate(self.header, default_context(self.header), slots)) for slots in SLOTS)

    @property
    def context(self) -> int:
        return default_context(self.header) if self.header is not None else min(self.entry.context, 8192)

    @property
    def summary(self) -> str:
        mark = t("models.shipped.mark") * self.entry.shipped
        return (
            f"{one(self.name)}{mark} · {billions(self.entry.parameters)} {one(self.entry.quantisation)} · "
            f"{size_words(self.entry.size)}"
        )


@dataclass(frozen=True)
class ModelLibrary:
    """The library, and how much memory is free (0 = the system does not say). `fault` where it cannot be read at
    all."""

    lines: tuple[ModelLine, ...] = ()
    free: int = 0
    fault: str = ""
    hint: str = ""


def models() -> list[ModelLine]:
    """All models by name.

    Raises:
        BadEngine: the catalogue is damaged.
    """
    folder, process = places.models(), EngineProcess()
    try:
        return [_line(entry, entry.file(folder), entry.state(folder), process) for entry in library.entries(folder)]
    finally:
        process.close()


def list_models() -> ModelLibrary:
    """Everything the Models screen shows."""
    try:
        return ModelLibrary(tuple(models()), available())
    except BadEngine as error:
        return ModelLibrary(fault=error.title, hint=error.hint)


def _line(entry: LibraryEntry, file: Path, state: str, process: EngineProcess | None = None) -> ModelLine:
    if state != "ok":
        fault = shipped.gone(entry.name, state).title if entry.shipped else t(f"models.state.{state}")
        return ModelLine(entry, file, None, fault)
    try:
        return ModelLine(entry, file, read_header(file, process))
    except BadEngine as error:
        return ModelLine(entry, file, None, error.title)


def add(path: str, name: str, copy: bool, progress: Progress) -> LibraryEntry:
    """Take a file into the library; errors say in one sentence what is wrong with it."""
    return library.add(Path(path), places.models(), name=name or None, copy=copy, progress=progress)


def remove(name: str) -> tuple[LibraryEntry, bool]:
    """Take a model out of the library; whether its file was deleted."""
    return library.remove(name, places.models())


def verify(line: ModelLine, progress: Progress) -> tuple[ModelLine, str]:
    """Read the whole file again: the line as it now is, and the sha256 of its bytes ('' when there are none)."""
    folder = places.models()
    known = next((entry for entry in library.entries(folder) if entry.name == line.name), line.entry)
    found = _line(known, known.file(folder), known.state(folder))
    try:
        return found, model_sha256(found.file, progress, again=True)
    except (StoreError, OSError):
        return found, ""


LABEL = 10
"""Cells of the names of facts."""
Fact = tuple[str, str, str]
"""Name of a fact, what it is, its role."""


def fact_lines(line: ModelLine, free: int) -> list[Line]:
    """All that is known of a model, and what it needs against what is free; what matters most comes first."""
    gap: Line = ((" ", "dim"),)
    faults: list[Fact] = [("fault", one(translated(line.fault)), "bad")] if line.fault else []
    first = [*faults, *_nature(line)]
    blocks = [_shipped(line), _named(first), memory_lines(line, free), _named(_details(line))]
    lines: list[Line] = [((one(line.name), "question"),)]
    for block in blocks:
        lines += [*block, gap] if block else []
    return lines[:-1]


def _named(facts: list[Fact]) -> list[Line]:
    return [((pad(t(f"models.fact.{name}"), LABEL), "dim"), (text, role)) for name, text, role in facts]


def _shipped(line: ModelLine) -> list[Line]:
    about = shipped.card() if line.entry.shipped else None
    if about is None:
        return []
    asked: list[Line] = [((f"· {one(kind.example)}", "text"),) for kind in about.kinds]
    return [((t("models.shipped", context=about.context), "mark"),), *asked]


def _nature(line: ModelLine) -> list[Fact]:
    entry, header = line.entry, line.header
    facts = [
        ("model", f"{one(entry.architecture)} · {billions(entry.parameters)} · {one(entry.quantisation)}", "text")
    ]
    if header is not None:
        facts.append(
            ("context", t("models.context", trained=f"{header.context:,}", used=f"{line.context:,}"), "text")
        )
    if entry.is_embedding:
        facts.append(("template", t("models.embedding"), "warn"))
    elif entry.has_template:
        facts.append(("template", t("models.template"), "text"))
    else:
        facts.append(("template", t("models.no_template"), "warn"))
    return [*facts, ("past", t("models.recurrent"), "warn")] if entry.recurrent else facts


def _details(line: ModelLine) -> list[Fact]:
    entry, header = line.entry, line.header
    facts = [
        ("file", one(line.file.name), "text"),
        ("folder", one(str(line.file.parent)), "dim"),
        ("kept", t("models.copied" if entry.copied else "models.in_place"), "dim"),
    ]
    if header is not None:
        shape = {"layers": header.layers, "heads": header.heads, "kv": header.heads_kv}
        facts.append(("shape", t("models.shape", **shape, wide=f"{header.embedding:,}"), "dim"))
        facts.append(("vocabulary", f"{header.vocabulary:,} · {one(header.tokenizer)}", "dim"))
    facts.append(("size", f"{size_words(entry.size)} · {entry.size:,}", "dim"))
    return [*facts, ("sha256", " ".join(entry.sha256[at : at + 16] for at in range(0, 64, 16)), "dim")]


def memory_lines(line: ModelLine, free: int) -> list[Line]:
    """What the model needs for 1, 4 and 8 sequences, against what is free."""
    if line.header is None:
        return []
    shown: list[Line] = [((t("models.memory", context=f"{line.context:,}"), "label"),)]
    for slots, need in line.needs:
        fits = not free or need.total <= free
        mark = "" if not free else " ✔" if fits else " ✘"
        parts = t(
            "models.memory.parts",
            weights=size_words(need.weights),
            cache=size_words(need.cache),
            work=size_words(need.work),
        )
        shown.append(
            (
                (pad(t("models.memory.slots", n=slots), LABEL), "dim"),
                (
                    f"{pad(size_words(need.total), 7, 'right')}{mark}",
                    "good" if fits and free else "bad" if free else "text",
                ),
                (f"  {parts}", "dim"),
            )
        )
    shown.append(
        (
            (pad(t("models.memory.free"), LABEL), "dim"),
            (pad(size_words(free), 7, "right") if free else t("models.free.unknown"), "text"),
        )
    )
    return shown


def header_lines(header: GgufHeader) -> list[Line]:
    """The scalars of the header and the chat template, as they stand in the file."""
    lines: list[Line] = [((" ", "dim"),), ((t("models.check.metadata"), "label"),)]
    for key, value in header.metadata.items():
        lines.append(((f"{one(str(key))}  ", "dim"), (one(str(value)), "text")))
    if header.template:
        lines += [((" ", "dim"),), ((t("models.check.template"), "label"),)]
        lines += [((one(row), "text"),) for row in header.template.split("\n")]
    return lines
