"""The only module that touches llama.cpp, through the low-level calls of llama-cpp-python. Lives in the child
process.

Units: tokens are ids of the model's vocabulary, positions count from 0 within a sequence, sizes are bytes. One
`Context` holds several sequences, each in a stream of its own (`kv_unified` off) and without flash attention: so the
numbers of a sequence do not depend on what its neighbours hold, which is what makes calls repeat byte for byte.
"""

from __future__ import annotations

import ctypes
import os
import re
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import llama_cpp as lib
import numpy as np
from numpy.typing import NDArray

CHUNK = 256
"""Prompt tokens evaluated at a time: the grain of cancelling, and part of what makes a call repeat."""
ERROR_LEVEL = 4
Tokens = Sequence[int]
Logits = NDArray[np.float32]
Row = tuple[int, int, int, bool]
"""A token on its own: stream, token, position, whether its logits are wanted."""

FILE_TYPES: dict[str, int] = {
    name.split("_", 3)[3]: getattr(lib, name) for name in dir(lib) if re.match("LLAMA_FTYPE_(ALL|MOSTLY)_", name)
}
"""Name of a quantisation -> `general.file_type`, as the binding has them."""

complaints: deque[str] = deque(maxlen=12)
"""Error lines of llama.cpp: the reason when something fails."""
_SPEAKER = re.compile(r"^\w+: (?=.)")
"""The function of llama.cpp that speaks."""


def _note(level: int, text: bytes, _: Any) -> None:
    if level == ERROR_LEVEL and text.strip():
        complaints.append(text.decode("utf-8", "replace").strip())


_log_callback = lib.llama_log_callback(_note)


class NativeError(Exception):
    """llama.cpp refused; the text is its own complaint where it made one."""


def start() -> None:
    """Make llama.cpp ready and silent; its error lines are kept in `complaints`."""
    lib.llama_log_set(_log_callback, ctypes.c_void_p(0))
    lib.llama_backend_init()


def build() -> dict[str, str]:
    """Which llama.cpp this is: version of the binding and what the library was compiled for."""
    return {"llama-cpp-python": lib.__version__, "system": lib.llama_print_system_info().decode().strip()}


def model_settings() -> Any:
    """How models are loaded: on the processor, with weights repacked for it, but never for the tiles of AMX.

    GCC drops the stores that set tiles up (its `_tile_loadconfig` claims to read 8 of their 64 bytes), so that such a
    build ends the process at the first prompt; and tiles add up in another order than single rows do, so that a call
    beside others would not repeat. llama.cpp has one switch for both kinds of repacking: servers with AMX do without
    either.
    """
    settings = lib.llama_model_default_params()
    settings.n_gpu_layers = 0
    settings.use_extra_bufts = "AMX_INT8 = 1" not in lib.llama_print_system_info().decode()
    return settings


def complaint(otherwise: str) -> str:
    """What llama.cpp said first since the step began, or `otherwise`: what it says after is that the step failed."""
    return _SPEAKER.sub("", complaints[0]) if complaints else otherwise


class Model:
    """A loaded model: weights and vocabulary. `progress` is told 0..1 while loading and stops it by returning False.

    `words_only`: the vocabulary without weights, for counting tokens.
    """

    def __init__(self, path: str, progress: Callable[[float], bool], *, words_only: bool = False) -> None:
        complaints.clear()
        settings = model_settings()
        settings.vocab_only = words_only
        self._progress = lib.llama_progress_callback(lambda done, _: bool(progress(float(done))))
        settings.progress_callback = self._progress
        self.raw = lib.llama_model_load_from_file(os.fsencode(path), settings)
        if not self.raw:
            raise NativeError(complaint("llama.cpp does not say why"))
        self.vocab = lib.llama_model_get_vocab(self.raw)
        self.size = int(lib.llama_vocab_n_tokens(self.vocab))
        self.trained_context = int(lib.llama_model_n_ctx_train(self.raw))
        self.rolls_back = not (lib.llama_model_is_recurrent(self.raw) or lib.llama_model_is_hybrid(self.raw))
        self.adds_bos = bool(lib.llama_vocab_get_add_bos(self.vocab))
        self.bos = int(lib.llama_vocab_bos(self.vocab))
        self.eos = int(lib.llama_vocab_eos(self.vocab))
        self._buffer = ctypes.create_string_buffer(512)
        self._pieces: dict[int, bytes] = {}

    def tokenize(self, text: str, *, special: bool, ends: bool = False) -> list[int]:
        """Token ids of a text; with `special` the names of special tokens in it are those tokens, else plain text.
        `ends`: between the tokens that the model wants at both ends."""
        raw = text.encode("utf-8", "replace")
        if not raw and not ends:
            return []
        room = len(raw) + 8
        ids = (lib.llama_token * room)()
        count = lib.llama_tokenize(self.vocab, raw, len(raw), ids, room, ends, special)
        if count < 0:
            ids = (lib.llama_token * -count)()
            count = lib.llama_tokenize(self.vocab, raw, len(raw), ids, -count, ends, special)
        return list(ids[: max(0, count)])

    def piece(self, token: int) -> bytes:
        """The bytes that a token stands for; special tokens by name."""
        known = self._pieces.get(token)
        if known is None:
            length = lib.llama_token_to_piece(self.vocab, token, self._buffer, len(self._buffer), 0, True)
            if length < 0:
                buffer = ctypes.create_string_buffer(-length)
                length = lib.llama_token_to_piece(self.vocab, token, buffer, -length, 0, True)
                known = buffer.raw[:length]
            else:
                known = self._buffer.raw[:length]
            self._pieces[token] = known
        return known

    def ends(self, token: int) -> bool:
        """Whether the token ends a turn."""
        return bool(lib.llama_vocab_is_eog(self.vocab, token))

    def is_control(self, token: int) -> bool:
        """Whether the token is a control token, which must never come out of plain text."""
        return bool(lib.llama_vocab_is_control(self.vocab, token))

    def specials(self) -> list[str]:
        """The names of all control and user-defined tokens: what a template may write and a content may not."""
        marks = lib.LLAMA_TOKEN_ATTR_CONTROL | lib.LLAMA_TOKEN_ATTR_USER_DEFINED
        found = (token for token in range(self.size) if lib.llama_vocab_get_attr(self.vocab, token) & marks)
        names = (self.piece(token).decode("utf-8", "replace") for token in found)
        return [name for name in names if name.strip()]

    def name_of(self, token: int) -> str:
        """A token's name, '' for none."""
        return self.piece(token).decode("utf-8", "replace") if 0 <= token < self.size else ""

    def facts(self) -> dict[str, Any]:
        """What the file says of itself; needs no weights. Metadata are texts, without arrays."""
        raw, metadata = self.raw, {}
        for index in range(lib.llama_model_meta_count(raw)):
            key = self._text(lambda *buffer, at=index: lib.llama_model_meta_key_by_index(raw, at, *buffer))
            metadata[key] = self._text(
                lambda *buffer, at=index: lib.llama_model_meta_val_str_by_index(raw, at, *buffer)
            )
        kind = metadata.get("general.file_type", "")
        return {
            "metadata": metadata,
            "quantisation": next((name for name, value in FILE_TYPES.items() if str(value) == kind), ""),
            "parameters": int(lib.llama_model_n_params(raw)),
            "weights": int(lib.llama_model_size(raw)),
            "vocabulary": self.size,
            "recurrent": not self.rolls_back,
            "encoder": bool(lib.llama_model_has_encoder(raw)),
            "diffusion": bool(lib.llama_model_is_diffusion(raw)),
        }

    def _text(self, written: Callable[..., int]) -> str:
        """A text that llama.cpp writes into a buffer, whose length it gives however long the buffer is."""
        room = max(0, written(self._buffer, len(self._buffer))) + 1
        buffer = ctypes.create_string_buffer(room)
        written(buffer, room)
        return buffer.value.decode("utf-8", "replace")

    def close(self) -> None:
        """Free the weights."""
        if self.raw:
            lib.llama_model_free(self.raw)
            self.raw = None


class Context:
    """Memory for `streams` sequences of up to `length` tokens each."""

    def __init__(self, model: Model, *, length: int, streams: int, threads: int) -> None:
        complaints.clear()
        self.model = model
        self.streams = streams
        settings = lib.llama_context_default_params()
        settings.n_ctx = length * streams
        settings.n_batch = settings.n_ubatch = max(CHUNK, streams)
        settings.n_seq_max = streams
        settings.n_threads = settings.n_threads_batch = threads
        settings.flash_attn_type = 0
        settings.kv_unified = False
        settings.swa_full = True
        settings.no_perf = True
        self.raw = lib.llama_init_from_model(model.raw, settings)
        if not self.raw:
            raise NativeError(complaint("the memory could not be had"))
        self.length = int(lib.llama_n_ctx_seq(self.raw))
        self._memory = lib.llama_get_memory(self.raw)
        self._room = int(settings.n_batch)
        self._batch = lib.llama_batch_init(self._room, 0, 1)
        self._token = np.ctypeslib.as_array(self._batch.token, shape=(self._room,))
        self._pos = np.ctypeslib.as_array(self._batch.pos, shape=(self._room,))
        self._wanted = np.ctypeslib.as_array(self._batch.logits, shape=(self._room,))
        for index in range(self._room):
            self._batch.n_seq_id[index] = 1

    def prefill(self, stream: int, tokens: Tokens, start: int, *, logits: bool) -> Logits | None:
        """Evaluate up to `CHUNK` tokens of one sequence from position `start`; the last one's logits if wanted."""
        count = len(tokens)
        self._batch.n_tokens = count
        self._token[:count] = tokens
        self._pos[:count] = range(start, start + count)
        self._wanted[:count] = 0
        self._wanted[count - 1] = logits
        for index in range(count):
            self._batch.seq_id[index][0] = stream
        self._decode()
        return self._logits(count - 1) if logits else None

    def decode(self, rows: Sequence[Row]) -> list[Logits | None]:
        """One token each of several sequences by rising stream; the logits of those rows that want them."""
        count = len(rows)
        self._batch.n_tokens = count
        for index, (stream, token, position, wanted) in enumerate(rows):
            self._token[index], self._pos[index], self._wanted[index] = token, position, wanted
            self._batch.seq_id[index][0] = stream
        self._decode()
        return [self._logits(index) if row[-1] else None for index, row in enumerate(rows)]

    def _decode(self) -> None:
        complaints.clear()
        code = lib.llama_decode(self.raw, self._batch)
        if code:
            raise NativeError(complaint(f"llama_decode returned {code}"))

    def _logits(self, index: int) -> Logits:
        """A view that holds until the next evaluation."""
        return np.ctypeslib.as_array(lib.llama_get_logits_ith(self.raw, index), shape=(self.model.size,))

    def cut(self, stream: int, length: int) -> bool:
        """Forget everything of a sequence from position `length` on. False when the memory cannot be rolled back
        so."""
        return bool(lib.llama_memory_seq_rm(self._memory, stream, length, -1))

    def clear(self, stream: int) -> None:
        """Forget a sequence."""
        lib.llama_memory_seq_rm(self._memory, stream, -1, -1)

    def save(self, stream: int) -> bytes:
        """The memory of one sequence."""
        size = int(lib.llama_state_seq_get_size(self.raw, stream))
        buffer = (ctypes.c_uint8 * size)()
        written = int(lib.llama_state_seq_get_data(self.raw, buffer, size, stream))
        return bytes(memoryview(buffer)[:written])

    def restore(self, stream: int, saved: bytes) -> bool:
        """Bring a saved memory back, into any stream. False when it does not fit."""
        self.clear(stream)
        buffer = (ctypes.c_uint8 * len(saved)).from_buffer_copy(saved)
        return bool(lib.llama_state_seq_set_data(self.raw, buffer, len(saved), stream))

    def close(self) -> None:
        """Free the memory."""
        if self.raw:
            lib.llama_batch_free(self._batch)
            lib.llama_free(self.raw)
            self.raw = None


def together(model: Model, streams: int, threads: int) -> tuple[int, int]:
    """How many sequences may be decoded in one batch without a bit of their numbers changing, and from how many it
    pays.

    Measured here and now. Kernels for one row and for several rows add in different orders for some weight types:
    then only 1 is exact. And a batch of two or three rows can cost more than the rows one after the other; which way
    is taken changes the time alone, never the numbers.
    """
    rng = np.random.default_rng(1)
    prompt, spoken = (rng.integers(0, model.size, size).tolist() for size in (8, 2))
    start = len(prompt)
    context = Context(model, length=256, streams=streams, threads=threads)
    try:
        for stream in range(streams):
            context.prefill(stream, prompt, 0, logits=False)
        singly, alone = _timed(context, 1, spoken, start)
        pays = 0
        for count in range(2, streams + 1):
            for stream in range(count):
                if not context.cut(stream, start):
                    return 1, 2
            jointly, joint = _timed(context, count, spoken, start)
            if not all(
                np.array_equal(row[0], other) for row, rows in zip(alone, joint, strict=True) for other in rows
            ):
                return count - 1, pays or count
            if not pays and jointly < count * singly:
                pays = count
        return streams, pays or streams + 1
    finally:
        context.close()


def _timed(context: Context, count: int, spoken: Tokens, start: int) -> tuple[float, list[list[Logits]]]:
    """The quickest of some joint steps in seconds, and the logits of each."""
    steps, times = [], []
    for at, token in enumerate(spoken):
        began = time.perf_counter()
        rows = context.decode([(stream, token, start + at, True) for stream in range(count)])
        times.append(time.perf_counter() - began)
        steps.append([row.copy() for row in rows if row is not None])
    return min(times), steps
