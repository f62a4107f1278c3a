"""The library of GGUF files: a catalogue of models by name, which are used where they lie or are copied in.

`catalogue.json` in the library's folder says which; files that were copied in lie in `files/` beside it. Nothing is
ever downloaded. A file that was only registered is never touched. The model that comes with Moot is listed without
standing in the catalogue, unless its name is taken there. Sizes are bytes.
"""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, ValidationError

from models.errors import BadEngine
from models.llama import shipped
from models.llama.entry import FILES, NAME_LENGTH, Entry, folded, is_name
from models.llama.header import Header, read_header
from store import identity
from store.errors import NotFound
from store.files import read_whole, written_whole
from store.identity import Progress

CATALOGUE, LOCK = "catalogue.json", ".lock"
FORMAT = 1
BLOCK = 1 << 22
SPARE = 64_000_000
"""Bytes of disk left free beside a copy."""
LARGEST = 1 << 24
"""Bytes of the catalogue: far more than anybody has models for."""


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
        text = read_whole(path, LARGEST)
    except NotFound:
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
    digested = identity.sha256(path, progress)
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
    if target.exists():
        raise BadEngine(f"'{target}' is there already and not in the catalogue", "Move it away first.")
    free = shutil.disk_usage(folder).free
    if free < header.size + SPARE:
        hint = "Free some space, or leave out --copy and use the file where it lies."
        raise BadEngine(f"No room for a copy: {header.size / 1e9:.2f} GB needed, {free / 1e9:.2f} GB free", hint)
    running, done = sha256(), 0
    with written_whole(target, new=True, binary=True) as written, source.open("rb") as read:
        while block := read.read(BLOCK):
            written.write(block)
            running.update(block)
            done += len(block)
            if progress is not None:
                progress(done, header.size)
    try:
        read_header(target)
        with _locked(library):
            return _enter(name, target, True, running.hexdigest(), header, library)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


@contextmanager
def _locked(library: Path) -> Iterator[None]:
    library.mkdir(parents=True, exist_ok=True)
    with FileLock(library / LOCK):
        yield


def _write(library: Path, listed: list[Entry]) -> None:
    catalogue = _Catalogue(format=FORMAT, models=sorted(listed, key=lambda entry: entry.name))
    with written_whole(library / CATALOGUE) as file:
        file.write(catalogue.model_dump_json(indent=1) + "\n")
