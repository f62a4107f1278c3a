"""Vectors of texts from a GGUF, in the child process: one a text (`embed`), or one a token (`embed_tokens`).

Pooling mean, cls or last makes one vector of a text; None takes what the file says, else the mean. Any model can do
it: an embedding model well, a chat model after a fashion. A text is read as a whole, one at a time.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

import llama_cpp as lib
import numpy as np
from numpy.typing import NDArray

from models.llama.native import Model, NativeError, complaint, complaints

TOKENS, MEAN = 0, 1
POOLINGS = {"mean": MEAN, "cls": 2, "last": 3}
LONGEST = 4096
"""Tokens of one text; an encoder has to read a text as a whole."""


class _Encoder:
    """A loaded model, and the context that it reads texts in."""

    def __init__(self, path: str, threads: int, cancelled: Callable[[], bool]) -> None:
        self._cancelled, self._threads = cancelled, threads
        self._context: Any = None
        self.model = Model(path, lambda done: not cancelled())
        self.width = int(lib.llama_model_n_embd_out(self.model.raw))

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text, with those that the tokenizer puts around it."""
        found = [self.model.tokenize(text, special=False, ends=True) for text in texts]
        if [] in found:
            raise NativeError(f"text {found.index([]) + 1} is empty; there is nothing to embed")
        return found

    def open(self, room: int, pooling: int) -> int:
        """Make a context for texts of so many tokens; gives the pooling that it has (-1: what the file says)."""
        settings = lib.llama_context_default_params()
        settings.n_ctx = settings.n_batch = settings.n_ubatch = max(32, room)
        settings.n_seq_max = 1
        settings.n_threads = settings.n_threads_batch = self._threads
        settings.embeddings = True
        settings.flash_attn_type = 0
        settings.pooling_type = pooling
        complaints.clear()
        self._free()
        self._context = lib.llama_init_from_model(self.model.raw, settings)
        if not self._context:
            raise NativeError(complaint("this model gives no embeddings"))
        return int(lib.llama_pooling_type(self._context))

    def vectors(self, ids: Sequence[int], *, per_token: bool) -> NDArray[np.float32]:
        """A row for each token, or one for all."""
        if self._cancelled():
            raise NativeError("cancelled")
        if memory := lib.llama_get_memory(self._context):
            lib.llama_memory_clear(memory, True)
        batch = lib.llama_batch_init(len(ids), 0, 1)
        try:
            batch.n_tokens = len(ids)
            for index, token in enumerate(ids):
                batch.token[index], batch.pos[index], batch.n_seq_id[index] = token, index, 1
                batch.seq_id[index][0], batch.logits[index] = 0, 1
            complaints.clear()
            if code := lib.llama_decode(self._context, batch):
                raise NativeError(complaint(f"llama_decode returned {code}"))
            if not per_token:
                return self._row(lib.llama_get_embeddings_seq(self._context, 0))[None]
            return np.stack([self._row(lib.llama_get_embeddings_ith(self._context, at)) for at in range(len(ids))])
        finally:
            lib.llama_batch_free(batch)

    def close(self) -> None:
        """Free what llama.cpp holds."""
        self._free()
        self.model.close()

    def _row(self, pointer: Any) -> NDArray[np.float32]:
        if not pointer:
            raise NativeError("this model gives no embeddings")
        row: NDArray[np.float32] = np.ctypeslib.as_array(pointer, shape=(self.width,)).copy()
        if not np.isfinite(row).all():
            raise NativeError("the model computes no numbers; its file is damaged")
        return row

    def _free(self) -> None:
        context, self._context = self._context, None
        if context:
            lib.llama_free(context)


def embed(
    path: str, texts: Sequence[str], pooling: str | None, threads: int, cancelled: Callable[[], bool]
) -> list[list[float]]:
    """The vectors of all texts; a text that is too long is an error that names it."""
    with closing(_Encoder(path, threads, cancelled)) as encoder:
        prompts = encoder.ids(texts)
        room, limit = max(map(len, prompts), default=1), min(LONGEST, encoder.model.trained_context)
        if room > limit:
            number = next(i for i, prompt in enumerate(prompts, 1) if len(prompt) == room)
            raise NativeError(f"text {number} has {room} tokens, this model takes {limit}; shorten it")
        if encoder.open(room, POOLINGS[pooling] if pooling else -1) == TOKENS:
            encoder.open(room, MEAN)
        return [encoder.vectors(prompt, per_token=False)[0].tolist() for prompt in prompts]


def embed_tokens(
    path: str, texts: Sequence[str], limit: int, threads: int, cancelled: Callable[[], bool]
) -> dict[str, Any]:
    """The tokens of all texts: {"width", "texts": [{"ids", "special", "cut", "vectors"}]}.

    special: which tokens the tokenizer put around the text; cut: whether it had more than `limit` tokens, those at
    the end are left out, but for a special one; vectors: 32-bit floats as bytes in base64, row after row.
    """
    with closing(_Encoder(path, threads, cancelled)) as encoder:
        model = encoder.model
        ends = {model.bos, model.eos, int(lib.llama_vocab_sep(model.vocab))}
        whole = encoder.ids(texts)
        prompts = [_cut(ids, limit, ends) for ids in whole]
        encoder.open(max(map(len, prompts), default=1), TOKENS)
        found = []
        for ids, all_ids in zip(prompts, whole, strict=True):
            rows = encoder.vectors(ids, per_token=True).astype("<f4").tobytes()
            special, cut = [token in ends for token in ids], len(ids) < len(all_ids)
            found.append({"ids": ids, "special": special, "cut": cut, "vectors": b64encode(rows).decode("ascii")})
        return {"width": encoder.width, "texts": found}


def _cut(ids: list[int], limit: int, ends: set[int]) -> list[int]:
    if len(ids) <= limit:
        return ids
    return [*ids[: limit - 1], ids[-1]] if ids[-1] in ends else ids[:limit]
