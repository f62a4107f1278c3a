"""What every engine promises, whatever is behind it: scripted, recorded, endpoint, llama. One set of tests for all.

An engine under test knows `QUESTIONS`; a recorded one knows nothing else and says so, which is an answer too.
"""

from __future__ import annotations

import importlib.util
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from models.engine import Ask, Delta, Engine, EngineError, Message, Reply, SamplingSettings
from models.scripted import RecordedEngine, Script, ScriptedEngine
from tasks.run.engines import open_engine
from tests.support.fake_endpoint import SLOW, FakeServer, default, fake_server
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.slow

WORDS = (
    "原告是谁？",
    "被告是谁？",
    "案由是什么？",
    "管辖法院是哪一家？",
    "诉讼时效是几年？",
    "证据有哪些？",
    "如何判决？",
)
BAD = "这一问会出错"


def question(text: str, number: int = 0, *, schema: Any = None, **settings: Any) -> Ask:
    chosen = SamplingSettings(**{"max_tokens": 24, "temperature": 0.0, "seed": 5, **settings})
    messages = (Message("system", "你是律师。"), Message("user", text))
    return Ask("agent", messages, "test/1", schema, chosen, episode=f"e{number}", step=1)


QUESTIONS = [question(text, number, seed=number) for number, text in enumerate(WORDS)]
DRAWN = [question(WORDS[0], 9, temperature=1.0, seed=seed) for seed in (1, 2, 3, 4)]


@dataclass
class Kind:
    """An engine and how to provoke it. None: this kind cannot be provoked so."""

    name: str
    open: Callable[[], Engine]
    bad: Ask | None = None
    """A question that fails, alone among others."""
    slow: Ask | None = None
    """A question that takes until it is cancelled."""
    full: bool = False
    """Whether its context can be full."""


SCRIPT = {"otherwise": [f"答复{n}" for n in range(50)]}


def scripted(stack: ExitStack, folder: Path, tiny: Callable[[], Path]) -> Kind:
    path = folder / "script.json"
    path.write_text(json.dumps({**SCRIPT, "failure_rate": 0.02}), encoding="utf-8")
    engine = open_engine(f"scripted:{path}")
    tries = (question(BAD, seed=seed) for seed in range(9, 2000))
    bad = next(ask for ask in tries if isinstance(engine.answer([ask])[0], EngineError))
    return Kind("scripted", lambda: open_engine(f"scripted:{path}"), bad)


def slow_scripted(stack: ExitStack, folder: Path, tiny: Callable[[], Path]) -> Kind:
    path = folder / "slow.json"
    path.write_text(json.dumps({**SCRIPT, "delay_ms": [60_000, 60_000]}), encoding="utf-8")
    return Kind("slow script", lambda: open_engine(f"scripted:{path}"), slow=QUESTIONS[0])


def recorded(stack: ExitStack, folder: Path, tiny: Callable[[], Path]) -> Kind:
    known = [*QUESTIONS, *DRAWN]
    replies = ScriptedEngine(Script.model_validate(SCRIPT)).answer(known)
    record = {ask.digest(): reply for ask, reply in zip(known, replies, strict=True) if isinstance(reply, Reply)}
    return Kind("recorded", lambda: RecordedEngine(record, "r"), question(BAD))


def endpoint(stack: ExitStack, folder: Path, tiny: Callable[[], Path]) -> Kind:
    server: FakeServer = stack.enter_context(fake_server())
    server.chat = lambda call: call.refuse(500, "unlucky") if BAD in str(call.body) else default(server, call)
    spec = f"endpoint:{server.spec}"
    return Kind("endpoint", lambda: open_engine(spec, parallel=3), question(BAD), question(SLOW), full=True)


def llama(stack: ExitStack, folder: Path, tiny: Callable[[], Path]) -> Kind:
    if importlib.util.find_spec("llama_cpp") is None:
        pytest.skip("no llama.cpp here")
    spec = f"llama:{tiny()}#ctx=2048,threads=1,slots=3"
    bad = question(BAD, 3, schema={"type": "string", "pattern": "^(?=x)"})
    return Kind("llama", lambda: open_engine(spec, parallel=3), bad, question(SLOW, max_tokens=10**6), full=True)


KINDS = {
    "scripted": scripted,
    "slow script": slow_scripted,
    "recorded": recorded,
    "endpoint": endpoint,
    "llama": llama,
}
ANSWERING = [name for name in KINDS if name != "slow script"]


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], tuple[Kind, Engine]]]:
    """The kinds, each opened once for the tests that do not close it."""
    made: dict[str, tuple[Kind, Engine]] = {}

    def tiny() -> Path:
        from tests.support.gguf_files import tiny_llama

        return tiny_llama(tmp_path_factory.mktemp("gguf") / "endless.gguf", ends=0.0)

    with ExitStack() as stack:

        def get(name: str) -> tuple[Kind, Engine]:
            if name not in made:
                kind = KINDS[name](stack, tmp_path_factory.mktemp(name.replace(" ", "-")), tiny)
                engine = kind.open()
                stack.callback(engine.close)
                made[name] = (kind, engine)
            return made[name]

        yield get


@pytest.fixture(params=ANSWERING)
def kind(request: pytest.FixtureRequest, kinds: Callable[[str], tuple[Kind, Engine]]) -> Kind:
    return kinds(request.param)[0]


@pytest.fixture
def engine(kind: Kind, kinds: Callable[[str], tuple[Kind, Engine]]) -> Engine:
    return kinds(kind.name)[1]


def texts(results: list[Reply | EngineError]) -> list[str]:
    assert all(isinstance(result, Reply) for result in results), results
    return [result.text for result in results if isinstance(result, Reply)]


def sound(results: list[Reply | EngineError], asks: list[Ask]) -> None:
    """One result each, and nothing in them that a record could not hold."""
    assert len(results) == len(asks)
    for result in results:
        if isinstance(result, EngineError):
            assert str(result) and "\n" not in result.title and "Traceback" not in str(result)
            assert not result.title.endswith(".")
            continue
        used = result.usage
        assert min(used.evaluated, used.reused, used.generated) >= 0 and used.milliseconds >= 0 and used.batch >= 1
        assert result.finish in ("stop", "length", "cancelled", "context_full")
        assert bool(result.note) or result.finish != "context_full", "a full context is said in a sentence"
        json.dumps([[chance.logprob, chance.top] for chance in result.logprobs], allow_nan=False)
        assert all(isinstance(token, int) for token in result.tokens)


# --- order, batches, repetition -------------------------------------------------------------------------------------


def test_a_batch_answers_in_order_as_each_call_alone(engine: Engine) -> None:
    alone = [texts(engine.answer([ask]))[0] for ask in QUESTIONS]
    assert len(set(alone)) > 1
    assert texts(engine.answer(QUESTIONS)) == alone
    assert texts(engine.answer(QUESTIONS[::-1])) == alone[::-1]
    assert texts(engine.answer([QUESTIONS[0]] * 2)) == [alone[0]] * 2
    assert engine.answer([]) == []


def test_a_seed_repeats_and_another_differs(engine: Engine) -> None:
    once = texts(engine.answer(DRAWN))
    assert texts(engine.answer(DRAWN)) == once
    assert texts([engine.answer([ask])[0] for ask in DRAWN]) == once
    assert len(set(once)) > 1


# --- one bad call ---------------------------------------------------------------------------------------------------


def test_an_error_in_one_call_leaves_the_others(kind: Kind, engine: Engine) -> None:
    assert kind.bad is not None
    asks = [QUESTIONS[0], kind.bad, QUESTIONS[1]]
    results = engine.answer(asks)
    sound(results, asks)
    assert isinstance(results[1], EngineError)
    assert texts([results[0], results[2]]) == texts(engine.answer(QUESTIONS[:2]))


# --- cancelling -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["slow script", "endpoint", "llama"])
def test_a_call_keeps_to_its_time(kinds: Callable[[str], tuple[Kind, Engine]], name: str) -> None:
    """It ends with what it has when its seconds are over, and leaves the engine as it was."""
    kind, engine = kinds(name)
    assert kind.slow is not None
    for seconds in (0.1, 0.0):
        (result,) = engine.answer([replace(kind.slow, seconds=seconds)])
        assert isinstance(result, Reply) and result.finish == "time_limit"
    if name != "slow script":
        late, *others = engine.answer([replace(kind.slow, seconds=0.1), *QUESTIONS[:2]])
        assert isinstance(late, Reply) and late.finish == "time_limit"
        assert texts(others) == texts(engine.answer(QUESTIONS[:2]))


@pytest.mark.parametrize("name", ["slow script", "endpoint", "llama"])
def test_cancel_from_another_thread(name: str, kinds: Callable[[str], tuple[Kind, Engine]]) -> None:
    kind, engine = kinds(name)
    assert kind.slow is not None
    asks = [replace(kind.slow, episode=f"slow{n}") for n in range(4)]
    over = threading.Event()

    def cancel() -> None:
        while not over.wait(0.02):
            engine.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    try:
        results = engine.answer(asks)
    finally:
        over.set()
        thread.join()
    sound(results, asks)
    assert [result.finish for result in results if isinstance(result, Reply)] == ["cancelled"] * 4
    if name != "slow script":
        assert texts(engine.answer(QUESTIONS[:2])) == texts(engine.answer(QUESTIONS[:2])), "it works on"


def test_cancel_when_idle_is_harmless(engine: Engine) -> None:
    before = texts(engine.answer(QUESTIONS[:2]))
    engine.cancel()
    engine.cancel()
    assert texts(engine.answer(QUESTIONS[:2])) == before


def test_news_comes_in_the_thread_that_asked(kind: Kind, engine: Engine) -> None:
    heard: list[tuple[Delta, int]] = []
    asks = QUESTIONS[:3]
    results = engine.answer(asks, lambda delta: heard.append((delta, threading.get_ident())))
    sound(results, asks)
    assert {ident for _, ident in heard} <= {threading.get_ident()}
    assert {(delta.episode, delta.seat) for delta, _ in heard} <= {(ask.episode, ask.seat) for ask in asks}
    for asked, result in zip(asks, results, strict=True):
        spoken = "".join(d.text for d, _ in heard if d.episode == asked.episode and d.phase == "speaking")
        assert isinstance(result, Reply) and spoken in ("", result.text)
        assert not kind.full or 0 < result.usage.generated <= asked.settings.max_tokens


# --- closing --------------------------------------------------------------------------------------------------------


def test_another_engine_of_the_same_spec_is_the_same_until_it_is_closed(
    kind: Kind, engine: Engine, tmp_path_factory: pytest.TempPathFactory
) -> None:
    before, first = set(threading.enumerate()), engine.describe()
    expected = texts(engine.answer(QUESTIONS))
    other = kind.open()
    other.cancel()
    assert json.loads(json.dumps(first, allow_nan=False)) == first == engine.describe() == other.describe()
    assert isinstance(first["kind"], str)
    assert str(tmp_path_factory.getbasetemp()) not in json.dumps(first), "folders are nobody's business"
    assert texts(other.answer(QUESTIONS)) == expected
    other.close()
    other.close()
    try:
        results = other.answer(QUESTIONS[:2])
    except EngineError as error:
        results = [error, error]
    sound(results, QUESTIONS[:2])
    assert all(isinstance(result, EngineError) and "closed" in str(result) for result in results)
    other.cancel()
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=PATIENCE)
        assert not thread.is_alive(), f"{thread.name} outlives its engine"


def test_an_engine_that_never_spoke_can_be_closed(kind: Kind) -> None:
    kind.open().close()


# --- what nobody should ask -----------------------------------------------------------------------------------------

NONSENSE: list[dict[str, Any]] = [
    {"temperature": float("nan")}, {"temperature": -1.0}, {"top_p": 0.0, "temperature": 1.0}, {"top_k": -3},
    {"max_tokens": 0}, {"stop": ("",)}, {"seed": -1}, {"min_p": 7.0, "temperature": 1.0}, {"repeat_penalty": 0.0},
    {"logprobs": 10**6},
]  # fmt: skip


def test_settings_without_meaning(engine: Engine) -> None:
    before = texts(engine.answer(QUESTIONS[:1]))
    nonsense = [question(WORDS[0], 20 + number, **settings) for number, settings in enumerate(NONSENSE)]
    asks = [*nonsense, QUESTIONS[1]]
    results = engine.answer(asks)
    sound(results, asks)
    assert isinstance(results[-1], Reply), "the call beside them is none the worse"
    assert texts(engine.answer(QUESTIONS[:1])) == before


def test_a_full_context_is_an_answer(kind: Kind, engine: Engine) -> None:
    asks = [question("长" * 5000, 30), QUESTIONS[0], question("长" * 2040, 31, max_tokens=5000)]
    results = engine.answer(asks)
    sound(results, asks)
    if kind.full:
        assert isinstance(results[0], Reply) and results[0].finish == "context_full"
    assert isinstance(results[1], Reply)
