"""What a SPEC says of speaking: read, refused with a sentence, and applied to every call of its seat."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from models.endpoint_wire import request_body
from models.engine import Ask, Message, SamplingSettings
from models.errors import BadEngine
from models.sampling import CONTEXT, bare, context_of, sampled
from store.journal import Journal
from tasks.episode.events import ModelCalled, record_of
from tasks.run.runner import resume_run, start_run
from tasks.run.spec import RunSpec

ASK = Ask("agent", (Message("user", "问"),), "x/1", settings=SamplingSettings(max_tokens=2048, temperature=0.5))


@pytest.mark.parametrize(
    ("spec", "rest", "settings"),
    [
        ("llama:qwen", "llama:qwen", {}),
        ("llama:qwen#ctx=4096", "llama:qwen#ctx=4096", {}),
        ("llama:qwen#temperature=0.7", "llama:qwen", {"temperature": 0.7}),
        ("llama:q#ctx=4096,reply=9, top_k=5", "llama:q#ctx=4096", {"max_tokens": 9, "top_k": 5}),
        ("endpoint:http://127.0.0.1:1#m", "endpoint:http://127.0.0.1:1#m", {}),
        ("endpoint:http://127.0.0.1:1#m#thinking=off,min_p=0.1", "endpoint:http://127.0.0.1:1#m",
            {"thinking": False, "min_p": 0.1}),
        ("endpoint:http://127.0.0.1:1#top_p=0.9", "endpoint:http://127.0.0.1:1", {"top_p": 0.9}),
        ("scripted:a#b.json", "scripted:a#b.json", {}),
        ("", "", {}),
    ],
)  # fmt: skip
def test_a_spec_is_divided(spec: str, rest: str, settings: dict[str, object]) -> None:
    assert bare(spec) == rest
    made = sampled(ASK, spec)
    assert {name: getattr(made.settings, name) for name in settings} == settings
    assert (made == ASK) == (not settings)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("llama:q#temperature=hot", "temperature=hot is not a number from 0 to 5"),
        ("llama:q#temperature=nan", "temperature=nan is not a number"),
        ("llama:q#reply=0", "reply=0 is not a number from 1 to"),
        ("llama:q#reply=1.5", "reply=1.5 is not a number"),
        ("llama:q#thinking=maybe", "thinking=maybe is neither on nor off"),
        ("endpoint:http://127.0.0.1:1#m#temprature=1", "'temprature' is no setting of an endpoint"),
        ("endpoint:http://127.0.0.1:1#m#temperature=1,foo=2", "'foo' is no setting of an endpoint"),
    ],
)
def test_what_is_wrong_is_one_sentence(spec: str, said: str) -> None:
    with pytest.raises(BadEngine, match=said) as refused:
        sampled(ASK, spec)
    assert refused.value.hint


@pytest.mark.slow
def test_every_call_of_the_seat_is_made_and_recorded_so(sample_pack: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"otherwise": ["北京"]}, ensure_ascii=False), "utf-8")
    model = f"scripted:{script}#temperature=0.7,reply=77"
    spec = RunSpec(benchmark="legalagentbench", agent="direct", model=model, task_ids=("sample-101",))
    with start_run(spec) as run:
        run.go()
        path = run.journal.path
        assert set(run.engines) == {model}
    with Journal.open(path) as journal:
        events = [record_of(entry).event for entry in journal.entries(1)]
    (called,) = [event for event in events if isinstance(event, ModelCalled)][:1]
    assert (called.settings["temperature"], called.settings["max_tokens"]) == (0.7, 77)
    with resume_run(path) as again:
        assert all(driver.stopped for driver in again.scheduler.episodes.values())


def test_seats_of_one_model_share_its_engine_and_a_wrong_setting_starts_nothing(
    sample_pack: Path, tmp_path: Path
) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"otherwise": ["好的。询问结束"]}, ensure_ascii=False), "utf-8")
    spec = RunSpec(
        benchmark="courts", agent="direct", model=f"scripted:{script}#temperature=0.7", task_ids=("CD-0001",),
        seats={"plaintiff": f"scripted:{script}#temperature=0.2"},
    )  # fmt: skip
    with start_run(spec) as run:
        first, second = run.engines.values()
        assert first is second
        run.go()
    with pytest.raises(BadEngine, match="reply=x"):
        start_run(spec.model_copy(update={"model": f"scripted:{script}#reply=x"}))


@pytest.mark.parametrize(
    ("spec", "context"),
    [
        ("llama:m.gguf#ctx=16384,temperature=0.7", 16384),
        ("endpoint:http://127.0.0.1:1/v1#m#temperature=0, context=32768", 32768),
        ("llama:m.gguf#context=32768", CONTEXT),
        ("llama:m.gguf#ctx=" + "9" * 5000, CONTEXT),
        ("human", CONTEXT),
    ],
)
def test_the_room_that_a_spec_names(spec: str, context: int) -> None:
    assert context_of(spec) == context


def test_a_local_model_keeps_a_setting_that_only_a_server_has_for_its_engine_to_refuse() -> None:
    assert bare("llama:m.gguf#context=32768,reply=9") == "llama:m.gguf#context=32768"


def test_a_server_is_given_reasoning_and_reply_together() -> None:
    asked = sampled(ASK, "endpoint:http://127.0.0.1:1#m#reply=100,reasoning=900,thinking=on,top_k=40")
    body = request_body(asked, "m")
    assert (body["max_tokens"], body["top_k"]) == (1000, 40) and "chat_template_kwargs" not in body
    assert request_body(asked, "m", most=50)["max_tokens"] == 50
    assert request_body(sampled(ASK, "endpoint:http://127.0.0.1:1#m#thinking=off"), "m")["chat_template_kwargs"]
