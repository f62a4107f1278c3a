"""A small OpenAI-compatible server on loopback for tests: it streams, counts, refuses, breaks off and keeps silent.

Its "model" is a hash: the same question gives the same reply; a token is a character. It has a context of 4,096.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CONTEXT = 4096
MODEL = "falsch-7b"
SLOW = "慢慢说"
"""A question with these characters is answered piece by piece without end."""


def usage(prompt: int, generated: int, cached: int = 0) -> dict[str, Any]:
    return {
        "prompt_tokens": prompt, "completion_tokens": generated, "total_tokens": prompt + generated,
        "prompt_tokens_details": {"cached_tokens": cached},
    }  # fmt: skip


def chunk(delta: Mapping[str, Any] | None = None, finish: str | None = None, **more: Any) -> bytes:
    """One event of a stream; without delta one that has no choices."""
    choices = (
        [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish, **more.pop("choice", {})}]
    )
    return b"data: " + json.dumps({"object": "chat.completion.chunk", "choices": choices, **more}).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
NOT_FOUND = (404, "application/json", b'{"error": "not found"}')


class Call:
    """A request to chat completions, and the ways to answer it."""

    def __init__(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        self.handler = handler
        self.body = body
        self.gone = False
        """Whether the client has left."""

    def begin(self, status: int = 200, kind: str = "text/event-stream", **headers: str) -> None:
        self.handler.send_response(status)
        self.handler.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.end_headers()

    def write(self, raw: bytes) -> bool:
        try:
            self.handler.wfile.write(raw)
            self.handler.wfile.flush()
        except OSError:
            self.gone = True
        return not self.gone

    def send(self, raw: bytes, status: int = 200, kind: str = "text/event-stream", **headers: str) -> None:
        self.begin(status, kind, **headers)
        self.write(raw)

    def refuse(self, status: int, message: str = "", **more: Any) -> None:
        headers = more.pop("headers", {})
        data = {"error": {"message": message, "code": status, **more}}
        self.send(json.dumps(data).encode(), status, "application/json", **headers)

    def speak(self, *pieces: str, finish: str = "stop", cached: int = 0) -> None:
        """Stream a reply as llama-server and vLLM do."""
        prompt = sum(len(message["content"]) for message in self.body["messages"])
        self.begin()
        for piece in pieces:
            self.write(chunk({"content": piece}))
        self.write(chunk({}, finish))
        self.write(chunk(usage=usage(prompt, sum(map(len, pieces)), cached)) + DONE)


def drip(server: FakeServer, call: Call, raw: bytes, *, times: int = 2000) -> bool:
    """The same bytes again and again, until nobody listens any more: True then. Bounded: a listener may never
    tire."""
    while times and call.write(raw) and not server.closing.wait(0.01):
        times -= 1
    return call.gone


def default(server: FakeServer, call: Call) -> None:
    """The hash speaks."""
    body, last = call.body, call.body["messages"][-1]["content"] if call.body["messages"] else ""
    size = sum(len(message["content"]) for message in body["messages"])
    if size > CONTEXT:
        message = "the request exceeds the available context size, try increasing it"
        return call.refuse(400, message, type="exceed_context_size_error", n_prompt_tokens=size, n_ctx=CONTEXT)
    if SLOW in last:
        call.begin()
        while call.write(chunk({"content": "慢"})) and not server.closing.wait(0.005):
            pass
        return None
    seed = body["seed"] if body["temperature"] else 0
    text = sha256(json.dumps([body["messages"], seed]).encode()).hexdigest()
    for stop in body.get("stop", []):
        text = text.partition(stop)[0]
    room = min(max(1, body["max_tokens"]), CONTEXT - size)
    return call.speak(*text[:room], finish="length" if room < len(text) else "stop")


class FakeServer:
    """`chat` answers a call, `pages` other addresses: (status, content type, body). `seen` are requests: (path,
    headers, body). `density`: tokens a character by the tokenizer of /tokenize, None for a server without one."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        self.chat: Callable[[Call], None] = lambda call: default(self, call)
        self.pages: dict[str, tuple[int, str, bytes]] = {}
        self.seen: list[tuple[str, dict[str, str], Any]] = []
        self.closing = threading.Event()
        self.busy = 0
        self.busiest = 0
        self.density: float | None = 0.75
        self.lock = threading.Lock()
        self.lists(MODEL)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                outer.seen.append((self.path, dict(self.headers), None))
                self.answer(outer.pages.get(self.path, NOT_FOUND))

            def answer(self, page: tuple[int, str, bytes]) -> None:
                status, kind, raw = page
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Location", raw.decode() if 300 <= status < 400 else "")
                self.end_headers()
                self.wfile.write(raw)

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if not self.path.endswith(("/chat/completions", "/embeddings")):
                    outer.seen.append((self.path, dict(self.headers), body))
                    return self.answer(outer.tokens(self.path, body))
                with outer.lock:
                    outer.seen.append((self.path, dict(self.headers), body))
                    outer.busy += 1
                    outer.busiest = max(outer.busiest, outer.busy)
                try:
                    outer.chat(Call(self, body))
                finally:
                    with outer.lock:
                        outer.busy -= 1

        class Http(ThreadingHTTPServer):
            daemon_threads = False
            request_queue_size = 64

            def handle_error(self, request: object, client_address: object) -> None:
                pass  # a client that leaves is no news

        self.http = Http((host, port), Handler)

    def tokens(self, path: str, body: Mapping[str, Any]) -> tuple[int, str, bytes]:
        """What an address beside chat completions and embeddings answers."""
        if path != "/tokenize" or self.density is None:
            return self.pages.get(path, NOT_FOUND)
        tokens = list(range(round(len(body["content"]) * self.density)))
        return 200, "application/json", json.dumps({"tokens": tokens}).encode()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}"

    @property
    def spec(self) -> str:
        """What stands after `endpoint:`."""
        return f"{self.url}#{MODEL}"

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The bodies of the chat completions."""
        return [body for path, _, body in self.seen if path.endswith("/chat/completions")]

    def lists(self, *names: str, **facts: Any) -> None:
        data = {"object": "list", "data": [{"id": name, "object": "model", "created": 1, **facts} for name in names]}
        self.page("/v1/models", data)

    def page(self, path: str, data: Any, status: int = 200, kind: str = "application/json") -> None:
        self.pages[path] = (status, kind, data if isinstance(data, bytes) else json.dumps(data).encode())


@contextmanager
def fake_server(host: str = "127.0.0.1", port: int = 0) -> Iterator[FakeServer]:
    server = FakeServer(host, port)
    thread = threading.Thread(target=server.http.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.http.shutdown()
        thread.join()
        server.http.server_close()


@contextmanager
def raw_server(speak: Callable[[socket.socket, threading.Event], None]) -> Iterator[str]:
    """A server below HTTP: every connection is handed to `speak` with an event that says when to stop. Gives its
    address.

    `speak` has read nothing yet. A model list comes from it as well, or from nobody.
    """
    closing = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))
    threads: list[threading.Thread] = []

    def serve(sock: socket.socket) -> None:
        sock.settimeout(10)
        with sock, suppress(OSError):  # a client that leaves or reads no more is no news
            speak(sock, closing)

    def accept() -> None:
        while True:
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            threads.append(threading.Thread(target=serve, args=(sock,)))
            threads[-1].start()

    thread = threading.Thread(target=accept)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        closing.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for one in (thread, *threads):
            one.join()
