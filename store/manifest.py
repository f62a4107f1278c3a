"""The manifest of a pack: what the folder says about itself, and the proof that its bytes are the ones written.

`manifest.json` is written in one canonical form and carries a seal (sha256 of that form without the seal), so a
changed byte is found in it as well as in the files that it lists. Sizes are in bytes, hashes are sha256 in hex.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from store import identity, places, placing
from store.errors import BadInput, DamagedData, NotFound
from store.files import read_whole
from store.schema import Provenance

FORMAT = "moot-pack/1"
"""The pack format that this version writes and reads; packs of earlier development versions say a number."""

FILE = placing.MANIFEST
CORPUS = "corpus.db"
_LARGEST = 16_000_000
"""Bytes of a manifest; that of the sample has 5,000."""

_NAME = re.compile(r"[^\W_][\w.\-]{0,63}")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def _inside(path: str) -> str:
    parts = path.split("/")
    if not path or "\\" in path or ":" in path or any(part in ("", ".", "..") for part in parts):
        raise ValueError(f"a path outside the pack: {path!r}")
    return path


PackFile = Annotated[str, AfterValidator(_inside)]
"""A path inside the pack, with forward slashes."""


def _named(name: str) -> str:
    if not is_name(name):
        raise ValueError(f"{name[:80]!r} cannot name a pack")
    return name


class Counts(BaseModel):
    """How much of everything the pack holds: rows a table, texts a corpus, articles, web pages, tasks a benchmark."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    tables: dict[str, int]
    documents: dict[str, int]
    statutes: int = 0
    pages: int = 0
    tasks: dict[str, int]


class MergedPack(BaseModel):
    """A pack that was merged into another. hash: identity of its contents."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str
    hash: str
    source: str


class Manifest(BaseModel):
    """What a pack says about itself."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: str
    name: Annotated[str, AfterValidator(_named)]
    jurisdiction: str
    as_of: str
    source: str
    licence: str
    coverage: Literal["complete", "harvest"]
    provenance: list[Provenance]
    counts: Counts
    segmenter: str
    embedder: dict[str, Any] | None = None
    built: str
    files: dict[PackFile, str]
    sizes: dict[PackFile, int]
    parts: list[MergedPack] = []
    """The packs that it was merged from, the one that wins first."""

    @property
    def hash(self) -> str:
        """Identity of the contents: sha256 over the sorted file hashes (name and time of building do not count)."""
        lines = "".join(f"{digest}  {path}\n" for path, digest in sorted(self.files.items()))
        return hashlib.sha256(lines.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class PackFault:
    """One thing that is wrong with a pack: the file, what was expected and what is there."""

    file: str
    problem: str
    expected: str = ""
    actual: str = ""

    def __str__(self) -> str:
        if self.expected and self.actual:
            return f"{self.file}: {self.problem} (expected {self.expected}, actual {self.actual})"
        return f"{self.file}: {self.problem}"


def is_name(name: str) -> bool:
    """Whether it can name a pack: a folder name on every system, and no path."""
    return bool(_NAME.fullmatch(name)) and not name.endswith(".") and not _RESERVED.fullmatch(name)


def check_name(name: str) -> str:
    """The name itself when it can name a folder on every system.

    Raises:
        BadInput: it cannot.
    """
    if not is_name(name):
        raise BadInput(f"{name!r} cannot name a pack", "Use letters, digits, '-', '_' and '.', up to 64 characters.")
    return name


def locate(name_or_path: str | Path) -> Path:
    """The folder of a pack, given its name or a path to it.

    Raises:
        NotFound: there is no such folder.
    """
    text = str(name_or_path)
    bare = isinstance(name_or_path, str) and not {"/", os.sep} & set(text) and text not in (".", "..")
    candidates = [places.packs() / text, Path(text)] if bare else [Path(text)]
    for folder in candidates:
        if (folder / FILE).is_file() or (placing.recover(folder) and (folder / FILE).is_file()):
            return folder.absolute()
    damaged = next((folder for folder in candidates[:1] if folder.is_dir()), None)
    if damaged is not None:
        raise DamagedData(f"{damaged} is not a pack: it has no {FILE}", "Build or import it again.")
    if not bare:
        raise NotFound(f"No pack at {text}", "`moot data list` shows the packs.")
    hint = "Build it: moot data build sample" if text == "sample" else "`moot data list` shows the packs."
    raise NotFound(f"There is no pack named {text}", hint)


def installed() -> Iterator[Path]:
    """Folders of the installed packs, by name."""
    folder = places.packs()
    if not folder.is_dir():
        return
    placing.recover_all(folder)
    for path in sorted(folder.iterdir()):
        if not path.name.startswith(".") and path.is_dir():
            yield path


def write(folder: Path, manifest: Manifest) -> Path:
    """Write the manifest in its canonical form with its seal."""
    path = folder / FILE
    path.write_bytes(_sealed(manifest))
    return path


def read(folder: Path) -> Manifest:
    """Read and check a manifest: readable, known format, its seal, sizes of the listed files (not their hashes), and
    that a pack in the user's folder goes by the name of its own folder.

    Raises:
        NotFound: there is none.
        Damaged: it cannot be read or was changed, says another name, or a file is missing or has another size.
        BadInput: another format number.
    """
    manifest, raw = _parse(folder)
    if raw != _sealed(manifest):
        raise DamagedData(f"{folder / FILE} is damaged: changed after writing", "Build or import it again.")
    for file, size in manifest.sizes.items():
        problem = _size_problem(folder, file, size)
        if problem is not None:
            raise DamagedData(f"Pack {manifest.name} is damaged: {problem}", "Build or import it again.")
    being_made = folder.name.startswith(".")
    if manifest.name != folder.name and folder.parent == places.packs() and not being_made:
        raise DamagedData(
            f"{folder} says that it is the pack {manifest.name}", "Give the folder that name, or remove it."
        )
    return manifest


def check(folder: Path, manifest: Manifest, files: Iterable[str]) -> dict[str, identity.Fingerprint]:
    """What files of a pack are; each holds the bytes that the manifest lists. A file that has been seen is not read
    again.

    Raises:
        Damaged: one of them holds others, or cannot be read.
    """
    paths = {file: os.path.join(folder, file) for file in files}
    try:
        fingerprints = identity.fingerprints(paths.values())
        # Nobody is told of damage on the word of a cache.
        doubted = [path for file, path in paths.items() if fingerprints[path].sha256 != manifest.files[file]]
        fingerprints |= identity.fingerprints(doubted, again=True)
    except (NotFound, BadInput) as error:
        raise DamagedData(f"Pack {manifest.name} is damaged: {error.title}", "Build or import it again.") from None
    for file, path in paths.items():
        if fingerprints[path].sha256 != manifest.files[file]:
            raise DamagedData(
                f"{path} is damaged: its sha256 differs from the manifest of pack {manifest.name}",
                "Build or import the pack again.",
            )
    return {file: fingerprints[path] for file, path in paths.items()}


def problems(folder: Path) -> list[PackFault]:
    """Everything that differs from what was written: each file is read and hashed, extra files are named."""
    try:
        manifest, raw = _parse(folder)
    except (DamagedData, BadInput) as error:
        return [PackFault(FILE, error.title)]
    sealed = _sealed(manifest)
    if raw != sealed:
        # Its hashes may be what has changed, so nothing else can be judged by them.
        return [PackFault(FILE, "changed after writing", _seal_in(raw), _seal_in(sealed))]
    found: list[PackFault] = []
    for file, expected in sorted(manifest.files.items()):
        problem = _size_problem(folder, file, manifest.sizes.get(file, -1))
        if problem is not None and problem.problem != "size":
            found.append(problem)
            continue
        try:
            actual = identity.read_all(folder / file)
        except (NotFound, BadInput) as error:
            found.append(PackFault(file, error.title))
            continue
        if actual != expected:
            found.append(PackFault(file, "sha256 differs", expected, actual))
    listed = {*manifest.files, FILE}
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder).as_posix()
        if (path.is_symlink() or not path.is_dir()) and relative not in listed:
            found.append(PackFault(relative, "not in the manifest"))
    return found


def _sealed(manifest: Manifest) -> bytes:
    content = manifest.model_dump(mode="json")
    seal = hashlib.sha256(_canonical(content)).hexdigest()
    return _canonical({**content, "seal": seal})


def _canonical(content: dict[str, Any]) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def _seal_in(raw: bytes) -> str:
    return str(json.loads(raw).get("seal", "no seal"))


def _parse(folder: Path) -> tuple[Manifest, bytes]:
    path = folder / FILE
    try:
        raw = read_whole(path, _LARGEST)
    except NotFound:
        raise NotFound(f"No pack at {folder}", "`moot data list` shows the packs.") from None
    except BadInput as error:
        raise DamagedData(error.title, "Build or import it again.") from None
    try:
        content = json.loads(raw)
        if not isinstance(content, dict):
            raise ValueError("not an object")
        if isinstance(content.get("format"), int):
            raise BadInput(
                f"{folder} was made by an earlier development version of Moot", "Build or import it again."
            )
        if isinstance(name := content.get("format"), str) and name != FORMAT:
            raise BadInput(
                f"{path} has pack format {name[:40]}; this version reads {FORMAT}", "Build or import it again."
            )
        content.pop("seal", None)
        manifest = Manifest.model_validate(content)
        if set(manifest.files) != set(manifest.sizes):
            raise ValueError("files and sizes differ")
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise DamagedData(f"{path} is damaged: {where}: {first['msg']}", "Build or import it again.") from None
    except (ValueError, RecursionError) as error:
        raise DamagedData(f"{path} is damaged: {error}", "Build or import it again.") from None
    return manifest, raw


def _size_problem(folder: Path, file: str, size: int) -> PackFault | None:
    try:
        found = os.lstat(os.path.join(folder, file))
    except OSError:
        return PackFault(file, "missing")
    if not stat.S_ISREG(found.st_mode):
        return PackFault(file, "missing")
    return None if found.st_size == size else PackFault(file, "size", f"{size} bytes", f"{found.st_size} bytes")
