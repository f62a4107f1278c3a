"""A GGUF as a function from texts to vectors, for packs whose articles were embedded with it.

The model lives in a child process that is started by the first text and ends with the object. Vectors are as the model gives
them, one a text; texts are cut to what its context takes, at a token a character, which no Chinese text exceeds by much.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from pathlib import Path

from models.engine import EngineError
from models.errors import BadEngine
from models.llama.engine import INSTALL
from models.llama.header import read_header
from models.llama.memory import refuse_too_large
from models.llama.process import ChildFailed, Process

LONGEST = 2000
"""Characters of a text at most; of a model with a small context fewer."""
SPARE = 12
"""Tokens of a context that are left to special tokens."""


class Embedder:
    """Texts to vectors. `pooling`: mean, cls, last, or None for the file's own.

    Raises:
        BadEngine: the file is no sound GGUF.
    """

    def __init__(self, path: Path, pooling: str | None = None, *, threads: int = 0) -> None:
        header = read_header(path)
        refuse_too_large(header, min(header.context or 512, 512), 1)
        self._path, self._pooling = path, pooling
        self._threads = threads or max(1, (os.cpu_count() or 2) - 1)
        self._most = max(16, min(LONGEST, (header.context or 512) - SPARE))
        self._process: Process | None = None

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each text.

        Raises:
            BadEngine: llama-cpp-python is missing.
            EngineError: the model gives no vector for a text.
        """
        shown = [text[: self._most] or " " for text in texts]
        try:
            told = self._running().order(
                "embed", path=str(self._path), texts=shown, pooling=self._pooling, threads=self._threads
            )
        except ChildFailed as error:
            if error.kind == "missing":
                raise BadEngine("llama-cpp-python is not installed", INSTALL) from None
            raise EngineError(f"'{self._path.name}': {error.title}") from None
        if told["pooling"] == "none":
            raise EngineError(f"'{self._path.name}' gives a vector a token; choose a pooling")
        vectors: list[list[float]] = told["vectors"]
        return vectors

    def _running(self) -> Process:
        if self._process is None:
            self._process = Process()
            self._process.order("hello")
            weakref.finalize(self, self._process.close)
        return self._process

    def close(self) -> None:
        """End the child."""
        if self._process is not None:
            self._process.close()
            self._process = None
