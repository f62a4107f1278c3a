"""Calls that join and leave the running batch of a local model, with real (tiny, random) weights: not a byte depends
on who else is there, nobody falls silent while another reads, and whoever is done goes at once."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.engine import Ask, ConcurrentEngine, Delta, EngineError, Message, Reply, SamplingSettings
from tests.support.gguf_files import tiny_llama
from tests.support.patience import PATIENCE

pytest.importorskip("llama_cpp")

from models.llama.engine import LlamaEngine, LlamaSettings

pytestmark = pytest.mark.slow

CARD = "你是本案的审判长，请主持庭审，逐项核对当事人的陈述与证据。" * 12
SCHEMA: dict[str, Any] = {
    "type": "object", "properties": {"x": {"type": "string", "maxLength": 20}}, "required": ["x"],
    "additionalProperties": False,
}  # fmt: skip


def question(
    episode: str,
    words: str = "请发言。",
    *,
    card: str = CARD,
    schema: Any = None,
    seat: str = "agent",
    **settings: Any,
) -> Ask:
    said = (Message("system", card), Message("user", words))
    return Ask(seat, said, "t/1", schema, SamplingSettings(**{"max_tokens": 12, **settings}), episode=episode)


def mixed() -> list[Ask]:
    """Calls of many kinds: short and long, with a card in common and without, drawn, bound, measured, reasoning."""
    return [
        question("0", max_tokens=3),
        question("1", "请被告答辩。", max_tokens=60),
        question("2", card="证据" * 400, max_tokens=30),
        question("3", schema=SCHEMA, max_tokens=80),
        question("4", card="短", words="问", max_tokens=25, logprobs=3, entropy=True),
        question("5", max_tokens=40, temperature=0.9, seed=11),
        question("6", "请原告举证。" * 40, max_tokens=10, reasoning=6),
        question("7", card="另一张卡片。" * 30, schema=SCHEMA, temperature=1.3, seed=5, max_tokens=50),
        question("8", max_tokens=1),
        question("9", card="长" * 900, max_tokens=20),
    ]


STRANGERS = [question("bad", repeat_penalty=0.0), replace(question("late", max_tokens=10**6), seconds=0.0)]
"""A call that fails and one whose time is up: they end alone."""


def told(result: Reply | EngineError) -> tuple[object, ...]:
    """All of a reply that belongs to the call and not to its cost."""
    assert isinstance(result, Reply), result
    return result.text, result.reasoning, result.tokens, result.finish, result.logprobs, result.entropies, result.note


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llama(tmp_path_factory.mktemp("gguf") / "tiny.gguf", quantised="Q8_0", ends=0.5)


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llama(tmp_path_factory.mktemp("gguf") / "endless.gguf", quantised="Q8_0", ends=0.0)


@pytest.fixture(scope="module")
def speaker(endless: Path) -> Iterator[LlamaEngine]:
    """Comes to no end by itself."""
    engine = LlamaEngine(endless, LlamaSettings(ctx=4096, threads=1, slots=3, together=3), silence=PATIENCE)
    yield engine
    engine.end()


@pytest.fixture
def opened() -> Iterator[Callable[..., LlamaEngine]]:
    engines: list[LlamaEngine] = []

    def make(path: Path, **settings: int) -> LlamaEngine:
        chosen = LlamaSettings(**{"ctx": 2048, "threads": 1, "slots": 4, **settings})
        engines.append(LlamaEngine(path, chosen, silence=PATIENCE))
        return engines[-1]

    yield make
    for engine in engines:
        engine.end()


def one_by_one(engine: LlamaEngine, asks: Sequence[Ask]) -> dict[str, tuple[object, ...]]:
    return {ask.episode: told(engine.answer([ask])[0]) for ask in asks}


@pytest.fixture(scope="module")
def alone(tiny: Path) -> Iterator[dict[str, tuple[object, ...]]]:
    """What the calls of `mixed` come to one after the other, by episode."""
    engine = LlamaEngine(tiny, LlamaSettings(ctx=2048, threads=1, slots=4), silence=PATIENCE)
    yield one_by_one(engine, mixed())
    engine.end()


def by_threads(engine: LlamaEngine, asks: Sequence[Ask], threads: int) -> list[Reply | EngineError]:
    """Each call by a thread of its own, so many at a time: the next joins when one is done."""
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda ask: engine.answer([ask])[0], asks))


@pytest.mark.parametrize("kind", ["quantised", "floats", "recurrent"])
def test_a_reply_is_the_same_whoever_joins_and_in_any_order(
    kind: str, tiny: Path, tmp_path: Path, recurrent_gguf: Path, request: pytest.FixtureRequest,
    opened: Callable[..., LlamaEngine],
) -> None:  # fmt: skip
    path, asks = tiny, mixed()
    if kind == "quantised":
        alone = request.getfixturevalue("alone")
    else:
        path = tiny_llama(tmp_path / "m.gguf", seed=3) if kind == "floats" else recurrent_gguf
        alone = one_by_one(opened(path), asks)
    engine = opened(path, together=4 * (kind == "quantised"))
    assert isinstance(engine, ConcurrentEngine) and engine.at_once() == 4
    shared = set()
    for order in range(3 if kind == "quantised" else 2):
        random.Random(order).shuffle(asks)
        placed = [replace(ask, episode=f"{order}.{ask.episode}") for ask in (*STRANGERS, *asks)]
        bad, late, *replies = by_threads(engine, placed, 4 if order else len(placed))
        assert isinstance(bad, EngineError) and "repeat_penalty" in bad.title and told(late)[3] == "time_limit"
        assert [told(reply) for reply in replies] == [alone[ask.episode] for ask in asks]
        shared |= {reply.usage.batch for reply in replies if isinstance(reply, Reply)}
    assert (max(shared) > 1) == (kind == "quantised"), "so far as its kernels allow"
    if kind == "quantised":  # how many may decode together is measured here
        everything = opened(path).answer([replace(ask, episode=f"batch.{ask.episode}") for ask in asks])
        assert [told(reply) for reply in everything] == [alone[ask.episode] for ask in asks]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_after_kills_the_replies_are_the_same(
    tiny: Path, alone: dict[str, tuple[object, ...]], opened: Callable[..., LlamaEngine]
) -> None:
    asks, engine = mixed(), opened(tiny)
    left = {phase: threading.Lock() for phase in ("loading", "reading", "speaking")}
    died: list[str] = []

    def listen(delta: Delta) -> None:
        """Ends the child once in each phase."""
        if left[delta.phase].acquire(blocking=False) and engine.process.pid:
            os.kill(engine.process.pid, signal.SIGKILL)

    def patiently(ask: Ask) -> Reply | EngineError:
        while True:
            (result,) = engine.answer([ask], listen)
            if isinstance(result, Reply):
                return result
            assert "died" in result.title or "not running" in result.title, result
            died.append(ask.episode)

    with ThreadPoolExecutor(4) as pool:
        assert [told(reply) for reply in pool.map(patiently, asks)] == [alone[ask.episode] for ask in asks]
    assert died and all(lock.locked() for lock in left.values())


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_seats_that_were_interrupted_get_their_own_words_back(tiny: Path, opened: Callable[..., LlamaEngine]) -> None:
    """The child that a record's turns were told to is gone: the next one is told them again, whoever started it."""
    hot: dict[str, Any] = {"temperature": 2.0, "max_tokens": 40}

    def follow_up(episode: str, record: Reply) -> Ask:
        said = (
            Message("system", CARD), Message("user", "请发言。"), Message("assistant", record.text),
            Message("user", "再问。"),
        )  # fmt: skip
        asked = replace(question(episode, max_tokens=20), messages=said)
        return replace(asked, turns=((record.text, record.tokens),))

    engine = opened(tiny)
    first = [question(str(n), seed=n, **hot) for n in range(6)]
    records = [reply for reply in by_threads(engine, first, 4) if isinstance(reply, Reply)]
    asks = [follow_up(str(n), record) for n, record in enumerate(records)]
    expected = [told(engine.answer([ask])[0]) for ask in asks]
    lengths = [_prompt(engine.answer([replace(ask, episode=f"{ask.episode}'")])[0]) for ask in asks]
    engine.process.kill()
    replies = by_threads(engine, asks, 4)
    assert [told(reply) for reply in replies] == expected
    assert [_prompt(reply) for reply in replies] == lengths


def _prompt(reply: Reply | EngineError) -> int:
    assert isinstance(reply, Reply)
    return reply.usage.evaluated + reply.usage.reused


def test_who_is_done_goes_while_others_speak(speaker: LlamaEngine) -> None:
    """Nobody waits for the longest: with it in flight, far more others than there is room for are answered."""
    engine = speaker
    speaking = threading.Event()
    long: list[Reply | EngineError] = []

    def listen(delta: Delta) -> None:
        if delta.phase == "speaking":
            speaking.set()

    waits = threading.Thread(
        target=lambda: long.extend(
            engine.answer([question("long", card="短", words="问", max_tokens=10**6, temperature=3.0)], listen)
        )
    )
    waits.start()
    assert speaking.wait(PATIENCE)
    short = by_threads(engine, [question(str(n), card="短", max_tokens=5 + n) for n in range(12)], 4)
    assert not long, "it would have been waited for"
    assert [told(reply)[3] for reply in short] == ["length"] * 12
    assert max(reply.usage.batch for reply in short if isinstance(reply, Reply)) > 1
    engine.cancel()
    waits.join(PATIENCE)
    (reply,) = long
    assert told(reply)[3] == "cancelled" and isinstance(reply, Reply) and reply.tokens


def test_cancelling_ends_the_calls_of_all_threads(speaker: LlamaEngine) -> None:
    """Speaking, reading and waiting ones; who asks afterwards is answered."""
    engine = speaker
    engine.load()
    spoke = threading.Event()

    def listen(delta: Delta) -> None:
        if delta.phase == "speaking" and not spoke.is_set():
            spoke.set()

    asks = [question(str(n), card="证" * 1500, max_tokens=10**6) for n in range(6)]
    with ThreadPoolExecutor(6) as pool:
        calls = [pool.submit(engine.answer, [ask], listen) for ask in asks]
        assert spoke.wait(PATIENCE)
        while not all(call.done() for call in calls):  # one of them may be put only now
            engine.cancel()
    assert [told(call.result()[0])[3] for call in calls] == ["cancelled"] * 6
    (after,) = engine.answer([question("after", card="短", max_tokens=3)])
    assert told(after)[3] == "length"
