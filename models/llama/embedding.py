"""Vectors of texts from a GGUF, in the child process. A vector is a list of floats as wide as the model.

Pooling "none" gives a vector for every token of a text; mean, cls and last give one a text; None takes what the file
says, else the mean. Any model can do it: an embedding model well, a chat model after a fashion. `embed_tokens` gives
the tokens with the vector of each, of the last layer.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from typing import Any

import llama_cpp as lib
import numpy as np

from models.llama.native import Model, NativeError, complaint, complaints

POOLINGS = {"none": 0, "mean": 1, "cls": 2, "last": 3}
LONGEST = 4096
"""Tokens of one text; an encoder has to read a text as a whole."""


def embed(
    path: str, texts: Sequence[str], pooling: str | None, threads: int, cancelled: Callable[[], bool]
) -> dict[str, Any]:
    """The vectors of all texts: {"pooling", "width", "vectors"}; a text that is too long is an error that names
    it."""
    model = Model(path, lambda done: not cancelled())
    context = None
    try:
        prompts = [_tokens(model, text, index) for index, text in enumerate(texts)]
        room = max(map(len, prompts), default=1)
        if room > min(LONGEST, model.trained_context):
            number = next(i for i, prompt in enumerate(prompts, 1) if len(prompt) == room)
            limit = min(LONGEST, model.trained_context)
            raise NativeError(f"text {number} has {room} tokens, this model takes {limit}; shorten it")
        context = _opened(model, room, POOLINGS[pooling] if pooling else -1, threads)
        chosen = int(lib.llama_pooling_type(context))
        if pooling is None and chosen == 0:
            lib.llama_free(context)
            chosen = POOLINGS["mean"]
            context = _opened(model, room, chosen, threads)
        width = int(lib.llama_model_n_embd_out(model.raw))
        vectors = []
        for prompt in prompts:
            if cancelled():
                raise NativeError("cancelled")
            vectors.append(_vector(context, prompt, width, per_token=chosen == 0))
        names = {value: name for name, value in POOLINGS.items()}
        return {"pooling": names.get(chosen, str(chosen)), "width": width, "vectors": vectors}
    finally:
        if context:
            lib.llama_free(context)
        model.close()


def embed_tokens(
    path: str, texts: Sequence[str], limit: int, threads: int, cancelled: Callable[[], bool]
) -> dict[str, Any]:
    """The tokens of all texts: {"width", "texts": [{"ids", "special", "cut", "vectors"}]}.

    special: which tokens the tokenizer put around the text; cut: whether it had more than `limit` tokens, those at
    the end are left out, but for a special one; vectors: 32-bit floats as bytes in base64, row after row.
    """
    model = Model(path, lambda done: not cancelled())
    context = None
    try:
        ends = {model.bos, model.eos, int(lib.llama_vocab_sep(model.vocab))}
        whole = [_tokens(model, text, index) for index, text in enumerate(texts)]
        prompts = [_cut(ids, limit, ends) for ids in whole]
        rows = []
        context = _opened(model, max(map(len, prompts), default=1), POOLINGS["none"], threads)
        width = int(lib.llama_model_n_embd_out(model.raw))
        for prompt in prompts:
            if cancelled():
                raise NativeError("cancelled")
            found = np.asarray(_vector(context, prompt, width, per_token=True), dtype="<f4")
            rows.append(b64encode(found.tobytes()).decode("ascii"))
        return {
            "width": width,
            "texts": [
                {"ids": ids, "special": [token in ends for token in ids], "cut": len(ids) < len(all_), "vectors": row}
                for ids, all_, row in zip(prompts, whole, rows, strict=True)
            ],
        }
    finally:
        if context:
            lib.llama_free(context)
        model.close()


def _cut(ids: list[int], limit: int, ends: set[int]) -> list[int]:
    if len(ids) <= limit:
        return ids
    return [*ids[: limit - 1], ids[-1]] if ids[-1] in ends else ids[:limit]


def _opened(model: Model, room: int, pooling: int, threads: int) -> object:
    """A context for texts of so many tokens, one at a time."""
    settings = lib.llama_context_default_params()
    settings.n_ctx = settings.n_batch = settings.n_ubatch = max(32, room)
    settings.n_seq_max = 1
    settings.n_threads = settings.n_threads_batch = threads
    settings.embeddings = True
    settings.flash_attn_type = 0
    settings.pooling_type = pooling
    complaints.clear()
    context = lib.llama_init_from_model(model.raw, settings)
    if not context:
        raise NativeError(complaint("this model gives no embeddings"))
    return context


def _tokens(model: Model, text: str, index: int) -> list[int]:
    ids = model.tokenize(text, special=False, ends=True)
    if not ids:
        raise NativeError(f"text {index + 1} is empty; there is nothing to embed")
    return ids


def _vector(context: object, prompt: Sequence[int], width: int, *, per_token: bool) -> object:
    memory = lib.llama_get_memory(context)
    if memory:
        lib.llama_memory_clear(memory, True)
    batch = lib.llama_batch_init(len(prompt), 0, 1)
    try:
        batch.n_tokens = len(prompt)
        for index, token in enumerate(prompt):
            batch.token[index], batch.pos[index], batch.n_seq_id[index] = token, index, 1
            batch.seq_id[index][0], batch.logits[index] = 0, 1
        complaints.clear()
        code = lib.llama_decode(context, batch)
        if code:
            raise NativeError(complaint(f"llama_decode returned {code}"))
        if per_token:
            return [_row(lib.llama_get_embeddings_ith(context, index), width) for index in range(len(prompt))]
        return _row(lib.llama_get_embeddings_seq(context, 0), width)
    finally:
        lib.llama_batch_free(batch)


def _row(pointer: object, width: int) -> list[float]:
    if not pointer:
        raise NativeError("this model gives no embeddings")
    row = np.ctypeslib.as_array(pointer, shape=(width,))
    if not np.isfinite(row).all():
        raise NativeError("the model computes no numbers; its file is damaged")
    return [float(value) for value in row]
