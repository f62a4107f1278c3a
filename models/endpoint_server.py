"""An OpenAI-compatible server: its address, what ends a call to it, its answers, its failures as one sentence each,
and what it says of itself (recorded with a run, so only what stays the same from day to day).

A connection is read by a thread that may sit in one read for as long as a server drips bytes, and neither comments
nor headers without end are news. So every request is watched by a thread of its own, which shuts the connection when
the time comes: whatever the server does, the reader wakes up.

httpx is imported on use (it is slow to load, and brings rich along, which only `app` may know). Units: seconds of a
clock that only goes forward; contexts in tokens.
"""

from __future__ import annotations

import json
import math
import os
import re
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from models.endpoint_wire import (
    Collector,
    EventReader,
    News,
    Refused,
    about_status,
    code_of,
    message_of,
    parse_json,
    shown,
    words_of,
)
from models.engine import EngineError, Unavailable
from models.errors import BadEngine, ForeignHost
from models.hosts import is_near, normal_host

if TYPE_CHECKING:
    import httpx

KEY_VARIABLE = "MOOT_API_KEY"
SILENCE_VARIABLE = "MOOT_ENDPOINT_TIMEOUT"
CONNECT = 5.0
"""Seconds to reach a server."""
SILENCE = 600.0
"""Seconds a server may say nothing new: a laptop reads a long prompt for minutes before the first word."""
PACE = 10.0
"""Seconds for each token that a reply may have, beside the silence before it: the whole call takes no longer."""
LAST = 30.0
"""Seconds for the counts after the last word."""
PROBE = 30.0
"""Seconds for a question about the server itself, its answer included."""
LONGEST_ASKED = 3600.0
"""Seconds of a Retry-After that are kept to; what is longer is cut to it."""
EXAMPLE = "For example endpoint:http://127.0.0.1:8080#MODEL."


Clock = Callable[[], float]
LISTED = 12
"""Models that a sentence names."""
STATEMENTS: Mapping[str, tuple[str, ...]] = {
    "/props": ("build_info", "total_slots"),  # llama-server
    "/version": ("version",),  # vLLM
    "/api/version": ("version",),  # Ollama
}
"""Where servers speak of themselves, and what of it stays the same from day to day."""
MODEL_FACTS = ("owned_by", "max_model_len", "n_ctx_train", "n_params", "n_vocab", "size")
"""What servers list of a model and keep the same (times of loading they do not)."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is: `base` is what paths such as /chat/completions are added to, `origin` the root of the host,
    `key` the environment variable that holds the key for this host ('' for none)."""

    base: str
    origin: str
    model: str
    key: str = KEY_VARIABLE


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is no chat completion: status, the server's words, and how long it asks to wait (None: not
    said)."""

    status: int
    text: str
    wait: float | None = None
    location: str = ""


def read_address(rest: str, hosts: Mapping[str, str] | None = None) -> Address:
    """The address in `URL#MODEL`; the model may be missing where a server has only one.

    Args:
        rest: URL#MODEL.
        hosts: hosts beyond this machine that may be reached -> the environment variable with the key bound to each.

    Raises:
        BadEngine: no address, several, or one with secrets in it.
        ForeignHost: a host beyond this machine that is not among `hosts`.
    """
    url, _, model = rest.partition("#")
    if re.search(r",\s*https?://", url):
        raise BadEngine(
            "a seat takes one server, and the SPEC names several", "Put a proxy before them and give its address."
        )
    try:
        parts = urlsplit(url)
        host, port = normal_host(parts.hostname or ""), parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    if "@" in parts.netloc or parts.query:
        raise BadEngine(
            "the address of the endpoint holds a user name, a password or a query, and a SPEC is stored with its run",
            f"Leave it out and put the key into the environment variable {KEY_VARIABLE}.",
        )
    if parts.scheme not in ("http", "https") or not host or any(ch <= " " or not ch.isprintable() for ch in rest):
        raise BadEngine(f"'{shown(url)}' is no address of a server", EXAMPLE)
    key = KEY_VARIABLE if is_near(host) else (hosts or {}).get(host)
    if key is None:
        raise ForeignHost(host)
    named = f"[{host}]" if ":" in host else host
    origin = f"{parts.scheme}://{named}{'' if port is None else f':{port}'}"
    path = parts.path.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    return Address(f"{origin}{path or '/v1'}", origin, model, key)


def key_of_environment(variable: str = KEY_VARIABLE) -> str:
    """The key for servers that ask for one; '' when there is none."""
    key = os.environ.get(variable, "").strip()
    if not key.isascii() or not key.isprintable():
        raise BadEngine(f"{variable} holds characters that no key has", "Set it anew, without line breaks.")
    return key


def silence_of_environment() -> float:
    """Seconds that a server may say nothing."""
    said = os.environ.get(SILENCE_VARIABLE, "")
    try:
        seconds = float(said) if said else SILENCE
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 86_400:
        raise BadEngine(f"{SILENCE_VARIABLE}={shown(said)} is no number of seconds", "Give 1 to 86400, or unset it.")
    return seconds


class Watch:
    """One request. It is cut when nothing new is heard for `silence` seconds, and at the time `until` in any case."""

    def __init__(self, silence: float, until: float = math.inf, clock: Clock = time.monotonic) -> None:
        self.silence = silence
        self.until = until
        self.ran_out = False
        """Whether the server was cut off because it took too long."""
        self._clock = clock
        self._began = self._heard = clock()
        self._cut = False
        self._over = False
        self._woken = threading.Event()
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []

    def hear(self, silence: float = math.inf) -> None:
        """The server said something new; from now on it may be silent for so long at most."""
        self._heard = self._clock()
        if silence < self.silence:
            self.silence = silence
            self._woken.set()

    def left(self) -> float:
        """Seconds until the request is cut, as it looks now."""
        return min(self._heard + self.silence, self.until) - self._clock()

    def __str__(self) -> str:
        """What a server that ran out of time did wrong."""
        if self._clock() >= self.until:
            return f"was not done within {round(self.until - self._began, 2):g} seconds"
        return f"said nothing new for {self.silence:g} seconds"

    def cut(self) -> None:
        """End the request: its connection is shut, which wakes whoever reads from it or writes to it."""
        with self._lock:
            self._cut = True
            for sock in self._sockets:
                _shut(sock)

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Told by httpx of every connection that is made."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            sock = info["return_value"].get_extra_info("socket")
            with self._lock:
                self._sockets.append(sock)
                if self._cut:
                    _shut(sock)

    def __enter__(self) -> Watch:
        threading.Thread(target=self._watch, daemon=True, name="endpoint-watch").start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        self._woken.set()

    def _watch(self) -> None:
        while not self._over:
            left = self.left()
            if left <= 0:
                self.ran_out = True
                return self.cut()
            self._woken.wait(min(left, threading.TIMEOUT_MAX))
            self._woken.clear()


class Flight:
    """Calls in flight together. `stop` ends them from any thread, also while the server is silent."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self.clock = clock
        self._began = clock()
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._watches: set[Watch] = set()

    @property
    def stopped(self) -> bool:
        """Whether the calls are to end."""
        return self._stopped.is_set()

    def until(self, seconds: float | None) -> float:
        """The time that comes so many seconds after the flight began."""
        return math.inf if seconds is None else self._began + seconds

    def wait(self, seconds: float) -> bool:
        """Wait so long; True at once when the calls are to end."""
        return self._stopped.wait(seconds)

    def stop(self) -> None:
        """End the calls."""
        self._stopped.set()
        with self._lock:
            for watch in self._watches:
                watch.cut()

    @contextmanager
    def watch(self, silence: float, until: float = math.inf) -> Iterator[Watch]:
        """A request of this flight."""
        watch = Watch(silence, until, self.clock)
        with self._lock:
            self._watches.add(watch)
            if self.stopped:
                watch.cut()
        try:
            with watch:
                yield watch
        finally:
            with self._lock:
                self._watches.discard(watch)


def _shut(sock: socket.socket) -> None:
    with suppress(OSError):  # closed by now
        socket.socket.shutdown(sock, socket.SHUT_RDWR)  # of a TLS socket too: without a farewell, which might block
    if sys.platform == "win32":
        sock.close()  # only this wakes a reader there


class Server:
    """One server. Every failure of the connection is an `EngineError` with a sentence; no secret is in any of
    them."""

    def __init__(self, address: Address, *, key: str = "", silence: float = SILENCE) -> None:
        import httpx

        self.address = address
        self.key = key
        self.silence = silence
        headers = {"User-Agent": "moot", "Connection": "close", "Accept-Encoding": "identity"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        secure = address.base.startswith("https:")
        self._client = httpx.Client(
            headers=headers,
            verify=ssl.create_default_context() if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(connect=CONNECT, read=silence, write=max(CONNECT, 60.0), pool=None),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
        )

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def get(self, url: str, flight: Flight | None = None) -> Any | Refusal:
        """The JSON value at an address (None when it is no JSON), or the server's refusal."""
        flight = flight or Flight()
        with (
            flight.watch(math.inf, flight.clock() + PROBE) as watch,
            self._plainly(watch),
            self._client.stream("GET", url, extensions={"trace": watch.trace}) as response,
        ):
            raw = response.read()
            return parse_json(raw) if response.status_code == 200 else self._refusal(response, raw)

    def chat(
        self,
        body: Mapping[str, object],
        flight: Flight,
        collector: Collector,
        say: Callable[[News], None],
        until: float = math.inf,
    ) -> Refusal | None:
        """Ask for a chat completion and gather it; None when the collector holds the reply.

        It is the whole reply unless the flight was stopped or the time `until` has come.
        """
        url = f"{self.address.base}/chat/completions"
        try:
            content = json.dumps(body, allow_nan=False).encode()
        except (ValueError, TypeError, RecursionError) as error:
            raise Refused(
                f"the question cannot be written as JSON: {shown(str(error))}", "See settings and schema."
            ) from None
        reader, kind = EventReader(), ""
        whole = flight.clock() + self.silence + PACE * collector.tokens
        with flight.watch(self.silence, min(until, whole)) as watch:
            try:
                with self._plainly(watch), self._client.stream(
                    "POST", url, content=content, headers={"Content-Type": "application/json"},
                    extensions={"trace": watch.trace}
                ) as response:  # fmt: skip
                    if response.status_code != 200:
                        return self._refusal(response, response.read())
                    kind = response.headers.get("content-type", "")
                    for data in _objects(response, reader):
                        heard = collector.heard
                        for news in collector.take(data):
                            say(news)
                        if collector.error or collector.over or (collector.finish and collector.counts):
                            break
                        if collector.heard > heard:
                            watch.hear(LAST if collector.finish else math.inf)
            except EngineError:
                if not (collector.finish or flight.stopped or flight.clock() >= until):
                    raise  # a connection that breaks after the last word took nothing away
        if collector.error:
            return Refusal(code_of(collector.error), shown(message_of(collector.error), self.key))
        if collector.finish or flight.stopped or flight.clock() >= until:
            return None
        url = self.address.base
        if not collector.known and "event-stream" not in kind:
            page = "a web page" if "html" in kind else "no chat completion"
            raise EngineError(
                f"what the server at {url} sent is {page}", "Is the address right? It usually ends in /v1."
            )
        # half a reply must not pass for a whole one
        raise EngineError(f"the server at {url} broke off before the end of its reply", "See the server's own log.")

    def error(self, refusal: Refusal) -> EngineError:
        """The sentence for a refusal that stands."""
        return about_status(
            refusal.status,
            refusal.text,
            url=self.address.base,
            keyed=bool(self.key),
            variable=self.address.key,
            location=refusal.location,
            wait=refusal.wait,
        )

    def _refusal(self, response: httpx.Response, raw: bytes) -> Refusal:
        headers = response.headers
        words = words_of(raw, headers.get("content-type", ""), self.key)
        return Refusal(
            response.status_code, words, _seconds(headers.get("retry-after", "")), headers.get("location", "")
        )

    @contextmanager
    def _plainly(self, watch: Watch) -> Iterator[None]:
        """Failures of the connection become sentences."""
        import httpx

        url = self.address.base
        hint = f"Allow more with {SILENCE_VARIABLE}=SECONDS, or see the server's own log."
        try:
            yield
            if watch.ran_out:  # a stream without a stated length just ends where it is cut
                raise httpx.ReadTimeout("")
        except (httpx.ConnectTimeout, httpx.ConnectError) as error:
            cause = _root(error)
            if isinstance(error, httpx.ConnectTimeout) or isinstance(cause, ConnectionRefusedError):
                raise Unavailable(f"no server answers at {url}", "Start it or correct the address.") from None
            if isinstance(cause, ssl.SSLError):
                reason = shown(getattr(cause, "verify_message", "") or cause.reason or str(cause))
                raise EngineError(
                    f"the server at {url} cannot prove who it is: {reason}", "See SSL_CERT_FILE for own certificates."
                ) from None
            raise Unavailable(
                f"cannot reach {url}: {shown(getattr(cause, 'strerror', None) or str(cause))}"
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, RuntimeError) as error:  # the last one: closed under way
            if watch.ran_out or isinstance(error, httpx.TimeoutException):
                raise EngineError(f"the server at {url} {watch}", hint) from None
            reason = shown(str(_root(error)) or type(error).__name__, self.key)
            raise EngineError(f"the connection to {url} broke: {reason}", "See the server's own log.") from None


def _objects(response: httpx.Response, reader: EventReader) -> Iterator[dict[str, object]]:
    """The objects of a stream; or the one object of a server that does not stream."""
    if response.headers.get("content-type", "").startswith("application/json"):
        data = parse_json(response.read())
        if isinstance(data, dict):
            yield data
        return
    for chunk in response.iter_bytes():
        yield from reader.feed(chunk)
        if reader.done:
            return
    yield from reader.end()


def _seconds(said: str) -> float | None:
    """What Retry-After says, as a number or as a date; None where it says nothing that can be waited for."""
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = max(0.0, (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds())
        except (ValueError, TypeError, OverflowError):  # not said, or no date; one without a zone cannot be compared
            return None
    return min(seconds, LONGEST_ASKED) if seconds >= 0 else None


def _root(error: BaseException) -> BaseException:
    while error.__cause__ is not None or error.__context__ is not None:
        error = error.__cause__ or error.__context__ or error
    return error


def facts_of(server: Server, flight: Flight | None = None) -> tuple[str, dict[str, Any]]:
    """The model to ask a server for, and what the server says of it and of itself.

    Raises:
        BadEngine: the server does not have the model of its address.
        EngineError: nobody answers, or not as an OpenAI-compatible server does.
    """
    model, facts = _choose(server.address.model, models_of(server, flight), server)
    return model, facts | _statement(server, flight)


def models_of(server: Server, flight: Flight | None = None) -> list[Mapping[str, object]]:
    """What the server lists under /models, each with a name under `id`."""
    url = server.address.base
    answer = server.get(f"{url}/models", flight)
    if isinstance(answer, Refusal) and answer.status != 404:
        raise server.error(answer)
    if not isinstance(answer, Mapping) or not isinstance(answer.get("data"), list | None):
        raise EngineError(f"what answers at {url} lists no models", "Is the address right? It usually ends in /v1.")
    listed = answer["data"] or []
    return [entry for entry in listed if isinstance(entry, Mapping) and isinstance(entry.get("id"), str)]


def _choose(wanted: str, listed: Sequence[Mapping[str, object]], server: Server) -> tuple[str, dict[str, object]]:
    """The model to ask for, and what the server lists of it."""
    url, names = server.address.base, [str(entry["id"]) for entry in listed]
    if not listed:
        raise BadEngine(f"the server at {url} has no model", "Load one there first.")
    for entry in listed:
        aliases = entry.get("aliases")
        if wanted in (
            entry["id"],
            str(entry["id"]).removesuffix(":latest"),
            *(aliases if isinstance(aliases, list) else ()),
        ):
            return wanted, _facts(entry)
    if len(listed) == 1 and (not wanted or listed[0].get("owned_by") == "llamacpp"):
        return wanted or names[0], _facts(listed[0])  # llama-server answers with its one model, whatever the name
    if not wanted:
        raise BadEngine(f"the server at {url} has several models", f"Name one after '#'. {lists(names)}")
    raise BadEngine(f"the server at {url} has no model '{shown(wanted)}'", lists(names))


def lists(names: Sequence[str]) -> str:
    """Says which models a server has."""
    first = ", ".join(shown(name) for name in names[:LISTED])
    if len(names) > LISTED:
        return f"It lists: {first} and {len(names) - LISTED} more."
    return f"It lists: {first}." if names else "It lists none."


def _facts(entry: Mapping[str, Any]) -> dict[str, Any]:
    meta = entry.get("meta")
    return {
        "id": shown(str(entry["id"])),
        **_scalars({**(meta if isinstance(meta, Mapping) else {}), **entry}, MODEL_FACTS),
    }


def _scalars(data: Mapping[str, Any], names: Sequence[str]) -> dict[str, object]:
    """Those of the names that hold a text or a whole number."""
    found = {name: data.get(name) for name in names}
    return {
        name: shown(value) if isinstance(value, str) else value
        for name, value in found.items()
        if isinstance(value, str | int) and (isinstance(value, str) or abs(value) < 2**53)
    }


def _statement(server: Server, flight: Flight | None) -> dict[str, object]:
    """What the server says of itself, if it is one that does."""
    with suppress(EngineError):  # one that does not answer here is asked no further
        for path, names in STATEMENTS.items():
            said = server.get(f"{server.address.origin}{path}", flight)
            if isinstance(said, Mapping) and (found := _scalars(said, names)):
                return {**found, **_props(said)}
    return {}


def _props(said: Mapping[str, Any]) -> dict[str, Any]:
    """File, context and template as llama-server states them: the file without its folder, the template as its
    hash."""
    found: dict[str, Any] = {}
    if isinstance(said.get("model_path"), str):
        found["file"] = shown(re.split(r"[/\\]", said["model_path"])[-1])
    settings = said.get("default_generation_settings")
    if isinstance(settings, Mapping):
        found |= _scalars(settings, ("n_ctx",))
    if isinstance(said.get("chat_template"), str):
        found["template"] = sha256(said["chat_template"].encode("utf-8", "replace")).hexdigest()
    return found
