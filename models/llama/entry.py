"""What the library knows of a model without opening its file. Sizes are bytes, times nanoseconds, contexts tokens."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from models.llama.header import Header

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


class Entry(BaseModel):
    """A model of the library."""

    model_config = ConfigDict(frozen=True)
    name: Annotated[str, AfterValidator(_named)]
    path: str
    """Where the file lies; for one that was copied in, its name in `files/`."""
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
    def of(cls, header: Header, file: Path, *, name: str, copied: bool, sha256: str, shipped: bool = False) -> Entry:
        """The entry of a file as it lies there now; `header` may have been read from what it was copied from."""
        found = file.stat()
        return cls(
            name=name, path=file.name if copied else str(file), copied=copied, size=found.st_size,
            mtime=found.st_mtime_ns, sha256=sha256, architecture=header.architecture,
            quantisation=header.quantisation, parameters=header.parameters, context=header.context,
            has_template=header.template is not None, is_embedding=header.is_embedding, recurrent=header.recurrent,
            shipped=shipped,
        )  # fmt: skip

    def file(self, library: Path) -> Path:
        """Where the file of this entry is."""
        return library / FILES / Path(self.path).name if self.copied else Path(self.path)

    def state(self, library: Path) -> str:
        """`ok`, `missing` (perhaps on a stick that is not plugged in) or `changed` since it was added."""
        try:
            found = self.file(library).stat()
        except OSError:
            return "missing"
        return "ok" if (found.st_size, found.st_mtime_ns) == (self.size, self.mtime) else "changed"
