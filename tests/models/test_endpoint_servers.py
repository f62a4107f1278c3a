"""Servers as public reports describe them: what each cannot do is worked around, said once, and no failure of the
model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from models.endpoint import EndpointEngine
from models.engine import REMEDIES, Ask, EngineError, Reply, ToolInfo
from models.sampling import PASSAGE
from tasks.agents.budgets import ContextBudget
from tasks.episode.events import Seated
from tasks.run.engines import open_engine
from tests.models.conftest import failure, question, reply
from tests.support.fake_endpoint import DONE, MODEL, Call, FakeServer, chunk, drip, usage
from tests.support.patience import PATIENCE

FORM = {"type": "object", "properties": {"answer": {"type": "string", "minLength": 1, "maxLength": 300}}}
TOOL = ToolInfo("search", "查条文", FORM)
CONTEXT = 16384


def opened(server: FakeServer, parallel: int = 1) -> EndpointEngine:
    engine = open_engine(f"endpoint:{server.spec}", parallel=parallel)
    assert isinstance(engine, EndpointEngine)
    return engine


def troubles(engine: EndpointEngine) -> list[str]:
    return [trouble.title.removeprefix("the server at ").partition(" ")[2] for trouble in engine.troubles()]


def bodies(schema: Any) -> bool:
    return any(f'"{bound}"' in json.dumps(schema) for bound in ("minLength", "maxLength"))


# --- what servers do ------------------------------------------------------------------------------------------------


def form_of(call: Call) -> tuple[str, bool]:
    """Type of the response format of a request, and whether its schema has bounds."""
    form = call.body.get("response_format", {})
    return form.get("type", ""), bodies(form)


def no_bounds(call: Call) -> None:
    """llama-server of July 2026 (llama.cpp 27087): a bound that its grammar refuses."""
    if form_of(call)[1] or bodies(call.body.get("tools")):
        return call.refuse(400, "failed to parse grammar", type="invalid_request_error")
    return call.speak("{}")


def only_objects(call: Call) -> None:
    """llama-cpp-python's server: `json_object` alone, with the schema beside it; no usage in streams."""
    if form_of(call)[0] == "json_schema":
        detail = [{"type": "literal_error", "loc": ["body", "response_format", "type"],
            "msg": "Input should be 'text' or 'json_object'"}]  # fmt: skip
        return call.send(json.dumps({"detail": detail}).encode(), 422, "application/json")
    assert call.body["response_format"]["schema"] == FORM
    return call.speak("{}")


def no_schema(call: Call) -> None:
    """A server without structured output."""
    if "response_format" in call.body:
        return call.refuse(501, "response_format is not supported by this model")
    return call.speak("{}")


def uncounted(call: Call) -> None:
    """llama-cpp-python, proxies: a stream without usage."""
    call.send(chunk({"content": "甲方"}) + chunk({}, "stop") + DONE)


def zeros(call: Call) -> None:
    """LM Studio and others: usage with nothing in it."""
    call.send(chunk({"content": "甲方"}) + chunk({}, "stop") + chunk(usage=usage(0, 0)) + DONE)


def all_reasoning(call: Call) -> None:
    """vLLM with Qwen3, thinking off (vllm 17349): the whole reply in `reasoning_content`."""
    deltas = ({"role": "assistant", "content": None}, {"reasoning_content": "甲"}, {"reasoning_content": "方"})
    call.send(b"".join(map(chunk, deltas)) + chunk({"content": None}, "stop") + chunk(usage=usage(9, 2)) + DONE)


def breaks(call: Call) -> None:
    """llama-cpp-python's server: a stream that ends before its first byte, and speaks without one."""
    if call.body["stream"]:
        return call.begin(Content_Length="500")
    assert "stream_options" not in call.body
    whole = {"choices": [{"message": {"content": "甲方"}, "finish_reason": "stop"}], "usage": usage(9, 2)}
    return call.send(json.dumps(whole).encode(), kind="application/json")


def interrupted(call: Call) -> None:
    """llama-cpp-python's server, two questions at a time: the stream of the first is ended in its middle."""
    call.send(chunk({"content": "甲"}) + DONE) if call.body["stream"] else breaks(call)


def no_prompt(call: Call) -> None:
    """Ollama (2068, 3427): no tokens of a prompt that it has in its cache."""
    call.send(chunk({"content": "甲方"}) + chunk({}, "stop") + chunk(usage=usage(0, 2)) + DONE)


class Case(NamedTuple):
    """What a server does, the question, and what is made of it: the reply, the flags of its note, what is said of the
    server, and how many requests two questions take."""

    chat: Callable[[Call], None]
    ask: Ask
    text: str
    flags: set[str]
    said: str
    requests: int


KINDS = {
    "bounds": Case(no_bounds, question(schema=FORM), "{}", {"schema_relaxed"}, "does not take the bounds", 3),
    "bounds of tools": Case(no_bounds, question(tools=(TOOL,)), "{}", set(), "does not take the bounds", 3),
    "json_object": Case(only_objects, question(schema=FORM), "{}", set(), "only with response_format json_object", 3),
    "no schema": Case(no_schema, question(schema=FORM), "{}", {"schema_relaxed"}, "free text is read", 6),
    "no usage": Case(uncounted, question(), "甲方", {"tokens_estimated"}, "reports no token counts", 2),
    "empty usage": Case(zeros, question(), "甲方", {"tokens_estimated"}, "reports no token counts", 2),
    "reasoning": Case(all_reasoning, question(), "甲方", {"reply_in_reasoning"}, "the field for reasoning", 2),
    "no stream": Case(breaks, question(), "甲方", set(), "breaks off streams", 3),
    "interrupted": Case(interrupted, question(), "甲方", set(), "breaks off streams", 3),
    "cached prompt": Case(no_prompt, question(), "甲方", {"tokens_estimated"}, "reports no token counts", 2),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_server_cannot_do_is_worked_around_and_said_once(server: FakeServer, kind: str) -> None:
    case, engine = KINDS[kind], opened(server)
    server.chat = case.chat
    for _ in range(2):
        found = reply(engine, case.ask)
        assert (found.text, found.finish) == (case.text, "stop")
        assert {flag for flag, words in REMEDIES.items() if words in found.note} == case.flags
    (said,) = troubles(engine)
    assert case.said in said
    assert len(server.asked) == case.requests, "it is found out once"


def test_a_server_that_can_do_everything_is_said_nothing_of(server: FakeServer, engine: EndpointEngine) -> None:
    assert reply(engine, question(schema=FORM)).note == "" and engine.troubles() == []
    assert server.asked[-1]["response_format"]["type"] == "json_schema"


def test_estimates_are_tokens_a_character_of_all_that_was_sent_and_came(server: FakeServer) -> None:
    for server.chat in (uncounted, no_prompt):
        used = reply(opened(server), question("问" * 100)).usage
        assert (used.evaluated, used.generated) == (75, 2), "0.75 a character where no engine says"


def test_a_reply_in_a_loop_is_cut_estimated_and_speaks_against_no_server(
    server: FakeServer, engine: EndpointEngine
) -> None:
    def loop(call: Call) -> None:
        call.begin()
        drip(server, call, chunk({"content": "没有查到，请再说一遍。"}) * 200)

    server.chat = loop
    found = reply(engine)
    assert found.finish == "repetition" and len(found.text) < 600
    assert found.usage.generated > 0 and REMEDIES["tokens_estimated"] in found.note
    assert engine.troubles() == []


def test_reasoning_that_was_asked_for_is_no_reply(server: FakeServer, engine: EndpointEngine) -> None:
    server.chat = all_reasoning
    found = reply(engine, question(settings={"reasoning": 500}))
    assert (found.text, found.reasoning) == ("", "甲方")


# --- errors in other dress ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": {"message": "model crashed", "type": "server_error"}}, "answered with an error: model crashed."),
        ({"error": "no slot"}, "answered with an error: no slot."),
        ({"object": "error", "message": "bad luck", "code": 40303}, "answered with an error: bad luck."),
        ({"detail": "not today"}, "answered with an error: not today."),
        ({"error": {"message": "out of memory", "code": 500}}, "failed (500): out of memory."),
    ],
)
def test_an_error_with_status_200(
    server: FakeServer, engine: EndpointEngine, body: dict[str, Any], said: str
) -> None:
    for raw, kind in ((json.dumps(body).encode(), "application/json"), (chunk(**body), "text/event-stream")):
        server.chat = lambda call, raw=raw, kind=kind: call.send(raw, kind=kind)  # type: ignore[misc]
        assert said in failure(engine)


def test_the_reason_behind_a_broken_stream(server: FakeServer, engine: EndpointEngine) -> None:
    said = "Requested tokens (5000) exceed context window of 4096"
    server.chat = lambda call: call.begin() if call.body["stream"] else call.refuse(500, said)
    found = reply(engine)
    assert found.finish == "context_full" and "5000" in found.note
    assert [body["stream"] for body in server.asked] == [True, False]
    server.chat = lambda call: call.begin()
    assert "broke off before the end" in failure(engine)


# --- a context that is full, and one that is shared -----------------------------------------------------------------

FULL = "context shift is disabled"


def states(server: FakeServer, context: int = CONTEXT) -> None:
    server.page("/props", {"build_info": "b9", "total_slots": 4, "default_generation_settings": {"n_ctx": context}})


@pytest.mark.parametrize("status", [200, 400, 500])
def test_a_full_context_is_believed_where_the_prompt_comes_near_it(server: FakeServer, status: int) -> None:
    states(server)
    server.chat = lambda call: call.refuse(status, FULL)
    engine = opened(server)
    assert reply(engine, question("问" * CONTEXT)).finish == "context_full"
    # the server's shortage, not the model's
    assert f"ran short of context at 4 of {CONTEXT} tokens: {FULL}" in failure(engine)


@pytest.mark.parametrize(
    ("said", "finish"),
    [
        ("request (16500 tokens) exceeds the available context size (16384 tokens), try increasing it", "full"),
        ("The input (17000 tokens) is longer than the model's context length (16384 tokens).", "full"),
        ("The input (9000 tokens) is longer than the model's context length (8192 tokens).", "smaller"),
        ("request (900 tokens) exceeds the available context size (16384 tokens), try increasing it", "short"),
    ],
)
def test_a_count_of_the_server_goes_before_an_estimate(server: FakeServer, said: str, finish: str) -> None:
    states(server)
    server.chat = lambda call: call.refuse(400, said)
    (found,) = opened(server).answer([question()])
    assert isinstance(found, Reply if finish == "full" else EngineError)


def test_a_server_that_took_more_before_has_less_context_now(server: FakeServer, engine: EndpointEngine) -> None:
    """One that states no context, after a restart."""
    reply(engine, question("问" * 3000))
    for said in ("request (1900 tokens) exceeds the available context size (2048 tokens)", FULL):
        server.chat = lambda call, said=said: call.refuse(400, said)  # type: ignore[misc]
        failure(engine, question("问" * 1900))  # it had room for 3,000


def test_an_end_far_below_the_context_is_a_limit_of_the_server(server: FakeServer) -> None:
    states(server)
    server.chat = lambda call: call.speak("好" * 9, finish="length")
    engine = opened(server)
    found = reply(engine)
    assert found.finish == "length" and "a limit of its own" in found.note
    assert troubles(engine) == ["ends replies before the tokens that they may have"]
    states(server, context=15)
    assert reply(opened(server)).finish == "context_full"


@pytest.mark.parametrize("stated", [True, False])
def test_calls_that_share_one_context_are_fewer_and_asked_again(server: FakeServer, stated: bool) -> None:
    """llama-server without -np (llama.cpp 23652): four slots on one cache; when it is full, all of them end."""
    if stated:
        states(server)
    full, barrier = threading.Event(), threading.Barrier(4, timeout=PATIENCE)

    def chat(call: Call) -> None:
        if not full.is_set():
            barrier.wait()
            full.set()
        if server.busy > 1:
            return call.send(chunk({"content": "半"}) + chunk(error={"message": "Context size has been exceeded."}))
        return call.speak("好")

    server.chat = chat
    engine = opened(server, parallel=4)
    found = engine.answer([question(str(n)) for n in range(1, 9)])
    assert [one.text for one in found if isinstance(one, Reply)] == ["好"] * 8
    assert {one.finish for one in found if isinstance(one, Reply)} == {"stop"}
    assert any(REMEDIES["server_short"] in one.note for one in found if isinstance(one, Reply))
    assert engine.at_once() < 4
    assert troubles(engine) == ["ran short of context: it is sent fewer calls at a time"]


def test_a_prompt_that_does_not_fit_alone_is_believed_where_no_context_is_stated(server: FakeServer) -> None:
    barrier = threading.Barrier(2, timeout=PATIENCE)

    def chat(call: Call) -> None:
        if len(server.asked) <= 2:
            barrier.wait()
        call.speak("好") if MODEL in call.body["messages"][-1]["content"] else call.refuse(400, FULL)

    server.chat = chat
    engine = opened(server, parallel=2)
    fits, full = engine.answer([question(MODEL), question("问" * 99)])
    assert isinstance(fits, Reply) and fits.finish == "stop"
    assert isinstance(full, Reply) and full.finish == "context_full"
    assert engine.at_once() == 2, "the server was not short"


# --- a server that ignores the seed ---------------------------------------------------------------------------------


def test_a_server_is_asked_the_same_twice_past_its_cache(server: FakeServer, engine: EndpointEngine) -> None:
    assert not engine.ignores_seed() and engine.troubles() == []
    first, second = server.asked
    assert first == second and first["temperature"] > 0 and first["cache_prompt"] is False
    reply(engine)
    assert "cache_prompt" not in server.asked[-1]


def test_one_that_draws_anew_is_said_once(server: FakeServer, engine: EndpointEngine) -> None:
    server.chat = lambda call: call.speak(f"第{len(server.asked)}句")
    assert engine.ignores_seed() and engine.ignores_seed()
    assert troubles(engine) == ["draws anew with the same seed"]


def test_one_that_does_not_know_the_cache_is_asked_without(server: FakeServer, engine: EndpointEngine) -> None:
    said = "cache_prompt: extra inputs are not permitted"
    server.chat = lambda call: call.refuse(422, said) if "cache_prompt" in call.body else call.speak("好")
    assert not engine.ignores_seed() and engine.troubles() == []


@pytest.mark.parametrize("status", [500, 200])
def test_an_error_instead_costs_a_note(server: FakeServer, engine: EndpointEngine, status: int) -> None:
    server.chat = lambda call: call.refuse(status, "not today") if len(server.asked) == 2 else call.speak("好")
    assert not engine.ignores_seed()
    assert troubles(engine) == ["could not be asked whether it keeps to a seed"]


# --- what the server's tokenizer makes of a text --------------------------------------------------------------------


def test_the_density_is_that_of_the_tokenizer_of_the_server(server: FakeServer, engine: EndpointEngine) -> None:
    server.density = 1.75
    assert engine.context_limits().density == engine.context_limits().density == 1.75
    assert [path for path, *_ in server.seen].count("/tokenize") == 1 and not server.asked
    server.chat = uncounted
    assert reply(engine, question("问" * 100)).usage.evaluated == 175, "estimates hold by it"


@pytest.mark.parametrize(
    ("path", "tokens", "density"),
    [
        ("/extras/tokenize", list(range(len(PASSAGE))), 1.0),
        ("/tokenize", [], 1.2),
        ("/tokenize", "many", 1.2),
        ("/tokenize", list(range(len(PASSAGE) * 5)), 0.0),
    ],
)
def test_servers_without_that_tokenizer_count_by_another_or_by_usage(
    server: FakeServer, engine: EndpointEngine, path: str, tokens: Any, density: float
) -> None:
    """llama-cpp-python has an address of its own, Ollama and LM Studio have none."""
    server.density = None
    server.page(path, {"tokens": tokens, "count": 10**9})

    def chat(call: Call) -> None:
        template, read = 30, sum(len(message["content"]) for message in call.body["messages"])
        call.send(chunk({"content": "好"}, "length") + chunk(usage=usage(template + round(read * 1.2), 1)) + DONE)

    server.chat = chat
    assert engine.context_limits().density == pytest.approx(density, abs=0.02)
    assert all(body["max_tokens"] == 1 for body in server.asked)


@pytest.mark.parametrize("counted", [0, 1, 10**9, float("nan"), -4, "2"])
def test_a_density_that_no_tokenizer_has_is_not_believed(
    server: FakeServer, engine: EndpointEngine, counted: Any
) -> None:
    server.density = None
    server.chat = lambda call: call.send(
        chunk({"content": "好"}) + chunk({}, "stop") + chunk(usage={"prompt_tokens": counted}) + DONE
    )
    assert engine.context_limits().density == 0.0


@pytest.mark.parametrize("density", [0.0, -0.7, 0.01, 1e9, float("nan"), float("inf")])
def test_a_record_with_such_a_density_is_read_as_one_without(density: float) -> None:
    sits = Seated(seat="agent", policy="react/1", engine="endpoint:http://127.0.0.1:9", density=density)
    assert ContextBudget.of(sits) == ContextBudget.of(sits.model_copy(update={"density": 0.0}))


def test_a_server_that_does_not_answer_has_no_density(server: FakeServer, engine: EndpointEngine) -> None:
    server.density = None
    server.chat = lambda call: call.refuse(500, "out of order")
    assert engine.context_limits().density == 0.0


@pytest.mark.parametrize(
    ("path", "data", "context"),
    [
        ("/api/ps", {"models": [{"model": "other"}, {"model": f"{MODEL}:latest", "context_length": 2048}]}, 2048),
        ("/api/v0/models", {"data": [{"id": MODEL, "loaded_context_length": 8192}]}, 8192),
        ("/api/v0/models", {"data": [{"id": [MODEL], "loaded_context_length": 8192}, 3]}, 0),
        ("/api/ps", {"models": [{"model": MODEL, "context_length": -1}]}, 0),
    ],
)
def test_the_context_with_which_a_model_is_loaded_is_the_servers(
    server: FakeServer, engine: EndpointEngine, path: str, data: Any, context: int
) -> None:
    """Ollama cuts what is longer in silence."""
    server.page(path, data)
    assert engine.context_limits().context == context


def test_a_whole_reply_needs_no_name_for_its_end(server: FakeServer, engine: EndpointEngine) -> None:
    whole = {"choices": [{"message": {"content": "甲方"}, "finish_reason": None}], "usage": usage(9, 2)}
    server.chat = lambda call: (
        call.send(chunk({"content": "甲"}) + DONE)
        if call.body["stream"]
        else call.send(json.dumps(whole).encode(), kind="application/json")
    )
    found = reply(engine)
    assert (found.text, found.finish) == ("甲方", "stop")


# --- characters in pieces -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["content", "reasoning_content"])
def test_a_character_that_was_taken_apart_over_two_events_is_whole(
    server: FakeServer, engine: EndpointEngine, key: str
) -> None:
    high, low = "\ud840", "\udd64"
    deltas = ({key: f"罗{high}"}, {}, {key: f"{low}溪{high}"}, {key: f"{low}{high}"}, {key: "，好"})
    server.chat = lambda call: call.send(b"".join(map(chunk, deltas)) + chunk({}, "stop") + DONE)
    found = reply(engine, question(settings={"reasoning": 9}))
    assert (found.text or found.reasoning) == "罗𠅤溪𠅤，好"
