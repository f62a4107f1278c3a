"""Vectors of texts from a GGUF, in the child process. A vector is a list of floats as wide as the model.

Pooling "none" gives a vector for every token of a text; mean, cls and last give one a text; None takes what the file says,
else the mean. Any model can do it: an embedding model well, a chat model after a fashion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import llama_cpp as lib
import numpy as np

from models.llama.native import Model, NativeError, last_complaint

POOLINGS = {"none": 0, "mean": 1, "cls": 2, "last": 3}
LONGEST = 4096
"""Tokens of one text; an encoder has to read a text as a whole."""


def embed(
    path: str, texts: Sequence[str], pooling: str | None, threads: int, cancelled: Callable[[], bool]
) -> dict[str, Any]:
    """The vectors of all texts: {"pooling", "width", "vectors"}; a text that is too long is an error that names it."""
    model = Model(path, lambda done: not cancelled())
    context = None
    try:
        prompts = [_tokens(model, text, index) for index, text in enumerate(texts)]
        room = max(map(len, prompts), default=1)
        if room > min(LONGEST, model.trained_context):
            number = next(i for i, prompt in enumerate(prompts, 1) if len(prompt) == room)
            limit = min(LONGEST, model.trained_context)
            raise NativeError(f"text {number} has {room} tokens, this model takes {limit}; shorten it")
        settings = lib.llama_context_default_params()
        settings.n_ctx = settings.n_batch = settings.n_ubatch = max(32, room)
        settings.n_seq_max = 1
        settings.n_threads = settings.n_threads_batch = threads
        settings.embeddings = True
        settings.flash_attn_type = 0
        settings.pooling_type = POOLINGS[pooling] if pooling else -1
        context = lib.llama_init_from_model(model.raw, settings)
        if not context:
            raise NativeError(last_complaint("this model gives no embeddings"))
        chosen = int(lib.llama_pooling_type(context))
        if pooling is None and chosen == 0:
            lib.llama_free(context)
            settings.pooling_type = chosen = POOLINGS["mean"]
            context = lib.llama_init_from_model(model.raw, settings)
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


def _tokens(model: Model, text: str, index: int) -> list[int]:
    raw = text.encode("utf-8", "replace")
    room = len(raw) + 16
    ids = (lib.llama_token * room)()
    count = lib.llama_tokenize(model.vocab, raw, len(raw), ids, room, True, False)
    if count <= 0:
        raise NativeError(f"text {index + 1} is empty; there is nothing to embed")
    return list(ids[:count])


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
        code = lib.llama_decode(context, batch)
        if code:
            raise NativeError(last_complaint(f"llama_decode returned {code}"))
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
