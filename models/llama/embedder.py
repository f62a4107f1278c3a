"""A GGUF as a function from texts to vectors: one a text, for packs whose articles were embedded with it, or one a
token.

The model lives in a child process that is started by the first text and ends with the object. Vectors are as the
model gives them, pooled as its file says, one a text; a text that it does not take whole has none. Where tokens are
asked for, those beyond the context are left out, and the text says so.
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
from models.errors import chat_model
from models.llama.header import read_header
from models.llama.memory import refuse_too_large
from models.llama.process import ChildFailed, EngineProcess
from store.errors import TextTooLong


class Tokens(NamedTuple):
    """The tokens of a text: ids, which of them the tokenizer put around it, whether some were left out, a row
    each."""

    ids: tuple[int, ...]
    special: tuple[bool, ...]
    cut: bool
    vectors: NDArray[np.float32]


class Embedder:
    """Texts to vectors; `BadEngine` for what is no sound GGUF, for a chat model without `force`, and where
    llama-cpp-python is missing."""

    def __init__(self, path: Path, *, threads: int = 0, force: bool = False) -> None:
        header = read_header(path)
        if not (header.is_embedding or force):
            raise chat_model(path.name)
        refuse_too_large(header, min(header.context, 512), 1)
        self._path = path
        self._threads = threads or max(1, (os.cpu_count() or 2) - 1)
        self.cut = 0
        """Texts of which some tokens were left out."""
        self._process: EngineProcess | None = None
        self._build = ""

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row for each text.

        Raises:
            EngineError: the model gives no vector for a text.
            TextTooLong: it does not take one of them whole.
        """
        reply = self._order("embed", texts=[text or " " for text in texts])
        if too_long := reply.get("too_long"):
            number, tokens, most = too_long
            raise TextTooLong(f"text {number} has {tokens} tokens, this model takes {most}; shorten it")
        return _decoded(reply["vectors"], reply["width"])

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of each text with their vectors of the last layer. No text may be empty. Errors as above."""
        reply = self._order("embed_tokens", texts=list(texts))
        self.cut += sum(text["cut"] for text in reply["texts"])
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
