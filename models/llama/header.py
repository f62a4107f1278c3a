"""What a GGUF file says of itself, as llama.cpp reads it: in a child process, and without the weights.

`read_header` gives a `GgufHeader` or raises `BadEngine` with one sentence; a file that ends llama.cpp ends a child.
A model in parts (`NAME-00001-of-00003.gguf`) is named by its first, which llama.cpp opens; size and sum are those of
all. Sizes are bytes, contexts are tokens.
"""

from __future__ import annotations

import glob
import re
import stat
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

from models.engine import EngineError
from models.errors import BadEngine
from models.llama.process import ChildFailed, EngineProcess
from store import identity
from store.identity import Progress

MISTAKEN: tuple[tuple[bytes, str], ...] = (
    (b"version https://git-lfs", "is a Git LFS pointer, not the model itself"),
    (b"tjgg", "is in the old GGML format"),
    (b"lmgg", "is in the old GGML format"),
    (b"fmgg", "is in the old GGML format"),
    (b"PK\x03\x04", "is a ZIP archive or a PyTorch file, not GGUF"),
    (b"\x1f\x8b", "is a gzip archive, not GGUF"),
    (b"7z\xbc\xaf", "is a 7z archive, not GGUF"),
    (b"Rar!", "is a RAR archive, not GGUF"),
    (b"\x80\x02", "is a Python pickle, not GGUF"),
    (b"%PDF", "is a PDF, not GGUF"),
    (b"<", "is a web page, not a model: the download went wrong"),
    (b"{", "is JSON text, not GGUF"),
)
"""First bytes of what is often mistaken for a GGUF -> what it is."""
UNFIT_KINDS: dict[str, str] = {
    "adapter": "is a LoRA adapter: it needs the model it was made for and does not run alone",
    "mmproj": "is the picture part of a multimodal model; Moot needs its language model",
    "imatrix": "is an importance matrix, a tool for quantising, not a model",
}
"""`general.type` -> why such a file cannot be used."""
TEMPLATE = "tokenizer.chat_template"
INSTALL = "Install it: pip install llama-cpp-python llguidance (compiles for about four minutes)."
AGAIN = "The copy is incomplete or damaged: fetch it again."
NEWER = "Fetch the file again; a family of models that is new needs a newer llama-cpp-python."


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What a sound GGUF says about itself; a number that it does not say is 0."""

    path: Path
    size: int
    architecture: str
    name: str
    quantisation: str
    """As quantisations are called, e.g. "Q4_K_M"; '' where the file does not say."""
    parameters: int
    context: int
    """Tokens that the model was trained for."""
    layers: int
    heads: int
    heads_kv: int
    embedding: int
    """Width of the model: numbers in an embedding."""
    key_length: int
    value_length: int
    vocabulary: int
    template: str | None
    tokenizer: str
    is_embedding: bool
    recurrent: bool
    """Whether there is a state that cannot be rolled back to an earlier place."""
    metadata: Mapping[str, str]
    """Everything but arrays and the template."""
    weights: int
    """Bytes of all tensors."""

    def number(self, key: str, otherwise: int = 0) -> int:
        """A whole number of the architecture, e.g. `block_count`, where the file has one."""
        return _number(self.metadata, f"{self.architecture}.{key}", otherwise)


_PART = re.compile(r"(.+)-(\d{5})(-of-(\d{5})\.gguf)", re.IGNORECASE)


def first_part(path: Path) -> Path:
    """The first file of a model in parts, named by any of them or by the NAME that they share, with or without
    `.gguf`; every other path as it is."""
    if found := _PART.fullmatch(path.name):
        return path.with_name(f"{found[1]}-00001{found[3]}")
    if path.exists():
        return path
    stem = glob.escape(re.sub(r"(?i)\.gguf$", "", path.name))
    begun = [one for one in path.parent.glob(f"{stem}-00001-of-*") if _PART.fullmatch(one.name)]
    return begun[0] if len(begun) == 1 else path


def parts_of(path: Path) -> list[Path]:
    """The files of a model in order, one or several; `BadEngine` names a part that is not there."""
    found = _PART.fullmatch(path.name)
    if found is None:
        return [path]
    parts = [path.with_name(f"{found[1]}-{number:05}{found[3]}") for number in range(1, int(found[4]) + 1)]
    if gone := next((part for part in parts if not part.exists()), None):
        raise BadEngine(
            f"'{path}' is one of {len(parts)} parts of a model, and '{gone.name}' is not there",
            "Put all parts into one folder.",
        )
    return parts


def extent(path: Path) -> tuple[int, int]:
    """Size of a model in all its parts, and when the last of them was changed, in nanoseconds."""
    found = [part.stat() for part in parts_of(path)]
    return sum(one.st_size for one in found), max(one.st_mtime_ns for one in found)


def model_sha256(path: Path, progress: Progress | None = None, *, again: bool = False) -> str:
    """The sha256 of a model: of its file, or of the sums of its parts in order, as hex digits without a break."""
    found = identity.fingerprints(parts_of(path), again=again, progress=progress)
    return joined_sha256([one.sha256 for one in found.values()])


def joined_sha256(sums: Sequence[str]) -> str:
    """The sha256 of a model whose parts have these sums."""
    return sums[0] if len(sums) == 1 else sha256("".join(sums).encode()).hexdigest()


_known: dict[tuple[Path, int, int], GgufHeader] = {}
"""By path, size and time of change."""


def read_header(path: Path, process: EngineProcess | None = None) -> GgufHeader:
    """The header of a GGUF file; `process`: the child to ask, otherwise one that ends at once.

    Raises:
        BadEngine: the file is none or not a sound one, or llama-cpp-python is not installed.
    """
    for part in parts_of(path):
        _check_regular(part)
    key = (path, *extent(path))
    if key not in _known:
        with ExitStack() as after:
            if process is None:
                process = EngineProcess()
                after.callback(process.close)
            _known[key] = _header(path, key[1], _facts(path, process))
    return _known[key]


def _check_regular(path: Path) -> None:
    """Refuse what is no ordinary file that begins as a GGUF does."""
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise BadEngine(f"'{path}' is a folder, not a GGUF file")
        if not stat.S_ISREG(found.st_mode):
            raise BadEngine(f"'{path}' is not an ordinary file")
        with path.open("rb") as file:
            start = file.read(32)
    except (FileNotFoundError, NotADirectoryError):
        raise BadEngine(f"'{path}' does not exist", "`moot models list` shows what is in the library.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadEngine(f"'{path}' cannot be read: {reason}") from None
    if not start:
        raise BadEngine(f"'{path}' is empty", AGAIN)
    if not start.startswith(b"GGUF"):
        begins = start.lstrip(b"\xef\xbb\xbf \r\n\t")
        what = (what for first, what in MISTAKEN if begins.startswith(first))
        raise BadEngine(f"'{path}' {next(what, 'is not a GGUF file')}")


def _facts(path: Path, process: EngineProcess) -> dict[str, Any]:
    try:
        return dict(process.order("facts", path=str(path)))
    except ChildFailed as error:
        if error.kind == "missing":
            raise BadEngine("llama-cpp-python is not installed", INSTALL) from None
        reason = error.title
    except EngineError as error:
        reason = error.title
    raise BadEngine(f"'{path}' is not a file that llama.cpp can read: {' '.join(reason.split())}", NEWER)


def _header(path: Path, size: int, facts: dict[str, Any]) -> GgufHeader:
    metadata: dict[str, str] = facts["metadata"]
    architecture = metadata.get("general.architecture", "")
    template = metadata.pop(TEMPLATE, "").strip("\x00")

    def number(key: str, otherwise: int = 0) -> int:
        return _number(metadata, f"{architecture}.{key}", otherwise)

    context, width = number("context_length"), number("embedding_length")
    if reason := _unfit(metadata, facts) or ("" if context else f"does not say '{architecture}.context_length'"):
        raise BadEngine(f"'{path}' {reason}")
    heads = number("attention.head_count", width // 128)  # by layer: llama.cpp does not tell arrays
    head = width // heads if heads else 0
    return GgufHeader(
        path=path,
        size=size,
        architecture=architecture,
        name=metadata.get("general.name", "").strip()[:200] or path.stem,
        quantisation=facts["quantisation"],
        parameters=facts["parameters"],
        context=context,
        layers=number("block_count"),
        heads=heads,
        heads_kv=number("attention.head_count_kv", heads // 4 if facts["recurrent"] else heads),
        embedding=width,
        key_length=number("attention.key_length", head),
        value_length=number("attention.value_length", head),
        vocabulary=facts["vocabulary"],
        template=template or None,
        tokenizer=metadata.get("tokenizer.ggml.model", ""),
        is_embedding=number("pooling_type") > 0 or metadata.get(f"{architecture}.attention.causal") == "false",
        recurrent=facts["recurrent"],
        metadata=MappingProxyType(metadata),
        weights=facts["weights"],
    )


def _number(metadata: Mapping[str, str], key: str, otherwise: int) -> int:
    text = metadata.get(key, "")
    return int(text) if text.isdecimal() and len(text) < 10 else otherwise


def _unfit(metadata: Mapping[str, str], facts: Mapping[str, Any]) -> str:
    """Why Moot cannot use such a model, as the end of a sentence; '' where it can."""
    if kind := UNFIT_KINDS.get(metadata.get("general.type", "")):
        return kind
    if not facts["parameters"]:
        return "holds a vocabulary and no weights"
    if facts["diffusion"]:
        return "writes by diffusion, not word by word, which Moot cannot use"
    return "is an encoder-decoder model, which Moot cannot use" if facts["encoder"] else ""
