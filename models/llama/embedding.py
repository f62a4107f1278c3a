"""Vectors of texts from a GGUF, in the child process: one a text (`embed`), or one a token (`embed_tokens`).

One vector of a text is pooled as the file says, else it is the mean. Any model can do it: an embedding model well, a
chat model after a fashion. A text is read as a whole; short ones are read together,
each as a sequence of its own. Vectors leave the process as 32-bit floats in base64, row after row.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import llama_cpp as lib
import numpy as np
from numpy.typing import NDArray

from models.llama.native import Model, NativeError, complaint, complaints

OF_FILE, TOKENS, MEAN = -1, 0, 1
LONGEST = 4096
"""Tokens of one text; an encoder has to read a text as a whole."""
BATCH_TOKENS, BATCH_TEXTS = 128, 16
"""Most of one decode, unless a text is longer. On a processor more is no quicker: attention grows with the square."""
Ids = list[int]


class Encoder:
    """A loaded model, and the context that it reads texts in; the context grows with the texts."""

    def __init__(self, path: str, threads: int, cancelled: Callable[[], bool]) -> None:
        self.path, self._threads = path, threads
        self._context: Any = None
        self._opened = (0, 0)
        """Tokens that the context takes, and the pooling that was asked for."""
        self.model = Model(path, lambda done: not cancelled())
        self._limit = min(LONGEST, self.model.trained_context)
        self.width = int(lib.llama_model_n_embd_out(self.model.raw))

    def embed(self, texts: Sequence[str], cancelled: Callable[[], bool]) -> dict[str, Any]:
        """{"width", "vectors"} of all texts; where one is too long, {"too_long"}: its number, tokens, most tokens."""
        prompts = self._ids(texts)
        longest = max(map(len, prompts), default=1)
        if longest > self._limit:
            number = next(i for i, prompt in enumerate(prompts, 1) if len(prompt) == longest)
            return {"too_long": [number, longest, self._limit]}
        self._open(longest, OF_FILE)
        rows = [
            self._row(lib.llama_get_embeddings_seq(self._context, sequence))
            for batch in _batches(prompts)
            for sequence in self._decode(batch, cancelled)
        ]
        return {"width": self.width, "vectors": _encoded(rows)}

    def embed_tokens(self, texts: Sequence[str], cancelled: Callable[[], bool]) -> dict[str, Any]:
        """The tokens of all texts: {"width", "texts": [{"ids", "special", "cut", "vectors"}]}.

        special: which tokens the tokenizer put around the text; cut: whether it had more tokens than the model takes,
        those at the end are left out, but for a special one; vectors: a row for each token.
        """
        model = self.model
        ends = {model.bos, model.eos, int(lib.llama_vocab_sep(model.vocab))}
        whole = self._ids(texts)
        prompts = [_cut(ids, self._limit, ends) for ids in whole]
        self._open(max(map(len, prompts), default=1), TOKENS)
        vectors = []
        for batch in _batches(prompts):
            self._decode(batch, cancelled)
            at = 0
            for ids in batch:
                places = range(at, at := at + len(ids))
                vectors.append(_encoded([self._row(lib.llama_get_embeddings_ith(self._context, n)) for n in places]))
        return {
            "width": self.width,
            "texts": [
                {"ids": ids, "special": [token in ends for token in ids], "cut": ids != uncut, "vectors": rows}
                for ids, uncut, rows in zip(prompts, whole, vectors, strict=True)
            ],
        }

    def close(self) -> None:
        """Free what llama.cpp holds."""
        self._free()
        self.model.close()

    def _ids(self, texts: Sequence[str]) -> list[Ids]:
        """The tokens of each text, with those that the tokenizer puts around it."""
        found = [self.model.tokenize(text, special=False, ends=True) for text in texts]
        if [] in found:
            raise NativeError(f"text {found.index([]) + 1} is empty; there is nothing to embed")
        return found

    def _open(self, longest: int, pooling: int) -> None:
        """Make a context for such texts, unless it is there. Pooling OF_FILE: what it says, else the mean."""
        room = longest + -longest % BATCH_TOKENS  # llama.cpp gives up where sequences do not divide it
        if self._opened[0] >= room and self._opened[1] == pooling:
            return
        settings = lib.llama_context_default_params()
        settings.n_ctx = settings.n_batch = settings.n_ubatch = room
        settings.n_seq_max = BATCH_TEXTS
        settings.kv_unified = True
        settings.n_threads = settings.n_threads_batch = self._threads
        settings.embeddings = True
        settings.flash_attn_type = 0
        settings.pooling_type = pooling
        complaints.clear()
        self._free()
        self._context = lib.llama_init_from_model(self.model.raw, settings)
        if pooling == OF_FILE and self._context and lib.llama_pooling_type(self._context) == TOKENS:
            settings.pooling_type = MEAN
            self._free()
            self._context = lib.llama_init_from_model(self.model.raw, settings)
        if not self._context:
            raise NativeError(complaint("this model gives no embeddings"))
        self._opened = room, pooling

    def _decode(self, texts: Sequence[Ids], cancelled: Callable[[], bool]) -> range:
        """Read some texts in one batch; gives the sequences that they are now."""
        if cancelled():
            raise NativeError("cancelled")
        if memory := lib.llama_get_memory(self._context):
            lib.llama_memory_clear(memory, True)
        tokens = [(token, at, sequence) for sequence, ids in enumerate(texts) for at, token in enumerate(ids)]
        batch = lib.llama_batch_init(len(tokens), 0, 1)
        try:
            batch.n_tokens = len(tokens)
            for index, (token, at, sequence) in enumerate(tokens):
                batch.token[index], batch.pos[index], batch.n_seq_id[index] = token, at, 1
                batch.seq_id[index][0], batch.logits[index] = sequence, 1
            complaints.clear()
            if code := lib.llama_decode(self._context, batch):
                raise NativeError(complaint(f"llama_decode returned {code}"))
        finally:
            lib.llama_batch_free(batch)
        return range(len(texts))

    def _row(self, pointer: Any) -> NDArray[np.float32]:
        if not pointer:
            raise NativeError("this model gives no embeddings")
        row: NDArray[np.float32] = np.ctypeslib.as_array(pointer, shape=(self.width,)).copy()
        if not np.isfinite(row).all():
            raise NativeError("the model computes no numbers; its file is damaged")
        return row

    def _free(self) -> None:
        context, self._context, self._opened = self._context, None, (0, 0)
        if context:
            lib.llama_free(context)


def _batches(prompts: Sequence[Ids]) -> Iterator[list[Ids]]:
    """Texts that are read in one decode, in their order."""
    batch: list[Ids] = []
    for ids in prompts:
        if batch and (len(batch) == BATCH_TEXTS or sum(map(len, batch)) + len(ids) > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(ids)
    if batch:
        yield batch


def _encoded(rows: Sequence[NDArray[np.float32]]) -> str:
    return b64encode(b"".join(row.astype("<f4").tobytes() for row in rows)).decode("ascii")


def _cut(ids: Ids, limit: int, ends: set[int]) -> Ids:
    if len(ids) <= limit:
        return ids
    return [*ids[: limit - 1], ids[-1]] if ids[-1] in ends else ids[:limit]
