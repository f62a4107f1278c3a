"""Calls that join and leave the running batch of a local model: `bench_joins.py`, on the 0.5B shape.

Eight episodes speak at a time, each eight times, with lengths of 1 to 8 times `UNIT` tokens in another order each. So
every round of one call an episode has all the lengths, and who waits for it (`rounds`, one batch after the other)
waits for the longest. Beside it: a plain llama.cpp loop with the same joins. Compared within a repeat, one after the
other in turns; printed are ratios of tokens a second, medians of the repeats.

Also: every reply of the joined calls is the one that the plain loop draws, that a call alone draws, and that it draws
when the child is killed in the middle and asked again. The model is written once into Moot's cache (532 MB); takes
about five minutes on two quiet cores, `--quick` less.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from models.engine import Ask, Delta, EngineError, Message, Reply, SamplingSettings  # noqa: E402
from models.llama.engine import LlamaEngine, LlamaSettings  # noqa: E402
from models.llama.native import model_settings  # noqa: E402
from models.llama.sequences import CHUNK  # noqa: E402
from tests.support.gguf_files import half_billion  # noqa: E402
from tests.support.prompt_tokens import tokens_of

EPISODES, UNIT, REPEATS, CONTEXT = 8, 8, 5, 512
KILLS = 2
ROUNDS, RAW = 1.3, 0.95
"""Joined calls against rounds and against the plain loop, at least."""


def lanes(repeat: int, unit: int) -> list[list[Ask]]:
    """The calls of each episode in order; no two calls share a beginning."""
    return [
        [
            Ask(
                "agent",
                (Message("user", f"{repeat}.{episode}.{call} 请发言。"),),
                "bench/joins",
                settings=SamplingSettings(max_tokens=unit * (1 + (episode + call) % EPISODES), thinking=False),
                episode=f"{repeat}.{episode}.{call}",
            )
            for call in range(EPISODES)
        ]
        for episode in range(EPISODES)
    ]


def put(engine: LlamaEngine, ask: Ask, listen: Callable[[Delta], object] | None = None) -> Reply:
    """One call to its end."""
    (reply,) = engine.answer([ask], listen)
    if isinstance(reply, EngineError):
        raise reply
    return reply


def joined(engine: LlamaEngine, calls: Sequence[Sequence[Ask]]) -> list[list[Reply]]:
    """Every episode at its own pace."""
    with ThreadPoolExecutor(EPISODES) as pool:
        return list(pool.map(lambda lane: [put(engine, ask) for ask in lane], calls))


def rounds(engine: LlamaEngine, calls: Sequence[Sequence[Ask]]) -> list[list[Reply]]:
    """One call of every episode at a time; the next ones when the last of them is done."""
    replies = [engine.answer(list(batch)) for batch in zip(*calls, strict=True)]
    assert all(isinstance(reply, Reply) for batch in replies for reply in batch)
    return [list(lane) for lane in zip(*replies, strict=True)]  # type: ignore[arg-type]


class Plain:
    """llama.cpp by hand, with the settings of the engine: `streams` sequences of up to `length` tokens. A call that
    is done gives its stream to the next prompt of its lane."""

    def __init__(self, path: str, *, length: int, streams: int, threads: int, batch: int) -> None:
        self.lib = lib = importlib.import_module("llama_cpp")
        lib.llama_backend_init()
        settings = model_settings()
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

    def _read(self, stream: int, tokens: Sequence[int], start: int) -> int:
        """Evaluate a prompt in batches; the likeliest next token."""
        chunk: Sequence[int] = ()
        for begin in range(0, len(tokens), self.room):
            chunk = tokens[begin : begin + self.room]
            last = begin + len(chunk) == len(tokens)
            rows = [(stream, token, start + begin + at, False) for at, token in enumerate(chunk)]
            rows[-1] = (*rows[-1][:3], last)
            self._decode(rows)
        return self._likeliest(len(chunk) - 1)

    def joined(self, lanes: Sequence[Sequence[tuple[list[int], int]]]) -> list[list[list[int]]]:
        """The likeliest tokens after each (prompt, how many of them)."""
        said: list[list[list[int]]] = [[] for _ in lanes]
        left = [list(lane) for lane in lanes]
        places = [0] * len(lanes)
        goes_on = [False] * len(lanes)
        while any(left) or any(goes_on):
            for stream, lane in enumerate(left):
                while lane and not goes_on[stream]:
                    prompt, _ = lane[0]
                    self.lib.llama_memory_seq_rm(self.memory, stream, -1, -1)
                    token = self._read(stream, prompt, 0)
                    said[stream].append([])
                    places[stream] = len(prompt)
                    goes_on[stream] = self._heard(stream, token, lane, said)
            rows = [stream for stream in range(len(lanes)) if goes_on[stream]]
            if rows:
                self._decode([(s, said[s][-1][-1], places[s], True) for s in rows])
                for row, stream in enumerate(rows):
                    places[stream] += 1
                    goes_on[stream] = self._heard(stream, self._likeliest(row), left[stream], said)
        return said

    def _heard(self, stream: int, token: int, lane: list[tuple[list[int], int]], said: list[list[list[int]]]) -> bool:
        """Take a token in; whether the call goes on."""
        words = said[stream][-1]
        ends = bool(self.lib.llama_vocab_is_eog(self.vocab, token))
        if not ends:
            words.append(token)
        if ends or len(words) == lane[0][1]:
            lane.pop(0)
            return False
        return True


def loop(pipe: Connection, path: str, threads: int) -> None:
    """The plain loop, in a process of its own."""
    llama = importlib.import_module("llama_cpp")
    quiet = llama.llama_log_callback(lambda level, text, data: None)  # must stay alive
    llama.llama_log_set(quiet, None)
    plain = Plain(path, length=CONTEXT, streams=EPISODES, threads=threads, batch=CHUNK)
    while (work := pipe.recv()) is not None:
        pipe.send(plain.joined(work))
    del quiet


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, lowest and highest of the repeats."""
    return {"median": round(median(values), 4), "low": round(min(values), 4), "high": round(max(values), 4)}


def after_kills(engine: LlamaEngine, calls: Sequence[Sequence[Ask]], kills: int) -> list[list[Reply]]:
    """Joined calls whose child is killed at random tokens; what failed is asked again."""
    rng, heard, lock = random.Random(1), [0], threading.Lock()
    moments = sorted(rng.sample(range(1, 40), kills))

    def listen(delta: Delta) -> None:
        with lock:
            heard[0] += delta.phase == "speaking"
            if moments and heard[0] >= moments[0] and engine.process.pid:
                moments.pop(0)
                os.kill(engine.process.pid, signal.SIGKILL)

    def patiently(ask: Ask) -> Reply:
        while True:
            try:
                return put(engine, ask, listen)
            except EngineError as error:
                if "died" not in error.title and "not running" not in error.title:
                    raise

    with ThreadPoolExecutor(EPISODES) as pool:
        replies = list(pool.map(lambda lane: [patiently(ask) for ask in lane], calls))
    assert not moments, "not every kill came"
    return replies


def said(replies: Sequence[Sequence[Reply]]) -> list[list[list[int]]]:
    """The tokens of the replies."""
    return [[list(reply.tokens) for reply in lane] for lane in replies]


def main() -> int:
    """Exit code 0 when every promise held."""
    quick = "--quick" in sys.argv
    unit, repeats = (3, 2) if quick else (UNIT, REPEATS)
    named = [Path(word) for word in sys.argv[1:] if not word.startswith("--")]
    path = named[0] if named else half_billion(Path("unused"), cached=True)
    engine = LlamaEngine(path, LlamaSettings(ctx=CONTEXT, slots=EPISODES))
    there, here = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=loop, args=(there, str(path), engine.threads))
    process.start()
    found: dict[str, list[float]] = {"joined": [], "rounds": [], "raw": []}
    wrong = batch = 0
    try:
        joined(engine, lanes(-1, 1))  # loads the model and measures how many calls may decode together
        for repeat in range(repeats):
            ours, other = lanes(2 * repeat, unit), lanes(2 * repeat + 1, unit)
            heard: dict[str, Any] = {}
            prompts = [
                [(tokens_of(engine, ask.messages, thinking=False), ask.settings.max_tokens) for ask in lane]
                for lane in ours
            ]

            def by_hand(prompts: Any = prompts) -> list[list[list[int]]]:
                here.send(prompts)
                words: list[list[list[int]]] = here.recv()
                return words

            arms: list[tuple[str, Callable[[], Any]]] = [
                ("joined", lambda ours=ours: joined(engine, ours)),  # type: ignore[misc]
                ("rounds", lambda other=other: rounds(engine, other)),  # type: ignore[misc]
                ("raw", by_hand),
            ]
            for name, work in arms[repeat % 3 :] + arms[: repeat % 3]:
                started = time.perf_counter()
                heard[name] = work()
                took = time.perf_counter() - started
                if name == "joined":
                    batch = max(batch, *(reply.usage.batch for lane in heard[name] for reply in lane))
                if name != "raw":
                    heard[name] = said(heard[name])
                found[name].append(sum(len(one) for lane in heard[name] for one in lane) / took)
            wrong += heard["joined"] != heard["raw"]
            print(f"repeat {repeat + 1}: " + ", ".join(f"{name} {speeds[-1]:.1f} t/s" for name,
                speeds in found.items()),
                  flush=True)  # fmt: skip
        calls = lanes(0, unit)[: 2 if quick else EPISODES]
        alone = [[put(engine, ask) for ask in lane] for lane in calls]
        engine.process.kill()
        again = said(joined(engine, calls)) == said(alone)
        killed = sys.platform == "win32" or said(after_kills(engine, calls, KILLS)) == said(alone)
    finally:
        here.send(None)
        process.join()
        engine.end()
    promises = [
        ("calls decoded together", batch, EPISODES),
        ("joined / rounds", spread([a / b for a, b in zip(found["joined"], found["rounds"], strict=True)]), ROUNDS),
        ("joined / plain loop", spread([a / b for a, b in zip(found["joined"], found["raw"], strict=True)]), RAW),
        ("repeats whose tokens are those of the plain loop", repeats - wrong, repeats),
        ("joined as alone", int(again), 1),
        ("after kills as alone", int(killed), 1),
    ]
    missed = 0
    for what, value, least in promises:
        held = (value["median"] if isinstance(value, dict) else value) >= least
        missed += not held
        print(f"{'held  ' if held else 'MISSED'} {what}: {value} >= {least}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
