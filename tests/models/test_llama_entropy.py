"""The exact entropy of generated tokens: that of llama.cpp's own logits, the same alone and in a batch, and free when
off."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.engine import Ask, EngineError, Message, Reply, SamplingSettings

pytest.importorskip("llama_cpp")

from models.llama.decoding import Sampler  # noqa: E402
from models.llama.engine import LlamaEngine, LlamaSettings
from models.llama.native import CHUNK, Context, Model  # noqa: E402
from models.llama.process import reply_data, reply_of
from tests.support.gguf_files import tiny_llama
from tests.support.prompt_tokens import tokens_of

pytestmark = pytest.mark.slow

SAID = (Message("system", "你是审判长。"), Message("user", "请陈述诉讼请求。"))
SCHEMA: dict[str, Any] = {
    "type": "object", "properties": {"x": {"type": "string", "maxLength": 6}}, "required": ["x"],
    "additionalProperties": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llama(tmp_path_factory.mktemp("gguf") / "tiny.gguf", quantised="Q8_0", ends=0.5)


@pytest.fixture(scope="module")
def engine(tiny: Path) -> Iterator[LlamaEngine]:
    made = LlamaEngine(tiny, LlamaSettings(ctx=1024, threads=1, slots=4))
    yield made
    made.end()


def question(episode: str = "e", schema: Any = None, **settings: Any) -> Ask:
    return Ask("agent", SAID, "p/1", schema, SamplingSettings(**{"max_tokens": 20, **settings}), episode=episode)


def answered(engine: LlamaEngine, *asks: Ask) -> list[Reply]:
    replies = engine.answer(asks)
    assert not any(isinstance(reply, EngineError) for reply in replies), replies
    return replies  # type: ignore[return-value]


def by_hand(tiny: Path, prompt: list[int], spoken: tuple[int, ...]) -> list[tuple[float, float]]:
    """Entropy and log-probability of every spoken token, term by term from the logits of llama.cpp itself."""
    model = Model(str(tiny), lambda _: True)
    context = Context(model, length=1024, streams=4, threads=1)
    try:
        logits: Any = None
        for start in range(0, len(prompt), CHUNK):
            logits = context.prefill(0, prompt[start : start + CHUNK], start, logits=True)
        found = []
        for at, token in enumerate(spoken):
            row = [float(value) for value in logits]
            top = max(row)
            weights = [math.exp(value - top) for value in row]
            total = math.fsum(weights)
            entropy = -math.fsum(w / total * math.log(w / total) for w in weights if w > 0)
            found.append((entropy, row[token] - top - math.log(total)))
            (logits,) = context.decode([(0, token, len(prompt) + at, True)])
        return found
    finally:
        context.close()
        model.close()


@pytest.mark.parametrize(
    "how",
    [{}, {"temperature": 1.0, "seed": 5}, {"temperature": 0.6, "seed": 5, "top_p": 0.5, "top_k": 40},
        {"repeat_penalty": 1.3},
     {"temperature": 1.0, "seed": 9, "schema": SCHEMA}],
)  # fmt: skip
def test_it_is_that_of_the_whole_softmax_whatever_the_sampling(
    how: dict[str, Any], tiny: Path, engine: LlamaEngine
) -> None:
    (reply,) = answered(engine, question(f"hand-{how}", entropy=True, **how))
    expected = by_hand(tiny, tokens_of(engine, SAID), reply.tokens)
    assert len(reply.entropies) == len(reply.tokens) == len(reply.logprobs) == reply.usage.generated > 0
    assert list(reply.entropies) == pytest.approx([entropy for entropy, _ in expected], abs=1e-6)
    assert [chance.logprob for chance in reply.logprobs] == pytest.approx(
        [chance for _, chance in expected], abs=1e-5
    )
    assert all(chance.top == () for chance in reply.logprobs)
    assert max(reply.entropies) <= math.log(5000)


def test_a_repeat_penalty_looks_back_on_the_prompt(tiny: Path) -> None:
    model = Model(str(tiny), lambda _: True)
    sampler = Sampler(model, question(repeat_penalty=2.0))
    logits = np.zeros(model.size, dtype=np.float32)
    logits[[7, 9]] = 1.0, 0.8
    try:
        drawn = [sampler.draw(logits, bound=False)]
        sampler.prime([7])
        drawn.append(sampler.draw(logits, bound=False))
    finally:
        sampler.close()
        model.close()
    assert drawn == [7, 9]


def test_without_it_nothing_changes(engine: LlamaEngine) -> None:
    how = {"temperature": 1.0, "seed": 3, "logprobs": 2}
    (off,), (on,) = answered(engine, question("off", **how)), answered(engine, question("on", entropy=True, **how))
    assert off.entropies == ()
    assert (off.text, off.tokens, [c.logprob for c in off.logprobs], [c.top for c in off.logprobs]) == (
        on.text, on.tokens, [c.logprob for c in on.logprobs], [c.top for c in on.logprobs],
    )  # fmt: skip
    assert question(max_tokens=5).digest() == question(max_tokens=5, entropy=False).digest()
    assert question(max_tokens=5).digest() != question(max_tokens=5, entropy=True).digest()
    plain = reply_data(Reply("甲"))
    assert reply_of({name: value for name, value in plain.items() if name != "entropies"}) == Reply("甲")
