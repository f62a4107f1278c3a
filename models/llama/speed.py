"""Tokens a second of a local model on this machine as it is now: reading, speaking alone, speaking together.

Measured through the engine, its pipe, template and tokenizer included; medians of a few calls, good enough to plan
with. Every call begins a new episode and a new prompt, so nothing is reused.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from models.engine import Ask, EngineError, Message, Reply, SamplingSettings
from models.llama.engine import LlamaEngine, LlamaSettings

TOGETHER = 4
"""Calls that speak together."""
REPEATS = 3
SPOKEN = 32
"""Tokens of a reply."""
SENTENCES = 12
"""Of the long prompt, about 40 tokens each."""
_FACT = "原告与被告签订买卖合同，约定价款三百八十七万元，分三期支付，逾期交付按日支付万分之五的违约金。"


def measure(path: Path) -> dict[str, Any]:
    """{"prefill", "decode", "together": {calls: of all of them}} in tokens a second, and "threads".

    Raises:
        BadEngine: the file cannot be used, or is an embedding model.
        EngineError: the model cannot be loaded, fails, or says too little to be timed.
    """
    engine = LlamaEngine(path, LlamaSettings(), parallel=TOGETHER)
    try:
        engine.load()
        prefill, decode, together = [], [], []
        for number in range(REPEATS):
            took, (reply,) = _timed(engine, [f"{number}。{_FACT * SENTENCES}请逐条复述。"], 1)
            prefill.append(reply.usage.evaluated / took)
            decode.append(_speaking(engine, 1, f"{number}.1"))
            together.append(_speaking(engine, TOGETHER, f"{number}.{TOGETHER}"))
    finally:
        engine.end()
    speeds = {"prefill": round(median(prefill), 1), "decode": round(median(decode), 1)}
    return {**speeds, "together": {TOGETHER: round(median(together), 1)}, "threads": engine.threads}


def _speaking(engine: LlamaEngine, calls: int, name: str) -> float:
    """Tokens a second of so many calls: what further tokens add to calls for one."""
    first, _ = _timed(engine, [f"{name}.{call}。请从一数到一千。" for call in range(calls)], 1)
    whole, replies = _timed(engine, [f"{name}:{call}。请从一数到一千。" for call in range(calls)], SPOKEN)
    spoken = sum(reply.usage.generated - 1 for reply in replies)
    if spoken < calls:
        raise EngineError("the model says too little to be timed", "A chat model that answers at length is needed.")
    return spoken / (whole - first if whole > first else whole)


def _timed(engine: LlamaEngine, prompts: Sequence[str], tokens: int) -> tuple[float, list[Reply]]:
    """Seconds of one joint call for up to so many tokens each, and the replies."""
    settings = SamplingSettings(max_tokens=tokens, thinking=False)
    asks = [Ask("", (Message("user", prompt),), "speed", settings=settings, episode=prompt) for prompt in prompts]
    started = time.perf_counter()
    replies = engine.answer(asks)
    took = time.perf_counter() - started
    if failed := next((reply for reply in replies if isinstance(reply, EngineError)), None):
        raise failed
    return took, [reply for reply in replies if isinstance(reply, Reply)]
