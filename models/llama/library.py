"""The library of GGUF files: a catalogue of models by name, which are used where they lie or are copied in.

`catalogue.json` in the library's folder says which; files that were copied in lie in `files/` beside it. Nothing is
ever downloaded. A file that was only registered is never touched. sha256 sums are kept in `digests.json` by path and
all that the file system says of a file, so that a large one is read once; that file is a cache and may be deleted.
The model that comes with Moot is listed without standing in the catalogue, unless its name is taken there. Sizes are
bytes, times nanoseconds.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, ValidationError

from models.errors import BadEngine
from models.llama import shipped
from models.llama.entry import FILES, NAME_LENGTH, Entry, folded, is_name
from models.llama.header import Header, read_header
from models.plain import read_plain

CATALOGUE, DIGESTS, LOCK, COPYING = "catalogue.json", "digests.json", ".lock", ".copying"
FORMAT = 1
BLOCK = 1 << 22
SPARE = 64_000_000
"""Bytes of disk left free beside a copy."""
DIGESTS_KEPT = 256
SETTLED = 2_000_000_000
"""Nanoseconds after which a change shows in the times of a file on any file system; sums are kept of older ones."""
LARGEST = 1 << 24
"""Bytes of the catalogue and of the remembered sums: far more than anybody has models for."""

Progress = Callable[[int, int], None]
"""Told of bytes done and bytes in all; may raise to stop."""


class _Catalogue(BaseModel):
    model_config = ConfigDict(frozen=True)
    format: int
    models: list[Entry]


def entries(library: Path) -> list[Entry]:
    """All models, by name. `BadEngine` when the catalogue is damaged; it is left as it is."""
    listed, ours = _catalogued(library), shipped.entry()
    if ours is not None and _find(ours.name, listed) is None:
        listed.append(ours)
    return sorted(listed, key=lambda entry: entry.name)


def _catalogued(library: Path) -> list[Entry]:
    """The models of the user."""
    path = library / CATALOGUE
    try:
        text = read_plain(path, LARGEST)
    except FileNotFoundError:
        return []
    hint = "Nothing was changed and no model file is touched. Move the catalogue away and add the models again."
    try:
        catalogue = _Catalogue.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "its form"
        raise BadEngine(f"The catalogue '{path}' is damaged at {where}", hint) from None
    if catalogue.format > FORMAT:
        raise BadEngine(f"The catalogue '{path}' is of a newer Moot (format {catalogue.format})", "Update Moot.")
    names = [folded(entry.name) for entry in catalogue.models]
    if len(set(names)) != len(names):
        raise BadEngine(f"The catalogue '{path}' has a name twice", hint)
    return list(catalogue.models)


def resolve(name_or_path: str, library: Path) -> Path:
    """The file of a model: what ends in `.gguf` or has a separator is a path, all else first a name of the
    library."""
    path = _expanded(Path(name_or_path))
    if path.suffix.lower() == ".gguf" or len(path.parts) > 1:
        return path
    try:
        entry = _find(name_or_path, entries(library))
    except BadEngine:
        if name_or_path and path.exists():
            return path
        raise
    if entry is None:
        if name_or_path and path.exists():
            return path
        raise unknown(name_or_path, library)
    file = entry.file(library)
    if entry.shipped and (state := entry.state(library)) != "ok":
        raise shipped.gone(entry.name, state)
    if not file.is_file():
        hint = f"Plug in the medium it lies on, or forget it with `moot models remove {entry.name}`."
        raise BadEngine(f"The file of '{entry.name}' is gone: {file}", hint)
    return file


def unknown(name: str, library: Path) -> BadEngine:
    """The error for a name that nothing has."""
    names = [entry.name for entry in entries(library)]
    known = f"Known: {', '.join([*names[:8], *['…'] * (len(names) > 8)])}." if names else "The library is empty."
    return BadEngine(
        f"No model '{name}' in the library, and no such file", f"{known} `moot models add FILE` adds one."
    )


def add(
    path: Path, library: Path, *, name: str | None = None, copy: bool = False, progress: Progress | None = None
) -> Entry:
    """Take a GGUF into the library: its path, or with `copy` the file itself. Adding a file again renews its entry.

    `BadEngine` for a file that is not sound, a name that is taken or cannot be, and a disk that is too small.
    """
    path = Path(os.path.abspath(_expanded(path)))
    header = read_header(path)
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise BadEngine(f"'{path}' has a name that is no text", "Rename the file, or its folder.") from None
    chosen = _checked(name, path)
    _refuse_taken(chosen, path, copy, entries(library))
    if copy and path.parent != Path(os.path.abspath(library / FILES)):
        return _add_copy(path, library, chosen, header, progress)
    digested = digest(path, library, progress)
    with _locked(library):
        return _enter(chosen, path, copy, digested, header, library)


def remove(name: str, library: Path) -> tuple[Entry, bool]:
    """Take a model out of the library. True beside it when its file, which had been copied in, was deleted."""
    with _locked(library):
        listed = _catalogued(library)
        entry = _find(name, listed)
        if entry is None and (ours := shipped.entry()) is not None and _find(name, [ours]):
            raise BadEngine(f"'{ours.name}' comes with Moot and stays", "It takes next to no room.")
        if entry is None:
            raise unknown(name, library)
        deleted = False
        if entry.copied and entry.file(library).exists():
            entry.file(library).unlink()
            deleted = True
        _write(library, [one for one in listed if one is not entry])
    return entry, deleted


def digest(path: Path, library: Path, progress: Progress | None = None) -> str:
    """sha256 of a file, remembered for as long as it is the same one (`mark`)."""
    path = Path(os.path.abspath(path))
    kept = _digests(library).get(str(path))
    if kept is not None and kept[:-1] == mark(path.stat()):
        return str(kept[-1])
    now = _now(library)
    with path.open("rb") as source:
        before = os.fstat(source.fileno())
        digested = _hash(iter(lambda: source.read(BLOCK), b""), before.st_size, progress)
        after = os.fstat(source.fileno())
    if mark(after) == mark(before) and max(after.st_mtime_ns, after.st_ctime_ns) + SETTLED <= now:
        _remember(library, str(path), [*mark(after), digested])
    return digested


def mark(found: os.stat_result) -> list[int]:
    """What tells a file from any other, and from itself after a change: the last one is a time that nobody sets."""
    return [found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def name_for(path: Path) -> str:
    """A name made from that of a file."""
    stem = re.sub(r"(?i)(\.gguf)+$", "", unicodedata.normalize("NFC", path.name))
    made = re.sub(r"[^\w.-]+", "-", stem).strip("-.")[:NAME_LENGTH].rstrip("-.")
    return made if is_name(made) else f"model-{made}"[:NAME_LENGTH].rstrip("-.")


# --- inside ---------------------------------------------------------------------------------------------------------


def _expanded(path: Path) -> Path:
    """The path with a leading `~` filled in where that says somebody's home."""
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def _find(name: str, listed: list[Entry]) -> Entry | None:
    return next((entry for entry in listed if folded(entry.name) == folded(name)), None)


def _checked(name: str | None, path: Path) -> str:
    if name is None:
        return name_for(path)
    name = unicodedata.normalize("NFC", name)
    if not is_name(name):
        hint = f"Letters, digits, '-', '_' and '.', up to {NAME_LENGTH}, without .gguf at the end."
        raise BadEngine(f"'{name}' cannot name a model", hint)
    return name


def _refuse_taken(name: str, path: Path, copy: bool, listed: list[Entry]) -> None:
    entry = _find(name, listed)
    if entry is not None and entry.shipped:
        raise BadEngine(f"'{entry.name}' is the model that comes with Moot", "Choose another name.")
    if entry is not None and (entry.copied or copy or Path(entry.path) != path):
        hint = f"Choose another with --name, or take that one out with `moot models remove {entry.name}`."
        raise BadEngine(f"The library has a model '{entry.name}' already", hint)


def _enter(name: str, file: Path, copied: bool, digested: str, header: Header, library: Path) -> Entry:
    """Write an entry into the catalogue; the caller holds the lock."""
    listed = _catalogued(library)
    _refuse_taken(name, file, copied, entries(library))
    entry = Entry.of(header, file, name=name, copied=copied, sha256=digested)
    _write(library, [one for one in listed if folded(one.name) != folded(name)] + [entry])
    return entry


def _add_copy(source: Path, library: Path, name: str, header: Header, progress: Progress | None) -> Entry:
    """Copy a file in, hashing it on the way; the copy appears whole and listed, or not at all."""
    folder = library / FILES
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}.gguf"
    free = shutil.disk_usage(folder).free
    if free < header.size + SPARE:
        hint = "Free some space, or leave out --copy and use the file where it lies."
        raise BadEngine(f"No room for a copy: {header.size / 1e9:.2f} GB needed, {free / 1e9:.2f} GB free", hint)
    with _copying(library):
        part = folder / f".{name}.part"
        try:
            digested = _copied(source, part, target.name, progress)
            read_header(part)
            with _locked(library):
                if target.exists():
                    raise BadEngine(f"'{target}' is there already and not in the catalogue", "Move it away first.")
                os.replace(part, target)
                try:
                    entry = _enter(name, target, True, digested, header, library)
                except BaseException:
                    target.unlink(missing_ok=True)
                    raise
        finally:
            with suppress(OSError):
                part.unlink()
    return entry


def _copied(source: Path, part: Path, target: str, progress: Progress | None) -> str:
    size = source.stat().st_size

    def blocks() -> Iterator[bytes]:
        with source.open("rb") as read, part.open("wb") as written:
            while block := read.read(BLOCK):
                with _writing(part.with_name(target)):
                    written.write(block)
                yield block
            with _writing(part.with_name(target)):
                written.flush()
                os.fsync(written.fileno())

    return _hash(blocks(), size, progress)


def _hash(blocks: Iterator[bytes], total: int, progress: Progress | None) -> str:
    running, done = sha256(), 0
    for block in blocks:
        running.update(block)
        done += len(block)
        if progress is not None:
            progress(done, total)
    return running.hexdigest()


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """A full disk does not say which file it has no room for."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


@contextmanager
def _copying(library: Path) -> Iterator[None]:
    """One copy at a time; what a killed one left behind is swept away."""
    try:
        with FileLock(library / COPYING, timeout=0):
            for left in (library / FILES).glob(".*.part"):
                left.unlink()
            yield
    except Timeout:
        raise BadEngine("Another file is being copied into the library", "Try again when that is done.") from None


@contextmanager
def _locked(library: Path) -> Iterator[None]:
    library.mkdir(parents=True, exist_ok=True)
    with FileLock(library / LOCK):
        yield


def _write(library: Path, listed: list[Entry]) -> None:
    catalogue = _Catalogue(format=FORMAT, models=sorted(listed, key=lambda entry: entry.name))
    _replace(library / CATALOGUE, catalogue.model_dump_json(indent=1))


def _replace(path: Path, text: str) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with _writing(path):
            with part.open("w", encoding="utf-8") as file:
                file.write(text + "\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
    finally:
        with suppress(OSError):
            part.unlink()


def _now(library: Path) -> int:
    """The time of the file system; 0, when every file is too new, where the library cannot be written."""
    try:
        library.mkdir(parents=True, exist_ok=True)
        (library / LOCK).touch()
        return (library / LOCK).stat().st_mtime_ns
    except OSError:
        return 0


def _digests(library: Path) -> dict[str, list[object]]:
    """The remembered sums: path -> mark, sha256. What cannot be read is forgotten."""
    try:
        kept = json.loads(read_plain(library / DIGESTS, LARGEST))
    except (OSError, ValueError, RecursionError, BadEngine):
        return {}
    if not isinstance(kept, dict):
        return {}
    return {key: value for key, value in kept.items() if _is_sum(value)}


def _is_sum(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 6
        and isinstance(value[-1], str)
        and re.fullmatch(r"[0-9a-f]{64}", value[-1]) is not None
    )


def _remember(library: Path, key: str, value: list[object]) -> None:
    """Keep a sum. A library that cannot be written only means that the file is read again next time."""
    with suppress(OSError), _locked(library):
        kept = _digests(library)
        kept.pop(key, None)
        kept[key] = value
        latest = dict(list(kept.items())[-DIGESTS_KEPT:])
        _replace(library / DIGESTS, json.dumps(latest, indent=1))
