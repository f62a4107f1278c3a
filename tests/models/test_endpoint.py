"""Engines behind an OpenAI-compatible server: what is asked, what is made of the answer, and everything that goes
wrong."""

from __future__ import annotations

import json
import shutil
import ssl
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from models.endpoint import EndpointEngine
from models.endpoint_server import read_address
from models.endpoint_wire import ESTIMATED_FROM, is_overflow, reply_tokens_left, request_body
from models.engine import Ask, Delta, EngineError, Message, Reply, SamplingSettings, TokenChance, ToolInfo
from models.errors import BadEngine
from tasks.run.engines import open_engine
from tests.models.conftest import failure, question, reply
from tests.support.fake_endpoint import DONE, MODEL, SLOW, Call, FakeServer, chunk, fake_server, usage
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.slow

KEY = "sk-secret-0123456789"


def opened_at(server: FakeServer) -> EndpointEngine:
    made = open_engine(f"endpoint:{server.spec}")
    assert isinstance(made, EndpointEngine)
    return made


# --- the SPEC -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "base", "model"),
    [
        ("http://127.0.0.1:8080#m", "http://127.0.0.1:8080/v1", "m"),
        ("http://localhost/v1/#Qwen/Qwen2.5-7B", "http://localhost/v1", "Qwen/Qwen2.5-7B"),
        ("http://[::1]:11434#qwen2.5:7b", "http://[::1]:11434/v1", "qwen2.5:7b"),
        ("http://[::ffff:127.0.0.1]:1", "http://127.0.0.1:1/v1", ""),
        ("https://127.1.2.3/api/v3#m#n", "https://127.1.2.3/api/v3", "m#n"),
        ("http://LOCALHOST.:80/v1/chat/completions#m", "http://localhost:80/v1", "m"),
        ("http://Box.Lan.:8000#m", "http://box.lan:8000/v1", "m"),
    ],
)
def test_addresses(spec: str, base: str, model: str) -> None:
    address = read_address(spec, {"box.lan": ""})
    assert (address.base, address.model) == (base, model)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("127.0.0.1:8080#m", "no address of a server"),
        ("ftp://127.0.0.1#m", "no address of a server"),
        ("http://#m", "no address of a server"),
        ("http://127.0.0.1:99999#m", "no address of a server"),
        ("http://[::1#m", "no address of a server"),
        ("http://127.0.0.1:80\n80#m", "no address of a server"),
        ("http://127.0.0.1#m\x1b[2J", "no address of a server"),
        ("http://192.0.2.1#m", "--allow-host 192.0.2.1"),
        ("http://127.0.0.1.host.invalid#m", "--allow-host 127.0.0.1.host.invalid"),
        ("http://0.0.0.0#m", "--allow-host 0.0.0.0"),
        ("http://127.1#m", "no address of a server"),
        ("http://127.0.0.1:8000,http://127.0.0.1:8001#m", "takes one server, and the SPEC names several"),
        ("http://me:geheim@127.0.0.1#m", "MOOT_API_KEY"),
        ("http://127.0.0.1@host.invalid#m", "MOOT_API_KEY"),
        ("http://127.0.0.1/v1?key=geheim#m", "MOOT_API_KEY"),
    ],
)
def test_addresses_that_are_refused(spec: str, said: str) -> None:
    with pytest.raises(BadEngine, match=said.replace("-", "[-]")) as caught:
        read_address(spec)
    assert "geheim" not in str(caught.value)
    assert caught.value.exit_code == 2


# --- opening --------------------------------------------------------------------------------------------------------


def test_it_describes_itself_and_nothing_that_changes(server: FakeServer) -> None:
    server.lists(MODEL, owned_by="vllm", max_model_len=4096, root="/home/somebody/model", permission=[{"id": "x"}])
    server.page("/version", {"version": "0.9.1"})
    first = opened_at(server).describe()
    server.lists(MODEL, owned_by="vllm", max_model_len=4096, created=99)
    second = opened_at(server).describe()
    assert first == second == json.loads(json.dumps(first))
    facts = {"id": MODEL, "owned_by": "vllm", "max_model_len": 4096, "version": "0.9.1"}
    assert first == {"kind": "endpoint", "url": f"{server.url}/v1", "model": MODEL, "server": facts}


def test_a_llama_server_is_known_by_its_properties(server: FakeServer) -> None:
    server.lists("qwen.gguf", owned_by="llamacpp", meta={"n_params": 7, "n_ctx_train": 32768})
    server.page(
        "/props",
        {
            "build_info": "b6000", "total_slots": 4, "model_path": "C:\\weights\\qwen.gguf",
            "chat_template": "{{ x }}",
            "default_generation_settings": {"n_ctx": 8192, "params": {"seed": 4}},
        },
    )  # fmt: skip
    described = opened_at(server).describe()
    assert described["model"] == MODEL, "it answers with its one model, whatever the name"
    facts = described["server"]
    assert facts["file"] == "qwen.gguf" and facts["n_ctx"] == 8192 and facts["n_params"] == 7
    assert len(facts["template"]) == 64


def test_the_one_model_of_a_server_needs_no_name(server: FakeServer) -> None:
    assert open_engine(f"endpoint:{server.url}").describe()["model"] == MODEL
    server.lists("a", "b")
    with pytest.raises(BadEngine, match=r"several models.*a, b"):
        open_engine(f"endpoint:{server.url}")


def test_a_model_that_the_server_lacks_is_refused_with_its_list(server: FakeServer) -> None:
    server.lists("qwen2.5:latest", *(f"m{n}" for n in range(20)))
    assert open_engine(f"endpoint:{server.url}#qwen2.5").describe()["server"]["id"] == "qwen2.5:latest"
    with pytest.raises(BadEngine, match=r"no model 'qwen3'\. It lists: qwen2\.5:latest, m0.*and 9 more"):
        open_engine(f"endpoint:{server.url}#qwen3")
    server.lists("a", aliases=["qwen3"])
    assert open_engine(f"endpoint:{server.url}#qwen3").describe()["server"]["id"] == "a"
    server.page("/v1/models", {"data": None})
    with pytest.raises(BadEngine, match="has no model"):
        open_engine(f"endpoint:{server.url}#qwen3")


def test_nobody_there() -> None:
    with fake_server() as gone:
        url = gone.url
    with pytest.raises(EngineError, match=f"no server answers at {url}/v1. Start it or correct") as caught:
        open_engine(f"endpoint:{url}#m")
    assert caught.value.exit_code == 1


@pytest.mark.parametrize(
    ("status", "kind", "raw", "said"),
    [
        (200, "text/html", b"<html>hello</html>", "lists no models"),
        (200, "application/json", b"[1]", "lists no models"),
        (200, "application/json", b"[" * 100_000, "lists no models"),
        (200, "application/json", b'{"data": [1, {"id": 2}]}', "has no model"),
        (404, "text/plain", b"nothing", "lists no models"),
        (401, "application/json", b'{"error": "who are you?"}', r"asks for a key \(401\): who are you\?\. Put it"),
        (307, "text/plain", b"http://192.0.2.1/v1/models", "redirects to http://192.0.2.1/v1/models"),
        (500, "text/html", b"<html>oh no</html>", r"failed \(500\)\. See"),
        (503, "application/json", b'{"error": {"message": "Loading model"}}', r"busy \(503\): Loading model"),
    ],
)
def test_what_is_no_server_of_models(server: FakeServer, status: int, kind: str, raw: bytes, said: str) -> None:
    server.pages["/v1/models"] = (status, kind, raw)
    with pytest.raises((EngineError, BadEngine), match=said) as caught:
        opened_at(server)
    assert "\n" not in str(caught.value)


def test_the_key_comes_from_the_environment_and_goes_nowhere(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_API_KEY", f"{KEY}\n")
    engine = opened_at(server)
    assert KEY not in json.dumps(engine.describe()) + repr(vars(engine))
    reply(engine)
    assert {headers["Authorization"] for _, headers, _ in server.seen} == {f"Bearer {KEY}"}
    server.chat = lambda call: call.refuse(401, f"Incorrect API key: {KEY}")
    assert "refuses the key in MOOT_API_KEY (401): Incorrect API key: ***" in failure(engine)
    server.chat = lambda call: call.send(chunk(error={"message": f"key {KEY}"}))
    assert "key ***" in failure(engine)
    monkeypatch.setenv("MOOT_API_KEY", "schlüssel")
    with pytest.raises(BadEngine, match="characters that no key has") as caught:
        opened_at(server)
    assert "schlüssel" not in str(caught.value)


def test_a_redirect_is_not_followed(server: FakeServer, engine: EndpointEngine) -> None:
    with fake_server() as other:
        server.chat = lambda call: call.send(b"", 307, Location=f"{other.url}/v1/chat/completions")
        assert f"redirects to {other.url}" in failure(engine)
        assert other.seen == []


def test_proxies_of_the_environment_are_not_used(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert len(reply(opened_at(server)).text) == 64


# --- what is asked --------------------------------------------------------------------------------------------------


def test_every_setting_is_said() -> None:
    chosen = SamplingSettings(0.7, 0.9, 40, 99, ("观察：",), 5, 0.05, 1.1, 3, thinking=False)
    schema = {"type": "object"}
    spoken = (Message("system", "你是律师。"), Message("user", "原告是谁？"))
    body = request_body(Ask("agent", spoken, "react/1", schema, chosen), "m")
    assert json.loads(json.dumps(body)) == {
        "model": "m",
        "messages": [{"role": "system", "content": "你是律师。"}, {"role": "user", "content": "原告是谁？"}],
        "stream": True, "stream_options": {"include_usage": True},
        "temperature": 0.7, "top_p": 0.9, "top_k": 40, "max_tokens": 99, "stop": ["观察："], "seed": 5, "min_p": 0.05,
        "repeat_penalty": 1.1, "repetition_penalty": 1.1, "return_progress": True, "logprobs": True,
        "top_logprobs": 3,
        "chat_template_kwargs": {"enable_thinking": False},
        "response_format": {"type": "json_schema",
            "json_schema": {"name": "reply", "strict": True, "schema": schema}},
    }  # fmt: skip
    for settings, count in (
        ({"entropy": True}, ESTIMATED_FROM),  # of which a server tells nothing but the likeliest tokens
        ({"entropy": True, "logprobs": 3}, 3),
        ({"logprobs": -4}, None),
    ):
        body = request_body(question(settings=settings), "m")
        assert body.get("top_logprobs") == count and "entropy" not in body
    plain = request_body(question(), "m")
    assert plain["top_k"] == 0 and plain["min_p"] == 0.0 and plain["repeat_penalty"] == 1.0
    assert not {"stop", "logprobs", "response_format", "chat_template_kwargs"} & plain.keys()


@pytest.mark.parametrize(
    ("wanted", "sent"),
    [
        ({"type": "string", "maxLength": 2000}, {"type": "string", "maxLength": 1999}),
        ({"type": "string", "maxLength": 2001}, {"type": "string"}),
        (
            {"type": "array", "items": {"minLength": 2000}, "maxItems": 2000},
            {"type": "array", "items": {"minLength": 1999}, "maxItems": 1999},
        ),
        (
            {"anyOf": [{"properties": {"maxLength": {"maxLength": 2000}}}]},
            {"anyOf": [{"properties": {"maxLength": {"maxLength": 1999}}}]},
        ),
        ({"const": {"maxLength": 2000}}, {"const": {"maxLength": 2000}}),
    ],
)
def test_no_bound_is_sent_that_a_grammar_of_llama_cpp_refuses(wanted: dict[str, Any], sent: dict[str, Any]) -> None:
    tool = ToolInfo("search", "搜索", {"type": "object", "properties": {"query": wanted}})
    ask = question(schema=wanted, tools=(tool,))
    body = request_body(ask, "m")
    assert body["response_format"]["json_schema"]["schema"] == sent
    assert body["tools"][0]["function"]["parameters"]["properties"]["query"] == sent
    assert ask.schema == wanted  # what a reply is measured by stays as it was


# --- what is made of the answer -------------------------------------------------------------------------------------


def test_a_reply_with_all_its_parts(
    server: FakeServer, engine: EndpointEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.endpoint.PAUSE", 0.0)
    top = [{"token": "乙", "logprob": -3}, {"token": "甲", "logprob": -0.1}]
    chances = {"content": [{"token": "甲", "logprob": -0.1, "top_logprobs": top}]}

    def speak(call: Call) -> None:
        call.begin()
        call.write(chunk({"content": None}, prompt_progress={"total": 30, "cache": 20, "processed": 25}))
        call.write(b": a comment\r\n\r\n" + chunk({"role": "assistant", "content": None}))
        call.write(chunk({"reasoning_content": "想"}) + chunk({"reasoning": "一想"}))
        call.write(chunk({"content": "甲"}, choice={"logprobs": chances}) + chunk({"content": "方"}, "stop"))
        call.write(chunk(usage=usage(30, 5, cached=20)) + DONE)

    server.chat = speak
    heard: list[tuple[Delta, str]] = []
    ask = question(episode="e1")
    result = reply(engine, ask, lambda delta: heard.append((delta, threading.current_thread().name)))
    assert (result.text, result.reasoning, result.finish, result.note) == ("甲方", "想一想", "stop", "")
    assert result.logprobs == (TokenChance("甲", -0.1, (("甲", -0.1), ("乙", -3.0))),)
    used = result.usage
    assert (used.evaluated, used.reused, used.generated, used.batch) == (10, 20, 5, 1) and used.milliseconds > 0
    assert [(d.done, d.total) for d, _ in heard if d.phase == "reading"] == [(0, 0), (25, 30)]
    assert [(d.phase, d.text) for d, _ in heard if d.phase != "reading"] == [
        ("thinking", "想"), ("thinking", "一想"), ("speaking", "甲"), ("speaking", "方"),
    ]  # fmt: skip
    assert {(d.episode, d.seat) for d, _ in heard} == {("e1", "agent")}
    assert {name for _, name in heard} == {threading.current_thread().name}


@pytest.mark.parametrize(
    "pieces",
    [("<thi", "nk>想一", "想</th", "ink>\n", "\n甲方"), ("想一", "想</think>甲方")],
)
def test_reasoning_that_the_server_left_in_the_speech(
    server: FakeServer, engine: EndpointEngine, pieces: tuple[str, ...]
) -> None:
    server.chat = lambda call: call.speak(*pieces)
    result = reply(engine)
    assert (result.reasoning, result.text) == ("想一想", "甲方")


def test_tokens_from_the_cache_as_llama_server_reports_them(server: FakeServer, engine: EndpointEngine) -> None:
    last = chunk({}, "stop", usage={"prompt_tokens": 9, "completion_tokens": 1}, timings={"cache_n": 7})
    server.chat = lambda call: call.send(chunk({"content": "好"}) + last)
    assert reply(engine).usage.reused == 7


def test_a_server_that_does_not_stream(server: FakeServer, engine: EndpointEngine) -> None:
    whole = {"choices": [{"message": {"content": "好的。"}, "finish_reason": "length"}], "usage": usage(4, 1024)}
    server.chat = lambda call: call.send(json.dumps(whole, indent=2).encode(), kind="application/json; charset=utf-8")
    result = reply(engine)
    assert (result.text, result.finish, result.usage.generated) == ("好的。", "length", 1024)


END = chunk({}, "stop") + DONE


@pytest.mark.parametrize(
    ("raw", "text", "note"),
    [
        (chunk({"content": "好"}, "stop"), "好", "no token counts"),
        (chunk({"content": "好"}) + b"data: {broken\n\ndata: 7\n\nnonsense\n\n" + END, "好", ""),
        (b"data: \xe5\xa5\n\n" + chunk({"content": "好"}) + END, "好", ""),
        (chunk({"content": "好"}).replace(b"\n\n", b"\r\n") + END.strip(), "好", ""),
        (b"data: " + b"[" * 50_000 + b"\n" + chunk({"content": "好"}) + END, "好", ""),
        (chunk({"content": [{"type": "text", "text": "好"}, 5]}) + END, "好", ""),
        (chunk({"content": 5, "tool_calls": "x"}, choice={"logprobs": {"content": [{"token": 1}]}}) + END, "", ""),
        (chunk({"content": "好"}, "content_filter", usage=usage(1, 1)) + END, "好", "a filter of the server"),
        (chunk({"content": "好"}, "stop", usage={"prompt_tokens": -5, "completion_tokens": 1e400}), "好", ""),
        (chunk({"content": "好"}, "stop") + b"data: {", "好", ""),
        (chunk({"content": "好"}) + chunk({}, "stop").rstrip(b"\n"), "好", ""),
        (chunk({"content": "\ud800好\x00"}) + END, "?好\x00", ""),
    ],
)  # fmt: skip
def test_streams_as_they_come(server: FakeServer, engine: EndpointEngine, raw: bytes, text: str, note: str) -> None:
    server.chat = lambda call: call.send(raw)
    result = reply(engine)
    assert (result.text, result.finish) == (text, "stop")
    assert note in result.note


def test_a_connection_that_breaks(server: FakeServer, engine: EndpointEngine) -> None:
    def cut(call: Call) -> None:
        call.begin(Content_Length="5000")
        call.write(chunk({"content": "好"}))

    server.chat = cut
    assert f"the connection to {server.url}/v1 broke" in failure(engine)
    server.chat = lambda call: None
    assert f"the connection to {server.url}/v1 broke" in failure(engine)

    def whole(call: Call) -> None:
        call.begin(Content_Length="5000")
        call.write(chunk({"content": "好"}, "stop"))

    server.chat = whole
    assert reply(engine).text == "好", "all had been said"


def test_a_server_that_is_silent(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_ENDPOINT_TIMEOUT", "0.5")
    engine = opened_at(server)
    server.chat = lambda call: server.closing.wait(PATIENCE) and None  # type: ignore[func-returns-value]
    assert "said nothing new for 0.5 seconds. Allow more with MOOT_ENDPOINT_TIMEOUT=SECONDS" in failure(engine)
    for wrong in ("abc", "0", "-1", "nan", "inf"):
        monkeypatch.setenv("MOOT_ENDPOINT_TIMEOUT", wrong)
        with pytest.raises(BadEngine, match="no number of seconds"):
            opened_at(server)


@pytest.mark.parametrize("raw", [b"event: error\ndata: ", b"error: "])
def test_an_error_in_a_stream(server: FakeServer, engine: EndpointEngine, raw: bytes) -> None:
    server.chat = lambda call: call.send(raw + b'{"message": "out of memory", "code": 500}\n\n')
    assert "failed (500): out of memory" in failure(engine)


async def test_it_is_asked_where_a_loop_is_running(server: FakeServer) -> None:
    engine = opened_at(server)
    assert reply(engine).finish == "stop"


# --- batches --------------------------------------------------------------------------------------------------------


def test_a_batch_keeps_its_order_and_its_bound(server: FakeServer, engine: EndpointEngine) -> None:
    barrier = threading.Barrier(4, timeout=PATIENCE)

    def together(call: Call) -> None:
        barrier.wait()
        call.speak(call.body["messages"][-1]["content"])

    server.chat = together
    results = engine.answer([question(str(n)) for n in range(8)])
    assert [result.text for result in results if isinstance(result, Reply)] == [str(n) for n in range(8)]
    assert server.busiest == 4
    assert {result.usage.batch for result in results if isinstance(result, Reply)} == {4}


# --- refusals -------------------------------------------------------------------------------------------------------


def test_statuses(server: FakeServer, engine: EndpointEngine) -> None:
    for status, said in (
        (400, "refuses the request (400): so it is"),
        (403, "asks for a key (403): so it is"),
        (404, "has no chat completions (404): so it is. The address usually ends in /v1"),
        (413, "refuses the request (413): so it is"),
        (500, "failed (500): so it is. See the server's own log"),
        (502, "failed (502): so it is"),
        (302, "redirects"),
        (204, "refuses the request (204)"),
    ):
        server.chat, before = lambda call, status=status: call.refuse(status, "so\nit  is"), len(server.asked)
        assert said in failure(engine)
        assert len(server.asked) == before + 1


def test_a_model_that_went_away(server: FakeServer, engine: EndpointEngine) -> None:
    server.lists("another")
    server.chat = lambda call: call.refuse(404, "model not found")
    assert "does not know the model 'falsch-7b'. It lists: another." in failure(engine)


def test_a_busy_server_is_asked_again_but_not_for_ever(server: FakeServer, engine: EndpointEngine) -> None:
    turns = iter([429, 503])

    def busy_at_first(call: Call) -> None:
        status = next(turns, 0)
        call.refuse(status, "wait", headers={"Retry-After": "0"}) if status else call.speak("好")

    server.chat = busy_at_first
    assert reply(engine).text == "好"
    server.chat = lambda call: call.refuse(429, "wait", headers={"Retry-After": "0"})
    before = len(server.asked)
    assert "is busy (429): wait. Lower --parallel" in failure(engine)
    assert 1 < len(server.asked) - before < 10
    server.chat = lambda call: call.refuse(503, "wait", headers={"Retry-After": "86400"})
    before = len(server.asked)
    assert "is busy (503)" in failure(engine)
    assert len(server.asked) - before == 1, "nobody waits for a day"


FULL = (
    "the request exceeds the available context size, try increasing it",
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the "
    "messages, 500 in the completion).",
    "Context size has been exceeded.",
    "context shift is disabled",
    "input (2600 tokens) is too large to process. increase the physical batch size (current batch size: 512)",
    "input is larger than the max context size. skipping",
    "The input (9000 tokens) is longer than the model's context length (4096 tokens).",
    "Requested tokens (5000) exceed context window of 2048",
    "the input length exceeds the context length",
    "Trying to keep the first 4500 tokens when context the overflows. However, the model is loaded with context "
    "length of only 4096 tokens",
    "The number of tokens to keep from the initial prompt is greater than the context length",
    "The decoder prompt is longer than the maximum model length",
    "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`",
    "`inputs` must have less than 512 tokens. Given: 600",
    "litellm.ContextWindowExceededError",
    "Prompt is too long",
    "prompt too long; exceeded max context length by 12 tokens",
)


def test_a_full_context_in_every_servers_words(server: FakeServer, engine: EndpointEngine) -> None:
    assert [words for words in FULL if not is_overflow(words)] == []
    for answer in (
        lambda call: call.refuse(400, FULL[0]),
        lambda call: call.send(chunk({"content": "半"}) + chunk(error={"message": FULL[0]})),
    ):
        server.chat = answer
        result = reply(engine)
        assert result.finish == "context_full" and FULL[0] in result.note


LEFT = (
    "This model's maximum context length is 4096 tokens. However, you requested 4596 tokens (4000 in the "
    "messages, 596 in the completion).",
    "'max_tokens' or 'max_completion_tokens' is too large: 596. This model's maximum context length is 4096 "
    "tokens and your request has 4000 input tokens",
    "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of "
    "4596 tokens: 4000 tokens from the input messages and 596 tokens for the completion.",
    "You passed 4000 input tokens and requested 596 output tokens. However, the model's context length is only "
    "4096 tokens",
)


def test_a_reply_gets_the_room_that_is_left(server: FakeServer, engine: EndpointEngine) -> None:
    def strict(call: Call) -> None:
        most = call.body["max_tokens"]
        call.refuse(400, LEFT[0]) if most > 96 else call.speak("好" * most, finish="length")

    server.chat = strict
    assert [reply_tokens_left(said) for said in LEFT] == [96] * len(LEFT)
    result = reply(engine, question(settings={"max_tokens": 596}))
    assert result.text == "好" * 96
    assert result.finish == "context_full", "the model would have gone on"
    assert [body["max_tokens"] for body in server.asked] == [596, 96]


def test_an_end_before_the_limit_of_tokens_is_a_full_context(server: FakeServer, engine: EndpointEngine) -> None:
    server.chat = lambda call: call.speak("好" * 9, finish="length")
    assert reply(engine, question(settings={"max_tokens": 9})).finish == "length"
    assert reply(engine, question(settings={"max_tokens": 10})).finish == "context_full"


def test_fields_that_a_server_does_not_know_are_left_out(server: FakeServer, engine: EndpointEngine) -> None:
    def picky(call: Call) -> None:
        for name in ("min_p", "stream_options"):
            if name in call.body:
                detail = [{"type": "extra_forbidden", "loc": ["body", name], "msg": f"no {name}"}]
                return call.send(json.dumps({"detail": detail}).encode(), 422, "application/json")
        if call.body["top_k"] == 0:
            return call.refuse(400, "top_k must be -1 (disable), or at least 1, got 0.")
        return call.speak("好")

    server.chat = picky
    assert reply(engine).note == "the server used its own min_p"
    assert server.asked[-1]["top_k"] == -1
    count = len(server.asked)
    assert reply(engine).text == "好"
    assert len(server.asked) == count + 1, "it is asked once for all"
    server.chat = lambda call: call.refuse(400, f"bad luck with {', '.join(call.body)}")
    count = len(server.asked)
    assert "bad luck with model" in failure(engine)
    assert 1 < len(server.asked) - count < 10
    server.chat = picky
    assert reply(engine).note == "the server used its own min_p", "what led to no reply is not remembered"
    assert "does not take min_p = 0.1" in failure(engine, question(settings={"min_p": 0.1}))


def test_a_schema_that_a_server_cannot_enforce(server: FakeServer, engine: EndpointEngine) -> None:
    server.chat = lambda call: call.refuse(400, "response_format json_schema is not supported")
    said = failure(engine, question(schema={"type": "object"}))
    assert said.startswith("the server cannot keep the reply to 'react/1' to its schema") and "--calls free" in said
    assert "--calls free" not in failure(engine)


# --- cancelling -----------------------------------------------------------------------------------------------------


def cancelled(engine: EndpointEngine, asks: list[Ask], when: Any) -> list[Reply | EngineError]:
    """Cancel from another thread when `when()` says so."""
    over = threading.Event()

    def watch() -> None:
        while not over.is_set() and not when():
            over.wait(0.01)
        engine.cancel()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        return engine.answer(asks)
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("headers", [False, True])
def test_cancel_while_it_is_silent(server: FakeServer, engine: EndpointEngine, headers: bool) -> None:
    silent = threading.Event()

    def keep_silent(call: Call) -> None:
        if headers:
            call.begin()
        silent.set()
        server.closing.wait(PATIENCE)

    server.chat = keep_silent
    (result,) = cancelled(engine, [question()], silent.is_set)
    assert isinstance(result, Reply) and result.finish == "cancelled"


# --- TLS ------------------------------------------------------------------------------------------------------------


def test_tls_asks_the_server_who_it_is(server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl to make a certificate with")
    made = "req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -days 2 -subj /CN=localhost".split()
    subprocess.run(
        [openssl, *made, "-addext", "subjectAltName=DNS:localhost"], cwd=tmp_path, check=True, capture_output=True
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "c.pem", tmp_path / "k.pem")
    server.http.socket = context.wrap_socket(server.http.socket, server_side=True, do_handshake_on_connect=False)
    spec = f"endpoint:https://localhost:{server.http.server_port}#{MODEL}"
    with pytest.raises(EngineError, match=r"cannot prove who it is: self[- ]signed certificate"):
        open_engine(spec)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "c.pem"))
    engine = open_engine(spec)
    assert isinstance(engine, EndpointEngine)
    assert len(reply(engine).text) == 64
    (result,) = cancelled(engine, [question(SLOW)], lambda: server.busy)
    assert isinstance(result, Reply) and result.finish == "cancelled"
    engine.close()
    with pytest.raises(EngineError, match="the connection to .* broke"):
        open_engine(f"endpoint:http://localhost:{server.http.server_port}#{MODEL}")
