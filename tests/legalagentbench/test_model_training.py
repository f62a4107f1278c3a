"""What the model in the box is trained on, by what, and what comes of it: packaging/train, in a few steps and small
sizes.

Training itself needs JAX; those tests are skipped where it is not installed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, cast

import numpy as np
import pytest

from store.pack import Pack
from tasks.episode.driver import Driver, Limits
from tasks.episode.events import AttemptStarted, Seated
from tasks.legalagentbench.benchmark import LegalAgentBench
from tasks.legalagentbench.questions import load_questions
from tasks.run.spec import RunSpec
from tests.support.policy_stage import Actor

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging" / "train"))
import rollouts  # noqa: E402
from rollouts import HOPS, Jurisdiction, Maker, Split, fresh, tasks_of  # noqa: E402
from vocabulary import NOT_FOUND, Vocabulary, vocabulary  # noqa: E402

pytestmark = pytest.mark.slow


@cache
def words() -> Vocabulary:
    return vocabulary()


@cache
def lands() -> tuple[Jurisdiction, Jurisdiction]:
    return fresh("test/a", words().letters), fresh("test/b", words().letters)


def some(count: int, side: str = "known", strangers: float = 0.2) -> tuple[Maker, list[dict[str, Any]]]:
    rng = Random(f"some/{side}")
    maker = Maker(lands()[0], rng, Split(1, side), lands()[1])
    return maker, list(tasks_of(maker, rng, count, HOPS, strangers))


def played(policy: str, task: dict[str, Any], actor: Actor, tmp_path: Path) -> Driver:
    """The task, driven by the product over the rows of the jurisdiction."""
    file = tmp_path / "tasks.jsonl"
    file.write_text(json.dumps({"id": "1", **task}, ensure_ascii=False), encoding="utf-8")
    program = LegalAgentBench().program(cast(Pack, lands()[0]), load_questions(file), RunSpec(benchmark="b"))
    driver = Driver("0", 1, program, lambda: 0.0, lambda: 0.0, Limits(turns=20))
    card = {"id": "1", "question": task["question"]}
    driver.note(AttemptStarted(benchmark="b", task_id="1", attempt=1, seed=7, card=card), step=0)
    driver.note(Seated(seat="agent", policy=policy, engine="toy:x" if "react" in policy else ""), step=0)
    while not driver.stopped:
        driver.advance()
        while driver.ask is not None:
            (reply,) = actor.answer([driver.ask])
            driver.reply(reply)
            driver.resume()
    return driver


def test_training_text_is_what_the_compact_agent_sends_and_gold_does(tmp_path: Path) -> None:
    maker, tasks = some(12)
    assert {task["answer"] == NOT_FOUND for task in tasks} == {True, False}
    for task in tasks:
        *told, last = maker.conversation(task)
        said = [message.content for message in (*told, last) if message.role == "assistant"]
        actor = Actor(lambda ask, number, said=said: said[number - 1])  # type: ignore[misc]
        played("react/1+compact", task, actor, tmp_path)
        assert list(actor.asks[-1].messages) == told and len(actor.asks) == len(said)
        gold = played("gold/1", task, Actor(lambda ask, number: ""), tmp_path)
        seen = [r.event.observation for r in gold.state.records if r.event.tag == "tool_returned"]
        heard = [m.content for m in told if m.role == "user"][1:]
        assert all(one.startswith(f"观察：{other}") for one, other in zip(heard, seen, strict=True))
        assert all(key in last.content for key in task["key"])


def test_what_is_held_out_is_not_trained_on() -> None:
    for hops in (2, 3):
        known, held = (set(map(repr, rollouts.paths(hops, 1, side))) for side in (False, True))
        assert held and not known & held
    known, held = (tomllib.loads(rollouts.wordings(1, side)) for side in ("known", "held"))
    split = [(set(forms), set(held["link"][key])) for key, forms in known["link"].items()]
    assert all(one == other or other - one for one, other in split) and any(one != other for one, other in split)


def test_the_shipped_model_has_the_vocabulary_that_would_be_trained() -> None:
    gguf = pytest.importorskip("gguf")
    field = gguf.GGUFReader(ROOT / "models" / "tiny" / "moot-tiny.gguf").fields["tokenizer.ggml.tokens"]
    assert [bytes(field.parts[at]).decode() for at in field.data] == [text for text, _ in words().tokens]


def llama(path: Path) -> Any:
    llama_cpp = pytest.importorskip("llama_cpp")
    return llama_cpp.Llama(
        str(path), n_ctx=512, n_threads=1, n_threads_batch=1, logits_all=True, verbose=False, type_k=0, type_v=0
    )


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two folders in which a network of a tenth of the size was trained for four steps, in one with a break after
    two."""
    pytest.importorskip("jax")
    import batches
    import network
    import train

    shape = network.Shape(len(words()), width=64, layers=2, feed=96)

    def trained(name: str) -> None:
        train.train(tmp_path / name, 4, 2, shape=shape, tasks=12, copies=8)

    ahead = batches.ahead

    def broken(first: int, *rest: Any) -> Any:
        for number, made in enumerate(ahead(first, *rest), first):
            if number == 2:
                raise KeyboardInterrupt
            yield made

    monkeypatch.setattr(batches, "ahead", broken)
    with pytest.raises(KeyboardInterrupt):
        trained("broken")
    monkeypatch.setattr(batches, "ahead", ahead)
    trained("broken")
    trained("whole")
    return tmp_path


def test_an_interrupted_training_comes_to_the_same_and_llama_cpp_computes_it(small: Path) -> None:
    import convert
    import jax.numpy as jnp
    import network

    shape = network.Shape(len(words()), width=64, layers=2, feed=96)
    made = [convert.trained(small / name, shape) for name in ("broken", "whole")]
    assert [done["step"] for _, _, _, done in made] == [4, 4]
    digests = [
        convert.write(small / f"{n}.gguf", weights, shape, words(), "F32") for n, (weights, *_) in enumerate(made)
    ]
    assert digests[0] == digests[1]
    model = llama(small / "0.gguf")
    maker, tasks = some(20, "held")
    for task in tasks:
        messages = maker.conversation(task)
        for message in messages:
            assert model.tokenize(message.content.encode(), False, False) == words().encode(message.content)
    ids, _ = words().turns(messages)
    model.eval(ids)
    ours = network.hidden(made[0][0], shape, jnp.asarray([ids]), jnp.ones((1, len(ids)), jnp.int32))[0]
    ours = np.asarray(ours @ made[0][0]["embedding"].T)
    assert np.abs(model.scores[: len(ids)] - ours).max() < 2e-3


def test_training_without_its_libraries_is_one_sentence() -> None:
    without = (
        "import runpy, sys; sys.modules['jax'] = None; sys.path[:0] = ['packaging/train', '.']; "
        "runpy.run_path('packaging/train/make.py', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", without], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 1
    assert done.stderr.strip() == "Training needs JAX, which is not installed. Say: pip install '.[train]'"
