"""Servers that drip, flood and never end: every call ends with a sentence or a bounded reply, and memory stays
bounded.

No duration is asserted.
"""

from __future__ import annotations

import math
import socket
import threading

import pytest

from models.endpoint import EndpointEngine
from models.endpoint_server import EndpointClient, read_address
from models.endpoint_wire import CHARACTERS, PIECES
from tests.models.conftest import failure, question, reply
from tests.support.fake_endpoint import MODEL, Call, FakeServer, chunk, drip, raw_server

SHORT = 0.3
"""Seconds of patience where a test waits for its end."""


def engine_at(url: str, silence: float = 600.0) -> EndpointEngine:
    """An engine that has not asked the server for its models."""
    server = EndpointClient(read_address(f"{url}#{MODEL}"), silence=silence)
    return EndpointEngine(server, MODEL, {})


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
    assert f"said nothing new for {SHORT:g} seconds. Allow more with MOOT_ENDPOINT_TIMEOUT" in failure(
        engine_at(server.url, SHORT)
    )


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
        assert "said nothing new for 0.3 seconds" in failure(engine_at(url, SHORT))


# --- replies --------------------------------------------------------------------------------------------------------


def test_a_reply_far_beyond_its_tokens_is_cut(server: FakeServer) -> None:
    for piece in ("＿", "＿" * 1000):

        def speak(call: Call, piece: str = piece) -> None:
            call.begin()
            drip(server, call, chunk({"content": piece}) * 50)

        server.chat = speak
        result = reply(engine_at(server.url), question(settings={"max_tokens": 10}))
        assert result.finish == "length" and "went on far beyond 10 tokens and was cut off" in result.note
        assert len(result.text) == (PIECES * 10 + 1 if len(piece) == 1 else (CHARACTERS * 10 // 1000 + 1) * 1000)


def test_time_is_up_while_a_busy_server_is_waited_for(server: FakeServer, engine: EndpointEngine) -> None:
    server.chat = lambda call: call.refuse(503, "loading", headers={"Retry-After": "20"})
    assert reply(engine, question(seconds=SHORT)).finish == "time_limit"
    assert question(seconds=1).digest() == question().digest() == question(seconds=math.inf).digest()
