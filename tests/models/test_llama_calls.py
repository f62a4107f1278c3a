"""Calls of tools with a real (tiny, random) model: what is told to it, what is read of it, which files are
refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("llama_cpp")
from models.calls import PROBE, written
from models.engine import Ask, Message, Reply, SamplingSettings, ToolCall
from models.errors import BadEngine
from models.llama.engine import LlamaEngine, LlamaSettings
from tests.support.gguf_files import tiny_llama
from tests.support.patience import PATIENCE
from tests.support.tool_templates import BY_FORM, FAILING

pytestmark = pytest.mark.slow

CALL = ToolCall("look_up", '{"text": "<|im_end|>"}', "call00002")
TALK = (
    Message("system", "你是助手。"),
    Message("user", "怎么还款？"),
    Message("assistant", "", (CALL,)),
    Message("tool", "第六百七十五条", answers=CALL.id),
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaEngine]:
    path = tiny_llama(tmp_path_factory.mktemp("gguf") / "tiny.gguf", template=BY_FORM["mistral"])
    made = LlamaEngine(path, LlamaSettings(ctx=2048, threads=1, slots=2), silence=PATIENCE)
    yield made
    made.close()


def ask(*messages: Message, **named: object) -> Ask:
    return Ask(
        "agent", messages, "test/1", settings=SamplingSettings(max_tokens=8), tools=(PROBE,), episode="e", **named
    )  # type: ignore[arg-type]


def reply(engine: LlamaEngine, question: Ask) -> Reply:
    (result,) = engine.answer([question])
    assert isinstance(result, Reply), result
    return result


def test_the_template_of_the_file_tells_tools_and_writes_calls(engine: LlamaEngine) -> None:
    engine.check_tools()
    told = reply(engine, ask(*TALK[:2]))
    plain = reply(engine, replace(ask(*TALK[:2]), tools=(), episode="f"))
    assert told.usage.evaluated > plain.usage.evaluated + len(PROBE.description)
    further = reply(engine, ask(*TALK))
    assert further.usage.reused > 0 and further.usage.evaluated < told.usage.evaluated


def test_calls_in_what_it_says_are_read(engine: LlamaEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    said = Reply(written("", (ToolCall("look_up", '{"text": "借款"}'),), "mistral"))
    monkeypatch.setattr("models.llama.engine.reply_of", lambda data: said)
    for question, calls in (
        (ask(*TALK[:2]), 1),
        (ask(*TALK[:2], schema={"type": "object"}), 0),
        (replace(ask(*TALK[:2]), tools=()), 0),
    ):
        found = reply(engine, question)
        assert len(found.calls) == calls and (found.text == "") == bool(calls)


def test_a_file_that_takes_no_tools_is_refused_in_a_sentence(tmp_path: Path) -> None:
    engine = LlamaEngine(tiny_llama(tmp_path / "t.gguf", template=FAILING), silence=PATIENCE)
    try:
        with pytest.raises(BadEngine, match=r"'t\.gguf' cannot be given tools: .*--calls schema") as refused:
            engine.check_tools()
        assert "\n" not in str(refused.value) and not engine.loaded, "nothing was loaded for it"
    finally:
        engine.close()
