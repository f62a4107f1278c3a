"""Servers that drip, flood and never end: every call ends with a sentence or a bounded reply, and memory stays
bounded.

No duration is asserted. What a server does for ever here it does for some twenty seconds, so that a client that never
tires fails the test instead of holding it.
"""

from __future__ import annotations

import json
import math
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from models.endpoint import EndpointEngine
from models.endpoint_server import Flight, Server, Watch, read_address
from models.endpoint_wire import CHARACTERS, PIECES, Collector, parse_json
from models.engine import Ask, EngineError, Message, Reply, Settings
from tasks.run.engines import open_engine
from tasks.run.header import description_hash
from tests.support.fake_endpoint import (
    MODEL,
    SLOW,
    Call,
    FakeServer,
    chunk,
    drip,
    fake_server,
    raw_server,
    usage,
)

SHORT = 0.3
"""Seconds of patience where a test waits for its end."""


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOOT_API_KEY", raising=False)
    monkeypatch.delenv("MOOT_ENDPOINT_TIMEOUT", raising=False)


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with fake_server() as running:
        yield running


def engine_at(url: str, silence: float = 600.0, *, together: int = 4) -> EndpointEngine:
    """An engine that has not asked the server for its models."""
    server = Server(read_address(f"{url}#{MODEL}"), silence=silence)
    return EndpointEngine(server, MODEL, {}, together=together)


def question(text: str = "原告是谁？", *, seconds: float | None = None, **chosen: Any) -> Ask:
    return Ask("agent", (Message("user", text),), "react/1", settings=Settings(**chosen), seconds=seconds)


def said(engine: EndpointEngine, ask: Ask | None = None) -> str:
    (result,) = engine.answer([ask or question()])
    assert isinstance(result, EngineError), result
    assert "\n" not in str(result) and len(str(result)) < 900
    return str(result)


def reply(engine: EndpointEngine, ask: Ask | None = None) -> Reply:
    (result,) = engine.answer([ask or question()])
    assert isinstance(result, Reply), result
    return result


# --- bytes without news are no news ---------------------------------------------------------------------------------

PROGRESS = chunk({"content": None}, prompt_progress={"total": 30, "processed": 25})


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b": ping\n\n", "text/event-stream"),
        (chunk({"role": "assistant", "content": ""}), "text/event-stream"),
        (PROGRESS, "text/event-stream"),
        (b" ", "application/json"),
    ],
)  # fmt: skip
def test_bytes_without_news_end_the_call(server: FakeServer, raw: bytes, kind: str) -> None:
    def speak(call: Call) -> None:
        call.begin(kind=kind)
        drip(server, call, raw)

    server.chat = speak
    assert f"said nothing new for {SHORT:g} seconds. Allow more with MOOT_ENDPOINT_TIMEOUT" in said(
        engine_at(server.url, SHORT)
    )


def test_a_word_and_then_comments(server: FakeServer) -> None:
    def speak(call: Call) -> None:
        call.begin()
        call.write(chunk({"content": "好"}))
        drip(server, call, b": ping\n\n")

    server.chat = speak
    assert "said nothing new" in said(engine_at(server.url, SHORT))


def test_what_is_news() -> None:
    """A token, progress, a finish and the counts, each once; everything else keeps nobody waiting."""
    collector = Collector()
    read = {"prompt_progress": {"processed": 5, "total": 9}, "choices": [{"delta": {}}]}
    chance = {"choices": [{"delta": {"content": ""}, "logprobs": {"content": [{"token": "", "logprob": -1}]}}]}
    heard = []
    for data in [
        {"choices": [{"delta": {"role": "assistant"}}]}, {"choices": []}, {"choices": [{"delta": {"content": ""}}]},
        {"x": 1},
        read, read, {"choices": [{"delta": {"content": "好"}}]}, {"choices": [{"delta": {"reasoning": "想"}}]},
        chance,
        {"choices": [{"delta": {}, "finish_reason": "stop"}]}, {"choices": [{"delta": {}, "finish_reason": "stop"}]},
        {"usage": usage(1, 1)}, {"usage": usage(1, 2)}, {"usage": {}},
    ]:  # fmt: skip
        before = collector.heard
        collector.take(data)
        heard.append(collector.heard - before)
    assert heard == [0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 0, 1, 0, 0]


def test_news_gives_a_call_its_patience_anew() -> None:
    now = 0.0
    watch = Watch(600, 5000, lambda: now)
    for _ in range(9):
        now += 500
        assert watch.left() == 100
        watch.hear()
        assert watch.left() == min(600, 5000 - now)
    watch.hear(30)
    assert watch.left() == 30
    now += 31
    assert watch.left() < 0 and str(watch) == "said nothing new for 30 seconds"
    now = 5000
    assert str(watch) == "was not done within 5000 seconds"


def test_the_end_of_a_flight_reaches_a_connection_that_is_made_later() -> None:
    flight = Flight()
    flight.stop()
    ours, theirs = socket.socketpair()

    class Stream:
        def get_extra_info(self, name: str) -> socket.socket:
            return ours

    with theirs, ours, flight.watch(600) as watch:
        watch.trace("connection.connect_tcp.complete", {"return_value": Stream()})
        assert theirs.recv(1) == b""


def test_a_server_that_never_ends_after_its_last_word(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.endpoint_server.LAST", SHORT)

    left: list[bool] = []

    def speak(call: Call) -> None:
        call.begin()
        call.write(chunk({"content": "好"}, "stop"))
        left.append(drip(server, call, chunk({}, "stop")))

    server.chat = speak
    result = reply(engine_at(server.url))
    assert (result.text, result.finish) == ("好", "stop") and "no token counts" in result.note
    while server.busy:
        server.closing.wait(0.01)
    assert left == [True], "the server was still dripping when it was left"


def test_one_token_now_and_then_for_ever(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    # Silence of ten minutes, half a second for all: a busy machine may drip as late as it likes.
    monkeypatch.setattr("models.endpoint_server.PACE", (0.5 - 600) / 10)

    def speak(call: Call) -> None:
        call.begin()
        drip(server, call, chunk({"content": "好"}))

    server.chat = speak
    assert "was not done within 0.5 seconds" in said(engine_at(server.url, 600), question(max_tokens=10))


# --- below HTTP -----------------------------------------------------------------------------------------------------

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"


def slowly(sock: socket.socket, closing: threading.Event, first: bytes, again: bytes) -> None:
    sock.sendall(first)
    for _ in range(2000):
        sock.sendall(again)
        if closing.wait(0.01):
            return


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (b"", b"H"),
        (HEAD, b"X: y\r\n"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n\n\r\n"),
        (HEAD + b"Content-Length: 100000\r\n\r\n", b":"),
    ],
)  # fmt: skip
def test_slow_headers_and_chunks(first: bytes, again: bytes) -> None:
    def speak(sock: socket.socket, closing: threading.Event) -> None:
        sock.recv(65536)
        slowly(sock, closing, first, again)

    with raw_server(speak) as url:
        assert "said nothing new for 0.3 seconds" in said(engine_at(url, SHORT))


@pytest.mark.parametrize(
    "raw",
    [
        b"X" * 300_000,
        b"\x16\x03\x01\x00\x05hello",
        b"",
    ],
)
def test_headers_that_are_none(raw: bytes) -> None:
    def speak(sock: socket.socket, closing: threading.Event) -> None:
        sock.recv(65536)
        sock.sendall(raw)
        sock.shutdown(socket.SHUT_WR)
        closing.wait(20)

    with raw_server(speak) as url:
        assert f"the connection to {url}/v1 broke" in said(engine_at(url))


# --- replies --------------------------------------------------------------------------------------------------------


def test_a_reply_far_beyond_its_tokens_is_cut(server: FakeServer) -> None:
    for piece in ("好", "好" * 1000):

        def speak(call: Call, piece: str = piece) -> None:
            call.begin()
            drip(server, call, chunk({"content": piece}) * 50)

        server.chat = speak
        result = reply(engine_at(server.url), question(max_tokens=10))
        assert result.finish == "length" and "went on far beyond 10 tokens and was cut off" in result.note
        assert len(result.text) == (PIECES * 10 + 1 if len(piece) == 1 else (CHARACTERS * 10 // 1000 + 1) * 1000)


@pytest.mark.parametrize("half", ["\\ud800", "\\uDFFF"])
def test_halves_of_characters_do_not_get_in(half: str) -> None:
    text = f'{{"data": [{{"id": "a{half}", "{half}": 1}}, "\\ud83d\\ude00"]}}'
    for form in (text, text.encode()):
        assert parse_json(form) == {"data": [{"id": "a?", "?": 1}, "😀"]}
    assert description_hash({"id": "a"}) != description_hash({"id": "a\ud800"}), "a run file can say anything"


@pytest.mark.parametrize("wait", ["100000000", "nan", "-5", "soon", "", "Wed, 21 Oct 2099 07:28:00 GMT"])
def test_busy_for_ever(server: FakeServer, monkeypatch: pytest.MonkeyPatch, wait: str) -> None:
    monkeypatch.setattr("models.endpoint.PATIENCE", 0.5)
    server.chat = lambda call: call.refuse(503, "wait", headers={"Retry-After": wait})
    assert "is busy (503): wait" in said(engine_at(server.url))
    assert len(server.asked) == 1


# --- the list of models ---------------------------------------------------------------------------------------------


def test_a_list_that_comes_by_the_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.endpoint_server.PROBE", SHORT)
    for first in (b"", HEAD, HEAD + b"\r\n"):

        def speak(sock: socket.socket, closing: threading.Event, first: bytes = first) -> None:
            sock.recv(65536)
            slowly(sock, closing, first, b" " if first.endswith(b"\r\n\r\n") else b"X")

        with raw_server(speak) as url, pytest.raises(EngineError, match=r"was not done within 0\.3 seconds"):
            open_engine(f"endpoint:{url}")


def test_a_server_that_speaks_of_itself_by_the_byte_is_asked_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.endpoint_server.PROBE", SHORT)
    asked = []
    listed = json.dumps({"data": [{"id": MODEL}]}).encode()

    def speak(sock: socket.socket, closing: threading.Event) -> None:
        asked.append(sock.recv(65536).split()[1])
        sock.sendall(HEAD + b"\r\n")
        if asked[-1] == b"/v1/models":
            return sock.sendall(listed)
        return slowly(sock, closing, b"", b" ")

    with raw_server(speak) as url:
        assert open_engine(f"endpoint:{url}").describe()["server"] == {"id": MODEL}
    assert asked == [b"/v1/models", b"/props"]


# --- the time of a call ---------------------------------------------------------------------------------------------


def test_a_call_ends_when_its_time_is_up_with_what_it_has(server: FakeServer) -> None:
    spoken = threading.Event()

    def speak(call: Call) -> None:
        if SLOW not in call.body["messages"][-1]["content"]:
            spoken.wait(20)
            return call.speak("好")
        call.begin()
        drip(server, call, chunk({"content": "慢"}))
        return spoken.set()

    server.chat = speak
    cut, whole = engine_at(server.url).answer([question(SLOW, seconds=0.5), question()])
    assert isinstance(cut, Reply) and isinstance(whole, Reply)
    assert cut.finish == "time_limit" and set(cut.text) <= {"慢"} and len(cut.text) < 2000
    assert (whole.finish, whole.text) == ("stop", "好"), "the others of the batch go on"


PATIENCE = (SHORT, 3.0, 15.0)
"""Seconds that a call has, one after the other until the server heard it: a busy machine may take the first away."""


@pytest.mark.parametrize("seconds", [(0.0,), (1e-9,), PATIENCE])
def test_time_is_up_while_nothing_is_said(server: FakeServer, seconds: tuple[float, ...]) -> None:
    server.chat = lambda call: server.closing.wait(60) and None  # type: ignore[func-returns-value]
    engine = engine_at(server.url)
    for most in seconds:
        assert reply(engine, question(seconds=most)).finish == "time_limit"
        if server.busy:
            break
    assert server.busy or seconds != PATIENCE, "the server is still silent"
    server.chat = lambda call: call.refuse(503, "loading", headers={"Retry-After": "20"})
    assert reply(engine_at(server.url), question(seconds=seconds[0])).finish == "time_limit"


def test_a_call_that_waits_for_its_turn_is_not_made_when_its_time_is_up(server: FakeServer) -> None:
    def speak(call: Call) -> None:
        call.begin()
        drip(server, call, chunk({"content": "慢"}))

    server.chat = speak
    engine = engine_at(server.url, together=1)
    rounds = 0
    for most in PATIENCE:
        rounds += 1
        results = engine.answer([question(seconds=most) for _ in range(5)])
        assert [result.finish for result in results if isinstance(result, Reply)] == ["time_limit"] * 5
        if server.asked:
            break
    assert 1 <= len(server.asked) <= rounds


def test_time_enough_changes_nothing(server: FakeServer) -> None:
    engine = engine_at(server.url)
    assert reply(engine, question(seconds=500)).text == reply(engine).text
    assert question(seconds=1).digest() == question().digest() == question(seconds=math.inf).digest()
