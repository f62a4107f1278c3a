"""What the library knows of a model without opening its file. Sizes are bytes, times nanoseconds, contexts tokens."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from models.llama.header import Header

FILES = "files"
"""Folder of the library with the files that were copied in."""


class Entry(BaseModel):
    """A model of the library."""

    model_config = ConfigDict(frozen=True)
    name: str
    path: str
    """Where the file lies; for one that was copied in, its name in `files/`."""
    copied: bool
    size: int = Field(ge=0)
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
