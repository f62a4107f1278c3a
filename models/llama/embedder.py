"""A GGUF as a function from texts to vectors: one a text, for packs whose articles were embedded with it, or one a
token.

The model lives in a child process that is started by the first text and ends with the object. Vectors are as the
model gives them, one a text; texts are cut to what its context takes, at a token a character, which no Chinese text
exceeds by much. Where tokens are asked for, texts are cut by tokens, and say so.
"""

from __future__ import annotations

import os
import weakref
from base64 import b64decode
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.engine import EngineError
from models.llama.header import read_header
from models.llama.memory import refuse_too_large
from models.llama.process import ChildFailed, EngineProcess

LONGEST = 2000
"""Characters of a text at most; of a model with a small context fewer."""
SPARE = 12
"""Tokens of a context that are left to special tokens."""
MOST_TOKENS = 4096
"""Of a text whose tokens are asked for: an encoder has to read a text as a whole."""


class Tokens(NamedTuple):
    """The tokens of a text: ids, which of them the tokenizer put around it, whether some were left out, a row
    each."""

    ids: tuple[int, ...]
    special: tuple[bool, ...]
    cut: bool
    vectors: NDArray[np.float32]


class Embedder:
    """Texts to vectors. `pooling`: mean, cls, last, or None for the file's own.

    Raises:
        BadEngine: the file is no sound GGUF, or llama-cpp-python is missing.
    """

    def __init__(self, path: Path, pooling: str | None = None, *, threads: int = 0) -> None:
        header = read_header(path)
        refuse_too_large(header, min(header.context, 512), 1)
        self._path, self._pooling = path, pooling
        self._threads = threads or max(1, (os.cpu_count() or 2) - 1)
        self._most = max(16, min(LONGEST, header.context - SPARE))
        self._limit = min(MOST_TOKENS, header.context)
        self.encodes = header.is_embedding
        """Whether it was made for vectors; a chat model gives some after a fashion."""
        self._process: EngineProcess | None = None
        self._build = ""

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row for each text.

        Raises:
            EngineError: the model gives no vector for a text.
        """
        shown = [text[: self._most] or " " for text in texts]
        reply = self._order("embed", texts=shown, pooling=self._pooling)
        return _decoded(reply["vectors"], reply["width"])

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of each text with their vectors of the last layer. No text may be empty. Errors as above."""
        reply = self._order("embed_tokens", texts=list(texts), limit=self._limit)
        return [
            Tokens(
                tuple(text["ids"]), tuple(text["special"]), bool(text["cut"]),
                _decoded(text["vectors"], reply["width"]),
            )
            for text in reply["texts"]
        ]  # fmt: skip

    def _order(self, op: str, **what: Any) -> Any:
        try:
            return self._running().order(op, path=str(self._path), threads=self._threads, **what)
        except ChildFailed as error:
            raise EngineError(f"'{self._path.name}': {error.title}") from None

    def _running(self) -> EngineProcess:
        if self._process is None:
            self._process = EngineProcess()
            self._build = str(self._process.order("hello")["build"]["llama-cpp-python"])
            weakref.finalize(self, self._process.close)
        return self._process

    def build(self) -> str:
        """Which llama-cpp-python computes. Errors as above."""
        self._running()
        return self._build

    def close(self) -> None:
        """End the child."""
        if self._process is not None:
            self._process.close()
            self._process = None


def _decoded(vectors: str, width: int) -> NDArray[np.float32]:
    return np.frombuffer(b64decode(vectors), dtype="<f4").reshape(-1, width)
