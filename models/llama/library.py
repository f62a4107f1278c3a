"""The library of GGUF files: a catalogue of models by name, which are used where they lie or are copied in.

`catalogue.json` in the library's folder says which; files that were copied in lie in `files/` beside it. Nothing is
ever downloaded. A file that was only registered is never touched. The model that comes with Moot is listed without
standing in the catalogue, unless its name is taken there. Sizes are bytes, times nanoseconds, contexts tokens.
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
from typing import Annotated

from filelock import FileLock
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from models.errors import BadEngine
from models.llama import shipped
from models.llama.header import GgufHeader, extent, first_part, joined_sha256, model_sha256, parts_of, read_header
from models.specs import on_another_machine
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


FILES = "files"
"""Folder of the library with the files that were copied in."""
NAME_LENGTH = 64


def folded(name: str) -> str:
    """Names that differ only in case are one name: some file systems cannot tell them apart."""
    return unicodedata.normalize("NFC", name).casefold()


def is_name(text: str) -> bool:
    """Whether a model may have this name: letters of any script, digits, `-`, `_` and `.`, up to 64."""
    return bool(re.fullmatch(r"\w[\w.-]{0,63}", text)) and not folded(text).endswith((".", ".gguf"))


def _named(text: str) -> str:
    if not is_name(text):
        raise ValueError("no name of a model")
    return text


class LibraryEntry(BaseModel):
    """A model of the library."""

    model_config = ConfigDict(frozen=True)
    name: Annotated[str, AfterValidator(_named)]
    path: str
    """Where the file lies, of a model in parts the first; for one that was copied in, its name in `files/`."""
    copied: bool
    size: int
    mtime: int
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    architecture: str
    quantisation: str
    parameters: int
    context: int
    has_template: bool
    is_embedding: bool
    recurrent: bool
    shipped: bool = Field(default=False, exclude=True)
    """Whether it came with Moot; such a one stands in no catalogue."""

    @classmethod
    def of(
        cls, header: GgufHeader, file: Path, *, name: str, copied: bool, sha256: str, shipped: bool = False
    ) -> LibraryEntry:
        """The entry of a file as it lies there now; `header` may have been read from what it was copied from."""
        size, mtime = extent(file)
        return cls(
            name=name, path=file.name if copied else str(file), copied=copied, size=size, mtime=mtime,
            sha256=sha256, architecture=header.architecture, quantisation=header.quantisation,
            parameters=header.parameters, context=header.context, has_template=header.template is not None,
            is_embedding=header.is_embedding, recurrent=header.recurrent, shipped=shipped,
        )  # fmt: skip

    def file(self, library: Path) -> Path:
        """Where the file of this entry is."""
        return library / FILES / Path(self.path).name if self.copied else Path(self.path)

    def state(self, library: Path) -> str:
        """`ok`, `missing` (perhaps on a stick that is not plugged in) or `changed` since it was added."""
        try:
            found = extent(self.file(library))
        except (OSError, BadEngine):
            return "missing"
        return "ok" if found == (self.size, self.mtime) else "changed"


def shipped_entry() -> LibraryEntry | None:
    """The model that comes with Moot; its state is not `ok` where its file is gone, or is not what the card says."""
    about = shipped.card()
    if about is None:
        return None
    try:
        found = about.file.stat()
        sound = sha256(about.file.read_bytes()).hexdigest() == about.sha256
    except OSError:
        sound = False
    size, mtime = (found.st_size, found.st_mtime_ns) if sound else (0, -1)
    return LibraryEntry(
        name=about.name, path=str(about.file), copied=False, size=size, mtime=mtime, sha256=about.sha256,
        architecture="llama", quantisation=about.training.quantised, parameters=about.training.parameters,
        context=about.context, has_template=True, is_embedding=False, recurrent=False, shipped=True,
    )  # fmt: skip


class _Catalogue(BaseModel):
    model_config = ConfigDict(frozen=True)
    format: int
    models: list[LibraryEntry]


def entries(library: Path) -> list[LibraryEntry]:
    """All models, by name. `BadEngine` when the catalogue is damaged; it is left as it is."""
    listed, ours = _catalogued(library), shipped_entry()
    if ours is not None and _find(ours.name, listed) is None:
        listed.append(ours)
    return sorted(listed, key=lambda entry: entry.name)


def _catalogued(library: Path) -> list[LibraryEntry]:
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
    """The file of a model: what ends in `.gguf` or has a separator (`./NAME`) is a path, all else first a name of the
    library, whatever lies in the working directory."""
    path = _expanded(Path(name_or_path))
    if path.suffix.lower() == ".gguf" or "/" in name_or_path or os.sep in name_or_path or len(path.parts) > 1:
        return path if on_another_machine(str(path)) else first_part(path)
    try:
        entry = _find(name_or_path, entries(library))
    except BadEngine:
        if name_or_path and path.exists():
            return path
        raise
    if entry is None:
        if name_or_path and (path := first_part(path)).exists():
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
) -> LibraryEntry:
    """Take a GGUF into the library: its path, or with `copy` the file itself. Adding a file again renews its entry.

    `BadEngine` for a file that is not sound, a name that is taken or cannot be, and a disk that is too small.
    """
    path = first_part(Path(os.path.abspath(_expanded(path))))
    header = read_header(path)
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise BadEngine(f"'{path}' has a name that is no text", "Rename the file, or its folder.") from None
    chosen = _checked(name, path)
    _refuse_taken(chosen, path, copy, entries(library))
    if copy and path.parent != Path(os.path.abspath(library / FILES)):
        return _add_copy(path, library, chosen, header, progress)
    digested = model_sha256(path, progress)
    with _locked(library):
        return _enter(chosen, path, copy, digested, header, library)


def remove(name: str, library: Path) -> tuple[LibraryEntry, bool]:
    """Take a model out of the library. True beside it when its file, which had been copied in, was deleted."""
    with _locked(library):
        listed = _catalogued(library)
        entry = _find(name, listed)
        if entry is None and (ours := shipped_entry()) is not None and _find(name, [ours]):
            raise BadEngine(f"'{ours.name}' comes with Moot and stays", "It takes next to no room.")
        if entry is None:
            raise unknown(name, library)
        deleted = False
        if entry.copied and entry.file(library).exists():
            for part in parts_of(entry.file(library)):
                part.unlink()
            deleted = True
        _write(library, [one for one in listed if one is not entry])
    return entry, deleted


def name_for(path: Path) -> str:
    """A name made from that of a file."""
    stem = re.sub(r"(?i)(-\d{5}-of-\d{5})?(\.gguf)+$", "", unicodedata.normalize("NFC", path.name))
    made = re.sub(r"[^\w.-]+", "-", stem).strip("-.")[:NAME_LENGTH].rstrip("-.")
    return made if is_name(made) else f"model-{made}"[:NAME_LENGTH].rstrip("-.")


# --- inside ---------------------------------------------------------------------------------------------------------


def _expanded(path: Path) -> Path:
    """The path with a leading `~` filled in where that says somebody's home."""
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def _find(name: str, listed: list[LibraryEntry]) -> LibraryEntry | None:
    return next((entry for entry in listed if folded(entry.name) == folded(name)), None)


def _checked(name: str | None, path: Path) -> str:
    if name is None:
        return name_for(path)
    name = unicodedata.normalize("NFC", name)
    if not is_name(name):
        hint = f"Letters, digits, '-', '_' and '.', up to {NAME_LENGTH}, without .gguf at the end."
        raise BadEngine(f"'{name}' cannot name a model", hint)
    return name


def _refuse_taken(name: str, path: Path, copy: bool, listed: list[LibraryEntry]) -> None:
    entry = _find(name, listed)
    if entry is not None and entry.shipped:
        raise BadEngine(f"'{entry.name}' is the model that comes with Moot", "Choose another name.")
    if entry is not None and (entry.copied or copy or Path(entry.path) != path):
        hint = f"Choose another with --name, or take that one out with `moot models remove {entry.name}`."
        raise BadEngine(f"The library has a model '{entry.name}' already", hint)


def _enter(name: str, file: Path, copied: bool, digested: str, header: GgufHeader, library: Path) -> LibraryEntry:
    """Write an entry into the catalogue; the caller holds the lock."""
    listed = _catalogued(library)
    _refuse_taken(name, file, copied, entries(library))
    entry = LibraryEntry.of(header, file, name=name, copied=copied, sha256=digested)
    _write(library, [one for one in listed if folded(one.name) != folded(name)] + [entry])
    return entry


def _add_copy(source: Path, library: Path, name: str, header: GgufHeader, progress: Progress | None) -> LibraryEntry:
    """Copy a model in; the copy appears whole and listed, or not at all."""
    folder = library / FILES
    folder.mkdir(parents=True, exist_ok=True)
    parts = parts_of(source)
    numbers = [f"-{number:05}-of-{len(parts):05}" for number in range(1, len(parts) + 1)]
    targets = [folder / f"{name}{number}.gguf" for number in (numbers if len(parts) > 1 else [""])]
    if there := next((target for target in targets if target.exists()), None):
        raise BadEngine(f"'{there}' is there already and not in the catalogue", "Move it away first.")
    free = shutil.disk_usage(folder).free
    if free < header.size + SPARE:
        hint = "Free some space, or leave out --copy and use the file where it lies."
        raise BadEngine(f"No room for a copy: {header.size / 1e9:.2f} GB needed, {free / 1e9:.2f} GB free", hint)
    done, sums = 0, []
    try:
        for part, target in zip(parts, targets, strict=True):
            running = sha256()
            with written_whole(target, new=True, binary=True) as written, part.open("rb") as read:
                while block := read.read(BLOCK):
                    written.write(block)
                    running.update(block)
                    done += len(block)
                    if progress is not None:
                        progress(done, header.size)
            sums.append(running.hexdigest())
        read_header(targets[0])
        with _locked(library):
            return _enter(name, targets[0], True, joined_sha256(sums), header, library)
    except BaseException:
        for target in targets:
            target.unlink(missing_ok=True)
        raise


@contextmanager
def _locked(library: Path) -> Iterator[None]:
    library.mkdir(parents=True, exist_ok=True)
    with FileLock(library / LOCK):
        yield


def _write(library: Path, listed: list[LibraryEntry]) -> None:
    catalogue = _Catalogue(format=FORMAT, models=sorted(listed, key=lambda entry: entry.name))
    with written_whole(library / CATALOGUE) as file:
        file.write(catalogue.model_dump_json(indent=1) + "\n")
