"""An OpenAI-compatible server: its address, what ends a call to it, its answers, its failures as one sentence each,
and what it says of itself (recorded with a run, so only what stays the same from day to day).

A request is a task of asyncio under one deadline, which moves with what is new: so it also ends a server that drips
headers, comments or bytes without news, and a flight can be stopped from any thread.

httpx is imported on use (it is slow to load, and brings rich along, which only `app` may know). Units: seconds of
`time.monotonic`; contexts in tokens.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import re
import ssl
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import urlsplit

from models.endpoint_wire import (
    Collector,
    News,
    RequestRefused,
    code_of,
    join_halves,
    message_of,
    parse_json,
    shown,
    words_of,
)
from models.engine import Busy, EngineError, Unavailable
from models.errors import BadEngine, ForeignHost
from models.hosts import is_near, normal_host
from models.specs import Opening

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
LONGEST_WAIT = 3600.0
"""Seconds of a Retry-After that are kept to; what is longer is cut to it."""
EXAMPLE = "For example endpoint:http://127.0.0.1:8080#MODEL."
BIND = (
    "Bind one to its host: `moot config hosts allow HOST --key-env NAME`, NAME being the environment variable "
    "with the key."
)
"""What helps where no key is bound to the host of a server."""
LISTED = 12
"""Models that a sentence names."""
STATEMENTS: Mapping[str, tuple[str, ...]] = {
    "/props": ("build_info", "total_slots"),  # llama-server
    "/version": ("version",),  # vLLM
    "/api/version": ("version",),  # Ollama
}
"""Where servers speak of themselves, and what of it stays the same from day to day."""
LOADED = {"/api/ps": "models", "/api/v0/models": "data"}
"""Where Ollama and LM Studio list how models are loaded, which is not the same from day to day."""
CONTEXTS = ("n_ctx", "max_model_len", "context_length", "loaded_context_length")
"""What the context is called by llama-server, vLLM, Ollama and LM Studio."""
TOKENIZERS = ("/tokenize", "/extras/tokenize")
"""Where servers give the tokens of a text: llama-server, vLLM and SGLang; llama-cpp-python."""
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
    path = parts.path.rstrip("/").removesuffix("/chat/completions").removesuffix("/embeddings").rstrip("/")
    return Address(f"{origin}{path or '/v1'}", origin, model, key)


def key_of_environment(variable: str = KEY_VARIABLE) -> str:
    """The key for servers that ask for one; '' when there is none."""
    key = os.environ.get(variable, "").strip()
    if not key.isascii() or not key.isprintable():
        raise BadEngine(f"{variable} holds characters that no key has", "Set it anew, without line breaks.")
    return key


def silence_of_environment() -> float:
    """Seconds that a server may say nothing."""
    text = os.environ.get(SILENCE_VARIABLE, "")
    try:
        seconds = float(text) if text else SILENCE
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 86_400:
        raise BadEngine(f"{SILENCE_VARIABLE}={shown(text)} is no number of seconds", "Give 1 to 86400, or unset it.")
    return seconds


class Flight:
    """Calls in flight together. `stop` ends them from any thread, also while the server is silent."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()

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
            for task in self._tasks:
                task.get_loop().call_soon_threadsafe(task.cancel)

    @contextmanager
    def request(self) -> Iterator[None]:
        """The running task is a request of this flight."""
        task = asyncio.current_task()
        assert task is not None
        with self._lock:
            self._tasks.add(task)
            if self.stopped:
                task.cancel()
        try:
            yield
        finally:
            with self._lock:
                self._tasks.discard(task)


class Deadline:
    """When a request is ended: once nothing new came for `silence` seconds, and at the time `until` in any case."""

    def __init__(self, silence: float, until: float) -> None:
        self.silence, self.until = silence, until
        self._began = time.monotonic()
        self.timeout = asyncio.timeout_at(None)

    def extend(self, silence: float = math.inf) -> None:
        """Something new came; from now on there may be silence for so long at most."""
        self.silence = min(silence, self.silence)
        left = min(self.silence, self.until - time.monotonic())
        self.timeout.reschedule(None if left == math.inf else asyncio.get_running_loop().time() + left)

    def __str__(self) -> str:
        """What a server that ran out of time did wrong."""
        if time.monotonic() >= self.until:
            return f"was not done within {round(self.until - self._began, 2):g} seconds"
        return f"said nothing new for {self.silence:g} seconds"


Value = TypeVar("Value")


def _finished(task: Coroutine[Any, Any, Value]) -> Value:
    """What a request gives: it runs in this thread, or in another where a loop is running already (a notebook)."""
    runs = False
    with suppress(RuntimeError):
        runs = asyncio.get_running_loop().is_running()
    if not runs:
        return asyncio.run(task)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, task).result()


class BrokeOff(EngineError):
    """A connection that ended before the reply did."""


class EndpointClient:
    """One server. Every failure of the connection is an `EngineError` with a sentence; no secret is in any of
    them."""

    def __init__(self, address: Address, *, key: str = "", silence: float = SILENCE) -> None:
        self.address = address
        self.key = key
        self.silence = silence
        self._headers = {"User-Agent": "moot", "Connection": "close", "Accept-Encoding": "identity"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        secure = address.base.startswith("https:")
        self._tls = ssl.create_default_context() if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

    def get(self, url: str, flight: Flight | None = None) -> Any | Refusal:
        """The JSON value at an address (None when it is no JSON), or the server's refusal."""
        return _finished(self._json(flight or Flight(), PROBE, "GET", url))

    def post(self, url: str, body: Mapping[str, object], seconds: float) -> Any | Refusal:
        """The JSON value that answers a body in so many seconds, or the server's refusal, an error with status 200
        too."""
        value = _finished(self._json(Flight(), seconds, "POST", url, json=body))
        if isinstance(value, Mapping) and value.get("error"):
            return Refusal(code_of(value), shown(message_of(value), self.key))
        return value

    async def _json(self, flight: Flight, seconds: float, method: str, url: str, **more: Any) -> Any | Refusal:
        deadline = Deadline(math.inf, time.monotonic() + seconds)
        async with self._request(flight, deadline, method, url, **more) as response:
            raw = await response.aread()
            return parse_json(raw) if response.status_code == 200 else self._refusal(response, raw)

    def chat(
        self,
        body: Mapping[str, object],
        flight: Flight,
        collector: Collector,
        report: Callable[[News], None],
        until: float = math.inf,
    ) -> Refusal | None:
        """Ask for a chat completion and gather it; None when the collector holds the reply.

        It is the whole reply unless the flight was stopped or the time `until` has come.
        """
        try:
            content = json.dumps(body, allow_nan=False).encode()
        except (ValueError, TypeError, RecursionError) as error:
            raise RequestRefused(
                f"the question cannot be written as JSON: {shown(str(error))}", "See settings and schema."
            ) from None
        kind: Refusal | str = ""
        try:
            kind = _finished(self._chat(content, flight, collector, report, until))
        except EngineError:
            if not (collector.finish or collector.error or flight.stopped or time.monotonic() >= until):
                raise  # a connection that breaks after the last word took nothing away
        if isinstance(kind, Refusal):
            return kind
        if collector.error:
            return Refusal(code_of(collector.error), shown(message_of(collector.error), self.key))
        if collector.finish or flight.stopped or time.monotonic() >= until:
            return None
        url = self.address.base
        if not collector.known and "event-stream" not in kind:
            page = "a web page" if "html" in kind else "no chat completion"
            raise EngineError(
                f"what the server at {url} sent is {page}", "Is the address right? It usually ends in /v1."
            )
        # half a reply must not pass for a whole one
        raise BrokeOff(f"the server at {url} broke off before the end of its reply", "See the server's own log.")

    async def _chat(
        self, content: bytes, flight: Flight, collector: Collector, report: Callable[[News], None], until: float
    ) -> Refusal | str:
        """Gather a reply; gives the kind of its content."""
        deadline = Deadline(self.silence, min(until, time.monotonic() + self.silence + PACE * collector.tokens))
        url, headers = f"{self.address.base}/chat/completions", {"Content-Type": "application/json"}
        async with self._request(flight, deadline, "POST", url, content=content, headers=headers) as response:
            if response.status_code != 200:
                return self._refusal(response, await response.aread())
            async for data in _objects(response):
                known = collector.progress
                for news in collector.take(data):
                    report(news)
                if collector.error or collector.over or (collector.finish and collector.counts):
                    break
                if collector.progress > known:
                    deadline.extend(LAST if collector.finish else math.inf)
            return str(response.headers.get("content-type", ""))

    def error(self, refusal: Refusal) -> EngineError:
        """The sentence for a refusal that stands."""
        status, url, variable = refusal.status, self.address.base, self.address.key
        said = f": {refusal.text}" if refusal.text else ""
        if 300 <= status < 400:
            to = shown(refusal.location)
            said = f"the server at {url} redirects to {to}" if to else f"the server at {url} redirects"
            return EngineError(said, "Give the final address; redirects are not followed.")
        if status in (401, 403):
            what = f"refuses the key in {variable}" if self.key else "asks for a key"
            put = f"Put it into the environment variable {variable}." if variable else BIND
            return EngineError(f"the server at {url} {what} ({status}){said}", "Correct it." if self.key else put)
        if status == 404:
            return EngineError(
                f"the server at {url} has no chat completions ({status}){said}", "The address usually ends in /v1."
            )
        if status in (429, 503):
            what, hint = f"the server at {url} is busy ({status}){said}", "Lower --parallel, or try again later."
            if status == 429 or refusal.wait is not None:
                return Busy(what, hint, refusal.wait)
            return Unavailable(what, hint)  # perhaps the word of a proxy before a server that is down
        if status == 200:
            return EngineError(f"the server at {url} answered with an error{said}", "See the server's own log.")
        if status >= 500:
            kind = Unavailable if status == 502 else EngineError  # 502: a proxy finds no server behind it
            return kind(f"the server at {url} failed ({status}){said}", "See the server's own log.")
        return RequestRefused(
            f"the server at {url} refuses the request ({status}){said}", "See the server's own log."
        )

    def _refusal(self, response: httpx.Response, raw: bytes) -> Refusal:
        headers = response.headers
        words = words_of(raw, headers.get("content-type", ""), self.key)
        return Refusal(
            response.status_code, words, _seconds(headers.get("retry-after", "")), headers.get("location", "")
        )

    @asynccontextmanager
    async def _request(
        self, flight: Flight, deadline: Deadline, method: str, url: str, **more: Any
    ) -> AsyncIterator[httpx.Response]:
        """A request under its deadline; failures of the connection become sentences."""
        import httpx

        base = self.address.base
        hint = f"Allow more with {SILENCE_VARIABLE}=SECONDS, or see the server's own log."
        try:
            with flight.request():
                async with deadline.timeout:
                    deadline.extend()
                    async with self._client() as client, client.stream(method, url, **more) as response:
                        yield response
        except TimeoutError:
            raise EngineError(f"the server at {base} {deadline}", hint) from None
        except (httpx.ConnectTimeout, httpx.ConnectError) as error:
            cause = _root(error)
            if isinstance(error, httpx.ConnectTimeout) or isinstance(cause, ConnectionRefusedError):
                raise Unavailable(f"no server answers at {base}", "Start it or correct the address.") from None
            if isinstance(cause, ssl.SSLError):
                reason = shown(getattr(cause, "verify_message", "") or cause.reason or str(cause))
                raise EngineError(
                    f"the server at {base} cannot prove who it is: {reason}",
                    "See SSL_CERT_FILE for own certificates.",
                ) from None
            raise Unavailable(
                f"cannot reach {base}: {shown(getattr(cause, 'strerror', None) or str(cause))}"
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and not flight.stopped:
                raise
            reason = shown(str(_root(error)) or type(error).__name__, self.key)
            raise BrokeOff(f"the connection to {base} broke: {reason}", "See the server's own log.") from None

    def _client(self) -> httpx.AsyncClient:
        import httpx

        return httpx.AsyncClient(
            headers=self._headers, verify=self._tls, trust_env=False, follow_redirects=False,
            timeout=httpx.Timeout(None, connect=CONNECT),
        )  # fmt: skip


async def _objects(response: httpx.Response) -> AsyncIterator[dict[str, Any]]:
    """The objects of a stream; or the one object of a server that does not stream."""
    from httpx_sse import EventSource

    kind = response.headers.get("content-type", "").lower()
    if kind.startswith("application/json"):
        data = parse_json(await response.aread())
        if isinstance(data, dict):
            yield data
    if "text/event-stream" not in kind:
        return
    half = ""
    async for event in EventSource(cast("httpx.Response", _Events(response))).aiter_sse():
        for text in event.data.split("\n"):  # some servers leave out the empty line between two events
            if text.strip() == "[DONE]":
                return
            text, half = join_halves(half, text)
            data = parse_json(text)
            if isinstance(data, dict):
                yield {"error": data} if event.event == "error" and "error" not in data else data


class _Events:
    """A stream with its last event ended, which some servers leave open, and the field `error` of llama-server as an
    event of that name."""

    def __init__(self, response: httpx.Response) -> None:
        self.headers = {"content-type": "text/event-stream"}
        self._stream = response

    async def aiter_text(self) -> AsyncIterator[str]:
        rest = ""
        async for text in self._stream.aiter_text():
            *lines, rest = (rest + text).split("\n")
            for line in lines:
                yield f"{_field(line)}\n"
        yield f"{_field(rest)}\n\n"


def _field(line: str) -> str:
    return f"event: error\ndata:{line.removeprefix('error:')}" if line.startswith("error:") else line


def _seconds(text: str) -> float | None:
    """What Retry-After says, as a number or as a date; None where it says nothing that can be waited for."""
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
        except (ValueError, TypeError, OverflowError):  # not said, or no date; one without a zone cannot be compared
            return None
    return min(seconds, LONGEST_WAIT) if seconds >= 0 else None


def _root(error: BaseException) -> BaseException:
    while inner := error.__cause__ or error.__context__ or getattr(error, "exceptions", [None])[0]:
        error = inner
    return error


def connect(opening: Opening) -> EndpointClient:
    """The server of `endpoint:URL#MODEL`; errors as `read_address` and `key_of_environment` have them."""
    address = read_address(opening.rest, opening.hosts)
    return EndpointClient(address, key=key_of_environment(address.key), silence=silence_of_environment())


def facts_of(server: EndpointClient, flight: Flight | None = None) -> tuple[str, dict[str, Any]]:
    """The model to ask a server for, and what the server says of it and of itself.

    Raises:
        BadEngine: the server does not have the model of its address.
        EngineError: nobody answers, or not as an OpenAI-compatible server does.
    """
    model, facts = _choose(server.address.model, models_of(server, flight), server)
    return model, facts | _statement(server, flight)


def models_of(server: EndpointClient, flight: Flight | None = None) -> list[Mapping[str, object]]:
    """What the server lists under /models, each with a name under `id`."""
    url = server.address.base
    answer = server.get(f"{url}/models", flight)
    if isinstance(answer, Refusal) and answer.status != 404:
        raise server.error(answer)
    if not isinstance(answer, Mapping) or not isinstance(answer.get("data"), list | None):
        raise EngineError(f"what answers at {url} lists no models", "Is the address right? It usually ends in /v1.")
    listed = answer["data"] or []
    return [entry for entry in listed if isinstance(entry, Mapping) and isinstance(entry.get("id"), str)]


def _choose(
    wanted: str, listed: Sequence[Mapping[str, object]], server: EndpointClient
) -> tuple[str, dict[str, object]]:
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


def _statement(server: EndpointClient, flight: Flight | None) -> dict[str, object]:
    """What the server says of itself, if it is one that does."""
    with suppress(EngineError):  # one that does not answer here is asked no further
        for path, names in STATEMENTS.items():
            stated = server.get(f"{server.address.origin}{path}", flight)
            if isinstance(stated, Mapping) and (found := _scalars(stated, names)):
                return {**found, **_props(stated)}
    return {}


def loaded_context(server: EndpointClient, model: str) -> int:
    """Tokens of context with which a server has loaded a model; 0 where it does not say."""
    with suppress(EngineError):
        for path, listed in LOADED.items():
            found = server.get(f"{server.address.origin}{path}")
            entries = found.get(listed) if isinstance(found, Mapping) else None
            for entry in entries if isinstance(entries, list) else ():
                names = (entry.get("id"), entry.get("model")) if isinstance(entry, Mapping) else ()
                if model in names or f"{model}:latest" in names:
                    return context_in(entry)
    return 0


def context_in(facts: Mapping[str, object]) -> int:
    """The context that a server states of a model, 0 where it states none."""
    stated = (facts.get(name) for name in CONTEXTS)
    return next((size for size in stated if isinstance(size, int) and 0 < size < 2**53), 0)


def tokens_of(server: EndpointClient, model: str, text: str) -> int:
    """Tokens of a text by the tokenizer of a server; 0 where it lets nobody use it."""
    body = {"model": model, **dict.fromkeys(("content", "prompt", "input"), text), "add_special_tokens": False}
    with suppress(EngineError):
        for path in TOKENIZERS:
            found = server.post(f"{server.address.origin}{path}", body, PROBE)
            tokens = found.get("tokens") if isinstance(found, Mapping) else None
            if isinstance(tokens, list):
                return len(tokens)
    return 0


def _props(stated: Mapping[str, Any]) -> dict[str, Any]:
    """File, context and template as llama-server states them: the file without its folder, the template as its
    hash."""
    found: dict[str, Any] = {}
    if isinstance(stated.get("model_path"), str):
        found["file"] = shown(re.split(r"[/\\]", stated["model_path"])[-1])
    settings = stated.get("default_generation_settings")
    if isinstance(settings, Mapping):
        found |= _scalars(settings, ("n_ctx",))
    if isinstance(stated.get("chat_template"), str):
        found["template"] = sha256(stated["chat_template"].encode("utf-8", "replace")).hexdigest()
    return found
