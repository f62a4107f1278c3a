"""Plain llama.cpp, for comparison: the shortest loops that do the same work, and llama-cpp-python's own chat API.

Runs as a process of its own (the hidden command `moot _raw`): one JSON object a line in, one out. Times are
milliseconds, tokens are ids. Same settings as the engine: threads, batch size, streams apart, no flash attention.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Tokens = Sequence[int]


def _library() -> Any:
    return importlib.import_module("llama_cpp")


def _now() -> float:
    return time.perf_counter() * 1000


class Loops:
    """A model and a context with `streams` sequences of up to `length` tokens, driven by hand."""

    def __init__(self, path: str, *, length: int, streams: int, threads: int, batch: int) -> None:
        self.lib = lib = _library()
        lib.llama_backend_init()
        settings = importlib.import_module("models.llama.native").model_settings()
        self.model = lib.llama_model_load_from_file(path.encode(), settings)
        if not self.model:
            raise RuntimeError("llama.cpp cannot load the file")
        self.vocab = lib.llama_model_get_vocab(self.model)
        self.size = int(lib.llama_vocab_n_tokens(self.vocab))
        settings = lib.llama_context_default_params()
        settings.n_ctx = length * streams
        settings.n_batch = settings.n_ubatch = self.room = max(batch, streams)
        settings.n_seq_max = streams
        settings.n_threads = settings.n_threads_batch = threads
        settings.flash_attn_type = 0
        settings.kv_unified = False
        settings.swa_full = True
        settings.no_perf = True
        self.context = lib.llama_init_from_model(self.model, settings)
        if not self.context:
            raise RuntimeError("llama.cpp cannot get the memory")
        self.memory = lib.llama_get_memory(self.context)
        self.batch = lib.llama_batch_init(self.room, 0, 1)

    def _decode(self, rows: Sequence[tuple[int, int, int, bool]]) -> None:
        """Evaluate rows of (stream, token, position, whether logits are wanted)."""
        batch = self.batch
        batch.n_tokens = len(rows)
        for at, (stream, token, position, wanted) in enumerate(rows):
            batch.token[at], batch.pos[at], batch.logits[at] = token, position, wanted
            batch.n_seq_id[at] = 1
            batch.seq_id[at][0] = stream
        code = self.lib.llama_decode(self.context, batch)
        if code:
            raise RuntimeError(f"llama_decode returned {code}")

    def _likeliest(self, row: int) -> int:
        logits = self.lib.llama_get_logits_ith(self.context, row)
        return int(np.argmax(np.ctypeslib.as_array(logits, shape=(self.size,))))

    def _read(self, stream: int, tokens: Tokens, start: int) -> int:
        """Evaluate a prompt in batches; the likeliest next token."""
        chunk: Tokens = ()
        for begin in range(0, len(tokens), self.room):
            chunk = tokens[begin : begin + self.room]
            last = begin + len(chunk) == len(tokens)
            rows = [(stream, token, start + begin + at, False) for at, token in enumerate(chunk)]
            rows[-1] = (*rows[-1][:3], last)
            self._decode(rows)
        return self._likeliest(len(chunk) - 1)

    def speed(self, tokens: Tokens, generate: int) -> dict[str, float]:
        """Read a prompt, then generate; both timed. The first token comes with the reading."""
        self.lib.llama_memory_seq_rm(self.memory, 0, -1, -1)
        started = _now()
        token = self._read(0, tokens, 0)
        spoken = _now()
        for at in range(generate - 1):
            self._decode([(0, token, len(tokens) + at, True)])
            token = self._likeliest(0)
        return {"prefill": spoken - started, "decode": _now() - spoken}

    def together(self, prompts: Sequence[Tokens], generate: int) -> dict[str, float]:
        """Read prompts one after another, then generate for all in one batch."""
        for stream in range(len(prompts)):
            self.lib.llama_memory_seq_rm(self.memory, stream, -1, -1)
        started = _now()
        tokens = [self._read(stream, prompt, 0) for stream, prompt in enumerate(prompts)]
        spoken = _now()
        for at in range(generate - 1):
            self._decode([(s, token, len(prompts[s]) + at, True) for s, token in enumerate(tokens)])
            tokens = [self._likeliest(row) for row in range(len(tokens))]
        return {"prefill": spoken - started, "decode": _now() - spoken}

    def turn(self, stream: int, keep: int, singly: Tokens, tokens: Tokens, spoken: Tokens) -> dict[str, float]:
        """One turn with the first `keep` tokens in memory: `singly` one by one, `tokens` at once, then say `spoken`.

        The last spoken token is never evaluated here: it belongs to the next turn.
        """
        self.lib.llama_memory_seq_rm(self.memory, stream, keep, -1)
        started = _now()
        for token in singly:
            self._decode([(stream, token, keep, True)])
            keep += 1
        if tokens:
            self._read(stream, tokens, keep)
        read = _now()
        for at, token in enumerate(spoken[:-1]):
            self._decode([(stream, token, keep + len(tokens) + at, True)])
            self._likeliest(0)
        return {"prefill": read - started, "decode": _now() - read}

    def count(self, pieces: Sequence[tuple[str, bool]]) -> list[int]:
        """How many tokens each text has; `True` beside it: names of special tokens in it are those tokens."""
        counts = []
        for text, special in pieces:
            raw = text.encode("utf-8", "replace")
            buffer = (self.lib.llama_token * (len(raw) + 8))()
            found = self.lib.llama_tokenize(self.vocab, raw, len(raw), buffer, len(buffer), False, special)
            counts.append(int(found))
        return counts

    def names(self, tokens: Sequence[int | None]) -> list[str]:
        """The texts of special tokens, '' for none."""
        found = []
        for token in tokens:
            text = self.lib.llama_vocab_get_text(self.vocab, token) if token is not None and token >= 0 else b""
            found.append((text or b"").decode("utf-8", "replace"))
        return found

    def adds_bos(self) -> bool:
        """Whether a prompt of this model begins with a token of its own."""
        return bool(self.lib.llama_vocab_get_add_bos(self.vocab))


def chat(
    path: str, calls: Sequence[Any], *, length: int, threads: int, batch: int, stateless: bool
) -> dict[str, Any]:
    """The same calls through llama-cpp-python's chat API; `stateless` forgets everything before each one.

    `evaluated` counts the prompt tokens that reach llama.cpp; `counted` is the same by llama.cpp's own counter, which
    leaves out prompts of a single token.
    """
    lib = _library()

    class Counting(lib.Llama):  # type: ignore[misc, name-defined]
        """Notes how many tokens each evaluation is given; the first one of a call is its prompt."""

        fed: list[int] = []

        def eval(self, tokens: Tokens) -> None:
            self.fed.append(len(tokens))
            super().eval(tokens)

    # It loads models by defaults of its own: without what the engine keeps out, see `model_settings`.
    lib.llama_cpp.llama_model_default_params = importlib.import_module("models.llama.native").model_settings
    settings: dict[str, Any] = {"n_ctx": length, "n_batch": batch, "n_ubatch": batch, "flash_attn": False}
    model = Counting(path, n_threads=threads, n_threads_batch=threads, verbose=False, seed=0, **settings)
    if "tokenizer.chat_template" not in model.metadata:
        model.chat_handler = None
        model.chat_format = "chatml"
    turns = []
    for call in calls:
        if stateless:
            model.reset()
        model.fed.clear()
        lib.llama_perf_context_reset(model.ctx)
        messages = [{"role": role, "content": content} for role, content in call["messages"]]
        started = _now()
        made = model.create_chat_completion(
            messages,
            max_tokens=call["max_tokens"],
            temperature=0.0,
            top_k=0,
            top_p=1.0,
            min_p=0.0,
            repeat_penalty=1.0,
        )
        took = _now() - started
        counted = int(lib.llama_perf_context(model.ctx).n_p_eval)
        prompt, generated = made["usage"]["prompt_tokens"], made["usage"]["completion_tokens"]
        first = model.fed[0] if model.fed else 0
        turns.append({"prompt": prompt, "evaluated": first, "counted": counted, "generated": generated, "ms": took})
    return {"turns": turns}


def serve(read: Callable[[], str], write: Callable[[str], object]) -> None:
    """Answer requests `{"do": name, …}` until there are no more; a failure is `{"error": sentence}`."""
    loops: Loops | None = None
    while line := read():
        request = json.loads(line)
        name = request.pop("do")
        try:
            answer: Any
            if name == "open":
                loops = Loops(**request)
                answer = {"adds_bos": loops.adds_bos()}
            elif name == "chat":
                answer = chat(**request)
            elif loops is None:
                answer = {"error": "no model is open"}
            else:
                answer = {"result": getattr(loops, name)(**request)}
        except Exception as error:  # the parent says it in its own words
            answer = {"error": f"{type(error).__name__}: {error}"}
        write(json.dumps(answer) + "\n")


def _quiet() -> Any:
    """Keep llama.cpp's lines off the terminal; the returned callback must stay alive."""
    lib = _library()
    callback = lib.llama_log_callback(lambda level, text, data: None)
    lib.llama_log_set(callback, None)
    return callback


def main() -> None:
    """Speak on the standard input and output as they are at the start; whatever else prints goes to standard
    error."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    callback = _quiet()
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    serve(sys.stdin.readline, out.write)
    del callback
